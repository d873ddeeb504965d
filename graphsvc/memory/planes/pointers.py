"""Pointers: what a session's transcript says of its planes.

The transcript holds no planes. An entry of the type ``state-flow-snapshot`` says at which boundary the
session stood and in which mode it ran, so that a turn can be joined to the planes that were in force.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import Refused
from graphsvc.memory.planes.metadata import Mode
from graphsvc.memory.planes.reasons import Reason

__all__ = ["SNAPSHOT_TYPE", "Pointer", "parse_pointer"]

SNAPSHOT_TYPE = "state-flow-snapshot"
"""``customType`` of the entries whose ``data`` :func:`parse_pointer` reads."""

_MODES: Mapping[str, Mode] = {"active": "active", "passive": "passive", "off": "off"}
_OPTIONAL = {"bootstrap", "specification"}


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where a session stood.

    Attributes:
        boundary: Id of the shared boundary; None where the entry only sets the mode.
        mode: Mode from here on.
    """

    boundary: str | None
    mode: Mode


def parse_pointer(data: Any) -> Pointer:
    """Read the data of a snapshot entry, in its present or its retired form.

    Raises:
        Refused: It is of another form; older sessions put whole states there, which nothing can interpret.

    >>> parse_pointer({"boundary": "T7", "mode": "active", "step": 3})
    Pointer(boundary='T7', mode='active')
    >>> parse_pointer({"disabled": True})
    Pointer(boundary=None, mode='off')
    """
    match data:
        case {"disabled": True, **others} if not others:
            return Pointer(None, "off")
        case {"mode": "passive" | "off" as mode, **others} if not others:
            return Pointer(None, _MODES[mode])
        case {"boundary": boundary, "mode": str(mode), "step": _, **others} if mode in _MODES:
            return _at_boundary(boundary, _MODES[mode], others)
        case {"boundary": boundary, "enabled": bool(enabled), "step": _, **others}:
            return _at_boundary(boundary, "active" if enabled else "off", others)
    raise Refused("it points to no boundary and sets no mode", reason=Reason.POINTER)


def _at_boundary(boundary: Any, mode: Mode, others: Mapping[Any, Any]) -> Pointer:
    identity = boundary.get("id") if isinstance(boundary, dict) else boundary
    if not isinstance(identity, str) or not identity.strip():
        raise Refused("its boundary has no id", reason=Reason.POINTER)
    if others.keys() - _OPTIONAL or others.get("bootstrap", True) is not True:
        raise Refused("it says more than a boundary, a mode and a step", reason=Reason.POINTER)
    return Pointer(identity, mode)
