"""Cursor: transcripts of its agent as lines, chats of its command line in a database each, and the composers of the
editor in a database of keys and values.

The database of a chat holds blobs by their digest. The newest root, in the wire format of protocol buffers, has the
digests of the messages that count in its field 1; messages that are in none of it were taken back.
"""

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
_CHAT = "store.db"
_DIGEST_BYTES = 32
_COMPOSERS = "SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%' ORDER BY key"
_BUBBLES = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY rowid"


def _find(root: Path) -> Iterator[Found]:
    for path, inside in find_files(root):
        if path.name == _DATABASE:
            yield from _composers(path, inside)
        elif path.name == _CHAT:
            yield _chat(path, inside)
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


def _chat(path: Path, inside: str) -> Found:
    logs = (path.with_name(path.name + ending) for ending in ("", "-wal"))
    modified_at = max(log.lstat().st_mtime_ns // 1000 for log in logs if log.exists())
    return Found.of_bytes(inside, modified_at, partial(_read_chat, path))


def _read_chat(path: Path) -> bytes:
    """What is known of the chat, then its messages in order, then those that were taken back."""
    with reading(path) as connection:
        held = connection.execute("SELECT key, value FROM meta ORDER BY key").fetchall()
        blobs = {
            key: _bytes(data)
            for key, data in connection.execute("SELECT id, data FROM blobs ORDER BY rowid")
            if data
        }
    meta = next((data for _, value in held if is_object(data := _unhexed(value))), b"{}")
    root = blobs.get(text(orjson.loads(meta).get("latestRootBlobId")) or "", b"")
    listed = [key for key in _message_ids(root) if key in blobs and is_object(blobs[key])]
    rest = [key for key, data in blobs.items() if key not in set(listed) and is_object(data)]
    said = [blobs[key] for key in listed]
    left = [blobs[key] if not listed else b'{"takenBack":' + blobs[key] + b"}" for key in rest]
    fields = {key: orjson.dumps(orjson.loads(meta).get(key)) for key in ("agentId", "latestRootBlobId")}
    return document([meta, *said, *left], **fields)


def _unhexed(value: Any) -> bytes:
    data = _bytes(value)
    try:
        return bytes.fromhex(data.decode("ascii"))
    except ValueError:
        return data


def _message_ids(root: bytes) -> Iterator[str]:
    """Digests in field 1 of a message in the wire format of protocol buffers; what is none ends it."""
    position = 0
    while position < len(root):
        tag, position = _varint(root, position)
        kind = tag & 7
        if kind == 0:
            _, position = _varint(root, position)
        elif kind == 2:
            size, position = _varint(root, position)
            if tag >> 3 == 1 and size == _DIGEST_BYTES:
                yield root[position : position + size].hex()
            position += size
        elif kind in (1, 5):
            position += 8 if kind == 1 else 4
        else:
            return


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A number of variable length, and where it ends; at the end of the data all is 0.

    >>> _varint(bytes([0x96, 0x01]), 0)
    (150, 2)
    """
    value = shift = 0
    while position < len(data):
        byte = data[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            break
    return value, position


def _bytes(value: Any) -> bytes:
    return value.encode("utf-8", "surrogatepass") if type(value) is str else bytes(value)


HOST = Host(
    "cursor",
    "Cursor",
    (
        ".cursor/projects",
        ".cursor/chats",
        ".config/Cursor/User/globalStorage",
        "Library/Application Support/Cursor/User/globalStorage",
    ),
    _find,
)
refresh = HOST.refresh
