"""Verification finds whatever in the ledger or in the bytes is not what was admitted."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import duckdb
import pytest

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.verification import Check, verify_ledger, verify_segments
from loaders.base import silent


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two batches, each with a fault and a document of two parts."""
    store = CanonicalStore.create(tmp_path_factory.mktemp("template") / "store")
    for name in ("a", "b"):
        batch = Batch("source_a", expected=store.cursor("source_a"), position=name, content_digest=name)
        segment = batch.segment(name.encode() * 9)
        batch.fault("malformed_line", name, "cut off", Span(segment, 0, 9))
        batch.event(
            "document",
            (name,),
            Span(segment, 0, 9),
            subject=name,
            document_id=f"document_{name}",
            path=name,
            content_id=name,
            role="other",
            byte_count=9,
            is_missing=False,
        )
        batch.part(f"document_{name}", 0, Span(segment, 0, 4))
        batch.part(f"document_{name}", 1, Span(segment, 4, 9))
        store.admit(batch)
    return store.folder


@pytest.fixture
def store(template: Path, tmp_path: Path) -> CanonicalStore:
    """A copy that a test may damage."""
    return CanonicalStore(shutil.copytree(template, tmp_path / "store"))


def failed(store: CanonicalStore) -> dict[str, tuple[str, ...]]:
    with store.read() as reader:
        checks = [*verify_ledger(reader), verify_segments(reader, silent)]
    return {check.name: check.findings for check in checks if not check.ok}


def change(store: CanonicalStore, statement: str) -> None:
    """Change the file behind the store's back."""
    with duckdb.connect(str(store.path)) as connection:
        connection.execute(statement)


def test_a_sound_store_is_found_sound_and_all_of_it_is_looked_at(store: CanonicalStore) -> None:
    with store.read() as reader:
        checks = [*verify_ledger(reader), verify_segments(reader, silent)]

    assert checks == [
        Check("receipts", 2, ()),
        Check("batches", 2, ()),
        Check("sequence", 4, ()),
        Check("evidence", 4, ()),
        Check("parts", 4, ()),
        Check("segments", 2, ()),
    ]


@pytest.mark.parametrize(
    ("statement", "check", "finding"),
    [
        ("UPDATE receipt SET position = 'x' WHERE number = 1", "receipts", "another digest than its fields"),
        ("UPDATE receipt SET previous_digest = 'x' WHERE number = 2", "receipts", "follows another receipt"),
        ("DELETE FROM receipt WHERE number = 1", "receipts", "receipt 1 is missing"),
        ("DELETE FROM fault WHERE location = 'b'", "sequence", "3 events have 3 distinct numbers up to 4"),
        ("UPDATE fault SET event_id = 'x' WHERE location = 'a'", "batches", "the batch of receipt 1"),
        ("UPDATE fault SET end_byte = 10 WHERE location = 'a'", "evidence", "the evidence of fault"),
        ("UPDATE fault SET segment = 'x' WHERE location = 'a'", "evidence", "the evidence of fault"),
        (
            "DELETE FROM part WHERE ordinal = 0 AND document_id = 'document_a'",
            "parts",
            "is missing before part 1",
        ),
        ("UPDATE part SET end_byte = 10 WHERE ordinal = 1", "parts", "lies outside of the segments"),
        ("DELETE FROM segment WHERE pack = 2", "batches", "the batch of receipt 2"),
        ("UPDATE segment SET pack_start = 1 WHERE pack = 2", "segments", "has the digest"),
        ("UPDATE pack SET data = 'x' WHERE pack = 2", "segments", "pack 2 with 1 segments"),
        ("DELETE FROM part WHERE document_id = 'document_b'", "batches", "the batch of receipt 2"),
    ],
)
def test_what_was_changed_is_named(store: CanonicalStore, statement: str, check: str, finding: str) -> None:
    change(store, statement)

    assert any(finding in found for found in failed(store)[check])


def test_a_damaged_block_is_a_finding(store: CanonicalStore) -> None:
    noise = Random(1).randbytes(1 << 20)
    batch = Batch("source_b", expected=None)
    batch.segment(noise)
    store.admit(batch)
    data = bytearray(store.path.read_bytes())
    data[data.index(noise[5000:5032])] ^= 1
    store.path.write_bytes(data)

    assert "checksum" in failed(store)["segments"][0]
