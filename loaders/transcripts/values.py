"""Values out of untrusted JSON: of the expected type, or null."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = [
    "flag",
    "from_milliseconds",
    "integer",
    "items",
    "joined_text",
    "mapping",
    "microseconds",
    "number",
    "text",
    "texts",
]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LARGEST = 2**63 - 1


def text(value: Any) -> str | None:
    """The value if it is text."""
    return value if type(value) is str else None


def flag(value: Any) -> bool | None:
    """The value if it is a boolean."""
    return value if type(value) is bool else None


def integer(value: Any) -> int | None:
    """The value if it is a whole number of 64 bits.

    >>> integer(7.0), integer(7.5), integer(True), integer(2**70)
    (7, None, None, None)
    """
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -_LARGEST <= value <= _LARGEST else None


def number(value: Any) -> float | None:
    """The value as a float if it is a number."""
    return float(value) if type(value) in (int, float) else None


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def items(value: Any) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if type(value) is list else []


def texts(value: Any) -> list[str] | None:
    """The texts of an array, or a lone text as the only one; null for anything else.

    >>> texts(["a", 1, "b"]), texts("a"), texts(None)
    (['a', 'b'], ['a'], None)
    """
    if type(value) is str:
        return [value]
    return [item for item in value if type(item) is str] if type(value) is list else None


def joined_text(content: Any) -> str:
    """Text of a message's content: a text, or the texts of its blocks, one a line.

    >>> joined_text([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}])
    'a\\nb'
    """
    if type(content) is str:
        return content
    found = (block if type(block) is str else mapping(block).get("text") for block in items(content))
    return "\n".join(part for part in found if type(part) is str)


def microseconds(value: Any) -> int | None:
    """UTC microseconds since 1970 of an ISO 8601 time with a zone; null for anything else.

    Digits after the sixth are cut off.

    >>> microseconds("1970-01-01T01:00:00.5+01:00"), microseconds("1970-01-01T00:00:00"), microseconds(5)
    (500000, None, None)
    """
    if type(value) is not str:
        return None
    try:
        return (datetime.fromisoformat(value) - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError, OverflowError):
        return None


def from_milliseconds(value: Any) -> int | None:
    """UTC microseconds of a Unix time in milliseconds, or in seconds where it is too small for those; else null.

    >>> from_milliseconds(1_700_000_000_123), from_milliseconds(1_700_000_000), from_milliseconds("x")
    (1700000000123000, 1700000000000000, None)
    """
    time = number(value)
    if time is None or not 0 < time < 1e14:
        return None
    return round(time * (1_000_000 if time < 1e11 else 1000))
