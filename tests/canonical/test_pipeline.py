"""Admission in the background: every batch expects what the one before it left, and an error stops the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.pipeline import Pipeline
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput


def numbered(number: int, *, end: int = 3) -> Batch:
    batch = Batch("source_a", None, position=str(number))
    batch.fault("malformed_line", str(number), "cut off", Span(batch.segment(b"%03d" % number), 0, end))
    return batch


def test_batches_are_committed_in_order(tmp_path: Path) -> None:
    store = CanonicalStore.create(tmp_path / "store")
    with Pipeline(store, None) as pipeline:
        for number in range(4):
            pipeline.admit(numbered(number))

    with store.read() as reader:
        rows = reader.rows("SELECT position, seq_lo, seq_hi FROM receipt ORDER BY number")
    assert rows == [("0", 1, 1), ("1", 2, 2), ("2", 3, 3), ("3", 4, 4)]
    assert pipeline.admitted == {"fault": 4}


def test_an_error_is_raised_and_nothing_after_it_is_admitted(tmp_path: Path) -> None:
    store = CanonicalStore.create(tmp_path / "store")

    def admit_three() -> None:
        with Pipeline(store, None) as pipeline:
            pipeline.admit(numbered(0))
            pipeline.admit(numbered(1, end=9))
            pipeline.admit(numbered(2))

    with pytest.raises(InvalidInput):
        admit_three()
    with store.read() as reader:
        assert reader.rows("SELECT location FROM fault") == [("0",)]
