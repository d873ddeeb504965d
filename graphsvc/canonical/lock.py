"""Locks between processes, with the holder's process id for whoever waits in vain."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphsvc.errors import SourceUnavailable, StoreBusy

__all__ = ["exclusive"]


@contextmanager
def exclusive(folder: Path, name: str, *, wait: float) -> Iterator[None]:
    """Hold the lock ``name`` of the store in ``folder``.

    The operating system frees it when the holder ends, however it ends. The holder's process id stands in a
    file of its own, because a locked file cannot be read everywhere.

    Args:
        folder: The store's folder.
        name: Which lock: ``write`` for a transaction, ``rebuild`` for a whole rebuild.
        wait: Longest wait in seconds.

    Raises:
        StoreBusy: Another process, or another thread of this one, still holds it after that time.
        SourceUnavailable: The folder cannot be written.
    """
    from filelock import FileLock, Timeout

    holder = folder / f"{name}.pid"
    lock = FileLock(folder / f"{name}.lock", timeout=wait)
    try:
        lock.acquire()
    except Timeout:
        pid = _pid(holder)
        by = f"process {pid}" if pid else "another process"
        raise StoreBusy(f"the store's {name} lock is held by {by} (waited {wait:g} s)", pid=pid) from None
    except OSError as error:
        raise SourceUnavailable(f"{folder} cannot be written: {error.strerror}") from error
    try:
        with suppress(OSError):  # on a full disk the lock holds all the same
            holder.write_text(str(os.getpid()), encoding="ascii")
        yield
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def _pid(holder: Path) -> int | None:
    try:
        return int(holder.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
