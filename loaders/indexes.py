"""What SCIP indexes say of the files of a snapshot, back from the events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from loaders.resolution.model import IndexDocument, Occurrence

__all__ = ["index_ids", "read_indexes"]


def read_indexes(reader: Reader, repository: str, blobs: Mapping[str, str]) -> tuple[IndexDocument, ...]:
    """The documents of all indexes that are about the files of a snapshot.

    Args:
        reader: Reader of the canonical store.
        repository: Id of the repository.
        blobs: Blob of each file, by path.
    """
    rows = reader.rows(sql.load("loaders", "sql/code_scip.sql"), _wanted(repository, blobs))
    return tuple(_document(*row) for row in rows)


def index_ids(reader: Reader, repository: str, blobs: Mapping[str, str]) -> list[str]:
    """Identities of what `read_indexes` gives, in order."""
    rows = reader.rows(sql.load("loaders", "sql/code_scip_ids.sql"), _wanted(repository, blobs))
    return [event for (event,) in rows]


def _wanted(repository: str, blobs: Mapping[str, str]) -> dict[str, Any]:
    return {"repository": repository, "paths": list(blobs), "blobs": list(blobs.values())}


def _document(path: str, symbols: str, occurrences: str, implementations: str) -> IndexDocument:
    names = orjson.loads(symbols)
    return IndexDocument(
        path,
        tuple(
            Occurrence(start, end, line, names[symbol], bool(is_definition))
            for start, end, line, symbol, is_definition in orjson.loads(occurrences)
        ),
        tuple((names[symbol], names[base]) for symbol, base in orjson.loads(implementations)),
    )
