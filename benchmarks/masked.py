"""Searches that must not find what was masked out of the index: the evidence has it still, as it is."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest.mock import patch

from graphsvc.text_index.index import Found, TextIndex

__all__ = ["without_literals"]


def without_literals() -> AbstractContextManager[object]:
    """Searches in which no place counts because the whole question stands there."""
    return patch.object(TextIndex, "containing", lambda *_: Found([], 0))
