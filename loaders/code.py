"""Code loader: symbols, references and imports of the tracked files of every indexed snapshot.

Work is per blob, language and extractor version: a blob that was extracted once is never parsed again, under
whatever path it returns. Files that are not parsed leave a ``source_file`` event that says why.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import Repository
from graphsvc.ids import file_id
from loaders.base import Progress, SourceReport
from loaders.detection import count_lines, fate, fate_unread
from loaders.extraction import Extraction
from loaders.extractions import EXTRACTOR, add_extraction
from loaders.workers import FILE_SECONDS, Failure, Job, Pool

__all__ = ["refresh"]

_BATCH_FILES = 500


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a snapshot that has not been seen yet: its path, blob, and tree entry's evidence."""

    path: str
    blob_oid: str
    entry: Span


def refresh(source: Source, store: CanonicalStore, progress: Progress) -> SourceReport:
    """Extract what the indexed snapshots hold and the store has not seen; see `loaders.base.Loader`."""
    report, begun = SourceReport(source), time.perf_counter()
    repository_id = source.options["repository_id"]
    params = {"repository": repository_id, "extractor": EXTRACTOR}
    with store.read() as reader:
        rows = reader.rows(sql.load("loaders", "sql/code_unread.sql"), params)
        extracted = _extracted(reader, params, [row[1] for row in rows]) if rows else set()
    files = [_File(path, blob, Span(segment, start, end)) for path, blob, segment, start, end in rows]
    if files:
        with Repository.open(Path(source.locator)) as repository, Pool(seconds=FILE_SECONDS) as pool:
            if {file.blob_oid for file in files} - {blob for blob, *_ in extracted}:
                pool.start()
            step = _Step(source, repository_id, report, extracted, pool)
            with Pipeline(store, store.cursor(source.source_id)) as pipeline:
                for done, some in _chunks(files):
                    progress("extract", done, len(files))
                    pipeline.admit(step.batch(repository, some))
            report.admitted.update(pipeline.admitted)
    report.seconds = time.perf_counter() - begun
    return report


def _extracted(reader: Reader, params: Mapping[str, str], blobs: list[str]) -> set[tuple[str, str, int]]:
    """Blobs among these that were extracted before: id, language, number of syntax errors."""
    import polars as pl

    wanted = pl.DataFrame({"blob_oid": blobs}, schema={"blob_oid": pl.String})
    rows = reader.rows(sql.load("loaders", "sql/code_extracted.sql"), params, wanted=wanted)
    return {(blob, language, errors) for blob, language, errors in rows}


def _chunks(files: list[_File]) -> Iterator[tuple[int, list[_File]]]:
    iterator, done = iter(files), 0
    while some := list(islice(iterator, _BATCH_FILES)):
        yield done, some
        done += len(some)


class _Step:
    """Turns files into batches, remembering across them what was extracted."""

    def __init__(
        self,
        source: Source,
        repository_id: str,
        report: SourceReport,
        extracted: set[tuple[str, str, int]],
        pool: Pool,
    ) -> None:
        self._source = source
        self._repository_id = repository_id
        self._report = report
        self._pool = pool
        self._errors = {(blob, language): errors for blob, language, errors in extracted}

    def batch(self, repository: Repository, files: list[_File]) -> Batch:
        """The events of some files, those that are not parsed included."""
        seen = hashlib.sha256(
            "\n".join(f"{file.path} {file.blob_oid}" for file in files).encode()
        ).hexdigest()
        batch = Batch(
            self._source.source_id,
            expected=None,
            position=f"{EXTRACTOR} {files[-1].path}",
            content_digest=seen,
        )
        waiting: list[tuple[_File, Span, Job]] = []
        for file, data in self._read(repository, self._worth_reading(repository, files, batch), batch):
            status, language, reason = fate(file.path, data)
            if status == "skipped":
                self._skip(batch, file, str(reason), language=language)
                continue
            whole = Span(batch.segment(data), 0, len(data))
            if status == "manifest":
                self._source_file(batch, file, whole, data, language=language, status=status)
            else:
                assert language is not None
                waiting.append((file, whole, Job(file.blob_oid, language, data)))
        self._extract(batch, waiting)
        return batch

    def _worth_reading(self, repository: Repository, files: list[_File], batch: Batch) -> Iterator[_File]:
        """The files whose path and size do not say already that they are not parsed."""
        for file, info in zip(files, repository.object_info(file.blob_oid for file in files), strict=True):
            known = fate_unread(file.path, info.size if info else None)
            if known is None:
                yield file
            else:
                self._skip(batch, file, str(known.reason), language=known.language)

    def _read(
        self, repository: Repository, files: Iterable[_File], batch: Batch
    ) -> Iterator[tuple[_File, bytes]]:
        """Files with their bytes; one whose blob the repository does not have is a fault."""
        wanted = list(files)
        with repository.batch() as objects:
            for file, found in zip(wanted, objects.read(file.blob_oid for file in wanted), strict=True):
                if found is None:
                    batch.fault("missing_blob", file.path, f"blob {file.blob_oid} cannot be read", file.entry)
                    self._report.faults["missing_blob"] += 1
                    self._skip(batch, file, "missing_blob")
                    continue
                self._report.read.update(blobs=1, bytes=len(found.data))
                yield file, found.data

    def _extract(self, batch: Batch, waiting: list[tuple[_File, Span, Job]]) -> None:
        """Parse what was not extracted before and add the events of all the waiting files."""
        new = {
            (job.key, job.language): job
            for _, _, job in waiting
            if (job.key, job.language) not in self._errors
        }
        results = dict(zip(new, (result for _, result in self._pool.run(new.values())), strict=True))
        evidence = {(job.key, job.language): span for _, span, job in waiting}
        for key, result in results.items():
            self._report.read.update(files_parsed=1)
            if isinstance(result, Extraction):
                add_extraction(batch, self._repository_id, key[0], evidence[key], result)
                self._errors[key] = result.errors
        for file, span, job in waiting:
            failure = results.get((job.key, job.language))
            if isinstance(failure, Failure):
                batch.fault(failure.reason, file.path, failure.detail, span)
                self._report.faults[failure.reason] += 1
                self._source_file(
                    batch, file, span, job.data, language=job.language, status="failed", reason=failure.reason
                )
            else:
                errors = self._errors[job.key, job.language]
                self._source_file(
                    batch,
                    file,
                    span,
                    job.data,
                    language=job.language,
                    status="partial" if errors else "parsed",
                    reason="syntax_errors" if errors else None,
                    error_count=errors,
                )

    def _skip(self, batch: Batch, file: _File, reason: str, *, language: str | None = None) -> None:
        self._report.skipped[reason] += 1
        self._source_file(batch, file, file.entry, None, language=language, status="skipped", reason=reason)

    def _source_file(
        self, batch: Batch, file: _File, evidence: Span, data: bytes | None, **columns: Any
    ) -> None:
        batch.event(
            "source_file",
            (self._repository_id, EXTRACTOR, file.path, file.blob_oid),
            evidence,
            subject=file_id(self._repository_id, file.path),
            repository_id=self._repository_id,
            path=file.path,
            blob_oid=file.blob_oid,
            extractor=EXTRACTOR,
            byte_count=None if data is None else len(data),
            line_count=None if data is None else count_lines(data),
            **columns,
        )
