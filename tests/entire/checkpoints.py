"""Invented checkpoints in Entire's layouts, and a store to load them into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import hash_object
from loaders.base import SourceReport
from loaders.entire import refresh
from tests.repositories import RepositoryBuilder
from tests.transcripts.ingestion import jsonl

__all__ = ["BRANCH", "FIRST", "SECOND", "Bank", "checkpoint", "root", "session", "talk"]

BRANCH = "entire/checkpoints/v1"
FIRST = "11111111-aaaa-4000-8000-000000000001"
SECOND = "22222222-bbbb-4000-8000-000000000002"


def talk(*texts: str, session: str = FIRST) -> bytes:
    """A Claude Code transcript of prompts, each with an answer."""
    records: list[dict[str, Any]] = []
    for number, text in enumerate(texts):
        envelope = {"sessionId": session, "cwd": "/p", "timestamp": f"2026-01-01T00:00:{number:02}.000Z"}
        answer = [{"type": "text", "text": f"on {text}"}]
        prompt = {"role": "user", "content": text}
        records += [
            {"type": "user", "uuid": f"{session[:8]}-u-{text}", **envelope, "message": prompt},
            {
                "type": "assistant",
                "uuid": f"{session[:8]}-a-{text}",
                **envelope,
                "message": {"role": "assistant", "id": f"msg_{text}", "content": answer},
            },
        ]
    return jsonl(*records)


def root(key: str, count: int = 1, **fields: Any) -> bytes:
    """A checkpoint's metadata that lists as many sessions."""
    paths = [{"metadata": f"/{key[:2]}/{key[2:]}/{index}/metadata.json"} for index in range(count)]
    said = {
        "checkpoint_id": key,
        "strategy": "manual-commit",
        "checkpoints_count": 1,
        "files_touched": ["a.py"],
        "sessions": paths,
        "token_usage": {"input_tokens": 1, "output_tokens": 2, "api_call_count": 1},
        **fields,
    }
    return json.dumps(said, indent=2).encode()


def session(key: str, session_id: str = FIRST, **fields: Any) -> bytes:
    """A session's metadata."""
    said = {
        "checkpoint_id": key,
        "session_id": session_id,
        "strategy": "manual-commit",
        "created_at": "2026-01-01T01:00:00.123456789+01:00",
        "checkpoints_count": 1,
        "files_touched": ["a.py"],
        "agent": "Claude Code",
        **fields,
    }
    return json.dumps(said, indent=2).encode()


def checkpoint(
    key: str, folders: Mapping[int, Mapping[str, bytes]], **fields: Any
) -> dict[str | bytes, bytes]:
    """Files of a checkpoint in the branch layout, by path; ``folders`` are its sessions by index."""
    top = f"{key[:2]}/{key[2:]}"
    files: dict[str | bytes, bytes] = {f"{top}/metadata.json": root(key, len(folders), **fields)}
    for index, members in folders.items():
        files |= {f"{top}/{index}/{name}": data for name, data in members.items()}
    return files


class Bank:
    """A repository with checkpoints and a store that reads them."""

    def __init__(self, folder: Path) -> None:
        self.repository = RepositoryBuilder(folder / "repository", bare=True)
        self.store = CanonicalStore.create(folder / "store")
        self.options: dict[str, Any] = {"repository_id": "repository_test"}

    def put(self, files: Mapping[str | bytes, bytes], branch: str = BRANCH) -> str:
        """Make ``files`` all that a branch holds; the commit."""
        return self.repository.orphan_branch(branch, files, "Checkpoint")

    def refresh(self) -> SourceReport:
        """Load what is there now."""
        source = Source(
            "source_test", "entire", "project_test", "test", str(self.repository.path), self.options
        )
        return refresh(source, self.store)

    def load(self, files: Mapping[str | bytes, bytes], branch: str = BRANCH) -> SourceReport:
        """Put and refresh."""
        self.put(files, branch)
        return self.refresh()

    def rows(self, sql: str) -> list[Any]:
        """Rows of a query; bare values where there is only one column."""
        with self.store.read() as reader:
            found = reader.rows(sql)
        return [row[0] if len(row) == 1 else row for row in found]

    def rebuilt(self) -> dict[str, str]:
        """Blob id of each present document by path, computed from its rebuilt bytes."""
        documents = self.rows(
            "SELECT path, document_id FROM present_document WHERE NOT is_missing AND byte_count > 0"
        )
        with self.store.read() as reader:
            return {path: hash_object(reader.document(identity)) for path, identity in documents}

    def content(self, *kinds: str) -> dict[str, set[tuple[str, ...]]]:
        """All present events of each kind, without their place in the store's order."""
        with self.store.read() as reader:
            return {
                kind: {
                    tuple(map(str, row))
                    for row in reader.rows(
                        f'SELECT * EXCLUDE (seq) FROM "{kind}" ANTI JOIN withdrawn USING (event_id)'
                    )
                }
                for kind in kinds
            }
