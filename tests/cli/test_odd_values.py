"""Values that nobody expects are shown, or refused in one line: never a failure of the program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Sample, environment


@pytest.mark.parametrize(
    "columns",
    [
        "1 AS segment, 2 AS start_byte, 3 AS end_byte",
        "'x' AS segment, 2 AS start_byte",
        "1 AS path, 2 AS start_line",
    ],
)
@pytest.mark.parametrize("form", ["table", "markdown"])
def test_columns_of_any_name_and_type_are_shown(run: Run, columns: str, form: str) -> None:
    assert run("sql", f"SELECT {columns}", "--format", form).status == 0


@pytest.mark.parametrize(
    "value",
    ["uuid()", "MAP {1: 2}", "INTERVAL 5 YEAR", "TIME '12:00'", "[NULL]", "1::UNION(a INT, b VARCHAR)"],
)
def test_any_value_fits_into_parquet(run: Run, tmp_path: Path, value: str) -> None:
    result = run(
        "sql", f"SELECT {value} AS a", "--format", "parquet", "--output", str(tmp_path / "a.parquet")
    )

    assert (result.status, (tmp_path / "a.parquet").exists()) == (0, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ("symbol", "\udcff"),
        ("cypher", "RETURN '\udcff'"),
        ("sql", "SELECT '\udcff'"),
        ("evidence", f"{'a' * 64}:0-{'9' * 5000}"),
        ("evidence", f"{'a' * 64}:\u0660-\u0663"),
        ("add", "repo", ".", "--name", "\udcff"),
        ("add", "planes", ".", "--name", "\udcff"),
        ("add", "sessions", "pi", ".", "--name", "\udcff"),
        ("remember", "\udcff"),
        ("remember", "x", "--anchor", "commit:\udcff"),
        ("recall", "\udcff"),
        ("recall", "--kind", "\udcff"),
        ("forget", "\udcff"),
        ("trust", "\udcff"),
    ],
)
def test_what_cannot_be_meant_is_wrong_input(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)

    assert result.status == 2
    assert result.stderr.count("\n") == 1


def test_a_system_error_says_what_to_check(run: Run, tmp_path: Path) -> None:
    result = run("status", store=tmp_path / ("x" * 300))

    assert result.status == 20
    assert "File name too long" in result.stderr
    assert "unexpected" not in result.stderr


def test_a_full_disk_behind_standard_output_is_an_error(sample: Sample) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "graphsvc", "--store", str(sample.store), "query"]
        done = subprocess.run(command, env=environment(), stdout=full, stderr=subprocess.PIPE, check=False)

    assert done.returncode == 20
    assert b"cannot be written: No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_query_that_is_interrupted_is_a_stop(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise RuntimeError("Query interrupted")  # as DuckDB does for a KeyboardInterrupt

    monkeypatch.setattr("graphsvc.knowledge.KnowledgeBase.sql", interrupted)
    result = run("sql", "SELECT 1")

    assert (result.status, result.stderr.count("\n")) == (130, 1)
