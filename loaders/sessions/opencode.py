"""OpenCode: sessions, messages and their parts as rows of a database, or each in a JSON file of its own.

Both become one document a session in the form in which the host exports one, in the order in which the messages were
made. What a file or the ``data`` of a row says is taken byte for byte; columns of a row that ``data`` leaves out, such
as its id, are put before it. What is no JSON object stands in the document as a text, so that it is not lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from graphsvc.errors import SourceUnavailable
from loaders.sessions.base import Host
from loaders.sessions.databases import document, is_object, reading
from loaders.sessions.files import Found, find_files
from loaders.transcripts.values import integer

__all__ = ["HOST", "refresh"]

_DATABASE = "opencode.db"
_NAMES = {
    "session_id": "sessionID",
    "message_id": "messageID",
    "parent_id": "parentID",
    "fork_session_id": "forkSessionID",
}
_MESSAGES = ("message", "session_message")
"""Tables of messages: those with parts in rows of their own, and from version 2 on those that have all in themselves.
A database may have both, and what was said in either until the host was updated."""


def _find(root: Path) -> Iterator[Found]:
    if root.is_file():
        yield from _in_database(root)
        return
    files = [path for path, _ in find_files(root)]
    if (root / _DATABASE).is_file():
        yield from _in_database(root / _DATABASE)
    yield from _in_files(root, [path for path in files if path.suffix == ".json"])


# Rows


def _in_database(path: Path) -> Iterator[Found]:
    with reading(path) as connection:
        rows = [dict(row) for row in connection.execute("SELECT * FROM session ORDER BY id")]
        if not (tables := _tables(connection)):
            raise SourceUnavailable(f"{path} has no table of messages: {' or '.join(_MESSAGES)}")
        changed = [
            dict(connection.execute(f"SELECT session_id, max(time_created) FROM {table} GROUP BY 1"))
            for table in tables
        ]
    for row in rows:
        times = (row.get("time_updated"), row.get("time_created"), *(each.get(row["id"]) for each in changed))
        modified_at = max((integer(time) or 0 for time in times), default=0) * 1000
        yield Found.of_bytes(f"{path.name}/{row['id']}", modified_at, partial(_of_rows, path, row))


def _of_rows(path: Path, session: Mapping[str, Any]) -> bytes:
    with reading(path) as connection:
        messages = _messages(connection, session["id"])
    times = {name: session.get(f"time_{name}") for name in ("created", "updated")}
    info = {_NAMES.get(name, name): value for name, value in session.items()} | {"time": times}
    return document([b'{"info":' + _plain(info) + b"}", *messages])


def _messages(connection: sqlite3.Connection, key: str) -> list[bytes]:
    """The messages of a session, of the table that knows its newest one; the host copies what it had to the other."""
    newest = {
        table: connection.execute(
            f"SELECT max(time_created) FROM {table} WHERE session_id = ?", [key]
        ).fetchone()[0]
        for table in _tables(connection)
    }
    if max(newest, key=lambda name: integer(newest[name]) or 0) == "session_message":
        whole = "SELECT * FROM session_message WHERE session_id = ? ORDER BY seq, id"
        return [_row(message) for message in connection.execute(whole, [key])]
    of_session = "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id"
    of_message = "SELECT * FROM part WHERE message_id = ? ORDER BY id"
    return [
        _message(_row(message), map(_row, connection.execute(of_message, [message["id"]])))
        for message in connection.execute(of_session, [key])
    ]


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Those of `_MESSAGES` that a database has."""
    known = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return [table for table in _MESSAGES if table in known]


def _row(row: sqlite3.Row) -> bytes:
    """The ``data`` of a row with its other columns before it."""
    columns = dict(row)
    data = columns.pop("data", None)
    data = data.encode("utf-8", "surrogatepass") if type(data) is str else data or b"{}"
    if not is_object(data):
        return orjson.dumps(data.decode("utf-8", "replace"))
    said = orjson.loads(data)
    keys = {_NAMES.get(name, name): value for name, value in columns.items() if not name.startswith("time_")}
    missing = _plain({name: value for name, value in keys.items() if name not in said})
    inner = data.strip()[1:].lstrip()
    joint = b"" if missing == b"{}" or inner.startswith(b"}") else b","
    return missing[:-1] + joint + inner


def _plain(value: Any) -> bytes:
    return orjson.dumps(value, default=str)


# Files


def _in_files(root: Path, files: Iterable[Path]) -> Iterator[Found]:
    """Sessions of ``session/<project>/<id>.json``, ``message/<session>/<id>.json`` and ``part/<message>/<id>.json``."""
    sessions: dict[str, Path] = {}
    messages: dict[str, list[Path]] = {}
    parts: dict[str, list[Path]] = {}
    for path in files:
        kinds = path.relative_to(root).parts
        if "session" in kinds[:-1]:
            sessions[path.stem] = path
        elif "message" in kinds[:-1]:
            messages.setdefault(path.parent.name, []).append(path)
        elif "part" in kinds[:-1]:
            parts.setdefault(path.parent.name, []).append(path)
    for key in sorted(sessions.keys() | messages.keys()):
        made = [(path, sorted(parts.get(path.stem, ()))) for path in sorted(messages.get(key, ()))]
        held = [
            *filter(None, [sessions.get(key)]),
            *(path for first, more in made for path in (first, *more)),
        ]
        # A folder changes when a file in it is deleted.
        places = {path.parent for path in held}
        modified_at = max(path.lstat().st_mtime_ns // 1000 for path in (*held, *places))
        yield Found.of_bytes(f"session/{key}", modified_at, partial(_of_files, key, sessions.get(key), made))


def _of_files(key: str, session: Path | None, messages: list[tuple[Path, list[Path]]]) -> bytes:
    info = _file(session) if session else _plain({"id": key})
    made = [_message(_file(path), map(_file, parts)) for path, parts in messages]
    return document([b'{"info":' + info + b"}", *made])


def _file(path: Path) -> bytes:
    data = path.read_bytes()
    return data.strip() if is_object(data) else orjson.dumps(data.decode("utf-8", "replace"))


def _message(info: bytes, parts: Iterable[bytes]) -> bytes:
    return b'{"info":' + info + b',"parts":[' + b",".join(parts) + b"]}"


HOST = Host("opencode", "OpenCode", (".local/share/opencode",), _find, "opencode")
refresh = HOST.refresh
