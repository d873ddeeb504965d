"""The text of a file before and after an edit, as hosts keep it with the answer of a tool, and what differs.

Claude Code has the file before in ``toolUseResult``, Gemini CLI both in ``resultDisplay``, OpenCode both in the
``filediff`` of a part's metadata. Other hosts keep no more than a diff.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any, NamedTuple

from loaders.transcripts.values import items, mapping, text

__all__ = ["Edit", "edits_of", "ranges"]

_MAX_COMPARED = 1 << 22
"""Most pairs of lines that are compared; more are one change."""


class Edit(NamedTuple):
    """A file that was edited: its path as recorded, None for that of the call, and its text before and after."""

    path: str | None
    before: str
    after: str


def edits_of(format_name: str, record: Mapping[str, Any], call_key: str) -> Iterator[Edit]:
    """The edits of a call whose texts a record has.

    Args:
        format_name: Transcript format.
        record: The record with the call's answer.
        call_key: The host's id of the call.

    >>> result = {"filePath": "a", "originalFile": "x = 1", "oldString": "1", "newString": "2"}
    >>> list(edits_of("claude", {"toolUseResult": result}, "c1"))
    [Edit(path='a', before='x = 1', after='x = 2')]
    """
    match format_name:
        case "claude":
            yield from _claude(mapping(record.get("toolUseResult")))
        case "gemini" | "gemini_lines":
            for call in map(mapping, items(record.get("toolCalls"))):
                if call.get("id") == call_key:
                    yield from _pair(
                        mapping(call.get("resultDisplay")), "originalContent", "newContent", "filePath"
                    )
        case "opencode":
            for part in map(mapping, items(record.get("parts"))):
                if part.get("callID") == call_key:
                    metadata = mapping(mapping(part.get("state")).get("metadata"))
                    for diff in (metadata.get("filediff"), *items(metadata.get("files"))):
                        yield from _pair(mapping(diff), "before", "after", "file")


def _pair(said: Mapping[str, Any], before: str, after: str, path: str) -> Iterator[Edit]:
    new = text(said.get(after))
    if new is not None:
        yield Edit(text(said.get(path)) or text(said.get("filePath")), text(said.get(before)) or "", new)


def _claude(result: Mapping[str, Any]) -> Iterator[Edit]:
    path = text(result.get("filePath"))
    before = text(result.get("originalFile"))
    content = text(result.get("content"))
    if path is None:
        return
    if content is not None:
        yield Edit(path, before or "", content)
        return
    after = before or ""
    for old, new, is_everywhere in _replacements(result):
        if old not in after:
            return
        after = after.replace(old, new, -1 if is_everywhere else 1)
    if after != (before or ""):
        yield Edit(path, before or "", after)


def _replacements(result: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    old, new = text(result.get("oldString")), text(result.get("newString"))
    if old is not None and new is not None:
        yield old, new, result.get("replaceAll") is True
    for edit in map(mapping, items(result.get("edits"))):
        yield (
            text(edit.get("old_string")) or "",
            text(edit.get("new_string")) or "",
            edit.get("replace_all") is True,
        )


def ranges(before: bytes, after: bytes) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Byte ranges of the lines that only were removed, in the text before, and of those that are new, in the one after.

    >>> ranges(b"a\\nb\\nc\\n", b"a\\nB\\nc\\nd\\n")
    ([], [(2, 4), (6, 8)])
    >>> ranges(b"a\\nb\\nc\\n", b"a\\nc\\n")
    ([(2, 4)], [])
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    old_ends, new_ends = _offsets(old), _offsets(new)
    removed, added = [], []
    for start, end, new_start, new_end in _changes(old[head : len(old) - tail], new[head : len(new) - tail]):
        if new_start < new_end:
            added.append((new_ends[head + new_start], new_ends[head + new_end]))
        else:
            removed.append((old_ends[head + start], old_ends[head + end]))
    return removed, added


def _common(pairs: Iterable[tuple[bytes, bytes]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _offsets(lines: Sequence[bytes]) -> list[int]:
    return [0, *accumulate(map(len, lines))]


def _changes(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
    if len(old) * len(new) > _MAX_COMPARED or not old or not new:
        if old or new:
            yield 0, len(old), 0, len(new)
        return
    for tag, *bounds in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            start, end, new_start, new_end = bounds
            yield start, end, new_start, new_end
