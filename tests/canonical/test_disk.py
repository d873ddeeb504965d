"""What a disk does to a store is named as what it is."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from graphsvc.canonical.connection import writing
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Corrupt, DurabilityUncertain, NotFound, SourceUnavailable


@pytest.fixture
def store(tmp_path: Path) -> CanonicalStore:
    return CanonicalStore.create(tmp_path / "blocks" / "store")


def test_a_file_that_is_damaged_is_not_taken_for_a_locked_one(store: CanonicalStore) -> None:
    os.truncate(store.path, 100)

    with pytest.raises(Corrupt) as caught, store.read():
        pass
    assert "graphsvc reset" in caught.value.hint


def test_a_file_that_leads_to_itself_cannot_be_read(store: CanonicalStore) -> None:
    store.path.unlink()
    store.path.symlink_to(store.path.name)

    with pytest.raises(NotFound), store.read():
        pass


def test_a_full_disk_leaves_the_outcome_uncertain(store: CanonicalStore) -> None:
    with pytest.raises(DurabilityUncertain), writing(store.path, wait=1):
        raise duckdb.IOException("No space left on device")

    assert store.sources() == []


def test_a_store_cannot_be_made_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(SourceUnavailable):
        CanonicalStore.create(tmp_path / "file" / "store")


def test_a_lock_in_a_folder_that_is_gone_cannot_be_had(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(SourceUnavailable), exclusive(tmp_path / "file", "write", wait=1):
        pass
