"""Files of derived tables: made once from evidence, never changed, and safe to delete.

A file is a ZIP archive that holds a Parquet file for each table, stored as it is: a quarter of the time and half of
the size of a database file, and what is damaged fails its checksum before anything parses it. It gets its name when it
is whole, so any number of processes may read it while others make more.
"""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from graphsvc.canonical.connection import memory
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Corrupt, DurabilityUncertain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SUFFIX", "read_tables", "reading_tables", "write_tables"]

SUFFIX = ".tables"
"""How names of such files end."""

_ENDING = ".parquet"
_UNREADABLE = (OSError, BadZipFile, zlib.error, EOFError, RuntimeError)
"""What reading a damaged archive raises; RuntimeError where it seems to be encrypted or of another version."""


def write_tables(path: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write frames as tables of a new file, in place of one of that name.

    Raises:
        DurabilityUncertain: The file could not be written.
    """
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        path.parent.mkdir(exist_ok=True)
        with ZipFile(unfinished, "w", ZIP_STORED) as archive:
            for name, frame in tables.items():
                data = BytesIO()
                frame.write_parquet(data, compression="zstd", compression_level=1)
                archive.writestr(ZipInfo(name + _ENDING), data.getbuffer())
            archive.comment = _names(tables)
        unfinished.replace(path)
    except OSError as error:
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


def read_tables(path: Path) -> dict[str, pl.DataFrame]:
    """The tables of a file by name.

    Raises:
        Corrupt: The file cannot be read: delete it, and it is made anew.
    """
    import polars as pl

    try:
        with ZipFile(path) as archive:
            found = {
                member.filename.removesuffix(_ENDING): pl.read_parquet(BytesIO(archive.read(member)))
                for member in archive.infolist()
            }
            if archive.comment != _names(found):
                raise BadZipFile("a table is missing")
    except _UNREADABLE as error:
        raise Corrupt(f"{path} cannot be read: {error}", hint="delete it, and it is made anew") from error
    with suppress(OSError):  # another user's store
        os.utime(path)  # the least recently read files are the first that are removed
    return found


def _names(tables: Mapping[str, pl.DataFrame]) -> bytes:
    """The names of all tables, which the archive's comment holds: its directory may lose the last of them unnoticed."""
    return ",".join(tables).encode()


@contextmanager
def reading_tables(paths: Sequence[Path]) -> Iterator[Reader]:
    """A reader of the tables of files; each table has the rows of all of them.

    Raises:
        Corrupt: A file cannot be read: delete it, and it is made anew.
    """
    import polars as pl

    files = [read_tables(path) for path in paths]
    with memory() as connection:
        for table in files[0] if files else ():
            rows = pl.concat([tables[table] for tables in files])
            connection.register(table, rows.to_arrow())
        yield Reader(connection)
