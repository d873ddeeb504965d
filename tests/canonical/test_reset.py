"""Reset recreates exactly the store that it is told to, and touches nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.reset import reset
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput, NotFound, StoreBusy


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return CanonicalStore.create(tmp_path_factory.mktemp("template") / "store").folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """A store that a test may change."""
    return shutil.copytree(template, tmp_path / "store")


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in folder.iterdir()
        if not path.name.startswith(("write", "reb"))
    }


def test_the_old_bytes_are_kept_under_the_first_free_name(folder: Path) -> None:
    before = content(folder)

    first = reset(folder, keep=True, wait=0)
    second = reset(folder, keep=True, wait=0)

    assert (first.kept, second.kept) == (f"{folder}.reset-1", f"{folder}.reset-2")
    assert content(folder.with_name("store.reset-1")) == before
    assert CanonicalStore(folder).sources() == []


@pytest.mark.parametrize("marker", [None, "", "{", '{"format": "other"}', '{"a": 1, "a": 2}'])
def test_a_store_is_reset_whatever_its_marker_says(folder: Path, marker: str | None) -> None:
    (folder / "store.json").unlink()
    if marker is not None:
        (folder / "store.json").write_text(marker)
    (folder / "canonical.duckdb").write_bytes(b"damaged")

    reset(folder, keep=False, wait=0)

    assert CanonicalStore(folder).sources() == []
    assert [path.name for path in folder.parent.iterdir()] == ["store"]


def test_a_folder_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    with pytest.raises(InvalidInput, match="is not a store: nothing was touched"):
        reset(tmp_path, keep=False, wait=0)
    with pytest.raises(NotFound):
        reset(tmp_path / "absent", keep=False, wait=0)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_store_with_something_else_in_it_is_left_alone(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    before = content(folder)

    with pytest.raises(InvalidInput, match=r"holds notes\.txt, which is not part of a store"):
        reset(folder, keep=True, wait=0)
    assert content(folder) == before


def test_a_store_that_is_being_rebuilt_is_busy(folder: Path) -> None:
    with exclusive(folder, "rebuild", wait=0), pytest.raises(StoreBusy):
        reset(folder, keep=True, wait=0)
    assert not folder.with_name("store.reset-1").exists()
