"""Messages of OpenCode from its version 2 on: each says its type, and has its text or its content in itself.

Types: ``user``, ``assistant`` (with content of ``text``, ``reasoning`` and ``tool``), ``shell`` (a command of the
person's own), ``synthetic``, ``system``, ``compaction``, ``agent-switched`` and ``model-switched``; of the last two,
and of any other, the entry is all there is. Told by the host's declaration of its session messages.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import from_milliseconds, integer, items, mapping, text

__all__ = ["parse"]

_SUBAGENTS = frozenset({"task", "subagent"})


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one message."""
    type_ = text(value.get("type")) or ""
    content = [mapping(each) for each in items(value.get("content"))]
    key, model = text(value.get("id")), text(mapping(value.get("model")).get("id"))
    sink.entry(
        key,
        from_milliseconds(mapping(value.get("time")).get("created")),
        entry_type=f"message/{type_}",
        message_key=key,
        role=type_ if type_ in ("user", "assistant") else None,
        model=model,
        is_compaction=type_ == "compaction",
        thinking_count=sum(each.get("type") == "reasoning" for each in content),
        image_count=len(items(value.get("files"))),
    )
    if type_ == "assistant":
        _usage(value, key, model, sink)
        for index, part in enumerate(content):
            _part(index, part, sink)
    else:
        _text(type_, value, sink)


def _text(type_: str, value: dict[str, Any], sink: Sink) -> None:
    """What a message says that is not the model's answer."""
    written = text(value.get({"shell": "command", "compaction": "summary"}.get(type_, "text")))
    if not written:
        return
    channel = "text" if sink.is_nested else "prompt"
    match type_:
        case "user":
            sink.message(0, role="user", channel=channel, origin=origin(written), text=written)
        case "synthetic" | "shell":
            sink.message(0, role="user", channel=channel, origin="injected", text=written)
        case "system":
            sink.message(0, role="system", channel="text", origin="injected", text=written)
        case "compaction":
            sink.message(0, role="assistant", channel="summary", origin="model", text=written)


def _part(index: int, part: dict[str, Any], sink: Sink) -> None:
    written, type_ = text(part.get("text")), part.get("type")
    if type_ == "tool":
        _tool(index, part, sink)
    elif written and type_ == "text":
        author = "injected" if part.get("synthetic") is True else "model"
        sink.message(index, role="assistant", channel="text", origin=author, text=written)
    elif written and type_ == "reasoning":
        sink.message(index, role="assistant", channel="thinking", origin="model", text=written)


def _tool(index: int, part: dict[str, Any], sink: Sink) -> None:
    state, name = mapping(part.get("state")), text(part.get("name")) or ""
    call_key = sink.tool_call(index, part, call_key=text(part.get("id")), name=name, given=state.get("input"))
    structured = mapping(state.get("structured"))
    child = text(structured.get("sessionID")) or text(structured.get("sessionId"))
    if name in _SUBAGENTS and child:
        sink.link(child_key=child, relation="subagent", call_key=call_key)
    status = state.get("status")
    if status in ("completed", "error"):
        said = [text(mapping(each).get("text")) for each in items(state.get("content"))]
        sink.tool_result(
            index,
            part,
            call_key=call_key,
            text="\n".join(filter(None, [*said, text(mapping(state.get("error")).get("message"))])),
            is_error=status == "error",
            exit_code=integer(structured.get("exit")),
            occurred_at=from_milliseconds(mapping(part.get("time")).get("completed")),
        )


def _usage(value: dict[str, Any], key: str | None, model: str | None, sink: Sink) -> None:
    tokens = mapping(value.get("tokens"))
    if tokens:
        cache = mapping(tokens.get("cache"))
        sink.token_usage(
            scope="entry",
            message_key=key,
            model=model,
            input_tokens=integer(tokens.get("input")),
            output_tokens=integer(tokens.get("output")),
            cache_creation_tokens=integer(cache.get("write")),
            cache_read_tokens=integer(cache.get("read")),
        )
