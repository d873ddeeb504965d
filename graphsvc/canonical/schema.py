"""Tables of the canonical store, derived from the declarations in `graphsvc.kinds`."""

from __future__ import annotations

from collections.abc import Iterator

from graphsvc.kinds import ENVELOPE, KINDS, LEDGER, Column, Kind

__all__ = ["statements", "table_statement"]

_TYPES = {
    "text": "VARCHAR",
    "long_text": "VARCHAR USING COMPRESSION zstd",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "flag": "BOOLEAN",
    "time": "TIMESTAMP",
    "texts": "VARCHAR[]",
    "bytes": "BLOB",
}


def table_statement(kind: Kind, columns: tuple[Column, ...]) -> str:
    """The statement that makes a table of a kind."""
    body = ", ".join(f'"{column.name}" {_TYPES[column.type]}' for column in columns)
    return f'CREATE TABLE "{kind.name}" ({body})'


def statements() -> Iterator[str]:
    """Statements that make an empty store: a table a kind, the ledger's tables and index, the view ``event``."""
    for kind in KINDS.values():
        yield table_statement(kind, kind.all_columns)
    for kind in LEDGER.values():
        yield table_statement(kind, kind.columns)
    # A pack's bytes lie beside those of two thousand others: without an index, finding one reads them all.
    yield "CREATE UNIQUE INDEX pack_number ON pack (pack)"
    envelope = ", ".join(column.name for column in ENVELOPE)
    yield "CREATE VIEW event AS " + " UNION ALL ".join(
        f"SELECT '{name}' AS kind, {envelope} FROM \"{name}\"" for name in KINDS
    )
