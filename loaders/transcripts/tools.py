"""What a tool call's input says: the command, the files that it names, whether it writes them.

Fields that hold a path, and patches in the format of ``apply_patch``, say so for certain. What the words of a shell
command say is less sure, and kept apart.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from loaders.transcripts.commands import command_touches
from loaders.transcripts.values import items, text

__all__ = ["ToolUse", "describe"]

_READERS = frozenset({"read", "readfile", "readmanyfiles", "notebookread", "view", "viewfile", "viewimage"})
_WRITERS = frozenset(
    {
        "applypatch",
        "create",
        "createfile",
        "deletefile",
        "edit",
        "editfile",
        "editnotebook",
        "multiedit",
        "notebookedit",
        "patch",
        "replace",
        "searchreplace",
        "strreplace",
        "write",
        "writefile",
    }
)
_SHELLS = frozenset(
    {
        "bash",
        "exec",
        "execcommand",
        "execute",
        "localshell",
        "powershell",
        "runcommand",
        "runshellcommand",
        "runterminalcmd",
        "shell",
        "shellcommand",
        "terminal",
    }
)
_PATHS = ("file_path", "notebook_path", "absolute_path", "filePath", "target_file", "target_notebook", "path")
_PATCH_MARK = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)


class ToolUse(NamedTuple):
    """What the input of a tool call says.

    Attributes:
        path: File or folder that it names, the first of several.
        command: Shell command.
        description: The call's own title or description.
        writes: It holds text to be written to a file.
        touches: Files with the access, ``read`` or ``write``.
        commanded: The same of the words of its shell command, but for those.
    """

    path: str | None
    command: str | None
    description: str | None
    writes: bool
    touches: list[tuple[str, str]]
    commanded: list[tuple[str, str]]


def describe(name: str, given: Any) -> ToolUse:
    """Read a tool call's input, whatever its host calls the fields.

    Args:
        name: The tool, as recorded; spelling with capitals or underscores makes no difference.
        given: Its input: an object, or free text.

    >>> describe("Edit", {"file_path": "/src/a.py", "old_string": "x", "new_string": "y"}).touches
    [('/src/a.py', 'write')]
    >>> describe("shell", {"command": ["git", "log", "a b"]}).command
    "git log 'a b'"
    """
    tool = name.lower().replace("_", "")
    if type(given) is str:
        touches = _patched(given)
        path = touches[0][0] if touches else None
        command = given if tool in _SHELLS else None
        return ToolUse(path, command, None, bool(touches), touches, _commanded(command, touches))
    if type(given) is not dict:
        return ToolUse(None, None, None, False, [], [])
    named = _named(given)
    command = _command(given) if tool in _SHELLS else None
    touches = _patched(command or text(given.get("input")) or text(given.get("patch")) or "")
    if tool in _WRITERS:
        touches += [(path, "write") for path in named]
    elif tool in _READERS:
        touches += [(path, "read") for path in named]
    return ToolUse(
        path=named[0] if named else touches[0][0] if touches else None,
        command=command,
        description=text(given.get("description")) or text(given.get("title")),
        writes=any(access == "write" for _, access in touches),
        touches=touches,
        commanded=_commanded(command, touches),
    )


def _commanded(command: str | None, touches: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [touch for touch in command_touches(command) if touch not in touches] if command else []


def _named(given: Mapping[str, Any]) -> list[str]:
    one = next((path for key in _PATHS if (path := text(given.get(key)))), None)
    many = [path for path in items(given.get("paths")) if type(path) is str]
    return [one, *many] if one else many


def _command(given: Mapping[str, Any]) -> str | None:
    command = given.get("command", given.get("cmd"))
    if type(command) is list:
        return shlex.join(str(word) for word in command)
    return text(command)


def _patched(patch: str) -> list[tuple[str, str]]:
    """Files of a patch in the format of ``apply_patch``."""
    if _PATCH_MARK not in patch:
        return []
    return [(path, "write") for path in dict.fromkeys(_PATCHED.findall(patch))]
