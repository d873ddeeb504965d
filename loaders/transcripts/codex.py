"""Codex rollouts: one JSON object a line, with ``timestamp``, ``type`` and ``payload``.

The host writes what is said twice, as ``response_item`` for the model and as ``event_msg`` for its screen. Prompts
are taken from ``event_msg/user_message``, which holds what the person typed and nothing else, and everything of the
model from ``response_item``. Token counts are running totals of the session. A compaction repeats old messages in
``replacement_history``; those are not admitted again.

The first hosts wrote the items themselves, without ``payload``, after a line about the session; there, and in items
without a type, prompts are messages of the user's role.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import orjson

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import flag, integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse"]

_TYPED = frozenset({"response_item", "event_msg"})


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one record."""
    is_bare = "payload" not in value
    if is_bare:
        value = _wrapped(value)
    type_ = text(value.get("type")) or "unknown"
    payload = mapping(value.get("payload"))
    inner = text(payload.get("type"))
    if type_ == "response_item" and inner is None and "role" in payload:
        is_bare, inner = True, "message"
    entry_type = f"{type_}/{inner}" if type_ in _TYPED and inner else type_
    sink.entry(
        None,
        microseconds(value.get("timestamp")),
        entry_type=entry_type,
        message_key=text(payload.get("id")) if entry_type == "response_item/message" else None,
        role=_role(entry_type, payload),
        model=text(payload.get("model")),
        cwd=text(payload.get("cwd")),
        git_branch=text(mapping(payload.get("git")).get("branch")),
        agent_version=text(payload.get("cli_version")),
        is_compaction=type_ == "compacted",
        thinking_count=int(entry_type == "response_item/reasoning"),
        image_count=len(items(payload.get("images"))) if entry_type == "event_msg/user_message" else 0,
    )
    if is_bare and entry_type == "response_item/message" and payload.get("role") == "user":
        _bare_prompt(payload, sink)
    elif handler := _HANDLERS.get(entry_type):
        handler(payload, sink)


def _wrapped(value: dict[str, Any]) -> dict[str, Any]:
    """A record of the first hosts in the form of the later ones."""
    if "record_type" in value:
        return {"type": value["record_type"], "payload": {}}
    type_ = "response_item" if "type" in value else "session_meta"
    return {"timestamp": value.get("timestamp"), "type": type_, "payload": value}


def _bare_prompt(payload: dict[str, Any], sink: Sink) -> None:
    content = payload.get("content")
    blocks = [content] if type(content) is str else [mapping(block).get("text") for block in items(content)]
    for index, written in enumerate(blocks):
        if type(written) is str:
            sink.message(index, role="user", channel="prompt", origin=origin(written), text=written)


def _role(entry_type: str, payload: dict[str, Any]) -> str | None:
    if entry_type == "event_msg/user_message":
        return "user"
    if entry_type in ("event_msg/agent_message", "response_item/reasoning"):
        return "assistant"
    role = payload.get("role")
    return "system" if role == "developer" else text(role)


def _message(payload: dict[str, Any], sink: Sink) -> None:
    role = _role("response_item/message", payload)
    for index, block in enumerate(items(payload.get("content"))):
        written = text(mapping(block).get("text"))
        if not written:
            continue
        if role == "assistant":
            sink.message(index, role="assistant", channel="text", origin="model", text=written)
        elif role == "system" or origin(written) == "injected":
            sink.message(index, role=role or "system", channel="text", origin="injected", text=written)


def _prompt(payload: dict[str, Any], sink: Sink) -> None:
    written = text(payload.get("message")) or ""
    sink.message(0, role="user", channel="prompt", origin=origin(written), text=written)


def _mail(payload: dict[str, Any], sink: Sink) -> None:
    """What a subagent wrote to another."""
    written = joined_text(payload.get("content")) or text(payload.get("message"))
    if written:
        sink.message(0, role="user", channel="text", origin="injected", text=written, is_nested=True)


def _reasoning(payload: dict[str, Any], sink: Sink) -> None:
    written = "\n".join(filter(None, (joined_text(payload.get(key)) for key in ("summary", "content"))))
    if written:
        sink.message(0, role="assistant", channel="thinking", origin="model", text=written)


def _function_call(payload: dict[str, Any], sink: Sink) -> None:
    given = payload.get("arguments", payload.get("input", payload.get("action")))
    if type(given) is str and "arguments" in payload:
        with suppress(orjson.JSONDecodeError):
            given = orjson.loads(given)
    name = text(payload.get("name")) or (text(payload.get("type")) or "").removesuffix("_call")
    call_key = text(payload.get("call_id")) or text(payload.get("id"))
    sink.tool_call(0, payload, call_key=call_key, name=name, given=given)


def _function_output(payload: dict[str, Any], sink: Sink) -> None:
    output = payload.get("output")
    success = None
    if type(output) is dict:
        success, output = flag(output.get("success")), output.get("content")
    written, exit_code = _unwrapped(joined_text(output))
    sink.tool_result(
        0,
        payload,
        call_key=text(payload.get("call_id")),
        text=written,
        is_error=None if success is None else not success,
        exit_code=exit_code,
    )


def _unwrapped(output: str) -> tuple[str, int | None]:
    """Text and exit code of an answer that is itself JSON, as older hosts write it."""
    if not output.startswith('{"output":'):
        return output, None
    try:
        wrapped = mapping(orjson.loads(output))
    except orjson.JSONDecodeError:
        return output, None
    return text(wrapped.get("output")) or "", integer(mapping(wrapped.get("metadata")).get("exit_code"))


def _patch(payload: dict[str, Any], sink: Sink) -> None:
    call_key = text(payload.get("call_id"))
    for path, change in mapping(payload.get("changes")).items():
        moved = text(mapping(change).get("move_path"))
        for touched in dict.fromkeys(filter(None, (path, moved))):
            sink.file_touch(0, None, call_key=call_key, path=touched, access="write", origin="patch")


def _tokens(payload: dict[str, Any], sink: Sink) -> None:
    total = mapping(payload.get("info")).get("total_token_usage")
    if type(total) is dict:
        sink.token_usage(
            scope="running_total",
            message_key=None,
            model=None,
            input_tokens=integer(total.get("input_tokens")),
            output_tokens=integer(total.get("output_tokens")),
            cache_read_tokens=integer(total.get("cached_input_tokens")),
        )


def _spawned(payload: dict[str, Any], sink: Sink) -> None:
    if child := text(payload.get("new_thread_id")):
        sink.link(child_key=child, relation="subagent", call_key=text(payload.get("call_id")))


def _rolled_back(payload: dict[str, Any], sink: Sink) -> None:
    count = integer(payload.get("num_turns"))
    if count is not None and count > 0:
        sink.rewind(turn_count=count)


def _compacted(payload: dict[str, Any], sink: Sink) -> None:
    if written := text(payload.get("message")):
        sink.message(0, role="system", channel="summary", origin="model", text=written)


_HANDLERS = {
    "response_item/message": _message,
    "response_item/agent_message": _mail,
    "response_item/reasoning": _reasoning,
    "response_item/function_call": _function_call,
    "response_item/custom_tool_call": _function_call,
    "response_item/local_shell_call": _function_call,
    "response_item/web_search_call": _function_call,
    "response_item/function_call_output": _function_output,
    "response_item/custom_tool_call_output": _function_output,
    "event_msg/user_message": _prompt,
    "event_msg/patch_apply_end": _patch,
    "event_msg/token_count": _tokens,
    "event_msg/collab_agent_spawn_end": _spawned,
    "event_msg/thread_rolled_back": _rolled_back,
    "compacted": _compacted,
}
