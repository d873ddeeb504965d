"""Patches: how one is applied, what it deletes in vain, how one is told from two states.

A patch is an object that merges into the state; ``null`` deletes a key. Nothing here changes its arguments.

>>> apply_patch({"a": ["x", {"n": 1}]}, {"a": {"[1]": {"n": 2}}, "b": {"gone": None, "kept": 0}})
{'a': ['x', {'n': 2}], 'b': {'kept': 0}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import SCOPES, PlaneScope
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject, is_same

__all__ = [
    "MissingDeletion",
    "apply_patch",
    "check_record",
    "check_state",
    "difference",
    "effective",
    "missing_deletions",
    "prune",
]

_INDEX = re.compile(r"\[(0|[1-9][0-9]*)\]")


def _updates_elements(current: Any, value: JsonObject) -> bool:
    """Whether a patch value addresses the elements of an array rather than replacing it."""
    return isinstance(current, list) and bool(value) and all(_INDEX.fullmatch(key) for key in value)


def apply_patch(state: JsonObject, patch: JsonObject) -> JsonObject:
    """The state with the patch merged into it.

    Raises:
        Refused: An index is beyond the array that it addresses, or an element is to be deleted.
    """
    result = dict(state)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif not isinstance(value, dict):
            result[key] = deepcopy(value)
        else:
            merged = _merge(result.get(key), value)
            if key in result or merged or not value:
                result[key] = merged
    return result


def _merge(current: Any, value: JsonObject) -> Any:
    if _updates_elements(current, value):
        return _update_elements(current, value)
    return apply_patch(current if isinstance(current, dict) else {}, value)


def _update_elements(array: list[Any], updates: JsonObject) -> list[Any]:
    result = list(array)
    for key, value in updates.items():
        index = _index(key, array)
        if value is None:
            raise Refused(f"the element {key} of an array cannot be deleted", reason=Reason.INDEX_DELETED)
        result[index] = _merge(array[index], value) if isinstance(value, dict) else deepcopy(value)
    return result


def _index(key: str, array: list[Any]) -> int:
    digits = key[1:-1]
    if len(digits) > 18 or int(digits) >= len(array):
        raise Refused(
            f"[{digits[:20]}] is beyond an array of {len(array)} elements", reason=Reason.INDEX_OUT_OF_RANGE
        )
    return int(digits)


@dataclass(frozen=True, slots=True)
class MissingDeletion:
    """A key that a patch deletes although it is not there.

    Attributes:
        path: JSON Pointer of the key, from the scope on.
        unavailable: The first part of it that is not there.
    """

    path: str
    unavailable: str


def missing_deletions(scope: PlaneScope, state: JsonObject, patch: JsonObject) -> list[MissingDeletion]:
    """What a patch deletes in vain, in the order of its paths.

    >>> missing_deletions("global", {"tactics": {}}, {"tactics": {"m": {"c": None}}})
    [MissingDeletion(path='/global/tactics/m/c', unavailable='/global/tactics/m')]
    """
    return sorted(_missing(state, patch, f"/{scope}", None), key=lambda item: item.path)


def _missing(
    current: Any, patch: JsonObject, path: str, unavailable: str | None
) -> Iterator[MissingDeletion]:
    for key, value in patch.items():
        if _updates_elements(current, patch):
            name, child = key[1:-1], current[_index(key, current)]
        else:
            name = key.replace("~", "~0").replace("/", "~1")
            child = current.get(key, _ABSENT) if isinstance(current, dict) else _ABSENT
        pointer = f"{path}/{name}"
        gone = unavailable or (pointer if child is _ABSENT else None)
        if isinstance(value, dict):
            yield from _missing(child, value, pointer, gone)
        elif value is None and gone:
            yield MissingDeletion(pointer, gone)


_ABSENT = object()


def prune(state: JsonObject) -> JsonObject:
    """The state without members that are empty objects, however deep; elements of arrays keep their place.

    >>> prune({"tactics": {"a": {"b": {}}}, "lazy": {"list": [{}, {"x": {}}], "none": []}})
    {'lazy': {'list': [{}, {}], 'none': []}}
    """
    pruned = {key: _prune(value) for key, value in state.items()}
    return {key: value for key, value in pruned.items() if value != {}}


def _prune(value: Any) -> Any:
    if isinstance(value, dict):
        return prune(value)
    return [_prune(item) for item in value] if isinstance(value, list) else value


def difference(basis: JsonObject, result: JsonObject) -> JsonObject:
    """The patch that leads from one state to another; empty when they mean the same.

    Raises:
        Refused: No patch does: an array would become an object whose keys all look like indices.

    >>> difference({"a": {"x": 1, "y": [1]}, "b": 0}, {"a": {"x": 1, "y": [1, 2]}})
    {'b': None, 'a': {'y': [1, 2]}}
    """
    record = _difference(basis, result)
    if not is_same(_try_apply(basis, record), result):
        raise Refused(
            "an array cannot become an object of bracketed numbers in one step",
            reason=Reason.NOT_EXPRESSIBLE,
            hint="delete the array in one patch and write the object in the next",
        )
    return record


def _try_apply(basis: JsonObject, record: JsonObject) -> JsonObject | None:
    try:
        return apply_patch(basis, record)
    except Refused:
        return None


def _difference(basis: JsonObject, result: JsonObject) -> JsonObject:
    record: JsonObject = {key: None for key in basis if key not in result}
    for key, value in result.items():
        current = basis.get(key)
        if key not in basis or not (isinstance(current, dict) and isinstance(value, dict)):
            if key not in basis or not is_same(current, value):
                record[key] = deepcopy(value)
        elif nested := _difference(current, value):
            record[key] = nested
    return record


def effective(states: Mapping[PlaneScope, JsonObject]) -> JsonObject:
    """The overlay of the scopes: what an agent sees.

    An empty response counts as none and lets an outer one through. The overlay merges as a patch does, so an
    inner object of bracketed numbers edits the elements of an outer array, and is refused where they do not
    exist.

    >>> effective({"global": {"lazy": {"a": 1, "b": 1}}, "session": {"lazy": {"a": 2}, "response": ""}})
    {'lazy': {'a': 2, 'b': 1}}
    """
    result: JsonObject = {}
    for scope in SCOPES:
        state = states.get(scope, {})
        result = apply_patch(result, {name: value for name, value in state.items() if value != ""})
    return result


def check_state(state: JsonObject) -> None:
    """Refuse a state with a plane of the wrong type, a stored null or an artifact without a description.

    Raises:
        Refused: See above.
    """
    for plane, value in state.items():
        _check_plane(plane, value)
        if _contains_null(value):
            raise Refused(
                f"the plane {plane!r} would store null, which can only delete a key",
                reason=Reason.NULL_STORED,
            )
    for path, card in state.get("artifacts", {}).items():
        description = card.get("description") if isinstance(card, dict) else None
        if not isinstance(description, str) or not description.strip():
            raise Refused(f"the artifact {path!r} has no description", reason=Reason.ARTIFACT_CARD)


def check_record(scope: PlaneScope, record: JsonObject) -> None:
    """Refuse a record of accepted changes whose planes have the wrong type or stand in the wrong scope.

    Raises:
        Refused: See above.
    """
    for plane, value in record.items():
        if plane == "response" and scope != "session":
            raise Refused(f"a record of the scope {scope} carries a response", reason=Reason.RESPONSE_SCOPE)
        if value is not None:
            _check_plane(plane, value)


def _check_plane(plane: str, value: Any) -> None:
    expected = str if plane == "response" else dict
    if not isinstance(value, expected):
        wanted = "a text" if plane == "response" else "an object"
        raise Refused(f"the plane {plane!r} is not {wanted}", reason=Reason.PLANE_TYPE)


def _contains_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_contains_null, value.values()))
    return any(map(_contains_null, value)) if isinstance(value, list) else value is None
