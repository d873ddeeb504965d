"""Ownership: what goes when an intent is closed.

An intent owns what its structured references (objects with a ``$ref``) point to, as long as that lies in
strategy, tactics or lazy of its own scope and is a key of an object. When the intent goes, so does what it
owned, unless an intent that stays refers to it, to something in it or to something around it. Nothing else,
and no text that mentions a path, owns or protects anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from graphsvc.memory.planes.dialect import TARGET, Dialect, PlaneScope, path_tokens
from graphsvc.memory.strict_json import JsonObject

__all__ = ["OwnedPath", "cascade", "clear", "mentions", "owned_path", "references"]

_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


@dataclass(frozen=True, slots=True, order=True)
class OwnedPath:
    """A key in a plane of one scope."""

    plane: str
    keys: tuple[str, ...]

    def encloses(self, other: OwnedPath) -> bool:
        """Whether the other is this very path or lies below it."""
        return self.plane == other.plane and other.keys[: len(self.keys)] == self.keys

    def exists_in(self, state: JsonObject) -> bool:
        """Whether every key of the path is a key of an object of the state."""
        current: Any = state
        for key in (self.plane, *self.keys):
            if not isinstance(current, dict) or key not in current:
                return False
            current = current[key]
        return True


def owned_path(scope: PlaneScope, reference: str, dialect: Dialect = TARGET) -> OwnedPath | None:
    """What a reference in an intent of this scope owns; None where it owns nothing.

    >>> owned_path("cwd", "cwd.tactics.a.b")
    OwnedPath(plane='tactics', keys=('a', 'b'))
    >>> owned_path("cwd", "session.tactics.a"), owned_path("cwd", "cwd.lazy.plan[0]")
    (None, None)
    """
    root, *rest = reference.split(".")
    if root != scope or len(rest) < 2 or rest[0] not in dialect.owned:
        return None
    if not all(_KEY.fullmatch(key) for key in rest[1:]):
        return None
    return OwnedPath(rest[0], tuple(rest[1:]))


def references(value: Any) -> Iterator[str]:
    """Every structured reference anywhere in a value."""
    if isinstance(value, list):
        for item in value:
            yield from references(item)
    elif isinstance(value, dict):
        for key, member in value.items():
            if key == "$ref" and isinstance(member, str):
                yield member
            else:
                yield from references(member)


def mentions(scope: PlaneScope, value: Any) -> Iterator[str]:
    """Every path that a value refers to without owning it: by text, or by a reference that owns nothing.

    >>> list(mentions("cwd", {"why": "see $cwd.tactics.a", "$ref": "session.lazy.b"}))
    ['cwd.tactics.a', 'session.lazy.b']
    """
    if isinstance(value, str):
        yield from path_tokens(value)
    elif isinstance(value, list):
        for item in value:
            yield from mentions(scope, item)
    elif isinstance(value, dict):
        for key, member in value.items():
            if key != "$ref" or not isinstance(member, str):
                yield from mentions(scope, member)
            elif owned_path(scope, member) is None:
                yield member


def _owned(scope: PlaneScope, intents: Iterable[Any], dialect: Dialect) -> set[OwnedPath]:
    paths = (owned_path(scope, text, dialect) for intent in intents for text in references(intent))
    return {path for path in paths if path is not None}


def cascade(
    scope: PlaneScope, before: JsonObject, after: JsonObject, content: JsonObject, dialect: Dialect = TARGET
) -> tuple[OwnedPath, ...]:
    """What to clear once some intents of a scope are gone: the outermost paths alone, in order.

    Args:
        scope: The scope.
        before: Its intents before.
        after: Its intents after; those that are new protect as well as those that stay.
        content: The state in which a path must exist to be cleared.
        dialect: Names of the planes.
    """
    removed = [intent for name, intent in before.items() if name not in after]
    kept = _owned(scope, after.values(), dialect)
    candidates = {
        path
        for path in _owned(scope, removed, dialect)
        if path.exists_in(content) and not any(path.encloses(own) or own.encloses(path) for own in kept)
    }
    inner = {path for path in candidates if any(other.encloses(path) for other in candidates - {path})}
    return tuple(sorted(candidates - inner))


def clear(state: JsonObject, paths: Iterable[OwnedPath]) -> JsonObject:
    """The state without the keys that these paths name."""
    for path in paths:
        state = _without(state, (path.plane, *path.keys))
    return state


def _without(value: JsonObject, keys: tuple[str, ...]) -> JsonObject:
    first, *rest = keys
    result = dict(value)
    if rest:
        result[first] = _without(result[first], tuple(rest))
    else:
        del result[first]
    return result
