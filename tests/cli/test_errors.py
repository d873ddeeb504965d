"""An error is one line on standard error with what to do next, and the exit status of its class."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphsvc.canonical.lock import exclusive
from tests.cli.conftest import Run, Sample, environment


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("session", "nope"), 14, "no session has the id 'nope'"),
        (("checkpoint", ""), 15, "(a1b2c3d4e5f6, b2c3d4e5f6a1, c3d4e5f6a1b2); give more of the name"),
        (("symbol", "nope"), 14, "no indexed symbol is called 'nope'"),
        (("query", "nope"), 14, "there is no query 'nope'"),
        (("why", "README.md:0"), 2, "has no lines"),
        (("why", "nope.py:1"), 14, "no indexed snapshot has nope.py"),
        (("sql", "DELETE FROM commit"), 2, "the statement was refused"),
        (("cypher", "MATCH (n) DETACH DELETE n"), 16, ""),
        (("evidence", "zz"), 2, "is not an evidence span"),
        (("sessions", "--since", "yesterday"), 2, "is no time"),
        (("sessions", "--limit", "0"), 2, "not in the range"),
        (("callers",), 2, "Missing argument"),
        (("query", "top_tools", "-p", "limit"), 2, "is not NAME=VALUE"),
        (("add", "repo", "."), 14, ""),
    ],
)
def test_status_and_message(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    result = run(*arguments, cwd=tmp_path)

    assert (result.status, result.stdout) == (status, b"")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_error_is_one_line_and_debug_shows_where_it_arose(launch: Run) -> None:
    short = launch("sql", "SELECT\nnope\nFROM nowhere")
    long = launch("--debug", "sql", "SELECT nope FROM nowhere")

    assert short.stderr.startswith("graphsvc: the statement was refused")
    assert short.stderr.count("\n") == 1
    assert "Traceback" in long.stderr


def test_there_is_no_store(run: Run, tmp_path: Path) -> None:
    result = run("status", store=None, cwd=tmp_path)

    assert result.status == 14
    assert "run `graphsvc init`" in result.stderr


def _doubled(text: str) -> str:
    return text.replace("{", '{"format": "graphsvc-store-1",', 1)


def _other_format(text: str) -> str:
    return json.dumps(json.loads(text) | {"format": "graphsvc-store-0"})


def _other_schema(text: str) -> str:
    return json.dumps(json.loads(text) | {"schema_fingerprint": "0" * 64})


@pytest.mark.parametrize(
    "change", [None, _doubled, _other_format, _other_schema, lambda text: "{", lambda text: "[" * 99_999]
)
def test_a_store_of_another_form_has_to_be_reset(
    run: Run, sample: Sample, tmp_path: Path, change: Callable[[str], str] | None
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    (store / "canonical.duckdb").write_bytes(b"never read")
    if change is not None:
        (store / "store.json").write_text(change((sample.store / "store.json").read_text()))

    result = run("status", store=store)

    assert result.status == 10
    assert "run `graphsvc reset`" in result.stderr


def test_a_second_rebuild_is_told_who_is_at_work(launch: Run, sample: Sample) -> None:
    with exclusive(sample.store, "rebuild", wait=0):
        result = launch("--wait", "0.1", "rebuild")

    assert (result.status, result.stdout) == (11, b"")
    assert f"held by process {os.getpid()}" in result.stderr


def test_a_reader_that_leaves_early_is_no_error(sample: Sample) -> None:
    command = [
        sys.executable,
        "-m",
        "graphsvc",
        "--store",
        str(sample.store),
        "sql",
        "SELECT * FROM range(99999)",
    ]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read()

    assert process.returncode == 0
    assert errors == ""


def test_damage_is_found_and_named(run: Run, sample: Sample, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(sample.store, store)
    [graph] = store.glob("generations/*/graph.kuzu")
    data = bytearray(graph.read_bytes())
    data[len(data) // 2] ^= 1
    graph.write_bytes(data)

    result = run("verify", "--quick", store=store)

    assert result.status == 12
    assert [check["name"] for check in result.document["checks"] if check["findings"]] == ["generation 1"]
    assert "is damaged: generation 1" in result.stderr
