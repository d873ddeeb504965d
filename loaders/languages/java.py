"""Java."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from loaders.extraction import UNKNOWN, Extractor, Language
from loaders.languages._declared import count_arguments, declare, give, value
from loaders.languages._nodes import child_of_type, first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOP = "enhanced_for_statement"
_TYPES = ("type_identifier", "scoped_type_identifier", "generic_type", "annotated_type")


def _claims() -> dict[str, set[int]]:
    """Ids of type names that are accounted for, so that the walk does not record them again."""
    return {"claimed": set()}


def _package(x: Extractor, node: Node) -> None:
    name = child_of_type(node, "identifier", "scoped_identifier")
    if name is not None:
        x.emit("package", x.text(name))


def _import(x: Extractor, node: Node) -> None:
    path = child_of_type(node, "identifier", "scoped_identifier")
    if path is None:
        return
    if child_of_type(node, "asterisk") is not None:
        x.bind_import(node, x.text(path), star=True)
    else:
        module, _, name = x.text(path).rpartition(".")
        x.bind_import(node, module, name=name, alias=name)


def _annotations(x: Extractor, modifiers: Node | None) -> tuple[str, ...]:
    children = modifiers.named_children if modifiers else ()
    return tuple(x.text(child)[1:] for child in children if child.type.endswith("annotation"))


def _define(
    x: Extractor, kind: str, node: Node, name: Node, *, body: Node | None = None, whole: Node | None = None
) -> int:
    """Define what ``node`` declares with its modifiers; ``whole`` is the text of it where that is less."""
    modifiers = child_of_type(node, "modifiers")
    return x.define(
        kind,
        whole or node,
        name,
        body=body or node.child_by_field_name("body"),
        exported=modifiers is None or not has_token(modifiers, "private"),
        decorators=_annotations(x, modifiers),
    )


def _scoped(kind: str) -> Callable[[Extractor, Node], None]:
    """A type, method, constructor or enum constant: it has a name and encloses what is in it."""

    def enter(x: Extractor, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            symbol = _define(x, kind, node, name)
            give(x, symbol, node.child_by_field_name("type"))
            x.open_scope(symbol)

    return enter


def _type(kind: str) -> Callable[[Extractor, Node], None]:
    define = _scoped(kind)

    def enter(x: Extractor, node: Node) -> None:
        define(x, node)
        for parent in _parents(node):
            _refer(x, "inherit", parent)

    return enter


def _parents(node: Node) -> Iterator[Node]:
    for clause in node.named_children:
        if clause.type == "superclass":
            yield from clause.named_children
        elif clause.type in ("super_interfaces", "extends_interfaces"):
            types = child_of_type(clause, "type_list")
            yield from types.named_children if types else ()


def _record(x: Extractor, node: Node) -> None:
    _type("class")(x, node)
    components = node.child_by_field_name("parameters")
    for component in components.named_children if components else ():
        declared = child_of_type(component, "variable_declarator") or component
        name = declared.child_by_field_name("name")
        if name is not None:
            x.define("field", component, name)
            declare(x, name, component.child_by_field_name("type"))


def _field(x: Extractor, node: Node) -> None:
    modifiers = child_of_type(node, "modifiers")
    fixed = modifiers is not None and has_token(modifiers, "static") and has_token(modifiers, "final")
    kind = "constant" if fixed or node.type == "constant_declaration" else "field"
    declarators = node.children_by_field_name("declarator")
    for declarator in declarators:
        name = declarator.child_by_field_name("name")
        if name is not None:
            _define(x, kind, node, name, whole=declarator if len(declarators) > 1 else node)
            declare(x, name, node.child_by_field_name("type"))


def _local(x: Extractor, node: Node) -> None:
    """Local variables, and what a loop or resource binds."""
    type_ = node.child_by_field_name("type")
    for declarator in node.children_by_field_name("declarator") or [node]:
        name = declarator.child_by_field_name("name")
        if type_ is not None and x.text(type_) == "var":
            value(x, name, declarator.child_by_field_name("value") if node.type != _LOOP else None)
        else:
            declare(x, name, type_)


def _parameter(x: Extractor, node: Node) -> None:
    type_ = node.child_by_field_name("type") or child_of_type(node, "catch_type")
    declare(x, node.child_by_field_name("name"), type_)


def _pattern(x: Extractor, node: Node) -> None:
    """``value instanceof T name``."""
    declare(x, node.child_by_field_name("name"), node.child_by_field_name("right"))


def _lambda(x: Extractor, node: Node) -> None:
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body"), exported=False))


def _creation(x: Extractor, node: Node) -> None:
    """``new T()`` calls T; with a body it also defines a class without a name."""
    type_ = node.child_by_field_name("type")
    if type_ is not None:
        count_arguments(x, _refer(x, "call", type_), node.child_by_field_name("arguments"))
    body = child_of_type(node, "class_body")
    if body is not None:
        x.open_scope(x.define("class", node, None, body=body, exported=False))
        if type_ is not None:
            _refer(x, "inherit", type_)


def _call(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name") or node.child_by_field_name("constructor")
    if name is not None:
        reference = x.refer("call", name, name, node.child_by_field_name("object"))
        count_arguments(x, reference, node.child_by_field_name("arguments"))


def _method_reference(x: Extractor, node: Node) -> None:
    """``Cart::total`` passes a method on; ``Cart::new`` passes a constructor on."""
    receiver, name = first_child(node), node.children[-1]
    if name.type == "identifier":
        x.refer("call", node, name, receiver)
    elif receiver is not None:
        _refer(x, "call", receiver)


def _annotation(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        last = name.child_by_field_name("name") or name
        x.refer("type", name, last, name.child_by_field_name("scope"))


def _refer(x: Extractor, kind: str, node: Node) -> int:
    """Record a reference to the named type in a type expression; UNKNOWN where it names none."""
    claimed: set[int] = x.state["claimed"]
    while node.type in ("generic_type", "annotated_type"):
        inner = child_of_type(node, *_TYPES)
        if inner is None:
            return UNKNOWN
        node = inner
    claimed.add(node.id)
    if node.type in ("type_identifier", "identifier"):
        return x.refer(kind, node, node)
    if node.type != "scoped_type_identifier" or node.named_child_count < 2:
        return UNKNOWN
    scope: Node | None = node
    while scope is not None:
        claimed |= {child.id for child in scope.named_children}
        scope = child_of_type(scope, "scoped_type_identifier")
    return x.refer(kind, node, node.named_children[-1], node.named_children[0])


def _type_name(x: Extractor, node: Node) -> None:
    if node.id not in x.state["claimed"] and x.text(node) != "var":
        _refer(x, "type", node)


def _type_parameter(x: Extractor, node: Node) -> None:
    name = child_of_type(node, "type_identifier")
    if name is not None:
        x.state["claimed"].add(name.id)


TABLES = (
    Language(
        name="java",
        grammar="tree_sitter_java:language",
        extensions=(".java",),
        comments=frozenset({"line_comment", "block_comment"}),
        skip=frozenset({"package_declaration", "import_declaration"}),
        enter={
            "package_declaration": _package,
            "import_declaration": _import,
            "class_declaration": _type("class"),
            "record_declaration": _record,
            "interface_declaration": _type("interface"),
            "enum_declaration": _type("enum"),
            "annotation_type_declaration": _type("annotation"),
            "enum_constant": _scoped("enum_member"),
            "method_declaration": _scoped("method"),
            "annotation_type_element_declaration": _scoped("method"),
            "constructor_declaration": _scoped("constructor"),
            "compact_constructor_declaration": _scoped("constructor"),
            "field_declaration": _field,
            **dict.fromkeys(("local_variable_declaration", _LOOP, "resource"), _local),
            **dict.fromkeys(("formal_parameter", "catch_formal_parameter"), _parameter),
            "instanceof_expression": _pattern,
            "constant_declaration": _field,
            "lambda_expression": _lambda,
            "object_creation_expression": _creation,
            "method_invocation": _call,
            "explicit_constructor_invocation": _call,
            "method_reference": _method_reference,
            "annotation": _annotation,
            "marker_annotation": _annotation,
            "type_identifier": _type_name,
            "scoped_type_identifier": _type_name,
            "type_parameter": _type_parameter,
        },
        state=_claims,
    ),
)
