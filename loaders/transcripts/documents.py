"""Sessions that are one JSON document: an array of messages, or an object with an array of them.

Hosts rewrite such a document as the session grows, so each message is a record that is stored by itself: it has the
same bytes in every version that holds it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

__all__ = ["pieces", "whole"]

_ARRAYS = frozenset({"messages", "items", "loglines"})
_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")


def pieces(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Cut a document into the elements of its array of messages and what lies between.

    Args:
        data: The whole document.

    Yields:
        Start and end in bytes, and whether the piece is a record. A document that is not of this form is one
        record, for the reader to judge.

    >>> data = b'{"messages": [{"id": "1"}, {"id": "2"}]}'
    >>> [data[start:end] for start, end, is_record in pieces(data) if is_record]
    [b'{"id": "1"}', b'{"id": "2"}']
    """
    try:
        records = list(_elements(data.decode("latin-1")))
    except (ValueError, RecursionError):
        records = [(0, len(data))]
    position = 0
    for start, end in records:
        if position < start:
            yield position, start, False
        yield start, end, True
        position = end
    if position < len(data):
        yield position, len(data), False


def whole(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """A document that is one record."""
    if data:
        yield 0, len(data), True


def _elements(document: str) -> Iterator[tuple[int, int]]:
    """Bounds of the elements of the array, in a document with one character a byte."""
    position = _skip(document, _array(document), "[")
    while not document.startswith("]", start := _skip(document, position)):
        _, position = _DECODER.raw_decode(document, start)
        yield start, position
        after = _skip(document, position)
        position = after if document.startswith("]", after) else _skip(document, after, ",")


def _array(document: str) -> int:
    """Start of the array: the whole document, or what stands at top level under one of the names of `_ARRAYS`."""
    position = _skip(document, 0)
    if document.startswith("[", position):
        return position
    position = _skip(document, position, "{")
    while True:
        key, position = _DECODER.raw_decode(document, _skip(document, position))
        position = _skip(document, _skip(document, position, ":"))
        if key in _ARRAYS and document.startswith("[", position):
            return position
        _, position = _DECODER.raw_decode(document, position)
        position = _skip(document, position, ",")


def _skip(document: str, position: int, expected: str = "") -> int:
    """Position after blanks and the expected mark."""
    blank = _BLANK.match(document, position)
    position = blank.end() if blank else position
    if not document.startswith(expected, position):
        raise ValueError(f"expected {expected} at {position}")
    return position + len(expected)
