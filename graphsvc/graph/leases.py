"""Leases: how a reader tells others that it has a generation open, so that its files are not removed."""

from __future__ import annotations

import os
import re
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["is_held", "lease"]

_PREFIX = "lease-"
_LEASE = re.compile(rf"{_PREFIX}(\d{{1,9}})-")


@contextmanager
def lease(folder: Path) -> Iterator[None]:
    """Hold a generation's folder for the length of a ``with`` block.

    A reader that is killed leaves its lease behind; it counts no longer once its process has ended. A reader that
    may not write there goes without: the newest generations stay for a while anyway.

    Raises:
        FileNotFoundError: There is no such folder.
    """
    path = folder / f"{_PREFIX}{os.getpid()}-{uuid.uuid4().hex[:8]}"
    try:
        path.touch()
    except OSError:
        if not folder.is_dir():
            raise
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def is_held(folder: Path) -> bool:
    """Whether a process that is still alive has a lease on a generation's folder."""
    holders = (_LEASE.match(path.name) for path in folder.glob(f"{_PREFIX}*"))
    return any(_is_alive(int(holder[1])) for holder in holders if holder)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":  # there os.kill ends the process instead of asking
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)
        if handle:
            ctypes.windll.kernel32.CloseHandle(handle)
        return bool(handle)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
