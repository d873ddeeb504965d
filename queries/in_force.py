"""What an agent had been told when something was written: the facts and intents that were in force."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.fact_store import recall
from graphsvc.canonical.plane_store import authored_source
from graphsvc.canonical.reader import Reader
from graphsvc.ids import SegmentId
from graphsvc.memory.recall import RecallQuery
from graphsvc.scopes import Scope, at
from queries.why import Step

__all__ = ["in_force"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def in_force(
    reader: Reader, instant: datetime, *, scope: Scope, cwds: Sequence[str], store_id: str, limit: int = 20
) -> list[Step]:
    """Facts that were on record and held at an instant, and intents that stood then, as steps of a trail.

    Args:
        reader: Reader of the canonical store.
        instant: The instant, in UTC.
        scope: Innermost memory scope that counts; the scopes around it do as well.
        cwds: Working directories whose planes count beside the global ones.
        store_id: Identity of the store, whose authored planes count.
        limit: Most facts to give.

    Returns:
        Steps ``fact`` and ``intent`` with the origin ``in_force``, innermost scope first. That they were in force
        is certain; that the author had read them is not.
    """
    micros = (instant.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
    query = RecallQuery(scopes=at(scope).with_ancestors(), valid_at=micros, known_at=micros, limit=limit)
    facts = [item.fact for item in recall(reader, query, now=micros)]
    rows = reader.rows(sql.load("queries", "sql/in_force_facts.sql"), {"ids": [fact.id for fact in facts]})
    lines = {fact_id: (time, Span(SegmentId(segment), *bounds)) for fact_id, time, segment, *bounds in rows}
    steps = [
        Step("fact", fact.id, fact.content, lines[fact.id][0], "in_force", 1.0, lines[fact.id][1])
        for fact in facts
    ]
    intents = reader.rows(
        sql.load("queries", "sql/in_force_intents.sql"),
        {"source": authored_source(store_id), "cwds": list(cwds), "at": instant},
    )
    for name, value, plane_scope, _, occurred_at, segment, start, end in intents:
        span = Span(SegmentId(segment), start, end)
        subject = f"{plane_scope}.intents.{name}"
        steps.append(Step("intent", subject, value, occurred_at, "in_force", 1.0, span))
    return steps
