"""The input of a tool call and the text of its answer, out of the bytes that a host wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

__all__ = ["answer_text", "call_input"]

_INPUTS = ("input", "arguments", "args", "rawArgs", "params", "action")
_ANSWERS = ("content", "output", "result", "detailedContent", "error", "response", "functionResponse", "text")


def call_input(block: bytes) -> Any:
    """Input of a tool call: an object, a free text, or null where the block is not that of a call alone.

    >>> call_input(b'{"type":"tool_use","input":{"command":"ls"}}')
    {'command': 'ls'}
    >>> call_input(b'{"type":"function_call","arguments":"{\\\\"cmd\\\\":1}"}')
    {'cmd': 1}
    """
    said = _object(block)
    inner = said.get("state", said.get("function", said))
    if not isinstance(inner, Mapping):
        return None
    given = next((inner[key] for key in _INPUTS if inner.get(key) is not None), None)
    if isinstance(given, str):
        return _decoded(given)
    return given


def answer_text(block: bytes) -> str | None:
    """Text of a tool's answer; None where the block is not that of an answer alone.

    >>> answer_text(b'{"type":"tool_result","content":[{"type":"text","text":"a"},{"text":"b"}]}')
    'a\\nb'
    >>> answer_text(b'{"state":{"status":"completed","output":"done"}}')
    'done'
    """
    said = _object(block)
    return _text(said["state"] if isinstance(said.get("state"), Mapping) else said)


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        found = [text for item in value if (text := _text(item)) is not None]
        return "\n".join(found) if found else None
    if isinstance(value, Mapping):
        for key in _ANSWERS:
            if (text := _text(value.get(key))) is not None:
                return text
    return None


def _object(block: bytes) -> Mapping[str, Any]:
    try:
        said = orjson.loads(block)
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def _decoded(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
