"""SQLite databases of hosts, read without changing a byte beside them, and documents made of what they hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import orjson

from graphsvc.errors import SourceUnavailable

__all__ = ["document", "is_object", "reading"]


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, with rows by column name.

    Without a write-ahead log beside it the database is opened as immutable, so that no file is made there.

    Raises:
        SourceUnavailable: It is no database, or is locked.
    """
    log = path.with_name(path.name + "-wal")
    mode = "mode=ro" if log.exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?{mode}", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            yield connection
    except sqlite3.Error as error:
        raise SourceUnavailable(f"{path} cannot be read: {error}") from error


def is_object(data: bytes) -> bool:
    """Whether the bytes are one JSON object."""
    try:
        return type(orjson.loads(data)) is dict
    except orjson.JSONDecodeError:
        return False


def document(messages: Iterable[bytes], **head: bytes) -> bytes:
    """A document with ``messages``, each a JSON value whose bytes are taken as they are, after other fields.

    >>> document([b'{"a": 1}'], composerId=b'"c"')
    b'{"composerId":"c","messages":[\\n{"a": 1}\\n]}'
    """
    fields = b"".join(orjson.dumps(key) + b":" + value + b"," for key, value in head.items())
    return b"{" + fields + b'"messages":[\n' + b",\n".join(messages) + b"\n]}"
