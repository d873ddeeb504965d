"""A rebuild makes a damaged graph anew, and reads no other repository in the name of one that is gone."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from graphsvc.errors import Corrupt, InvalidInput
from tests.rebuild.conftest import Sample
from tests.repositories import RepositoryBuilder


def flip_a_bit(graph: Path) -> None:
    data = bytearray(graph.read_bytes())
    data[len(data) // 2] ^= 1
    graph.write_bytes(data)


def leave_a_log_beside(graph: Path) -> None:
    graph.with_name(f"{graph.name}.wal").write_bytes(b"x")


def remove_the_folder(graph: Path) -> None:
    shutil.rmtree(graph.parent)


def replace_the_folder(graph: Path) -> None:
    shutil.rmtree(graph.parent)
    graph.parent.write_bytes(b"")


@pytest.mark.parametrize("damage", [flip_a_bit, leave_a_log_beside, remove_the_folder, replace_the_folder])
def test_a_damaged_graph_is_refused_and_made_anew(sample: Sample, damage: Callable[[Path], None]) -> None:
    [graph] = sample.store.glob("generations/*/graph.kuzu")
    root = sample.root_digest()
    damage(graph)

    with pytest.raises(Corrupt):
        sample.open().cypher("MATCH (s:Symbol {name: 'parse_amount'}) RETURN s.id")
    report = sample.open().rebuild()

    assert report.generation.is_new
    assert report.generation.generation.root_digest == root
    assert sample.open().cypher("MATCH (s:Symbol {name: 'parse_amount'}) RETURN s.id").rows
    assert sample.open().verify(deep=False).ok


def test_another_repository_at_the_same_path_is_not_read(sample: Sample, tmp_path: Path) -> None:
    before = sample.open().sql("SELECT count(*) FROM event").rows
    sample.repository.rename(tmp_path / "moved")
    RepositoryBuilder(sample.repository).commit({"other.py": "x = 1\n"}, "Another one\n")

    report = sample.open().rebuild()

    assert sorted(report.unavailable) == ["tally: code", "tally: entire", "tally: git"]
    assert "another repository" in report.unavailable["tally: git"]
    assert sample.open().sql("SELECT count(*) FROM event").rows == before


def test_a_source_that_is_no_repository_stops_no_other(sample: Sample, tmp_path: Path) -> None:
    other = RepositoryBuilder(tmp_path / "other")
    other.commit({"other.py": "x = 1\n"}, "Another one\n")
    sample.open().add_repository(tmp_path / "other")
    shutil.rmtree(sample.repository / ".git")
    (sample.repository / ".git").write_text(f"gitdir: {tmp_path}/other/.git\n")

    report = sample.open().rebuild()

    assert sorted(report.unavailable) == ["tally: code", "tally: entire", "tally: git"]
    assert {one.source.name for one in report.sources} == {"other"}


def test_a_name_means_one_repository(sample: Sample, tmp_path: Path) -> None:
    RepositoryBuilder(tmp_path / "other" / "tally").commit({"other.py": "x = 1\n"}, "Another one\n")

    with pytest.raises(InvalidInput, match="is called 'tally' already"):
        sample.open().add_repository(tmp_path / "other" / "tally")
    sample.open().add_repository(sample.repository)


def test_a_name_that_is_no_text_is_refused(sample: Sample) -> None:
    with pytest.raises(InvalidInput, match="is not UTF-8"):
        sample.open().add_repository(sample.repository, name="\udcff")
