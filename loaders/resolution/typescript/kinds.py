"""Types of the expressions of a TypeScript or JavaScript program, as far as its facts tell.

A type is a tuple whose first item says what it is:

=============================  ===================================================================
("external",), ("basic",)      from outside the snapshot; a literal or a predefined type
("module", path)               what ``import * as`` binds
("namespace", path, block)     a namespace
("class", path, fact)          a class itself
("instance", path, fact, args) an instance of a class, interface or constructor function
("function", path, fact, env)  a function, or something of a function type
("object", path, fact, env)    an object literal, or something of an object type
("array", T), ("promise", T), ("map", K, V)
("operation", name, T)         a method of one of these
("param", path, fact)          a type parameter
("any", types), ("all", types) a union; an intersection
=============================  ===================================================================

and None where nothing is known. An ``env`` says what the type parameters in a fact stand for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from loaders.extraction import Fact
from loaders.resolution.typescript.scopes import File

__all__ = [
    "BASIC",
    "EXTERNAL",
    "Declared",
    "Env",
    "Found",
    "Member",
    "Target",
    "Type",
    "awaited",
    "container",
    "element_of",
    "flags_of",
    "type_parameters",
    "union",
]

Type = tuple[Any, ...] | None
Target = tuple[str, int]
"""A symbol: the path of its file and its ordinal."""
Env = tuple[tuple[Any, Any], ...]
"""What type parameters stand for."""

EXTERNAL: Type = ("external",)
BASIC: Type = ("basic",)
_LISTS = frozenset(
    {"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "IterableIterator", "Iterator", "Generator"}
    | {"AsyncIterable", "AsyncIterableIterator", "AsyncGenerator", "ArrayLike", "NonEmptyArray", "WeakSet"}
)
_MAPS = frozenset({"Map", "ReadonlyMap", "Record", "WeakMap"})
_PROMISES = frozenset({"Promise", "PromiseLike", "Awaited"})
_SAME = frozenset(
    {"Partial", "Required", "Readonly", "NonNullable", "Pick", "Omit", "NoInfer", "Extract", "Exclude"}
)


class Member(NamedTuple):
    """A member of a type: its symbol, where it has one, its type, and whether a base of the type has it."""

    target: Target | None
    type: Type
    inherited: bool = False


class Declared(NamedTuple):
    """A declaration, by its file and fact."""

    file: File
    fact: int


Found = Declared | Member | Type
"""What a look-up finds: a declaration, a property, or a type alone."""


def union(types: Iterable[Type]) -> Type:
    """The union of what is known; one type where all agree."""
    flat: dict[Any, None] = {}
    for type_ in types:
        for one in type_[1] if type_ and type_[0] == "any" else (type_,):
            if one is not None:
                flat[one] = None
    if len(flat) > 1:
        flat.pop(BASIC, None)
    found = tuple(flat)
    return None if not found else found[0] if len(found) == 1 else ("any", found[:8])


def element_of(type_: Type) -> Type:
    """Type of the elements of an array, set or map."""
    if type_ and type_[0] == "any":
        return union(element_of(one) for one in type_[1])
    if type_ and type_[0] in ("array", "map"):
        return type_[-1]  # type: ignore[no-any-return]
    return type_ if type_ == EXTERNAL else None


def awaited(type_: Type) -> Type:
    """What ``await`` gives."""
    if type_ and type_[0] == "any":
        return union(awaited(one) for one in type_[1])
    return type_[1] if type_ and type_[0] == "promise" else type_


def flags_of(fact: Fact) -> str:
    """Flags of a function's fact; empty for others."""
    return fact[4] if fact[0] == "function" else ""


def type_parameters(fact: Fact) -> tuple[int, ...]:
    """Type parameters of the fact of a class, interface or alias."""
    position = {"class": 5, "interface": 6, "alias": 5}.get(fact[0])
    return tuple(fact[position]) if position else ()


def container(name: str, arguments: tuple[Type, ...]) -> Type:
    """A type of the language that holds others."""
    first = arguments[0] if arguments else None
    if name in _LISTS:
        return ("array", first)
    if name in _MAPS:
        return ("map", first, arguments[1] if len(arguments) > 1 else None)
    if name in _PROMISES:
        return first if name == "Awaited" else ("promise", first)
    return first if name in _SAME else None
