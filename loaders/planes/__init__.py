"""Planes: stores of the pi host that are read and never written, and patches that are authored here.

Source format: pi-state-flow, metadata versions 1 to 3. A source's locator is the store's folder. Each scope whose
files are admitted is a ``plane_cohort``; whatever breaks a rule is a fault with its reason and its bytes. Cohorts
that the store no longer has as they were are withdrawn and stay readable.
"""

from __future__ import annotations

from loaders.planes.loader import add_planes, refresh

__all__ = ["add_planes", "refresh"]
