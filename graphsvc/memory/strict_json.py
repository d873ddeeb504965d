"""JSON as memory is stored in it: strict to read, canonical to write, and compared by meaning.

Reading refuses what two readers could understand differently: repeated keys, numbers that are not finite,
halves of surrogate pairs, a byte order mark, bytes that are not UTF-8; and what is only there to exhaust the
reader: nesting and documents beyond any real store.

>>> decode(b'{"a": [1, 2.50]}', "checkpoint.json")
{'a': [1, 2.5]}
>>> canonical({"b": 1.0, "a": None, "10": True, "9": "ü"})
'{"9":"ü","10":true,"a":null,"b":1}'
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NoReturn

from graphsvc.errors import Refused

__all__ = [
    "MAX_DEPTH",
    "MAX_DOCUMENT",
    "JsonObject",
    "JsonReason",
    "canonical",
    "decode",
    "detached",
    "is_same",
]

JsonObject = dict[str, Any]


class JsonReason(StrEnum):
    """Why bytes are refused as JSON."""

    NOT_UTF8 = "not_utf8"
    BYTE_ORDER_MARK = "byte_order_mark"
    MALFORMED_JSON = "malformed_json"
    DUPLICATE_KEY = "duplicate_key"
    NUMBER_NOT_FINITE = "number_not_finite"
    LONE_SURROGATE = "lone_surrogate"
    TOO_DEEP = "too_deep"
    TOO_LONG = "too_long"


MAX_DOCUMENT = 8 * 1024 * 1024
"""Bytes of one JSON document or line."""

MAX_DEPTH = 100
"""Levels of nesting; the engines recurse up to three times a level and must stay clear of Python's own limit."""

_MAX_NUMBER = 1000
_SURROGATE = re.compile("[\ud800-\udfff]")


def decode(data: bytes, where: str) -> Any:
    """The value of one JSON document.

    Args:
        data: Its bytes.
        where: What to call it in an error.

    Raises:
        Refused: See the module; ``reason`` says which.
    """
    if len(data) > MAX_DOCUMENT:
        _refuse(JsonReason.TOO_LONG, f"{len(data)} bytes are more than {MAX_DOCUMENT}", where)
    if data.startswith(b"\xef\xbb\xbf"):
        _refuse(JsonReason.BYTE_ORDER_MARK, "it starts with a byte order mark", where)
    try:
        value = _DECODER.decode(data.decode())
    except UnicodeDecodeError as error:
        _refuse(JsonReason.NOT_UTF8, f"byte {error.start} is not UTF-8", where)
    except json.JSONDecodeError as error:
        _refuse(JsonReason.MALFORMED_JSON, f"{error.msg} at character {error.pos}", where)
    except RecursionError:
        _refuse(JsonReason.TOO_DEEP, f"it nests deeper than {MAX_DEPTH} levels", where)
    except Refused as error:
        raise Refused(error.message, reason=error.reason, where=where) from None
    _check(value, where)
    return value


def detached(value: object, where: str) -> Any:
    """A deep copy of a value that a caller made, checked as if it had been read."""
    try:
        text = json.dumps(value, allow_nan=False)
    except RecursionError:
        _refuse(JsonReason.TOO_DEEP, f"it nests deeper than {MAX_DEPTH} levels", where)
    except (TypeError, ValueError) as error:
        number = isinstance(error, ValueError) and "float" in str(error)
        _refuse(JsonReason.NUMBER_NOT_FINITE if number else JsonReason.MALFORMED_JSON, str(error), where)
    return decode(text.encode(), where)


def is_same(one: Any, other: Any) -> bool:
    """Whether two values mean the same: numbers compare as doubles, so 1 is 1.0, but true is not 1.

    >>> is_same([1, {"a": 0}], [1.0, {"a": -0.0}]), is_same(True, 1)
    (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if _is_number(one) and _is_number(other):
        return float(one) == float(other)
    return type(one) is type(other) and bool(one == other)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def canonical(value: Any) -> str:
    """The one text of a value: compact, with keys and numbers as ECMAScript orders and writes them.

    Keys that look like array indices come first, by number; the others follow by UTF-16 code units. Numbers
    become doubles, so this is for comparing and digests, not for keeping. Source: ECMA-262,
    OrdinaryOwnPropertyKeys and Number::toString.
    """
    if isinstance(value, dict):
        keys = sorted(value, key=_key_order)
        return "{" + ",".join(f"{_text(key)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if _is_number(value):
        return _number(float(value))
    return json.dumps(value)


def _key_order(key: str) -> tuple[int, int, bytes]:
    if re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1:
        return (0, int(key), b"")
    return (1, 0, key.encode("utf-16-be", "surrogatepass"))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits.ljust(point, "0")
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        text = f"{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]}e{point - 1:+d}"
    return f"-{text}" if value < 0 else text


def _refuse(reason: JsonReason, message: str, where: str = "") -> NoReturn:
    raise Refused(message, reason=reason, where=where) from None


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    result = dict(pairs)
    if len(result) < len(pairs):
        [(key, _)] = Counter(key for key, _ in pairs).most_common(1)
        _refuse(JsonReason.DUPLICATE_KEY, f"the key {key!r} is there more than once")
    return result


def _integer(text: str) -> int:
    _float(text)
    return int(text)


def _float(text: str) -> float:
    if len(text) > _MAX_NUMBER or not math.isfinite(value := float(text)):
        _refuse(JsonReason.NUMBER_NOT_FINITE, f"a number of {len(text)} characters does not fit 64 bits")
    return value


def _constant(text: str) -> NoReturn:
    _refuse(JsonReason.NUMBER_NOT_FINITE, f"{text} is no JSON number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)


def _check(value: Any, where: str) -> None:
    """Look at every text and at the depth, level by level, so that depth costs no recursion."""
    level: list[Any] = [value]
    depth = 0
    while level:
        for text in _texts(level):
            if _SURROGATE.search(text):
                _refuse(JsonReason.LONE_SURROGATE, "a text contains half of a surrogate pair", where)
        containers = [item for item in level if isinstance(item, (dict, list))]
        depth += bool(containers)
        if depth > MAX_DEPTH:
            _refuse(JsonReason.TOO_DEEP, f"it nests deeper than {MAX_DEPTH} levels", where)
        level = [
            child for item in containers for child in (item.values() if isinstance(item, dict) else item)
        ]


def _texts(level: Iterable[Any]) -> Iterable[str]:
    for item in level:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
