"""Read trust: what sessions of the pi host state of the files that they read.

A source is a folder of session files, or one of them. A session is kept whole, a line a segment, so that its trust
can be replayed at any of its leaves; what it trusts at the entry that it goes on from is kept as events too. Files
are never written, and no symbolic link is followed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.registry import Source
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput, Refused, SourceUnavailable
from graphsvc.ids import RepositoryId, document_id, project_id, session_id, source_id
from graphsvc.memory.trust.blocks import parse_block, parse_invalidation
from graphsvc.memory.trust.entries import Entry, EntryTree, parse_session
from graphsvc.memory.trust.replay import TrustSnapshot, snapshot
from loaders.base import Progress, SourceReport, silent

__all__ = ["MAX_FILE", "add_read_trust", "refresh"]

MAX_FILE = 256 * 1024 * 1024
"""Bytes of one session."""

_NO_PROJECT = project_id(RepositoryId(""))
"""Sessions of a host are about many projects."""


class _File(NamedTuple):
    """A session file: its name below the source's folder, and its digest and bytes, or why it is refused."""

    name: str
    digest: str
    data: bytes
    refusal: Refused | None


def add_read_trust(store: CanonicalStore, path: Path, *, name: str | None = None) -> Source:
    """Register sessions of the pi host.

    Args:
        store: The store that is to read them.
        path: Their folder, for example ``~/.pi/agent/sessions``, or one session file.
        name: Name for people; the folder's name where none is given.

    Raises:
        SourceUnavailable: There is nothing.
        InvalidInput: Another source has that name.
    """
    path = Path(os.path.abspath(path))  # links are kept, to be refused
    if not path.exists():
        raise SourceUnavailable(f"there is no {path}")
    label = name or path.name
    identity = source_id("readtrust", store.marker.store_id, label)
    taken = [source for source in store.sources() if source.name == label and source.source_id != identity]
    if taken:
        raise InvalidInput(f"a source is called {label!r} already", hint="choose another --name")
    source = Source(identity, "readtrust", _NO_PROJECT, label, str(path), {})
    store.register(source)
    return source


def refresh(source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Bring the store up to date with the sessions of a source.

    Args:
        source: Its locator is a folder of sessions, or one session file.
        store: The store.
        progress: Called with the sessions read and those there are.

    Returns:
        What was done; ``read`` counts the ``sessions`` and ``bytes`` that are new.

    Raises:
        SourceUnavailable: There is nothing where the sessions were.
        Conflict: Another process refreshed the source meanwhile.
    """
    begun, report = monotonic(), SourceReport(source)
    files = list(_files(Path(source.locator)))
    listing = "".join(f"{file.digest} {file.name}\n" for file in files).encode()
    digest = hashlib.sha256(listing).hexdigest()
    cursor = store.cursor(source.source_id)
    if cursor is None or cursor.content_digest != digest:
        with store.read() as reader:
            rows = reader.rows(load("loaders", "sql/readtrust_documents.sql"), {"source": source.source_id})
        known = {row[1]: (row[0], row[2]) for row in rows}
        batch = Batch(
            source.source_id, cursor, cursor.generation if cursor else 1, "sessions", content_digest=digest
        )
        held: set[str] = set()
        for done, file in enumerate(files, 1):
            identity = document_id(source.source_id, file.name, file.digest)
            held.add(identity)
            if identity not in known:
                _Session(batch, file, identity, report).add()
            progress("sessions", done, len(files))
        changes = [
            (event_id, "restored" if identity in held else "withdrawn")
            for identity, (event_id, is_withdrawn) in known.items()
            if (identity in held) == is_withdrawn
        ]
        _add_presence(batch, changes, listing)
        report.admitted.update(store.admit(batch).counts)
    report.seconds = monotonic() - begun
    return report


def _add_presence(batch: Batch, changes: list[tuple[str, str]], listing: bytes) -> None:
    batch.generation += bool(changes)
    for event_id, state in changes:
        batch.event(
            "tombstone",
            (event_id, state, str(batch.generation)),
            Span(batch.segment(listing), 0, len(listing)),
            subject=event_id,
            target_event_id=event_id,
            target_kind="document",
            state=state,
            generation=batch.generation,
            reason="the session has gone on, or left" if state == "withdrawn" else "the session is as it was",
        )


def _files(path: Path) -> Iterator[_File]:
    """Session files in order of their names; what is no regular file, or is too large, with the reason."""
    if not path.is_dir():
        yield _read(path, path.name)
        return
    found = []
    for folder, _, names in os.walk(path):
        found += [Path(folder, name) for name in names if name.endswith(".jsonl")]
    for file in sorted(found):
        yield _read(file, str(file.relative_to(path)).encode("utf-8", "backslashreplace").decode())


def _read(path: Path, name: str) -> _File:
    refusal, data = None, b""
    try:
        # Without O_NONBLOCK a named pipe would hold the reader for as long as nobody writes to it.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused("it is no regular file", reason="not_a_regular_file")
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            data = b""
            raise Refused(f"it has more than {MAX_FILE} bytes", reason="file_too_large")
    except FileNotFoundError as error:
        raise SourceUnavailable(f"there is no {path}") from error
    except OSError as error:
        refusal = Refused(f"it is no readable file: {error.strerror}", reason="not_a_regular_file")
    except Refused as error:
        refusal = error
    digest = hashlib.sha256(data).hexdigest() if refusal is None else refusal.reason
    return _File(name, digest, data, refusal)


class _Session:
    """Adds one version of a session to a batch."""

    def __init__(self, batch: Batch, file: _File, document: str, report: SourceReport) -> None:
        self._batch = batch
        self._file = file
        self._document = document
        self._report = report
        self._lines: list[Span] = []

    def add(self) -> None:
        """Add the session's bytes, what its reads state, and what it trusts now."""
        file = self._file
        if file.refusal is not None:
            self._fault(file.refusal.reason, file.name, file.refusal.message, None)
            return
        self._store_lines()
        self._report.read["sessions"] += 1
        self._report.read["bytes"] += len(file.data)
        try:
            tree = parse_session(file.data)
        except Refused as error:
            self._add_document(None)
            first = self._lines[0] if self._lines else None
            self._fault(error.reason, file.name, error.message, first)
            return
        self._add_document(tree.session)
        for fault in tree.faults:
            self._fault(fault.reason, f"{file.name}:{fault.line}", fault.reason, self._lines[fault.line - 1])
        for entry in tree.entries:
            self._add_entry(tree, entry)
        self._add_trust(tree, snapshot(tree, tree.current))

    def _store_lines(self) -> None:
        """Store each line, with its end, as a segment: a session that has grown brings only its new lines."""
        lines = self._file.data.split(b"\n")
        for number, line in enumerate(lines):
            is_last = number == len(lines) - 1
            segment = self._batch.segment(line + b"\n")
            self._lines.append(Span(segment, 0, len(line)))
            end = len(line) + (not is_last)
            if end:
                self._batch.part(self._document, number, Span(segment, 0, end))

    def _add_document(self, session: str | None) -> None:
        data = self._file.data
        self._batch.event(
            "document",
            (self._document,),
            self._lines[0],
            subject=self._document,
            document_id=self._document,
            path=self._file.name,
            content_id=self._file.digest,
            role="session_tree",
            format="pi",
            session_key=session,
            chunk=0,
            byte_count=len(data),
            line_count=data.count(b"\n") + bool(data and not data.endswith(b"\n")),
            ends_with_newline=data.endswith(b"\n"),
            is_missing=False,
        )

    def _fault(self, kind: str, location: str, detail: str, span: Span | None) -> None:
        self._report.faults[kind] += 1
        self._batch.fault(kind, location, detail, span)

    def _add_entry(self, tree: EntryTree, entry: Entry) -> None:
        span = self._lines[entry.line - 1]
        key = (tree.session, entry.id, span.segment)
        subject = session_id(tree.session)
        if (block := parse_block(entry)) is not None:
            self._batch.event(
                "read_trust_block",
                key,
                span,
                subject=subject,
                session_key=tree.session,
                entry_key=entry.id,
                path=block.path_key,
                lines=block.scope_key,
                mode=block.mode,
                served_hash=block.served_hash,
                base_hash=block.base_hash,
                total_lines=block.total_lines,
                first_line=block.first_line,
                last_line=block.last_line,
                shown_last=block.shown_last,
                byte_count=block.size,
            )
        elif (withdrawal := parse_invalidation(entry)) is not None:
            self._batch.event(
                "read_trust_invalidation",
                key,
                span,
                subject=subject,
                session_key=tree.session,
                entry_key=entry.id,
                path=withdrawal.path_key,
                lines=withdrawal.scope_key,
            )

    def _add_trust(self, tree: EntryTree, trusted: TrustSnapshot) -> None:
        makers = {
            step.seq: self._lines[tree.by_id[step.entry_id].line - 1]
            for step in trusted.steps
            if step.seq is not None
        }
        for path, scopes in trusted.trust.items():
            for lines, trust in scopes.items():
                self._batch.event(
                    "read_scope",
                    (self._document, path, lines),
                    makers[trust.seq],
                    subject=session_id(tree.session),
                    document_id=self._document,
                    session_key=tree.session,
                    leaf=tree.current,
                    cwd=tree.cwd,
                    path=path,
                    lines=lines,
                    served_hash=trust.hash,
                    is_seen=trusted.has_seen(path, lines),
                )
