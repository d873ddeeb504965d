"""What became of what a session, a turn or a tool call wrote."""

from __future__ import annotations

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, NotFound
from queries.linked import is_linked, linking_notes

__all__ = ["trace"]


def trace(reader: Reader, name: str) -> tuple[str, Table]:
    """What became of the lines that were written.

    Args:
        reader: Reader of a store that has been linked.
        name: A session's id or a unique beginning of it, a turn's id, or a tool call's id.

    Returns:
        What the name means, and a row a tool call and file: call, name, path (as the call names it), occurred_at,
        turn, lines (telling lines that the call brought in), alive (of those, in an indexed snapshot), changed (were
        there, and went), reverted (of those, by a commit that says it reverts another), elsewhere (committed to
        a branch that no snapshot has), uncommitted, commits (with those lines, the earliest first), changed_by
        (``commit author`` of those that took them away), is_error (the call failed), segment, start_byte, end_byte.

    Raises:
        NotFound: Nothing that wrote to files has that name, or the store has not been linked.
        Ambiguous: Several ids begin so.
    """
    if not is_linked(reader):
        raise NotFound("what sessions wrote is not linked to commits yet", hint="run `graphsvc link`")
    found = reader.rows(sql.load("queries", "sql/trace_subject.sql"), {"name": name})
    if not found:
        raise NotFound(
            f"no session, turn or tool call that wrote to files is called {name!r}",
            hint="run `graphsvc sessions` for the ids of sessions, and `graphsvc session ID` for those of turns",
        )
    if len(found) > 1:
        raise Ambiguous(f"several ids begin with {name!r}", candidates=[key for _, key in found])
    kind, key = found[0]
    table = Table(*reader.table(sql.load("queries", "sql/trace.sql"), {"kind": kind, "key": key}))
    return f"{kind} {key}", table._replace(notes=(*_summary(table), *linking_notes(reader)))


def _summary(table: Table) -> tuple[str, ...]:
    """How the lines fared in all."""
    names = ("lines", "alive", "changed", "reverted", "elsewhere", "uncommitted")
    sums = [sum(row[table.columns.index(name)] for row in table.rows) for name in names]
    return (
        "of {} lines {} are alive, {} were changed or removed ({} by a revert), {} are on other branches only, "
        "and {} were never committed".format(*sums),
    )
