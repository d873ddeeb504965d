"""Files of derived tables: made once from evidence, never changed, and safe to delete.

A file gets its name when it is whole, so any number of processes may read it while others make more.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from graphsvc.canonical.connection import memory
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Corrupt, DurabilityUncertain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["reading_tables", "write_tables"]

_BLOCK_SIZES = (16384, 262144)
"""Size of a block in bytes of files with few rows, which would be mostly empty, and of the others, which take half the
time to write in large blocks."""

_MANY_ROWS = 10_000


def write_tables(path: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write frames as tables of a new file, in place of one of that name.

    Raises:
        DurabilityUncertain: The file could not be written.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    block_size = _BLOCK_SIZES[sum(frame.height for frame in tables.values()) > _MANY_ROWS]
    try:
        path.parent.mkdir(exist_ok=True)
        with memory() as connection:
            connection.execute(f"ATTACH {_quoted(unfinished)} AS made (BLOCK_SIZE {block_size})")
            for name, frame in tables.items():
                connection.register("frame", frame.to_arrow())
                connection.execute(f'CREATE TABLE made."{name}" AS FROM frame')
            connection.execute("DETACH made")
        unfinished.replace(path)
    except (duckdb.Error, OSError) as error:
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error
    finally:
        for left in path.parent.glob(f"{unfinished.name}*"):
            left.unlink()


@contextmanager
def reading_tables(paths: Sequence[Path]) -> Iterator[Reader]:
    """A reader of the tables of files; each table has the rows of all of them.

    Raises:
        Corrupt: A file cannot be read: delete it, and it is made anew.
    """
    with memory() as connection:
        try:
            for number, path in enumerate(paths):
                connection.execute(f"ATTACH {_quoted(path)} AS file_{number} (READ_ONLY)")
                with suppress(OSError):  # another user's store
                    os.utime(path)  # the least recently read files are the first that are removed
            for (table,) in connection.execute(
                "SELECT DISTINCT table_name FROM duckdb_tables() WHERE database_name LIKE 'file_%'"
            ).fetchall():
                union = " UNION ALL ".join(f'FROM file_{number}."{table}"' for number, _ in enumerate(paths))
                connection.execute(f'CREATE TEMP VIEW "{table}" AS {union}')
        except duckdb.Error as error:
            raise Corrupt(f"a file of derived tables cannot be read: {error}") from error
        yield Reader(connection)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
