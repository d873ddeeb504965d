"""From a line to the prompt that asked for it, and the exact bytes of each step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphsvc.cli.values import Place, locate, split_lines
from graphsvc.errors import InvalidInput
from tests.cli.conftest import Run, Sample

STEPS = ["line", "commit", "checkpoint", "session", "tool_call", "prompt", "tried", "verified"]
SEPARATORS = (
    "Amounts with a thousands separator, such as 1,250.00, make it crash. Please fix that at the root."
)


def test_a_line_that_an_agent_edited_leads_to_the_prompt_and_its_bytes(run: Run) -> None:
    document = run("why", "tally/money.py:6").document

    steps = {row["step"]: row for row in document["rows"]}
    assert list(steps) == STEPS
    assert steps["checkpoint"]["subject"] == "b2c3d4e5f6a1"
    assert steps["tool_call"]["text"].startswith("Edit ")
    assert steps["prompt"]["text"] == SEPARATORS
    span = "{segment}:{start_byte}-{end_byte}".format(**steps["prompt"])
    evidence = json.loads(run("evidence", span).stdout)
    assert evidence["message"]["content"] == SEPARATORS


def test_a_line_that_a_person_wrote_ends_at_the_commit_and_says_so(run: Run) -> None:
    document = run("why", "README.md:5").document

    assert [row["step"] for row in document["rows"]] == ["line", "commit"]
    assert document["coverage"]["notes"][0] == (
        "the trail ends: the commit's message names no checkpoint, and no session is known to have written it"
    )


@pytest.mark.parametrize("place", ["money.py:6", "./money.py:6", "../tally/money.py:6", "tally/money.py:6"])
def test_paths_count_from_the_working_directory(sample: Sample, place: str) -> None:
    path, *lines = split_lines(place)

    assert locate(path, sample.repository / "tally") == Place("tally/money.py", sample.repository)
    assert lines == [6, 6]


def test_a_path_that_is_not_on_disk_may_be_of_any_repository(sample: Sample) -> None:
    assert locate("old/gone.py", sample.repository) == Place("old/gone.py", None)
    assert locate("gone.py", sample.repository / "tally") == Place("tally/gone.py", None)
    assert locate("./gone.py", sample.repository / "tally") == Place("tally/gone.py", sample.repository)


def test_why_takes_an_absolute_path(run: Run, sample: Sample, tmp_path: Path) -> None:
    result = run("why", f"{sample.repository}/tally/money.py:6", cwd=tmp_path)

    assert [row["step"] for row in result.document["rows"]] == STEPS


def test_outside_of_repositories_a_path_is_from_the_root(tmp_path: Path) -> None:
    assert locate("tally/money.py", tmp_path) == Place("tally/money.py", None)
    with pytest.raises(InvalidInput, match="is in no git repository"):
        locate("./money.py", tmp_path)


@pytest.mark.parametrize("place", ["a.py:0", "a.py:0-3", "a.py:5-3"])
def test_lines_that_no_file_has_are_refused(place: str) -> None:
    with pytest.raises(InvalidInput, match="has no lines"):
        split_lines(place)


@pytest.mark.parametrize("name", ["a.py", "a.py:", ":3", "a.py:x", "a.py:-1", "a.py:²", "Store::load"])
def test_what_does_not_end_in_a_line_is_a_name(name: str) -> None:
    assert split_lines(name) == (name, None, None)


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("tally/money.py:1-9", "lines"),
        ("tally/money.py", "lines"),
        ("parse_amount", "lines"),
        ("checkpoint:b2c3d4e5f6a1", "checkpoint"),
    ],
)
def test_why_takes_lines_files_symbols_and_checkpoints(run: Run, name: str, step: str) -> None:
    rows = run("why", name).document["rows"]

    assert rows[0]["step"] == step
    assert SEPARATORS in "".join(row["text"] for row in rows if row["step"] == "prompt")


def test_why_takes_a_commit(run: Run) -> None:
    [commit] = {
        row["subject"] for row in run("why", "tally/money.py:6").document["rows"] if row["step"] == "commit"
    }

    rows = run("why", commit[:9]).document["rows"]

    assert [row["step"] for row in rows] == ["commit", "checkpoint", "session", "prompt"]
    assert rows[-1]["text"] == f"[3 lines] {SEPARATORS}"


def test_why_for_people_fits_and_gives_bytes_on_request(launch: Run) -> None:
    short = launch("why", "tally/money.py:6", "--format", "table", COLUMNS="100")
    long = launch("why", "tally/money.py:6", "--format", "table", "--evidence", COLUMNS="100")

    assert len(short.text.splitlines()) <= 20
    assert max(map(len, short.text.splitlines())) <= 100
    assert "evidence " not in short.text
    assert long.text.count("  evidence ") == len(STEPS) - 1


def test_trace_tells_what_became_of_a_session(run: Run, sample: Sample) -> None:
    document = run("trace", sample.session[:8]).document

    assert document["answer"] == f"trace session {sample.session}"
    assert all(
        row["lines"] == row["alive"] + row["changed"] + row["elsewhere"] + row["uncommitted"]
        for row in document["rows"]
    )
    assert "are alive" in document["coverage"]["notes"][0]


def test_story_is_in_order_and_has_the_prompt_before_its_commit(run: Run) -> None:
    rows = run("story", "tally/money.py").document["rows"]

    assert [row["event"] for row in rows] == ["commit", "prompt", "commit"]
    assert rows[1]["text"] == SEPARATORS
    assert rows[1]["commit"] == rows[2]["subject"]


def test_attribution_counts_every_line_once(run: Run) -> None:
    files = run("attribution").document["rows"]
    reasons = run("attribution", "--by", "reason").document["rows"]
    lines = run("attribution", "--by", "line").document["rows"]

    assert sum(row["lines"] for row in files) == sum(row["lines"] for row in reasons) == len(lines)
    assert all(row["lines"] == row["agent"] + row["mixed"] + row["human"] + row["unknown"] for row in files)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("why", "no_such_thing"), 14, "nothing is called 'no_such_thing'"),
        (("why", "tally/money.py:4000"), 2, "has no line 4000"),
        (("why", "tally/money.py:1-4000"), 2, "has no line 4000"),
        (("trace", "nobody"), 14, "no session, turn or tool call"),
        (("story", "no_such_thing"), 14, "nothing is called"),
        (("attribution", "no/such/folder"), 14, "no indexed file is at no/such/folder"),
    ],
)
def test_what_is_not_there_is_an_error_with_a_hint(
    run: Run, arguments: tuple[str, ...], status: int, message: str
) -> None:
    result = run(*arguments)

    assert result.status == status
    assert message in result.stderr


def test_evidence_is_exact_to_the_byte(run: Run, sample: Sample) -> None:
    document = (
        "SELECT part.segment FROM part JOIN document USING (document_id) WHERE path LIKE 'a1/%prompt.txt'"
    )
    [row] = run("sql", document).document["rows"]

    result = run("evidence", f"{row['segment'][:12]}:5-11")

    assert result.stdout == b"a ledg"
    assert result.stderr == ""
