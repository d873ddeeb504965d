"""C++: what it adds to C. Headers are read as C++, because their names do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages import c
from loaders.languages._nodes import child_of_type, first_child
from loaders.languages._preprocessor import blank

if TYPE_CHECKING:
    from tree_sitter import Node


_TEMPLATED = frozenset({"alias_declaration", "concept_definition", "template_declaration"})


def _template(x: Extractor, node: Node) -> None:
    """The parameters of a template belong to what they stand before."""
    for child in node.named_children:
        if child.type in c.ENTER or child.type in _TEMPLATED:
            x.state.wholes[child.id] = x.state.wholes.get(node.id, node)


def _class(x: Extractor, node: Node) -> None:
    c.aggregate(x, node)
    bases = child_of_type(node, "base_class_clause")
    for base in bases.named_children if bases else ():
        if base.type in ("type_identifier", "qualified_identifier", "template_type"):
            c.refer(x, "inherit", base)


def _members(x: Extractor, node: Node) -> None:
    default = "private" if x.kind_of(x.scope) == "class" else "public"
    x.state.access.setdefault(x.scope, default)


def _access(x: Extractor, node: Node) -> None:
    if x.scope in x.state.access:
        x.state.access[x.scope] = x.text(node)


def _namespace(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.state.namespaces |= set(x.text(name).replace("inline", "").replace(" ", "").split("::"))
    body = node.child_by_field_name("body")
    x.open_scope(x.define("namespace", node, name, body=body, exported=name is not None))


def _alias(x: Extractor, node: Node) -> None:
    _named(x, "type_alias", node)


def _concept(x: Extractor, node: Node) -> None:
    _named(x, "trait", node)


def _named(x: Extractor, kind: str, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.state.claimed.add(name.id)
        x.define(kind, x.state.wholes.pop(node.id, node), name)


def _friend(x: Extractor, node: Node) -> None:
    x.state.friends |= {child.id for child in node.named_children}


def _lambda(x: Extractor, node: Node) -> None:
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body"), exported=False))


def _new(x: Extractor, node: Node) -> None:
    type_ = node.child_by_field_name("type")
    if type_ is not None:
        c.refer(x, "call", type_)


def _using(x: Extractor, node: Node) -> None:
    """``using namespace a::b``, ``using a::b::name``; not ``using Base::Base`` in a class."""
    path = first_child(node)
    if path is None or x.kind_of(x.scope) in ("class", "struct"):
        return
    if any(child.type == "namespace" for child in node.children):
        x.bind_import(node, x.text(path), star=True)
    else:
        module, _, name = x.text(path).rpartition("::")
        x.bind_import(node, module, name=name, alias=name)


def _namespace_alias(x: Extractor, node: Node) -> None:
    name, target = node.child_by_field_name("name"), node.named_children[-1]
    if name is not None:
        x.bind_import(node, x.text(target), alias=x.text(name))


def _qualified(x: Extractor, node: Node) -> None:
    """``ns::Type`` where a type is meant; calls and declarators have claimed theirs."""
    last: Node | None = node
    while last is not None and last.type == "qualified_identifier":
        last = last.child_by_field_name("name")
    if (
        last is not None
        and last.type in ("type_identifier", "template_type")
        and last.id not in x.state.claimed
    ):
        if node.id not in x.state.claimed:
            c.refer(x, "type", node)
        x.state.claimed.add(last.id)


def _type_parameter(x: Extractor, node: Node) -> None:
    name = child_of_type(node, "type_identifier")
    if name is not None:
        x.state.claimed.add(name.id)


TABLES = (
    Language(
        name="cpp",
        grammar="tree_sitter_cpp:language",
        extensions=(
            ".cc",
            ".cpp",
            ".cxx",
            ".c++",
            ".h",
            ".hh",
            ".hpp",
            ".hxx",
            ".h++",
            ".ipp",
            ".inl",
            ".tcc",
        ),
        skip=c.SKIP,
        enter=c.ENTER
        | {
            "template_declaration": _template,
            "class_specifier": _class,
            "struct_specifier": _class,
            "union_specifier": _class,
            "field_declaration_list": _members,
            "for_range_loop": c.declared,
            "optional_parameter_declaration": c.declared,
            "access_specifier": _access,
            "namespace_definition": _namespace,
            "alias_declaration": _alias,
            "concept_definition": _concept,
            "friend_declaration": _friend,
            "lambda_expression": _lambda,
            "new_expression": _new,
            "using_declaration": _using,
            "namespace_alias_definition": _namespace_alias,
            "qualified_identifier": _qualified,
            "type_parameter_declaration": _type_parameter,
            "optional_type_parameter_declaration": _type_parameter,
            "variadic_type_parameter_declaration": _type_parameter,
        },
        state=c.State,
        prepare=blank,
    ),
)
