"""What linking found out about lines and commits; nothing where the store has not been linked."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.derived import LINKED, derived_watermark, linkage
from graphsvc.canonical.reader import Reader
from graphsvc.ids import SegmentId
from queries.writers import Writer, to_call

__all__ = [
    "LinkedLine",
    "Mark",
    "SessionLink",
    "is_linked",
    "linked_line",
    "linking_notes",
    "no_session",
    "session_links",
]

_NOT_LINKED = "which sessions wrote what is not linked yet: run `graphsvc link`"
_BEHIND = "newer evidence is not linked yet: run `graphsvc link`"


class Mark(NamedTuple):
    """A line as a commit added it: the commit, the path in it, and the line's number there, from 1."""

    oid: str
    path: str
    line: int


class LinkedLine(NamedTuple):
    """Where a line of a snapshot comes from.

    Attributes:
        last: Where it was changed last, as a blame says.
        origin: Where it was written first, before it was moved or formatted.
        writer: The call that wrote it, None where none is known.
        written: Which of the two marks the call's text was committed at.
        was_altered: The call wrote what stands around it, and the line itself was changed after that.
    """

    last: Mark
    origin: Mark
    writer: Writer | None
    written: Mark
    was_altered: bool


class SessionLink(NamedTuple):
    """A session that a commit may come from.

    Attributes:
        session: Key of the session.
        agent: As recorded, None where it is not.
        started_at: Time of its first record, in UTC.
        origin: The strongest evidence.
        confidence: How sure it is, 0 to 1.
        evidence: What was measured, each as ``name=value``.
        lines: Telling lines of the commit that the session wrote.
        of_lines: Telling lines of the commit.
        call_key: The call that wrote most of them.
        span: Bytes that support it, None for activity alone.
    """

    session: str
    agent: str | None
    started_at: datetime | None
    origin: str
    confidence: float
    evidence: list[str]
    lines: int
    of_lines: int
    call_key: str | None
    span: Span | None

    @property
    def is_sure(self) -> bool:
        """The commit is said to come from the session; otherwise it is an alternative."""
        return 1000 * self.confidence >= LINKED


def is_linked(reader: Reader) -> bool:
    """The store has been linked, maybe before its newest evidence."""
    made = linkage(reader)
    return made is not None and made.watermark is not None


def linking_notes(reader: Reader) -> tuple[str, ...]:
    """What a reader of an answer should know about linking: nothing where it covers the evidence."""
    made = linkage(reader)
    if made is None or made.watermark is None:
        return (_NOT_LINKED,)
    return () if made.watermark == derived_watermark(reader) else (_BEHIND,)


def linked_line(reader: Reader, repository_id: str, commit: str, path: str, line: int) -> LinkedLine | None:
    """Where a line of a snapshot comes from; None where linking has not followed it.

    Args:
        reader: Reader of a store that has been linked.
        repository_id: Repository that it is of.
        commit: The snapshot's commit.
        path: Path of the file there.
        line: Number of the line, from 1.
    """
    place = {"repository": repository_id, "commit": commit, "path": path, "line": line}
    rows = reader.rows(sql.load("queries", "sql/linked_line.sql"), place)
    if not rows:
        return None
    last, origin = Mark(*rows[0][:3]), Mark(*rows[0][3:6])
    for mark in dict.fromkeys((origin, last)):
        found = _writer(reader, repository_id, mark)
        if found is not None:
            return LinkedLine(last, origin, found, mark, found.origin == "altered_text")
    return LinkedLine(last, origin, None, origin, False)


def _writer(reader: Reader, repository_id: str, mark: Mark) -> Writer | None:
    rows = reader.rows(
        sql.load("queries", "sql/linked_writer.sql"), {"repository": repository_id, **mark._asdict()}
    )
    return next(
        (Writer(to_call(*call), origin, sure / 1000, others) for origin, sure, others, *call in rows), None
    )


def no_session(reader: Reader, repository_id: str, commit: str) -> str:
    """Why no session is linked to a commit, for people."""
    rows = reader.rows(
        sql.load("queries", "sql/why_unlinked.sql"), {"repository": repository_id, "commit": commit}
    )
    if any(is_bot for (is_bot,) in rows):
        return "its author is a bot, whose commits are never linked to sessions"
    return "no session is known to have written it"


def session_links(reader: Reader, repository_id: str, commit: str) -> list[SessionLink]:
    """Sessions that a commit may come from by what linking found out, the surest first."""
    rows = reader.rows(
        sql.load("queries", "sql/session_links.sql"), {"repository": repository_id, "commit": commit}
    )
    return [
        SessionLink(
            session=session,
            agent=agent,
            started_at=started_at,
            origin=origin,
            confidence=confidence / 1000,
            evidence=evidence,
            lines=lines,
            of_lines=of_lines,
            call_key=call,
            span=None if segment is None else Span(SegmentId(segment), start, end),
        )
        for session, agent, started_at, origin, confidence, evidence, lines, of_lines, call, segment, start, end in rows
    ]
