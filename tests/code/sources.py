"""Bringing a store up to date without the cost of a graph, which questions about code do not need."""

from __future__ import annotations

from graphsvc.knowledge import KnowledgeBase
from loaders.base import SourceReport, silent
from loaders.rebuild import loader_of

__all__ = ["refresh"]

_ORDER = ("git", "code", "symbol_history")


def refresh(kb: KnowledgeBase) -> dict[str, SourceReport]:
    """Read what is new in the history, the code and, where it is tracked, the symbols of repositories; by loader."""
    sources = [source for source in kb.store.sources() if source.loader in _ORDER]
    sources.sort(key=lambda source: _ORDER.index(source.loader))
    return {source.loader: loader_of(source).refresh(source, kb.store, silent) for source in sources}
