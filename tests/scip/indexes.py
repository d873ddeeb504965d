"""Small SCIP indexes, written by code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["definition", "document", "index", "message", "reference"]

DEFINITION = 1


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A message of protocol buffers: numbers as varints, text and bytes by their length."""
    found = b""
    for number, value in fields:
        if isinstance(value, int):
            found += _varint(number << 3) + _varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            found += _varint(number << 3 | 2) + _varint(len(data)) + data
    return found


def _occurrence(place: Sequence[int], symbol: str, roles: int) -> bytes:
    return message((1, b"".join(map(_varint, place))), (2, symbol), (3, roles))


def definition(line: int, first: int, last: int, symbol: str) -> bytes:
    """An occurrence that defines a symbol; line and columns from 0."""
    return _occurrence((line, first, last), symbol, DEFINITION)


def reference(line: int, first: int, last: int, symbol: str) -> bytes:
    """An occurrence that uses a symbol."""
    return _occurrence((line, first, last), symbol, 0)


def document(
    path: str,
    occurrences: Iterable[bytes],
    *,
    implementations: Iterable[tuple[str, str]] = (),
    encoding: int = 0,
) -> bytes:
    """What an index says of one file."""
    symbols = [message((1, symbol), (4, message((1, base), (3, 1)))) for symbol, base in implementations]
    return message(
        (4, "typescript"),
        (1, path),
        *((2, one) for one in occurrences),
        *((3, one) for one in symbols),
        (6, encoding),
    )


def index(*documents: bytes) -> bytes:
    """An index of a tool called ``invented``."""
    tool = message((1, "invented"), (2, "1.0"))
    return message((1, message((2, tool), (3, "file:///somewhere"))), *((2, one) for one in documents))
