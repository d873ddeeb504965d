"""Files of a host as they are found: never through symbolic links, only regular files, and no more than a bound."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from graphsvc.errors import BudgetExhausted, SourceUnavailable

__all__ = ["MAX_FILES", "Found", "find_files", "matching"]

MAX_FILES = 200_000
"""Most files that one source may have."""


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript, or a file that belongs to one.

    Attributes:
        path: Path inside the source, with slashes.
        modified_at: When it was last changed, in UTC microseconds since 1970.
        size: Bytes, None where they are known only once it is read.
        open: Opens it.
        role: ``transcript``; ``usage`` for what only has token counts of one; ``metadata`` for what is kept and not
            read.
    """

    path: str
    modified_at: int
    size: int | None
    open: Callable[[], BinaryIO]
    role: str = "transcript"

    @classmethod
    def of_file(cls, path: Path, name: str, role: str = "transcript") -> Found:
        """A file, by what the file system says of it."""
        state = path.lstat()
        return cls(name, state.st_mtime_ns // 1000, state.st_size, lambda: _opened(path), role)

    @classmethod
    def of_bytes(cls, name: str, modified_at: int, read: Callable[[], bytes]) -> Found:
        """A document that is put together when it is read."""
        return cls(name, modified_at, None, lambda: BytesIO(read()))


def _opened(path: Path) -> BinaryIO:
    """The file for reading, unless it has become a link or no regular file meanwhile."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(f"{path} is no regular file")
    return file


def find_files(root: Path) -> Iterator[tuple[Path, str]]:
    """Regular files at or below ``root`` with their path inside of it, in the order of those paths.

    Raises:
        SourceUnavailable: There is nothing at ``root``.
        BudgetExhausted: There are more than `MAX_FILES`.
    """
    if root.is_file():
        yield root, root.name
        return
    if not root.is_dir():
        raise SourceUnavailable(f"{root} is not there")
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                found.append((path.relative_to(root).as_posix(), path))
        if len(found) > MAX_FILES:
            raise BudgetExhausted(f"{root} has more than {MAX_FILES} files", limit="files")
    for inside, path in sorted(found):
        yield path, inside


def matching(
    *endings: str, usage: tuple[str, ...] = (), metadata: tuple[str, ...] = ()
) -> Callable[[Path], Iterator[Found]]:
    """A finder of the files whose names end in one of ``endings``, and of those kept beside them; a file that is named
    itself is a transcript whatever its name."""

    def find(root: Path) -> Iterator[Found]:
        is_named = root.is_file()
        for path, inside in find_files(root):
            if usage and inside.endswith(usage):
                yield Found.of_file(path, inside, "usage")
            elif metadata and inside.endswith(metadata):
                yield Found.of_file(path, inside, "metadata")
            elif is_named or inside.endswith(endings):
                yield Found.of_file(path, inside)

    return find
