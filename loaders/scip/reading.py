"""SCIP indexes: what an indexer says of the names in the files of a project.

Field numbers are those of ``scip.proto`` (https://github.com/sourcegraph/scip). Of an index only what joins with the
code is read: where names are defined and used, and what implements what.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphsvc.errors import InvalidInput
from loaders.resolution.model import Occurrence
from loaders.scip.wire import Field, fields, packed

__all__ = ["Document", "Tool", "read_document", "read_tool", "top_level"]

_METADATA, _DOCUMENTS = 1, 2
_TOOL_INFO, _TOOL_NAME, _TOOL_VERSION = 2, 1, 2
_PATH, _OCCURRENCES, _SYMBOLS, _ENCODING = 1, 2, 3, 6
_RANGE, _SYMBOL, _ROLES = 1, 2, 3
_NAME, _RELATIONSHIPS = 1, 4
_RELATED, _IS_IMPLEMENTATION = 1, 3
_DEFINITION = 1
_UTF8, _UTF16, _UTF32 = 1, 2, 3
_LOCAL = "local "
_NEWLINE = 10


class Tool(NamedTuple):
    """The program that made an index."""

    name: str
    version: str


class Document(NamedTuple):
    """What an index says of one file, by lines and columns.

    Attributes:
        path: Path of the file below the folder that was indexed.
        encoding: What columns count: 1 bytes, 2 units of UTF-16, 3 characters.
        names: (line, first column, last column, symbol, is definition), lines and columns from 0.
        implementations: (symbol, what it implements or extends).
        local_count: Number of names of local variables, which are left out.
    """

    path: str
    encoding: int
    names: tuple[tuple[int, int, int, str, bool], ...]
    implementations: tuple[tuple[str, str], ...]
    local_count: int

    def occurrences(self, data: bytes) -> tuple[Occurrence, ...]:
        """The names by their bytes in the file; those that lie outside of it are left out."""
        starts = [0, *(at + 1 for at, byte in enumerate(data) if byte == _NEWLINE), len(data)]
        found = []
        for line, first, last, symbol, is_definition in self.names:
            if line + 1 >= len(starts):
                continue
            text = data[starts[line] : starts[line + 1]]
            start, end = _byte_column(text, first, self.encoding), _byte_column(text, last, self.encoding)
            if 0 <= start < end:
                base = starts[line]
                found.append(Occurrence(base + start, base + end, line + 1, symbol, is_definition))
        return tuple(found)


def _byte_column(line: bytes, column: int, encoding: int) -> int:
    """A column in bytes; -1 where the line is shorter.

    >>> _byte_column("a\\u00e9\\U0001f600b".encode(), 4, 2), _byte_column(b"abc", 4, 2)
    (7, -1)
    """
    if encoding == _UTF8 or line.isascii():
        return column if column <= len(line) else -1
    text = line.decode("utf-8", "replace")
    if encoding == _UTF16:
        units = text.encode("utf-16-le")
        before = units[: 2 * column].decode("utf-16-le", "replace")
        return len(before.encode()) if 2 * column <= len(units) else -1
    return len(text[:column].encode()) if column <= len(text) else -1


def top_level(index: bytes) -> Iterator[Field]:
    """The parts of an index: its metadata and its documents.

    Raises:
        InvalidInput: The bytes are no index, or end in the middle of it.
    """
    return (field for field in fields(index) if field.number in (_METADATA, _DOCUMENTS))


def is_document(part: Field) -> bool:
    """Whether a part of an index is a document."""
    return part.number == _DOCUMENTS


def read_tool(metadata: bytes) -> Tool:
    """The program that made an index, by its metadata."""
    info = next((field.data for field in fields(metadata) if field.number == _TOOL_INFO), b"")
    found = {field.number: _text(field.data) for field in fields(info)}
    return Tool(found.get(_TOOL_NAME, ""), found.get(_TOOL_VERSION, ""))


def read_document(message: bytes) -> Document:
    """A document of an index.

    Raises:
        InvalidInput: The bytes are no document.
    """
    path, encoding, local = "", 0, 0
    names: list[tuple[int, int, int, str, bool]] = []
    implementations: list[tuple[str, str]] = []
    for field in fields(message):
        if field.number == _PATH:
            path = _text(field.data)
        elif field.number == _ENCODING:
            encoding = field.value
        elif field.number == _OCCURRENCES:
            name = _read_occurrence(field.data)
            local += name is not None and name[3].startswith(_LOCAL)
            names += [name] if name is not None and not name[3].startswith(_LOCAL) else []
        elif field.number == _SYMBOLS:
            implementations += _read_implementations(field.data)
    # Indexers that say nothing are programs in JavaScript, whose strings are UTF-16.
    known = encoding if encoding in (_UTF8, _UTF16, _UTF32) else _UTF16
    return Document(path, known, tuple(names), tuple(implementations), local)


def _read_occurrence(message: bytes) -> tuple[int, int, int, str, bool] | None:
    """A name on one line; names of no extent, as those of files, or over several lines, are None."""
    place: list[int] = []
    symbol, roles = "", 0
    for field in fields(message):
        if field.number == _RANGE:
            place += packed(field.data) if field.data else [field.value]
        elif field.number == _SYMBOL:
            symbol = _text(field.data)
        elif field.number == _ROLES:
            roles = field.value
    if len(place) == 4 and place[0] == place[2]:
        place = [place[0], place[1], place[3]]
    if len(place) != 3 or not symbol or place[1] >= place[2]:
        return None
    return place[0], place[1], place[2], symbol, bool(roles & _DEFINITION)


def _read_implementations(message: bytes) -> Iterator[tuple[str, str]]:
    name, relationships = "", []
    for field in fields(message):
        if field.number == _NAME:
            name = _text(field.data)
        elif field.number == _RELATIONSHIPS:
            relationships.append(field.data)
    for relationship in relationships:
        parts = {field.number: field for field in fields(relationship)}
        if _RELATED in parts and _IS_IMPLEMENTATION in parts and parts[_IS_IMPLEMENTATION].value:
            yield name, _text(parts[_RELATED].data)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput("a text in the index is not UTF-8") from error
