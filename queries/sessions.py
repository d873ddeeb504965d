"""Questions about agent sessions and checkpoints."""

from __future__ import annotations

from datetime import datetime

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, NotFound

__all__ = ["checkpoint", "key_of", "session", "sessions"]


def sessions(
    reader: Reader,
    *,
    since: datetime | None = None,
    before: datetime | None = None,
    agent: str | None = None,
    branch: str | None = None,
    limit: int = 50,
) -> Table:
    """Sessions, the newest first.

    Args:
        reader: Reader of the canonical store.
        since: Only those that were still going on at that time (UTC) or began later.
        before: Only those that began before that time (UTC).
        agent: Only those of that agent, as recorded.
        branch: Only those recorded on that code branch.
        limit: Most rows to give; a note says when there are more.

    Returns:
        session, agent, branch, started_at, ended_at, turns, tool_calls, checkpoints, commits, files, first_prompt.
    """
    columns, rows = reader.table(
        sql.load("queries", "sql/sessions.sql"),
        {"since": since, "before": before, "agent": agent, "branch": branch, "limit": limit + 1},
    )
    return capped(columns, rows, limit)


def capped(columns: tuple[str, ...], rows: list[tuple[object, ...]], limit: int) -> Table:
    """A table of at most ``limit`` rows, out of a query that asked for one more to see whether there are."""
    if len(rows) <= limit:
        return Table(columns, rows)
    return Table(columns, rows[:limit], (f"showing the first {limit}: raise --limit for more",))


def session(reader: Reader, name: str) -> tuple[str, Table]:
    """The turns of a session.

    Args:
        reader: Reader of the canonical store.
        name: The session's id, normalised or as recorded, or a unique beginning of it.

    Returns:
        The normalised id, and turn, ordinal, started_at, ended_at, records, tool_calls, failed, written_files,
        prompt, segment, start_byte, end_byte.

    Raises:
        NotFound: No session has that id.
        Ambiguous: Several ids begin so.
    """
    key = key_of(reader, "session", name)
    table = Table(*reader.table(sql.load("queries", "sql/session_turns.sql"), {"session": key}))
    if not table.rows:
        table = table._replace(notes=("the store has no transcript of this session with a typed prompt",))
    return key, table


def checkpoint(reader: Reader, name: str) -> tuple[str, Table]:
    """The sessions of a checkpoint, with what was recorded of each, and the commits that name it.

    Args:
        reader: Reader of the canonical store.
        name: The checkpoint's id, or a unique beginning of it.

    Raises:
        NotFound: No checkpoint has that id.
        Ambiguous: Several ids begin so.
    """
    key = key_of(reader, "checkpoint", name)
    return key, Table(*reader.table(sql.load("queries", "sql/checkpoint.sql"), {"checkpoint": key}))


def key_of(reader: Reader, what: str, name: str) -> str:
    """The whole id of a ``session`` or ``checkpoint``, from the id or a unique beginning of it.

    Raises:
        NotFound: None has that id.
        Ambiguous: Several ids begin so.
    """
    found = [str(row[0]) for row in reader.rows(sql.load("queries", f"sql/{what}_find.sql"), {"id": name})]
    if not found:
        raise NotFound(
            f"no {what} has the id {name!r}", hint="run `graphsvc sessions` to see what the store has"
        )
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} {what}s have ids that begin with {name!r}", candidates=found)
    return found[0]
