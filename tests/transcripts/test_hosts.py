"""Formats of further hosts, each with invented records in the host's true form."""

import json
from typing import Any

from tests.transcripts.ingestion import Ingestion, jsonl

SAID = ("role", "channel", "origin", "text")
USED = ("message_key", "input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")


def pi_message(key: str, parent: str | None, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": key,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:01.000Z",
        "message": message,
    }


def test_pi_reads_all_branches_of_the_tree_with_calls_and_answers() -> None:
    bank = Ingestion()
    call = {"type": "toolCall", "id": "call_1", "name": "edit", "arguments": {"path": "a.py"}}
    usage = {"input": 5, "output": 7, "cacheRead": 11, "cacheWrite": 13, "totalTokens": 36}
    answer = {"role": "toolResult", "toolCallId": "call_1", "toolName": "edit", "isError": True}
    summary = {"type": "compaction", "id": "e6", "parentId": "e5", "summary": "Short.", "tokensBefore": 9}
    bank.read(
        jsonl(
            {
                "type": "session",
                "version": 3,
                "id": "s1",
                "timestamp": "2026-01-01T00:00:00.000Z",
                "cwd": "/w",
            },
            {"type": "model_change", "id": "e0", "parentId": None, "provider": "p", "modelId": "m-1"},
            pi_message("e1", "e0", {"role": "user", "content": "Fix it."}),
            pi_message(
                "e2",
                "e1",
                {
                    "role": "assistant",
                    "model": "m-1",
                    "usage": usage,
                    "content": [
                        {"type": "thinking", "thinking": "Hm."},
                        {"type": "text", "text": "So."},
                        call,
                    ],
                },
            ),
            pi_message("e3", "e2", answer | {"content": [{"type": "text", "text": "no such file"}]}),
            pi_message("e4", "e1", {"role": "user", "content": [{"type": "text", "text": "Other way."}]}),
            {"type": "branch_summary", "id": "e5", "parentId": "e4", "fromId": "e3", "summary": "Left that."},
            summary,
            {"type": "label", "id": "e7", "parentId": "e6", "targetId": "e1", "label": "here"},
            {"type": "session_info", "id": "e8", "parentId": "e7", "name": "Repair"},
            {"type": "of_tomorrow", "id": "e9", "parentId": "e8"},
        )
    )

    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "Fix it."),
        ("assistant", "thinking", "model", "Hm."),
        ("assistant", "text", "model", "So."),
        ("user", "prompt", "typed", "Other way."),
        ("system", "summary", "model", "Left that."),
        ("system", "summary", "model", "Short."),
        ("system", "title", "typed", "Repair"),
    ]
    assert bank.rows("tool_call", "call_key", "name", "path", "writes") == [("call_1", "edit", "a.py", True)]
    assert bank.rows("tool_result", "call_key", "is_error", "excerpt") == [("call_1", True, "no such file")]
    assert bank.rows("token_usage", *USED) == [(None, 5, 7, 13, 11)]
    assert bank.rows("entry", "entry_key", "parent_key")[3:6] == [("e2", "e1"), ("e3", "e2"), ("e4", "e1")]
    assert bank.rows("entry", "entry_type")[-1] == "of_tomorrow"
    assert [compaction for compaction in bank.rows("entry", "is_compaction") if compaction] == [True]


def test_pi_of_the_first_version_has_no_identifiers() -> None:
    bank = Ingestion()
    record = {"type": "message", "timestamp": "2026-01-01T00:00:01.000Z"}
    bank.read(
        jsonl(
            {"type": "session", "id": "s1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/w"},
            record | {"message": {"role": "user", "content": "Hello"}},
            record | {"message": {"role": "user", "content": "Hello"}},
        )
    )

    assert bank.rows("message", "text", "occurrence") == [("Hello", 0), ("Hello", 1)]


def test_copilot_takes_each_call_once() -> None:
    bank = Ingestion()

    def event(number: int, type_: str, **data: Any) -> dict[str, Any]:
        time = f"2026-01-01T00:00:0{number}.000Z"
        return {"type": type_, "data": data, "id": f"e{number}", "timestamp": time, "parentId": None}

    request = {
        "toolCallId": "t1",
        "name": "edit",
        "arguments": {"path": "/w/a.py", "old_str": "x", "new_str": "y"},
    }
    bank.read(
        jsonl(
            event(
                0,
                "session.start",
                sessionId="s",
                copilotVersion="1.0",
                context={"cwd": "/w", "branch": "main"},
            ),
            event(1, "user.message", content="Change it.", transformedContent="<x>Change it.</x>"),
            event(
                2,
                "assistant.message",
                messageId="m1",
                content="Sure.",
                toolRequests=[request],
                outputTokens=4,
            ),
            event(3, "tool.execution_start", toolCallId="t1", toolName="edit", arguments={"path": "/w/a.py"}),
            event(4, "tool.execution_complete", toolCallId="t1", success=False, error={"message": "denied"}),
            event(5, "session.compaction_complete", success=True, summaryContent="All so far."),
            event(6, "session.shutdown", codeChanges={"filesModified": ["/w/a.py"]}),
        )
    )

    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "Change it."),
        ("assistant", "text", "model", "Sure."),
        ("system", "summary", "model", "All so far."),
    ]
    assert bank.rows("tool_call", "call_key", "path", "writes") == [("t1", "/w/a.py", True)]
    assert bank.rows("tool_result", "call_key", "is_error", "excerpt") == [("t1", True, "denied")]
    assert bank.rows("token_usage", "message_key", "output_tokens") == [("m1", 4)]
    assert bank.rows("entry", "cwd", "git_branch")[0] == ("/w", "main")


def test_cursor_lines_have_the_role_outside_of_the_message() -> None:
    bank = Ingestion()
    call = {"type": "tool_use", "name": "Read", "input": {"path": "a.py"}}
    bank.read(
        jsonl(
            {"role": "user", "message": {"content": [{"type": "text", "text": "Look."}]}},
            {"role": "assistant", "message": {"content": [{"type": "text", "text": "I do."}, call]}},
            {"type": "turn_ended", "status": "success"},
        )
    )

    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "Look."),
        ("assistant", "text", "model", "I do."),
    ]
    assert bank.rows("tool_call", "name", "path") == [("Read", "a.py")]
    assert bank.rows("entry", "entry_type") == ["user", "assistant", "turn_ended"]


def test_cursor_bubbles_have_their_call_in_themselves() -> None:
    bank = Ingestion()
    tool = {"name": "edit_file", "toolCallId": "t1", "status": "completed", "result": '{"ok":true}'}
    tool |= {"rawArgs": '{"target_file":"a.py"}'}
    messages = [
        {"composerId": "c1", "name": "Repair", "createdAt": 1_767_225_600_000},
        {"type": 1, "bubbleId": "b1", "text": "<user_query>\nMend it.\n</user_query>"},
        {"type": 2, "bubbleId": "b2", "text": "", "thinking": {"text": "Hm."}, "toolFormerData": tool},
        {"type": 2, "bubbleId": "b3", "text": "Done.", "tokenCount": {"inputTokens": 3, "outputTokens": 2}},
    ]
    bank.read(json.dumps({"composerId": "c1", "messages": messages}, separators=(",", ":")).encode())

    assert bank.rows("message", *SAID) == [
        ("system", "title", "model", "Repair"),
        ("user", "prompt", "typed", "Mend it."),
        ("assistant", "thinking", "model", "Hm."),
        ("assistant", "text", "model", "Done."),
    ]
    assert bank.rows("tool_call", "call_key", "path", "writes") == [("t1", "a.py", True)]
    assert bank.rows("tool_result", "is_error") == [False]
    assert bank.rows("token_usage", "input_tokens", "output_tokens") == [(3, 2)]


def test_opencode_message_with_parts_and_a_subagent() -> None:
    bank = Ingestion()
    state = {
        "status": "completed",
        "input": {"prompt": "Look"},
        "output": "seen",
        "time": {"start": 1, "end": 2},
    }
    state |= {"metadata": {"sessionId": "ses_child"}}
    tokens = {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}
    session = {"id": "ses_1", "title": "Look around", "directory": "/w", "version": "1.0"}
    answer = {"id": "msg_2", "role": "assistant", "modelID": "m", "tokens": tokens, "path": {"cwd": "/w"}}
    messages = [
        {"info": session},
        {
            "info": {"id": "msg_1", "role": "user", "time": {"created": 1_767_225_600_000}},
            "parts": [{"type": "text", "text": "Go."}, {"type": "text", "text": "file", "synthetic": True}],
        },
        {
            "info": answer,
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "Hm."},
                {"type": "tool", "callID": "c1", "tool": "task", "state": state},
                {"type": "patch", "hash": "h", "files": ["/w/a.py"]},
                {"type": "text", "text": "Gone."},
            ],
        },
    ]
    bank.read(json.dumps({"messages": messages}, separators=(",", ":")).encode(), session="ses_1")

    assert bank.rows("message", *SAID) == [
        ("system", "title", "model", "Look around"),
        ("user", "prompt", "typed", "Go."),
        ("user", "prompt", "injected", "file"),
        ("assistant", "thinking", "model", "Hm."),
        ("assistant", "text", "model", "Gone."),
    ]
    assert bank.rows("session_link", "child_key", "parent_key", "relation", "call_key") == [
        ("ses_child", "ses_1", "subagent", "c1")
    ]
    assert bank.rows("tool_result", "excerpt", "is_error") == [("seen", False)]
    assert bank.rows("token_usage", *USED) == [("msg_2", 1, 2, 5, 4)]
    assert bank.rows("file_touch", "path", "access", "origin") == [("/w/a.py", "write", "patch")]


def test_opencode_messages_that_say_their_type() -> None:
    bank = Ingestion()
    tool = {"type": "tool", "id": "c1", "name": "bash", "time": {"created": 1, "completed": 2}}
    done = {
        "status": "completed",
        "input": {"command": "make"},
        "structured": {"exit": 2},
        "content": [{"type": "text", "text": "broken"}, {"type": "file", "uri": "data:"}],
    }
    failed = {
        "status": "error",
        "input": {"filePath": "/w/a.py", "oldString": "a", "newString": "b"},
        "structured": {},
        "content": [],
        "error": {"type": "unknown", "message": "no such text"},
    }
    asked = {"status": "completed", "input": {}, "structured": {"sessionID": "ses_child"}, "content": []}
    content = [
        {"type": "reasoning", "id": "r", "text": "Hm."},
        {**tool, "state": done},
        {**tool, "id": "c2", "name": "edit", "state": failed},
        {**tool, "id": "c3", "name": "subagent", "state": asked},
        {**tool, "id": "c4", "name": "read", "state": {"status": "pending", "input": '{"fileP'}},
        {"type": "text", "id": "t", "text": "Gone."},
        {"type": "text", "id": "u", "text": "Resumed.", "synthetic": True},
    ]
    tokens = {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}}
    messages = [
        {"info": {"id": "ses_1", "directory": "/w"}},
        {"id": "e1", "type": "agent-switched", "agent": "build", "time": {"created": 1_767_225_600_000}},
        {"id": "e2", "type": "user", "text": "Go.", "files": [{"uri": "file:a.png"}]},
        {"id": "e3", "type": "shell", "callID": "s", "command": "ls", "output": "a.py"},
        {"id": "e4", "type": "synthetic", "text": "A plugin says so."},
        {"id": "e5", "type": "assistant", "model": {"id": "m"}, "content": content, "tokens": tokens},
        {"id": "e6", "type": "compaction", "reason": "auto", "summary": "All done.", "recent": ""},
        {"id": "e7", "type": "system", "text": "Rules."},
        {"id": "e8", "type": "of a later version"},
    ]
    bank.read(json.dumps({"messages": messages}, separators=(",", ":")).encode(), session="ses_1")

    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "Go."),
        ("user", "prompt", "injected", "ls"),
        ("user", "prompt", "injected", "A plugin says so."),
        ("assistant", "thinking", "model", "Hm."),
        ("assistant", "text", "model", "Gone."),
        ("assistant", "text", "injected", "Resumed."),
        ("assistant", "summary", "model", "All done."),
        ("system", "text", "injected", "Rules."),
    ]
    assert bank.rows("tool_call", "call_key", "name", "path", "command", "writes") == [
        ("c1", "bash", None, "make", False),
        ("c2", "edit", "/w/a.py", None, True),
        ("c3", "subagent", None, None, False),
        ("c4", "read", None, None, False),
    ]
    assert bank.rows("tool_result", "call_key", "excerpt", "is_error", "exit_code") == [
        ("c1", "broken", False, 2),
        ("c2", "no such text", True, None),
        ("c3", "", False, None),
    ]
    assert bank.rows("session_link", "child_key", "call_key") == [("ses_child", "c3")]
    assert bank.rows("token_usage", *USED) == [("e5", 1, 2, 5, 4)]
    assert [row for row in bank.rows("entry", "entry_type", "is_compaction") if row[1]] == [
        ("message/compaction", True)
    ]


def test_cline_reads_calls_of_both_generations() -> None:
    bank = Ingestion()
    said = "Let me see.\n<read_file>\n<path>a.py</path>\n</read_file>"
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": "<task>\nSay hello\n</task>"}],
            "ts": 1_767_225_600_000,
        },
        {"role": "assistant", "content": [{"type": "text", "text": said}]},
        {"role": "user", "content": [{"type": "text", "text": "[read_file for 'a.py'] Result: 1"}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "write_to_file", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]},
    ]
    bank.read(json.dumps(messages).encode())

    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "Say hello"),
        ("assistant", "text", "model", said),
        ("user", "prompt", "injected", "[read_file for 'a.py'] Result: 1"),
    ]
    assert bank.rows("tool_call", "name", "path") == [("read_file", "a.py"), ("write_to_file", None)]
    assert bank.rows("tool_result", "call_key", "excerpt") == [("t1", "ok")]


def test_gemini_lines_repeat_a_message_that_has_grown() -> None:
    bank = Ingestion()
    user = {"id": "m1", "timestamp": "2026-01-01T00:00:00.000Z", "type": "user", "content": "Go."}
    answer = {
        "id": "m2",
        "type": "gemini",
        "content": [{"text": "Gone."}],
        "tokens": {"input": 1, "output": 2},
    }
    bank.read(
        jsonl(
            {"sessionId": "s", "startTime": "2026-01-01T00:00:00.000Z", "kind": "main"},
            user,
            answer,
            {"$set": {"messages": [user, answer], "lastUpdated": "2026-01-01T00:00:02.000Z"}},
            {"$rewindTo": "m2"},
        )
    )

    assert bank.rows("entry", "entry_type", "entry_key")[1:3] == [("user", "m1"), ("gemini", "m2")]
    assert bank.rows("entry", "entry_type") == [
        "session",
        "user",
        "gemini",
        "$set",
        "user",
        "gemini",
        "$rewindTo",
    ]
    assert bank.rows("message", "text") == ["Go.", "Gone.", "Go.", "Gone."]
    assert bank.evidence("message")[0] == bank.evidence("message")[2]


def test_codex_of_the_first_hosts_writes_items_without_payload() -> None:
    bank = Ingestion()
    call = {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"}
    bank.read(
        jsonl(
            {
                "id": "s1",
                "timestamp": "2025-06-01T00:00:00.000Z",
                "instructions": None,
                "git": {"branch": "main"},
            },
            {"record_type": "state"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List."}]},
            call,
            {"type": "function_call_output", "call_id": "c1", "output": "a.py"},
        )
    )

    assert bank.rows("message", *SAID) == [("user", "prompt", "typed", "List.")]
    assert bank.rows("tool_call", "call_key", "command") == [("c1", "ls")]
    assert bank.rows("entry", "entry_type")[:2] == ["session_meta", "state"]


def test_claude_names_the_subagent_of_a_call_and_prompts_that_were_queued() -> None:
    bank = Ingestion()
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
    bank.read(
        jsonl(
            {
                "type": "user",
                "uuid": "u1",
                "message": {"role": "user", "content": [result]},
                "toolUseResult": {"agentId": "a1", "status": "completed"},
            },
            {
                "type": "attachment",
                "uuid": "u2",
                "attachment": {"type": "queued_command", "prompt": "And this."},
            },
            {"type": "custom-title", "customTitle": "Search", "sessionId": "session-1"},
        )
    )

    assert bank.rows("session_link", "child_key", "parent_key", "call_key") == [
        ("agent-a1@session-1", "session-1", "toolu_1")
    ]
    assert bank.rows("message", *SAID) == [
        ("user", "prompt", "typed", "And this."),
        ("system", "title", "typed", "Search"),
    ]
