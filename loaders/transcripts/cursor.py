"""Cursor sessions: lines with ``role`` and ``message``, the bubbles of a composer, or a chat, out of a database.

Lines have neither times nor identifiers. A bubble (`loaders.sessions.cursor` puts those of one composer into a
document with ``messages``) has ``type`` 1 for the person and 2 for the model, ``text``, ``thinking`` and at most one
tool call, ``toolFormerData``, whose input and answer are JSON inside text. The composer lists the bubbles that are
shown; others were taken back, and come after those. A chat has messages with ``role`` and blocks in the form of a
library for models: ``text``, ``reasoning``, ``tool-call`` and ``tool-result``.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import orjson

from loaders.transcripts import claude
from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import (
    from_milliseconds,
    integer,
    items,
    joined_text,
    mapping,
    microseconds,
    text,
)

__all__ = ["parse_bubble", "parse_chat", "parse_line"]

_QUERY = re.compile(r"\s*<user_query>\s*(.*?)\s*</user_query>\s*\Z", re.DOTALL)
_ASKED = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_FAILED = {"completed": False, "error": True, "cancelled": True}


def parse_line(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one line: a message in Claude Code's form whose role stands outside of it."""
    role = text(value.get("role"))
    message = mapping(value.get("message"))
    claude.parse({**value, "type": value.get("type", role), "message": {"role": role, **message}}, sink)


def parse_chat(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one message of a chat; one that was taken back stands inside of a record that says so."""
    message = mapping(value.get("takenBack")) or value
    role = text(message.get("role"))
    blocks = _blocks(message.get("content"))
    model = next(
        (name for each in (message, *blocks) if (name := _model(each))), text(value.get("lastUsedModel"))
    )
    sink.entry(
        None,
        from_milliseconds(value.get("createdAt")),
        entry_type=f"message/{role}" if role else "chat",
        role="user" if role == "tool" else role,
        model=model,
        is_compaction=False,
        thinking_count=sum(block.get("type") == "reasoning" for block in blocks),
        image_count=sum(block.get("type") == "image" for block in blocks),
    )
    if message is not value:
        sink.rewind(is_open=True)
    if role is None and (name := text(value.get("name"))):
        sink.message(0, role="system", channel="title", origin="model", text=name)
    for index, block in enumerate(blocks):
        _chat_block(index, block, role, sink)


def _blocks(content: Any) -> list[dict[str, Any]]:
    if type(content) is str:
        return [{"type": "text", "text": content}]
    return [mapping(block) for block in items(content)]


def _model(said: dict[str, Any]) -> str | None:
    return text(mapping(mapping(said.get("providerOptions")).get("cursor")).get("modelName"))


def _chat_block(index: int, block: dict[str, Any], role: str | None, sink: Sink) -> None:
    written = text(block.get("text"))
    match block.get("type"):
        case "tool-call":
            key, name = text(block.get("toolCallId")), text(block.get("toolName")) or ""
            sink.tool_call(index, block, call_key=key, name=name, given=block.get("args"))
        case "tool-result":
            result = block.get("result")
            told = result if type(result) is str else joined_text(block.get("experimental_content"))
            sink.tool_result(index, block, call_key=text(block.get("toolCallId")), text=told)
        case "reasoning" if written:
            sink.message(index, role="assistant", channel="thinking", origin="model", text=written)
        case "text" if written and role == "user":
            asked = _ASKED.search(written)
            author = (
                origin(asked[1]) if asked else "injected" if written.lstrip().startswith("<") else "typed"
            )
            said = asked[1] if asked else written
            sink.message(index, role="user", channel="prompt", origin=author, text=said)
        case "text" if written:
            author = "model" if role == "assistant" else "injected"
            sink.message(index, role=role or "system", channel="text", origin=author, text=written)


def parse_bubble(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one bubble."""
    role = {1: "user", 2: "assistant"}.get(integer(value.get("type")) or 0)
    key, model = text(value.get("bubbleId")), text(mapping(value.get("modelInfo")).get("modelName"))
    thinking = text(mapping(value.get("thinking")).get("text"))
    created = value.get("createdAt", value.get("timestamp"))
    sink.entry(
        key,
        microseconds(created) or from_milliseconds(created),
        entry_type=f"bubble/{role}" if role else "composer",
        message_key=key,
        role=role,
        model=model,
        cwd=text(value.get("workspaceProjectDir")),
        is_compaction=False,
        thinking_count=int(thinking is not None),
        image_count=0,
    )
    written = text(value.get("text")) or text(value.get("rawText")) or ""
    if role == "user":
        query = _QUERY.match(written)
        said = query[1] if query else written
        sink.message(0, role="user", channel="prompt", origin=origin(said), text=said)
    elif role == "assistant":
        for index, (channel, said) in enumerate((("thinking", thinking or ""), ("text", written))):
            if said:
                sink.message(index, role="assistant", channel=channel, origin="model", text=said)
    elif name := text(value.get("name")):
        sink.message(0, role="system", channel="title", origin="model", text=name)
    headers = items(value.get("fullConversationHeadersOnly"))
    if role is None and headers and (last := text(mapping(headers[-1]).get("bubbleId"))):
        sink.rewind(last, keeps_target=True, is_open=True)
    tool = mapping(value.get("toolFormerData"))
    if tool.get("name"):
        _tool(tool, sink)
    tokens = mapping(value.get("tokenCount"))
    if role == "assistant" and any(tokens.values()):
        counts = {"input_tokens": "inputTokens", "output_tokens": "outputTokens"}
        used = {column: integer(tokens.get(name)) for column, name in counts.items()}
        sink.token_usage(scope="entry", message_key=key, model=model, **used)


def _tool(tool: dict[str, Any], sink: Sink) -> None:
    given: Any = tool.get("rawArgs", tool.get("params"))
    if type(given) is str:
        with suppress(orjson.JSONDecodeError):
            given = orjson.loads(given)
    name, call_key = text(tool.get("name")) or "", text(tool.get("toolCallId"))
    call_key = sink.tool_call(0, tool, call_key=call_key, name=name, given=given)
    result, status = text(tool.get("result")), text(tool.get("status")) or ""
    if result is not None or status in _FAILED:
        sink.tool_result(0, tool, call_key=call_key, text=result or "", is_error=_FAILED.get(status))
