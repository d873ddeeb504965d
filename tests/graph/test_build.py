"""A build holds exactly the rows of its files, or leaves nothing behind and says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphsvc.errors import Corrupt, DurabilityUncertain, InvalidInput, SourceUnavailable
from graphsvc.graph import build as building
from graphsvc.graph.build import SIDECARS, build, discard, unfinished
from graphsvc.graph.digest import label_digest
from graphsvc.graph.engine import Database
from graphsvc.graph.reader import GraphReader
from graphsvc.graph.schema import NodeTable

from .samples import Sample, sample_of

ENDS = {"source": ["a"], "target": ["a"]}


def one_table(folder: Path, **columns: Any) -> Sample:
    return sample_of(folder, {"A": pa.table({"id": ["a"], **columns})}, {})


def test_every_value_comes_back(sample: Sample, tmp_path: Path, engine: str) -> None:
    report = build(tmp_path / "graph.kuzu", sample.schema, sample.files, engine=engine)

    assert report.rows == {name: rows.num_rows for name, rows in sample.tables.items()}
    assert report.attempts == 1
    with GraphReader.open(report.path, engine=engine) as reader:
        for node in sample.schema.nodes:
            columns = ", ".join(f"n.`{c.name}` AS `{c.name}`" for c in node.columns)
            found = reader.arrow(f"MATCH (n:`{node.label}`) RETURN {columns}").table
            assert label_digest(node, found) == label_digest(node, sample.tables[node.name])


def test_nothing_lies_beside_a_finished_file(sample: Sample, tmp_path: Path, engine: str) -> None:
    folder = tmp_path / "generation"
    folder.mkdir()

    sample.build(folder / "graph.kuzu", engine)

    assert [path.name for path in folder.iterdir()] == ["graph.kuzu"]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (["a", "b", "a"], ENDS, "A cannot be loaded: .*duplicated primary key value a"),
        (["a", None], ENDS, "A cannot be loaded: .*NULL"),
        (["a"], {"source": ["a"], "target": ["gone"]}, "A-R->A cannot be loaded: .*primary key value gone"),
        (["a"], {"source": ["gone"], "target": ["a"]}, "A-R->A cannot be loaded: .*primary key value gone"),
        (["a"], {"source": pa.array([None], "string"), "target": ["a"]}, "A-R->A cannot be loaded: .*NULL"),
    ],
)
def test_broken_precondition_is_an_error(
    tmp_path: Path, engine: str, nodes: list[str | None], edges: dict[str, Any], message: str
) -> None:
    broken = sample_of(tmp_path, {"A": pa.table({"id": nodes})}, {("R", "A", "A"): pa.table(edges)})
    before = set(tmp_path.iterdir())

    with pytest.raises(InvalidInput, match=message):
        broken.build(tmp_path / "graph.kuzu", engine)

    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "values",
    [
        pa.array([float("nan")]),
        pa.array([-(2**63)]),
        pa.array([-(2**63)], pa.timestamp("us")),
    ],
)
def test_value_that_the_engine_would_change_is_refused(tmp_path: Path, engine: str, values: pa.Array) -> None:
    with pytest.raises(InvalidInput, match="column `v` of A has a NaN or the least int64"):
        one_table(tmp_path, v=values).build(tmp_path / "graph.kuzu", engine)

    assert not (tmp_path / "graph.kuzu").exists()


def test_existing_file_is_not_overwritten(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "graph.kuzu"
    path.write_bytes(b"precious")

    with pytest.raises(InvalidInput, match="exists already"):
        one_table(tmp_path).build(path, engine)

    assert path.read_bytes() == b"precious"


def test_files_must_match_the_tables(tmp_path: Path, engine: str) -> None:
    sample = one_table(tmp_path)

    with pytest.raises(InvalidInput, match="do not match: A, B"):
        build(tmp_path / "g", sample.schema, {"B": sample.files["A"]}, engine=engine)


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"n": [1], "id": ["a"]}),
        pa.table({"id": ["a"]}),
        pa.table({"id": ["a"], "n": ["1"]}),
        pa.table({"id": ["a"], "n": pa.array([1], pa.int32())}),
    ],
)
def test_columns_must_match_the_table(tmp_path: Path, engine: str, rows: pa.Table) -> None:
    sample = one_table(tmp_path, n=[1])
    pq.write_table(rows, sample.files["A"])

    with pytest.raises(InvalidInput, match="does not have the columns of A") as caught:
        sample.build(tmp_path / "g", engine)

    assert "id string, n int64" in caught.value.hint


def test_unreadable_file_is_named(tmp_path: Path, engine: str) -> None:
    sample = one_table(tmp_path)
    sample.files["A"].write_bytes(b"PAR1 and no more")

    with pytest.raises(InvalidInput, match=r"0\.parquet for A cannot be read"):
        sample.build(tmp_path / "g", engine)


class FailingDatabase(Database):
    """A database that fails to open a given number of times."""

    failures = 0

    def __init__(self, path: Path, **arguments: Any) -> None:
        if FailingDatabase.failures:
            FailingDatabase.failures -= 1
            path.write_bytes(b"half a file")
            raise Corrupt("the disk hiccuped")
        super().__init__(path, **arguments)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> type[FailingDatabase]:
    monkeypatch.setattr(building, "Database", FailingDatabase)
    monkeypatch.setattr(FailingDatabase, "failures", 0)
    return FailingDatabase


def test_failed_write_is_built_anew_once(
    sample: Sample, tmp_path: Path, engine: str, failing: type[FailingDatabase]
) -> None:
    failing.failures = 1

    report = build(tmp_path / "graph.kuzu", sample.schema, sample.files, engine=engine)

    assert (report.attempts, report.path.exists()) == (2, True)


def test_second_failure_is_reported_and_leaves_nothing(
    sample: Sample, tmp_path: Path, engine: str, failing: type[FailingDatabase]
) -> None:
    failing.failures = 2

    with pytest.raises(SourceUnavailable, match=r"failed 2 times to build .*: the disk hiccuped"):
        sample.build(tmp_path / "graph.kuzu", engine)

    assert not list(tmp_path.glob("graph.kuzu*"))


def test_leftover_of_a_killed_build_is_replaced(sample: Sample, tmp_path: Path, engine: str) -> None:
    path = tmp_path / "graph.kuzu"
    for ending in ("", *SIDECARS):
        Path(f"{unfinished(path)}{ending}").write_bytes(b"left by a killed build")

    sample.build(path, engine)

    assert [found.name for found in tmp_path.glob("graph.kuzu*")] == ["graph.kuzu"]


def test_file_that_cannot_be_synced_is_uncertain(
    sample: Sample, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("os.fsync", fail)

    with pytest.raises(DurabilityUncertain, match="no space left"):
        sample.build(tmp_path / "graph.kuzu", engine)

    assert not (tmp_path / "graph.kuzu").exists()


def test_discard_deletes_the_file_and_what_lies_beside(tmp_path: Path) -> None:
    names = ["g", "g.wal", "g.shadow", "g.tmp", "g.other", "h"]
    for name in names:
        (tmp_path / name).touch()

    discard(tmp_path / "g")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.other", "h"]


def test_empty_graph_can_be_built(tmp_path: Path, engine: str) -> None:
    empty = pa.table({"id": pa.array([], pa.string())})
    sample = sample_of(tmp_path, {"A": empty}, {})

    report = build(tmp_path / "g", sample.schema, sample.files, engine=engine)

    assert report.rows == {"A": 0}
    assert NodeTable.from_arrow("A", empty.schema) in sample.schema.nodes
