"""Records of facts as JSON lines, for export and import.

One record a line. ``record`` names its type, the other members are the columns of that type; a column with
its default value is left out, and a member that no column has is refused rather than lost.

>>> from graphsvc.memory.facts import Forget
>>> line = encode(Forget("f1", 5))
>>> line, decode_line(line, "line 1") == Forget("f1", 5)
(b'{"fact_id":"f1","record":"forget","recorded_at":5}', True)
"""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from typing import Any, TypeVar

from graphsvc.errors import InvalidInput, Refused
from graphsvc.memory.facts import Anchor, Fact, Forget, Link, Record
from graphsvc.memory.strict_json import JsonObject, decode
from graphsvc.scopes import Scope

__all__ = ["decode_line", "encode"]

_TYPES: dict[str, type[Record]] = {"fact": Fact, "link": Link, "forget": Forget}
T = TypeVar("T", bound=Record | Scope | Anchor)

_NAMES = {type_: name for name, type_ in _TYPES.items()}


def encode(record: Record) -> bytes:
    """The line of a record, without its line end. Equal records have equal lines."""
    members = {"record": _NAMES[type(record)], **_columns(record)}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def _columns(item: Record | Scope | Anchor) -> JsonObject:
    values = {field.name: getattr(item, field.name) for field in fields(item)}
    defaults = {field.name: field.default for field in fields(item) if field.default is not MISSING}
    changed = {name: value for name, value in values.items() if value != defaults.get(name, MISSING)}
    return {name: _plain(value) for name, value in changed.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return _columns(value) if isinstance(value, Scope | Anchor) else value


def decode_line(line: bytes, where: str) -> Record:
    """The record of a line.

    Args:
        line: Its bytes.
        where: What to call it in an error.

    Raises:
        Refused: It is no record; ``reason`` is ``not_a_record``, or one of
            :class:`~graphsvc.memory.strict_json.JsonReason`.
    """
    value = decode(line, where)
    try:
        if not isinstance(value, dict):
            raise InvalidInput("it is no object")
        name = value.pop("record", None)
        if not isinstance(name, str) or name not in _TYPES:
            raise InvalidInput(f"its record is none of {', '.join(_TYPES)}")
        if "scope" in value:
            value["scope"] = _made(Scope, value["scope"], "its scope")
        if "anchors" in value:
            if not isinstance(value["anchors"], list):
                raise InvalidInput("its anchors are no list")
            value["anchors"] = tuple(
                _made(Anchor, anchor, "one of its anchors") for anchor in value["anchors"]
            )
        return _made(_TYPES[name], value, "it")
    except InvalidInput as error:
        raise Refused(f"it is no record: {error.message}", reason="not_a_record", where=where) from error


def _made(type_: type[T], value: Any, what: str) -> T:
    """The value as an instance of a type whose columns are its members."""
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} is no object")
    columns = {field.name: field.default is MISSING for field in fields(type_)}
    if unknown := value.keys() - columns:
        raise InvalidInput(f"{what} has {', '.join(sorted(unknown))}, which no record has there")
    if missing := [name for name, is_required in columns.items() if is_required and name not in value]:
        raise InvalidInput(f"{what} has no {', '.join(missing)}")
    return type_(**value)
