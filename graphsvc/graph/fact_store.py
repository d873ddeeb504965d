"""Facts as a published graph has them: to be recalled, never written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from graphsvc.canonical import sql
from graphsvc.errors import NotFound
from graphsvc.graph.reader import GraphReader
from graphsvc.memory.facts import Anchor, Fact, FactHistory, Forget, Link
from graphsvc.memory.recall import BoundQuery, Recalled, RecallQuery, select
from graphsvc.scopes import Scope

__all__ = ["KuzuFactStore"]

_PACKAGE = "graphsvc.graph"
_LEAST, _MOST = -(2**63) + 1, 2**63 - 1


class KuzuFactStore:
    """Facts of one generation of the graph.

    Args:
        reader: Reader of the graph.
    """

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader

    def recall(self, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
        """See `graphsvc.memory.fact_store.FactReader.recall`."""
        bound = query.bind(now)
        return select(map(_history, self._matching(bound)), bound)

    def history(self, fact_id: str) -> FactHistory:
        """See `graphsvc.memory.fact_store.FactReader.history`."""
        found = self._reader.rows(sql.load(_PACKAGE, "fact_by_id.cypher"), {"id": fact_id})
        if not found:
            raise NotFound(f"no fact of the graph has the id {fact_id}", hint="run `graphsvc rebuild`")
        return _history(found[0])

    def _matching(self, query: BoundQuery) -> Iterator[Mapping[str, Any]]:
        parameters = _parameters(query)
        if query.scopes.chain is None:
            statement = sql.load(_PACKAGE, "facts_anywhere.cypher")
            yield from self._reader.rows(statement, parameters, max_rows=_MOST)
            return
        statement, found = sql.load(_PACKAGE, "facts_in_scope.cypher"), 0
        for scope in query.scopes.chain:
            rows = self._reader.rows(statement, {**parameters, "scope": scope.key}, max_rows=_MOST)
            yield from rows
            found += len(rows)
            if found >= parameters["cap"]:
                return  # what lies further out would come after these


def _parameters(query: BoundQuery) -> dict[str, Any]:
    known_at = _MOST if query.known_at is None else query.known_at
    until = _MOST if query.until is None else query.until - 1
    # Whether a fact was superseded by what was known at some time, the graph's one number does not say.
    reads_all_links = query.with_superseded or query.known_at is not None
    is_whole = not query.anchors and (query.with_superseded or query.known_at is None)
    return {
        "needle": query.needle,
        "has_kinds": bool(query.kinds),
        "kinds": sorted(query.kinds) or [""],
        "earliest": _LEAST if query.since is None else query.since,
        "latest": min(known_at, until),
        "known_at": known_at,
        "valid_at": query.valid_at,
        "superseded_at": _LEAST if reads_all_links else query.valid_at,
        "cap": query.limit if is_whole and query.limit is not None else _MOST,
    }


def _history(row: Mapping[str, Any]) -> FactHistory:
    fact = Fact(
        id=row["id"],
        kind=row["kind"],
        content=row["content"],
        recorded_at=row["recorded_at"],
        scope=Scope(*json.loads(row["scope"])),
        source=row["told_by"],
        anchors=tuple(Anchor(*json.loads(anchor)) for anchor in row["anchors"]),
        valid_from=row["valid_from"],
        valid_until=row["valid_until"],
        expires_at=row["expires_at"],
    )
    return FactHistory(fact, tuple(_record(*json.loads(record)) for record in row["records"]))


def _record(
    relation: Any, fact_id: str, target: str, recorded_at: int, effective_at: int | None, reason: str
) -> Link | Forget:
    if relation == "forget":
        return Forget(fact_id, recorded_at, reason)
    return Link(relation, fact_id, target, recorded_at, effective_at)
