"""Entire's compact transcripts."""

from typing import Any

from tests.transcripts.ingestion import Ingestion, jsonl


def line(type_: str, *content: Any, **fields: Any) -> dict[str, Any]:
    return {
        "v": 1,
        "agent": "codex",
        "cli_version": "0.7",
        "type": type_,
        "ts": "2026-06-01T10:00:00Z",
        **fields,
        "content": list(content),
    }


def test_prompts_answers_and_tools() -> None:
    result = {"output": "2 files", "status": "success"}
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}, "result": result}
    ingestion = Ingestion()

    ingestion.read(
        jsonl(
            line("user", {"text": "look"}),
            line("assistant", {"type": "text", "text": "ok"}, call, id="m1", input_tokens=4, output_tokens=1),
        )
    )

    assert ingestion.rows("entry", "format", "entry_type", "message_key", "agent_version") == [
        ("compact", "user", None, "0.7"),
        ("compact", "assistant", "m1", "0.7"),
    ]
    assert ingestion.rows("message", "channel", "origin", "text") == [
        ("prompt", "typed", "look"),
        ("text", "model", "ok"),
    ]
    assert ingestion.rows("tool_call", "call_key", "path") == [("t1", "a.py")]
    assert ingestion.rows("tool_result", "call_key", "excerpt", "is_error") == [("t1", "2 files", False)]
    assert ingestion.rows("token_usage", "message_key", "input_tokens", "output_tokens") == [("m1", 4, 1)]


def test_calls_without_an_id_get_a_stable_one() -> None:
    call = {"type": "tool_use", "name": "Read", "input": {}, "result": {"output": "x", "status": "error"}}
    first, second = Ingestion(), Ingestion()

    first.read(jsonl(line("assistant", call, call)))
    second.read(jsonl(line("user", {"text": "hi"}), line("assistant", call, call)))

    calls = first.rows("tool_call", "call_key")
    assert len(set(calls)) == 2
    assert second.rows("tool_call", "call_key") == calls
    assert first.rows("tool_result", "call_key", "is_error") == [(key, True) for key in calls]
