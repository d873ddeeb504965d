"""Reading: what a path leads to, at the head or some shared boundaries before it.

A path starts at ``effective``, ``global``, ``cwd`` or ``session``, with the number of boundaries to go back
in brackets, or at a plane, which means the effective one. Keys follow a dot; an element of an array stands in
brackets, a range of them as ``[a:b]`` or ``[a..b]`` without its end. ``patches`` in place of a plane reads
the changes that a scope still holds, newest first.

>>> from graphsvc.memory.planes.history import Boundary, History
>>> history = History.begin(Boundary("T0", 0)).advance({"cwd": {"lazy": {"plan": ["a", "b", "c"]}}}, "T1")
>>> [read(history, path) for path in ("cwd.lazy.plan[1:3]", "lazy.plan[0]", "cwd[1].lazy")]
[['b', 'c'], 'a', None]
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.memory.planes.dialect import PATH, RETIRED, SCOPES, TARGET, PlaneScope
from graphsvc.memory.planes.history import History
from graphsvc.memory.planes.patching import effective
from graphsvc.memory.strict_json import JsonObject

__all__ = ["ReadPath", "Step", "keys_of", "parse_path", "read", "read_all", "read_patch"]

_PATH = re.compile(PATH)
_STEP = re.compile(r"\.(?P<key>[^.\[]+)|\[(?P<start>\d+)(?:(?::|\.\.)(?P<end>\d+))?\]")

Step = str | int | slice
"""A key of an object, the index of an element, or a range of elements."""


@dataclass(frozen=True, slots=True)
class ReadPath:
    """A parsed path.

    Attributes:
        text: As it was written.
        scope: Scope to read; None for the effective view.
        offset: Number of shared boundaries before the head.
        plane: Plane to read; None for all of them; ``patches`` for the scope's own retained changes.
        steps: Way into the plane.
    """

    text: str
    scope: PlaneScope | None
    offset: int
    plane: str | None
    steps: tuple[Step, ...]


def parse_path(text: str) -> ReadPath:
    """Parse a path.

    Raises:
        InvalidInput: It is not one, or names a plane that does not exist.
    """
    match = _PATH.fullmatch(text)
    if match is None or not (match["plane"] or match["bare"] or not match["steps"]):
        raise InvalidInput(
            f"not a read path: {text!r}", hint="for example cwd.tactics.next or session[1].lazy"
        )
    plane = match["plane"] or match["bare"]
    scope: PlaneScope | None = next((scope for scope in SCOPES if scope == match["root"]), None)
    steps = tuple(_step(step) for step in _STEP.finditer(match["steps"]))
    reads_changes = plane == "patches" and scope is not None
    if plane is not None and plane not in TARGET.planes and not reads_changes:
        present = RETIRED.get(plane)
        raise InvalidInput(
            f"there is no plane {plane!r}",
            hint=f"it is now called {present!r}" if present else f"planes: {', '.join(TARGET.planes)}",
        )
    return ReadPath(text, scope, int(match["offset"] or 0), plane, steps)


def _step(match: re.Match[str]) -> Step:
    if match["key"] is not None:
        return match["key"]
    start = int(match["start"])
    return start if match["end"] is None else slice(start, int(match["end"]))


def read(history: History, text: str) -> Any:
    """The value at a path; None for a plane that is empty.

    Raises:
        InvalidInput: It is no path, or its offset is beyond the history limit.
        NotFound: It leads nowhere, or before the origin.
    """
    path = parse_path(text)
    if path.plane == "patches" and path.scope is not None:
        records = [record for _, record in reversed(history.streams[path.scope].tail)]
        return _follow(records, path)
    states = history.states(path.offset)
    state = effective(states) if path.scope is None else states[path.scope]
    if path.plane is None:
        return state
    if path.plane not in state and not path.steps:
        return None
    return _follow(state.get(path.plane), path)


def read_all(history: History, texts: Iterable[str]) -> list[Any]:
    """The values at several paths, or the first error: never some of them."""
    return [read(history, text) for text in texts]


def _follow(value: Any, path: ReadPath) -> Any:
    for step in path.steps:
        if isinstance(step, str):
            found = isinstance(value, dict) and step in value
        else:
            end = step.stop if isinstance(step, slice) else step + 1
            start = step.start if isinstance(step, slice) else step
            found = isinstance(value, list) and start <= end <= len(value)
        if not found:
            raise NotFound(f"nothing is at {path.text!r}", hint="read a shorter path to see what is there")
        value = value[step]
    return value


def read_patch(history: History, text: str) -> JsonObject | None:
    """What the transition at the path's offset changed in its scope; None where it changed nothing.

    Raises:
        InvalidInput: It is no path, or reads the effective view, which no transition writes.
    """
    path = parse_path(text)
    if path.scope is None or path.steps:
        raise InvalidInput(f"{text!r} names no scope or plane, whose changes could be read")
    record = history.record(path.scope, path.offset)
    if record is None or path.plane is None:
        return record
    return {path.plane: record[path.plane]} if path.plane in record else None


def keys_of(value: Any) -> JsonObject:
    """The outline of a value: its type, its size or length, and the keys of an object.

    >>> keys_of({"b": 1, "a": 2}), keys_of("text")
    ({'meta': {'type': 'object', 'size': 2}, 'keys': ['a', 'b']}, {'meta': {'type': 'string', 'length': 4}})
    """
    if isinstance(value, dict):
        return {"meta": {"type": "object", "size": len(value)}, "keys": sorted(value)}
    if isinstance(value, list):
        return {"meta": {"type": "array", "length": len(value)}}
    if isinstance(value, str):
        return {"meta": {"type": "string", "length": len(value)}}
    kind = "null" if value is None else "boolean" if isinstance(value, bool) else "number"
    return {"meta": {"type": kind}}
