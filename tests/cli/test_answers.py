"""Each command answers on the sample store, in each format, and says what the answer rests on."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run, Sample

CALLERS = {
    "depth": 1,
    "of": "tally.money parse_amount().",
    "name": "read_entries",
    "kind": "function",
    "qualified_name": "tally.ledger read_entries().",
    "path": "tally/ledger.py",
    "start_line": 8,
    "is_test": False,
    "sites": 1,
    "lines": "11",
    "origin": "import",
}


def test_json_is_one_document_with_its_version_and_its_coverage(run: Run) -> None:
    result = run("callers", "parse_amount")

    document = result.document
    assert result.stderr == ""
    assert list(document) == ["graphsvc", "answer", "coverage", "rows"]
    assert (document["graphsvc"], document["answer"]) == (1, "callers")
    assert list(document["coverage"]) == [
        "generation",
        "root_digest",
        "watermark",
        "is_current",
        "snapshots",
        "faults",
        "gaps",
        "unresolved",
        "edits",
        "notes",
    ]
    [row] = document["rows"]
    assert {name: row[name] for name in CALLERS} == CALLERS
    assert set(row) == {*CALLERS, "id", "through", "confidence", "segment", "start_byte", "end_byte"}


def test_callers_of_callers(run: Run) -> None:
    rows = run("callers", "parse_amount", "--depth", "3").document["rows"]

    assert [(row["depth"], row["name"]) for row in rows] == [
        (1, "read_entries"),
        (2, "total_by_account"),
        (3, "main"),
        (3, "test_totals_are_kept_apart_by_account"),
        (3, "test_an_amount_may_have_a_thousands_separator"),
    ]


def test_callees_and_symbols(run: Run) -> None:
    callees = run("callees", "main").document["rows"]
    symbol = run("symbol", "ledger.total_by_account").document["rows"]

    assert sorted(row["name"] for row in callees) == ["show_amount", "total_by_account"]
    assert [(row["path"], row["start_line"], row["kind"]) for row in symbol] == [
        ("tally/ledger.py", 14, "function")
    ]


def test_a_limit_that_cuts_off_is_noted(run: Run) -> None:
    document = run("callers", "total_by_account", "--limit", "1").document

    assert len(document["rows"]) == 1
    assert document["coverage"]["notes"] == ["showing the first 1: raise --limit for more"]


def test_json_lines_are_rows_and_the_coverage_goes_to_standard_error(run: Run) -> None:
    result = run("sessions", "--format", "jsonl")

    rows = [json.loads(line) for line in result.text.splitlines()]
    assert [(row["agent"], row["turns"], row["tool_calls"], row["commits"]) for row in rows] == [
        ("Claude Code", 1, 4, 1),
        ("Claude Code", 2, 8, 2),
    ]
    assert rows[0]["started_at"] == "2026-01-01T00:05:15Z"
    assert result.stderr.startswith("generation 1 (")


def test_csv_has_exact_values(run: Run, sample: Sample) -> None:
    rows = list(csv.DictReader(io.StringIO(run("checkpoint", "a1b2c3", "--format", "csv").text)))

    [row] = rows
    assert row["checkpoint"] == "a1b2c3d4e5f6"
    assert len(json.loads(row["commits"])[0]) == 40
    assert row["is_withdrawn"] == "False"


def test_parquet_goes_to_a_file_or_a_pipe(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "history.parquet"

    piped = run("history", "tally/money.py", "--format", "parquet")
    written = run("history", "tally/money.py", "--format", "parquet", "--output", str(path))

    assert written.stdout == b""
    assert pl.read_parquet(path)["title"].to_list() == [
        "Accept thousands separators in amounts",
        "Add amounts of money",
    ]
    assert pl.read_parquet(io.BytesIO(piped.stdout)).equals(pl.read_parquet(path))


def test_markdown_escapes_what_would_end_a_cell(run: Run) -> None:
    lines = run(
        "sql", "SELECT 'a|b' AS text, 1.5::DOUBLE AS number", "--format", "markdown"
    ).text.splitlines()

    assert lines == ["| text | number |", "| --- | --- |", "| a\\|b | 1.5 |"]


def test_tables_for_people_name_places_and_evidence_shortly(run: Run) -> None:
    result = run("callers", "parse_amount", "--format", "table")

    assert "tally/ledger.py:8" in result.text
    assert "qualified_name" not in result.text
    assert "\x1b" not in result.text


@pytest.mark.parametrize("format_", ["table", "markdown"])
def test_tables_hold_nothing_that_a_terminal_or_a_markup_would_obey(run: Run, format_: str) -> None:
    hostile = "SELECT '[bold]x[/bold]' AS a, chr(27) || '[31mred' || chr(10) || 'é→' AS b"

    result = run("sql", hostile, "--format", format_)

    assert "[bold]x[/bold]" in result.text
    assert "\\x1b[31mred é→" in result.text


def test_output_is_utf_8_whatever_the_terminal_says(launch: Run) -> None:
    result = launch("sql", "SELECT 'é→' AS text", PYTHONIOENCODING="ascii", LC_ALL="C")

    assert result.document["rows"] == [{"text": "é→"}]


def test_values_that_json_does_not_have_become_text(run: Run) -> None:
    statement = (
        "SELECT 'nan'::DOUBLE AS n, '\\xff'::BLOB AS b, DATE '2026-01-02' AS d, 1.10::DECIMAL(5, 2) AS c,"
        " 12345678901234567890123::HUGEINT AS h, [1, 2] AS l, 1 AS twice, 2 AS twice"
    )

    assert run("sql", statement).document["rows"] == [
        {
            "n": "nan",
            "b": "\\xff",
            "d": "2026-01-02",
            "c": "1.10",
            "h": 12345678901234567890123,
            "l": [1, 2],
            "twice": 1,
            "twice_2": 2,
        }
    ]


def test_sessions_in_a_time(run: Run) -> None:
    def found(*options: str) -> list[str]:
        return [row["first_prompt"][:10] for row in run("sessions", *options).document["rows"]]

    assert found("--before", "2026-01-01T00:03") == ["Read a led"]
    assert found("--since", "2026-01-01T01:05:15+01:00") == ["Add a comm"]
    assert found("--since", "1d", "--agent", "Codex") == []


def test_a_session_has_its_turns(run: Run, sample: Sample) -> None:
    [turn] = run("session", sample.session[:6]).document["rows"]

    assert (turn["prompt"], turn["tool_calls"], turn["failed"]) == (sample.prompt, 4, 0)


def test_named_queries(run: Run) -> None:
    listed = run("query").document["rows"]
    top = run("query", "top_tools", "-p", "limit=1").document["rows"]

    assert "top_tools" in [row["name"] for row in listed]
    assert [(row["tool"], row["calls"], row["failed"]) for row in top] == [("Bash", 4, 1)]


def test_cypher_with_a_parameter(run: Run) -> None:
    statement = "MATCH (s:Symbol) WHERE s.name = $name RETURN s.path AS path"

    assert run("cypher", statement, "-p", "name=main").document["rows"] == [{"path": "tally/__main__.py"}]


def test_callees_say_how_much_of_the_file_leads_nowhere(run: Run) -> None:
    document = run("callees", "total_by_account").document
    by_file = {row["path"]: row for row in run("query", "unresolved_references").document["rows"]}
    unresolved = run("status").document["coverage"]["unresolved"]

    ledger = by_file["tally/ledger.py"]
    told = f"{ledger['references']} references of tally/ledger.py lead nowhere: {ledger['reasons']}"
    assert document["coverage"]["notes"] == [told]
    counts = [int(each.split()[0]) for each in ledger["reasons"].split(", ")]
    assert (sum(counts), counts) == (ledger["references"], sorted(counts, reverse=True))
    assert sum(unresolved.values()) == sum(row["references"] for row in by_file.values())
