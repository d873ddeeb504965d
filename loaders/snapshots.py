"""States of a repository's code, each resolved once: what code questions are asked of.

A snapshot is a set of paths and blobs: the files of a commit, or of a work tree as it lies there, uncommitted
changes included. Its tables (`loaders.code_graph`) are a file in the store's folder ``snapshots``, named by
what the snapshot holds and by the rules, so that references with equal files share it. The files are derived: any
of them may be deleted.
"""

from __future__ import annotations

import gc
import hashlib
import os
import stat
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.table_files import SUFFIX, read_tables, write_tables
from graphsvc.errors import Corrupt, NotFound
from graphsvc.git import Repository, decode, hash_object
from graphsvc.ids import derive
from loaders.base import Progress
from loaders.code_files import SourceFile
from loaders.code_rules import CODE_RULES, TABLES_VERSION
from loaders.detection import Fate, count_lines, fate, fate_unread
from loaders.extraction import Extraction
from loaders.extractions import EXTRACTOR, read_extractions
from loaders.indexes import index_ids, read_indexes
from loaders.resolution import family
from loaders.resolution.model import IndexDocument, Snapshot
from loaders.workers import FILE_SECONDS, Failure, Job

if TYPE_CHECKING:
    import polars as pl

    from graphsvc.canonical.reader import Reader

__all__ = ["FOLDER", "IndexedCode", "indexed_snapshots", "prune", "snapshot_at", "snapshot_of_work_tree"]

FOLDER = "snapshots"
"""Name of the folder in the store."""

_RULES = f"{TABLES_VERSION} {CODE_RULES}"
_LATEST = "latest-"
"""Beginning of the name of a file that says which tables of a repository were made last, and by which rules."""

_SNAPSHOT = "snapshot"
_KEPT = 40
_ABANDONED_SECONDS = 3600.0
_ROLE = ("path", "blob_oid", "language", "status")
_REGULAR = frozenset({"100644", "100664", "100755"})


class _Listing(NamedTuple):
    """The files of a snapshot: blobs by path, of those whose bytes decide what is done with them, and the others."""

    repository: str
    blobs: Mapping[str, str]
    skipped: Sequence[SourceFile]


class _Indexed(NamedTuple):
    """A snapshot whose files the code loader has read."""

    repository: str
    files: Sequence[SourceFile]
    path: Path

    def is_of(self, listing: _Listing) -> bool:
        """Whether these are the files of a listing."""
        read = {file.path: file.blob_oid for file in self.files if fate_unread(file.path, None) is None}
        others = {file.path for file in self.files} - read.keys()
        return (
            self.repository == listing.repository
            and read == listing.blobs
            and others == {file.path for file in listing.skipped}
        )


class IndexedCode:
    """The code of all indexed snapshots, which is what the graph holds.

    Args:
        store: The store.
        reader: Reader of it.
        progress: Told how many snapshots are resolved.

    Attributes:
        names: What the snapshots' tables are known by: equal names mean equal tables.
    """

    def __init__(self, store: CanonicalStore, reader: Reader, progress: Progress) -> None:
        self._store, self._reader, self._progress = store, reader, progress
        self._snapshots = list(_indexed(store, reader))
        self.names = tuple(snapshot.path.name for snapshot in self._snapshots)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of all of them together; see `loaders.code_graph`."""
        made = []
        for done, snapshot in enumerate(self._snapshots):
            self._progress("resolve", done, len(self._snapshots))
            made.append(_read(snapshot.path) or _make(self._store, self._reader, snapshot))
        return _together(made)

    def resolved_anew(self) -> dict[str, pl.DataFrame]:
        """The tables as resolution makes them, whatever files there are of them."""
        return _together(
            _resolved(self._reader, snapshot, snapshot.files, _indexes(self._reader, snapshot))
            for snapshot in self._snapshots
        )


def _together(snapshots: Iterable[Mapping[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """The tables of several snapshots as one of each."""
    import polars as pl

    from loaders.code_graph import SCHEMAS

    made = list(snapshots)
    return {
        name: pl.concat([pl.DataFrame(schema=schema), *(tables[name] for tables in made)]).unique(
            maintain_order=True
        )
        for name, schema in SCHEMAS.items()
    }


def _indexes(reader: Reader, indexed: _Indexed) -> Sequence[IndexDocument]:
    """What SCIP indexes say of a snapshot."""
    parsed = (file for file in indexed.files if file.is_parsed)
    return read_indexes(reader, indexed.repository, _blobs(parsed))


def indexed_snapshots(store: CanonicalStore, repository_id: str | None = None) -> list[Path]:
    """Files with the tables of the indexed snapshots, made where they are missing.

    Args:
        store: The store.
        repository_id: The repository; None for all.

    Raises:
        NotFound: The code was read by another version, which is not what this one answers from.
    """
    with store.read() as reader:
        snapshots = [found for found in _indexed(store, reader) if repository_id in (None, found.repository)]
        for snapshot in snapshots:
            _check_is_read(reader, snapshot)
            if not snapshot.path.exists():
                _make(store, reader, snapshot)
    return [snapshot.path for snapshot in snapshots]


def _check_is_read(reader: Reader, snapshot: _Indexed) -> None:
    params = {"repository": snapshot.repository, "extractor": EXTRACTOR}
    if not snapshot.files and reader.rows(sql.load("loaders", "sql/code_read_before.sql"), params):
        raise NotFound(
            "the code was read by another version of graphsvc",
            hint="run `graphsvc rebuild`, which reads it again",
        )


def snapshot_at(store: CanonicalStore, source: Source, revision: str) -> Path:
    """File with the tables of a commit.

    Args:
        store: The store.
        source: The repository.
        revision: A reference, a tag, a commit's id or a beginning of it, or anything else that git takes for one.

    Raises:
        NotFound: The repository has no such commit.
        SourceUnavailable: It cannot be read.
    """
    with Repository.open(source.locator) as repository:
        entries = repository.tree(repository.commit_of(revision))
        listed = ((decode(entry.path), entry.oid) for entry in entries if entry.mode in _REGULAR)
        listing = _listing(source.options["repository_id"], listed)
        with repository.batch() as objects:
            return _find(store, listing, lambda oids: [found and found.data for found in objects.read(oids)])


def snapshot_of_work_tree(store: CanonicalStore, source: Source, folder: Path) -> Path:
    """File with the tables of a work tree as it lies there, changes that are not committed included.

    Args:
        store: The store.
        source: Its repository.
        folder: Root of the work tree, linked or not.

    Raises:
        SourceUnavailable: It cannot be read.
    """
    data: dict[str, bytes] = {}
    listed, skipped = [], []
    with Repository.open(folder) as repository:
        for path in repository.unignored(folder):
            full, name = folder / os.fsdecode(path), decode(path)
            try:
                status = os.lstat(full)
                if not stat.S_ISREG(status.st_mode):
                    continue
                known = fate_unread(name, status.st_size)
                bytes_ = b"" if known else full.read_bytes()
            except OSError:  # it is gone by now, or nobody may read it
                known, bytes_ = Fate("failed", None, "unreadable"), b""
            if known:
                skipped.append(SourceFile(name, None, known.language, None, known.status, known.reason))
                continue
            oid = hash_object(bytes_, object_format=repository.object_format)
            data[oid] = bytes_
            listed.append((name, oid))
    listing = _Listing(source.options["repository_id"], dict(sorted(listed)), skipped)
    return _find(store, listing, lambda oids: [data[oid] for oid in oids])


def prune(store: CanonicalStore, needed: Container[str]) -> None:
    """Remove the snapshots that were read longest ago, and what was never finished.

    Args:
        store: The store.
        needed: Names of files that stay: those of the indexed snapshots.
    """
    others = [path for path in (store.folder / FOLDER).glob(f"{_SNAPSHOT}*") if path.name not in needed]
    for path in sorted(others, key=lambda path: path.stat().st_mtime_ns, reverse=True)[_KEPT:]:
        path.unlink(missing_ok=True)
    for path in (store.folder / FOLDER).glob(".*"):
        if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
            path.unlink(missing_ok=True)


_Read = Callable[[Iterable[str]], Iterable[bytes | None]]


def _listing(repository: str, listed: Iterable[tuple[str, str]]) -> _Listing:
    blobs, skipped = {}, []
    for path, oid in sorted(listed):
        known = fate_unread(path, None)
        if known is None:
            blobs[path] = oid
        else:
            skipped.append(SourceFile(path, oid, known.language, None, known.status, known.reason))
    return _Listing(repository, blobs, skipped)


def _indexed(store: CanonicalStore, reader: Reader) -> Iterator[_Indexed]:
    """The snapshots that are indexed now."""
    for repository, tree in reader.rows(sql.load("loaders", "sql/code_snapshots.sql")):
        params = {"repository": repository, "tree": tree, "extractor": EXTRACTOR}
        files = reader.rows(sql.load("loaders", "sql/code_snapshot_files.sql"), params)
        found = [SourceFile(*row) for row in files]
        yield _Indexed(repository, found, _place(store, reader, "indexed", repository, found))


def _place(
    store: CanonicalStore, reader: Reader, kind: str, repository: str, files: Sequence[SourceFile]
) -> Path:
    """Where the tables of a snapshot are, whether they are made yet or not."""
    digest = hashlib.sha256(f"{_RULES}\x1e".encode())
    for file in files:
        digest.update(f"{file.path}\x1f{file.blob_oid}\x1f{file.status}\x1e".encode())
    digest.update("\n".join(index_ids(reader, repository, _blobs(files))).encode())
    return store.folder / FOLDER / f"{derive(_SNAPSHOT, kind, repository, digest.hexdigest())}{SUFFIX}"


def _blobs(files: Iterable[SourceFile]) -> dict[str, str]:
    return {file.path: file.blob_oid for file in files if file.blob_oid is not None}


def _read(path: Path) -> dict[str, pl.DataFrame] | None:
    """Tables of a file; None where it is missing or damaged."""
    from loaders.code_graph import SCHEMAS

    if not path.exists():
        return None
    try:
        tables = read_tables(path)
        return {name: tables[name] for name in SCHEMAS}
    except (Corrupt, KeyError):
        return None


def _make(store: CanonicalStore, reader: Reader, indexed: _Indexed) -> dict[str, pl.DataFrame]:
    """Tables of an indexed snapshot, out of those of the last one as far as these will do, else by resolution; they
    are kept."""
    indexes = _indexes(reader, indexed)
    latest = store.folder / FOLDER / f"{_LATEST}{indexed.repository}"
    last = None if indexes else _last(latest)
    tables = None
    if last is not None:
        tables = _carried(reader, indexed, last) or _resolved_in_part(reader, indexed, last)
    if tables is None:
        tables = _resolved(reader, indexed, indexed.files, indexes)
    write_tables(indexed.path, tables)
    if not indexes:
        with suppress(OSError):  # without it, the next snapshot is resolved
            latest.write_text(f"{_RULES}\n{indexed.path.name}")
    return tables


def _last(latest: Path) -> dict[str, pl.DataFrame] | None:
    """Tables of the snapshot of a repository that was made last; None where they were made by other rules, or are
    gone."""
    try:
        rules, _, name = latest.read_text().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return _read(latest.with_name(name)) if rules == _RULES else None


def _carried(
    reader: Reader, indexed: _Indexed, last: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame] | None:
    """Tables out of those of the last snapshot; None where something has to be resolved."""
    from loaders.carrying import Edited, carry, differing

    blobs = differing(last["code_file"].select(_ROLE).rows(), indexed.files)
    if blobs is None:
        return None
    files = {file.path: file for file in indexed.files}
    known = read_extractions(reader, indexed.repository, (blob for pair in blobs.values() for blob in pair))
    edited = []
    for path, pair in blobs.items():
        before, after = (known.get((blob, str(files[path].language))) for blob in pair)
        if before is None or after is None:  # the evidence is not that of the tables any more
            return None
        edited.append(Edited(path, before, after, files[path].segment))
    return carry(last, indexed.repository, indexed.files, edited)


def _resolved_in_part(
    reader: Reader, indexed: _Indexed, last: Mapping[str, pl.DataFrame]
) -> dict[str, pl.DataFrame] | None:
    """Tables of which what is not touched by any file that differs is that of the last snapshot; None where all has
    to be resolved."""
    from loaders.carrying import join, stale_families

    stale = stale_families(last["code_file"].select(_ROLE).rows(), indexed.files)
    if stale is None:
        return None
    parsed = [file for file in indexed.files if file.is_parsed]
    kept = {file.path for file in parsed if family(file.path, str(file.language)) not in stale}
    files = [file for file in indexed.files if file.path not in kept]
    return join(last, _resolved(reader, indexed, files, ()), kept)


def _resolved(
    reader: Reader, indexed: _Indexed, files: Sequence[SourceFile], indexes: Sequence[IndexDocument]
) -> dict[str, pl.DataFrame]:
    """Tables of some files of a snapshot by resolution; ``code_file`` has all files.

    What resolution makes refers to itself in circles, and a rebuild lets the collector rest: it is collected here, and
    nothing else is looked at for that.
    """
    from loaders.code_graph import tables_of

    gc.freeze()
    try:
        return tables_of(_snapshot(reader, indexed.repository, files, indexes), indexed.files)
    finally:
        gc.collect()
        gc.unfreeze()


def _snapshot(
    reader: Reader, repository: str, files: Sequence[SourceFile], indexes: Sequence[IndexDocument]
) -> Snapshot:
    parsed = [file for file in files if file.is_parsed]
    extractions = read_extractions(reader, repository, (str(file.blob_oid) for file in parsed))
    manifests = [file for file in files if file.status == "manifest"]
    segments = reader.segments(str(file.segment) for file in manifests)
    return Snapshot(
        repository,
        {file.path: extractions[str(file.blob_oid), str(file.language)] for file in parsed},
        {file.path: segments[str(file.segment)] for file in manifests},
        indexes,
    )


def _find(store: CanonicalStore, listing: _Listing, read: _Read) -> Path:
    """File of a snapshot: that of an indexed one with the same files, or one of its own."""
    with store.read() as reader:
        for indexed in _indexed(store, reader):
            if indexed.is_of(listing):
                if not indexed.path.exists():
                    _make(store, reader, indexed)
                return indexed.path
        listed = [SourceFile(path, oid, None, None, "", None) for path, oid in listing.blobs.items()]
        place = _place(store, reader, "other", listing.repository, [*listed, *listing.skipped])
    if not place.exists():
        write_tables(place, _resolve(store, listing, read))
        with store.read() as reader:
            needed = {snapshot.path.name for snapshot in _indexed(store, reader)}
        prune(store, needed)
    return place


def _resolve(store: CanonicalStore, listing: _Listing, read: _Read) -> dict[str, pl.DataFrame]:
    """Tables of a snapshot of which the store may have only a part: the rest is read and parsed."""
    from loaders.code_graph import tables_of

    data = dict(zip(listing.blobs, read(listing.blobs.values()), strict=True))
    missing = Fate("failed", None, "missing_blob")
    fates = {path: missing if found is None else fate(path, found) for path, found in data.items()}
    jobs = {
        path: Job(listing.blobs[path], str(found.language), data[path] or b"")
        for path, found in fates.items()
        if found.status == "parsed"
    }
    segments = _segments(store, listing)
    results = _results(store, listing, segments, jobs)
    files = [
        _source_file(path, listing.blobs[path], data[path], found, results.get(path))._replace(
            segment=segments.get(listing.blobs[path])
        )
        for path, found in fates.items()
    ]
    extracted = {path: found for path, found in results.items() if isinstance(found, Extraction)}
    with store.read() as reader:
        indexes = read_indexes(reader, listing.repository, {path: listing.blobs[path] for path in extracted})
    snapshot = Snapshot(
        listing.repository,
        extracted,
        {path: data[path] or b"" for path, found in fates.items() if found.status == "manifest"},
        indexes,
    )
    return tables_of(snapshot, sorted([*listing.skipped, *files], key=lambda file: file.path))


def _segments(store: CanonicalStore, listing: _Listing) -> dict[str, str]:
    """Segments of the blobs whose bytes the store has."""
    blobs = sorted(set(listing.blobs.values()))
    with store.read() as reader:
        statement = sql.load("loaders", "sql/code_segments.sql")
        return dict(reader.rows(statement, {"repository": listing.repository, "blobs": blobs}))


def _results(
    store: CanonicalStore, listing: _Listing, stored: Iterable[str], jobs: Mapping[str, Job]
) -> dict[str, Extraction | Failure]:
    """What is in the files that are to be parsed, by path: from the store, else from the cache or by parsing."""
    from loaders.extraction_cache import extracted

    with store.read() as reader:
        known = read_extractions(reader, listing.repository, stored)
    fresh = [job for job in jobs.values() if (job.key, job.language) not in known]
    found = known | dict(extracted(store.folder / FOLDER, fresh, seconds=FILE_SECONDS))
    return {path: found[job.key, job.language] for path, job in jobs.items()}


def _source_file(
    path: str, blob: str, data: bytes | None, decided: Fate, result: Extraction | Failure | None
) -> SourceFile:
    """What became of a file."""
    status, language, reason = decided
    errors = None
    if isinstance(result, Failure):
        status, reason = "failed", result.reason
    elif result is not None:
        errors = result.errors
        status, reason = ("partial", "syntax_errors") if errors else ("parsed", None)
    lines = None if data is None else count_lines(data)
    return SourceFile(path, blob, language, None, status, reason, errors, lines)
