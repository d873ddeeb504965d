"""Formats beside the main one of a host: older ones, exports, databases, and documents with token counts only."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import orjson

from tests.sessions.hosts import FIRST, SECOND, Machine, claude


def _tokens(machine: Machine) -> list[Any]:
    return machine.rows(
        "SELECT session_key, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens FROM session_tokens"
    )


def _said(machine: Machine) -> list[Any]:
    return machine.rows(
        "SELECT m.role, m.channel, m.origin, m.text FROM message AS m "
        "JOIN timeline AS t USING (session_key, segment, start_byte) ORDER BY t.position, m.start_byte, m.block"
    )


def test_codex_document_of_the_first_hosts(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "codex")
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": '{"output":"a","metadata":{"exit_code":0}}',
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Gone."}]},
    ]
    session = {"id": FIRST, "timestamp": "2025-04-20T10:00:00.000Z", "instructions": ""}
    machine.write(f"rollout-2025-04-20-{FIRST}.json", orjson.dumps({"session": session, "items": items}))
    machine.write("history.jsonl", {"session_id": SECOND, "ts": 1767225600, "text": "Go."})

    machine.refresh()

    assert machine.rows("SELECT session_key FROM host_session") == [FIRST]
    assert _said(machine) == [("user", "prompt", "typed", "Go."), ("assistant", "text", "model", "Gone.")]
    assert machine.rows("SELECT name, command, exit_code FROM session_tool_call") == [("shell", "ls", 0)]
    assert machine.rows("SELECT role FROM document WHERE path = 'history.jsonl'") == ["metadata"]


def test_claude_export_of_the_web(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "claude-code")
    lines = [claude(1), claude(2, "assistant")]
    machine.write(
        "export.json", orjson.dumps({"title": "A talk", "loglines": lines}, option=orjson.OPT_INDENT_2)
    )
    [source] = machine.kb.add_sessions("claude-code", machine.root / "export.json", name="export")

    machine.kb.rebuild()

    assert source.locator.endswith("export.json")
    assert machine.rows("SELECT session_key, raw_session_id FROM host_session") == [(FIRST, FIRST)]
    assert [text for *_, text in _said(machine)] == ["prompt 1", "answer 2"]


def test_droid_lines_and_settings(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "droid")

    def message(key: str, parent: str | None, role: str, *content: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "message",
            "id": key,
            "parentId": parent,
            "timestamp": "2026-01-01T00:00:01.000Z",
            "message": {"role": role, "content": list(content)},
        }

    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "/w/a.py", "old_str": "x"}}
    machine.write(
        f"-w/{FIRST}.jsonl",
        {"type": "session_start", "id": FIRST, "title": "Repair", "version": 2, "cwd": "/w"},
        message("m1", None, "user", {"type": "text", "text": "<system-reminder>Be brief.</system-reminder>"}),
        message("m2", "m1", "user", {"type": "text", "text": "Fix it."}),
        message("m3", "m2", "assistant", {"type": "thinking", "thinking": "Hm."}, call),
        message(
            "m4",
            "m3",
            "user",
            {"type": "tool_result", "tool_use_id": "t1", "content": "ok", "is_error": False},
        ),
        {"type": "todo_state", "id": "m5", "timestamp": "2026-01-01T00:00:02.000Z", "todos": {}},
        {
            "type": "compaction_state",
            "id": "m6",
            "summaryText": "Short.",
            "timestamp": "2026-01-01T00:00:03.000Z",
        },
    )
    used = {
        "inputTokens": 10,
        "outputTokens": 4,
        "cacheCreationTokens": 3,
        "cacheReadTokens": 2,
        "thinkingTokens": 1,
    }
    machine.write(f"-w/{FIRST}.settings.json", orjson.dumps({"model": "m-1", "tokenUsage": used}))
    machine.refresh()

    assert _said(machine) == [
        ("system", "title", "model", "Repair"),
        ("user", "prompt", "injected", "<system-reminder>Be brief.</system-reminder>"),
        ("user", "prompt", "typed", "Fix it."),
        ("assistant", "thinking", "model", "Hm."),
        ("system", "summary", "model", "Short."),
    ]
    assert machine.rows("SELECT path, access FROM file_touch") == [("/w/a.py", "write")]
    assert machine.rows("SELECT entry_type FROM timeline ORDER BY position") == [
        "session_start",
        "user",
        "user",
        "assistant",
        "user",
        "todo_state",
        "compaction_state",
    ]
    assert machine.rows("SELECT agent, cwd FROM host_session") == [("Droid", "/w")]
    assert _tokens(machine) == [(FIRST, 10, 4, 3, 2)]

    machine.write(f"-w/{FIRST}.settings.json", orjson.dumps({"tokenUsage": used | {"inputTokens": 15}}))
    machine.refresh()

    assert _tokens(machine) == [(FIRST, 15, 4, 3, 2)]
    assert machine.kb.session_bytes(FIRST) == (machine.root / f"-w/{FIRST}.jsonl").read_bytes()


def _screen(say: str, **told: Any) -> dict[str, Any]:
    return {"ts": 1767225600000, "type": "say", "say": say, "text": orjson.dumps(told).decode()}


def test_cline_tokens_are_those_of_the_screen_unless_the_messages_have_them(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "cline")
    used = {"tokensIn": 5, "tokensOut": 2, "cacheWrites": 3, "cacheReads": 7}
    screen = [
        {"ts": 1, "type": "say", "say": "text", "text": "hello"},
        _screen("api_req_started", request="r", **used),
        _screen("api_req_started", request="r"),
        _screen("deleted_api_reqs", tokensIn=1, tokensOut=1),
        {"ts": 2, "type": "say", "say": "api_req_started", "text": "{broken"},
        {"ts": 3, "type": "ask", "ask": "followup"},
    ]
    said = [{"role": "user", "content": [{"type": "text", "text": "<task>Go</task>"}]}]
    counted = [
        *said,
        {
            "role": "assistant",
            "id": "m",
            "content": "Gone.",
            "metrics": {"tokens": {"prompt": 9, "completion": 4}},
        },
    ]
    for task, messages in (("1", said), ("2", counted)):
        machine.write(f"{task}/api_conversation_history.json", orjson.dumps(messages))
        machine.write(f"{task}/ui_messages.json", orjson.dumps(screen))
    machine.refresh()

    assert sorted(_tokens(machine)) == [("1", 6, 3, 3, 7), ("2", 9, 4, None, None)]
    assert machine.rows("SELECT count(*) FROM timeline WHERE session_key = '1'") == [1]


def _wire(field: int, data: bytes) -> bytes:
    return bytes([field << 3 | 2, len(data)]) + data


def _chat(machine: Machine, *listed: dict[str, Any], left: tuple[dict[str, Any], ...] = ()) -> None:
    """The database of a chat of Cursor's command line."""
    path = machine.root / "chats" / "hash" / FIRST / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    blobs = {hashlib.sha256(data).digest(): data for data in map(orjson.dumps, (*left, *listed))}
    ids = [hashlib.sha256(orjson.dumps(message)).digest() for message in listed]
    root = b"\x10\x96\x01" + b"".join(_wire(1, key) for key in ids) + _wire(9, b"/w") + b"\x1d\0\0\0\0"
    meta = {"agentId": FIRST, "latestRootBlobId": "ab", "name": "A chat", "createdAt": 1767225600000}
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        database.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        rows = [("ab", root), *((key.hex(), data) for key, data in blobs.items())]
        database.executemany("INSERT INTO blobs VALUES (?, ?)", rows)
        database.execute("INSERT INTO meta VALUES ('0', ?)", [orjson.dumps(meta).hex()])
    database.close()


def _text(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


def test_cursor_chat_of_the_command_line(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "cursor")
    model = {"cursor": {"modelName": "m-1"}}
    call = {"type": "tool-call", "toolCallId": "t1", "toolName": "Shell", "args": {"command": "touch a.py"}}
    result = {"type": "tool-result", "toolCallId": "t1", "toolName": "Shell", "result": "Exit code: 0\n\nok"}
    _chat(
        machine,
        {"role": "system", "content": "You help."},
        _text("user", "<user_info>Linux</user_info>"),
        _text("user", "<user_query>\nGo.\n</user_query>"),
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "text": "Hm.", "providerOptions": model}, call],
        },
        {"role": "tool", "content": [result]},
        _text("assistant", "Gone."),
        left=(_text("user", "<user_query>Wrong.</user_query>"),),
    )

    machine.refresh()

    assert _said(machine) == [
        ("system", "title", "model", "A chat"),
        ("system", "text", "injected", "You help."),
        ("user", "prompt", "injected", "<user_info>Linux</user_info>"),
        ("user", "prompt", "typed", "Go."),
        ("assistant", "thinking", "model", "Hm."),
        ("assistant", "text", "model", "Gone."),
        ("user", "prompt", "typed", "Wrong."),
    ]
    found = machine.rows("SELECT name, command, exit_code, result_excerpt FROM session_tool_call")
    assert found == [("Shell", "touch a.py", 0, "Exit code: 0\n\nok")]
    assert machine.rows("SELECT DISTINCT model FROM entry WHERE model IS NOT NULL") == ["m-1"]
    turns = machine.kb.session(FIRST).to_dicts()
    assert [(turn["prompt"], turn["is_abandoned"]) for turn in turns] == [("Go.", False), ("Wrong.", True)]


def test_a_damaged_root_of_a_cursor_chat_loses_no_message(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "cursor")
    _chat(machine, _text("user", "<user_query>Go.</user_query>"), _text("assistant", "Gone."))
    path = machine.root / "chats" / "hash" / FIRST / "store.db"
    with sqlite3.connect(path) as database:
        database.execute("UPDATE blobs SET data = ? WHERE id = 'ab'", [b"\xff\xff\xff"])
        database.execute("INSERT INTO blobs VALUES ('x', ?)", [b"no JSON"])
    database.close()

    machine.refresh()

    assert [text for *_, text in _said(machine)] == ["A chat", "Go.", "Gone."]
    assert [row["is_abandoned"] for row in machine.kb.session(FIRST).to_dicts()] == [False]
