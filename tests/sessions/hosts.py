"""Invented sessions in the true formats of their hosts, and a store that reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphsvc.knowledge import KnowledgeBase
from loaders.base import SourceReport
from loaders.rebuild import loader_of
from tests.transcripts.ingestion import jsonl

__all__ = ["FIRST", "SECOND", "Machine", "claude"]

FIRST = "11111111-1111-4111-8111-111111111111"
SECOND = "22222222-2222-4222-8222-222222222222"


def claude(number: int, kind: str = "user", session: str = FIRST, **fields: Any) -> dict[str, Any]:
    """Record ``number`` of a Claude Code session: a prompt, or with ``kind`` assistant a model's text."""
    content: Any = f"prompt {number}"
    message = {"role": kind, "content": content}
    if kind == "assistant":
        usage = {"input_tokens": 10, "output_tokens": number, "cache_read_input_tokens": 100}
        message = {
            "role": kind,
            "id": f"msg_{number}",
            "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": f"answer {number}"}],
            "usage": usage,
        }
    record = {
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "isSidechain": False,
        "cwd": "/home/ada/tally",
        "sessionId": session,
        "version": "2.0.0",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": f"u{number}",
        "timestamp": f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}.000Z",
    }
    return record | fields


class Machine:
    """A folder with a host's files, and a store with it as a source."""

    def __init__(self, folder: Path, host: str) -> None:
        self.root = folder / host
        self.root.mkdir(parents=True, exist_ok=True)
        store = folder / "store"
        self.kb = KnowledgeBase.open(store) if store.exists() else KnowledgeBase.init(store)
        self.host = host
        self.ticks = 0
        self._now = 1_767_225_600

    def write(self, path: str, *records: dict[str, Any] | bytes) -> Path:
        """Make a file of lines, or of bytes as they are."""
        data = b"".join(each if isinstance(each, bytes) else jsonl(each) for each in records)
        return self._put(path, data)

    def append(self, path: str, *records: dict[str, Any] | bytes) -> None:
        """Let a file grow."""
        before = (self.root / path).read_bytes()
        self.write(path, before, *records)

    def _put(self, path: str, data: bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        self._now += 1
        os.utime(file, (self._now, self._now))
        return file

    def refresh(self, fields: Mapping[str, Any] | None = None) -> SourceReport:
        """Read what is new."""
        [source] = self.kb.add_sessions(self.host, self.root, name=self.host, fields=fields)
        return loader_of(source).refresh(source, self.kb.store, lambda *_: None)

    def rows(self, sql: str) -> list[Any]:
        """Rows of a query; bare values where there is only one column."""
        with self.kb.store.read() as reader:
            found = reader.rows(sql)
        return [row[0] if len(row) == 1 else row for row in found]

    def rebuilt(self) -> dict[str, bytes]:
        """Bytes of each file that the store has, by path, from its documents that are in force."""
        with self.kb.store.read() as reader:
            documents = reader.rows("SELECT path, document_id FROM present_document ORDER BY path, chunk")
            files: dict[str, bytes] = {}
            for path, document in documents:
                files[path] = files.get(path, b"") + reader.document(document)
        return files
