"""Entire's compact transcript (``transcript.jsonl``): one JSON object a line, with ``v``, ``agent``, ``ts``.

It has the texts, tool calls and their answers of a session, whatever its host, but neither thinking nor record
identifiers. It stands in where the full transcript cannot be read.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse"]


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one record."""
    role = text(value.get("type"))
    content = value.get("content")
    blocks = [{"text": content}] if type(content) is str else [mapping(block) for block in items(content)]
    sink.entry(
        None,
        microseconds(value.get("ts")),
        entry_type=role or "unknown",
        message_key=text(value.get("id")),
        role=role if role in ("user", "assistant", "system") else None,
        agent_version=text(value.get("cli_version")),
        is_compaction=False,
        thinking_count=0,
        image_count=sum(block.get("type") == "image" for block in blocks),
    )
    if role == "assistant" and ("input_tokens" in value or "output_tokens" in value):
        sink.token_usage(
            scope="entry",
            message_key=text(value.get("id")),
            model=None,
            input_tokens=integer(value.get("input_tokens")),
            output_tokens=integer(value.get("output_tokens")),
        )
    for index, block in enumerate(blocks):
        if block.get("type") == "tool_use":
            _tool(index, block, sink)
        elif role in ("user", "assistant") and (written := text(block.get("text"))):
            is_prompt = role == "user"
            sink.message(
                index,
                role=role,
                channel="prompt" if is_prompt else "text",
                origin=origin(written) if is_prompt else "model",
                text=written,
            )


def _tool(index: int, block: dict[str, Any], sink: Sink) -> None:
    call_key = sink.tool_call(
        index,
        block,
        call_key=text(block.get("id")),
        name=text(block.get("name")) or "",
        given=block.get("input"),
    )
    result = block.get("result")
    if type(result) is dict:
        status = text(result.get("status"))
        sink.tool_result(
            index,
            result,
            call_key=call_key,
            text=joined_text(result.get("output")),
            is_error=None if status is None else status != "success",
        )
