"""Searching, going on, expanding and briefing on the command line."""

from __future__ import annotations

import re

from tests.cli.conftest import Run, Sample


def test_a_literal_is_found_with_its_exact_bytes(run: Run) -> None:
    document = run("search", "parse_amount", "--exact", "--in", "code").document

    for row in document["rows"]:
        for place in row["ranges"]:
            assert run("evidence", f"{row['segment']}:{place}").stdout == b"parse_amount"
    assert len(document["rows"]) > 1


def test_the_coverage_gives_the_token_that_goes_on(run: Run) -> None:
    first = run("search", "amount", "--limit", "2").document
    token = re.search(r"--continue (\S+)", " ".join(first["coverage"]["notes"]))
    assert token is not None

    second = run("search", "amount", "--limit", "2", "--continue", token[1]).document

    assert [row["rank"] for row in (*first["rows"], *second["rows"])] == [1, 2, 3, 4]


def test_a_token_for_another_question_is_refused(run: Run) -> None:
    result = run("search", "amount", "--continue", "AAAA")

    assert result.status == 21
    assert "signature" in result.stderr


def test_explain_says_what_each_channel_gave(run: Run) -> None:
    notes = run("search", "amount", "--explain").document["coverage"]["notes"]

    assert any(note.startswith("words: ") for note in notes)


def test_nothing_is_known_of_later_things(run: Run) -> None:
    assert run("search", "amount", "--in", "sessions", "--at", "2001-01-01").document["rows"] == []


def test_a_session_is_given_back_whole(run: Run, sample: Sample) -> None:
    rows = run("expand", sample.session[:13]).document["rows"]

    assert [row["ordinal"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0]["text"] == sample.prompt


def test_a_brief_is_bounded(run: Run) -> None:
    rows = run("brief", "parse amounts with separators", "--budget", "500bytes").document["rows"]

    assert 0 < sum(len(row["text"].encode()) for row in rows) <= 500


def test_a_summary_expands_to_the_session_that_it_was_made_of(run: Run, sample: Sample) -> None:
    notes = run("summary", sample.session[:13]).document["coverage"]["notes"]
    [identity] = [note.split()[1] for note in notes if note.startswith("summary ")]

    assert run("expand", identity).document["rows"] == run("expand", sample.session[:13]).document["rows"]
