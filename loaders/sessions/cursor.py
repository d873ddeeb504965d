"""Cursor: transcripts of its agent as lines, and the composers of the editor in a database of keys and values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from loaders.sessions.base import Host
from loaders.sessions.databases import document, is_object, reading
from loaders.sessions.files import Found, find_files
from loaders.transcripts.values import integer, items, mapping, text

__all__ = ["HOST", "refresh"]

_DATABASE = "state.vscdb"
_COMPOSERS = "SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%' ORDER BY key"
_BUBBLES = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"


def _find(root: Path) -> Iterator[Found]:
    for path, inside in find_files(root):
        if path.name == _DATABASE:
            yield from _composers(path, inside)
        elif path.suffix == ".jsonl":
            yield Found.of_file(path, inside)


def _composers(path: Path, inside: str) -> Iterator[Found]:
    with reading(path) as connection:
        rows = [(key, _bytes(value)) for key, value in connection.execute(_COMPOSERS) if value]
    for key, value in rows:
        if is_object(value):
            said = orjson.loads(value)
            changed = integer(said.get("lastUpdatedAt")) or integer(said.get("createdAt")) or 0
            composer = key.partition(":")[2]
            yield Found.of_bytes(
                f"{inside}/{composer}", changed * 1000, partial(_read, path, composer, value)
            )


def _read(path: Path, composer: str, value: bytes) -> bytes:
    """The composer and its bubbles, in the order that it gives them; older ones have them in themselves."""
    said = orjson.loads(value)
    start = f"bubbleId:{composer}:"
    with reading(path) as connection:
        stored = connection.execute(_BUBBLES, [start, start + "\U0010ffff"])
        bubbles = {key.removeprefix(start): _bytes(data) for key, data in stored if data}
    order = [text(mapping(each).get("bubbleId")) for each in items(said.get("fullConversationHeadersOnly"))]
    listed = [key for key in order if key in bubbles]
    rest = [key for key in bubbles if key not in set(listed)]
    found = [bubbles[key] for key in (*listed, *rest) if key is not None]
    valid = [data if is_object(data) else orjson.dumps(data.decode("utf-8", "replace")) for data in found]
    inline = [orjson.dumps(each) for each in items(said.get("conversation"))]
    return document([value, *inline, *valid], composerId=orjson.dumps(composer))


def _bytes(value: Any) -> bytes:
    return value.encode("utf-8", "surrogatepass") if type(value) is str else bytes(value)


HOST = Host(
    "cursor",
    "Cursor",
    (
        ".cursor/projects",
        ".config/Cursor/User/globalStorage",
        "Library/Application Support/Cursor/User/globalStorage",
    ),
    _find,
)
refresh = HOST.refresh
