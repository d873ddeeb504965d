"""What a session took back, or left on another branch, is kept and marked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from queries.trajectories import trajectory
from tests.sessions.hosts import FIRST, Machine, claude


def _pi(machine: Machine) -> None:
    """a - b - c, left for a - d, come back to c - e, left again for d - f."""
    entries = [("a", None), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "c"), ("f", "d")]
    machine.write(
        "s.jsonl",
        {"type": "session", "version": 3, "id": FIRST, "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"},
        *(
            {
                "type": "message",
                "id": key,
                "parentId": parent,
                "timestamp": "2026-01-01T00:00:01.000Z",
                "message": {"role": "user", "content": key},
            }
            for key, parent in entries
        ),
    )


def _claude(machine: Machine) -> None:
    """b and c, taken back for d, which goes on from where b did."""
    records = (
        claude(1, message={"role": "user", "content": "a"}, uuid="1"),
        claude(2, "assistant", uuid="2", parentUuid="1"),
        claude(3, message={"role": "user", "content": "b"}, uuid="3", parentUuid="2"),
        claude(4, message={"role": "user", "content": "c"}, uuid="4", parentUuid="3"),
        claude(5, message={"role": "user", "content": "d"}, uuid="5", parentUuid="2"),
    )
    machine.write(f"w/{FIRST}.jsonl", *records)


def _gemini_line(key: str) -> dict[str, Any]:
    return {"id": key, "type": "user", "content": key, "timestamp": "2026-01-01T00:00:01.000Z"}


def _gemini(machine: Machine) -> None:
    head = {"sessionId": FIRST, "startTime": "2026-01-01T00:00:00.000Z", "kind": "main"}
    said = [_gemini_line(key) for key in "abc"]
    machine.write("p/chats/c.jsonl", head, *said, {"$rewindTo": "b"}, _gemini_line("d"))


def _gemini_snapshot(machine: Machine) -> None:
    head = {"sessionId": FIRST, "startTime": "2026-01-01T00:00:00.000Z", "kind": "main"}
    said = [_gemini_line(key) for key in "abc"]
    kept = {"$set": {"messages": [_gemini_line("a")]}}
    machine.write("p/chats/c.jsonl", head, *said, kept, _gemini_line("d"))


def _codex(machine: Machine) -> None:
    """One turn taken back twice in a row, and later one more."""

    def event(type_: str, **payload: Any) -> dict[str, Any]:
        return {
            "timestamp": "2026-01-01T00:00:01.000Z",
            "type": "event_msg",
            "payload": {"type": type_, **payload},
        }

    def back(turns: int) -> dict[str, Any]:
        return event("thread_rolled_back", num_turns=turns)

    said = {key: event("user_message", message=key) for key in "abcde"}
    meta = {"timestamp": "2026-01-01T00:00:00.000Z", "type": "session_meta", "payload": {"id": FIRST}}
    machine.write(
        "r.jsonl",
        meta,
        said["a"],
        said["b"],
        said["c"],
        back(1),
        back(1),
        said["e"],
        back(1),
        back(-1),
        said["d"],
    )


def _copilot(machine: Machine) -> None:
    def event(key: str, type_: str, **data: Any) -> dict[str, Any]:
        return {"type": type_, "id": key, "data": data, "timestamp": "2026-01-01T00:00:01.000Z"}

    machine.write(
        f"{FIRST}/events.jsonl",
        event("0", "session.start", sessionId=FIRST),
        *(event(key, "user.message", content=key) for key in "abc"),
        event("r", "session.snapshot_rewind", upToEventId="b", eventsRemoved=2),
        event("d", "user.message", content="d"),
    )


def _opencode(machine: Machine) -> None:
    def file(path: str, **fields: Any) -> None:
        machine.write(path, orjson.dumps(fields))

    file(f"storage/session/p/{FIRST}.json", id=FIRST, directory="/w", revert={"messageID": "mb"})
    for key in "ab":
        file(
            f"storage/message/{FIRST}/m{key}.json", id=f"m{key}", role="user", time={"created": 1767225600000}
        )
        file(f"storage/part/m{key}/p{key}.json", id=f"p{key}", type="text", text=key)


def _cursor(machine: Machine) -> None:
    with sqlite3.connect(machine.root / "state.vscdb") as database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        headers = [{"bubbleId": key, "type": 1} for key in "a"]
        composer = {"composerId": FIRST, "fullConversationHeadersOnly": headers, "createdAt": 1767225600000}
        rows = [(f"composerData:{FIRST}", orjson.dumps(composer))]
        rows += [
            (f"bubbleId:{FIRST}:{key}", orjson.dumps({"bubbleId": key, "type": 1, "text": key}))
            for key in "ba"
        ]
        database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    database.close()


@pytest.mark.parametrize(
    ("host", "make", "turns"),
    [
        ("pi", _pi, [("a", False), ("b", True), ("c", True), ("d", False), ("e", True), ("f", False)]),
        ("claude-code", _claude, [("a", False), ("b", True), ("c", True), ("d", False)]),
        ("gemini", _gemini, [("a", False), ("b", True), ("c", True), ("d", False)]),
        ("gemini", _gemini_snapshot, [("b", True), ("c", True), ("a", False), ("d", False)]),
        ("codex", _codex, [("a", False), ("b", True), ("c", True), ("e", True), ("d", False)]),
        ("copilot", _copilot, [("a", False), ("b", True), ("c", True), ("d", False)]),
        ("opencode", _opencode, [("a", False), ("b", True)]),
        ("cursor", _cursor, [("a", False), ("b", True)]),
    ],
)
def test_turns(
    tmp_path: Path, host: str, make: Callable[[Machine], None], turns: list[tuple[str, bool]]
) -> None:
    machine = Machine(tmp_path, host)
    make(machine)
    machine.refresh()

    found = machine.kb.session(FIRST).to_dicts()

    assert [(row["prompt"], row["is_abandoned"]) for row in found] == turns
    read = machine.kb.transcript(FIRST)
    assert [(turn.prompt, turn.is_abandoned) for turn in read.turns if turn.ordinal] == turns


def test_what_was_taken_back_decides_nothing_of_a_trajectory(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "claude-code")

    def command(number: int, parent: str, failed: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make test"}}
        asked = claude(number, "assistant", parentUuid=parent)
        asked["message"] |= {"content": [call]}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok", "is_error": failed}
        return asked, claude(number + 1, message={"role": "user", "content": [result]})

    first = claude(1, message={"role": "user", "content": "wrong"}, parentUuid="root")
    again = claude(10, message={"role": "user", "content": "right"}, parentUuid="root")
    machine.write(f"w/{FIRST}.jsonl", first, *command(2, "u1", False), again, *command(11, "u10", True))
    machine.refresh()

    with machine.kb.store.read() as reader:
        found = trajectory(reader, FIRST)

    assert found.task.description == "right"
    assert [(step.success, step.metadata["is_abandoned"]) for step in found.steps] == [
        (True, True),
        (False, False),
    ]
    assert (found.outcome.success, found.outcome.rule) == (False, "tests")
