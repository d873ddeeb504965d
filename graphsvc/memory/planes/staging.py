"""Staging: from what an author wants to change to what is accepted.

An authored patch names scopes, and in each the planes to change. It is staged against one basis, and either
all of it is accepted or none. What is recorded is the net change, so that replaying a history never has to
ask again what closing an intent cleared.

>>> basis = {"session": {"intents": {"t": {"$ref": "session.tactics.draft"}}, "tactics": {"draft": 1}}}
>>> staged = stage(basis, {"session": {"intents": {"t": None}, "lazy": {"note": "done"}}})
>>> staged.records["session"]
{'intents': None, 'tactics': None, 'lazy': {'note': 'done'}}
>>> staged.cascades["session"]
(OwnedPath(plane='tactics', keys=('draft',)),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import RETIRED, SCOPES, TARGET, Dialect, PlaneScope
from graphsvc.memory.planes.ownership import OwnedPath, cascade, clear
from graphsvc.memory.planes.patching import (
    MissingDeletion,
    apply_patch,
    check_state,
    difference,
    missing_deletions,
    prune,
)
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject, detached

__all__ = ["PROVENANCE", "Staged", "stage"]

PROVENANCE = frozenset(
    {
        "hash",
        "compiler",
        "compiled_at",
        "sourceHash",
        "sourceFingerprint",
        "compilerRevision",
        "compiledAt",
        "source_hash_verified",
        "hint",
    }
)
"""Members of an artifact card that only the software that compiled it may write."""


@dataclass(frozen=True, slots=True)
class Staged:
    """What a patch comes to.

    Attributes:
        states: State of every scope afterwards.
        records: Net change of every scope that changes.
        cascades: Paths that were cleared on the way, by scope, even where the patch wrote them anew.
        missing: What the patch deletes in vain.
    """

    states: dict[PlaneScope, JsonObject]
    records: dict[PlaneScope, JsonObject]
    cascades: dict[PlaneScope, tuple[OwnedPath, ...]]
    missing: tuple[MissingDeletion, ...]


@dataclass(frozen=True, slots=True)
class _ScopeStaged:
    state: JsonObject
    cascade: tuple[OwnedPath, ...] = ()
    missing: tuple[MissingDeletion, ...] = ()


def stage(
    states: Mapping[PlaneScope, JsonObject], patches: Mapping[str, Any], dialect: Dialect = TARGET
) -> Staged:
    """Admit an authored patch of one or more scopes.

    Args:
        states: The basis: present state by scope; a scope that is not there is empty.
        patches: Authored patch by scope.
        dialect: Whose planes and whose order of steps to use; the retired one is for simulating old stores.

    Raises:
        Refused: Any part of the patch breaks a rule.
    """
    wanted = _admit_patches(patches, dialect)
    steps = _STEPS[dialect.name]
    staged = {
        scope: steps(scope, states.get(scope, {}), wanted[scope], dialect)
        if scope in wanted
        else _ScopeStaged(states.get(scope, {}))
        for scope in SCOPES
    }
    records = {scope: difference(states.get(scope, {}), staged[scope].state) for scope in wanted}
    return Staged(
        states={scope: item.state for scope, item in staged.items()},
        records={scope: record for scope, record in records.items() if record},
        cascades={scope: item.cascade for scope, item in staged.items()},
        missing=tuple(hint for item in staged.values() for hint in item.missing),
    )


def _clear_then_write(
    scope: PlaneScope, basis: JsonObject, patch: JsonObject, dialect: Dialect
) -> _ScopeStaged:
    """Close intents, clear what they owned as it was, then write: a rewritten path starts afresh."""
    intents = {name: value for name, value in patch.items() if name == "intents"}
    others = {name: value for name, value in patch.items() if name != "intents"}
    with_intents = apply_patch(basis, intents)
    after = prune(with_intents.get("intents", {}))
    cleared = cascade(scope, basis.get("intents", {}), after, basis, dialect)
    remaining = clear({**with_intents, "intents": after}, cleared)
    state = prune(apply_patch(remaining, others))
    missing = missing_deletions(scope, basis, intents) + missing_deletions(scope, remaining, others)
    return _ScopeStaged(_checked(state), cleared, tuple(missing))


def _write_then_clear(
    scope: PlaneScope, basis: JsonObject, patch: JsonObject, dialect: Dialect
) -> _ScopeStaged:
    """Write everything, then clear what closed intents owned: a rewritten path is lost."""
    written = prune(apply_patch(basis, patch))
    after = written.get("intents", {})
    cleared = cascade(scope, basis.get("intents", {}), after, written, dialect)
    state = prune(clear(written, cleared))
    return _ScopeStaged(_checked(state), cleared, tuple(missing_deletions(scope, basis, patch)))


_STEPS = {"target": _clear_then_write, "legacy": _write_then_clear}


def _checked(state: JsonObject) -> JsonObject:
    check_state(state)
    return state


def _admit_patches(patches: Mapping[str, Any], dialect: Dialect) -> dict[PlaneScope, JsonObject]:
    for scope in patches:
        if scope not in SCOPES:
            raise Refused(
                f"there is no scope {scope!r}; a patch names {', '.join(SCOPES)}", reason=Reason.UNKNOWN_SCOPE
            )
    return {
        scope: _admit_patch(scope, detached(patches[scope], f"patch of {scope}"), dialect)
        for scope in SCOPES
        if scope in patches
    }


def _admit_patch(scope: PlaneScope, patch: Any, dialect: Dialect) -> JsonObject:
    if not isinstance(patch, dict):
        raise Refused(f"the patch of {scope} is not an object", reason=Reason.PLANE_TYPE)
    for plane, value in patch.items():
        if plane not in dialect.authored:
            present = RETIRED.get(plane)
            advice = f"it is now called {present!r}" if dialect is TARGET and present else None
            raise Refused(
                f"a patch cannot write {plane!r}; it writes {', '.join(dialect.authored)}",
                reason=Reason.UNKNOWN_PLANE,
                hint=advice,
            )
        if not isinstance(value, dict):
            raise Refused(f"the plane {plane!r} of a patch is not an object", reason=Reason.PLANE_TYPE)
    _refuse_provenance(patch.get("artifacts", {}))
    return patch


def _refuse_provenance(artifacts: JsonObject) -> None:
    for path, card in artifacts.items():
        if isinstance(card, dict) and (reserved := sorted(PROVENANCE & card.keys())):
            raise Refused(
                f"a patch cannot set {', '.join(reserved)} of the artifact {path!r}",
                reason=Reason.PROVENANCE_KEY,
            )
