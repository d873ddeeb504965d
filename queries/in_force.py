"""What an agent had been told when something was written: the facts and intents that were in force."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.fact_store import recall
from graphsvc.canonical.reader import Reader
from graphsvc.ids import RepositoryId, SegmentId, authored_planes_source_id, project_id
from graphsvc.memory.recall import RecallQuery
from graphsvc.scopes import Scope, at
from queries.host_intents import host_intents
from queries.why import Step, Why

__all__ = ["in_force"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def in_force(
    reader: Reader, found: Why, *, repository_id: str, work_tree: str, store_id: str, limit: int = 20
) -> list[Step]:
    """Facts that were on record and held when a line was written, and intents that stood then.

    Args:
        reader: Reader of the canonical store.
        found: The trail of the line.
        repository_id: Repository that it is of; its project's facts count, and those of the scopes around it.
        work_tree: Where the repository lies: its work tree's facts and planes count as well.
        store_id: Identity of the store, whose authored planes count.
        limit: Most facts to give.

    Returns:
        Steps ``fact`` and ``intent`` with the origin ``in_force``, innermost scope first: facts and intents of this
        store, then intents of the planes of the session's host. None where the trail states no time. That they were
        in force is as certain as the trail; that the author had read them is not.
    """
    instant = _written_at(found)
    if instant is None:
        return []
    scope = Scope(store_id, project_id(RepositoryId(repository_id)), work_tree)
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
        {"source": authored_planes_source_id(store_id), "cwd": work_tree, "at": instant},
    )
    for name, value, plane_scope, _, occurred_at, segment, start, end in intents:
        span = Span(SegmentId(segment), start, end)
        subject = f"{plane_scope}.intents.{name}"
        steps.append(Step("intent", subject, value, occurred_at, "in_force", 1.0, span))
    return steps + _of_host(reader, found)


def _of_host(reader: Reader, found: Why) -> list[Step]:
    """Intents of the host's planes at the tool call; no surer than that the call wrote the line."""
    call = next((step for step in found.steps if step.step == "tool_call"), None)
    session = next((step for step in found.steps if step.step == "session"), None)
    if call is None or session is None:
        return []
    stood = host_intents(reader, session.subject, call.subject)
    found.notes += stood.notes
    return [
        Step(
            "intent",
            f"{intent.scope}.intents.{intent.name}",
            intent.value,
            call.occurred_at,
            "in_force",
            call.confidence,
            intent.evidence,
        )
        for intent in stood.intents
    ]


def _written_at(found: Why) -> datetime | None:
    """When the line was written: by the tool call that wrote it, else by the commit."""
    times = {step.step: step.occurred_at for step in found.steps}
    return times.get("tool_call") or times.get("commit")
