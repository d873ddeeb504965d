"""Gemini CLI sessions: one JSON document with ``sessionId`` and ``messages``.

The host rewrites the whole document as the session grows, so the records are the elements of ``messages`` and
each is stored by itself: a message has the same bytes in every version that holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse", "pieces"]

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")
_FAILED = {"success": False, "error": True, "cancelled": True}


def pieces(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Cut a document into the elements of ``messages`` and what lies between.

    Args:
        data: The whole document.

    Yields:
        Start and end in bytes, and whether the piece is a record. A document that is not of this form is one
        record, for the reader to judge.

    >>> data = b'{"messages": [{"id": "1"}, {"id": "2"}]}'
    >>> [data[start:end] for start, end, is_record in pieces(data) if is_record]
    [b'{"id": "1"}', b'{"id": "2"}']
    """
    try:
        records = list(_elements(data.decode("latin-1")))
    except (ValueError, RecursionError):
        records = [(0, len(data))]
    position = 0
    for start, end in records:
        if position < start:
            yield position, start, False
        yield start, end, True
        position = end
    if position < len(data):
        yield position, len(data), False


def _elements(document: str) -> Iterator[tuple[int, int]]:
    """Bounds of the elements of the top-level ``messages``, in a document with one character a byte."""
    position = _skip(document, 0, "{")
    while True:
        key, position = _DECODER.raw_decode(document, _skip(document, position))
        position = _skip(document, _skip(document, position, ":"))
        if key == "messages":
            break
        _, position = _DECODER.raw_decode(document, position)
        position = _skip(document, position, ",")
    position = _skip(document, position, "[")
    while not document.startswith("]", start := _skip(document, position)):
        _, position = _DECODER.raw_decode(document, start)
        yield start, position
        after = _skip(document, position)
        position = after if document.startswith("]", after) else _skip(document, after, ",")


def _skip(document: str, position: int, expected: str = "") -> int:
    """Position after blanks and the expected mark."""
    blank = _BLANK.match(document, position)
    position = blank.end() if blank else position
    if not document.startswith(expected, position):
        raise ValueError(f"expected {expected} at {position}")
    return position + len(expected)


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
