"""Gemini CLI sessions: one document that is rewritten as it grows."""

import json
from typing import Any

from tests.transcripts.ingestion import Ingestion

STAMP = "2026-01-10T02:08:26.108Z"


def document(*messages: dict[str, Any], **more: Any) -> bytes:
    whole = {"sessionId": "s", "projectHash": "h", "messages": messages, **more}
    return json.dumps(whole, indent=2, ensure_ascii=False).encode()


def user(id_: str, content: Any) -> dict[str, Any]:
    return {"id": id_, "timestamp": STAMP, "type": "user", "content": content}


CALL = {
    "id": "read-1",
    "name": "write_file",
    "args": {"file_path": "a.txt", "content": "hello"},
    "result": [{"functionResponse": {"id": "read-1", "response": {"output": "written"}}}],
    "status": "success",
}
ANSWER = {
    "id": "2",
    "timestamp": STAMP,
    "type": "gemini",
    "content": "Done.",
    "toolCalls": [CALL],
    "thoughts": [{"subject": "Plan", "description": "write it"}],
    "tokens": {"input": 10, "output": 2, "cached": 4, "thoughts": 3, "tool": 0, "total": 15},
    "model": "gemini-x",
}


def read(data: bytes) -> Ingestion:
    ingestion = Ingestion()
    ingestion.read(data)
    return ingestion


def test_messages_are_records_with_their_own_bytes() -> None:
    data = document(user("1", "schön"), ANSWER)

    ingestion = read(data)

    assert ingestion.rows("entry", "entry_key", "entry_type", "role", "model") == [
        ("1", "user", "user", None),
        ("2", "gemini", "assistant", "gemini-x"),
    ]
    assert [json.loads(evidence) for evidence in ingestion.evidence("entry")] == [user("1", "schön"), ANSWER]
    assert ingestion.rebuilt() == data


def test_what_is_said_called_and_used() -> None:
    ingestion = read(document(user("1", "write a.txt"), ANSWER))

    assert ingestion.rows("message", "channel", "origin", "text") == [
        ("prompt", "typed", "write a.txt"),
        ("text", "model", "Done."),
        ("thinking", "model", "Plan\nwrite it"),
    ]
    assert ingestion.rows("tool_call", "call_key", "name", "path", "writes") == [
        ("read-1", "write_file", "a.txt", True)
    ]
    assert ingestion.rows("tool_result", "call_key", "excerpt", "is_error") == [("read-1", "written", False)]
    assert ingestion.rows(
        "token_usage", "message_key", "input_tokens", "output_tokens", "cache_read_tokens"
    ) == [("2", 10, 2, 4)]


def test_notices_of_the_host_are_injected() -> None:
    notice = {"id": "3", "timestamp": STAMP, "type": "warning", "content": "Slow."}

    ingestion = read(document(notice))

    assert ingestion.rows("message", "role", "origin", "text") == [("system", "injected", "Slow.")]


def test_a_message_is_read_once_however_often_the_document_is_rewritten() -> None:
    ingestion = Ingestion()
    ingestion.read(document(user("1", "a"), lastUpdated="1"), path="early")

    work = ingestion.read(document(user("1", "a"), user("2", "b"), lastUpdated="2"), path="late")

    assert (work.lines, work.lines_parsed) == (2, 1)
    assert ingestion.rows("message", "text") == ["a", "b"]


def test_a_document_on_one_line_is_read_too() -> None:
    data = json.dumps({"sessionId": "s", "messages": [user("1", "a")], "kind": "main"}).encode()

    ingestion = read(data)

    assert ingestion.rows("message", "text") == ["a"]
    assert ingestion.rebuilt() == data


def test_a_document_cut_off_is_one_fault_and_keeps_its_bytes() -> None:
    data = document(user("1", "a"), ANSWER)[:-40]

    ingestion = read(data)

    assert ingestion.rows("fault", "fault_kind", "location") == [("malformed_line", "full.jsonl:1")]
    assert ingestion.rebuilt() == data
