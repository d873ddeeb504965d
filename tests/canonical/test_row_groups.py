"""Writing costs what is new: what a store has is not written anew with each batch, and merged after many."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest

from graphsvc.canonical import merging
from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.store import CanonicalStore

SIZE = 2000


def admit(store: CanonicalStore, number: int) -> None:
    """Admit a segment that does not shrink, and an event about it."""
    position = str(number)
    batch = Batch("source_a", store.cursor("source_a"), position=position, content_digest=position)
    span = Span(batch.segment(random.Random(number).randbytes(SIZE)), 0, SIZE)
    batch.fault("malformed_line", position, "cut off", span)
    store.admit(batch)


def row_groups(store: CanonicalStore, table: str) -> int:
    with duckdb.connect(str(store.path), read_only=True) as connection:
        [(count,)] = connection.execute(
            "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info(?)", [table]
        ).fetchall()
    return int(count)


def test_a_batch_leaves_the_packs_before_it_where_they_are(tmp_path: Path) -> None:
    store = CanonicalStore.create(tmp_path / "store")
    for number in range(5):
        admit(store, number)

    assert row_groups(store, "pack") == 5


def test_large_batches_are_not_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_BATCHES", 2)
    monkeypatch.setattr(merging, "_BYTES", 2 * SIZE)
    store = CanonicalStore.create(tmp_path / "store")
    for number in range(2):
        admit(store, number)

    assert row_groups(store, "pack") == 2


def test_small_row_groups_are_merged_after_many_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "_BATCHES", 4)
    store = CanonicalStore.create(tmp_path / "store")
    counts = []
    for number in range(5):
        admit(store, number)
        counts.append(row_groups(store, "fault"))

    assert counts == [1, 2, 3, 1, 2]
    with store.read() as reader:
        rows = reader.rows("SELECT location, segment, start_byte, end_byte FROM fault ORDER BY seq")
        spans = reader.spans(Span(*row[1:]) for row in rows)
    assert [row[0] for row in rows] == ["0", "1", "2", "3", "4"]
    assert spans == [random.Random(number).randbytes(SIZE) for number in range(5)]
