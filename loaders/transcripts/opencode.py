"""OpenCode sessions: one JSON document with ``info`` and ``messages``, each message with ``info`` and ``parts``, or as
`loaders.transcripts.opencode_messages` says.

That is the form in which the host exports a session; `loaders.sessions.opencode` puts the files, or the rows of the
database, in which the host keeps sessions into the same form without changing the bytes of any of them.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts import opencode_messages
from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import from_milliseconds, integer, items, mapping, text

__all__ = ["parse"]


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one message with its parts."""
    if "info" not in value and "type" in value:
        opencode_messages.parse(value, sink)
        return
    info, parts = mapping(value.get("info")), [mapping(part) for part in items(value.get("parts"))]
    role = text(info.get("role"))
    types = [part.get("type") for part in parts]
    sink.entry(
        text(info.get("id")),
        from_milliseconds(mapping(info.get("time")).get("created")),
        entry_type=f"message/{role}" if role else "session",
        parent_key=text(info.get("parentID")),
        message_key=text(info.get("id")),
        role=role,
        model=text(info.get("modelID")) or text(mapping(info.get("model")).get("modelID")),
        cwd=text(mapping(info.get("path")).get("cwd")) or text(info.get("directory")),
        agent_version=text(info.get("version")),
        is_compaction=info.get("summary") is True or "compaction" in types,
        thinking_count=types.count("reasoning"),
        image_count=types.count("file"),
    )
    if role is None and (title := text(info.get("title"))):
        sink.message(0, role="system", channel="title", origin="model", text=title)
    if target := text(mapping(info.get("revert")).get("messageID")):
        sink.rewind(target, is_open=True)
    if role == "assistant":
        _usage(info, sink)
    for index, part in enumerate(parts):
        _part(index, part, info, sink)


def _part(index: int, part: dict[str, Any], info: dict[str, Any], sink: Sink) -> None:
    written = text(part.get("text"))
    type_, is_user = part.get("type"), info.get("role") == "user"
    if type_ == "tool":
        _tool(index, part, sink)
    elif type_ == "patch":
        for path in items(part.get("files")):
            if type(path) is str:
                sink.file_touch(index, None, call_key=None, path=path, access="write", origin="patch")
    elif not written:
        return
    elif type_ == "reasoning":
        sink.message(index, role="assistant", channel="thinking", origin="model", text=written)
    elif type_ == "text" and is_user:
        author = "injected" if part.get("synthetic") is True else origin(written)
        channel = "text" if sink.is_nested else "prompt"
        sink.message(index, role="user", channel=channel, origin=author, text=written)
    elif type_ == "text":
        channel = "summary" if info.get("summary") is True else "text"
        sink.message(index, role="assistant", channel=channel, origin="model", text=written)


def _tool(index: int, part: dict[str, Any], sink: Sink) -> None:
    state = mapping(part.get("state"))
    name = text(part.get("tool")) or ""
    call_key = sink.tool_call(
        index, part, call_key=text(part.get("callID")), name=name, given=state.get("input")
    )
    status = text(state.get("status"))
    metadata = mapping(state.get("metadata"))
    child = text(metadata.get("sessionId")) or text(metadata.get("sessionID"))
    if name == "task" and child:
        sink.link(child_key=child, relation="subagent", call_key=call_key)
    if status in ("completed", "error"):
        sink.tool_result(
            index,
            part,
            call_key=call_key,
            text=text(state.get("output")) or text(state.get("error")) or "",
            is_error=status == "error",
            exit_code=integer(metadata.get("exit")),
            occurred_at=from_milliseconds(mapping(state.get("time")).get("end")),
        )


def _usage(info: dict[str, Any], sink: Sink) -> None:
    tokens = info.get("tokens")
    if type(tokens) is dict:
        cache = mapping(tokens.get("cache"))
        sink.token_usage(
            scope="entry",
            message_key=text(info.get("id")),
            model=text(info.get("modelID")),
            input_tokens=integer(tokens.get("input")),
            output_tokens=integer(tokens.get("output")),
            cache_creation_tokens=integer(cache.get("write")),
            cache_read_tokens=integer(cache.get("read")),
        )
