"""The text that a tool call wrote to files, read from the call's own bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

__all__ = ["Written", "command_texts", "patch_texts", "written_texts"]

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
_PATH = ("file_path", "path", "notebook_path", "filename")
_COMMAND = ("command", "cmd", "script")

_PATCH_FILE = re.compile(r"(?:\*\*\* (?:Update|Add) File: |\+\+\+ (?:b/)?)(.+)")
_HEREDOC = re.compile(r"<<(-?)\s*(['\"]?)([A-Za-z_]\w*)\2")
_TARGET = re.compile(
    r"(?<![0-9&>])>{1,2}\s*(['\"]?)([^\s'\"|&;<>()]+)\1|\btee\s+(?:-a\s+)?(['\"]?)([^\s'\"|&;<>()-]+)\3"
)
_ECHO = re.compile(r"\b(?:echo|printf)\s+(?:-\w+\s+)*(?:'([^']*)'|\"([^\"]*)\")\s*>{1,2}\s*([^\s|&;<>()]+)")


class Written(NamedTuple):
    """A text that was written.

    Attributes:
        text: The text.
        replaced: The text that it took the place of; None where a whole file was written.
        path: The file, where the text's own surroundings name one, else None: it is the call's.
    """

    text: str
    replaced: str | None
    path: str | None = None


def written_texts(call: bytes) -> list[Written]:
    """All texts that a tool call's block wrote.

    Args:
        call: The block's bytes: JSON with the input under ``input``, ``args`` or ``arguments``.

    >>> written_texts(b'{"input": {"file_path": "a", "old_string": "x = 1", "new_string": "x = 2"}}')
    [Written(text='x = 2', replaced='x = 1', path='a')]
    """
    try:
        block = orjson.loads(call)
    except orjson.JSONDecodeError:
        return []
    return list(_of_input(_input(block), None))


def _input(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    block = block.get("payload", block)
    if not isinstance(block, dict):
        return block
    given = next((block[key] for key in ("input", "args", "arguments") if key in block), block)
    if isinstance(given, str) and given.startswith("{"):
        try:
            return orjson.loads(given)
        except orjson.JSONDecodeError:
            return given
    return given


def _of_input(given: Any, path: str | None) -> Iterator[Written]:
    if isinstance(given, str):
        yield from patch_texts(given)
        return
    if not isinstance(given, dict):
        return
    path = _first(given, _PATH) or path
    edits = given.get("edits")
    if isinstance(edits, list):
        for edit in edits:
            yield from _of_input(edit, path)
    new, old = _first(given, _NEW), _first(given, _OLD)
    if new is not None:
        yield Written(new, old, path)
    for key in ("patch", "input"):
        if isinstance(given.get(key), str):
            yield from patch_texts(given[key])
    yield from _of_command(given)


def _first(given: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    """The first of some fields that is a text."""
    return next((given[key] for key in keys if isinstance(given.get(key), str)), None)


def _of_command(given: dict[str, Any]) -> Iterator[Written]:
    """What a command writes, given as a text or as a list of arguments."""
    for key in _COMMAND:
        command = given.get(key)
        if isinstance(command, list):
            command = "\n".join(part for part in command if isinstance(part, str))
        if isinstance(command, str):
            yield from command_texts(command)
            return


def patch_texts(patch: str) -> Iterator[Written]:
    """Added and removed lines of a patch in unified or ``apply_patch`` form, one text a file.

    >>> list(patch_texts("*** Begin Patch\\n*** Update File: a.py\\n@@\\n-x = 1\\n+x = 2\\n*** End Patch"))
    [Written(text='x = 2', replaced='x = 1', path='a.py')]
    """
    path: str | None = None
    added: list[str] = []
    removed: list[str] = []
    for line in (*patch.splitlines(), "+++ "):
        named = _PATCH_FILE.fullmatch(line)
        if named or line == "+++ ":
            if added:
                yield Written("\n".join(added), "\n".join(removed) or None, path)
            path, added, removed = (named[1].split("\t")[0] if named else None), [], []
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-") and not line.startswith("---"):
            removed.append(line[1:])


def command_texts(command: str) -> Iterator[Written]:
    """Texts that a shell command writes itself: here-documents, and what echo and printf redirect to a file.

    >>> list(command_texts("cat > a.py <<'EOF'\\nx = 1\\nEOF\\nls"))
    [Written(text='x = 1', replaced=None, path='a.py')]
    >>> list(command_texts("echo 'x = 1' >> a.py"))
    [Written(text='x = 1', replaced='', path='a.py')]
    """
    lines = iter(command.split("\n"))
    for line in lines:
        for opened in _HEREDOC.finditer(line):
            body = _body(lines, opened[3], is_indented=bool(opened[1]))
            if body.lstrip().startswith("*** Begin Patch"):
                yield from patch_texts(body)
            else:
                target = _TARGET.search(line)
                path = (target[2] or target[4]) if target else None
                yield Written(body, "" if path is None or ">>" in line else None, path)
        for single, double, path in _ECHO.findall(line):
            yield Written(single or double, "", path)


def _body(lines: Iterator[str], end: str, *, is_indented: bool) -> str:
    """Lines of a here-document up to the word that ends it."""
    body = []
    for line in lines:
        if (line.lstrip("\t") if is_indented else line).rstrip("\r") == end:
            break
        body.append(line)
    return "\n".join(body)
