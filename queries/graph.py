"""Answers of the published graph as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphsvc.answers import Table
from graphsvc.graph.reader import GraphReader

__all__ = ["table"]


def table(graph: GraphReader, cypher: str, params: Mapping[str, Any] | None = None) -> Table:
    """Rows of a read-only Cypher statement; a note says when the reader's cap cut them off."""
    found = graph.rows(cypher, params)
    notes = (f"cut off after {len(found)} rows: add a LIMIT or a narrower MATCH",) if found.truncated else ()
    return Table(found.columns, [tuple(item.values()) for item in found.items], notes)
