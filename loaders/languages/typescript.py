"""TypeScript, without and with JSX: what it adds to JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages import javascript as js
from loaders.languages._javascript_facts import LEAVE, TYPE_LEAVE, open_block, open_class, open_function
from loaders.languages._nodes import first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_SHAPES = frozenset({"interface", "type_alias", "field"})


def _define_named(kind: str, x: Extractor, node: Node, name: Node) -> None:
    x.state.claimed.add(name.id)
    whole = js.whole_of(x, node, x.text(name))
    body = node.child_by_field_name("body")
    x.open_scope(x.define(kind, whole.node, name, body=body, exported=whole.exported))


def _interface(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    _define_named("interface", x, node, name)
    for clause in node.named_children:
        if clause.type == "extends_type_clause":
            for parent in clause.children_by_field_name("type"):
                js.refer(x, "inherit", parent)


def _type_alias(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        _define_named("type_alias", x, node, name)


def _enum(x: Extractor, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return
    _define_named("enum", x, node, name)
    for member in body.named_children:
        label = js.plain_name(member.child_by_field_name("name") or member)
        if label is not None and member.type in ("property_identifier", "enum_assignment", "string"):
            x.define("enum_member", member, label)


def _module(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    kind = "module" if name.type == "string" else "namespace"
    label = js.plain_name(name)
    if label is not None:
        _define_named(kind, x, node, label)
    body = node.child_by_field_name("body")
    if body is not None:
        js.top_level(x, body)


def _ambient(x: Extractor, node: Node) -> None:
    """``declare ...``; ``declare global { ... }`` holds declarations of no module."""
    inner = first_child(node)
    if inner is not None and inner.type == "statement_block":
        js.top_level(x, inner)
    elif inner is not None and inner.id not in x.state.wholes:
        x.state.wholes[inner.id] = js.Whole(node)


def _shape_property(x: Extractor, node: Node) -> None:
    """A property of an interface or of the object type that an alias names."""
    name = js.plain_name(node.child_by_field_name("name"))
    if name is not None and x.kind_of(x.scope) in _SHAPES:
        x.open_scope(x.define("field", node, name))


def _method_signature(x: Extractor, node: Node) -> None:
    if x.kind_of(x.scope) in _SHAPES | {"class"}:
        js.method(x, node)


def _parameter(x: Extractor, node: Node) -> None:
    """A constructor's parameter with a modifier declares a field of the class."""
    name = node.child_by_field_name("pattern")
    modified = has_token(node, "accessibility_modifier", "readonly")
    if name is not None and modified and x.kind_of(x.scope) == "constructor":
        owner = x.descriptor_of(x.parent_of(x.scope))
        x.define("field", node, name, owner=owner, exported=js.is_public(x, node, name))


def _import(x: Extractor, node: Node) -> None:
    js.import_(x, node)
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            name, source = first_child(clause), clause.child_by_field_name("source")
            if name is not None and source is not None:
                x.bind_import(node, x.text(source)[1:-1], alias=x.text(name))


def _import_alias(x: Extractor, node: Node) -> None:
    """``import a = b.c`` gives a name of this file another one."""
    if node.named_child_count == 2:
        name, target = node.named_children
        x.bind_import(node, "", name=x.text(target), alias=x.text(name))


def _type_parameter(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name") or first_child(node)
    if name is not None:
        x.state.claimed.add(name.id)


def _type_name(x: Extractor, node: Node) -> None:
    if node.id not in x.state.claimed:
        x.state.flow.references[node.id] = js.refer(x, "type", node)


ENTER = js.ENTER | {
    "abstract_class_declaration": js.then(js.class_, open_class),
    "function_signature": js.then(js.function, open_function),
    "interface_declaration": js.then(_interface, open_class),
    "type_alias_declaration": js.then(_type_alias, open_block),
    "enum_declaration": _enum,
    "internal_module": _module,
    "module": _module,
    "ambient_declaration": _ambient,
    "public_field_definition": js.class_field,
    "property_signature": _shape_property,
    "method_signature": js.then(_method_signature, open_block),
    "abstract_method_signature": js.then(_method_signature, open_block),
    **dict.fromkeys(
        ("call_signature", "construct_signature", "function_type", "constructor_type"), open_block
    ),
    "required_parameter": _parameter,
    "optional_parameter": _parameter,
    "import_statement": _import,
    "import_alias": _import_alias,
    "type_parameter": _type_parameter,
    "mapped_type_clause": _type_parameter,
    "infer_type": _type_parameter,
    "type_identifier": _type_name,
    "nested_type_identifier": _type_name,
}

TABLES = (
    Language(
        name="typescript",
        grammar="tree_sitter_typescript:language_typescript",
        extensions=(".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx"),
        enter=ENTER,
        leave=LEAVE | TYPE_LEAVE,
        state=js.State,
    ),
    Language(
        name="tsx",
        grammar="tree_sitter_typescript:language_tsx",
        extensions=(".tsx",),
        enter=ENTER,
        leave=LEAVE | TYPE_LEAVE,
        state=js.State,
    ),
)
