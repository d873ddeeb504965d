"""Version of the rules that make the code graph and are not SQL, apart from what runs them, which is slow to import."""

from __future__ import annotations

from loaders.extractions import EXTRACTOR
from loaders.resolution import RESOLUTION_VERSION

__all__ = ["CODE_RULES", "TABLES_VERSION"]

CODE_RULES = f"{EXTRACTOR} resolution-{RESOLUTION_VERSION}"
"""Changes whenever the same blobs can give other symbols or edges."""

TABLES_VERSION = 1
"""Raise it whenever the tables of a snapshot (`loaders.code_graph`) get other columns."""
