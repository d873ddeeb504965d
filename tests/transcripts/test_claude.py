"""Claude Code transcripts."""

from datetime import datetime
from typing import Any

import pytest

from tests.transcripts.ingestion import Ingestion, jsonl

STAMP = "2026-02-03T03:49:55.373Z"


def line(type_: str, uuid: str, **fields: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "cwd": "/home/ada/project",
        "sessionId": "s",
        "version": "2.1.29",
        "gitBranch": "main",
        "type": type_,
        "uuid": uuid,
        "timestamp": STAMP,
        **fields,
    }


def user(content: Any, uuid: str = "u", **fields: Any) -> dict[str, Any]:
    return line("user", uuid, message={"role": "user", "content": content}, **fields)


def assistant(*blocks: Any, uuid: str = "a", **message: Any) -> dict[str, Any]:
    return line(
        "assistant",
        uuid,
        message={"role": "assistant", "id": "msg_1", "model": "claude-x", "content": list(blocks), **message},
    )


def read(*records: dict[str, Any], **options: str) -> Ingestion:
    ingestion = Ingestion()
    ingestion.read(jsonl(*records), **options)
    return ingestion


def test_an_entry_states_what_its_envelope_says() -> None:
    ingestion = read(assistant({"type": "thinking", "thinking": "", "signature": "x"}, {"type": "image"}))

    assert ingestion.rows(
        "entry",
        "entry_type",
        "entry_key",
        "message_key",
        "role",
        "model",
        "cwd",
        "git_branch",
        "agent_version",
    ) == [("assistant", "a", "msg_1", "assistant", "claude-x", "/home/ada/project", "main", "2.1.29")]
    assert ingestion.rows("entry", "occurred_at") == [datetime(2026, 2, 3, 3, 49, 55, 373000)]
    assert ingestion.rows("entry", "thinking_count", "image_count") == [(1, 1)]
    assert ingestion.rows("message", "text") == []


@pytest.mark.parametrize(
    ("record", "entry_type"),
    [
        (line("progress", "1", data={"type": "bash_progress", "output": ""}), "progress/bash_progress"),
        (line("system", "1", subtype="turn_duration", durationMs=5), "system/turn_duration"),
        (line("attachment", "1", attachment={"type": "hook_success"}), "attachment/hook_success"),
        ({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}, "file-history-snapshot"),
        ({"type": "pr-link", "prNumber": 1, "parentUuid": None}, "pr-link"),
        ({"type": "never-seen-before", "parentUuid": None}, "never-seen-before"),
    ],
)
def test_every_type_of_line_is_an_entry(record: dict[str, Any], entry_type: str) -> None:
    ingestion = read(record)

    assert ingestion.rows("entry", "entry_type") == [entry_type]
    assert sorted(ingestion.batch.frames()) == ["entry"]


def test_a_record_without_uuid_is_known_by_the_digest_of_its_line() -> None:
    ingestion = read({"type": "mode", "mode": "plan"})

    assert ingestion.rows("entry", "entry_key") == list(ingestion.batch.segments)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("fix the parser", [("typed", "fix the parser")]),
        ([{"type": "text", "text": "fix it"}], [("typed", "fix it")]),
        ("<command-name>/exit</command-name>", [("injected", "<command-name>/exit</command-name>")]),
        ("<task-notification>\n<task-id>1", [("injected", "<task-notification>\n<task-id>1")]),
        (
            [{"type": "text", "text": "[Request interrupted by user]"}],
            [("injected", "[Request interrupted by user]")],
        ),
        ([{"type": "image", "source": {}}], [("typed", "")]),
        (
            [{"type": "text", "text": "<ide_selection>x</ide_selection>"}, {"type": "text", "text": "do it"}],
            [("injected", "<ide_selection>x</ide_selection>"), ("typed", "do it")],
        ),
        ("[test] failed, why?", [("typed", "[test] failed, why?")]),
        ("<b> is not closed", [("typed", "<b> is not closed")]),
    ],
)
def test_prompts_are_typed_or_injected(content: Any, said: list[tuple[str, str]]) -> None:
    ingestion = read(user(content))

    assert ingestion.rows("message", "origin", "text") == said
    assert set(ingestion.rows("message", "channel")) == {"prompt"}


@pytest.mark.parametrize(
    ("fields", "channel"),
    [
        ({"isMeta": True}, "text"),
        ({"isSidechain": True}, "text"),
        ({"isCompactSummary": True}, "summary"),
    ],
)
def test_what_the_host_says_as_the_user_is_no_prompt(fields: dict[str, bool], channel: str) -> None:
    ingestion = read(user("said by the host", **fields))

    assert ingestion.rows("message", "channel", "origin") == [(channel, "injected")]


def test_text_beside_a_tool_result_is_no_prompt() -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}

    ingestion = read(user([result, {"type": "text", "text": "noted"}]))

    assert ingestion.rows("message", "channel", "origin") == [("text", "injected")]


def test_compaction_is_marked() -> None:
    ingestion = read(
        line("system", "1", subtype="compact_boundary", content="Conversation compacted"),
        user("This session is being continued", uuid="2", isCompactSummary=True),
        user("go on", uuid="3"),
    )

    assert ingestion.rows("entry", "is_compaction") == [True, True, False]


def test_a_tool_call_rests_on_its_own_block() -> None:
    block = {
        "type": "tool_use",
        "id": "t1",
        "name": "Edit",
        "input": {"file_path": "/p/a.py", "new_string": "é\n"},
    }

    ingestion = read(assistant({"type": "text", "text": "I edit"}, block))

    assert ingestion.rows("tool_call", "call_key", "name", "path", "writes", "is_nested") == [
        ("t1", "Edit", "/p/a.py", True, False)
    ]
    assert ingestion.evidence("tool_call") == [jsonl(block).rstrip()]
    assert ingestion.rows("file_touch", "path", "cwd", "access", "origin", "call_key") == [
        ("/p/a.py", "/home/ada/project", "write", "tool_input", "t1")
    ]
    assert ingestion.rows("message", "channel", "origin", "text") == [("text", "model", "I edit")]


def test_a_block_written_otherwise_rests_on_its_record() -> None:
    data = b'{"type":"assistant","message":{"role":"assistant","content":[{"type": "tool_use","id":"t","name":"X"}]}}\n'
    ingestion = Ingestion()

    ingestion.read(data)

    assert ingestion.evidence("tool_call") == [data.rstrip()]


@pytest.mark.parametrize(
    ("content", "is_error", "text", "exit_code"),
    [
        ("Exit code 2\nno such file", True, "Exit code 2\nno such file", 2),
        ("the Exit code 2 means", None, "the Exit code 2 means", None),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "två"}], None, "one\ntvå", None),
        ([{"type": "tool_reference", "tool_name": "x"}], False, "", None),
    ],
)
def test_tool_results(content: Any, is_error: bool | None, text: str, exit_code: int | None) -> None:
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    if is_error is not None:
        block["is_error"] = is_error

    ingestion = read(user([block], toolUseResult="ignored"))

    assert ingestion.rows("tool_result", "call_key", "is_error", "excerpt", "exit_code", "byte_count") == [
        ("t1", is_error, text, exit_code, len(text.encode()))
    ]
    assert ingestion.evidence("tool_result") == [jsonl(block).rstrip()]


def test_usage_is_recorded_with_every_line_of_a_message() -> None:
    usage = {
        "input_tokens": 3,
        "output_tokens": 5,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 9,
    }

    ingestion = read(
        assistant({"type": "text", "text": "a"}, uuid="1", usage={**usage, "output_tokens": 1}),
        assistant({"type": "text", "text": "b"}, uuid="2", usage=usage),
    )

    assert ingestion.rows(
        "token_usage", "scope", "message_key", "output_tokens", "cache_read_tokens", "cache_creation_tokens"
    ) == [("entry", "msg_1", 1, 7, 9), ("entry", "msg_1", 5, 7, 9)]


def nested(content: Any, role: str = "assistant") -> dict[str, Any]:
    message = {
        "type": role,
        "message": {"role": role, "id": "msg_n", "content": content, "usage": {"input_tokens": 2}},
    }
    data = {"type": "agent_progress", "prompt": "find it", "message": message, "normalizedMessages": []}
    return line("progress", "n", data=data, parentToolUseID="task-1", toolUseID="agent-1")


def test_a_subagents_calls_are_nested_below_the_call_that_runs_it() -> None:
    block = {"type": "tool_use", "id": "t9", "name": "Read", "input": {"file_path": "/p/b.py"}}

    ingestion = read(nested([block, {"type": "text", "text": "reading"}]))

    assert ingestion.rows("tool_call", "call_key", "parent_call", "is_nested") == [("t9", "task-1", True)]
    assert ingestion.rows("message", "channel", "origin", "is_nested") == [("text", "model", True)]
    assert ingestion.rows("token_usage", "scope", "input_tokens") == [("nested_entry", 2)]


def test_a_subagents_answers_and_instructions_are_nested() -> None:
    result = {"type": "tool_result", "tool_use_id": "t9", "content": "found"}

    ingestion = read(nested([result, {"type": "text", "text": "look there"}], role="user"))

    assert ingestion.rows("tool_result", "call_key", "is_nested") == [("t9", True)]
    assert ingestion.rows("message", "channel", "origin", "is_nested") == [("text", "injected", True)]


def test_a_sidechain_in_the_sessions_own_transcript_is_nested() -> None:
    call = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {}}

    ingestion = read({**assistant(call), "isSidechain": True})

    assert ingestion.rows("tool_call", "parent_call", "is_nested") == [(None, True)]


def test_a_transcript_of_a_subagent_is_nested_as_a_whole() -> None:
    call = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "ls"}}

    ingestion = read(user("look there"), assistant(call), parent_call="task-1")

    assert ingestion.rows("entry", "is_sidechain") == [True, True]
    assert ingestion.rows("message", "channel", "origin", "is_nested") == [("text", "injected", True)]
    assert ingestion.rows("tool_call", "parent_call", "command", "is_nested") == [("task-1", "ls", True)]


def test_a_title_is_a_summary() -> None:
    ingestion = read({"type": "summary", "summary": "Fix the parser", "leafUuid": "x"})

    assert ingestion.rows("message", "channel", "role", "origin", "text") == [
        ("summary", "system", "model", "Fix the parser")
    ]


def test_redacted_text_stays_as_it_is() -> None:
    ingestion = read(user("my key is REDACTED", cwd="/home/REDACTED/project"))

    assert ingestion.rows("message", "text") == ["my key is REDACTED"]
    assert ingestion.rows("entry", "cwd") == ["/home/REDACTED/project"]
