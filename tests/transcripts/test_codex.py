"""Codex rollouts."""

from typing import Any

import pytest

from tests.transcripts.ingestion import Ingestion, jsonl

STAMP = "2026-06-01T10:00:00.000Z"


def line(type_: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": type_, "payload": payload}


def item(type_: str, **payload: Any) -> dict[str, Any]:
    return line("response_item", type=type_, **payload)


def event(type_: str, **payload: Any) -> dict[str, Any]:
    return line("event_msg", type=type_, **payload)


def read(*records: dict[str, Any]) -> Ingestion:
    ingestion = Ingestion()
    ingestion.read(jsonl(*records))
    return ingestion


def said(text: str, role: str = "user") -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def test_what_is_said_twice_is_taken_once() -> None:
    ingestion = read(
        said("# AGENTS.md instructions for /p"),
        said("<environment_context>\n<cwd>/p</cwd>"),
        said("be kind", role="developer"),
        said("fix it"),
        event("user_message", message="fix it", images=[]),
        said("I fixed it", role="assistant"),
        event("agent_message", message="I fixed it"),
        item(
            "reasoning", summary=[{"type": "summary_text", "text": "thinking"}], encrypted_content="REDACTED"
        ),
        event("agent_reasoning", text="thinking"),
    )

    assert ingestion.rows("message", "role", "channel", "origin", "text") == [
        ("user", "text", "injected", "# AGENTS.md instructions for /p"),
        ("user", "text", "injected", "<environment_context>\n<cwd>/p</cwd>"),
        ("system", "text", "injected", "be kind"),
        ("user", "prompt", "typed", "fix it"),
        ("assistant", "text", "model", "I fixed it"),
        ("assistant", "thinking", "model", "thinking"),
    ]
    assert len(ingestion.rows("entry", "entry_type")) == 9


def test_session_and_turn_say_where_and_with_what() -> None:
    ingestion = read(
        line("session_meta", id="s", cwd="/p", cli_version="0.9", git={"branch": "main"}),
        line("turn_context", cwd="/p/sub", model="gpt-x"),
    )

    assert ingestion.rows("entry", "entry_type", "cwd", "git_branch", "agent_version", "model") == [
        ("session_meta", "/p", "main", "0.9", None),
        ("turn_context", "/p/sub", None, None, "gpt-x"),
    ]


def test_repeated_session_records_are_occurrences() -> None:
    meta = line("session_meta", id="s", cwd="/p")

    ingestion = read(meta, said("a"), meta)

    assert ingestion.rows("entry", "entry_type", "occurrence")[::2] == [
        ("session_meta", 0),
        ("session_meta", 1),
    ]


@pytest.mark.parametrize(
    ("payload", "name", "command", "path"),
    [
        (
            {
                "type": "function_call",
                "name": "exec_command",
                "arguments": '{"cmd":"ls -l"}',
                "call_id": "c1",
            },
            "exec_command",
            "ls -l",
            None,
        ),
        (
            {
                "type": "function_call",
                "name": "shell",
                "arguments": '{"command":["ls","-l"]}',
                "call_id": "c1",
            },
            "shell",
            "ls -l",
            None,
        ),
        (
            {"type": "function_call", "name": "shell", "arguments": "not JSON", "call_id": "c1"},
            "shell",
            "not JSON",
            None,
        ),
        (
            {
                "type": "custom_tool_call",
                "name": "apply_patch",
                "input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch",
                "call_id": "c1",
            },
            "apply_patch",
            None,
            "src/a.py",
        ),
        (
            {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec", "command": ["pwd"]}},
            "local_shell",
            "pwd",
            None,
        ),
    ],
)
def test_tool_calls(payload: dict[str, Any], name: str, command: str | None, path: str | None) -> None:
    ingestion = read(line("response_item", **payload))

    assert ingestion.rows("tool_call", "call_key", "name", "command", "path") == [("c1", name, command, path)]
    assert ingestion.evidence("tool_call") == [jsonl(payload).rstrip()]


@pytest.mark.parametrize(
    ("output", "text", "exit_code", "is_error"),
    [
        ("Exit code: 0\nfine", "Exit code: 0\nfine", 0, None),
        (
            "Wall time: 1 s\nProcess exited with code 7\nOutput:",
            "Wall time: 1 s\nProcess exited with code 7\nOutput:",
            7,
            None,
        ),
        ([{"type": "input_text", "text": "seen"}], "seen", None, None),
        ('{"output":"no","metadata":{"exit_code":3}}', "no", 3, None),
        ({"content": "bad", "success": False}, "bad", None, True),
    ],
)
def test_tool_outputs(output: Any, text: str, exit_code: int | None, is_error: bool | None) -> None:
    ingestion = read(item("function_call_output", call_id="c1", output=output))

    assert ingestion.rows("tool_result", "call_key", "excerpt", "exit_code", "is_error") == [
        ("c1", text, exit_code, is_error)
    ]


def test_an_applied_patch_names_the_files_that_it_changed() -> None:
    changes = {
        "/p/a.py": {"type": "update", "unified_diff": "@@", "move_path": "/p/b.py"},
        "/p/c.py": {"type": "add"},
    }

    ingestion = read(event("patch_apply_end", call_id="c1", success=True, changes=changes))

    assert ingestion.rows("file_touch", "call_key", "path", "access", "origin") == [
        ("c1", "/p/a.py", "write", "patch"),
        ("c1", "/p/b.py", "write", "patch"),
        ("c1", "/p/c.py", "write", "patch"),
    ]


def test_token_counts_are_running_totals() -> None:
    total = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 9}

    ingestion = read(event("token_count", info={"total_token_usage": total}), event("token_count", info=None))

    assert ingestion.rows("token_usage", "scope", "input_tokens", "cache_read_tokens", "output_tokens") == [
        ("running_total", 100, 60, 9)
    ]


def test_a_compaction_does_not_admit_old_messages_again() -> None:
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}]

    ingestion = read(line("compacted", message="so far: all done", replacement_history=history))

    assert ingestion.rows("entry", "is_compaction") == [True]
    assert ingestion.rows("message", "channel", "text") == [("summary", "so far: all done")]


def test_mail_of_subagents_is_nested() -> None:
    ingestion = read(item("agent_message", content=[{"type": "input_text", "text": "found it"}]))

    assert ingestion.rows("message", "text", "is_nested") == [("found it", True)]
