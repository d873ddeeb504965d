"""Reading invented transcripts into a batch, and looking at what came of them."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from graphsvc.canonical.batch import Batch
from loaders.transcripts.reading import FORMATS, Document, Memory, Work, store_document
from loaders.transcripts.records import Stream
from loaders.transcripts.sniff import sniff

__all__ = ["Ingestion", "jsonl"]


def jsonl(*records: dict[str, Any]) -> bytes:
    """Records as hosts write them: compact JSON, one a line."""
    return b"".join(
        json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for record in records
    )


class Ingestion:
    """Documents read into one batch, with a memory for each stream, as a loader has it."""

    def __init__(self) -> None:
        self.batch = Batch("source_test", expected=None)
        self._memories: defaultdict[tuple[Stream, str], Memory] = defaultdict(Memory)

    def read(
        self, data: bytes, *, path: str = "full.jsonl", session: str = "session-1", parent_call: str = ""
    ) -> Work:
        """Read a document; its path is its identity too."""
        name = sniff(data)
        assert name is not None
        stream = Stream(session, parent_call)
        document = Document(path, f"event of {path}", path, stream)
        return store_document(self.batch, document, data, FORMATS[name], self._memories[stream, name])

    def rows(self, kind: str, *columns: str) -> list[Any]:
        """Columns of a kind's events in order; bare values where there is only one column."""
        frames = self.batch.frames()
        if kind not in frames:
            return []
        found = frames[kind].select(columns).rows()
        return [row[0] for row in found] if len(columns) == 1 else found

    def evidence(self, kind: str) -> list[bytes]:
        """Bytes that each event of a kind rests on."""
        return [
            self.batch.segments[segment][start:end]
            for segment, start, end in self.rows(kind, "segment", "start_byte", "end_byte")
        ]

    def rebuilt(self, path: str = "full.jsonl") -> bytes:
        """A document from its parts."""
        parts = self.batch.parts_frame().filter(document_id=path).sort("ordinal")
        return b"".join(
            self.batch.segments[segment][start:end]
            for segment, start, end in parts.select("segment", "start_byte", "end_byte").rows()
        )

    def event_ids(self) -> dict[str, set[str]]:
        """Ids of all events but faults, which are about one document, per kind."""
        return {
            kind: set(frame["event_id"]) for kind, frame in self.batch.frames().items() if kind != "fault"
        }
