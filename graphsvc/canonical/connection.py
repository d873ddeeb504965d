"""Connections to the canonical file: readers that never keep it open, and the one writer.

DuckDB lets one process write or several read, and refuses the other side while a handle is open. Hence
readers open, fetch and close, and whoever meets the other side waits a bounded time. A second handle of the
same file in one process would drop the first one's lock when it closes, so each process has at most one
handle a file: readers of one process share it through cursors.

Starting DuckDB takes 15 ms, attaching a file 4: `keeping_instances` is for whoever reads often.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import duckdb

from graphsvc.errors import Corrupt, DurabilityUncertain, NotFound, SourceUnavailable, StoreBusy

__all__ = ["MEMORY_LIMIT", "keeping_instances", "lock_down", "memory", "reading", "writing"]

MEMORY_LIMIT = "1GB"
"""Memory that DuckDB may use before it spills, or gives up."""

_RETRY_SECONDS = 0.02
# What DuckDB's messages say, which have no classes of their own.
_LOCKED = "Could not set lock on file"
_REFUSED = "Permission denied"
_RESTORE = "restore the store from a copy, or run `graphsvc reset` and read the sources again"
_T = TypeVar("_T")


@dataclass
class _Shared:
    """This process's one handle of a canonical file."""

    changed: threading.Condition = field(default_factory=threading.Condition)
    connection: duckdb.DuckDBPyConnection | None = None
    readers: int = 0
    writing: bool = False


@dataclass
class _Idle:
    """Instances of DuckDB without files that wait to be used again, while there are blocks that keep them."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    blocks: int = 0
    instances: list[duckdb.DuckDBPyConnection] = field(default_factory=list)


_SHARED: dict[str, _Shared] = {}
_SHARED_LOCK = threading.Lock()
_IDLE = _Idle()


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    """Settings of a connection, with a folder of its own for what does not fit into memory.

    DuckDB lets every statement read and write in that folder, so it must hold nothing else. It is made when it is
    first needed and removed with the connection.
    """
    spill = Path(tempfile.gettempdir(), f"graphsvc-duckdb-{uuid.uuid4().hex}")
    return {
        "threads": 2,
        "python_enable_replacements": False,
        "memory_limit": MEMORY_LIMIT,
        "temp_directory": str(spill),
        "max_vacuum_tasks": 0,  # as `graphsvc.canonical.merging` says
    }


def _connect(name: str) -> duckdb.DuckDBPyConnection:
    """Open a database; DuckDB would draw its progress on standard output where it takes Python to be interactive."""
    connection = duckdb.connect(name, config=_settings())
    connection.execute("SET enable_progress_bar = false")
    return connection


@contextmanager
def keeping_instances() -> Iterator[None]:
    """Keep DuckDB between the readings inside of this block, without the files that they read.

    Not for longer: a process that is forked while it has an instance cannot end the instance's threads.
    """
    with _IDLE.lock:
        _IDLE.blocks += 1
    try:
        yield
    finally:
        with _IDLE.lock:
            _IDLE.blocks -= 1
            ended = [] if _IDLE.blocks else _IDLE.instances
            if ended:
                _IDLE.instances = []
        for instance in ended:
            instance.close()


def _take() -> duckdb.DuckDBPyConnection:
    """An instance with a database in memory and nothing else."""
    with _IDLE.lock:
        if _IDLE.instances:
            return _IDLE.instances.pop()
    return _connect(":memory:")


def _let_go(instance: duckdb.DuckDBPyConnection) -> None:
    """Let go of the files of an instance, which has no cursors any more."""
    try:
        attached = instance.execute(
            "SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'"
        ).fetchall()
        for (name,) in attached:
            instance.execute(f'DETACH "{name}"')
        is_usable = not _is_locked(instance)
    except duckdb.Error:  # it is as unusable as the file that it read
        is_usable = False
    with _IDLE.lock:
        if _IDLE.blocks and is_usable:
            _IDLE.instances.append(instance)
            return
    instance.close()


@contextmanager
def memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a database in memory, with the settings of all connections."""
    instance = _take()
    try:
        with instance.cursor() as cursor:
            yield cursor
    finally:
        _let_go(instance)


def lock_down(connection: duckdb.DuckDBPyConnection) -> None:
    """Let statements read what is attached and nothing else of this machine, from now on."""
    if not _is_locked(connection):
        connection.execute("SET enable_external_access = false; SET lock_configuration = true")


def _is_locked(connection: duckdb.DuckDBPyConnection) -> bool:
    return bool(connection.execute("SELECT current_setting('lock_configuration')").fetchall()[0][0])


def _shared(path: Path) -> _Shared:
    with _SHARED_LOCK:
        return _SHARED.setdefault(os.path.realpath(path), _Shared())


def _patiently(open_: Callable[[], _T], path: Path, deadline: float) -> _T:
    """Open, waiting until ``deadline`` for another process to let go of the file."""
    if not path.is_file():
        raise NotFound(f"{path} does not exist", hint="run `graphsvc init` to make a store")
    while True:
        try:
            return open_()
        except duckdb.IOException as error:
            if _REFUSED in str(error):
                raise SourceUnavailable(f"{path} cannot be opened: permission denied") from error
            if _LOCKED not in str(error):
                raise Corrupt(f"{path} cannot be opened: {error}", hint=_RESTORE) from error
            if time.monotonic() >= deadline:
                raise StoreBusy(f"{path} is open in another process", pid=_holder(str(error))) from error
            time.sleep(_RETRY_SECONDS)
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise Corrupt(f"{path} cannot be opened: {error}", hint=_RESTORE) from error


def _holder(message: str) -> int | None:
    """Process id in DuckDB's message about a lock, where it names one."""
    _, found, rest = message.partition("PID ")
    digits = rest.split(")")[0].split(" ")[0].rstrip(".)")
    return int(digits) if found and digits.isdigit() else None


def _attach(path: Path) -> duckdb.DuckDBPyConnection:
    connection = _take()
    try:
        name = str(path).replace("'", "''")
        connection.execute(f"ATTACH '{name}' AS canonical (READ_ONLY)")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def reading(path: Path, *, wait: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection.

    Args:
        path: The canonical file.
        wait: Longest wait for a writer in seconds.

    Raises:
        StoreBusy: A writer still holds the file after that time.
        Corrupt: The file cannot be read.
    """
    shared, deadline = _shared(path), time.monotonic() + wait
    with shared.changed:
        if not shared.changed.wait_for(lambda: not shared.writing, timeout=wait):
            raise StoreBusy(f"{path} is being written by another thread")
        if shared.connection is None:
            shared.connection = _patiently(lambda: _attach(path), path, deadline)
        shared.readers += 1
        cursor = shared.connection.cursor()
    try:
        cursor.execute("USE canonical")
        yield cursor
    finally:
        cursor.close()
        with shared.changed:
            shared.readers -= 1
            if not shared.readers and shared.connection is not None:
                _let_go(shared.connection)
                shared.connection = None
                shared.changed.notify_all()


@contextmanager
def writing(path: Path, *, wait: float) -> Iterator[duckdb.DuckDBPyConnection]:
    """The one writing connection; what it committed is on disk when the block ends without an error.

    Args:
        path: The canonical file.
        wait: Longest wait for readers in seconds.

    Raises:
        StoreBusy: A reader still holds the file after that time.
        DurabilityUncertain: The file could not be written or closed.
        Corrupt: The file cannot be read, or refuses what is written.
    """
    shared, deadline = _shared(path), time.monotonic() + wait
    with shared.changed:
        if not shared.changed.wait_for(lambda: not shared.readers and not shared.writing, timeout=wait):
            raise StoreBusy(
                f"{path} is open in this process", hint="close the readers before you write to the store"
            )
        connection = _patiently(lambda: _connect(str(path)), path, deadline)
        shared.writing = True
    try:
        yield connection
    except duckdb.IOException as error:
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error
    except duckdb.Error as error:
        raise Corrupt(f"{path} refused what was to be written: {error}") from error
    finally:
        try:
            connection.close()
        except duckdb.Error as error:
            raise DurabilityUncertain(f"{path} could not be closed: {error}") from error
        finally:
            with shared.changed:
                shared.writing = False
                shared.changed.notify_all()
