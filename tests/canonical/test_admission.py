"""Admission: one transaction, gap-free seq, no second event for the same statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Conflict, InvalidInput


def fault_batch(store: CanonicalStore, *names: str) -> Batch:
    batch = Batch("source_a", expected=store.cursor("source_a"), position=names[-1], content_digest=names[-1])
    for name in names:
        data = name.encode() + b"\n"
        span = Span(batch.segment(data), 0, len(data) - 1)
        batch.fault("malformed_line", name, "cut off", span)
    return batch


@pytest.fixture
def store(tmp_path: Path) -> CanonicalStore:
    return CanonicalStore.create(tmp_path / "store")


def test_events_get_gap_free_numbers_across_batches(store: CanonicalStore) -> None:
    first = store.admit(fault_batch(store, "a", "b"))
    second = store.admit(fault_batch(store, "c"))

    with store.read() as reader:
        seqs = [row[0] for row in reader.rows("SELECT seq FROM event ORDER BY seq")]
    assert (first.seq_lo, first.seq_hi, second.seq_lo, second.seq_hi) == (1, 2, 3, 3)
    assert seqs == [1, 2, 3]


def test_replaying_a_source_makes_no_second_event(store: CanonicalStore) -> None:
    store.admit(fault_batch(store, "a", "b"))
    replay = store.admit(fault_batch(store, "a", "b"))

    with store.read() as reader:
        assert reader.rows("SELECT count(*) FROM fault") == [(2,)]
        assert reader.rows("SELECT count(*) FROM receipt") == [(1,)]
    assert replay.number is None


def test_evidence_gives_back_its_exact_bytes(store: CanonicalStore) -> None:
    store.admit(fault_batch(store, "first", "second"))

    with store.read() as reader:
        rows = reader.rows("SELECT segment, start_byte, end_byte FROM fault ORDER BY location")
        assert reader.spans(Span(*row) for row in rows) == [b"first", b"second"]


def test_a_document_is_rebuilt_byte_for_byte(store: CanonicalStore) -> None:
    batch = Batch("source_a", expected=None)
    for ordinal, line in enumerate([b"one\n", b"two\n", b"one\n"]):
        batch.part("document_1", ordinal, Span(batch.segment(line), 0, len(line) - (ordinal == 2)))
    store.admit(batch)

    with store.read() as reader:
        assert reader.document("document_1") == b"one\ntwo\none"


def test_a_cursor_that_moved_meanwhile_is_a_conflict(store: CanonicalStore) -> None:
    late = fault_batch(store, "late")
    store.admit(fault_batch(store, "early"))

    with pytest.raises(Conflict) as caught:
        store.admit(late)
    assert caught.value.expected is None
    assert store.cursor("source_a") == caught.value.actual


def test_evidence_outside_its_segment_is_refused_and_nothing_is_kept(store: CanonicalStore) -> None:
    batch = Batch("source_a", expected=None)
    batch.fault("malformed_line", "x", "too long", Span(batch.segment(b"ab"), 0, 3))

    with pytest.raises(InvalidInput, match="outside its segment"):
        store.admit(batch)
    with store.read() as reader:
        assert reader.rows("SELECT count(*) FROM segment") == [(0,)]


def test_an_event_with_a_value_that_no_column_holds_becomes_a_fault_and_the_others_stay(
    store: CanonicalStore,
) -> None:
    batch = Batch("source_a", expected=None)
    span = Span(batch.segment(b"a record\n"), 0, 8)
    numbers = [*range(20), 2**63, *range(20, 40)]
    for place, count in enumerate(numbers):
        batch.event(
            "token_usage", (str(place),), span, subject="session_1", session_key="s", input_tokens=count
        )
    batch.event("token_usage", ("text",), span, subject="session_1", session_key="half \ud800")
    batch.fault("malformed_line", "whole", "cut off", span)

    store.admit(batch)

    with store.read() as reader:
        assert reader.rows("SELECT count(*), sum(input_tokens) FROM token_usage") == [(40, sum(range(40)))]
        faults = reader.rows("SELECT fault_kind, segment, end_byte FROM fault ORDER BY fault_kind")
    assert faults == [
        ("malformed_line", span.segment, 8),
        ("unstorable_value", span.segment, 8),
        ("unstorable_value", span.segment, 8),
    ]
