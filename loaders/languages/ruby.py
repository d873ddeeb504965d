"""Ruby."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages._declared import value as note_value
from loaders.languages._nodes import child_of_type, first_child

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = frozenset({"attr_accessor", "attr_reader", "attr_writer", "attr"})
_MIXINS = frozenset({"include", "extend", "prepend"})
_REQUIRES = frozenset({"require", "require_relative", "load"})
_VISIBILITIES = frozenset({"private", "protected", "public"})
_FACTORIES = {"Class.new": "class", "Struct.new": "class", "Data.define": "class", "Module.new": "module"}
_CONTAINERS = frozenset({"class", "module"})


@dataclass(slots=True)
class _State:
    """What the handlers tell each other.

    Attributes:
        hidden: Ordinals of the classes and modules whose following methods are not public.
        private: Ids of methods that are the argument of ``private``.
        named: Kind and constant of a block that a constant is assigned, by the id of the block.
        fields: (class, name) of the instance variables seen.
    """

    hidden: set[int] = field(default_factory=set)
    private: set[int] = field(default_factory=set)
    named: dict[int, tuple[str, Node, Node]] = field(default_factory=dict)
    fields: set[tuple[int, str]] = field(default_factory=set)


def _container(x: Extractor, node: Node) -> None:
    """A class or module; ``class A::B`` hangs from A."""
    name = node.child_by_field_name("name")
    if name is None:
        return
    owner = None
    if name.type == "scope_resolution":
        scope, last = name.child_by_field_name("scope"), name.child_by_field_name("name")
        if last is None:
            return
        owner = (x.text(scope).replace("::", "/") + "/") if scope is not None else ""
        name = last
    x.open_scope(x.define(node.type, node, name, body=node.child_by_field_name("body"), owner=owner))
    superclass = first_child(node.child_by_field_name("superclass"))
    if superclass is not None:
        _refer_constant(x, "inherit", superclass)


def _method(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    state: _State = x.state
    inside = x.kind_of(x.scope) in _CONTAINERS
    singleton = node.type == "singleton_method"
    kind = "method" if inside or singleton else "function"
    if inside and not singleton and x.text(name) == "initialize":
        kind = "constructor"
    hidden = node.id in state.private or (x.scope in state.hidden and not singleton)
    x.open_scope(x.define(kind, node, name, body=node.child_by_field_name("body"), exported=not hidden))


def _lambda(x: Extractor, node: Node) -> None:
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body"), exported=False))


def _block(x: Extractor, node: Node) -> None:
    """A block that makes a class, a method or a function; others are part of what encloses them."""
    made = x.state.named.pop(node.id, None)
    if made is not None:
        kind, whole, name = made
        body = node.child_by_field_name("body")
        if kind == "lambda":
            x.open_scope(x.define("lambda", whole, None, body=body, exported=False))
        else:
            x.open_scope(x.define(kind, whole, name, prefix=_colon(name), body=body))


def _assignment(x: Extractor, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    targets = left.named_children if left.type == "left_assignment_list" else [left]
    kind = _FACTORIES.get(_callee(x, right)) if right is not None else None
    block = right.child_by_field_name("block") if right is not None and kind else None
    for target in targets:
        if target.type == "constant" and kind and block is not None:
            x.state.named[block.id] = (kind, node, target)
        elif target.type == "constant":
            x.define(kind or "constant", node, target)
        elif target.type in ("instance_variable", "class_variable"):
            _field(x, node, target)
        if target is left and right is not None and right.type == "call" and target.type != "constant":
            note_value(x, target, right, _class_of(x) if target.type != "identifier" else None)


def _callee(x: Extractor, call: Node) -> str:
    receiver, method = call.child_by_field_name("receiver"), call.child_by_field_name("method")
    return f"{x.text(receiver)}.{x.text(method)}" if receiver is not None and method is not None else ""


def _class_of(x: Extractor) -> int:
    """The class or module that encloses the open scope, or -1."""
    owner = x.scope
    while owner >= 0 and x.kind_of(owner) not in _CONTAINERS:
        owner = x.parent_of(owner)
    return owner


def _field(x: Extractor, node: Node, target: Node) -> None:
    """``@name`` and ``@@name``: the first assignment defines the field of the class."""
    owner = _class_of(x)
    key = (owner, x.text(target))
    if owner >= 0 and key not in x.state.fields:
        x.state.fields.add(key)
        x.define("field", node, target, owner=x.descriptor_of(owner), exported=False)


def _call(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("method")
    if name is None:
        return
    text, receiver = x.text(name), node.child_by_field_name("receiver")
    arguments = node.child_by_field_name("arguments")
    values = arguments.named_children if arguments else []
    block = node.child_by_field_name("block")
    if receiver is None and _declares(x, node, text, values, block):
        return
    x.refer("call", name, name, receiver)


def _declares(x: Extractor, node: Node, text: str, values: list[Node], block: Node | None) -> bool:
    """Calls that are declarations in effect."""
    state: _State = x.state
    inside = x.kind_of(x.scope) in _CONTAINERS
    if text in _REQUIRES and values and values[0].type == "string":
        x.bind_import(node, x.text(values[0])[1:-1], level=int(text == "require_relative"), star=True)
    elif text in _ACCESSORS and inside:
        for name in _literal_names(values):
            x.define("property", node, name, prefix=_colon(name), exported=x.scope not in state.hidden)
    elif text in _MIXINS and inside:
        for value in values:
            _refer_constant(x, "inherit", value)
    elif text in _VISIBILITIES and inside:
        state.private |= {value.id for value in values if text != "public"}
    elif text == "alias_method" and len(values) == 2:
        for name in _literal_names(values[:1]):
            x.define("method", node, name, prefix=_colon(name), exported=x.scope not in state.hidden)
    elif text == "define_method" and block is not None:
        for name in _literal_names(values[:1]):
            state.named[block.id] = ("method", node, name)
    elif text in ("lambda", "proc") and block is not None:
        state.named[block.id] = ("lambda", node, node)
    else:
        return False
    return True


def _literal_names(values: list[Node]) -> Iterator[Node]:
    """Symbols as written, strings without their quotes."""
    for value in values:
        inner = child_of_type(value, "string_content") if value.type == "string" else value
        if inner is not None and value.type in ("string", "simple_symbol"):
            yield inner


def _colon(name: Node) -> int:
    return int(name.type == "simple_symbol")


def _visibility(x: Extractor, node: Node) -> None:
    """``private`` on its own holds for the methods that follow."""
    text = x.text(node)
    if text in _VISIBILITIES and x.kind_of(x.scope) in _CONTAINERS:
        (x.state.hidden.discard if text == "public" else x.state.hidden.add)(x.scope)


def _alias(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.define("method" if x.kind_of(x.scope) in _CONTAINERS else "function", node, name)


def _super(x: Extractor, node: Node) -> None:
    x.refer("call", node, node)


def _refer_constant(x: Extractor, kind: str, node: Node) -> None:
    if node.type == "constant":
        x.refer(kind, node, node)
    elif node.type == "scope_resolution":
        name = node.child_by_field_name("name")
        if name is not None:
            x.refer(kind, node, name, node.child_by_field_name("scope"))


TABLES = (
    Language(
        name="ruby",
        grammar="tree_sitter_ruby:language",
        extensions=(".rb", ".rake", ".gemspec", ".ru"),
        interpreters=("ruby",),
        filenames=("Rakefile", "Gemfile"),
        enter={
            "class": _container,
            "module": _container,
            "method": _method,
            "singleton_method": _method,
            "lambda": _lambda,
            "block": _block,
            "do_block": _block,
            "assignment": _assignment,
            "call": _call,
            "identifier": _visibility,
            "alias": _alias,
            "super": _super,
        },
        state=_State,
    ),
)
