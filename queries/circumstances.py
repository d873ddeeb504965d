"""What surrounded a tool call: the reasoning shown before it, what had failed, and the commands that checked it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.ids import SegmentId
from queries.why import Step
from queries.writers import Call

__all__ = ["circumstances"]

_EACH = 2
"""Most failures and most checks that are told."""


def circumstances(reader: Reader, call: Call, begun_at: datetime | None) -> list[Step]:
    """Steps around a tool call, in order of time.

    Args:
        reader: Reader of the canonical store.
        call: The call.
        begun_at: When its turn began, in UTC; None where that is not known, which leaves the whole session before it.

    Returns:
        Steps ``reasoning`` (what the model thought or said last before the call, in its turn), ``tried`` (calls of
        the turn that had failed), and ``verified`` (commands after it, until something else was written, that test,
        build or check; their text begins with the outcome). None where the call states no time.
    """
    if call.occurred_at is None:
        return []
    turn = {"session": call.session_key, "begun": begun_at, "at": call.occurred_at}
    said = reader.rows(sql.load("queries", "sql/why_reasoning.sql"), turn)
    around = reader.rows(sql.load("queries", "sql/why_attempts.sql"), turn | {"most": _EACH})
    return [*map(_step, said), *map(_step, around)]


def _step(row: Iterable[Any]) -> Step:
    step, subject, text, occurred_at, segment, start, end = row
    return Step(step, subject, text, occurred_at, "same_turn", 1.0, Span(SegmentId(segment), start, end))
