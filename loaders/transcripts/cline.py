"""Tasks of Cline and its relatives (Roo Code, Kilo Code): one JSON document, an array of messages of the API.

Newer hosts keep the array as ``messages`` of an object, with ``id`` and ``ts`` in each message. A model without tools
of its own writes a call as a tag in its text; such calls are read like others, and their answer is the text of the
user's next message, which the host writes.

What a request cost stands among the messages to the screen, a document of its own.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import flag, from_milliseconds, integer, items, joined_text, mapping, text

__all__ = ["parse", "parse_screen"]

_TASK = re.compile(r"\s*<(task|feedback|user_message|answer)>\s*(.*?)\s*</\1>", re.DOTALL)
_TOOLS = (
    "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files"
    "|list_files|list_code_definition_names|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question"
    "|attempt_completion|new_task|plan_mode_respond|switch_mode|update_todo_list"
)
_CALL = re.compile(rf"<({_TOOLS})>(.*?)</\1>", re.DOTALL)
_FIELD = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one message."""
    role = text(value.get("role"))
    content = value.get("content")
    blocks = [{"type": "text", "text": content}] if type(content) is str else items(content)
    blocks = [mapping(block) for block in blocks]
    model = text(mapping(value.get("modelInfo")).get("modelId"))
    sink.entry(
        text(value.get("id")),
        from_milliseconds(value.get("ts")),
        entry_type=f"message/{role}" if role else "unknown",
        message_key=text(value.get("id")),
        role=role,
        model=model,
        is_compaction=value.get("isSummary") is True,
        thinking_count=sum(block.get("type") in ("thinking", "reasoning") for block in blocks),
        image_count=sum(block.get("type") == "image" for block in blocks),
    )
    for index, block in enumerate(blocks):
        if role == "assistant":
            _assistant(index, block, sink)
        elif role == "user":
            _user(index, block, sink)
    _usage(value, model, sink)


def parse_screen(value: dict[str, Any], sink: Sink) -> None:
    """Add the token counts of one message to the screen; what it says besides is in the messages of the API.

    A request that was deleted with its messages was made all the same.
    """
    if value.get("say") not in ("api_req_started", "deleted_api_reqs"):
        return
    try:
        used = mapping(orjson.loads(text(value.get("text")) or ""))
    except orjson.JSONDecodeError:
        return
    counts = {
        "input_tokens": "tokensIn",
        "output_tokens": "tokensOut",
        "cache_creation_tokens": "cacheWrites",
        "cache_read_tokens": "cacheReads",
    }
    found = {column: integer(used.get(name)) for column, name in counts.items()}
    if any(count is not None for count in found.values()):
        sink.token_usage(scope="screen", message_key=None, model=None, **found)


def _user(index: int, block: dict[str, Any], sink: Sink) -> None:
    if block.get("type") == "tool_result":
        sink.tool_result(
            index,
            block,
            call_key=text(block.get("tool_use_id")),
            text=joined_text(block.get("content")),
            is_error=flag(block.get("is_error")),
        )
    elif written := text(block.get("text")):
        asked = _TASK.match(written)
        is_host = asked is None and written.lstrip().startswith(("<environment_details", "["))
        author = "injected" if is_host else origin(written)
        said = asked[2] if asked else written
        sink.message(index, role="user", channel="prompt", origin=author, text=said)


def _assistant(index: int, block: dict[str, Any], sink: Sink) -> None:
    type_ = block.get("type")
    if type_ == "tool_use":
        name, given = text(block.get("name")) or "", block.get("input")
        sink.tool_call(index, block, call_key=text(block.get("id")), name=name, given=given)
    elif type_ in ("thinking", "reasoning"):
        if written := text(block.get("thinking")) or text(block.get("text")):
            sink.message(index, role="assistant", channel="thinking", origin="model", text=written)
    elif written := text(block.get("text")):
        sink.message(index, role="assistant", channel="text", origin="model", text=written)
        for ordinal, call in enumerate(_CALL.finditer(written)):
            given = dict(_FIELD.findall(call[2]))
            sink.tool_call((index << 16) + ordinal, block, call_key=None, name=call[1], given=given)


def _usage(value: dict[str, Any], model: str | None, sink: Sink) -> None:
    metrics = mapping(value.get("metrics"))
    tokens = mapping(metrics.get("tokens"))
    if tokens:
        sink.token_usage(
            scope="entry",
            message_key=text(value.get("id")),
            model=model,
            input_tokens=integer(tokens.get("prompt")),
            output_tokens=integer(tokens.get("completion")),
            cache_read_tokens=integer(tokens.get("cached")),
        )
