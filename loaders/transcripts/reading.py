"""Reading a document into segments, parts and events, each record of a stream once.

A document of lines is stored as one segment a line, the line with its newline; a last line without one is stored
with it, and its part ends a byte earlier. So a line has the same segment in every copy of a transcript, whatever
was read before. Other documents are cut by their format.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical.batch import Batch, Span
from graphsvc.ids import SegmentId, segment_id
from loaders.transcripts import (
    claude,
    cline,
    codex,
    compact,
    copilot,
    cursor,
    documents,
    droid,
    gemini,
    generic,
    opencode,
    pi,
    prompts,
    unknown,
)
from loaders.transcripts.records import Record, Sink, Stream
from loaders.transcripts.recovery import Flaw, Piece, recover

__all__ = ["FORMATS", "Document", "Format", "Memory", "Work", "add_fault", "store_document", "store_whole"]


def lines(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Cut a document into lines, each with its newline; all of them are records."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield start, end, True
        start = end


@dataclass(frozen=True, slots=True)
class Format:
    """How documents of a format are cut and read.

    Attributes:
        name: Name, as `sniff.sniff` gives it.
        pieces: Cuts a document: start, end, and whether the piece is a record.
        decode: Decodes a record.
        parse: Adds the events of a decoded record.
        is_lines: Records are lines, so that a last one without a newline is a whole one.
    """

    name: str
    pieces: Callable[[bytes], Iterator[tuple[int, int, bool]]]
    decode: Callable[[bytes], Any]
    parse: Callable[[dict[str, Any], Sink], None]
    is_lines: bool = True


FORMATS = {
    format_.name: format_
    for format_ in (
        Format("claude", lines, orjson.loads, claude.parse),
        Format("codex", lines, orjson.loads, codex.parse),
        Format("compact", lines, orjson.loads, compact.parse),
        Format("jsonl", lines, orjson.loads, unknown.parse),
        Format("gemini_lines", lines, orjson.loads, gemini.parse_line),
        Format("pi", lines, orjson.loads, pi.parse),
        Format("droid", lines, orjson.loads, droid.parse),
        Format("droid_settings", documents.whole, orjson.loads, droid.parse_settings, is_lines=False),
        Format("copilot", lines, orjson.loads, copilot.parse),
        Format("cursor", lines, orjson.loads, cursor.parse_line),
        Format("generic", lines, orjson.loads, generic.parse),
        Format("cursor_bubbles", documents.pieces, orjson.loads, cursor.parse_bubble, is_lines=False),
        Format("cursor_chat", documents.pieces, orjson.loads, cursor.parse_chat, is_lines=False),
        Format("claude_export", documents.pieces, orjson.loads, claude.parse, is_lines=False),
        Format("codex_document", documents.pieces, orjson.loads, codex.parse, is_lines=False),
        Format("cline_screen", documents.pieces, orjson.loads, cline.parse_screen, is_lines=False),
        Format("opencode", documents.pieces, orjson.loads, opencode.parse, is_lines=False),
        Format("cline", documents.pieces, orjson.loads, cline.parse, is_lines=False),
        Format("gemini", documents.pieces, orjson.loads, gemini.parse, is_lines=False),
        Format("prompts", prompts.pieces, prompts.decode, prompts.parse, is_lines=False),
    )
}


class Document(NamedTuple):
    """A document whose bytes are to be stored.

    Attributes:
        document_id: Identity of its parts.
        event_id: Event that states it, which its faults are about.
        path: Path inside its source.
        stream: Stream of its records.
        records_before: Pieces of the file that lie before it, where it is the continuation of one.
    """

    document_id: str
    event_id: str
    path: str
    stream: Stream
    records_before: int = 0


@dataclass(slots=True)
class Work:
    """What storing a document took.

    Attributes:
        lines: Pieces that are records.
        lines_parsed: Those that were read.
        new_bytes: Bytes of segments that its stream had not had.
        faults: Faults, per kind.
    """

    lines: int = 0
    lines_parsed: int = 0
    new_bytes: int = 0
    faults: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Memory:
    """What a stream has had already, so that a record is read once.

    Attributes:
        occurrences: Per segment, the most that one document of the stream held of it.
        flaws: What was wrong in a segment, to be said again of every document that holds it.
    """

    occurrences: dict[str, int] = field(default_factory=dict)
    flaws: dict[str, list[Flaw]] = field(default_factory=dict)
    _document: bytes = b""
    _segments: dict[tuple[int, int], SegmentId] = field(default_factory=dict)

    def shared_with_last(self, data: bytes) -> tuple[int, Mapping[tuple[int, int], SegmentId]]:
        """How many bytes at its start a document shares with the last one, and segments of that one's pieces.

        A transcript is stored at each checkpoint, longer each time: what it begins with need not be hashed again.
        Only documents of which one begins with the other count.
        """
        if data.startswith(self._document):
            return len(self._document), self._segments
        return (len(data), self._segments) if self._document.startswith(data) else (0, {})

    def keep(self, data: bytes, segments: dict[tuple[int, int], SegmentId]) -> None:
        """Remember a document and its pieces, unless the last one begins with it."""
        if not self._document.startswith(data):
            self._document, self._segments = data, segments

    def forget_document(self) -> None:
        """Let go of the last document's bytes."""
        self._document, self._segments = b"", {}


def store_document(
    batch: Batch,
    document: Document,
    data: bytes,
    format_: Format,
    memory: Memory,
    here: dict[str, int] | None = None,
) -> Work:
    """Store a document, and read the records that its stream has not had yet.

    Args:
        batch: Where segments, parts, events and faults go.
        document: The document.
        data: Its bytes.
        format_: Its format.
        memory: What its stream has had; kept up to date.
        here: Of a document that goes on from others of one file, how often they hold each segment; kept up to date.
    """
    sink = Sink(batch, document.stream, format_.name)
    view, size = memoryview(data), len(data)
    unterminated = format_.is_lines and not data.endswith(b"\n")
    here = {} if here is None else here
    work = Work()
    shared, known = memory.shared_with_last(data)
    segments: dict[tuple[int, int], SegmentId] = {}
    for ordinal, (start, end, is_record) in enumerate(format_.pieces(data)):
        content: bytes | memoryview = view[start:end]
        if unterminated and end == size:
            content = bytes(content) + b"\n"
        segment = (known.get((start, end)) if end <= shared else None) or segment_id(content)
        segments[start, end] = segment
        batch.part(document.document_id, ordinal, Span(segment, 0, end - start))
        occurrence = here.get(segment, 0)
        here[segment] = occurrence + 1
        work.lines += is_record
        if occurrence >= memory.occurrences.get(segment, 0):
            memory.occurrences[segment] = occurrence + 1
            stored = bytes(content)
            if occurrence == 0:
                batch.segments.setdefault(segment, stored)
                work.new_bytes += len(stored)
            if is_record:
                work.lines_parsed += 1
                flaws = _read(stored, segment, occurrence, format_, sink)
                if flaws:
                    memory.flaws[segment] = flaws
        if segment in memory.flaws:
            for flaw in memory.flaws[segment]:
                work.faults[flaw.kind] += 1
                span = Span(segment, flaw.start, flaw.end)
                location = f"{document.path}:{document.records_before + ordinal + 1}"
                add_fault(batch, document.event_id, flaw.kind, location, flaw.detail, span, flaw.is_recovered)
    memory.keep(data, segments)
    return work


def store_whole(batch: Batch, document_id: str, data: bytes) -> SegmentId:
    """Store a document as one segment; an empty one has no parts."""
    segment = batch.segment(data)
    if data:
        batch.part(document_id, 0, Span(segment, 0, len(data)))
    return segment


def _read(stored: bytes, segment: SegmentId, occurrence: int, format_: Format, sink: Sink) -> list[Flaw]:
    """Read the record in a segment, or the records, and say what is wrong with it."""
    try:
        value = format_.decode(stored)
    except orjson.JSONDecodeError:
        value = None
    if type(value) is dict:
        end = len(stored.rstrip()) if format_.is_lines else len(stored)
        sink.begin(Record(value, segment, stored, 0, end, segment, occurrence))
        format_.parse(value, sink)
        return []
    pieces, flaws = recover(stored)
    for piece in pieces:
        sink.begin(_record(piece, stored, segment, occurrence))
        format_.parse(piece.value, sink)
    return flaws


def _record(piece: Piece, stored: bytes, segment: SegmentId, occurrence: int) -> Record:
    digest = hashlib.sha256(stored[piece.start : piece.end] + b"\n").hexdigest()
    return Record(piece.value, segment, stored, piece.start, piece.end, digest, occurrence)


def add_fault(
    batch: Batch,
    subject: str,
    kind: str,
    location: str,
    detail: str,
    span: Span,
    is_recovered: bool = False,
) -> None:
    """Add a fault of one version of a document, which its ``subject`` states."""
    batch.event(
        "fault",
        (subject, kind, location, span.segment, str(span.start)),
        span,
        subject=subject,
        fault_kind=kind,
        location=location,
        detail=detail,
        is_recovered=is_recovered,
    )
