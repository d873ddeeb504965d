"""The bank's answers, against a reader of the same files that was written without the project."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from graphsvc.errors import InvalidInput, NotFound
from tests.sessions.hosts import Machine, claude
from tests.sessions.naive import Session, read

_TOOLS = {"Edit": "file_path", "Read": "file_path", "Bash": "command"}
_FILES = ("/home/ada/tally/a.py", "/home/ada/tally/src/b.go", "/home/ada/tally/README.md")


def _talk(machine: Machine, number: int, chance: random.Random) -> None:
    session = f"{number:08d}-4444-4444-8444-444444444444"
    records = []
    for step in range(chance.randrange(3, 12)):
        key = number * 100 + step
        record = claude(key + 1, "assistant", session=session, gitBranch=chance.choice(("main", "greet")))
        record["timestamp"] = f"2026-01-{number + 1:02d}T10:{step:02d}:00.000Z"
        if step % 4 == 0:
            record |= {"type": "user", "message": {"role": "user", "content": f"Please do {key}"}}
        else:
            tool = chance.choice(list(_TOOLS))
            given = {_TOOLS[tool]: chance.choice(_FILES) if tool != "Bash" else "ls"}
            record["message"]["model"] = chance.choice(("claude-opus-4-1", "claude-sonnet-4-5"))
            record["message"]["content"] += [
                {"type": "tool_use", "id": f"t{key}", "name": tool, "input": given}
            ]
        records.append(record)
    machine.write(f"p/{session}.jsonl", *records)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    machine = Machine(tmp_path_factory.mktemp("bank"), "claude-code")
    chance = random.Random(4)
    for number in range(12):
        _talk(machine, number, chance)
    machine.refresh()
    return machine


@pytest.fixture(scope="module")
def naive(machine: Machine) -> dict[str, Session]:
    return read(machine.root)


def test_what_each_session_holds(machine: Machine, naive: dict[str, Session]) -> None:
    found = {
        row["session"]: (row["turns"], row["tool_calls"], row["first_prompt"])
        for row in machine.kb.sessions()
    }

    assert found == {
        key: (len(each.prompts), len(each.tools), each.prompts[0]) for key, each in naive.items()
    }


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ({"agent": "claude code"}, lambda each: True),
        ({"agent": "Codex"}, lambda each: False),
        ({"branch": "greet"}, lambda each: "greet" in each.branches),
        ({"model": "claude-opus"}, lambda each: "claude-opus-4-1" in each.models),
        ({"tool": "bash"}, lambda each: "Bash" in each.tools.values()),
        ({"file": "src/b.go"}, lambda each: _FILES[1] in each.files),
        ({"file": "b.go"}, lambda each: _FILES[1] in each.files),
        ({"file": "ub.go"}, lambda each: False),
        ({"text": "PLEASE DO 30"}, lambda each: "please do 30" in each.words),
        ({"since": datetime(2026, 1, 6)}, lambda each: max(each.times) >= "2026-01-06"),
        ({"before": datetime(2026, 1, 6)}, lambda each: min(each.times) < "2026-01-06"),
        ({"has_summary": True}, lambda each: False),
        ({"has_summary": False}, lambda each: True),
        (
            {"tool": "Read", "branch": "main"},
            lambda each: "Read" in each.tools.values() and "main" in each.branches,
        ),
    ],
)
def test_filters(
    machine: Machine, naive: dict[str, Session], filters: dict[str, Any], holds: Callable[[Session], bool]
) -> None:
    expected = {key for key, each in naive.items() if holds(each)}

    assert {row["session"] for row in machine.kb.sessions(**filters)} == expected
    assert machine.kb.count_sessions(**filters) == len(expected)


def test_order_and_limit(machine: Machine, naive: dict[str, Session]) -> None:
    by_time = sorted(naive, key=lambda key: min(naive[key].times))

    assert [row["session"] for row in machine.kb.sessions(sort="oldest")] == by_time
    assert [row["session"] for row in machine.kb.sessions(limit=2)] == by_time[:-3:-1]
    with pytest.raises(InvalidInput, match="sorted by 'size'"):
        machine.kb.sessions(sort="size")


def test_tokens(machine: Machine, naive: dict[str, Session]) -> None:
    found = dict(machine.rows("SELECT session_key, output_tokens FROM session_tokens"))

    assert found == {key: sum(each.output.values()) for key, each in naive.items() if each.output}


def test_trajectories_have_a_step_for_each_call(machine: Machine, naive: dict[str, Session]) -> None:
    found = {each.id: each for each in machine.kb.trajectories()}

    assert found.keys() == naive.keys()
    for key, each in naive.items():
        steps = found[key].steps
        assert [(step.metadata["call_id"], step.action["tool"]) for step in steps] == list(each.tools.items())
        assert found[key].task.description == each.prompts[0]
        assert (found[key].outcome.success, found[key].outcome.rule) == (None, "unknown")


def test_a_transcript_is_exported_byte_for_byte(machine: Machine, naive: dict[str, Session]) -> None:
    for key in naive:
        assert machine.kb.session_bytes(key) == (machine.root / f"p/{key}.jsonl").read_bytes()


def test_a_session_that_grew_is_unprocessed_again(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "claude-code")
    for session in ("one", "two"):
        machine.write(f"{session}.jsonl", claude(1, session=session, uuid=session))
    machine.refresh()
    kb = machine.kb

    assert kb.mark_processed(["one"], consumer="lessons", note={"run": 1}) == ["one"]
    assert [row["session"] for row in kb.sessions(unprocessed_by="lessons")] == ["two"]
    assert kb.count_sessions(unprocessed_by="others") == 2

    machine.append("one.jsonl", claude(2, session="one"))
    machine.refresh()

    assert {row["session"] for row in kb.sessions(unprocessed_by="lessons")} == {"one", "two"}
    [entry] = kb.processing_log(consumer="lessons").to_dicts()
    assert (entry["session"], entry["is_current"], entry["note"]) == ("one", False, '{"run": 1}')
    with pytest.raises(NotFound):
        kb.mark_processed(["three"])
