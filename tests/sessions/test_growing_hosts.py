"""Files of each format as they grow, shrink, turn over and go: what is read, what stays, and in which generation.

Formats are told by content, so files of all of them lie in one folder here and are refreshed together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.sessions.hosts import FIRST, Machine
from tests.transcripts.ingestion import jsonl

Write = Callable[[Machine, Sequence[int]], None]
START = 1_767_225_600


def _time(number: int) -> str:
    return f"2026-01-01T00:00:{number:02d}.000Z"


def _codex(number: int) -> dict[str, Any]:
    payload = {"type": "user_message", "message": f"prompt {number}"}
    return {"timestamp": _time(number), "type": "event_msg", "payload": payload}


def _pi(number: int) -> dict[str, Any]:
    message = {"role": "user", "content": f"prompt {number}"}
    parent = f"e{number - 1}" if number > 1 else None
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": parent,
        "timestamp": _time(number),
        "message": message,
    }


def _copilot(number: int) -> dict[str, Any]:
    data = {"content": f"prompt {number}"}
    return {"type": "user.message", "id": f"e{number}", "data": data, "timestamp": _time(number)}


def _gemini(number: int) -> dict[str, Any]:
    return {"id": f"m{number}", "type": "user", "content": f"prompt {number}", "timestamp": _time(number)}


def _cursor(number: int) -> dict[str, Any]:
    return {"role": "user", "message": {"content": [{"type": "text", "text": f"prompt {number}"}]}}


def _droid(number: int) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": f"prompt {number}"}]}
    return {"type": "message", "id": f"e{number}", "timestamp": _time(number), "message": message}


def _gemini_document(numbers: Sequence[int]) -> bytes:
    said = [_gemini(number) for number in numbers]
    return orjson.dumps({"sessionId": "gemini-document", "startTime": _time(0), "messages": said})


def _cline_document(numbers: Sequence[int]) -> bytes:
    blocks = [[{"type": "text", "text": f"<task>prompt {number}</task>"}] for number in numbers]
    return orjson.dumps([{"role": "user", "content": content} for content in blocks])


def _lines(
    head: dict[str, Any] | None, record: Callable[[int], dict[str, Any]]
) -> Callable[[Sequence[int]], bytes]:
    return lambda numbers: jsonl(*filter(None, [head]), *map(record, numbers))


FILES: dict[str, tuple[str, Callable[[Sequence[int]], bytes]]] = {
    "codex": (
        "rollout-codex.jsonl",
        _lines({"timestamp": _time(0), "type": "session_meta", "payload": {"id": "codex"}}, _codex),
    ),
    "pi": (
        "pi.jsonl",
        _lines({"type": "session", "version": 3, "id": "pi", "timestamp": _time(0), "cwd": "/w"}, _pi),
    ),
    "copilot": (
        "copilot/events.jsonl",
        _lines({"type": "session.start", "id": "e0", "data": {"sessionId": "copilot"}}, _copilot),
    ),
    "gemini": (
        "chats/gemini.jsonl",
        _lines({"sessionId": "gemini", "startTime": _time(0), "kind": "main"}, _gemini),
    ),
    "cursor": ("cursor.jsonl", _lines(None, _cursor)),
    "droid": ("droid.jsonl", _lines({"type": "session_start", "id": "droid", "cwd": "/w"}, _droid)),
    "gemini-document": ("chats/document.json", _gemini_document),
    "cline": ("cline/api_conversation_history.json", _cline_document),
}
"""Path and content of a file of each session."""


class Folder(Machine):
    """A folder with a file of each format."""

    def fill(self, numbers: Sequence[int], *, names: Sequence[str] = tuple(FILES)) -> dict[str, bytes]:
        files = {FILES[name][0]: FILES[name][1](numbers) for name in names}
        for path, data in files.items():
            self.write(path, data)
        return files

    def prompts(self, condition: str = "is_present") -> dict[str, list[int]]:
        """Numbers of the prompts of each session that has some."""
        found = self.rows(
            "SELECT session_key, list(split_part(prompt, ' ', 2)::INTEGER ORDER BY position) "
            f"FROM turn WHERE {condition} GROUP BY session_key"
        )
        return dict(found)


def _each(*numbers: int) -> dict[str, list[int]]:
    return {key: list(numbers) for key in FILES}


def test_files_grow_shrink_and_return(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "codex")
    folder.fill([1, 2])
    folder.refresh()
    whole = folder.fill([1, 2, 3])

    grown = folder.refresh()

    assert (grown.read["lines_parsed"], folder.prompts()) == (len(FILES), _each(1, 2, 3))
    assert folder.rebuilt() == whole
    assert folder.rows("SELECT count(*) FROM tombstone") == [2]  # the documents that are not made of lines

    folder.fill([1])
    folder.refresh()

    assert folder.prompts() == _each(1)
    assert folder.prompts("NOT is_present") == _each(2, 3)
    assert folder.rows("SELECT max(generation) FROM receipt") == [3]

    folder.fill([1, 2, 3])
    returned = folder.refresh()

    assert (returned.admitted["entry"], folder.prompts()) == (0, _each(1, 2, 3))

    folder.fill([7, 8])
    folder.refresh()

    assert folder.prompts() == _each(7, 8)
    assert folder.prompts("NOT is_present") == _each(1, 2, 3)


def test_files_turn_over_and_go(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "codex")
    named = [
        name for name in FILES if name not in ("cursor", "cline")
    ]  # whose session is that of the file's name
    folder.fill([1, 2], names=named)
    folder.refresh()
    for name in named:
        file = folder.root / FILES[name][0]
        file.rename(file.with_name(f"old-{file.name}"))
    folder.fill([3], names=named)

    folder.refresh()

    assert {key: set(numbers) for key, numbers in folder.prompts().items()} == {
        key: {1, 2, 3} for key in named
    }
    assert len(folder.rebuilt()) == 2 * len(named)

    for path in folder.rebuilt():
        (folder.root / path).unlink()
    folder.refresh()

    assert {key: set(numbers) for key, numbers in folder.prompts().items()} == {
        key: {1, 2, 3} for key in named
    }
    assert all(row["is_kept"] for row in folder.kb.sessions())


def _opencode_files(machine: Machine, numbers: Sequence[int]) -> None:
    root = machine.root / "storage"
    for path in root.rglob("*.json"):
        path.unlink()
    machine.write(f"storage/session/p/{FIRST}.json", orjson.dumps({"id": FIRST, "directory": "/w"}))
    for number in numbers:
        info = {"id": f"m{number}", "role": "user", "time": {"created": (START + number) * 1000}}
        part = {"id": f"p{number}", "type": "text", "text": f"prompt {number}"}
        machine.write(f"storage/message/{FIRST}/m{number}.json", orjson.dumps(info))
        machine.write(f"storage/part/m{number}/p{number}.json", orjson.dumps(part))


def _opencode_rows(machine: Machine, numbers: Sequence[int]) -> None:
    with sqlite3.connect(machine.root / "opencode.db") as database:
        database.executescript(
            "DROP TABLE IF EXISTS session; DROP TABLE IF EXISTS message; DROP TABLE IF EXISTS part;"
            "CREATE TABLE session (id, directory, time_created, time_updated);"
            "CREATE TABLE message (id, session_id, time_created, data);"
            "CREATE TABLE part (id, message_id, session_id, data)"
        )
        machine.ticks += 1
        changed = (START + 100 + machine.ticks) * 1000
        database.execute("INSERT INTO session VALUES (?, '/w', ?, ?)", [FIRST, START * 1000, changed])
        for number in numbers:
            created = (START + number) * 1000
            database.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?)",
                [f"m{number}", FIRST, created, '{"role":"user"}'],
            )
            part = orjson.dumps({"type": "text", "text": f"prompt {number}"}).decode()
            database.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", [f"p{number}", f"m{number}", FIRST, part]
            )
    database.close()


def _cursor_rows(machine: Machine, numbers: Sequence[int]) -> None:
    machine.ticks += 1
    with sqlite3.connect(machine.root / "state.vscdb") as database:
        database.execute("DROP TABLE IF EXISTS cursorDiskKV")
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        headers = [{"bubbleId": f"b{number}", "type": 1} for number in numbers]
        composer = {"composerId": FIRST, "lastUpdatedAt": (START + machine.ticks) * 1000}
        rows = [(f"composerData:{FIRST}", orjson.dumps({**composer, "fullConversationHeadersOnly": headers}))]
        for number in numbers:
            bubble = {"bubbleId": f"b{number}", "type": 1, "text": f"prompt {number}"}
            rows.append((f"bubbleId:{FIRST}:b{number}", orjson.dumps(bubble)))
        database.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
    database.close()


def _prompts(machine: Machine, condition: str = "is_present") -> list[int]:
    statement = f"SELECT split_part(prompt, ' ', 2)::INTEGER FROM turn WHERE {condition} ORDER BY position"
    return machine.rows(statement)


@pytest.mark.parametrize(
    ("host", "write", "head"),
    [
        ("opencode", _opencode_files, 0),
        ("opencode", _opencode_rows, 1),
        ("cursor", _cursor_rows, 1),
    ],
)
def test_sessions_that_are_rewritten(tmp_path: Path, host: str, write: Write, head: int) -> None:
    """``head`` is how many records of a document change each time, besides the messages."""
    machine = Machine(tmp_path, host)
    write(machine, [1, 2])
    machine.refresh()
    write(machine, [1, 2, 3])

    grown = machine.refresh()

    assert (grown.read["lines_parsed"], _prompts(machine)) == (1 + head, [1, 2, 3])
    assert machine.rows("SELECT state FROM tombstone") == ["withdrawn"]

    write(machine, [1])
    machine.refresh()

    assert _prompts(machine) == [1]
    assert set(_prompts(machine, "NOT is_present")) == {2, 3}

    for path in [path for path in machine.root.rglob("*") if path.is_file()]:
        path.unlink()
    machine.refresh()

    assert _prompts(machine) == [1]
    assert [row["is_kept"] for row in machine.kb.sessions()] == [True]
