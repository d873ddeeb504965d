"""C#."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loaders.extraction import UNKNOWN, Extractor, Language
from loaders.languages._declared import count_arguments, declare, give, value
from loaders.languages._nodes import child_of_type, first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_OPEN_KINDS = frozenset({"", "namespace", "interface", "enum"})
_VISIBLE = frozenset({"public", "protected", "internal"})
_NAMES = ("identifier", "generic_name", "qualified_name", "alias_qualified_name")


def _modifiers(x: Extractor, node: Node) -> set[str]:
    return {x.text(child) for child in node.named_children if child.type == "modifier"}


def _attributes(x: Extractor, node: Node) -> tuple[str, ...]:
    lists = [child for child in node.named_children if child.type == "attribute_list"]
    return tuple(x.text(child) for found in lists for child in found.named_children)


def _define(x: Extractor, kind: str, node: Node, name: Node, whole: Node | None = None) -> int:
    """Define what ``node`` declares with its modifiers; ``whole`` is the text of it where that is less."""
    body = node.child_by_field_name("body") or node.child_by_field_name("accessors")
    visible = x.kind_of(x.scope) in _OPEN_KINDS or bool(_modifiers(x, node) & _VISIBLE)
    return x.define(kind, whole or node, name, body=body, exported=visible, decorators=_attributes(x, node))


def _scoped(kind: str) -> Callable[[Extractor, Node], None]:
    """A type or member that encloses what is in it."""

    def enter(x: Extractor, node: Node) -> None:
        name = node.child_by_field_name("name") or node.child_by_field_name("operator")
        if name is None:
            return
        symbol = _define(x, kind, node, name)
        declare(x, name, node.child_by_field_name("type") if kind == "property" else None)
        give(x, symbol, node.child_by_field_name("returns"))
        x.open_scope(symbol)
        _types(x, node)
        bases = child_of_type(node, "base_list")
        for base in bases.named_children if bases else ():
            inner = base.child_by_field_name("type") if base.type == "primary_constructor_base_type" else base
            if inner is not None:
                _refer(x, "inherit", inner)

    return enter


def _record(x: Extractor, node: Node) -> None:
    _scoped("class")(x, node)
    parameters = child_of_type(node, "parameter_list")
    for parameter in parameters.named_children if parameters else ():
        name = parameter.child_by_field_name("name")
        if name is not None:
            x.define("property", parameter, name)
            declare(x, name, parameter.child_by_field_name("type"))


def _keyword_member(kind: str, keyword: str) -> Callable[[Extractor, Node], None]:
    """An indexer or a conversion: it is called by a keyword."""

    def enter(x: Extractor, node: Node) -> None:
        name = next((child for child in node.children if child.type == keyword), None)
        if name is not None:
            x.open_scope(_define(x, kind, node, name))
            _types(x, node)

    return enter


def _fields(kind: str) -> Callable[[Extractor, Node], None]:
    def enter(x: Extractor, node: Node) -> None:
        declaration = child_of_type(node, "variable_declaration")
        modifiers = _modifiers(x, node)
        constant = "const" in modifiers or {"static", "readonly"} <= modifiers
        children = declaration.named_children if declaration else ()
        declarators = [child for child in children if child.type == "variable_declarator"]
        for declarator in declarators:
            name = declarator.child_by_field_name("name")
            if name is not None:
                whole = declarator if len(declarators) > 1 else node
                _define(x, "constant" if constant else kind, node, name, whole)

    return enter


def _enum_member(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        _define(x, "enum_member", node, name)


def _namespace(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.open_scope(x.define("namespace", node, name, body=node.child_by_field_name("body")))


def _file_namespace(x: Extractor, node: Node) -> None:
    """``namespace A.B;`` encloses the rest of the file, so its scope is never closed."""
    name = node.child_by_field_name("name")
    if name is not None:
        x.scope = x.define("namespace", node, name)


def _lambda(x: Extractor, node: Node) -> None:
    body = node.child_by_field_name("body") or child_of_type(node, "block")
    x.open_scope(x.define("lambda", node, None, body=body, exported=False))


def _using(x: Extractor, node: Node) -> None:
    alias = node.child_by_field_name("name")
    target = next((child for child in node.named_children if child != alias and child.type in _NAMES), None)
    if target is None:
        return
    if alias is not None:
        x.bind_import(node, x.text(target), alias=x.text(alias))
    else:
        x.bind_import(node, x.text(target), star=True)


def _call(x: Extractor, node: Node) -> None:
    callee = node.child_by_field_name("function")
    if callee is not None:
        count_arguments(x, _refer(x, "call", callee), node.child_by_field_name("arguments"))


def _creation(x: Extractor, node: Node) -> None:
    type_ = node.child_by_field_name("type")
    if type_ is not None:
        count_arguments(x, _refer(x, "call", type_), node.child_by_field_name("arguments"))


def _initializer(x: Extractor, node: Node) -> None:
    word = next((child for child in node.children if child.type in ("base", "this")), None)
    if word is not None:
        x.refer("call", word, word)


def _attribute(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        _refer(x, "type", name)


def _types(x: Extractor, node: Node) -> None:
    """The types of a declaration, cast or test."""
    for field in ("type", "returns"):
        type_ = node.child_by_field_name(field)
        while type_ is not None and type_.type in ("nullable_type", "array_type", "pointer_type", "ref_type"):
            type_ = type_.child_by_field_name("type") or first_child(type_)
        if type_ is not None and not has_token(type_, "var"):
            _refer(x, "type", type_)


def _type_arguments(x: Extractor, node: Node) -> None:
    for argument in node.named_children:
        _refer(x, "type", argument)


def _refer(x: Extractor, kind: str, node: Node) -> int:
    """Record a reference where an expression or type ends in a name; UNKNOWN where it does not."""
    receiver = None
    name: Node | None = node
    if node.type == "conditional_access_expression":
        receiver, name = node.child_by_field_name("condition"), node.named_children[-1]
    while name is not None and name.type != "identifier":
        if name.type == "generic_name":
            name = first_child(name)
        elif name.type in ("member_access_expression", "qualified_name", "alias_qualified_name"):
            receiver = name.child_by_field_name("expression") or name.child_by_field_name("qualifier")
            name = name.child_by_field_name("name")
        elif name.type == "member_binding_expression":
            name = name.child_by_field_name("name")
        else:
            return UNKNOWN
    return UNKNOWN if name is None else x.refer(kind, node, name, receiver)


def _parameter(x: Extractor, node: Node) -> None:
    _types(x, node)
    declare(x, node.child_by_field_name("name"), node.child_by_field_name("type"))


def _variables(x: Extractor, node: Node) -> None:
    """Local variables and fields."""
    _types(x, node)
    type_ = node.child_by_field_name("type")
    for declarator in node.named_children:
        name = declarator.child_by_field_name("name") if declarator.type == "variable_declarator" else None
        if type_ is not None and type_.type == "implicit_type":
            value(x, name, declarator.named_children[-1] if declarator.named_child_count > 1 else None)
        else:
            declare(x, name, type_)


def _loop(x: Extractor, node: Node) -> None:
    type_ = node.child_by_field_name("type")
    if type_ is not None and type_.type != "implicit_type":
        declare(x, node.child_by_field_name("left"), type_)


def _pattern(x: Extractor, node: Node) -> None:
    """``value is T name``."""
    declare(x, node.child_by_field_name("name"), node.child_by_field_name("type"))


TABLES = (
    Language(
        name="csharp",
        grammar="tree_sitter_c_sharp:language",
        extensions=(".cs",),
        skip=frozenset({"using_directive"}),
        enter={
            "using_directive": _using,
            "namespace_declaration": _namespace,
            "file_scoped_namespace_declaration": _file_namespace,
            "class_declaration": _scoped("class"),
            "struct_declaration": _scoped("struct"),
            "interface_declaration": _scoped("interface"),
            "enum_declaration": _scoped("enum"),
            "record_declaration": _record,
            "delegate_declaration": _scoped("type"),
            "method_declaration": _scoped("method"),
            "local_function_statement": _scoped("function"),
            "constructor_declaration": _scoped("constructor"),
            "destructor_declaration": _scoped("method"),
            "operator_declaration": _scoped("method"),
            "conversion_operator_declaration": _keyword_member("method", "operator"),
            "indexer_declaration": _keyword_member("property", "this"),
            "property_declaration": _scoped("property"),
            "event_declaration": _scoped("property"),
            "field_declaration": _fields("field"),
            "event_field_declaration": _fields("field"),
            "enum_member_declaration": _enum_member,
            "lambda_expression": _lambda,
            "anonymous_method_expression": _lambda,
            "invocation_expression": _call,
            "object_creation_expression": _creation,
            "constructor_initializer": _initializer,
            "attribute": _attribute,
            "parameter": _parameter,
            "variable_declaration": _variables,
            "foreach_statement": _loop,
            "declaration_pattern": _pattern,
            "cast_expression": _types,
            "type_parameter_constraint": _types,
            "type_argument_list": _type_arguments,
        },
    ),
)
