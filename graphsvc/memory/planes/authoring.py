"""Authoring: one patch as one transition of a history, or nothing.

>>> from graphsvc.memory.planes.history import Boundary, History
>>> history = History.begin(Boundary("T0", 0))
>>> authored = author(history, {"cwd": {"tactics": {"next": "test"}}}, boundary_id="T1", expected_head="T0")
>>> authored.history.head.id, authored.staged.records
('T1', {'cwd': {'tactics': {'next': 'test'}}})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import Refused
from graphsvc.memory.planes.history import History
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.planes.staging import Staged, stage

__all__ = ["Authored", "author"]


@dataclass(frozen=True, slots=True)
class Authored:
    """What a patch made of a history.

    Attributes:
        history: The history afterwards; the very same one where the patch changes nothing.
        staged: The net changes, what was cleared, and what was deleted in vain.
    """

    history: History
    staged: Staged


def author(history: History, patches: Mapping[str, Any], *, boundary_id: str, expected_head: str) -> Authored:
    """Stage a patch against the head and append it.

    Args:
        history: The history to go on from.
        patches: Authored patch by scope.
        boundary_id: Id for the transition.
        expected_head: Id of the head that the author has read.

    Raises:
        Conflict: Another writer has moved the head.
        Refused: The patch breaks a rule, names no scope, or names one without saying anything of it.
    """
    history.expect_head(expected_head)
    if not isinstance(patches, Mapping):
        raise Refused("the patch is no object of patches by scope", reason=Reason.PLANE_TYPE)
    if not patches or {} in patches.values():
        raise Refused("the patch is empty, or that of one of its scopes is", reason=Reason.EMPTY_PATCH)
    staged = stage(history.states(), patches)
    return Authored(history.advance(staged.records, boundary_id), staged)
