"""Questions about agent sessions and checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict, Unpack

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, InvalidInput, NotFound

__all__ = [
    "SessionFilters",
    "checkpoint",
    "checkpoints",
    "find_session",
    "processing_log",
    "session",
    "session_count",
    "session_keys",
    "sessions",
]


_LISTED = ("agent", "branch", "strategy", "model", "tool")
"""Filters whose values are few enough to name; each has a file in ``queries/sql/session_values``."""

_VALUES = 10


class SessionFilters(TypedDict, total=False):
    """What narrows sessions down; each is a file in ``queries/sql/session_filters``, and all of them must hold.

    Attributes:
        since: Those that were still going on at that time (UTC) or began later.
        before: Those that began before that time (UTC).
        agent: Those of the agents whose name begins so, whatever its case.
        branch: Those recorded on that code branch.
        strategy: Those whose checkpoints were made so, for example ``manual-commit``.
        model: Those in which a model answered whose name begins so.
        file: Those that touched a file whose path is, or ends in, that one.
        tool: Those that called that tool.
        has_summary: Those with a recorded summary, or those without.
        unprocessed_by: Those that this consumer has not dealt with as they are now.
        text: Those in which a person or a model wrote that, whatever its case.
        checkpoint: Those of the checkpoints whose id begins so.
        commit: Those of the checkpoints that a commit names whose id begins so.
        repository: Those of that repository, by its identity.
        session: Those of these ids, normalised.
    """

    since: datetime | None
    before: datetime | None
    agent: str | None
    branch: str | None
    strategy: str | None
    model: str | None
    file: str | None
    tool: str | None
    has_summary: bool | None
    unprocessed_by: str | None
    text: str | None
    checkpoint: str | None
    commit: str | None
    repository: str | None
    session: Sequence[str] | None


def sessions(
    reader: Reader, *, sort: str = "newest", limit: int = 50, **filters: Unpack[SessionFilters]
) -> Table:
    """Sessions, the newest first; no transcript is read.

    Args:
        reader: Reader of the canonical store.
        sort: ``newest`` or ``oldest`` first.
        limit: Most rows to give; a note says when there are more.
        filters: See `SessionFilters`.

    Returns:
        session, agent, branch, started_at, ended_at, turns, tool_calls, checkpoints, commits, files, first_prompt,
        is_kept.

    Raises:
        InvalidInput: There is no such order.
    """
    statement, params = _filtered("sessions", filters)
    params |= {"limit": limit + 1, "oldest_first": _is_oldest(sort)}
    table = capped(*reader.table(statement, params), limit)
    return table if table.rows else table._replace(notes=_why_none(reader, filters))


def _why_none(reader: Reader, filters: SessionFilters) -> tuple[str, ...]:
    """Which filters no session fits, with the values that sessions have."""
    notes = []
    for name in _LISTED:
        value = filters.get(name)
        if value is not None and not _has_sessions(reader, name, value):
            known = [row[0] for row in reader.rows(sql.load("queries", f"sql/session_values/{name}.sql"))]
            notes.append(f"no session has the {name} {value!r}: {_listed(known)}")
    if not notes and _given(filters):
        notes.append("no session fits all of the filters")
    return tuple(notes)


def _has_sessions(reader: Reader, name: str, value: object) -> bool:
    subselect = sql.load("queries", f"sql/session_filters/{name}.sql")
    return bool(reader.rows(f"SELECT 1 FROM ({subselect}) LIMIT 1", {name: value}))


def _listed(values: Sequence[str]) -> str:
    """The first few values, and how many there are besides.

    >>> _listed(["main", "next"]), _listed([])
    ('there are main, next', 'none is recorded')
    """
    if not values:
        return "none is recorded"
    more = len(values) - _VALUES
    return f"there are {', '.join(values[:_VALUES])}{f' and {more} more' if more > 0 else ''}"


def session_count(reader: Reader, **filters: Unpack[SessionFilters]) -> int:
    """How many sessions there are; ``filters`` as for `sessions`."""
    [(count,)] = reader.rows(*_filtered("session_count", filters))
    return int(count)


def session_keys(
    reader: Reader, *, sort: str = "newest", limit: int | None = None, **filters: Unpack[SessionFilters]
) -> dict[str, str | None]:
    """Digest of what each session holds by its normalised id, in order; ``filters`` as for `sessions`."""
    statement, params = _filtered("session_keys", filters)
    return dict(reader.rows(statement, params | {"limit": limit, "oldest_first": _is_oldest(sort)}))


def _is_oldest(sort: str) -> bool:
    if sort not in ("newest", "oldest"):
        raise InvalidInput(f"sessions cannot be sorted by {sort!r}", hint="sort them by newest or oldest")
    return sort == "oldest"


def _filtered(name: str, filters: SessionFilters) -> tuple[str, dict[str, Any]]:
    """A statement with the filters that are given, and their parameters."""
    given = _given(filters)
    subselects = [sql.load("queries", f"sql/session_filters/{key}.sql") for key in given]
    matching = "".join(f"({subselect})\nINTERSECT\n" for subselect in subselects)
    return sql.load("queries", f"sql/{name}.sql").replace("/* filters */", matching), given


def _given(filters: SessionFilters) -> dict[str, Any]:
    return {key: value for key, value in filters.items() if value is not None}


def checkpoints(
    reader: Reader,
    *,
    since: datetime | None = None,
    before: datetime | None = None,
    branch: str | None = None,
    limit: int = 50,
) -> Table:
    """Checkpoints, the newest first, from their metadata alone.

    Args:
        reader: Reader of the canonical store.
        since: Only those made at that time (UTC) or later.
        before: Only those made before that time (UTC).
        branch: Only those of that code branch.
        limit: Most rows to give; a note says when there are more.

    Returns:
        checkpoint, created_at, branch, strategy, agents, sessions, files, commits, repository_id, segment, start_byte,
        end_byte.
    """
    params = {"since": since, "before": before, "branch": branch, "limit": limit + 1}
    return capped(*reader.table(sql.load("queries", "sql/checkpoints.sql"), params), limit)


def processing_log(reader: Reader, *, consumer: str | None = None, limit: int = 50) -> Table:
    """What consumers have dealt with, the newest first.

    Returns:
        session, consumer, processed_at, is_current (the session has not changed since), content_digest, note.
    """
    params = {"consumer": consumer, "limit": limit + 1}
    return capped(*reader.table(sql.load("queries", "sql/processing_log.sql"), params), limit)


def find_session(reader: Reader, name: str) -> str:
    """Normalised id of a session.

    Args:
        reader: Reader of the canonical store.
        name: Its id, normalised or as recorded, or a unique beginning of it.

    Raises:
        NotFound: No session has that id.
        Ambiguous: Several ids begin so.
    """
    return _one(reader, "session", name)


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
        prompt, is_abandoned, segment, start_byte, end_byte.

    Raises:
        NotFound: No session has that id.
        Ambiguous: Several ids begin so.
    """
    key = find_session(reader, name)
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
    key = _one(reader, "checkpoint", name)
    return key, Table(*reader.table(sql.load("queries", "sql/checkpoint.sql"), {"checkpoint": key}))


def _one(reader: Reader, what: str, name: str) -> str:
    found = [str(row[0]) for row in reader.rows(sql.load("queries", f"sql/{what}_find.sql"), {"id": name})]
    if not found:
        raise NotFound(
            f"no {what} has the id {name!r}", hint="run `graphsvc sessions` to see what the store has"
        )
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} {what}s have ids that begin with {name!r}", candidates=found)
    return found[0]
