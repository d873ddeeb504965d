"""Turning documents into batches: their bytes, their events, and what is read out of them."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import orjson

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.pipeline import Pipeline
from loaders.base import Source, SourceReport
from loaders.entire.metadata import Place, add_checkpoint, add_session
from loaders.entire.plan import Document
from loaders.transcripts import reading
from loaders.transcripts.memory import Memories
from loaders.transcripts.reading import FORMATS, Memory
from loaders.transcripts.records import Sink, Stream
from loaders.transcripts.sniff import sniff

__all__ = ["RECORD_ROLES", "Writer", "stream_of"]

RECORD_ROLES = frozenset({"transcript", "fallback_transcript", "task_transcript", "prompt"})
"""Roles of documents whose records are read."""

_FLUSH = 128 << 20
_READING = "reading"


def stream_of(document: Document) -> Stream:
    """Stream that a document's records belong to."""
    return Stream(document.session_key or "", document.file.task or "")


def _ignore(value: dict[str, Any], sink: Sink) -> None:
    """Parser of records that are kept and not read."""


def _count_lines(data: bytes) -> int:
    return data.count(b"\n") + bool(data and not data.endswith(b"\n"))


class Writer:
    """Collects documents in batches and admits each when it holds 128 MiB of new bytes.

    Until `finish`, the cursor's position is ``reading``, so that a refresh that was cut short is taken up again.

    Args:
        source: The source.
        pipeline: Where batches go.
        generation: Generation of the source that the refresh started from.
        memories: What the streams of the documents to come have had already.
        report: Counts what is done.
    """

    def __init__(
        self,
        source: Source,
        pipeline: Pipeline,
        generation: int,
        memories: Memories,
        report: SourceReport,
    ) -> None:
        self._source = source
        self._pipeline = pipeline
        self._generation = generation
        self._memories = memories
        self._report = report
        self._batch = self._new_batch()
        self._new_bytes = 0

    def add(self, document: Document, data: bytes | None) -> None:
        """Add a document with its bytes; None for one with a problem."""
        file = document.file
        format_name, line_count = (None, None) if data is None else self._store_content(document, data)
        self._batch.event(
            "document",
            document.event_key,
            self._evidence(file.evidence),
            subject=document.document_id,
            document_id=document.document_id,
            path=file.path,
            content_id=file.oid,
            role=document.role,
            format=format_name,
            checkpoint_key=file.checkpoint_key,
            session_index=file.session_index,
            session_key=document.session_key,
            parent_call=file.task,
            chunk=file.chunk,
            byte_count=None if data is None else len(data),
            line_count=line_count,
            ends_with_newline=None if data is None else data.endswith(b"\n"),
            is_missing=data is None,
        )
        if document.problem is not None:
            detail = f"blob {file.oid} cannot be read"
            self._fault(document, document.problem, detail, self._evidence(file.evidence))
        if self._new_bytes >= _FLUSH:
            self.flush()

    def flush(self) -> None:
        """Hand over what was collected."""
        self._pipeline.admit(self._batch)
        self._batch = self._new_batch()
        self._new_bytes = 0

    def finish(self, position: str, changes: list[tuple[str, str, str]]) -> None:
        """Admit the changes of presence and move the cursor to the position that was read.

        Args:
            position: Lines of object id and name of the references that were read.
            changes: Event id, kind and state of each event that left its source or returned.
        """
        batch = self._batch
        batch.position = position
        batch.content_digest = hashlib.sha256(position.encode()).hexdigest()
        batch.generation += bool(changes)
        span = self._evidence(position.encode()) if changes else None
        for event_id, kind, state in changes:
            batch.event(
                "tombstone",
                (event_id, state, str(batch.generation)),
                span,
                subject=event_id,
                target_event_id=event_id,
                target_kind=kind,
                state=state,
                generation=batch.generation,
                reason="the checkpoints no longer hold it"
                if state == "withdrawn"
                else "the checkpoints hold it again",
            )
        self.flush()

    def _new_batch(self) -> Batch:
        return Batch(self._source.source_id, None, self._generation, _READING)

    def _evidence(self, data: bytes) -> Span:
        return Span(self._batch.segment(data), 0, len(data))

    def _fault(self, document: Document, kind: str, detail: str, span: Span) -> None:
        self._report.faults[kind] += 1
        reading.add_fault(self._batch, document.event_id, kind, document.file.path, detail, span)

    def _store_content(self, document: Document, data: bytes) -> tuple[str | None, int]:
        """Store a document's bytes and read what it holds; its format and lines."""
        if document.role in RECORD_ROLES or document.role == "compact_transcript":
            return self._store_records(document, data)
        segment = reading.store_whole(self._batch, document.document_id, data)
        self._new_bytes += len(data)
        if document.role == "metadata":
            self._read_metadata(document, data, Span(segment, 0, len(data)))
        return None, _count_lines(data)

    def _store_records(self, document: Document, data: bytes) -> tuple[str | None, int]:
        name = "prompts" if document.role == "prompt" else sniff(data)
        if name is None:
            self._report.skipped["transcript of unknown format"] += bool(data)
            reading.store_whole(self._batch, document.document_id, data)
            self._new_bytes += len(data)
            return None, _count_lines(data)
        stream = stream_of(document)
        format_, memory = FORMATS[name], self._memories.of(stream, name)
        if document.role == "compact_transcript":
            format_, memory = replace(format_, parse=_ignore), Memory()
        work = reading.store_document(
            self._batch,
            reading.Document(document.document_id, document.event_id, document.file.path, stream),
            data,
            format_,
            memory,
        )
        self._new_bytes += work.new_bytes
        unit = "prompts" if name == "prompts" else "lines"
        self._report.read[unit] += work.lines
        self._report.read[f"{unit}_parsed"] += work.lines_parsed
        self._report.faults.update(work.faults)
        return name, work.lines if format_.is_lines else _count_lines(data)

    def _read_metadata(self, document: Document, data: bytes, span: Span) -> None:
        file = document.file
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            self._fault(document, "malformed_metadata", str(error), span)
            return
        if type(value) is not dict:
            self._fault(document, "malformed_metadata", "it is no JSON object", span)
            return
        repository_id = str(self._source.options["repository_id"])
        if file.is_root:
            place = Place(repository_id, file.checkpoint_key, None, None, span)
            add_checkpoint(self._batch, place, value, file.layout)
        if file.session_index is not None:
            key = document.session_key
            place = Place(repository_id, file.checkpoint_key, file.session_index, key, span)
            add_session(self._batch, place, value)
