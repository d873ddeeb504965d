"""What the loaders of all hosts share: reading what is new in their files, and noticing what left.

A file of lines is stored as documents that continue each other, its chunks: what one refresh found new, at most
`CHUNK` bytes each, so that memory does not grow with the file. A file continues only from the chunks whose bytes are
still the same; from the first that differs, the file is read anew, and the old chunks are withdrawn. A last line
without a newline is a chunk of its own, since it may still be being written. Any other document is read whole, and a
new version replaces the old one.

A file that its host deleted is kept: agents delete their transcripts after some weeks, and nothing takes their place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, NamedTuple

import orjson

from graphsvc.canonical.batch import Batch, Cursor, Span
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.ids import derive, document_id, session_id
from loaders.base import Progress, Source, SourceReport, silent
from loaders.sessions.files import Found
from loaders.sessions.identity import Identity, identify
from loaders.sessions.places import add_workplaces
from loaders.transcripts import generic
from loaders.transcripts.memory import Memories
from loaders.transcripts.reading import FORMATS, Document, Format, Memory, store_document, store_whole
from loaders.transcripts.records import Stream
from loaders.transcripts.recovery import recover
from loaders.transcripts.sniff import sniff
from loaders.transcripts.values import mapping

__all__ = ["CHUNK", "FLUSH", "MAX_DOCUMENT", "Host"]

CHUNK = 4 << 20
"""Most bytes of a file of lines that are read at once, but for a longer line."""

MAX_DOCUMENT = 512 << 20
"""Most bytes of a line, and of a document that has to be read whole."""

FLUSH = 4 << 20
"""New bytes after which a batch is admitted."""

_HEAD = 1 << 20
_RECORDS = 20
_READING = "reading"


@dataclass(frozen=True, slots=True)
class Host:
    """A host of agents, and the loader of its sessions.

    Attributes:
        name: Name on the command line.
        agent: Name for people, as checkpoints write it.
        places: Where the host keeps sessions, relative to the home directory.
        find: The transcripts at or below a folder, in a fixed order.
        format_name: Format that its files have whatever they look like; None where it is told by content.
    """

    name: str
    agent: str
    places: tuple[str, ...]
    find: Callable[[Path], Iterable[Found]]
    format_name: str | None = None

    def refresh(self, source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
        """Bring the store up to what the host's files hold now.

        Args:
            source: Its locator is the folder or file; option ``fields``: the mapping of `loaders.transcripts.generic`.
            store: The store.
            progress: Called with the files that are settled and all of them.

        Returns:
            What was done; ``read`` counts ``files``, ``bytes``, ``lines`` and ``lines_parsed``.

        Raises:
            SourceUnavailable: The folder is not there.
            Conflict: Another writer refreshed the source meanwhile.
        """
        started = monotonic()
        report = SourceReport(source)
        found = list(self.find(Path(source.locator)))
        position = _position(found)
        cursor = store.cursor(source.source_id)
        if cursor is None or cursor.position != position:
            _Refresh(self, source, store, report, cursor).run(found, position, progress)
        report.seconds = monotonic() - started
        return report


def _position(found: Iterable[Found]) -> str:
    """Digest of all that the file system says."""
    digest = hashlib.sha256()
    for each in found:
        digest.update(
            f"{each.path}\x1f{each.size}\x1f{each.modified_at}\x1e".encode("utf-8", "surrogatepass")
        )
    return digest.hexdigest()


class _Known(NamedTuple):
    """A document that the store has; columns of ``session_documents.sql``."""

    event_id: str
    document_id: str
    path: str
    chunk: int
    content_id: str
    byte_count: int
    line_count: int
    modified_at: int | None
    role: str
    format: str | None
    session_key: str
    ends_with_newline: bool
    state: str


@dataclass(slots=True)
class _File:
    """A file that is being read.

    Attributes:
        found: Where it is.
        identity: Its session.
        format: How it is read; None for one that is only kept.
        memory: What the stream of its records has had, where that saves reading them again.
        chunk: Number of the next chunk.
        records: Records before that.
        offset: Bytes before that.
        here: How often the chunks before hold each segment.
    """

    found: Found
    identity: Identity
    format: Format | None
    memory: Memory
    chunk: int = 0
    records: int = 0
    offset: int = 0
    here: dict[str, int] = field(default_factory=dict)


class _Refresh:
    """One refresh of one source."""

    def __init__(
        self, host: Host, source: Source, store: CanonicalStore, report: SourceReport, cursor: Cursor | None
    ) -> None:
        self._host = host
        self._source = source
        self._store = store
        self._report = report
        self._cursor = cursor
        self._generation = cursor.generation if cursor else 1
        self._fields = {**generic.MAPPING, **source.options.get("fields", {})}
        self._held: set[str] = set()
        self._known: dict[str, list[_Known]] = {}
        self._had: dict[str, _Known] = {}
        self._batch = self._new_batch()

    def run(self, found: Sequence[Found], position: str, progress: Progress) -> None:
        """Read what is new, then say what left or returned."""
        with self._store.read() as reader:
            rows = reader.rows(
                load("loaders", "sql/session_documents.sql"), {"source": self._source.source_id}
            )
        for row in rows:
            known = _Known(*row)
            self._had[known.event_id] = known
            if known.state != "withdrawn":
                self._known.setdefault(known.path, []).append(known)
        with Pipeline(self._store, self._cursor) as pipeline:
            for done, each in enumerate(found, 1):
                try:
                    self._settle(each, pipeline)
                except OSError as error:
                    self._unreadable(each, error)
                progress("sessions", done, len(found))
            self._flush(pipeline)
            pipeline.wait()
            self._finish({each.path for each in found}, position)
            pipeline.admit(self._batch)
        self._report.admitted.update(pipeline.admitted)

    def _settle(self, found: Found, pipeline: Pipeline) -> None:
        chunks = self._known.get(found.path, [])
        size = sum(chunk.byte_count for chunk in chunks)
        is_same = bool(chunks) and chunks[-1].modified_at == found.modified_at
        if is_same and found.size in (None, size):
            self._held.update(chunk.event_id for chunk in chunks)
            return
        self._report.read["files"] += 1
        with found.open() as stream:
            head = stream.read(_HEAD)
            stream.seek(0)
            name = self._host.format_name or sniff(head)
            if found.role != "metadata" and name is not None and FORMATS[name].is_lines:
                self._continue(found, name, head, stream, chunks, pipeline)
            else:
                self._replace(found, name, stream, pipeline)

    def _continue(
        self,
        found: Found,
        name: str,
        head: bytes,
        stream: BinaryIO,
        chunks: Sequence[_Known],
        pipeline: Pipeline,
    ) -> None:
        """Read a file of lines from the end of what it still has in common with the store."""
        same = _common(stream, chunks)
        identity = self._identity(found, name, head)
        if same:
            identity = identity._replace(session_key=same[0].session_key)
        file = _File(found, identity, self._format(name), Memory(), here=self._occurrences(same))
        for chunk in same:
            self._held.add(chunk.event_id)
            file.chunk, file.records = file.chunk + 1, file.records + chunk.line_count
            file.offset += chunk.byte_count
        stream.seek(file.offset)
        for data in _chunks(stream):
            file.memory = Memory()  # what lies before is counted in ``here``
            self._add(file, data)
            if self._batch.byte_count >= FLUSH:
                self._flush(pipeline)

    def _replace(self, found: Found, name: str | None, stream: BinaryIO, pipeline: Pipeline) -> None:
        """Read a document that is not made of lines."""
        data = stream.read(MAX_DOCUMENT + 1)
        if len(data) > MAX_DOCUMENT:
            raise OSError(f"it has more than {MAX_DOCUMENT} bytes")
        name = self._host.format_name or sniff(data) if found.role != "metadata" else None
        if name is None and found.role == "transcript":
            self._report.skipped["transcript of unknown format"] += bool(data)
        identity = self._identity(found, name, data)
        memory = Memory()
        if name is not None:
            stream_of = Stream(identity.session_key)
            memory = Memories(self._store, [stream_of], [name]).of(stream_of, name)
        self._add(_File(found, identity, self._format(name) if name else None, memory), data)
        if self._batch.byte_count >= FLUSH:
            self._flush(pipeline)

    def _format(self, name: str) -> Format:
        if name == "generic":
            return replace(FORMATS[name], parse=partial(generic.parse, fields=self._fields))
        return FORMATS[name]

    def _identity(self, found: Found, name: str | None, head: bytes) -> Identity:
        return identify(name, found.path, list(_records(name, head)), self._fields)

    def _occurrences(self, chunks: Sequence[_Known]) -> dict[str, int]:
        import polars as pl

        if not chunks:
            return {}
        wanted = pl.DataFrame({"document_id": [chunk.document_id for chunk in chunks]})
        with self._store.read() as reader:
            return dict(reader.rows(load("loaders", "sql/session_segments.sql"), wanted=wanted))

    def _add(self, file: _File, data: bytes) -> None:
        """Add the next chunk of a file."""
        found, identity = file.found, file.identity
        content = hashlib.sha256(data).hexdigest()
        document = document_id(self._source.source_id, f"{found.path}\x1f{file.offset}", content)
        key = (document, identity.session_key, found.role)
        event = derive("event", "document", *key)
        self._report.read["bytes"] += len(data)
        lines = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
        if event not in self._had:
            self._store_content(file, document, event, data)
            self._batch.event(
                "document",
                key,
                Span(self._batch.segment(content.encode()), 0, len(content)),
                subject=document,
                occurred_at=found.modified_at,
                document_id=document,
                path=found.path,
                content_id=content,
                role=found.role,
                format=file.format.name if file.format else None,
                session_key=identity.session_key,
                chunk=file.chunk,
                byte_count=len(data),
                line_count=lines,
                ends_with_newline=data.endswith(b"\n"),
                is_missing=False,
            )
        elif file.format is not None:
            for segment, count in self._occurrences([self._had[event]]).items():
                file.here[segment] = file.here.get(segment, 0) + count
        self._held.add(event)
        file.chunk, file.records, file.offset = file.chunk + 1, file.records + lines, file.offset + len(data)

    def _store_content(self, file: _File, document: str, event: str, data: bytes) -> None:
        if file.format is None:
            store_whole(self._batch, document, data)
            return
        stream = Stream(file.identity.session_key)
        work = store_document(
            self._batch,
            Document(document, event, file.found.path, stream, file.records),
            data,
            file.format,
            file.memory,
            file.here,
        )
        self._report.read["lines"] += work.lines
        self._report.read["lines_parsed"] += work.lines_parsed
        self._report.faults.update(work.faults)
        if file.chunk == 0 and file.found.role == "transcript":
            self._state_session(file.identity, data)

    def _state_session(self, identity: Identity, data: bytes) -> None:
        """Say whose session it is and what it goes on from, by the first line."""
        line = data.partition(b"\n")[0]
        span = Span(self._batch.segment(line), 0, len(line))
        key = identity.session_key
        self._batch.event(
            "host_session",
            (key, identity.raw_id, self._host.agent),
            span,
            subject=session_id(key),
            session_key=key,
            raw_session_id=identity.raw_id,
            agent=self._host.agent,
            cwd=identity.cwd,
        )
        if identity.parent_key is not None:
            self._batch.event(
                "session_link",
                (key, identity.parent_key, str(identity.relation)),
                span,
                subject=session_id(key),
                session_key=key,
                child_key=key,
                parent_key=identity.parent_key,
                relation=identity.relation,
                call_key=identity.call_key,
            )

    def _unreadable(self, found: Found, error: OSError) -> None:
        """A file that cannot be read is a fault; what the store has of it stays as it was."""
        self._held.update(chunk.event_id for chunk in self._known.get(found.path, ()))
        self._report.faults["unreadable_file"] += 1
        self._batch.fault("unreadable_file", found.path, error.strerror or str(error))

    def _finish(self, paths: set[str], position: str) -> None:
        """Move the cursor, with a new generation where a document has changed its presence."""
        batch = self._batch
        add_workplaces(self._store, self._source, batch, self._report.skipped)
        changes = list(self._changes(paths))
        batch.generation += bool(changes)
        batch.position = batch.content_digest = position
        span = Span(batch.segment(position.encode()), 0, len(position)) if changes else None
        for event_id, kind, state, reason in changes:
            batch.event(
                "tombstone",
                (event_id, state, str(batch.generation)),
                span,
                subject=event_id,
                target_event_id=event_id,
                target_kind=kind,
                state=state,
                generation=batch.generation,
                reason=reason,
            )

    def _changes(self, paths: set[str]) -> Iterator[tuple[str, str, str, str]]:
        """Event id, kind, state and reason of each event whose presence has changed."""
        import polars as pl

        changed: dict[str, tuple[str, str]] = {}
        for known in self._had.values():
            if known.event_id in self._held:
                if known.state != "present":
                    changed[known.event_id] = "restored", "the file holds it again"
            elif known.state == "present":
                rewritten = "withdrawn", "the file was rewritten"
                deleted = "kept", "the file was deleted"
                changed[known.event_id] = rewritten if known.path in paths else deleted
            elif known.state == "kept" and known.path in paths:
                changed[known.event_id] = "withdrawn", "another file took its place"
        if not changed:
            return
        wanted = pl.DataFrame({"event_id": list(changed)})
        with self._store.read() as reader:
            faults = reader.rows(load("loaders", "sql/session_faults.sql"), wanted=wanted)
        for event_id, (state, reason) in sorted(changed.items()):
            yield event_id, "document", state, reason
        for event_id, subject in faults:
            yield event_id, "fault", *changed[subject]

    def _flush(self, pipeline: Pipeline) -> None:
        pipeline.admit(self._batch)
        self._batch = self._new_batch()

    def _new_batch(self) -> Batch:
        return Batch(self._source.source_id, None, self._generation, _READING)


def _common(stream: BinaryIO, chunks: Sequence[_Known]) -> list[_Known]:
    """The chunks, from the first on, whose bytes the file still has; an unterminated one may have grown."""
    same: list[_Known] = []
    for number, chunk in enumerate(chunks):
        data = stream.read(chunk.byte_count)
        if chunk.chunk != number or hashlib.sha256(data).hexdigest() != chunk.content_id:
            break
        if not chunk.ends_with_newline and stream.read(1):
            break
        same.append(chunk)
    return same


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """The rest of a file in chunks of whole lines, and a last line without a newline by itself."""
    rest = b""
    while data := stream.read(CHUNK):
        data = rest + data
        end = data.rfind(b"\n") + 1
        rest = data[end:]
        if len(rest) > MAX_DOCUMENT:
            raise OSError(f"it has a line of more than {MAX_DOCUMENT} bytes")
        if end:
            yield data[:end]
    if rest:
        yield rest


def _records(name: str | None, head: bytes) -> Iterator[dict[str, Any]]:
    """The first lines, or the document, as far as they are JSON objects."""
    if name is not None and FORMATS[name].is_lines:
        for line in head.split(b"\n", _RECORDS)[:_RECORDS]:
            for piece in recover(line)[0]:
                yield piece.value
    elif name is not None:
        with suppress(orjson.JSONDecodeError):
            yield mapping(orjson.loads(head))
