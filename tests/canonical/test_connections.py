"""Readings share one engine inside of a block that keeps it, and keep no file open between them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from graphsvc.canonical import connection
from graphsvc.canonical.connection import keeping_instances, memory
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.table_files import reading_tables, write_tables

WRITE = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('CREATE TABLE made AS SELECT 1 AS n')"


@pytest.fixture
def store(tmp_path: Path) -> CanonicalStore:
    return CanonicalStore.create(tmp_path / "store", wait=0)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the databases that DuckDB was started for."""
    connect, names = connection._connect, []

    def noted(name: str) -> duckdb.DuckDBPyConnection:
        names.append(name)
        return connect(name)

    monkeypatch.setattr(connection, "_connect", noted)
    return names


def ask(store: CanonicalStore) -> int:
    with store.read() as reader:
        return len(reader.rows("FROM receipt"))


def test_readings_of_a_block_share_one_instance(store: CanonicalStore, started: list[str]) -> None:
    with keeping_instances():
        for _ in range(5):
            ask(store)

    assert started == [":memory:"]


def test_without_a_block_each_reading_starts_its_own(store: CanonicalStore, started: list[str]) -> None:
    ask(store)
    ask(store)

    assert started == [":memory:"] * 2


def test_nothing_is_kept_after_the_outermost_block(store: CanonicalStore, started: list[str]) -> None:
    with keeping_instances():
        with keeping_instances():
            ask(store)
        ask(store)
    ask(store)

    assert started == [":memory:"] * 2


def test_the_file_is_free_between_readings(store: CanonicalStore) -> None:
    with keeping_instances():
        ask(store)
        subprocess.run([sys.executable, "-c", WRITE, store.path], check=True)
        with store.read() as reader:
            assert reader.rows("FROM made") == [(1,)]


def test_what_a_reader_made_is_gone_for_the_next(store: CanonicalStore) -> None:
    with keeping_instances():
        with store.read() as reader:
            reader.run("CREATE TEMP TABLE mine AS SELECT 1 AS n")
            assert reader.has_table("mine")
        with store.read() as reader:
            assert not reader.has_table("mine")


def test_an_instance_that_was_locked_for_a_statement_is_not_used_again(
    store: CanonicalStore, started: list[str]
) -> None:
    with keeping_instances():
        for _ in range(2):
            with store.read() as reader:
                assert reader.statement("SELECT 1", max_rows=1, seconds=30)[1] == [(1,)]

    assert started == [":memory:"] * 2


def test_files_of_tables_share_the_instance(tmp_path: Path, started: list[str]) -> None:
    files = [tmp_path / "one.tables", tmp_path / "two.tables"]
    with keeping_instances():
        for number, file in enumerate(files):
            write_tables(file, {"t": pl.DataFrame({"n": [number]})})
        for _ in range(2):
            with reading_tables(files) as reader:
                assert sorted(reader.rows("FROM t")) == [(0,), (1,)]

    assert started == [":memory:"]


def test_a_damaged_file_does_not_spoil_the_instance(tmp_path: Path, store: CanonicalStore) -> None:
    (tmp_path / "broken.duckdb").write_bytes(b"no database" * 9999)
    with keeping_instances():
        with memory() as one, pytest.raises(duckdb.Error):
            one.execute(f"ATTACH '{tmp_path / 'broken.duckdb'}' AS broken")
        assert ask(store) == 0
