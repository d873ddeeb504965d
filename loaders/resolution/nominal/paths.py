"""Texts of types and expressions, as far as they are paths of names."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Step", "path_of", "steps_of", "type_path"]

_NAME = re.compile(r"@{0,2}\$?[^\W\d]\w*[!?]?")
_SEPARATOR = re.compile(r"\s*(?:::|\?\.|&\.|!\.|->|\.)\s*")
_QUALIFIERS = re.compile(
    r"\b(?:const|volatile|mutable|struct|class|enum|union|typename|final|readonly|ref|out|in|params|mut|dyn|impl)\b"
)
_LIFETIME = re.compile(r"'\w+")
_WRAPPERS = frozenset({"Box", "Rc", "Arc", "unique_ptr", "shared_ptr", "Ref", "RefMut", "MutexGuard"})
_PAIRS = {"(": ")", "<": ">", "[": "]", "{": "}"}


class Step(NamedTuple):
    """One name of an expression, whether it is called, and whether ``new`` stands before it."""

    name: str
    called: bool
    made: bool = False


def type_path(text: str) -> tuple[str, ...]:
    """The names in the text of a type; empty where it is no path, or holds several values.

    >>> type_path("const ns::Cart &"), type_path("Box<dyn Cart>"), type_path("List<Cart>"), type_path("Cart[]")
    (('ns', 'Cart'), ('Cart',), ('List',), ())
    """
    text = _LIFETIME.sub("", _QUALIFIERS.sub("", text)).strip(" &*?!^\t\n")
    outer, bracket, inner = text.partition("<")
    if bracket and re.split(r"::|\.", outer.strip())[-1] in _WRAPPERS:
        return type_path(inner.rpartition(">")[0])
    return path_of(outer)


def path_of(text: str) -> tuple[str, ...]:
    """The names of a path that is nothing but names.

    >>> path_of("a::b.C"), path_of("f(x)")
    (('a', 'b', 'C'), ())
    """
    names = re.split(r"::|\.", text.strip().removeprefix("::"))
    return tuple(name.strip() for name in names) if all(_NAME.fullmatch(n.strip()) for n in names) else ()


def steps_of(text: str) -> tuple[Step, ...]:
    """An expression as names that are taken one from the other; empty where it is something else.

    >>> [(step.name, step.called) for step in steps_of("this.carts.find(a, b)")]
    [('this', False), ('carts', False), ('find', True)]
    >>> steps_of("new Cart<T>(1)"), steps_of("a + b")
    ((Step(name='Cart', called=True, made=True),), ())
    """
    text = text.strip().removeprefix("await ").lstrip("&* ")
    made = text.startswith("new ")
    position = 4 if made else 0
    steps: list[Step] = []
    while True:
        name = _NAME.match(text, position)
        if name is None:
            return ()
        position, called = _skip_arguments(text, name.end())
        steps.append(Step(name[0], called, made and called))
        if position >= len(text):
            return tuple(steps)
        separator = _SEPARATOR.match(text, position)
        if separator is None:
            return ()
        position = separator.end()


def _skip_arguments(text: str, position: int) -> tuple[int, bool]:
    """The end of what follows a name: type arguments, call arguments, or a struct's fields; whether there are any."""
    called = False
    if text.startswith("::<", position):
        position += 2
    while position < len(text) and text[position] in "(<{ ":
        if text[position] == " ":
            position += 1
            continue
        if text[position] == "<" and ">" not in text[position:]:
            return position, called
        called = called or text[position] in "({"
        position = _closing(text, position)
    return position, called


def _closing(text: str, position: int) -> int:
    """The position after the bracket that closes the one at a position; the end where none does."""
    closers: list[str] = []
    for at in range(position, len(text)):
        character = text[at]
        if character in _PAIRS:
            closers.append(_PAIRS[character])
        elif closers and character == closers[-1]:
            closers.pop()
            if not closers:
                return at + 1
    return len(text)
