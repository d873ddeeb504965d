"""Lines of JSON objects of a host of one's own, read by a mapping from columns to fields.

A field is a key, or keys joined by dots for an object inside an object. Of those given for a column, the first that a
record has counts. The mapping that is used where a source gives none is `MAPPING`; docs/sessions.md describes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import orjson

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import (
    flag,
    from_milliseconds,
    integer,
    items,
    joined_text,
    mapping,
    microseconds,
    text,
)

__all__ = ["MAPPING", "Fields", "lookup", "parse"]

Fields = Mapping[str, Sequence[str]]
"""For each column the fields that it may be taken from, the first that is there."""

MAPPING: Fields = {
    "session": ("session_id", "sessionId", "session", "conversation_id"),
    "id": ("id", "uuid", "message_id"),
    "parent": ("parent_id", "parentId", "parentUuid"),
    "timestamp": ("timestamp", "time", "created_at", "ts"),
    "role": ("role", "message.role", "author", "type"),
    "text": ("content", "text", "message.content", "message"),
    "model": ("model", "message.model"),
    "cwd": ("cwd", "directory"),
    "tool_calls": ("tool_calls", "message.tool_calls"),
    "tool_call_id": ("tool_call_id", "message.tool_call_id"),
    "is_error": ("is_error",),
    "input_tokens": ("usage.input_tokens", "usage.prompt_tokens"),
    "output_tokens": ("usage.output_tokens", "usage.completion_tokens"),
}
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant"}


def lookup(value: Mapping[str, Any], fields: Sequence[str]) -> Any:
    """The first field that is there, null where none is.

    >>> lookup({"a": {"b": 1}}, ["x", "a.b"])
    1
    """
    for field in fields:
        found: Any = value
        for key in field.split("."):
            found = mapping(found).get(key)
        if found is not None:
            return found
    return None


def parse(value: dict[str, Any], sink: Sink, fields: Fields = MAPPING) -> None:
    """Add the events of one record, read by a mapping that has all columns of `MAPPING`."""
    said = {column: lookup(value, fields) for column, fields in fields.items()}
    role = _ROLES.get(text(said["role"]) or "")
    time = said["timestamp"]
    key = text(said["id"])
    sink.entry(
        key,
        microseconds(time) or from_milliseconds(time),
        entry_type=text(said["role"]) or "unknown",
        parent_key=text(said["parent"]),
        message_key=key,
        role=role,
        model=text(said["model"]),
        cwd=text(said["cwd"]),
        is_compaction=False,
        thinking_count=0,
        image_count=0,
    )
    written = joined_text(said["text"])
    if said["tool_call_id"] is not None:
        error, call_key = flag(said["is_error"]), text(said["tool_call_id"])
        sink.tool_result(0, value, call_key=call_key, text=written, is_error=error)
    elif role == "user":
        sink.message(0, role="user", channel="prompt", origin=origin(written), text=written)
    elif written and role:
        sink.message(0, role=role, channel="text", origin="model", text=written)
    for index, call in enumerate(map(mapping, items(said["tool_calls"]))):
        _call(index, call, sink)
    counts = {name: integer(said[name]) for name in ("input_tokens", "output_tokens")}
    if any(count is not None for count in counts.values()):
        sink.token_usage(scope="entry", message_key=key, model=text(said["model"]), **counts)


def _call(index: int, call: dict[str, Any], sink: Sink) -> None:
    """A call in the form of the API of OpenAI, or with ``name`` and ``input``."""
    function = mapping(call.get("function")) or call
    given = function.get("arguments", function.get("input"))
    if type(given) is str:
        with suppress(orjson.JSONDecodeError):
            given = orjson.loads(given)
    name = text(function.get("name")) or ""
    sink.tool_call(index, call, call_key=text(call.get("id")), name=name, given=given)
