"""The output of ``git diff-tree --patch --unified=0``: which lines were replaced by which."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import IO

__all__ = ["FilePatch", "Hunk", "Patch", "parse_patches", "unquote"]

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SUBMODULE = b"160000"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that took the place of others.

    Attributes:
        old_start: First line that was removed, from 1; where none was, the line after which the new ones stand.
        removed: The removed lines, without their ends.
        new_start: First line that was added, from 1; where none was, the line after which the old ones stood.
        added: The added lines.
    """

    old_start: int
    removed: tuple[bytes, ...]
    new_start: int
    added: tuple[bytes, ...]


@dataclass(slots=True)
class FilePatch:
    """Changed lines of one file.

    Attributes:
        path: Path after the change, None where the file is gone.
        old_path: Path before, None where there was no file.
        hunks: In order of lines.
        is_text: Its lines are known: it is neither binary nor a submodule.
    """

    path: bytes | None
    old_path: bytes | None
    hunks: list[Hunk] = field(default_factory=list)
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class Patch:
    """Changed lines of a commit against one parent.

    Attributes:
        commit_oid: The commit.
        parent_oid: The parent, None where it was compared with nothing.
        files: The files that differ.
        problem: Why they are not known; None where they are.
    """

    commit_oid: str
    parent_oid: str | None
    files: tuple[FilePatch, ...]
    problem: str | None = None


def parse_patches(pairs: Iterable[tuple[str, str | None]], stream: IO[bytes]) -> Iterator[Patch]:
    """Patches of commits, in the order in which git was asked for them.

    Args:
        pairs: The commits and the parents that they were compared with.
        stream: Git's output: each patch begins with a line of the commit's id.
    """
    lines = iter(stream)
    head = next(lines, None)
    for commit, parent in pairs:
        if head is None:
            return
        files: list[FilePatch] = []
        head = _read_files(lines, files)
        yield Patch(commit, parent, tuple(files))


def _read_files(lines: Iterator[bytes], files: list[FilePatch]) -> bytes | None:
    """Read files up to the line that begins the next patch, which is given back; None at the end."""
    for line in lines:
        if line.startswith(b"diff --git "):
            path = _only_path(line[11:].rstrip(b"\n"))
            files.append(FilePatch(path, path))
        elif line.startswith(b"@@ "):
            files[-1].hunks.append(_hunk(line, lines))
        elif files and _read_header(line, files[-1]):
            continue
        elif len(line.strip()) in (40, 64) and not line.startswith((b"\\", b" ")):
            return line
    return None


def _read_header(line: bytes, file: FilePatch) -> bool:
    """Take what a header line of a file says; whether it was one."""
    words = line.rstrip(b"\n")
    if words.startswith(b"--- "):
        file.old_path = _side(words[4:], b"a/")
    elif words.startswith(b"+++ "):
        file.path = _side(words[4:], b"b/")
    elif words.startswith(b"rename from "):
        file.old_path = unquote(words[12:])
    elif words.startswith(b"rename to "):
        file.path = unquote(words[10:])
    elif words.startswith(b"new file mode "):
        file.old_path = None
    elif words.startswith(b"deleted file mode "):
        file.path = None
    elif words.startswith(b"Binary files "):
        file.is_text = False
    elif not words.startswith((b"index ", b"old mode ", b"new mode ", b"similarity index ", b"\\ ")):
        return False
    if words.endswith(_SUBMODULE) and words.startswith((b"index ", b"new file ", b"deleted file ")):
        file.is_text = False
    return True


def _hunk(head: bytes, lines: Iterator[bytes]) -> Hunk:
    found = _HUNK.match(head)
    assert found is not None
    old_start, old_count, new_start, new_count = (
        int(group) if group is not None else 1 for group in found.groups()
    )
    sides: dict[bytes, list[bytes]] = {b"-": [], b"+": []}
    left = old_count + new_count
    while left:
        line = next(lines)
        if line.startswith(b"\\"):
            continue  # what follows a last line without an end
        left -= 1
        sides[line[:1]].append(line[1:].removesuffix(b"\n"))
    return Hunk(old_start, tuple(sides[b"-"]), new_start, tuple(sides[b"+"]))


def _side(path: bytes, prefix: bytes) -> bytes | None:
    """A path of a ``---`` or ``+++`` line; git ends one that has a space in it with a TAB."""
    path = unquote(path.removesuffix(b"\t"))
    return None if path == b"/dev/null" else path.removeprefix(prefix)


def _only_path(names: bytes) -> bytes:
    """The path of a ``diff --git`` line, as far as both sides have the same: other lines say it where not.

    >>> _only_path(b"a/x y b/x y"), _only_path(b'"a/x\\\\ty" "b/x\\\\ty"')
    (b'x y', b'x\\ty')
    """
    half = names[: len(names) // 2]
    return unquote(half).removeprefix(b"a/")


def unquote(path: bytes) -> bytes:
    """Path that git has quoted as C does, because of a control character, quote or backslash in it."""
    if not (path.startswith(b'"') and path.endswith(b'"')):
        return path
    return codecs.escape_decode(path[1:-1])[0]
