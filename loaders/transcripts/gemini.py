"""Gemini CLI sessions: one JSON document with ``sessionId`` and ``messages``, or since 2026 one JSON object a line.

The older host rewrites the whole document as the session grows, so the records are the elements of ``messages`` and
each is stored by itself: a message has the same bytes in every version that holds it. The newer one appends lines: a
first one about the session, messages (again when they have grown), ``$set`` with new values, whole ``messages`` among
them, and ``$rewindTo``, after which the messages from the one named on no longer count for the host; they were said
all the same and are read. Whole ``messages`` are all that counts from then on.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse", "parse_line"]

_FAILED = {"success": False, "error": True, "cancelled": True}


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one message."""
    type_ = text(value.get("type")) or "unknown"
    role = {"user": "user", "gemini": "assistant"}.get(type_)
    content = value.get("content")
    thoughts = [mapping(thought) for thought in items(value.get("thoughts"))]
    sink.entry(
        text(value.get("id")),
        microseconds(value.get("timestamp")),
        entry_type=type_,
        message_key=text(value.get("id")),
        role=role or "system",
        model=text(value.get("model")),
        is_compaction=False,
        thinking_count=len(thoughts),
        image_count=sum("inlineData" in mapping(part) for part in items(content)),
    )
    written = joined_text(content)
    if role == "user":
        sink.message(0, role="user", channel="prompt", origin=origin(written), text=written)
    elif written:
        author = "model" if role else "injected"
        sink.message(0, role=role or "system", channel="text", origin=author, text=written)
    for index, thought in enumerate(thoughts, 1):
        told = "\n".join(part for key in ("subject", "description") if (part := text(thought.get(key))))
        if told:
            sink.message(index, role="assistant", channel="thinking", origin="model", text=told)
    for index, call in enumerate(items(value.get("toolCalls"))):
        _tool(index, mapping(call), sink)
    _usage(value, sink)


def parse_line(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one line."""
    if "type" in value and "id" in value:
        parse(value, sink)
        return
    operation = next((key for key in value if key.startswith("$")), "session")
    sink.entry(
        None,
        microseconds(value.get("startTime")),
        entry_type=operation,
        is_compaction=False,
        thinking_count=0,
        image_count=0,
    )
    if target := text(value.get("$rewindTo")):
        sink.rewind(target)
    messages = mapping(value.get("$set")).get("messages")
    if type(messages) is list:
        sink.rewind()
    for message in map(mapping, items(messages)):
        sink.begin_within(message)
        parse(message, sink)


def _tool(index: int, call: dict[str, Any], sink: Sink) -> None:
    call_key = sink.tool_call(
        index, call, call_key=text(call.get("id")), name=text(call.get("name")) or "", given=call.get("args")
    )
    result = call.get("result")
    if result is not None:
        responses = (mapping(mapping(part).get("functionResponse")) for part in items(result))
        outputs = (mapping(response.get("response")) for response in responses)
        told = (text(output.get("output")) or text(output.get("error")) or "" for output in outputs)
        sink.tool_result(
            index,
            call,
            call_key=call_key,
            text="\n".join(told) or joined_text(result),
            is_error=_FAILED.get(text(call.get("status")) or ""),
        )


def _usage(value: dict[str, Any], sink: Sink) -> None:
    tokens = value.get("tokens")
    if type(tokens) is dict:
        sink.token_usage(
            scope="entry",
            message_key=text(value.get("id")),
            model=text(value.get("model")),
            input_tokens=integer(tokens.get("input")),
            output_tokens=integer(tokens.get("output")),
            cache_read_tokens=integer(tokens.get("cached")),
        )
