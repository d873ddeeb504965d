"""Every named query gives exactly these rows of the invented project in `world`."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.knowledge import KnowledgeBase
from queries.named import named_queries
from tests.entire.checkpoints import FIRST, SECOND
from tests.queries.world import DANGLING, ORPHAN

REPOSITORY = "project"
GREET = "9cc5f75e08cbbcde4d59ca9977a2128ab332ca27"
FIX = "343803dece9762dd11ad28b185808804e0c47698"


def at(day: int, minute: int = 0, second: int = 0) -> datetime:
    """A time in the project's January."""
    return datetime(2026, 1, day, 0, minute, second)


EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "agent_share": [(date(2026, 1, 1), None, "Claude Code", 1, 1, 6, 8, 75.0)],
    "agents_only_files": [(REPOSITORY, "app/store.py", 1, 1, at(1, 0, 5), 1)],
    "busiest_sessions": [
        (FIRST, at(1), at(1, 1, 11), 1, 5, 1, 0, 2, 5),
        (SECOND, at(2), at(2, 0, 8), 2, 4, 1, 1, 0, 3),
    ],
    "co_changed": [("app/main.py", "app/store.py", 3, 1.0)],
    "co_changed_symbols": [],  # this project is not tracked: see tests/code/test_symbol_history.py
    "commits_without_checkpoint": [
        ("Ada Example", "ada@example.org", 2, 1, 0.5, at(1)),
        ("Ben Example", "ben@example.org", 2, 1, 0.5, at(1, 3)),
    ],
    "dangling_checkpoints": [(REPOSITORY, DANGLING, 1, at(1, 2), at(1, 2), ["Ben Example"], FIX)],
    "failing_commands": [("make test", 3, 2, 2, [1, 2], at(2, 0, 7), "Exit code 1")],
    "faults": [
        ("joined_records", "cc/cccccccccc/0/full.jsonl", 1, 1, [10], "2 records stand on one line"),
        (
            "malformed_line",
            "cc/cccccccccc/0/full.jsonl",
            1,
            0,
            [11],
            "8 bytes, of which 8 are no JSON object",
        ),
    ],
    "most_called": [
        ("app.store load().", "function", "app/store.py", 1, 2, 2, 2),
        ("app.store save().", "function", "app/store.py", 5, 1, 2, 1),
    ],
    "most_called_across_files": [
        ("app.store load().", "function", "app/store.py", 1, 1, 1, 1),
        ("app.store save().", "function", "app/store.py", 5, 1, 1, 2),
    ],
    "most_changed_symbols": [],
    "most_imported": [("app/store.py", 1)],
    "orphan_checkpoints": [
        (REPOSITORY, ORPHAN, datetime(2026, 1, 2, 1), None, "manual-commit", 1, ["Claude Code"])
    ],
    "prompts_per_day": [(date(2026, 1, 2), 2, 1, 9), (date(2026, 1, 1), 1, 1, 9)],
    "read_only_files": [(REPOSITORY, "README.txt", 2, 1, at(2, 0, 5))],
    "sessions_per_commit": [
        (GREET, at(1, 1), "Ada Example", "Greet", 1, 1, 1, [FIRST]),
        (FIX, at(1, 2), "Ben Example", "Fix", 1, 0, 0, []),
    ],
    "skipped_files": [("skipped", "no_language", "txt", 1, None, "README.txt")],
    "stale_reads": [],
    "tokens_by_day": [
        (date(2026, 1, 2), "model-2", 1, 7, 3, None, 100),
        (date(2026, 1, 1), "model-1", 1, 10, 5, None, None),
    ],
    "top_tools": [("Bash", 3, 2, 2, 0), ("Read", 3, 2, 0, 1), ("Edit", 2, 1, 0, 0), ("Task", 1, 1, 0, 0)],
    "unresolved_references": [("app/clock.py", 1, "1 external")],
    "uncalled_functions": [
        ("app.main run().", "function", "app/main.py", 4, 4, True),
        ("app.store forgotten().", "function", "app/store.py", 9, 2, True),
    ],
}


def test_all_queries_are_expected_here() -> None:
    assert sorted([*EXPECTED, "slowest_calls"]) == sorted(named_queries())


@pytest.mark.parametrize("name", EXPECTED)
def test_rows(kb: KnowledgeBase, name: str) -> None:
    assert kb.query(name).rows == EXPECTED[name]


def test_slowest_calls(kb: KnowledgeBase) -> None:
    answer = kb.query("slowest_calls", {"limit": 1})

    [(*row, segment, start, end)] = answer.rows
    assert row == [FIRST, "Bash", 60.0, "make test", at(1, 0, 11), False]
    assert b'"id":"make2"' in kb.evidence(f"{segment}:{start}-{end}")


@pytest.mark.parametrize("name", sorted(named_queries()))
def test_header_names_the_columns(kb: KnowledgeBase, name: str) -> None:
    query = named_queries()[name]

    told = re.sub(r"\([^()]*\)", "", query.columns)

    assert query.question.endswith("?")
    assert [word.strip() for word in told.split(",")] == list(kb.query(name).columns)


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name, query in named_queries().items()
        if "limit" in query.parameters and EXPECTED.get(name) != []
    ),
)
def test_limit(kb: KnowledgeBase, name: str) -> None:
    assert len(kb.query(name, {"limit": "1"}).rows) == 1


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("agent_share", []),
        ("busiest_sessions", EXPECTED["busiest_sessions"][1:]),
        ("commits_without_checkpoint", []),
        ("failing_commands", [("make test", 1, 1, 1, [1], at(2, 0, 7), "Exit code 1")]),
        ("prompts_per_day", EXPECTED["prompts_per_day"][:1]),
        ("sessions_per_commit", []),
        ("tokens_by_day", EXPECTED["tokens_by_day"][:1]),
    ],
)
def test_since(kb: KnowledgeBase, name: str, rows: list[tuple[Any, ...]]) -> None:
    assert kb.query(name, {"since": "2026-01-02"}).rows == rows


def test_since_of_slowest_calls(kb: KnowledgeBase) -> None:
    answer = kb.query("slowest_calls", {"since": "2026-01-02", "tool": "Bash"})

    assert [row[:4] for row in answer.rows] == [(SECOND, "Bash", 1.0, "make test")]


def test_kind_of_faults(kb: KnowledgeBase) -> None:
    assert kb.query("faults", {"kind": "malformed_line"}).rows == EXPECTED["faults"][1:]


@pytest.mark.parametrize(
    ("path", "pairs"),
    [
        ("app/store.py", [("app/store.py", "app/main.py", 3, 1.0)]),
        ("app/main.py", [("app/main.py", "app/store.py", 3, 1.0)]),
        ("README.txt", []),
    ],
)
def test_path_of_co_changed(kb: KnowledgeBase, path: str, pairs: list[tuple[Any, ...]]) -> None:
    assert kb.query("co_changed", {"path": path}).rows == pairs


def test_unknown_query(kb: KnowledgeBase) -> None:
    with pytest.raises(NotFound):
        kb.query("nothing")


def test_unknown_parameter(kb: KnowledgeBase) -> None:
    with pytest.raises(InvalidInput, match="no parameter often"):
        kb.query("top_tools", {"often": 1})


def test_a_value_of_another_type(kb: KnowledgeBase) -> None:
    with pytest.raises(InvalidInput, match="limit is 'many'"):
        kb.query("top_tools", {"limit": "many"})


def test_answers_carry_their_coverage(kb: KnowledgeBase) -> None:
    coverage = kb.query("most_called").coverage

    assert (coverage.generation, coverage.is_current, coverage.faults) == (1, True, {"malformed_line": 1})
