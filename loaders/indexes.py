"""What SCIP indexes say of the files of a snapshot, back from the events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from loaders.resolution.model import IndexDocument, Occurrence

__all__ = ["read_indexes"]


def read_indexes(reader: Reader, params: Mapping[str, Any]) -> tuple[IndexDocument, ...]:
    """The documents of all indexes that are about the blobs of a snapshot.

    Args:
        reader: Reader of the canonical store.
        params: ``repository`` and ``commit``.
    """
    wanted = {name: params[name] for name in ("repository", "commit")}
    rows = reader.rows(sql.load("loaders", "sql/code_scip.sql"), wanted)
    return tuple(_document(*row) for row in rows)


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
