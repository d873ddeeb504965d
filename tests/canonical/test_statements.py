"""Statements of users read the store and nothing else of the machine, one query at a time."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import BudgetExhausted, InvalidInput

LIMITS: dict[str, Any] = {"max_rows": 10, "seconds": 30.0}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> CanonicalStore:
    return CanonicalStore.create(tmp_path_factory.mktemp("s") / "store")


@pytest.fixture
def in_temp() -> Path:
    """A file in the system's folder for temporary files, where DuckDB could spill."""
    with tempfile.NamedTemporaryFile(prefix="statement-", suffix=".csv", delete=False) as file:
        file.write(b"a\n1\n")
    return Path(file.name)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{path}')",
        "SELECT * FROM read_csv('{path}')",
        "SELECT * FROM glob('{path}')",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{path}'",
        "COPY (SELECT 1) TO '{path}'",
        "EXPORT DATABASE '{path}.folder'",
        "ATTACH '{path}.duckdb' AS other",
    ],
)
def test_no_file_is_read_or_written(store: CanonicalStore, in_temp: Path, statement: str) -> None:
    try:
        with store.read() as reader, pytest.raises(InvalidInput):
            reader.statement(statement.format(path=in_temp), **LIMITS)
        assert in_temp.read_bytes() == b"a\n1\n"
        assert sorted(in_temp.parent.glob(f"{in_temp.name}*")) == [in_temp]
    finally:
        in_temp.unlink()


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "-- nothing",
        "SELECT 1; SELECT 2",
        "USE memory",
        "BEGIN",
        "DETACH memory",
        "CREATE TEMP TABLE t(a INT)",
    ],
)
def test_only_one_query_is_run(store: CanonicalStore, statement: str) -> None:
    with store.read() as reader, pytest.raises(InvalidInput):
        reader.statement(statement, **LIMITS)


@pytest.mark.parametrize(
    "statement", ["SELECT 1 AS a;", "FROM (VALUES (1))", "DESCRIBE receipt", "EXPLAIN SELECT 1"]
)
def test_whatever_reads_is_a_query(store: CanonicalStore, statement: str) -> None:
    with store.read() as reader:
        assert reader.statement(statement, **LIMITS)[1]


def test_rows_and_time_are_limited(store: CanonicalStore) -> None:
    with store.read() as reader:
        assert len(reader.statement("FROM range(1000)", max_rows=10, seconds=30)[1]) == 10
        with pytest.raises(BudgetExhausted) as stopped:
            reader.statement(
                "SELECT sum(a.range ^ b.range) FROM range(1e6::INT) a, range(1e6::INT) b",
                max_rows=1,
                seconds=0.05,
            )
        assert stopped.value.limit == "0.05 s"
        assert reader.statement("SELECT 1", **LIMITS)[1] == [(1,)]
