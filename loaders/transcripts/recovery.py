"""What can be saved of a line that is not one JSON object."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import orjson

__all__ = ["Flaw", "Piece", "recover"]

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")


class Piece(NamedTuple):
    """An object found in a line, with its first byte and its end, exclusive."""

    value: dict[str, Any]
    start: int
    end: int


class Flaw(NamedTuple):
    """What is wrong with a run of bytes of a line.

    Attributes:
        kind: Kind of the fault: ``joined_records``, ``undecodable`` or ``malformed_line``.
        detail: Why, in a sentence.
        start: First byte.
        end: End, exclusive.
        is_recovered: All that it says was read all the same.
    """

    kind: str
    detail: str
    start: int
    end: int
    is_recovered: bool


def recover(line: bytes) -> tuple[list[Piece], list[Flaw]]:
    """Objects in a line, and what is wrong with it; a blank line has neither.

    >>> pieces, flaws = recover(b'{"a":1}{"b":2}')
    >>> [(piece.start, piece.end) for piece in pieces], flaws[0].kind, flaws[0].is_recovered
    ([(0, 7), (7, 14)], 'joined_records', True)
    >>> recover(b'{"a":1}{"b":')[1][-1]
    Flaw(kind='malformed_line', detail='12 bytes, of which 5 are no JSON object', start=7, end=12, is_recovered=False)
    """
    # One character a byte: the marks of JSON are ASCII, so bounds of objects are found without decoding text.
    text = line.decode("latin-1").rstrip(" \t\r\n")
    pieces: list[Piece] = []
    flaws: list[Flaw] = []
    position = _skip(text, 0)
    while position < len(text):
        try:
            found, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        if type(found) is not dict:
            break
        value, flaw = _decode(line[position:end], position)
        pieces.append(Piece(value, position, end))
        flaws += [flaw] if flaw else []
        position = _skip(text, end)
    if len(pieces) > 1:
        end = pieces[-1].end
        detail = f"{len(pieces)} records stand on one line"
        flaws.insert(0, Flaw("joined_records", detail, pieces[0].start, end, True))
    if position < len(text):
        rest = len(text) - position
        detail = f"{len(text)} bytes, of which {rest} are no JSON object"
        flaws.append(Flaw("malformed_line", detail, position, len(text), False))
    return pieces, flaws


def _decode(data: bytes, start: int) -> tuple[dict[str, Any], Flaw | None]:
    try:
        return orjson.loads(data), None
    except orjson.JSONDecodeError as error:
        value = json.loads(data.decode("utf-8", "replace"), strict=False)
        detail = f"read with replacement characters: {error}"
        return _printable(value), Flaw("undecodable", detail, start, start + len(data), True)


def _printable(value: Any) -> Any:
    """The value with every lone surrogate replaced, so that its texts can be encoded."""
    if type(value) is str:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if type(value) is list:
        return [_printable(item) for item in value]
    if type(value) is dict:
        return {_printable(key): _printable(item) for key, item in value.items()}
    return value


def _skip(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position
