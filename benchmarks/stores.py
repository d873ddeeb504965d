"""Stores for the benchmarks to look at."""

from __future__ import annotations

from pathlib import Path

from graphsvc.canonical.store import CanonicalStore
from graphsvc.knowledge import KnowledgeBase

__all__ = ["store_of"]


def store_of(repository: Path, given: Path | None, scratch: Path) -> CanonicalStore:
    """The store that was given, or a new one of a repository.

    Args:
        repository: The repository.
        given: Folder of a store that was made from it.
        scratch: Folder for a new one.
    """
    if given is not None:
        return CanonicalStore(given)
    kb = KnowledgeBase.init(scratch / "store")
    kb.add_repository(repository)
    kb.rebuild()
    return kb.store
