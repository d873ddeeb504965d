"""The text that a tool call wrote to a file, read from the call's own bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

__all__ = ["Written", "written_texts"]

_NEW = (
    "new_string",
    "newString",
    "new_str",
    "newText",
    "content",
    "file_text",
    "new_source",
    "contents",
    "text",
)
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_source")


class Written(NamedTuple):
    """A text that was written, and the one that it replaced; that is None where a whole file was written."""

    text: str
    replaced: str | None


def written_texts(call: bytes) -> list[Written]:
    """All texts that a tool call's block wrote.

    Args:
        call: The block's bytes: JSON with the input under ``input``, ``args`` or ``arguments``.

    >>> written_texts(b'{"input": {"file_path": "a", "old_string": "x = 1", "new_string": "x = 2"}}')
    [Written(text='x = 2', replaced='x = 1')]
    """
    try:
        block = orjson.loads(call)
    except orjson.JSONDecodeError:
        return []
    return list(_of_input(_input(block)))


def _input(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    block = block.get("payload", block)
    given = next((block[key] for key in ("input", "args", "arguments") if key in block), block)
    if isinstance(given, str) and given.startswith("{"):
        try:
            return orjson.loads(given)
        except orjson.JSONDecodeError:
            return given
    return given


def _of_input(given: Any) -> Iterator[Written]:
    if isinstance(given, str):
        yield from _of_patch(given)
        return
    if not isinstance(given, dict):
        return
    edits = given.get("edits")
    if isinstance(edits, list):
        for edit in edits:
            yield from _of_input(edit)
    old = next((given[key] for key in _OLD if isinstance(given.get(key), str)), None)
    for key in _NEW:
        if isinstance(given.get(key), str):
            yield Written(given[key], old)
            break
    for key in ("patch", "input"):
        if isinstance(given.get(key), str):
            yield from _of_patch(given[key])


def _of_patch(patch: str) -> Iterator[Written]:
    """Added and removed lines of a patch in unified or ``apply_patch`` form."""
    lines = patch.splitlines()
    added = [line[1:] for line in lines if line.startswith("+") and not line.startswith("+++")]
    removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
    if added:
        yield Written("\n".join(added), "\n".join(removed) or None)
