"""Symbol history loader: what each commit did to the symbols of the files that it changed.

It reads commits and changes of files from the store, and blobs from the repository; a blob that was parsed once, for
whatever purpose, is not parsed again. All history costs more than a rebuild does, so the source is registered by
whoever wants it, with `track`; from then on every rebuild reads the commits that are new.

A merge is compared with each of its parents, and what it did to a symbol counts where it differs from all of them.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import Repository
from graphsvc.ids import SegmentId
from graphsvc.symbol_changes import ORIGINS, Change, Definition, compare
from loaders.base import Progress, SourceReport, silent
from loaders.detection import fate, fate_unread
from loaders.extraction import Symbol
from loaders.extraction_cache import outlines
from loaders.extractions import EXTRACTOR
from loaders.repositories import check_identity, track_sources
from loaders.snapshots import FOLDER
from loaders.workers import FILE_SECONDS, Failure, Job

__all__ = ["RULES", "refresh", "track"]

RULES = f"{EXTRACTOR} changes-1"
"""Version of everything that decides what is said of a commit: raise it when the comparison changes."""

_BATCH_COMMITS = 400
_KEPT_DEFINITIONS = 200_000
"""Definitions of blobs that stay in memory, because a commit begins where others ended."""


class _File(NamedTuple):
    """A file that a commit changed: where it was and is, its blobs, by parent before, and the record's evidence."""

    path: str
    old_path: str
    blob_oid: str | None
    old_blob_oids: Sequence[str | None]
    is_renamed: bool
    evidence: Span


class _Blob(NamedTuple):
    """A blob at a path, since the path has a say in how it is read."""

    oid: str
    path: str


_Outline = tuple[Definition, ...] | None
"""Definitions of a blob, without a path; None where they are unknown."""


def refresh(source: Source, store: CanonicalStore, progress: Progress) -> SourceReport:
    """Track the commits that were not tracked yet; see `loaders.base.Loader`."""
    report, begun = SourceReport(source), time.perf_counter()
    repository_id = source.options["repository_id"]
    with store.read() as reader:
        statement = sql.load("loaders", "sql/track_commits.sql")
        commits = reader.rows(statement, {"repository": repository_id, "rules": RULES})
    if commits:
        with Repository.open(source.locator) as repository:
            tracking = _Tracking(source, store, repository, report)
            with Pipeline(store, store.cursor(source.source_id)) as pipeline:
                for start in range(0, len(commits), _BATCH_COMMITS):
                    progress("track", start, len(commits))
                    pipeline.admit(tracking.batch(commits[start : start + _BATCH_COMMITS]))
            report.admitted.update(pipeline.admitted)
    report.seconds = time.perf_counter() - begun
    return report


def track(store: CanonicalStore, name: str | None = None, progress: Progress = silent) -> list[SourceReport]:
    """Track the symbols of repositories now, and have every rebuild from now on do so.

    Args:
        store: The store; it must know the repositories' commits already.
        name: Name of a repository; None for all that are registered.
        progress: Told of commits.

    Raises:
        NotFound: There is no such repository.
        SourceUnavailable: It cannot be read.
        StoreBusy: A rebuild is under way.
    """
    with exclusive(store.folder, "rebuild", wait=store.wait):
        reports = []
        for source in track_sources(store, name):
            check_identity(source)
            reports.append(refresh(source, store, progress))
        return reports


class _Tracking:
    """Turns commits into batches, keeping in mind the blobs that were met last."""

    def __init__(
        self, source: Source, store: CanonicalStore, repository: Repository, report: SourceReport
    ) -> None:
        self._source = source
        self._repository_id = source.options["repository_id"]
        self._store = store
        self._repository = repository
        self._report = report
        self._outlines: OrderedDict[_Blob, _Outline] = OrderedDict()
        self._languages: dict[_Blob, str | None] = {}

    def batch(self, commits: Sequence[tuple[Any, ...]]) -> Batch:
        """The events of some commits."""
        files = self._files([oid for oid, *_ in commits])
        batch = Batch(
            self._source.source_id, expected=None, position=f"{RULES} {commits[-1][0]}", content_digest=RULES
        )
        self._read(batch, {blob for found in files.values() for file in found for blob in _blobs(file)})
        for oid, *evidence in commits:
            self._commit(batch, oid, Span(*evidence), files.get(oid, []))
        self._forget()
        self._report.read.update(commits=len(commits))
        return batch

    def _files(self, commits: list[str]) -> dict[str, list[_File]]:
        """By commit, the files that it changed and that may hold code."""
        statement = sql.load("loaders", "sql/trace_changes.sql")
        params = {"repository": self._repository_id, "commits": commits}
        found: dict[str, list[_File]] = {}
        with self._store.read() as reader:
            rows = reader.rows(statement, params)
            merges = [Span(SegmentId(row[7]), row[8], row[9]) for row in rows if row[6]]
            records = dict(zip(merges, reader.spans(merges), strict=True))
        for commit, status, path, old_path, blob, old_blob, is_merge, *place in rows:
            if fate_unread(path, None) is None:
                evidence = Span(*place)
                before = _parents(records[evidence]) if is_merge else [None if status in "AC" else old_blob]
                renamed = status == "R"
                file = _File(path, old_path if renamed else path, blob, before, renamed, evidence)
                found.setdefault(commit, []).append(file)
        return found

    def _read(self, batch: Batch, wanted: set[_Blob]) -> None:
        """Have the outlines of all blobs at hand."""
        missing = sorted(wanted - self._outlines.keys())
        jobs: dict[_Blob, Job] = {}
        with self._repository.batch() as objects:
            for blob, found in zip(missing, objects.read(blob.oid for blob in missing), strict=True):
                if found is None:
                    batch.fault(
                        "missing_blob", f"{blob.path} {blob.oid}", "the history needs it: it cannot be read"
                    )
                    self._report.faults["missing_blob"] += 1
                    self._outlines[blob] = None
                    continue
                self._report.read.update(blobs=1, bytes=len(found.data))
                decided = fate(blob.path, found.data)
                self._languages[blob] = decided.language
                if decided.status == "parsed":
                    jobs[blob] = Job(blob.oid, str(decided.language), found.data)
                else:
                    self._outlines[blob] = ()
        results = dict(outlines(self._store.folder / FOLDER, jobs.values(), seconds=FILE_SECONDS))
        for blob, job in jobs.items():
            result = results[job.key, job.language]
            if isinstance(result, Failure):
                batch.fault(result.reason, f"{blob.path} {blob.oid}", result.detail)
                self._report.faults[result.reason] += 1
                self._outlines[blob] = None
            else:
                self._outlines[blob] = _definitions(result)

    def _forget(self) -> None:
        held = sum(len(found or ()) for found in self._outlines.values())
        while held > _KEPT_DEFINITIONS:
            _, found = self._outlines.popitem(last=False)
            held -= len(found or ())

    def _commit(self, batch: Batch, oid: str, evidence: Span, files: Sequence[_File]) -> None:
        known = [file for file in files if all(self._outlines[blob] is not None for blob in _blobs(file))]
        batch.event(
            "tracked_commit",
            (self._repository_id, RULES, oid),
            evidence,
            subject=oid,
            repository_id=self._repository_id,
            commit_oid=oid,
            rules=RULES,
            file_count=len(known),
            unknown_count=len(files) - len(known),
        )
        by_path = {path: file for file in known for path in (file.old_path, file.path)}
        for change in self._changes(known):
            of = change.new or change.old
            assert of is not None
            self._state(batch, oid, change, of, by_path[of.path])

    def _changes(self, files: Sequence[_File]) -> list[Change]:
        """What a commit did, and for a merge what differs from every parent."""
        parents = max((len(file.old_blob_oids) for file in files), default=0)
        compared = [self._against(files, parent) for parent in range(parents)]
        if len(compared) < 2:
            return compared[0] if compared else []
        differs = Counter(key for changes in compared for key in {_place(change) for change in changes})
        return [change for change in compared[0] if differs[_place(change)] == len(compared)]

    def _against(self, files: Sequence[_File], parent: int) -> list[Change]:
        old = (
            definition for file in files for definition in self._at(file.old_blob_oids[parent], file.old_path)
        )
        new = (definition for file in files for definition in self._at(file.blob_oid, file.path))
        return compare(old, new, {file.old_path: file.path for file in files if file.is_renamed})

    def _at(self, oid: str | None, path: str) -> Iterator[Definition]:
        """Definitions of a blob at a path."""
        for definition in (self._outlines[_Blob(oid, path)] or ()) if oid else ():
            parent = definition.parent
            yield definition._replace(path=path, parent=parent and (path, *parent[1:]))

    def _state(self, batch: Batch, oid: str, change: Change, of: Definition, file: _File) -> None:
        blob = _Blob(str(file.blob_oid if change.new else file.old_blob_oids[0]), of.path)
        old = change.old if change.change in ("renamed", "moved") else None
        batch.event(
            "symbol_change",
            (self._repository_id, RULES, oid, change.change, *of.key),
            file.evidence,
            subject=oid,
            repository_id=self._repository_id,
            commit_oid=oid,
            rules=RULES,
            change=change.change,
            language=self._languages.get(blob),
            symbol_kind=of.kind,
            name=of.name,
            path=of.path,
            descriptor=of.descriptor,
            disambiguator=of.disambiguator,
            start_line=of.start_line,
            end_line=of.end_line,
            blob_oid=blob.oid,
            old_name=old and old.name,
            old_path=old and old.path,
            old_descriptor=old and old.descriptor,
            old_disambiguator=old and old.disambiguator,
            is_signature_changed=change.is_signature_changed,
            is_text_changed=change.is_text_changed,
            origin=change.origin,
            confidence=ORIGINS[change.origin][0] if change.origin else None,
        )


def _blobs(file: _File) -> Iterator[_Blob]:
    if file.blob_oid is not None:
        yield _Blob(file.blob_oid, file.path)
    for oid in file.old_blob_oids:
        if oid is not None:
            yield _Blob(oid, file.old_path)


def _place(change: Change) -> tuple[bool, tuple[str, str, str]]:
    of = change.new or change.old
    assert of is not None
    return (change.new is not None, of.key)


def _parents(record: bytes) -> list[str | None]:
    """The blobs of a file in each parent of a merge, from git's combined raw record; None where it had none.

    >>> _parents(b"::100644 100644 100644 " + b" ".join([b"a" * 40, b"0" * 40, b"c" * 40]) + b" MA")
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', None]
    """
    head = record.partition(b"\0")[0]
    parents = len(head) - len(head.lstrip(b":"))
    oids = head[parents:].decode().split(" ")[parents + 1 :][:parents]
    return [oid if oid.strip("0") else None for oid in oids]


def _definitions(symbols: Iterable[Symbol]) -> tuple[Definition, ...]:
    """What comparisons need of the symbols of a blob; anonymous functions have nothing to be known by."""
    by_ordinal: Mapping[int, Symbol] = {symbol.ordinal: symbol for symbol in symbols}
    found = []
    for symbol in by_ordinal.values():
        if symbol.kind == "lambda":
            continue
        outer = by_ordinal.get(symbol.parent)
        found.append(
            Definition(
                "",
                symbol.descriptor,
                symbol.disambiguator,
                symbol.kind,
                symbol.name,
                symbol.signature,
                symbol.body_hash,
                symbol.blank_hash,
                symbol.start_line,
                symbol.end_line,
                symbol.span.start,
                symbol.span.end,
                ("", outer.descriptor, outer.disambiguator) if outer else None,
            )
        )
    return tuple(found)
