"""pi sessions: one JSON object a line, the first of the type ``session``, the others entries of a tree.

Version 1 has no identifiers; since version 2 every entry names the one before it by ``parentId``, so that one file
holds all branches of a session; version 3 calls messages of extensions ``custom``. The entries of every branch are
read, in the order in which they were written; the host goes on from the last one.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import flag, integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse"]

_SUMMARIES = frozenset({"branchSummary", "compactionSummary"})
_HOST = frozenset({"custom", "hookMessage", "bashExecution"})


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one entry."""
    type_ = text(value.get("type")) or "unknown"
    message = mapping(value.get("message"))
    role = text(message.get("role"))
    sink.entry(
        text(value.get("id")) if type_ != "session" else None,
        microseconds(value.get("timestamp")),
        entry_type=f"{type_}/{role}" if role else type_,
        parent_key=text(value.get("parentId")),
        message_key=text(message.get("responseId")),
        role=_role(role),
        model=text(message.get("model")) or text(value.get("modelId")),
        cwd=text(value.get("cwd")),
        is_compaction=type_ == "compaction" or role == "compactionSummary",
        thinking_count=_count(message, "thinking"),
        image_count=_count(message, "image"),
    )
    if type_ in ("compaction", "branch_summary"):
        _summary(text(value.get("summary")), sink)
    elif type_ == "session_info" and (name := text(value.get("name"))):
        sink.message(0, role="system", channel="title", origin="typed", text=name)
    elif type_ == "custom_message" and (written := joined_text(value.get("content"))):
        sink.message(0, role="user", channel="text", origin="injected", text=written)
    elif role == "assistant":
        _assistant(message, sink)
    elif role == "toolResult":
        _result(message, sink)
    elif role == "user":
        written = joined_text(message.get("content"))
        sink.message(0, role="user", channel="prompt", origin=origin(written), text=written)
    elif role in _SUMMARIES:
        _summary(text(message.get("summary")), sink)
    elif role in _HOST and (written := joined_text(message.get("content", message.get("output")))):
        sink.message(0, role="user", channel="text", origin="injected", text=written)


def _role(role: str | None) -> str | None:
    if role in ("user", "assistant"):
        return role
    return "user" if role == "toolResult" else "system" if role else None


def _count(message: dict[str, Any], type_: str) -> int:
    return sum(mapping(block).get("type") == type_ for block in items(message.get("content")))


def _summary(written: str | None, sink: Sink) -> None:
    if written:
        sink.message(0, role="system", channel="summary", origin="model", text=written)


def _assistant(message: dict[str, Any], sink: Sink) -> None:
    usage = message.get("usage")
    if type(usage) is dict:
        sink.token_usage(
            scope="entry",
            message_key=text(message.get("responseId")),
            model=text(message.get("model")),
            input_tokens=integer(usage.get("input")),
            output_tokens=integer(usage.get("output")),
            cache_creation_tokens=integer(usage.get("cacheWrite")),
            cache_read_tokens=integer(usage.get("cacheRead")),
        )
    for index, block in enumerate(map(mapping, items(message.get("content")))):
        match block.get("type"):
            case "text" | "thinking" as channel:
                if written := text(block.get(channel)):
                    sink.message(index, role="assistant", channel=channel, origin="model", text=written)
            case "toolCall":
                call_key, name = text(block.get("id")), text(block.get("name")) or ""
                sink.tool_call(index, block, call_key=call_key, name=name, given=block.get("arguments"))


def _result(message: dict[str, Any], sink: Sink) -> None:
    sink.tool_result(
        0,
        message,
        call_key=text(message.get("toolCallId")),
        text=joined_text(message.get("content")),
        is_error=flag(message.get("isError")),
    )
