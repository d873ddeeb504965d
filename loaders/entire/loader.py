"""Refresh of a source of checkpoints: the difference of two trees, never a walk over the branch's history.

The checkpoint branch is mutable: transcripts grow in place, checkpoints are deleted. What left is withdrawn by
tombstones in a new source generation, what came back is restored, and what is still there is not read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple

import orjson

from graphsvc.canonical.batch import Cursor
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import Repository
from loaders.base import Progress, Source, SourceReport, silent
from loaders.entire.layout import CHECKPOINT_BRANCH, File, find_files, find_tips
from loaders.entire.metadata import normalised, snake_case
from loaders.entire.plan import Document, SessionPlace, documents, session_place
from loaders.entire.writing import RECORD_ROLES, Writer, stream_of
from loaders.transcripts.memory import Memories
from loaders.transcripts.reading import FORMATS
from loaders.transcripts.values import text

__all__ = ["refresh"]


class _Known(NamedTuple):
    """A document that the store has; columns of ``entire_documents.sql``."""

    event_id: str
    path: str
    content_id: str
    role: str
    session_key: str | None
    is_missing: bool
    is_damaged: bool
    is_withdrawn: bool


def refresh(source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Bring the store up to the present checkpoints of a repository.

    Args:
        source: Its locator is the repository; options: ``repository_id`` and, for another checkpoint branch than
            ``entire/checkpoints/v1``, ``branch``.
        store: The store.
        progress: Called with the documents that are settled and all of them.

    Returns:
        What was done; ``read`` counts ``blobs``, ``bytes``, ``lines`` and ``lines_parsed``, ``prompts`` and
        ``prompts_parsed``.

    Raises:
        SourceUnavailable: The repository or one of its trees cannot be read.
        Conflict: Another writer refreshed the source meanwhile.
    """
    started = monotonic()
    report = SourceReport(source)
    with Repository.open(source.locator) as repository:
        branch = str(source.options.get("branch", CHECKPOINT_BRANCH))
        tips = find_tips(repository.references(), branch, report.skipped)
        if not tips:
            report.skipped["no checkpoint reference"] += 1
        position = "".join(f"{tip.oid} {tip.name}\n" for tip in tips)
        with store.read() as reader:
            cursor, known = store.cursor(source.source_id), _known(reader, source)
        if cursor is None or cursor.position != position or _has_arrived(repository, known):
            writing = _Refresh(repository, source, store, report, progress)
            writing.run(find_files(repository, tips, report.skipped), known, cursor, position)
    report.seconds = monotonic() - started
    return report


@dataclass(frozen=True, slots=True)
class _Refresh:
    """What a refresh works with."""

    repository: Repository
    source: Source
    store: CanonicalStore
    report: SourceReport
    progress: Progress

    def run(
        self, files: Sequence[File], known: Sequence[_Known], cursor: Cursor | None, position: str
    ) -> None:
        """Admit what ``files`` hold and the store does not know, then what has left or returned."""
        blobs = _Blobs(self.repository, self.report)
        sessions, contents = _sessions(blobs, files, known)
        is_readable = _Presence(self.repository, files, known)
        held = documents(self.source.source_id, files, sessions, is_readable)
        had = {row.event_id for row in known}
        # Copies of one transcript one after the other: what they share is then hashed once.
        new = sorted(
            (each for each in held if each.event_id not in had), key=lambda each: (stream_of(each), each.role)
        )
        settled = [document for document in held if document.event_id in had]
        memories = _memories(self.store, new)
        generation = cursor.generation if cursor else 1
        with Pipeline(self.store, cursor) as pipeline:
            writer = Writer(self.source, pipeline, generation, memories, self.report)
            for document, data in _contents(blobs, new, contents):
                writer.add(document, data)
                settled.append(document)
                self.progress("checkpoints", len(settled), len(held))
            changes = []
            if known:
                writer.flush()
                pipeline.wait()
                changes = _changes(self.store, self.source, settled)
            writer.finish(position, changes)
        self.report.admitted.update(pipeline.admitted)


def _known(reader: Reader, source: Source) -> list[_Known]:
    rows = reader.rows(load("loaders", "sql/entire_documents.sql"), {"source": source.source_id})
    return [_Known(*row) for row in rows]


def _has_arrived(repository: Repository, known: Sequence[_Known]) -> bool:
    """Whether bytes that were missing are there by now, as after a fetch; damaged ones wait for another tip."""
    missing = [row.content_id for row in known if row.is_missing and not (row.is_damaged or row.is_withdrawn)]
    return any(info is not None for info in repository.object_info(missing)) if missing else False


class _Blobs:
    """Reads blobs and counts them."""

    def __init__(self, repository: Repository, report: SourceReport) -> None:
        self._repository = repository
        self._report = report

    def read(self, oids: Sequence[str]) -> Iterator[bytes | None]:
        """Bytes of each blob, None for one that is missing."""
        if not oids:
            return
        with self._repository.batch() as reader:
            for found in reader.read(oids):
                if found is not None:
                    self._report.read["blobs"] += 1
                    self._report.read["bytes"] += len(found.data)
                yield found.data if found is not None else None


class _Presence:
    """Tells which files the repository has the bytes of; those that the store has need no look."""

    def __init__(self, repository: Repository, files: Sequence[File], known: Sequence[_Known]) -> None:
        had = {(row.path, row.content_id) for row in known if not row.is_missing}
        asked = list(dict.fromkeys(file.oid for file in files if (file.path, file.oid) not in had))
        infos = repository.object_info(asked) if asked else ()
        self._missing = {oid for oid, info in zip(asked, infos, strict=True) if info is None}

    def __call__(self, file: File) -> bool:
        return file.oid not in self._missing


def _sessions(
    blobs: _Blobs, files: Sequence[File], known: Sequence[_Known]
) -> tuple[dict[SessionPlace, str], dict[str, bytes]]:
    """Sessions that metadata and task files name, and the bytes of those that had to be read for it."""
    had = {
        (row.path, row.content_id): row.session_key
        for row in known
        if row.role in ("metadata", "task") and not row.is_missing
    }
    naming = [file for file in files if file.role in ("metadata", "task")]
    new = list(dict.fromkeys(file.oid for file in naming if (file.path, file.oid) not in had))
    contents = {oid: data for oid, data in zip(new, blobs.read(new), strict=True) if data is not None}
    sessions = {}
    for file in naming:
        known_key = had.get((file.path, file.oid))
        session = known_key or _recorded_session(contents.get(file.oid, b""))
        if session and (file.session_index is not None or file.task):
            sessions[session_place(file)] = session
    return sessions, contents


def _recorded_session(data: bytes) -> str | None:
    """Normalised id of the session that a metadata or task file names."""
    try:
        raw = text(snake_case(orjson.loads(data)).get("session_id"))
    except orjson.JSONDecodeError:
        return None
    return normalised(raw) if raw else None


def _memories(store: CanonicalStore, new: Sequence[Document]) -> Memories:
    streams = {stream_of(document) for document in new if document.role in RECORD_ROLES}
    return Memories(store, sorted(streams), FORMATS)


def _contents(
    blobs: _Blobs, new: Sequence[Document], contents: dict[str, bytes]
) -> Iterator[tuple[Document, bytes | None]]:
    """Each document with its bytes, None where there are none; ``contents`` are not read again."""
    asked = [each.file.oid for each in new if each.problem is None and each.file.oid not in contents]
    read = blobs.read(asked)
    for document in new:
        data = None
        if document.problem is None:
            oid = document.file.oid
            data = contents[oid] if oid in contents else next(read)
        if data is None and document.problem is None:
            document = replace(document, problem="damaged_blob")
        yield document, data


def _changes(store: CanonicalStore, source: Source, held: Sequence[Document]) -> list[tuple[str, str, str]]:
    """Events whose presence has changed, now that the store has all that the source holds."""
    import polars as pl

    frame = pl.DataFrame(
        [
            (each.event_id, each.document_id, each.file.checkpoint_key, each.file.session_index, each.role)
            for each in held
        ],
        schema={
            "event_id": pl.String,
            "document_id": pl.String,
            "checkpoint_key": pl.String,
            "session_index": pl.Int64,
            "role": pl.String,
        },
        orient="row",
    )
    sql = load("loaders", "sql/entire_presence.sql")
    with store.read() as reader:
        return [(*row,) for row in reader.rows(sql, {"source": source.source_id}, held=frame)]
