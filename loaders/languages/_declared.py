"""Facts about declared names, for the languages that are resolved by the names of their types.

==========  ====================  ==================================================================
operation   operands              meaning
==========  ====================  ==================================================================
declared    symbol, name, type    a parameter, local variable or field inside the symbol, and the
                                  text of its type
valued      symbol, name, value   the same without a type, and the text of its first value
result      symbol, type          the text of the type that a function gives back
arguments   reference, count      how many arguments a call passes, where functions are overloaded
==========  ====================  ==================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["count_arguments", "declare", "give", "value"]

_TEXT_BYTES = 160


def declare(x: Extractor, name: Node | None, type_: Node | None, scope: int | None = None) -> None:
    """Note the declared type of a name."""
    if name is not None and type_ is not None and type_.end_byte - type_.start_byte <= _TEXT_BYTES:
        x.emit("declared", x.scope if scope is None else scope, x.text(name), x.text(type_))


def value(x: Extractor, name: Node | None, node: Node | None, scope: int | None = None) -> None:
    """Note the first value of a name that has no declared type."""
    if name is not None and node is not None and node.end_byte - node.start_byte <= _TEXT_BYTES:
        x.emit("valued", x.scope if scope is None else scope, x.text(name), x.text(node))


def give(x: Extractor, symbol: int, type_: Node | None) -> None:
    """Note the type of what a function gives back."""
    if type_ is not None and type_.end_byte - type_.start_byte <= _TEXT_BYTES:
        x.emit("result", symbol, x.text(type_))


def count_arguments(x: Extractor, reference: int, arguments: Node | None) -> None:
    """Note how many arguments a call passes."""
    if arguments is not None:
        passed = [child for child in arguments.named_children if "comment" not in child.type]
        x.emit("arguments", reference, len(passed))
