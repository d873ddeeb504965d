"""From a line to the prompt that asked for it, and the exact bytes of each step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphsvc.cli.values import Place, locate, split_line
from graphsvc.errors import InvalidInput
from tests.cli.conftest import Run, Sample

STEPS = ["line", "commit", "checkpoint", "session", "tool_call", "prompt"]
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
    assert document["coverage"]["notes"] == ["the trail ends: the commit's message names no checkpoint"]


@pytest.mark.parametrize("place", ["money.py:6", "./money.py:6", "../tally/money.py:6", "tally/money.py:6"])
def test_paths_count_from_the_working_directory(sample: Sample, place: str) -> None:
    path, line = split_line(place)

    assert locate(path, sample.repository / "tally") == Place("tally/money.py", sample.repository)
    assert line == 6


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


@pytest.mark.parametrize("place", ["a.py", "a.py:", ":3", "a.py:0", "a.py:x", "a.py:-1", "a.py:²"])
def test_a_place_without_a_line_is_refused(place: str) -> None:
    with pytest.raises(InvalidInput, match="is not PATH:LINE"):
        split_line(place)


def test_evidence_is_exact_to_the_byte(run: Run, sample: Sample) -> None:
    document = (
        "SELECT part.segment FROM part JOIN document USING (document_id) WHERE path LIKE 'a1/%prompt.txt'"
    )
    [row] = run("sql", document).document["rows"]

    result = run("evidence", f"{row['segment'][:12]}:5-11")

    assert result.stdout == b"a ledg"
    assert result.stderr == ""
