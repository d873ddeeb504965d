"""Copilot CLI sessions: one event a line, with ``type``, ``data``, ``id``, ``timestamp`` and ``parentId``.

A tool call stands in ``assistant.message`` among ``toolRequests`` and again in ``tool.execution_start``; the request
is read, and the start only where a subagent made the call, whose requests the host does not write.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import flag, integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse"]

_ROLES = {"user": "user", "assistant": "assistant", "system": "system"}


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one record."""
    type_ = text(value.get("type")) or "unknown"
    data = mapping(value.get("data"))
    context = mapping(data.get("context"))
    sink.entry(
        text(value.get("id")),
        microseconds(value.get("timestamp")),
        entry_type=type_,
        parent_key=text(value.get("parentId")),
        message_key=text(data.get("messageId")),
        role=_ROLES.get(type_.partition(".")[0]),
        model=text(data.get("model")) or text(data.get("newModel")),
        cwd=text(context.get("cwd")) or text(data.get("cwd")),
        git_branch=text(context.get("branch")),
        agent_version=text(data.get("copilotVersion")),
        is_compaction=type_ == "session.compaction_complete",
        thinking_count=int(bool(data.get("reasoningText") or data.get("reasoningOpaque"))),
        image_count=0,
    )
    handler = _HANDLERS.get(type_)
    if handler:
        handler(data, sink)


def _prompt(data: dict[str, Any], sink: Sink) -> None:
    written = joined_text(data.get("content"))
    author = "injected" if text(data.get("source")) not in (None, "user") else origin(written)
    sink.message(0, role="user", channel="prompt", origin=author, text=written)


def _answer(data: dict[str, Any], sink: Sink) -> None:
    parent = text(data.get("parentToolCallId"))
    is_nested = parent is not None
    for index, (channel, key) in enumerate((("text", "content"), ("thinking", "reasoningText"))):
        if written := joined_text(data.get(key)):
            sink.message(
                index, role="assistant", channel=channel, origin="model", text=written, is_nested=is_nested
            )
    for index, request in enumerate(map(mapping, items(data.get("toolRequests")))):
        sink.tool_call(
            index,
            request,
            call_key=text(request.get("toolCallId")),
            name=text(request.get("name")) or "",
            given=request.get("arguments"),
            parent_call=parent,
        )
    output = integer(data.get("outputTokens"))
    if output is not None:
        sink.token_usage(
            scope="entry",
            message_key=text(data.get("messageId")),
            model=text(data.get("model")),
            output_tokens=output,
        )


def _start(data: dict[str, Any], sink: Sink) -> None:
    parent = text(data.get("parentToolCallId"))
    if parent is not None:
        sink.tool_call(
            0,
            data,
            call_key=text(data.get("toolCallId")),
            name=text(data.get("toolName")) or "",
            given=data.get("arguments"),
            parent_call=parent,
        )


def _complete(data: dict[str, Any], sink: Sink) -> None:
    success = flag(data.get("success"))
    told = mapping(data.get("result")).get("content", mapping(data.get("error")).get("message"))
    sink.tool_result(
        0,
        data,
        call_key=text(data.get("toolCallId")),
        text=joined_text(told),
        is_error=None if success is None else not success,
        is_nested=text(data.get("parentToolCallId")) is not None,
    )


def _compaction(data: dict[str, Any], sink: Sink) -> None:
    if written := text(data.get("summaryContent")):
        sink.message(0, role="system", channel="summary", origin="model", text=written)


def _rewind(data: dict[str, Any], sink: Sink) -> None:
    if target := text(data.get("upToEventId")):
        sink.rewind(target)


def _system(data: dict[str, Any], sink: Sink) -> None:
    if written := joined_text(data.get("content")):
        sink.message(0, role="system", channel="text", origin="injected", text=written)


def _shutdown(data: dict[str, Any], sink: Sink) -> None:
    for path in items(mapping(data.get("codeChanges")).get("filesModified")):
        if type(path) is str:
            sink.file_touch(0, None, call_key=None, path=path, access="write", origin="metadata")


_HANDLERS = {
    "user.message": _prompt,
    "assistant.message": _answer,
    "system.message": _system,
    "tool.execution_start": _start,
    "tool.execution_complete": _complete,
    "session.compaction_complete": _compaction,
    "session.shutdown": _shutdown,
    "session.snapshot_rewind": _rewind,
}
