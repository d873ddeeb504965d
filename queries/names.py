"""Names that a text begins, for completion on the command line."""

from __future__ import annotations

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.graph.reader import GraphReader

__all__ = ["GRAPH", "names"]

GRAPH = frozenset({"symbol"})
"""What is looked up in the graph; everything else in the canonical store."""

_FILES = {
    "symbol": "cypher/names_symbol.cypher",
    "session": "sql/names_session.sql",
    "checkpoint": "sql/names_checkpoint.sql",
}


def names(what: str, prefix: str, store: Reader | GraphReader) -> list[str]:
    """The first names, in order, that begin with ``prefix``.

    Args:
        what: ``symbol``, ``session`` or ``checkpoint``.
        prefix: What they begin with.
        store: Reader of the graph for what `GRAPH` has, of the canonical store for the rest.
    """
    statement, params = sql.load("queries", _FILES[what]), {"prefix": prefix}
    if isinstance(store, GraphReader):
        return [str(row["name"]) for row in store.rows(statement, params)]
    return [str(row[0]) for row in store.rows(statement, params)]
