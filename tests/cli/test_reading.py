"""Sessions as people read them, as exports, and as trajectories."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import polars as pl
import pytest

import graphsvc
from queries.transcripts import Call
from tests.cli.conftest import Run, Sample


@pytest.fixture
def store(sample: Sample, tmp_path: Path) -> Path:
    """A copy of the sample's store, to be changed."""
    return Path(shutil.copytree(sample.store, tmp_path / "store"))


@pytest.fixture
def first(sample: Sample) -> str:
    """The older session, with two turns."""
    [row] = graphsvc.open(sample.store).sessions(sort="oldest", limit=1)
    return str(row["session"])


def test_a_turn_is_shown_with_its_diffs(run: Run, first: str) -> None:
    text = run("session", first, "--turn", "2").text

    assert "❯ Amounts with a thousands separator" in text
    assert '  -    units, _, cents = text.strip().partition(".")' in text
    assert '  +    units, _, cents = text.strip().replace(",", "").partition(".")' in text
    assert "✗ Bash python -m pytest -q" in text
    assert "Read a ledger" not in text


def test_calls_are_folded_unless_asked_for(run: Run, first: str) -> None:
    folded, full = (run("session", first, *options, "--format", "text").text for options in ((), ("--full",)))

    assert "more lines" in folded
    assert "more lines" not in full
    assert len(full.splitlines()) > len(folded.splitlines())


def test_markdown_and_html_hold_every_prompt(run: Run, first: str, tmp_path: Path) -> None:
    page = tmp_path / "session.html"

    markdown = run("session", first, "--format", "markdown").text
    run("session", first, "--format", "html", "--output", str(page))

    assert "> Amounts with a thousands separator" in markdown
    assert "```diff\n" in markdown
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert "lambda item: -item[1]" not in html
    assert "&#x27;" in html
    assert "http" not in html.replace("https://", "http")


def test_lines_are_the_host_s_own_bytes(run: Run, sample: Sample, first: str) -> None:
    raw = run("session", first, "--raw").stdout

    assert raw == run("session", first, "--format", "jsonl").stdout
    assert {json.loads(line)["sessionId"] for line in raw.splitlines()} == {first}
    calls = [
        call
        for turn in graphsvc.open(sample.store).transcript(first).turns
        for call in turn.items
        if isinstance(call, Call)
    ]
    assert len(calls) == raw.count(b'"type":"tool_use"')


def test_a_turn_that_is_not_there(run: Run, first: str) -> None:
    result = run("session", first, "--turn", "9")

    assert result.status == 14
    assert "it has 2 turns" in result.stderr


def test_filters_and_counts(run: Run) -> None:
    assert run("sessions", "--file", "tally/ledger.py", "--count").text == "2\n"
    assert run("sessions", "--tool", "Edit", "--text", "thousands", "--count").text == "1\n"
    assert run("sessions", "--summary", "--count").text == "0\n"
    [row] = run("checkpoints", "--limit", "1").document["rows"]
    assert row["commits"] == 1


def test_trajectories_of_what_is_unprocessed(run: Run, store: Path) -> None:
    arguments = ("trajectories", "--unprocessed", "--mark", "--consumer", "lessons")

    first, second = (run(*arguments, store=store) for _ in range(2))

    found = [json.loads(line) for line in first.text.splitlines()]
    assert [(each["outcome"]["success"], each["outcome"]["rule"]) for each in found] == [
        (True, "tests"),
        (True, "commits"),
    ]
    step = found[0]["steps"][1]
    assert step["action"]["tool"] == "Write"
    assert step["thought"].startswith("Amounts can be parsed already.")
    assert found[0]["task"]["domain"] == "python"
    assert found[0]["metadata"]["turns"] == 2
    assert (second.text, second.stderr) == ("", "0 trajectories, marked as processed\n")
    log = run("processed", "log", store=store).document["rows"]
    assert [(row["consumer"], row["is_current"]) for row in log] == [("lessons", True)] * 2


def test_trajectories_as_parquet(run: Run, tmp_path: Path) -> None:
    run("trajectories", "--parquet", str(tmp_path / "out"))

    assert pl.read_parquet(tmp_path / "out/trajectories.parquet")["steps"].to_list() == [8, 4]
    assert pl.read_parquet(tmp_path / "out/steps.parquet").height == 12


def test_sessions_of_a_host_are_discovered_added_and_read(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    folder = home / ".claude/projects/-home-ada-tally"
    folder.mkdir(parents=True)
    (folder / f"{first}.jsonl").write_bytes(run("session", first, "--raw").stdout)
    before = graphsvc.open(store).sessions().rows

    [found] = run("add", "sessions", "--discover", store=store).document["found"]
    assert (found["host"], found["transcripts"]) == ("claude-code", 1)
    [source] = run("add", "sessions", "claude-code", store=store).document["sources"]
    assert source["locator"] == str(home / ".claude/projects")
    rebuilt = run("rebuild", store=store).document["sources"]

    # The same session in a checkpoint and in the host's file is one.
    [report] = [each for each in rebuilt if each["loader"] == "sessions.claude_code"]
    assert report["admitted"]["document"] == 1
    assert "entry" not in report["admitted"]
    assert graphsvc.open(store).sessions().rows == before
