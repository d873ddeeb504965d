"""Extractions of blobs that are not in the canonical store, kept so that no blob is parsed twice.

A past commit, a branch that nobody indexes and a file that is being edited have blobs of their own. What was
extracted from them is derived data: it lies beside the store in one SQLite file, which may be deleted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson
import zstandard

from graphsvc.errors import Corrupt, DurabilityUncertain, StoreBusy
from loaders.extraction import Extraction, Import, Reference, Span, Symbol
from loaders.extractions import EXTRACTOR
from loaders.parsing import extract
from loaders.workers import Failure, Job, Pool

__all__ = ["Packed", "extracted", "outlines", "pack"]

_FILE = "extractions.sqlite"
_KEPT = 50_000
"""Blobs above which the oldest are forgotten."""

_WAIT = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS extraction (
    blob TEXT, language TEXT, extractor TEXT, symbols BLOB, rest BLOB, failure TEXT,
    UNIQUE (blob, language, extractor)
)
"""
_INSERT = "INSERT OR IGNORE INTO extraction VALUES (?, ?, ?, ?, ?, ?)"
_FORGET = "DELETE FROM extraction WHERE rowid <= (SELECT max(rowid) FROM extraction) - ?"
_FIND = "SELECT symbols, rest, failure FROM extraction WHERE blob = ? AND language = ? AND extractor = ?"

_T = TypeVar("_T")
Key = tuple[str, str]
"""A blob and the language that it is read as."""


class Packed(NamedTuple):
    """An extraction as it is stored: its symbols, and all the rest, as compressed JSON."""

    symbols: bytes
    rest: bytes


def pack(data: bytes, language: str, *, seconds: float) -> Packed:
    """Extract a file, in a worker process, and pack what was found."""
    found = extract(data, language, seconds=seconds)
    rest = (found.references, found.imports, found.facts, found.errors)
    return Packed(_compressed(found.symbols), _compressed(rest))


def extracted(
    folder: Path, jobs: Iterable[Job], *, seconds: float
) -> Iterator[tuple[Key, Extraction | Failure]]:
    """What is in blobs: from the cache, else by parsing them.

    Args:
        folder: Folder of the cache; made where there is none.
        jobs: Blobs; the key of a job is the blob's id.
        seconds: Wall time for one blob.
    """
    for key, (packed, failure) in _found(folder, jobs, seconds).items():
        yield key, Failure(*failure) if failure else _unpacked(key[1], packed)


def outlines(
    folder: Path, jobs: Iterable[Job], *, seconds: float
) -> Iterator[tuple[Key, tuple[Symbol, ...] | Failure]]:
    """As `extracted`, of the symbols alone."""
    for key, (packed, failure) in _found(folder, jobs, seconds).items():
        yield key, Failure(*failure) if failure else _symbols(packed.symbols)


_Row = tuple[Packed, list[str] | None]


def _found(folder: Path, jobs: Iterable[Job], seconds: float) -> dict[Key, _Row]:
    wanted = {(job.key, job.language): job for job in jobs}
    with _open(folder) as connection:
        known = {key: row for key in wanted if (row := _look_up(connection, key)) is not None}
    fresh = [job for key, job in wanted.items() if key not in known]
    parsed = dict(_parse(fresh, seconds))
    if parsed:
        with _open(folder) as connection:
            rows = [
                (*key, EXTRACTOR, packed.symbols, packed.rest, orjson.dumps(failure))
                for key, (packed, failure) in parsed.items()
            ]
            connection.executemany(_INSERT, rows)
            connection.execute(_FORGET, (_KEPT,))
    return {key: known.get(key) or parsed[key] for key in wanted}


def _look_up(connection: sqlite3.Connection, key: Key) -> _Row | None:
    row = connection.execute(_FIND, (*key, EXTRACTOR)).fetchone()
    return None if row is None else (Packed(row[0], row[1]), orjson.loads(row[2]))


def _parse(jobs: list[Job], seconds: float) -> Iterator[tuple[Key, _Row]]:
    with Pool("loaders.extraction_cache:pack", seconds=seconds) as pool:
        for job, (_, result) in zip(jobs, pool.run(jobs), strict=True):
            failed = isinstance(result, Failure)
            yield (job.key, job.language), (Packed(b"", b""), list(result)) if failed else (result, None)


@contextmanager
def _open(folder: Path) -> Iterator[sqlite3.Connection]:
    """A transaction of the cache; a file that is no database any more is replaced.

    Raises:
        StoreBusy: Another process is writing to it for long.
        DurabilityUncertain: It cannot be written.
    """
    path = folder / _FILE
    try:
        folder.mkdir(exist_ok=True)
        with closing(_connected(path)) as connection, connection:
            yield connection
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise StoreBusy(f"{path} is being written by another process") from error
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error
    except (sqlite3.Error, OSError) as error:
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT)
    try:
        connection.execute(_SCHEMA)
    except sqlite3.OperationalError:
        connection.close()
        raise
    except sqlite3.DatabaseError:
        connection.close()
        path.unlink()
        connection = sqlite3.connect(path, timeout=_WAIT)
        connection.execute(_SCHEMA)
    return connection


def _compressed(value: Any) -> bytes:
    plain = orjson.dumps(value, default=tuple)
    return zstandard.ZstdCompressor(level=1, write_checksum=True).compress(plain)


def _plain(data: bytes) -> Any:
    try:
        return orjson.loads(zstandard.ZstdDecompressor().decompress(data))
    except (zstandard.ZstdError, orjson.JSONDecodeError) as error:
        hint = f"delete {_FILE} in the store's folder snapshots: it is made again"
        raise Corrupt(f"an extraction that was kept is damaged: {error}", hint=hint) from error


def _symbols(data: bytes) -> tuple[Symbol, ...]:
    rows = _plain(data)
    for row in rows:
        row[-1] = tuple(row[-1])
    return _records(Symbol, rows, "span", "name_span", "body", "doc")


def _records(record: Callable[..., _T], rows: list[list[Any]], *spans: str) -> tuple[_T, ...]:
    """Rows of JSON as records whose fields ``spans`` are spans."""
    places = [record._fields.index(name) for name in spans]  # type: ignore[attr-defined]
    for row in rows:
        for place in places:
            row[place] = None if row[place] is None else Span(*row[place])
    return tuple(record(*row) for row in rows)


def _unpacked(language: str, packed: Packed) -> Extraction:
    references, imports, facts, errors = _plain(packed.rest)
    return Extraction(
        language,
        _symbols(packed.symbols),
        _records(Reference, references, "span"),
        _records(Import, imports, "span"),
        facts,
        errors,
    )
