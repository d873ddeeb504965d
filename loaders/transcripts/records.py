"""From what a parser finds in a record to events.

The identity of such an event is its kind, the stream that it belongs to (a session, or a subagent of one), the
format, the segment and offset of its record, the occurrence of that record, and its place in the record. So the
same line gives the same events whichever copy of the transcript it was first met in.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical.batch import Batch, Span
from graphsvc.ids import SegmentId, SessionId, session_id
from loaders.transcripts.tools import ToolUse, describe
from loaders.transcripts.values import integer

__all__ = ["Record", "Sink", "Stream"]

_EXCERPT = 400
_EXIT_CODE = re.compile(
    r"\A(?:Error: )?Exit code:? (-?\d+)\b|^(?:Process exited with code|Exit Code:) (-?\d+)$", re.M
)
_EXIT_CODE_WITHIN = 400


class Stream(NamedTuple):
    """The sequence of records that a transcript belongs to.

    Attributes:
        session_key: Normalised session id.
        parent_call: Call that started the subagent whose transcript this is; empty for the session's own.
    """

    session_key: str
    parent_call: str = ""


class Record(NamedTuple):
    """One record and where its bytes lie.

    Attributes:
        value: The record, decoded.
        segment: Segment that holds it.
        data: The segment's bytes.
        start: First byte of the record in the segment.
        end: End of the record in the segment, exclusive.
        digest: SHA-256 of the record as a line of its own.
        occurrence: 0 for the first of identical records of its stream in one document.
    """

    value: dict[str, Any]
    segment: SegmentId
    data: bytes
    start: int
    end: int
    digest: str
    occurrence: int


class Sink:
    """Adds the events of one record after the other to a batch.

    A parser of a transcript calls `entry` first, then the others in the order of the record's blocks.

    Args:
        batch: Where events go.
        stream: Stream of the records.
        format_name: Transcript format.

    Attributes:
        session_key: Normalised id of the session.
        is_nested: The record is a subagent's.
    """

    def __init__(self, batch: Batch, stream: Stream, format_name: str) -> None:
        self._batch = batch
        self._stream = stream
        self._format = format_name
        self._subject: SessionId = session_id(stream.session_key)
        self._record: Record
        self._outer: Record
        self._whole: Span
        self._key: tuple[str, ...] = ()
        self._entry_key = ""
        self._occurred_at: int | None = None
        self._cwd: str | None = None
        self.session_key = stream.session_key
        self.is_nested = False

    def begin(self, record: Record) -> None:
        """Take up the next record."""
        self._record = self._outer = record
        self._whole = Span(record.segment, record.start, record.end)
        self._key = (*self._stream, self._format, record.segment, str(record.start), str(record.occurrence))
        self._entry_key = record.digest
        self._occurred_at = None
        self._cwd = None
        self.is_nested = self._stream.parent_call != ""

    def begin_within(self, source: Any) -> None:
        """Take up a record inside of the one last begun, whose bytes are found as for a block."""
        outer = self._outer
        self._record = outer
        self._whole = Span(outer.segment, outer.start, outer.end)
        span = self._span_of(source)
        digest = hashlib.sha256(outer.data[span.start : span.end] + b"\n").hexdigest()
        self.begin(outer._replace(value=source, start=span.start, end=span.end, digest=digest))
        self._outer = outer

    def entry(self, entry_key: str | None, occurred_at: int | None, **columns: Any) -> None:
        """Add the record itself; the columns are those of ``entry``.

        Args:
            entry_key: The format's own identifier of the record, None where it has none.
            occurred_at: The record's time, which its other events share.
        """
        self._entry_key = entry_key or self._record.digest
        self._occurred_at = occurred_at
        self._cwd = columns.get("cwd")
        if self.is_nested:
            columns["is_sidechain"] = True
        self.is_nested = columns.get("is_sidechain") is True
        self._add("entry", (), self._whole, format=self._format, **columns)

    def message(
        self, block: int, *, role: str, channel: str, origin: str, text: str, is_nested: bool = False
    ) -> None:
        """Add a text; ``block`` is its place among the record's blocks."""
        self._add(
            "message",
            (str(block),),
            self._whole,
            block=block,
            role=role,
            channel=channel,
            origin=origin,
            text=text,
            is_nested=is_nested or self.is_nested,
        )

    def tool_call(
        self,
        block: int,
        source: Any,
        *,
        call_key: str | None,
        name: str,
        given: Any,
        parent_call: str | None = None,
    ) -> str:
        """Add a tool call and the files that its input names.

        Args:
            block: Its place among the record's blocks.
            source: The block as decoded; its own bytes become the evidence where they are found.
            call_key: The host's id of the call; one is derived where it has none.
            name: The tool.
            given: The tool's input.
            parent_call: Call that runs the subagent which made this one.

        Returns:
            The call's key.
        """
        span = self._span_of(source)
        call_key = call_key or f"{self._record.digest[:16]}:{self._record.occurrence}:{block}"
        use: ToolUse = describe(name, given)
        self._add(
            "tool_call",
            (str(block),),
            span,
            call_key=call_key,
            parent_call=parent_call or self._stream.parent_call or None,
            name=name,
            path=use.path,
            command=use.command,
            description=use.description,
            writes=use.writes,
            is_nested=parent_call is not None or self.is_nested,
        )
        for origin, touches in (("tool_input", use.touches), ("command", use.commanded)):
            for path, access in touches:
                self.file_touch(block, span, call_key=call_key, path=path, access=access, origin=origin)
        return call_key

    def tool_result(
        self,
        block: int,
        source: Any,
        *,
        call_key: str | None,
        text: str,
        is_error: bool | None = None,
        exit_code: int | None = None,
        is_nested: bool = False,
        occurred_at: int | None = None,
    ) -> None:
        """Add a tool's answer; an exit code at the beginning of its text is read where none is given.

        ``occurred_at`` is its own time where the record has one besides that of the call.
        """
        if exit_code is None and (stated := _EXIT_CODE.search(text, 0, _EXIT_CODE_WITHIN)):
            exit_code = integer(int(stated[1] or stated[2]))
        self._add(
            "tool_result",
            (str(block),),
            self._span_of(source),
            call_key=call_key,
            is_error=is_error,
            exit_code=exit_code,
            byte_count=len(text) if text.isascii() else len(text.encode("utf-8")),
            excerpt=text[:_EXCERPT],
            is_nested=is_nested or self.is_nested,
            occurred_at=occurred_at,
        )

    def link(self, *, child_key: str, relation: str, call_key: str | None) -> None:
        """Add that a call of this session started another one."""
        self._add(
            "session_link",
            (child_key, relation),
            self._whole,
            child_key=child_key,
            parent_key=self.session_key,
            relation=relation,
            call_key=call_key,
        )

    def rewind(
        self,
        target_key: str | None = None,
        *,
        keeps_target: bool = False,
        turn_count: int | None = None,
        is_open: bool = False,
    ) -> None:
        """Add that the record takes back what was said before; the arguments are the columns of ``rewind``."""
        self._add(
            "rewind",
            (),
            self._whole,
            target_key=target_key,
            keeps_target=keeps_target,
            turn_count=turn_count,
            is_open=is_open,
        )

    def file_touch(
        self, block: int, span: Span | None, *, call_key: str | None, path: str, access: str, origin: str
    ) -> None:
        """Add a file that the record's block names; None for ``span`` means the whole record."""
        self._add(
            "file_touch",
            (str(block), path, access, origin),
            span or self._whole,
            call_key=call_key,
            path=path,
            cwd=self._cwd,
            access=access,
            origin=origin,
        )

    def token_usage(
        self, *, scope: str, message_key: str | None, model: str | None, **counts: int | None
    ) -> None:
        """Add token counts; the counts are the columns of ``token_usage``."""
        self._add(
            "token_usage", (scope,), self._whole, scope=scope, message_key=message_key, model=model, **counts
        )

    def _span_of(self, source: Any) -> Span:
        """Bytes of a block: hosts write JSON without blanks, so it is found as it would be written."""
        written = orjson.dumps(source)
        start = self._record.data.find(written, self._record.start, self._record.end)
        return self._whole if start < 0 else Span(self._record.segment, start, start + len(written))

    def _add(
        self,
        kind: str,
        place: tuple[str, ...],
        span: Span,
        *,
        occurred_at: int | None = None,
        **columns: Any,
    ) -> None:
        columns["session_key"] = self.session_key
        columns["entry_key"] = self._entry_key
        columns["occurrence"] = self._record.occurrence
        time = self._occurred_at if occurred_at is None else occurred_at
        self._batch.add(kind, (*self._key, *place), span, self._subject, time, columns)
