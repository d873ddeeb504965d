"""Sessions for reading: turns with all that was said and done in each, whatever host wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from graphsvc.ids import SegmentId
from queries.blocks import answer_text, call_input

__all__ = ["Call", "Head", "Message", "Transcript", "Turn", "source_bytes", "transcript"]


class Head(NamedTuple):
    """What is known of a session besides its transcript; columns of ``transcript_head.sql``."""

    agent: str | None
    title: str | None
    intent: str | None
    outcome: str | None
    friction: Sequence[str] | None
    open_items: Sequence[str] | None
    branch: str | None
    checkpoints: Sequence[str] | None
    commits: Sequence[str] | None
    files: Sequence[str] | None
    repositories: Sequence[str] | None
    models: Sequence[str] | None
    working_directories: Sequence[str] | None
    started_at: datetime | None
    ended_at: datetime | None
    compactions: int


@dataclass(frozen=True, slots=True)
class Message:
    """A text.

    Attributes:
        role: user, assistant or system.
        channel: prompt, text, thinking, summary or title.
        origin: typed, injected or model.
        text: The text.
        occurred_at: When, in UTC.
        is_nested: It was said inside a subagent.
        is_abandoned: The session went on from before it, so that the model no longer knew of it.
        span: The record that has it.
    """

    role: str
    channel: str
    origin: str
    text: str
    occurred_at: datetime | None
    is_nested: bool
    is_abandoned: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its answer.

    Attributes:
        call_key: The host's id of the call.
        name: The tool.
        given: Its input as the model wrote it; what the store has of it where the host's bytes do not show it alone.
        path: File that the input names.
        command: Shell command.
        writes: Its input holds text to be written to a file.
        answer: Text of the answer, None without one.
        is_error: The host marked it as failed, None where it does not say.
        exit_code: Exit status of a command, where it is stated.
        occurred_at: When it was asked for, in UTC.
        answered_at: When it was answered, in UTC.
        is_nested: It was made inside a subagent.
        parent_call: Call that runs that subagent.
        is_abandoned: The session went on from before it.
        span: The call's own bytes.
        answer_span: Those of the answer.
        children: Sessions of subagents that it started.
    """

    call_key: str
    name: str
    given: Any
    path: str | None
    command: str | None
    writes: bool
    answer: str | None
    is_error: bool | None
    exit_code: int | None
    occurred_at: datetime | None
    answered_at: datetime | None
    is_nested: bool
    parent_call: str | None
    is_abandoned: bool
    span: Span
    answer_span: Span | None
    children: tuple[str, ...]

    @property
    def failed(self) -> bool | None:
        """Whether it failed, None where nothing says so."""
        if self.exit_code is not None:
            return self.exit_code != 0
        return self.is_error

    @property
    def seconds(self) -> float | None:
        """From the call to its answer, None where a time is not known."""
        if self.occurred_at is None or self.answered_at is None:
            return None
        return (self.answered_at - self.occurred_at).total_seconds()


@dataclass(frozen=True, slots=True)
class Turn:
    """A typed prompt and all that follows until the next; the first may have none.

    Attributes:
        ordinal: From 1; 0 for what comes before the first prompt.
        items: Messages and calls in order.
    """

    ordinal: int
    items: Sequence[Message | Call]

    @property
    def prompt(self) -> str | None:
        """What the person typed, None before the first prompt."""
        prompts = (item.text for item in self.items if isinstance(item, Message) and item.channel == "prompt")
        return next(prompts, None) if self.ordinal else None

    @property
    def is_abandoned(self) -> bool:
        """The session went on from before its prompt."""
        return bool(self.ordinal and self.items and self.items[0].is_abandoned)

    @property
    def calls(self) -> list[Call]:
        """The tool calls."""
        return [item for item in self.items if isinstance(item, Call)]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session.

    Attributes:
        session: Normalised id.
        head: What is known of it besides.
        turns: Its turns in order.
        children: Sessions of subagents whose call is not known.
    """

    session: str
    head: Head
    turns: Sequence[Turn]
    children: tuple[str, ...]


class _Row(NamedTuple):
    """Columns of ``transcript_items.sql``."""

    kind: str
    turn_id: str | None
    position: int
    is_abandoned: bool
    role: str
    channel: str
    origin: str
    text: str
    occurred_at: datetime | None
    is_nested: bool
    parent_call: str | None
    call_key: str
    name: str
    path: str | None
    command: str | None
    writes: bool
    is_error: bool | None
    exit_code: int | None
    result_excerpt: str | None
    answered_at: datetime | None
    segment: SegmentId
    start_byte: int
    end_byte: int
    result_segment: SegmentId | None
    result_start: int
    result_end: int

    @property
    def span(self) -> Span:
        return Span(self.segment, self.start_byte, self.end_byte)

    @property
    def answer_span(self) -> Span | None:
        if self.result_segment is None:
            return None
        return Span(self.result_segment, self.result_start, self.result_end)


def transcript(reader: Reader, session: str) -> Transcript:
    """Read a session.

    Args:
        reader: Reader of the canonical store.
        session: Its normalised id.
    """
    params = {"session": session}
    [head] = reader.rows(sql.load("queries", "sql/transcript_head.sql"), params)
    rows = [_Row(*row) for row in reader.rows(sql.load("queries", "sql/transcript_items.sql"), params)]
    spawned = reader.rows(sql.load("queries", "sql/transcript_children.sql"), params)
    called = {row.call_key for row in rows if row.kind == "call"}
    children: dict[str | None, list[str]] = {}
    for child, call_key in spawned:
        children.setdefault(call_key if call_key in called else None, []).append(child)
    # All at once, because calls that lie in one pack of segments are then unpacked together.
    spans = [span for row in rows if row.kind == "call" for span in (row.span, row.answer_span) if span]
    blocks = dict(zip(spans, reader.spans(spans), strict=True))
    turns = [
        Turn(ordinal, list(_items(group, blocks, children)))
        for ordinal, group in enumerate(_by_turn(rows))
        if ordinal or group
    ]
    return Transcript(session, Head(*head), turns, tuple(children.get(None, ())))


def _by_turn(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Rows by turn; the first list is of what comes before the first prompt."""
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row.turn_id)]
    return groups if groups and groups[0][0].turn_id is None else [[], *groups]


def _items(
    rows: Sequence[_Row], blocks: Mapping[Span, bytes], children: Mapping[str | None, Sequence[str]]
) -> Iterator[Message | Call]:
    for row in rows:
        if row.kind == "message":
            said = (row.role, row.channel, row.origin, row.text, row.occurred_at, row.is_nested)
            yield Message(*said, row.is_abandoned, row.span)
        else:
            yield _call(row, blocks, tuple(children.get(row.call_key, ())))


def _call(row: _Row, blocks: Mapping[Span, bytes], children: tuple[str, ...]) -> Call:
    given = call_input(blocks[row.span])
    if given is None:
        given = {key: value for key, value in (("path", row.path), ("command", row.command)) if value}
    answer = None
    if row.answer_span is not None:
        answer = answer_text(blocks[row.answer_span])
        answer = row.result_excerpt if answer is None else answer
    return Call(
        row.call_key,
        row.name,
        given,
        row.path,
        row.command,
        row.writes,
        answer,
        row.is_error,
        row.exit_code,
        row.occurred_at,
        row.answered_at,
        row.is_nested,
        row.parent_call,
        row.is_abandoned,
        row.span,
        row.answer_span,
        children,
    )


def source_bytes(reader: Reader, session: str) -> bytes:
    """The transcript of a session, byte for byte: the host's own files, else the largest recording of a checkpoint.

    Raises:
        NotFound: The store has no transcript of it.
    """
    params = {"session": session}
    documents = reader.rows(sql.load("queries", "sql/transcript_documents.sql"), params)
    if not documents:
        raise NotFound(f"the store has no transcript of session {session}")
    return b"".join(reader.document(document) for (document,) in documents)
