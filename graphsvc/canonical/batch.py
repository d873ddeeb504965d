"""What a loader hands to the store: segments, parts and events, collected in bulk.

A loader makes one `Batch` for a step of its source, fills it, and gives it to `CanonicalStore.admit`, which
commits all of it in one transaction or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.ids import EventId, SegmentId, derive, segment_id
from graphsvc.kinds import KINDS, LEDGER, Column

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Batch", "Cursor", "Span", "frame_of"]


def _schema(columns: tuple[Column, ...]) -> dict[str, Any]:
    """Polars schema of a frame with these columns; times are UTC without a zone."""
    import polars as pl

    types: dict[str, Any] = {
        "text": pl.String,
        "long_text": pl.String,
        "integer": pl.Int64,
        "number": pl.Float64,
        "flag": pl.Boolean,
        "time": pl.Datetime("us"),
        "texts": pl.List(pl.String),
        "bytes": pl.Binary,
    }
    return {column.name: types[column.type] for column in columns}


def frame_of(rows: Sequence[tuple[Any, ...]], columns: tuple[Column, ...]) -> pl.DataFrame:
    """Rows as a frame with these columns; a value of another type than its column's raises.

    Polars takes rows by columns in half the time that it takes them one by one, and turns no number into text then.
    """
    import polars as pl

    schema = _schema(columns)
    return pl.DataFrame([*map(list, zip(*rows, strict=True))] if rows else None, schema=schema, orient="col")


_NO_SPAN = (None, None, None)


class Span(NamedTuple):
    """Evidence: half-open byte offsets in a segment."""

    segment: SegmentId
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a source has been read.

    Attributes:
        source_id: The source.
        generation: Counts up when the source was rewritten, from 1.
        position: The loader's own position, as text.
        content_digest: Digest of what the source held at that position.
        seq_hi: Last seq admitted from the source, 0 before the first event.
    """

    source_id: str
    generation: int
    position: str
    content_digest: str
    seq_hi: int


@dataclass
class Batch:
    """Segments, parts and events of one step of one source.

    Args:
        source_id: The source.
        expected: The cursor that the loader started from, None for the first batch; admission fails with
            `Conflict` when the store has another by then.

    >>> batch = Batch("source_1", expected=None)
    >>> line = batch.segment(b'{"type":"summary"}' + bytes([10]))
    >>> event = batch.event("fault", ("a.jsonl", "1"), Span(line, 0, 18), subject="a.jsonl",
    ...                     fault_kind="malformed_line", location="a.jsonl:1", detail="cut off")
    >>> batch.event_count, batch.frames()["fault"].select("fault_kind", "end_byte").rows()
    (1, [('malformed_line', 18)])
    """

    source_id: str
    expected: Cursor | None
    generation: int = 1
    position: str = ""
    content_digest: str = ""
    segments: dict[SegmentId, bytes] = field(default_factory=dict)
    _parts: list[tuple[str, int, str, int, int]] = field(default_factory=list)
    _rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    _event_ids: set[EventId] = field(default_factory=set)

    def segment(self, data: bytes) -> SegmentId:
        """Add a segment and return its id; the same bytes are held once."""
        identity = segment_id(data)
        self.segments.setdefault(identity, data)
        return identity

    def part(self, document_id: str, ordinal: int, span: Span) -> None:
        """Add one part of a document; its segment must be in this batch or in the store."""
        self._parts.append((document_id, ordinal, *span))

    def event(
        self,
        kind: str,
        key: tuple[str, ...],
        span: Span | None,
        /,
        *,
        subject: str,
        occurred_at: int | None = None,
        **columns: Any,
    ) -> EventId:
        """Add one event; of several with one identity the first is kept.

        Args:
            kind: Name of a kind in `graphsvc.kinds`.
            key: What makes the statement unique within its kind: the source's identity for it, the digest of
                its content, and the ordinal of the occurrence where the source repeats itself.
            span: Its evidence; None only for a fault without bytes.
            subject: Identity of what it is about.
            occurred_at: UTC microseconds since 1970, None where the source has no time.
            columns: The kind's own columns; those left out are null. Times in UTC microseconds.

        Returns:
            The event's identity.

        Raises:
            TypeError: A column is not one of the kind's.
        """
        return self.add(kind, key, span, subject, occurred_at, columns)

    def add(
        self,
        kind: str,
        key: tuple[str, ...],
        span: Span | None,
        subject: str,
        occurred_at: int | None,
        columns: Mapping[str, Any],
    ) -> EventId:
        """`event` for those who have the kind's columns in a mapping, of which there is one a line of a transcript."""
        declared = KINDS[kind]
        if not columns.keys() <= declared.name_set:
            raise TypeError(
                f"kind {kind} has no column {', '.join(sorted(columns.keys() - declared.name_set))}"
            )
        identity = EventId(derive("event", kind, *key))
        if identity not in self._event_ids:
            self._event_ids.add(identity)
            envelope = (identity, self.source_id, subject, occurred_at, *(span or _NO_SPAN))
            self._rows.setdefault(kind, []).append((*envelope, *map(columns.get, declared.names)))
        return identity

    def fault(
        self, fault_kind: str, location: str, detail: str, span: Span | None = None, **more: Any
    ) -> None:
        """Add a fault; the same fault of the same bytes at the same place is one event."""
        content = f"{span.segment}:{span.start}-{span.end}" if span else ""
        self.event(
            "fault",
            (self.source_id, fault_kind, location, content),
            span,
            subject=location,
            fault_kind=fault_kind,
            location=location,
            detail=detail,
            **{"is_recovered": False, **more},
        )

    @property
    def event_count(self) -> int:
        """Events added so far."""
        return sum(map(len, self._rows.values()))

    @property
    def byte_count(self) -> int:
        """Bytes of the segments added so far."""
        return sum(map(len, self.segments.values()))

    def parts_frame(self) -> pl.DataFrame:
        """Parts as a frame: document_id, ordinal, segment, start_byte, end_byte."""
        return frame_of(self._parts, LEDGER["part"].columns)

    def frames(self) -> dict[str, pl.DataFrame]:
        """Events as one frame a kind, with the envelope's columns but seq.

        An event with a value that no column can hold, such as half of a surrogate pair, becomes a fault of the kind
        ``unstorable_value`` with the event's evidence: one record must not keep all others out.
        """
        frames = {}
        for kind in [*(kind for kind in self._rows if kind != "fault"), "fault"]:
            frames[kind], refused = _frame(kind, self._rows.get(kind, []))
            for row, reason in refused:
                self.fault(
                    "unstorable_value", f"{kind} {row[0]}", reason, Span(*row[4:7]) if row[4] else None
                )
        return {kind: frame for kind, frame in frames.items() if not frame.is_empty()}


def _frame(kind: str, rows: list[tuple[Any, ...]]) -> tuple[pl.DataFrame, list[tuple[tuple[Any, ...], str]]]:
    """Rows of a kind as a frame, and the rows that cannot be in one, each with the reason."""
    import polars as pl

    columns = KINDS[kind].all_columns[1:]
    try:
        return frame_of(rows, columns), []
    except (pl.exceptions.PolarsError, TypeError, UnicodeError, OverflowError) as error:
        if len(rows) == 1:
            return frame_of([], columns), [(rows[0], ascii(str(error)))]
    half = len(rows) // 2
    (first, refused), (second, refused_too) = _frame(kind, rows[:half]), _frame(kind, rows[half:])
    return pl.concat([first, second]), refused + refused_too
