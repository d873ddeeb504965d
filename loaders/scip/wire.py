"""Messages of protocol buffers, read without a schema: fields by their numbers.

The format is that of https://protobuf.dev/programming-guides/encoding. Offsets are kept, so that what was read can be
shown in the bytes that it came from.

>>> [(field.number, field.value, field.data) for field in fields(bytes([8, 150, 1, 18, 2, 104, 105]))]
[(1, 150, b''), (2, 0, b'hi')]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from graphsvc.errors import InvalidInput

__all__ = ["Field", "fields", "packed"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_MAX_SHIFT = 63


class Field(NamedTuple):
    """One field of a message.

    Attributes:
        number: Its number in the schema.
        value: Its value where it is a number, else 0.
        data: Its bytes where it is text or a message, else empty.
        start, end: Where these bytes lie in the message.
    """

    number: int
    value: int
    data: bytes
    start: int
    end: int


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message in order.

    Raises:
        InvalidInput: The bytes are no such message, or end in the middle of one.
    """
    position, size = 0, len(message)
    while position < size:
        tag, position = _varint(message, position)
        number, wire = tag >> 3, tag & 7
        value, start = 0, position
        if wire == _VARINT:
            value, position = _varint(message, position)
        elif wire == _BYTES:
            length, start = _varint(message, position)
            position = start + length
        elif wire in (_FIXED64, _FIXED32):
            position += 8 if wire == _FIXED64 else 4
        else:
            raise InvalidInput(f"byte {start} starts no field of a message (wire type {wire})")
        if position > size or number == 0:
            raise InvalidInput(f"a message ends in the middle of field {number}")
        yield Field(number, value, message[start:position] if wire == _BYTES else b"", start, position)


def packed(data: bytes) -> list[int]:
    """The numbers of a packed field.

    >>> packed(bytes([3, 172, 2, 7]))
    [3, 300, 7]
    """
    numbers, position = [], 0
    while position < len(data):
        number, position = _varint(data, position)
        numbers.append(number)
    return numbers


def _varint(data: bytes, position: int) -> tuple[int, int]:
    result = shift = 0
    while position < len(data) and shift <= _MAX_SHIFT:
        byte = data[position]
        position += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result, position
        shift += 7
    raise InvalidInput(f"a number ends in the middle, or does not end, before byte {position}")
