"""Derived tables: made from evidence, kept beside it, and made anew where their rules have changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical.schema import table_statement
from graphsvc.canonical.sql import statement
from graphsvc.kinds import DERIVED

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from graphsvc.canonical.reader import Reader

__all__ = ["LINKED", "Linkage", "add", "derived_watermark", "linkage", "prepare", "replace"]

LINKED = 700
"""Least confidence, in thousandths, of a session that a commit is said to come from; less is an alternative."""


class Linkage(NamedTuple):
    """What derived tables there are.

    Attributes:
        rules: Digest of the rules that made them.
        watermark: Digest of the evidence that they cover; None where they were not finished.
        counts: Rows per table, and what could not be read.
        finished_at: When, in UTC.
    """

    rules: str
    watermark: str | None
    counts: Mapping[str, Any]
    finished_at: datetime


def linkage(reader: Reader) -> Linkage | None:
    """What derived tables the store has; None where it has none."""
    return reader.once(_linkage)


def _linkage(reader: Reader) -> Linkage | None:
    if not reader.has_table("linkage"):
        return None
    rows = reader.rows("SELECT rules, watermark, counts, finished_at FROM linkage")
    return next((Linkage(rules, mark, json.loads(counts), at) for rules, mark, counts, at in rows), None)


def derived_watermark(reader: Reader) -> str:
    """Digest of the evidence that derived tables are made from, as it is now."""
    return hashlib.sha256(json.dumps(reader.rows(statement("derived_watermark"))).encode()).hexdigest()


def prepare(connection: duckdb.DuckDBPyConnection, rules: str) -> None:
    """Have empty derived tables, unless those that are there were made by the same rules."""
    [(known,)] = connection.execute(statement("derived_tables"), {"name": "linkage"}).fetchall() or [(None,)]
    if known and connection.execute("SELECT 1 FROM linkage WHERE rules = ?", [rules]).fetchall():
        return
    connection.execute("BEGIN")
    for kind in DERIVED.values():
        connection.execute(f'DROP TABLE IF EXISTS "{kind.name}"')
        connection.execute(table_statement(kind, kind.columns))
    connection.execute("INSERT INTO linkage VALUES (?, NULL, '{}', ?)", [rules, _now()])
    connection.execute("COMMIT")


def add(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pl.DataFrame]) -> None:
    """Add rows to derived tables, all or none."""
    connection.execute("BEGIN")
    for name, frame in tables.items():
        _insert(connection, name, frame)
    connection.execute("COMMIT")


def replace(
    connection: duckdb.DuckDBPyConnection,
    tables: Mapping[str, pl.DataFrame],
    *,
    watermark: str,
    counts: Mapping[str, Any],
) -> None:
    """Give derived tables other rows, and say what evidence all of them cover now."""
    connection.execute("BEGIN")
    for name, frame in tables.items():
        connection.execute(f'DELETE FROM "{name}"')
        _insert(connection, name, frame)
    said = json.dumps(dict(counts), sort_keys=True)
    connection.execute(
        "UPDATE linkage SET watermark = ?, counts = ?, finished_at = ?", [watermark, said, _now()]
    )
    connection.execute("COMMIT")


def _insert(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> None:
    columns = ", ".join(DERIVED[name].names)
    connection.register("derived_rows", frame.to_arrow())
    connection.execute(f'INSERT INTO "{name}" SELECT {columns} FROM derived_rows')
    connection.unregister("derived_rows")


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
