"""Rust."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages._declared import declare, give, value
from loaders.languages._nodes import child_of_type, first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED_TYPES = ("type_identifier", "primitive_type")
_BINDINGS = ("identifier", "self", "crate", "super", "scoped_identifier", "metavariable")


@dataclass(slots=True)
class _State:
    """What the handlers tell each other.

    Attributes:
        owners: Descriptor chain of the type that an ``impl`` block extends, by the id of the block's member.
        traits: Ids of members that implement a trait, and so are as visible as the trait.
        types: Ordinal of the type with a descriptor chain.
        attributes: Texts of the attributes met last, and the row that the last one ends on.
        claimed: Ids of names that are accounted for.
    """

    owners: dict[int, str] = field(default_factory=dict)
    traits: set[int] = field(default_factory=set)
    types: dict[str, int] = field(default_factory=dict)
    attributes: tuple[tuple[str, ...], int] = ((), -2)
    claimed: set[int] = field(default_factory=set)


def _attribute(x: Extractor, node: Node) -> None:
    x.bridge_comment(node)
    texts, row = x.state.attributes
    if node.start_point[0] > row + 1:
        texts = ()
    x.state.attributes = ((*texts, x.text(node)[2:-1]), node.end_point[0])


def _define(x: Extractor, kind: str, node: Node, *, body: Node | None = None, exported: bool = False) -> int:
    """Define what ``node`` declares; -1 where it has no name."""
    state: _State = x.state
    texts, row = state.attributes
    state.attributes = ((), -2)
    name = node.child_by_field_name("name")
    if name is None or x.text(name) == "_":
        return -1
    state.claimed.add(name.id)
    public = exported or node.id in state.traits or child_of_type(node, "visibility_modifier") is not None
    return x.define(
        kind,
        node,
        name,
        body=body or node.child_by_field_name("body"),
        owner=state.owners.get(node.id),
        exported=public or "macro_export" in texts,
        decorators=texts if row >= node.start_point[0] - 1 else (),
    )


def _function(x: Extractor, node: Node) -> None:
    in_trait = x.kind_of(x.scope) == "trait"
    kind = "method" if in_trait or node.id in x.state.owners else "function"
    symbol = _define(x, kind, node, exported=in_trait)
    if symbol >= 0:
        give(x, symbol, node.child_by_field_name("return_type"))
        x.open_scope(symbol)


def _item(kind: str) -> Callable[[Extractor, Node], None]:
    """A constant, static, type alias, associated type, field or macro."""

    def enter(x: Extractor, node: Node) -> None:
        _define(x, kind, node, exported=x.kind_of(x.scope) in ("trait", "enum_member"))

    return enter


def _field(x: Extractor, node: Node) -> None:
    _item("field")(x, node)
    declare(x, node.child_by_field_name("name"), node.child_by_field_name("type"))


def _parameter(x: Extractor, node: Node) -> None:
    declare(x, _plain(node.child_by_field_name("pattern")), node.child_by_field_name("type"))


def _let(x: Extractor, node: Node) -> None:
    pattern, type_ = _plain(node.child_by_field_name("pattern")), node.child_by_field_name("type")
    if type_ is not None:
        declare(x, pattern, type_)
    else:
        value(x, pattern, node.child_by_field_name("value"))


def _plain(pattern: Node | None) -> Node | None:
    """The name of a pattern that binds nothing else."""
    while pattern is not None and pattern.type in ("mut_pattern", "ref_pattern", "reference_pattern"):
        pattern = pattern.named_children[-1] if pattern.named_child_count else None
    return pattern if pattern is not None and pattern.type == "identifier" else None


def _container(kind: str) -> Callable[[Extractor, Node], None]:
    """An item that encloses others."""

    def enter(x: Extractor, node: Node) -> None:
        symbol = _define(x, kind, node, exported=kind == "enum_member")
        if symbol < 0:
            return
        x.state.types.setdefault(x.descriptor_of(symbol), symbol)
        x.open_scope(symbol)
        bounds = node.child_by_field_name("bounds") if kind == "trait" else None
        for bound in bounds.named_children if bounds else ():
            _type_name(x, "inherit", bound)

    return enter


def _module(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and node.child_by_field_name("body") is None:
        x.bind_import(node, f"self::{x.text(name)}", alias=x.text(name))
    _container("module")(x, node)


def _impl(x: Extractor, node: Node) -> None:
    type_, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
    body = node.child_by_field_name("body")
    x.state.attributes = ((), -2)
    if type_ is None:
        return
    owner = x.descriptor_of(x.scope) + _base_name(x, type_) + "#"
    for member in body.named_children if body else ():
        x.state.owners[member.id] = owner
        if trait is not None:
            x.state.traits.add(member.id)
    if trait is not None:
        outer = x.scope
        x.scope = x.state.types.get(owner, outer)
        _type_name(x, "inherit", trait)
        x.scope = outer


def _base_name(x: Extractor, type_: Node) -> str:
    """The name of the type that an ``impl`` block is for."""
    pending = [type_]
    while pending:
        node = pending.pop()
        if node.type in _NAMED_TYPES:
            return x.text(node)
        if node.type == "scoped_type_identifier":
            pending += [name] if (name := node.child_by_field_name("name")) else []
        else:
            pending += reversed(node.named_children)
    return "`" + x.text(type_).replace("`", "``") + "`"


def _closure(x: Extractor, node: Node) -> None:
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body"), exported=False))


def _type_name(x: Extractor, kind: str, node: Node) -> None:
    """Record a reference to a named type."""
    state: _State = x.state
    inner = node.child_by_field_name("type") if node.type == "generic_type" else None
    if node.type == "function_type":
        inner = node.child_by_field_name("trait")
    if inner is not None:
        _type_name(x, kind, inner)
    elif node.type == "scoped_type_identifier":
        name = node.child_by_field_name("name")
        if name is not None:
            state.claimed |= {node.id, name.id}
            x.refer(kind, node, name, node.child_by_field_name("path"))
    elif node.type == "type_identifier":
        state.claimed.add(node.id)
        if x.text(node) != "Self":
            x.refer(kind, node, node)


def _type(x: Extractor, node: Node) -> None:
    if node.id not in x.state.claimed:
        _type_name(x, "type", node)


def _type_parameter(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.state.claimed.add(name.id)


def _call(x: Extractor, node: Node) -> None:
    callee = node.child_by_field_name("function") or node.child_by_field_name("macro")
    if callee is not None and callee.type == "generic_function":
        callee = callee.child_by_field_name("function")
    if callee is None:
        return
    if callee.type == "identifier":
        x.refer("call", callee, callee)
    elif callee.type == "scoped_identifier":
        name = callee.child_by_field_name("name")
        if name is not None:
            x.refer("call", callee, name, callee.child_by_field_name("path"))
    elif callee.type == "field_expression":
        name = callee.child_by_field_name("field")
        if name is not None:
            x.refer("call", callee, name, callee.child_by_field_name("value"))


def _tokens(x: Extractor, node: Node) -> None:
    """Calls in the arguments of a macro, which the grammar leaves as tokens."""
    children = node.children
    for i, name in enumerate(children[:-1]):
        follower = children[i + 1]
        called = follower.type == "token_tree" and x.data[follower.start_byte] == ord("(")
        before = children[i - 1].type if i else ""
        if name.type == "identifier" and before != "fn" and (called or follower.type == "!"):
            qualified = i >= 2 and before in (".", "::")
            receiver = children[i - 2] if qualified else None
            x.refer("call", name, name, receiver)


def _use(x: Extractor, node: Node) -> None:
    argument = node.child_by_field_name("argument")
    for prefix, leaf in _leaves(x, argument):
        alias = leaf.child_by_field_name("alias") if leaf.type == "use_as_clause" else None
        target = leaf.child_by_field_name("path") if leaf.type == "use_as_clause" else leaf
        if leaf.type == "use_wildcard":
            path = first_child(leaf)
            x.bind_import(leaf, _join(prefix, x.text(path) if path else ""), star=True)
        elif target is not None:
            path_text = _join(prefix, x.text(target))
            module, _, name = path_text.rpartition("::")
            if name == "self":
                module, name = module, ""
            elif not module:
                module, name = path_text, ""
            local = x.text(alias) if alias else name or module.rpartition("::")[2]
            x.bind_import(leaf, module, name=name, alias="" if local == "_" else local)


def _leaves(x: Extractor, argument: Node | None) -> Iterator[tuple[str, Node]]:
    """Each imported path of a ``use`` tree with the path before its braces."""
    pending = [("", argument)] if argument is not None else []
    while pending:
        prefix, node = pending.pop()
        if node.type == "scoped_use_list":
            path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
            if inner is not None:
                pending.append((_join(prefix, x.text(path) if path else ""), inner))
        elif node.type == "use_list":
            pending += [(prefix, child) for child in reversed(node.named_children)]
        elif node.type in (*_BINDINGS, "use_as_clause", "use_wildcard"):
            yield prefix, node


def _join(prefix: str, path: str) -> str:
    return f"{prefix}::{path}" if prefix and path else prefix or path


def _extern_crate(x: Extractor, node: Node) -> None:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is not None:
        x.bind_import(node, x.text(name), alias=x.text(alias or name))


def _static(x: Extractor, node: Node) -> None:
    _define(x, "variable" if has_token(node, "mutable_specifier") else "constant", node)


TABLES = (
    Language(
        name="rust",
        grammar="tree_sitter_rust:language",
        extensions=(".rs",),
        comments=frozenset({"line_comment", "block_comment"}),
        skip=frozenset({"attribute_item", "inner_attribute_item", "macro_definition", "use_declaration"}),
        enter={
            "attribute_item": _attribute,
            "function_item": _function,
            "function_signature_item": _function,
            "struct_item": _container("struct"),
            "enum_item": _container("enum"),
            "enum_variant": _container("enum_member"),
            "union_item": _container("union"),
            "trait_item": _container("trait"),
            "mod_item": _module,
            "impl_item": _impl,
            "const_item": _item("constant"),
            "static_item": _static,
            "type_item": _item("type_alias"),
            "associated_type": _item("type_alias"),
            "field_declaration": _field,
            "parameter": _parameter,
            "let_declaration": _let,
            "macro_definition": _item("macro"),
            "closure_expression": _closure,
            "call_expression": _call,
            "macro_invocation": _call,
            "token_tree": _tokens,
            "type_identifier": _type,
            "scoped_type_identifier": _type,
            "type_parameter": _type_parameter,
            "use_declaration": _use,
            "extern_crate_declaration": _extern_crate,
        },
        state=_State,
    ),
)
