"""Go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language, first_named
from loaders.languages._go_facts import LEAVE, GoState, open_block, open_case, open_switch

if TYPE_CHECKING:
    from tree_sitter import Node

_PREDECLARED_TYPES = """any bool byte comparable complex64 complex128 error float32 float64 int int8 int16
int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr"""
_PREDECLARED = frozenset(_PREDECLARED_TYPES.split())
_KINDS = {"struct_type": "struct", "interface_type": "interface"}


def _function(x: Extractor, node: Node) -> None:
    open_block(x, node)
    name = node.child_by_field_name("name")
    if name is not None:
        body = node.child_by_field_name("body")
        x.open_scope(x.define("function", node, name, body=body, exported=_exported(x.text(name))))


def _method(x: Extractor, node: Node) -> None:
    open_block(x, node)
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None or receiver is None:
        return
    base = _base_type(receiver)
    x.open_scope(
        x.define(
            "method",
            node,
            name,
            body=node.child_by_field_name("body"),
            owner=f"{x.text(base)}#" if base else "",
            exported=_exported(x.text(name)),
        )
    )


def _base_type(receiver: Node) -> Node | None:
    """The named type in a receiver such as ``(s *Stack[T])``."""
    pending = list(reversed(receiver.named_children))
    while pending:
        node = pending.pop()
        if node.type == "type_identifier":
            return node
        pending += reversed(node.named_children)
    return None


def _function_literal(x: Extractor, node: Node) -> None:
    open_block(x, node)
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body")))


def _type(x: Extractor, node: Node) -> None:
    open_block(x, node)
    name, definition = node.child_by_field_name("name"), node.child_by_field_name("type")
    if name is None or definition is None:
        return
    _claim(x, name)
    kind = "type_alias" if node.type == "type_alias" else _KINDS.get(definition.type, "type")
    body = definition if definition.type in _KINDS else None
    x.open_scope(x.define(kind, node, name, body=body, exported=_exported(x.text(name))))
    if definition.type == "struct_type":
        _struct(x, definition)
    elif definition.type == "interface_type":
        _interface(x, definition)


def _struct(x: Extractor, struct: Node) -> None:
    fields = first_named(struct)
    for field in fields.named_children if fields else ():
        if field.type != "field_declaration":
            continue
        names = field.children_by_field_name("name")
        for name in names:
            x.define("field", field, name, exported=_exported(x.text(name)))
        embedded = field.child_by_field_name("type")
        if not names and embedded is not None:
            last = _type_name(x, "inherit", embedded)
            if last is not None:
                x.define("field", field, last, exported=_exported(x.text(last)))


def _interface(x: Extractor, interface: Node) -> None:
    for member in interface.named_children:
        name = member.child_by_field_name("name")
        if member.type == "method_elem" and name is not None:
            x.define("method", member, name, exported=_exported(x.text(name)))
        elif member.type == "type_elem" and member.named_child_count == 1:
            _type_name(x, "inherit", first_named(member))


def _type_name(x: Extractor, kind: str, node: Node | None) -> Node | None:
    """Record a reference to the named type in a type expression; the last name, or None."""
    if node is not None and node.type in ("generic_type", "pointer_type", "parenthesized_type"):
        return _type_name(x, kind, first_named(node))
    if node is not None and node.type == "qualified_type":
        name = node.child_by_field_name("name")
        if name is not None:
            x.refer(kind, node, name, node.child_by_field_name("package"))
            _claim(x, name)
        return name
    if node is not None and node.type == "type_identifier":
        if x.text(node) not in _PREDECLARED:
            x.refer(kind, node, node)
        _claim(x, node)
        return node
    return None


def _claim(x: Extractor, name: Node) -> None:
    """Say that a type name is accounted for, so that the walk does not record it again."""
    x.state.claimed.add(name.id)


def _qualified_type(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and name.id not in x.state.claimed:
        _type_name(x, "type", node)


def _type_identifier(x: Extractor, node: Node) -> None:
    if node.id not in x.state.claimed and x.text(node) not in _PREDECLARED:
        x.refer("type", node, node)


def _variables(kind: str) -> Callable[[Extractor, Node], None]:
    """Constants and variables of the package; those inside functions are no symbols."""

    def enter(x: Extractor, node: Node) -> None:
        if x.scope == -1:
            for name in node.children_by_field_name("name"):
                if name.type == "identifier":
                    x.define(kind, node, name, exported=_exported(x.text(name)))

    return enter


def _conversion(x: Extractor, node: Node) -> None:
    """``Map[int](xs)``: the call of a generic function looks like a conversion, and is recorded as a call."""
    type_ = node.child_by_field_name("type")
    base = type_.child_by_field_name("type") if type_ and type_.type == "generic_type" else None
    name = base.child_by_field_name("name") if base and base.type == "qualified_type" else base
    if name is not None:
        _claim(x, name)


def _import(x: Extractor, node: Node) -> None:
    path = node.child_by_field_name("path")
    if path is None:
        return
    module = x.text(path).strip('"`')
    name = node.child_by_field_name("name")
    local = x.text(name) if name else ""
    if local == ".":
        x.bind_import(node, module, star=True)
    else:
        x.bind_import(node, module, alias="" if local == "_" else local or _default_name(module))


def _default_name(path: str) -> str:
    """The usual package name of an import path: its last element, but for a major version.

    >>> [_default_name(path) for path in ("encoding/json", "example.org/yaml.v3", "example.org/go/v2")]
    ['json', 'yaml', 'go']
    """
    *before, last = path.split("/")
    if before and last[:1] == "v" and last[1:].isdigit():
        last = before[-1]
    return last.partition(".v")[0]


def _exported(name: str) -> bool:
    return name[:1].isupper()


TABLES = (
    Language(
        name="go",
        grammar="tree_sitter_go:language",
        extensions=(".go",),
        enter={
            "function_declaration": _function,
            "method_declaration": _method,
            "func_literal": _function_literal,
            "type_spec": _type,
            "type_alias": _type,
            "const_spec": _variables("constant"),
            "var_spec": _variables("variable"),
            "qualified_type": _qualified_type,
            "type_identifier": _type_identifier,
            "import_spec": _import,
            "type_conversion_expression": _conversion,
            "function_type": open_block,
            "method_elem": open_block,
            "block": open_block,
            "if_statement": open_block,
            "for_statement": open_block,
            "expression_switch_statement": open_switch,
            "select_statement": open_switch,
            "expression_case": open_block,
            "communication_case": open_block,
            "type_switch_statement": open_switch,
            "type_case": open_case,
            "default_case": open_case,
        },
        leave=LEAVE,
        skip=frozenset({"interpreted_string_literal", "raw_string_literal"}),
        state=GoState,
    ),
)
