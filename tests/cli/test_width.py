"""Tables and trails fit the width that there is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.cli.fitting import fitted, short_ids
from tests.cli.conftest import Run, Sample, environment

IDS = st.uuids().map(str) | st.uuids().map(lambda each: f"turn_{each.hex}") | st.sampled_from(["main", ""])


@given(st.lists(IDS))
def test_short_ids_are_beginnings_that_tell_apart(ids: list[str]) -> None:
    short = short_ids(ids)

    assert all(full.startswith(cut) for full, cut in zip(ids, short, strict=True))
    assert len(set(short)) == len(set(ids))


@given(st.lists(st.lists(st.text("ab 1", max_size=60), min_size=4, max_size=4)), st.integers(20, 200))
def test_columns_are_shown_or_named_as_left_out(rows: list[list[str]], width: int) -> None:
    fit = fitted(["a", "b", "c", "d"], rows, width)

    assert sorted(fit.columns + fit.left_out) == ["a", "b", "c", "d"]
    assert fit.columns[0] == "a"
    assert [len(row) for row in fit.rows] == [len(fit.columns)] * len(rows)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_sessions_keep_their_id_and_prompt_in_lines_that_fit(launch: Run, sample: Sample, width: int) -> None:
    result = launch("sessions", "--format", "table", COLUMNS=str(width))

    head, *_ = lines = result.text.splitlines()
    assert {"session", "agent", "started_at", "first_prompt"} <= set(head.split())
    assert max(map(len, lines)) <= width
    assert sample.session[:13] in result.text
    assert sample.session[:15] not in result.text
    assert ("left out for lack of room: " in result.stderr) == ("files" not in head.split())


def test_a_trail_names_each_step_once_and_fits(launch: Run) -> None:
    result = launch("why", "tally/money.py:6", "--format", "table", COLUMNS="80")

    lines = result.text.splitlines()
    steps = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert steps == ["line", "commit", "checkpoint", "session", "tool_call", "prompt", "tried", "verified"]
    assert max(map(len, lines)) <= 80
    assert "Amounts with a thousands separator" in result.text


@pytest.mark.parametrize("arguments", [["--help"], ["sessions", "--help"], ["sessions"], ["query"]])
def test_a_reader_that_goes_is_no_fault(sample: Sample, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "graphsvc", "--store", str(sample.store), *arguments]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        errors = process.stderr.read()

    assert (process.wait(), errors) == (141, b"")


def test_a_filter_that_no_session_fits_names_what_there_is(run: Run) -> None:
    def notes(*options: str) -> list[str]:
        return list(run("sessions", *options).document["coverage"]["notes"])

    assert len(run("sessions", "--agent", "claude").document["rows"]) == 2
    assert notes("--agent", "nobody") == ["no session has the agent 'nobody': there are Claude Code"]
    [note] = notes("--tool", "nothing", "--agent", "claude")
    assert note.startswith("no session has the tool 'nothing': there are ")
    assert notes("--since", "1d", "--agent", "claude") == ["no session fits all of the filters"]


def test_an_ambiguous_id_is_told_with_the_count_and_a_few_candidates(run: Run, tmp_path: Path) -> None:
    host = tmp_path / "host"
    host.mkdir()
    for number in range(30):
        record = {"session": f"abc{number:02}", "role": "user", "text": "Hi"}
        (host / f"abc{number:02}.jsonl").write_text(json.dumps(record) + "\n")
    store = tmp_path / "store"
    run("init", store=store)
    run("add", "sessions", "jsonl", str(host), store=store)
    run("rebuild", store=store)

    result = run("session", "abc", store=store)

    assert result.status == 15
    assert "30 sessions have ids that begin with 'abc'" in result.stderr
    assert "abc00, abc01, abc02, abc03, abc04 and 25 more" in result.stderr
