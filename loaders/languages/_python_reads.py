"""Names of Python that stand for a value: a function that is passed on, a class in a table, a property of ``self``.

The walk has recorded calls, types and bases by then. What is left are the names that the file itself defines or
imports, members of ``self`` that it does not assign, wherever else they stand, and attributes of other values; all
others are variables.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Symbol

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["refer_to_values"]

_HELD = frozenset({"function", "class", "type_alias"})
_OWNERS = (b"self.", b"cls.")
_STORED = re.compile(rb"\b(?:self|cls)\.([A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)")
_WHOLE = frozenset(
    {
        "parameters",
        "lambda_parameters",
        "typed_parameter",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "pattern_list",
        "tuple_pattern",
        "global_statement",
        "nonlocal_statement",
        "as_pattern_target",
        "dotted_name",
        "delete_statement",
    }
)
"""Nodes whose names are bound, not read."""

_BOUND = {
    "keyword_argument": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "function_definition": "name",
    "class_definition": "name",
    "aliased_import": "alias",
}
"""Nodes one of whose fields is bound."""


def refer_to_values(x: Extractor) -> None:
    """Record a reference of kind ``read`` for each such name of a file that was walked."""
    symbols, imported = x.symbols, x.local_names
    known = imported | {symbol.name for symbol in symbols if symbol.kind in _HELD}
    methods = {symbol.name for symbol in symbols if symbol.kind == "method"}
    stored = {name.decode() for name in _STORED.findall(x.data)} - methods
    taken = {symbol.name_span.start for symbol in symbols} | x.referred
    enclosing = _Enclosing(symbols)
    for position, node in x.state.attributes.items():
        _refer_to_attribute(x, position, node, taken, imported, enclosing)
    for name, node in x.state.names:
        start = node.start_byte
        if start in taken:
            continue
        if x.data[start - 5 : start].endswith(_OWNERS):
            if name not in stored:
                _refer_to_member(x, node, enclosing)
        elif x.data[start - 1 : start] == b".":
            continue
        elif name in known or (name in methods and x.kind_of(enclosing.of(start)) == "class"):
            _refer_to_name(x, node, taken, enclosing, is_import=name in imported)


def _refer_to_name(
    x: Extractor, node: Node, taken: set[int], enclosing: _Enclosing, *, is_import: bool
) -> None:
    parent = node.parent
    if parent is None or _is_bound(node, parent):
        return
    around = enclosing.of(node.start_byte)
    member = parent.child_by_field_name("attribute") if parent.type == "attribute" else None
    if not (member and is_import) or x.text(node)[:1].isupper():  # else it is a module
        x.refer("read", node, node, enclosing=around)
    if member and is_import and member.start_byte not in taken:
        x.refer("read", parent, member, node, enclosing=around)


def _refer_to_attribute(
    x: Extractor, position: int, node: Node, taken: set[int], imported: set[str], enclosing: _Enclosing
) -> None:
    _, value, attribute, _ = x.facts[position]
    name = node.child_by_field_name("attribute")
    if name is None or name.start_byte in taken or value in imported or attribute[:2] == "__":
        return
    taken.add(name.start_byte)
    around = enclosing.of(name.start_byte)
    reference = x.refer("read", node, name, node.child_by_field_name("object"), enclosing=around)
    x.facts[position] = ("attr", value, attribute, reference)


def _refer_to_member(x: Extractor, node: Node, enclosing: _Enclosing) -> None:
    parent = node.parent
    if (
        parent is None
        or parent.type != "attribute"
        or parent.parent is None
        or _is_bound(parent, parent.parent)
    ):
        return
    owner = parent.child_by_field_name("object")
    x.refer("read", parent, node, owner, enclosing=enclosing.of(node.start_byte))


def _is_bound(node: Node, parent: Node) -> bool:
    field = _BOUND.get(parent.type)
    return parent.type in _WHOLE or (field is not None and parent.child_by_field_name(field) == node)


class _Enclosing:
    """Which symbol's body a byte is in."""

    def __init__(self, symbols: list[Symbol]) -> None:
        self._symbols = symbols
        self._bodies = sorted((symbol.body.start, symbol.ordinal) for symbol in symbols if symbol.body)
        self._starts = [start for start, _ in self._bodies]

    def of(self, offset: int) -> int:
        """Ordinal of the innermost symbol, or -1."""
        position = bisect_right(self._starts, offset) - 1
        symbol = self._bodies[position][1] if position >= 0 else -1
        while symbol >= 0:
            body = self._symbols[symbol].body
            if body is not None and body.start <= offset < body.end:
                break
            symbol = self._symbols[symbol].parent
        return symbol
