"""Admission: one batch of one source, committed whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from graphsvc.canonical.batch import Batch, Cursor, frame_of
from graphsvc.canonical.packs import Pack, compress
from graphsvc.canonical.sql import statement
from graphsvc.errors import Conflict, DurabilityUncertain, InvalidInput
from graphsvc.kinds import KINDS, LEDGER

__all__ = ["Receipt", "Staged", "admit", "batch_digest", "receipt_digest", "stage"]

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one admitted batch brought; see the ledger's ``receipt`` in `graphsvc.kinds`.

    ``number`` is None, and nothing was written, when the batch held nothing new.
    """

    number: int | None
    seq_lo: int
    seq_hi: int
    counts: dict[str, int]
    digest: str


@dataclass(frozen=True, slots=True)
class Staged:
    """A batch made ready outside the lock: its frames, and its new segments compressed into packs."""

    batch: Batch
    events: dict[str, pl.DataFrame]
    parts: pl.DataFrame
    packs: list[Pack]


def stage(batch: Batch, known: Iterable[str]) -> Staged:
    """Build frames and compress the segments that are not among the ``known`` ids."""
    known = set(known)
    fresh = ((identity, data) for identity, data in batch.segments.items() if identity not in known)
    return Staged(batch, batch.frames(), batch.parts_frame(), list(compress(fresh)))


def admit(connection: duckdb.DuckDBPyConnection, staged: Staged) -> Receipt:
    """Commit a staged batch in one transaction.

    Raises:
        Conflict: The source's cursor is not the one that the loader started from.
        InvalidInput: A span or part points outside the segments.
        DurabilityUncertain: The commit was not confirmed.
    """
    connection.execute("BEGIN")
    try:
        receipt = _write(connection, staged)
    except (InvalidInput, Conflict):
        connection.execute("ROLLBACK")
        raise
    try:
        connection.execute("COMMIT" if receipt.number is not None else "ROLLBACK")
    except duckdb.Error as error:
        raise DurabilityUncertain(f"the commit of a batch was not confirmed: {error}") from error
    return receipt


def _last(cursor: Cursor | None) -> str:
    return str(cursor.seq_hi) if cursor else "none"


def _write(connection: duckdb.DuckDBPyConnection, staged: Staged) -> Receipt:
    batch = staged.batch
    last = _one(connection, "SELECT number, digest FROM receipt ORDER BY number DESC LIMIT 1")
    number, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
    cursor = _cursor(connection, batch.source_id)
    if cursor != batch.expected:
        raise Conflict(
            f"another process has written to the same source meanwhile: its last event was to be"
            f" {_last(batch.expected)} and is {_last(cursor)}",
            expected=batch.expected,
            actual=cursor,
        )
    seq_lo = _one(connection, "SELECT coalesce(max(seq_hi), 0) + 1 FROM receipt")[0]

    segment_ids = _insert_packs(connection, staged.packs, number)
    documents = _insert_parts(connection, staged.parts)
    seq, counts, event_ids = seq_lo, {}, []
    for kind in KINDS:
        if kind in staged.events:
            new = _insert_events(connection, kind, staged.events[kind], seq)
            if new:
                counts[kind] = len(new)
                event_ids += new
                seq += len(new)
    _check_spans(connection, staged)
    moved = cursor is None or (cursor.generation, cursor.position, cursor.content_digest) != (
        batch.generation,
        batch.position,
        batch.content_digest,
    )
    if not (event_ids or segment_ids or documents or moved):
        return Receipt(None, seq_lo, seq_lo - 1, {}, previous)
    fields = (
        number,
        batch.source_id,
        batch.generation,
        batch.position,
        batch.content_digest,
        seq_lo,
        seq - 1,
        json.dumps(counts, sort_keys=True),
        batch_digest(event_ids, segment_ids, documents),
        previous,
    )
    digest = receipt_digest(fields)
    connection.execute("INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [*fields, digest])
    return Receipt(number, seq_lo, seq - 1, counts, digest)


def batch_digest(event_ids: Iterable[str], segment_ids: Iterable[str], documents: Iterable[str]) -> str:
    """SHA-256 over the ids of new events in seq order, and of new segments and documents in id order."""
    digest = hashlib.sha256()
    for group in (event_ids, sorted(segment_ids), sorted(documents)):
        digest.update("\n".join(group).encode())
        digest.update(b"\x1e")
    return digest.hexdigest()


def receipt_digest(fields: tuple[Any, ...]) -> str:
    """SHA-256 over a receipt's fields from its number to the previous receipt's digest."""
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode()).hexdigest()


def _one(connection: duckdb.DuckDBPyConnection, sql: str, params: dict[str, Any] | None = None) -> Any:
    rows = connection.execute(sql, params).fetchall()
    return rows[0] if rows else None


def _cursor(connection: duckdb.DuckDBPyConnection, source_id: str) -> Cursor | None:
    row = _one(connection, statement("cursor"), {"source": source_id})
    return Cursor(*row) if row else None


def _insert_packs(connection: duckdb.DuckDBPyConnection, packs: list[Pack], receipt: int) -> list[str]:
    """Insert packs and the places of segments that are new; their ids."""
    if not packs:
        return []
    first = _one(connection, "SELECT coalesce(max(pack), 0) + 1 FROM pack")[0]
    numbered = list(enumerate(packs, first))
    pack_rows = [(number, receipt, pack.byte_count, pack.data) for number, pack in numbered]
    places = [
        (identity, number, start, size)
        for number, pack in numbered
        for identity, start, size in pack.segments
    ]
    connection.register("new_pack", _frame("pack", pack_rows))
    connection.register("new_segment", _frame("segment", places))
    connection.execute("INSERT INTO pack SELECT * FROM new_pack")
    inserted = connection.execute(
        "INSERT INTO segment SELECT * FROM new_segment ANTI JOIN segment USING (segment) RETURNING segment"
    ).fetchall()
    return [row[0] for row in inserted]


def _frame(table: str, rows: list[tuple[Any, ...]]) -> Any:
    return frame_of(rows, LEDGER[table].columns).to_arrow()


def _insert_parts(connection: duckdb.DuckDBPyConnection, parts: pl.DataFrame) -> list[str]:
    """Insert the parts of documents that have none yet; those documents' ids."""
    if parts.is_empty():
        return []
    connection.register("new_part", parts.to_arrow())
    _refuse(connection, "a part points outside its segment", statement("bad_parts"))
    connection.execute(statement("new_document"))
    connection.execute(
        "INSERT INTO part SELECT new_part.* FROM new_part SEMI JOIN new_document USING (document_id)"
    )
    rows = connection.execute("SELECT document_id FROM new_document ORDER BY document_id").fetchall()
    return [row[0] for row in rows]


def _insert_events(
    connection: duckdb.DuckDBPyConnection, kind: str, events: pl.DataFrame, first_seq: int
) -> list[str]:
    """Insert the events that the store does not have, in the frame's order; their ids in that order."""
    connection.register("incoming", events.with_row_index("_row").to_arrow())
    unknown = connection.sql(f'SELECT _row FROM incoming ANTI JOIN "{kind}" USING (event_id) ORDER BY _row')
    rows = pl.Series(unknown.to_arrow_table()["_row"])
    if rows.is_empty():
        return []
    new = events[rows].with_columns(pl.int_range(first_seq, first_seq + len(rows)).alias("seq"))
    columns = ", ".join(f'"{column.name}"' for column in KINDS[kind].all_columns)
    connection.register("fresh", new.to_arrow())
    connection.execute(f'INSERT INTO "{kind}" ({columns}) SELECT {columns} FROM fresh ORDER BY seq')
    ids: list[str] = new["event_id"].to_list()
    return ids


def _check_spans(connection: duckdb.DuckDBPyConnection, staged: Staged) -> None:
    frames: Iterator[pl.DataFrame] = (
        frame.select(pl.lit(kind).alias("kind"), "event_id", "segment", "start_byte", "end_byte")
        for kind, frame in staged.events.items()
    )
    spans = list(frames)
    if not spans:
        return
    connection.register("span", pl.concat(spans).to_arrow())
    _refuse(connection, "an event's evidence points outside its segment", statement("bad_spans"))


def _refuse(connection: duckdb.DuckDBPyConnection, message: str, sql: str) -> None:
    found = _one(connection, sql)
    if found:
        raise InvalidInput(f"{message}: {found[0]}", hint="this is a fault of the loader: please report it")
