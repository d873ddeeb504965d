"""Traces the edits that the store has and this source has not looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.ids import SegmentId, derive, session_id, source_id
from loaders.base import Progress, SourceReport, silent
from loaders.detection import language_of, skip_reason
from loaders.edits.texts import edits_of, ranges
from loaders.extraction import Extraction, Symbol
from loaders.extractions import EXTRACTOR
from loaders.transcripts.values import mapping
from loaders.workers import Failure, Job, extract_all

__all__ = ["NAME", "add_edits", "refresh"]

NAME = "edits"
"""Name of the source: a store has one of it at most."""

_AT_ONCE = 250
_FILE_SECONDS = 10.0


class _Answer(NamedTuple):
    """An answer to look at; columns of ``edits_untraced.sql``."""

    event_id: str
    session_key: str
    call_key: str
    occurrence: int
    format: str
    path: str | None
    segment: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """The record with the answer."""
        return Span(SegmentId(self.segment), self.start, self.end)


@dataclass(slots=True)
class _Traced:
    """What is known of one file of an answer."""

    answer: _Answer
    path: str | None
    language: str | None
    status: str
    symbols: Sequence[tuple[Symbol, bool]] = ()


def add_edits(store: CanonicalStore) -> Source:
    """Register the tracing of edits, for rebuilds from now on."""
    source = Source(
        source_id("edits", NAME),
        "edits",
        derive("project", "sessions"),
        NAME,
        str(store.folder.resolve()),
        {},
    )
    store.register(source)
    return source


def refresh(source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Trace the edits that are new; see `loaders.base.Loader`.

    Returns:
        ``read`` counts ``answers`` and ``files_parsed``, ``skipped`` the edits whose symbols are not known, by reason.
    """
    report, begun = SourceReport(source), monotonic()
    with store.read() as reader:
        rows = reader.rows(sql.load("loaders", "sql/edits_untraced.sql"), {"extractor": EXTRACTOR})
    answers = [_Answer(*row) for row in rows]
    if answers:
        with Pipeline(store, store.cursor(source.source_id)) as pipeline:
            for done, some in _chunks(answers):
                progress("trace edits", done, len(answers))
                pipeline.wait()  # the store is not read while it is written to
                pipeline.admit(_batch(source, store, some, report))
        report.admitted.update(pipeline.admitted)
    report.seconds = monotonic() - begun
    return report


def _chunks(answers: Iterable[_Answer]) -> Iterator[tuple[int, list[_Answer]]]:
    iterator, done = iter(answers), 0
    while some := list(islice(iterator, _AT_ONCE)):
        yield done, some
        done += len(some)


def _batch(source: Source, store: CanonicalStore, answers: list[_Answer], report: SourceReport) -> Batch:
    seen = hashlib.sha256("\n".join(answer.event_id for answer in answers).encode()).hexdigest()
    batch = Batch(source.source_id, None, position=answers[-1].event_id, content_digest=seen)
    with store.read() as reader:
        records = reader.spans([answer.span for answer in answers])
    report.read["answers"] += len(answers)
    for traced in _traced(answers, records, report):
        if traced.status != "traced":
            report.skipped[traced.status] += 1
        _add(batch, traced)
    return batch


def _traced(answers: Iterable[_Answer], records: Iterable[bytes], report: SourceReport) -> Iterator[_Traced]:
    waiting: list[tuple[_Traced, list[Job]]] = []
    for answer, data in zip(answers, records, strict=True):
        edits = list(edits_of(answer.format, mapping(_loaded(data)), answer.call_key))
        if not edits:
            yield _Traced(answer, answer.path, None, "snapshot_unknown")
        for edit in edits:
            before, after = (each.encode("utf-8", "replace") for each in (edit.before, edit.after))
            waiting.append(_jobs(answer, edit.path or answer.path, before, after))
    jobs = [job for _, some in waiting for job in some]
    report.read["files_parsed"] += len(jobs)
    results = iter([result for _, result in extract_all(jobs, seconds=_FILE_SECONDS)])
    for traced, some in waiting:
        found = [(job, next(results)) for job in some]
        if any(isinstance(result, Failure) for _, result in found):
            traced.status = "failed"
        else:
            traced.symbols = [symbol for job, result in found for symbol in _edited(result, job.around or ())]
        yield traced


def _loaded(data: bytes) -> object:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _jobs(answer: _Answer, path: str | None, before: bytes, after: bytes) -> tuple[_Traced, list[Job]]:
    """What has to be parsed for one edit."""
    name = (path or "").replace("\\", "/")
    language = language_of(name, after)
    traced = _Traced(answer, path, language, "traced" if language else "no_language")
    if language is None:
        return traced, []
    if skip_reason(name, after) or skip_reason(name, before):
        traced.status = "skipped"
        return traced, []
    removed, added = ranges(before, after)
    pairs = ((before, removed), (after, added))
    return traced, [Job(answer.event_id, language, data, around) for data, around in pairs if around]


def _edited(result: Extraction | Failure, around: Sequence[tuple[int, int]]) -> Iterator[tuple[Symbol, bool]]:
    """Symbols that overlap one of the ranges, and whether none inside of them does."""
    if isinstance(result, Failure):
        return
    found = [
        symbol
        for symbol in result.symbols
        if any(symbol.span[0] < end and start < symbol.span[1] for start, end in around)
    ]
    enclosing = {symbol.parent for symbol in found}
    for symbol in found:
        yield symbol, symbol.ordinal not in enclosing


def _add(batch: Batch, traced: _Traced) -> None:
    answer = traced.answer
    key = (answer.event_id, EXTRACTOR, traced.path or "")
    common: dict[str, Any] = {
        "session_key": answer.session_key,
        "call_key": answer.call_key,
        "result_event_id": answer.event_id,
        "path": traced.path,
        "language": traced.language,
        "extractor": EXTRACTOR,
    }
    subject = session_id(answer.session_key)
    batch.event("edit_trace", key, answer.span, subject=subject, status=traced.status, **common)
    by_descriptor = {symbol.descriptor: symbol for symbol, _ in traced.symbols}
    innermost = {symbol.descriptor for symbol, is_innermost in traced.symbols if is_innermost}
    for descriptor, symbol in by_descriptor.items():
        batch.event(
            "edited_symbol",
            (*key, descriptor),
            answer.span,
            subject=subject,
            occurrence=answer.occurrence,
            descriptor=descriptor,
            symbol_kind=symbol.kind,
            name=symbol.name,
            is_innermost=descriptor in innermost,
            **common,
        )
