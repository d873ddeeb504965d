"""C, and what C++ shares with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from loaders.extraction import UNKNOWN, Extractor, Language
from loaders.languages._declared import count_arguments, declare, give, value
from loaders.languages._nodes import first_child
from loaders.languages._preprocessor import blank

if TYPE_CHECKING:
    from tree_sitter import Node

AGGREGATES = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
_MEMBERS_OF = frozenset({"struct", "union", "class", "interface"})
_PLACES = _MEMBERS_OF | {"", "namespace", "field", "type_alias", "variable", "constant"}
_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "operator_name", "destructor_name", "operator_cast"}
)
_KEYWORDS = frozenset(
    {
        "void",
        "int",
        "char",
        "bool",
        "true",
        "const",
        "static",
        "friend",
        "namespace",
        "struct",
        "class",
        "template",
        "if",
        "while",
        "for",
        "else",
        "decltype",
    }
)
_TEMPLATES = frozenset({"template_function", "template_method", "template_type"})
_INDIRECT = frozenset({"pointer_declarator", "array_declarator", "reference_declarator"})


class Declarator(NamedTuple):
    """What a declarator declares.

    Attributes:
        name: Its name.
        function: Whether that is a function, as opposed to a variable or a pointer to a function.
        scopes: The nodes before ``::``, outermost first.
        indirect: Whether it is a pointer or a reference.
        fixed: Whether it is a pointer that keeps its value.
    """

    name: Node
    function: bool
    scopes: tuple[Node, ...]
    indirect: bool
    fixed: bool


@dataclass(slots=True)
class State:
    """What the handlers tell each other; the keys are ids of nodes that are met later, but for ``access``.

    Attributes:
        wholes: The text that belongs to a definition where it starts before its node, as ``template <...>``.
        names: Name of a struct, union or enum without one, from the ``typedef`` around it.
        holders: Ordinal of the variable, field or alias whose type a struct without a name is.
        friends: Friend declarations: functions defined in them are no members, others are no definitions.
        access: Access of the members that follow, by the ordinal of the class.
        namespaces: Names of the namespaces seen, to tell ``a::f`` from ``A::f``.
        claimed: Type names that are accounted for.
        stray: End of the last block that no function is known of.
    """

    wholes: dict[int, Node] = field(default_factory=dict)
    names: dict[int, tuple[Node, Node]] = field(default_factory=dict)
    holders: dict[int, int] = field(default_factory=dict)
    friends: set[int] = field(default_factory=set)
    access: dict[int, str] = field(default_factory=dict)
    namespaces: set[str] = field(default_factory=set)
    claimed: set[int] = field(default_factory=set)
    stray: int = 0


def declarator(node: Node | None) -> Declarator | None:
    """What a declarator declares; None where it has no name."""
    function = indirect = fixed = False
    scopes: list[Node] = []
    while node is not None and node.type not in _NAMES:
        if node.type == "qualified_identifier":
            scope = node.child_by_field_name("scope")
            scopes += [scope] if scope is not None else []
            node = node.child_by_field_name("name")
        elif node.type in _TEMPLATES:
            node = node.child_by_field_name("name")
        else:
            if node.type == "function_declarator":
                function = True
            elif node.type in _INDIRECT:
                function, indirect = False, indirect or node.type != "array_declarator"
                fixed = node.type == "pointer_declarator" and any(
                    child.type == "type_qualifier" and child.text == b"const" for child in node.named_children
                )
            node = node.child_by_field_name("declarator") or _last_child(node)
    if node is None or node.text is None or node.text.decode("utf-8", "replace") in _KEYWORDS:
        return None  # an unknown macro before it has led the parser astray
    return Declarator(node, function or node.type == "operator_cast", tuple(scopes), indirect, fixed)


def _last_child(node: Node) -> Node | None:
    children = [child for child in node.named_children if child.type != "ms_call_modifier"]
    return children[-1] if children else None


def function(x: Extractor, node: Node) -> None:
    """A function with a body."""
    found = declarator(node.child_by_field_name("declarator"))
    if found is not None:
        define_function(x, node, node, found)


def define_function(x: Extractor, node: Node, part: Node, found: Declarator) -> None:
    state: State = x.state
    whole = state.wholes.pop(node.id, part)
    member = x.kind_of(x.scope) in _MEMBERS_OF and node.id not in state.friends
    classes = [scope for scope in found.scopes if not _is_namespace(x, scope)]
    kind = "method" if member or classes else "function"
    if kind == "method" and found.name.type == "identifier":
        of = x.text(_template_name(classes[-1])) if classes else x.name_of(x.scope)
        kind = "constructor" if x.text(found.name) == of else kind
    if kind != "constructor" and _is_macro(x, node, found):
        return
    symbol = x.define(
        kind,
        whole,
        found.name,
        body=node.child_by_field_name("body"),
        owner=_owner(x, found.scopes),
        exported=_exported(x, node),
        decorators=_attributes(x, node),
    )
    give(x, symbol, node.child_by_field_name("type"))
    x.open_scope(symbol)


def _is_macro(x: Extractor, node: Node, found: Declarator) -> bool:
    """Whether what looks like a function is the use of a macro: it has no type, and capitals for a name.

    At the top of a file one with a body defines something, as a test does, and is kept.
    """
    if node.child_by_field_name("type") is not None or found.scopes or not x.text(found.name).isupper():
        return False
    return node.child_by_field_name("body") is None or x.kind_of(x.scope) in (
        "function",
        "method",
        "constructor",
    )


def _is_namespace(x: Extractor, scope: Node) -> bool:
    return scope.type == "namespace_identifier" and x.text(scope) in x.state.namespaces


def _template_name(node: Node) -> Node:
    return node.child_by_field_name("name") or node if node.type == "template_type" else node


def _owner(x: Extractor, scopes: tuple[Node, ...]) -> str | None:
    """Descriptor chain of what ``A::B::`` names; all but the last are taken for namespaces."""
    if not scopes:
        return None
    last = x.text(_template_name(scopes[-1])) + ("/" if _is_namespace(x, scopes[-1]) else "#")
    before = "".join(x.text(_template_name(scope)) + "/" for scope in scopes[:-1])
    return x.descriptor_of(x.scope) + before + last


def _exported(x: Extractor, node: Node) -> bool:
    """Whether it has external linkage and no private access."""
    if x.kind_of(x.scope) in _MEMBERS_OF:
        return bool(x.state.access.get(x.scope) != "private")
    static = any(
        child.type == "storage_class_specifier" and x.text(child) == "static" for child in node.children
    )
    return not static and "`<namespace>`" not in x.descriptor_of(x.scope)


def _attributes(x: Extractor, node: Node) -> tuple[str, ...]:
    return tuple(
        x.text(child).strip("[] ") for child in node.named_children if child.type == "attribute_declaration"
    )


def declaration(x: Extractor, node: Node) -> None:
    """Variables, prototypes and members; variables inside functions are no symbols."""
    state: State = x.state
    is_member = node.type == "field_declaration"  # in a function, of a struct that has no name
    is_local = node.start_byte < state.stray or not (is_member or x.kind_of(x.scope) in _PLACES)
    if is_local:
        declared(x, node)
    if is_local or node.id in state.friends:
        return
    declarators = node.children_by_field_name("declarator")
    type_ = node.child_by_field_name("type")
    nameless = is_nameless(type_)
    for part in declarators:
        found = declarator(part)
        if found is None:
            continue
        whole = node if len(declarators) == 1 else part
        if found.function:
            define_function(x, node, whole, found)
        elif part.type != "parenthesized_declarator" or type_ is None or not x.text(type_).isupper():
            symbol = _variable(x, node, whole, found)
            declare(x, found.name, type_)
            if nameless and type_ is not None:
                state.holders.setdefault(type_.id, symbol)


def block(x: Extractor, node: Node) -> None:
    """A block of statements; outside of functions it is one of which a macro has hidden the head."""
    if x.kind_of(x.scope) in _PLACES:
        x.state.stray = max(x.state.stray, node.end_byte)


def declared(x: Extractor, node: Node) -> None:
    """A parameter, local variable or loop variable: no symbol, but its type says what its members are."""
    type_ = node.child_by_field_name("type")
    for part in node.children_by_field_name("declarator"):
        found = declarator(part)
        if type_ is None or found is None or found.scopes:
            continue
        if type_.type != "placeholder_type_specifier":
            declare(x, found.name, type_)
        elif part.type == "init_declarator":
            value(x, found.name, part.child_by_field_name("value"))


def _variable(x: Extractor, node: Node, whole: Node, found: Declarator) -> int:
    qualifiers = {x.text(child) for child in node.named_children if child.type == "type_qualifier"}
    constant = found.fixed or (not found.indirect and bool(qualifiers & {"const", "constexpr", "constinit"}))
    member = node.type == "field_declaration" or x.kind_of(x.scope) in _PLACES - {"", "namespace"}
    static = any(x.text(child) == "static" for child in node.named_children)
    kind = "field" if member and not (static and constant) else "constant" if constant else "variable"
    return x.define(
        kind,
        x.state.wholes.pop(node.id, whole),
        found.name,
        owner=_owner(x, found.scopes),
        exported=_exported(x, node),
        decorators=_attributes(x, node),
    )


def is_nameless(type_: Node | None) -> bool:
    """Whether a type is a struct, union or enum that is defined here without a name."""
    return (
        type_ is not None
        and type_.type in AGGREGATES
        and type_.child_by_field_name("body") is not None
        and type_.child_by_field_name("name") is None
    )


def typedef(x: Extractor, node: Node) -> None:
    """``typedef``: names a struct that has no name, else an alias."""
    state: State = x.state
    type_ = node.child_by_field_name("type")
    nameless = is_nameless(type_)
    declarators = node.children_by_field_name("declarator")
    for part in declarators:
        found = declarator(part)
        if found is None:
            continue
        state.claimed.add(found.name.id)
        if nameless and type_ is not None and part.type == "type_identifier" and type_.id not in state.names:
            state.names[type_.id] = (found.name, node)
        else:
            whole = node if len(declarators) == 1 else part
            alias = x.define("type_alias", whole, found.name, exported=_exported(x, node))
            if nameless and type_ is not None:
                state.holders.setdefault(type_.id, alias)


def aggregate(x: Extractor, node: Node) -> None:
    """A struct, union, enum or class; without a body it is only a reference."""
    state: State = x.state
    body, name = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None:
        return
    name, whole = state.names.get(node.id, (name, state.wholes.pop(node.id, node)))
    if name is None:
        if node.id in state.holders:
            x.open_scope(state.holders[node.id])
        return
    while name is not None and name.type == "qualified_identifier":
        name = name.child_by_field_name("name")
    if name is None:
        return
    name = _template_name(name)
    state.claimed.add(name.id)
    x.open_scope(
        x.define(
            AGGREGATES[node.type],
            whole,
            name,
            body=body,
            exported=_exported(x, node),
            decorators=_attributes(x, node),
        )
    )


def enumerator(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.define("enum_member", node, name)


def _macro(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.define("macro", node, name, body=node.child_by_field_name("value"))


def _include(x: Extractor, node: Node) -> None:
    """``#include``: all names of the file; level 1 says that it is looked for beside the includer first."""
    path = node.child_by_field_name("path")
    if path is not None:
        quoted = path.type == "string_literal"
        x.bind_import(node, x.text(path).strip('"'), level=int(quoted), star=True)


def _call(x: Extractor, node: Node) -> None:
    callee = node.child_by_field_name("function")
    while callee is not None and callee.type in ("parenthesized_expression", "pointer_expression"):
        callee = callee.child_by_field_name("argument") or first_child(callee)
    if callee is not None:
        count_arguments(x, refer(x, "call", callee), node.child_by_field_name("arguments"))


def refer(x: Extractor, kind: str, node: Node) -> int:
    """Record a reference where an expression or type ends in a name; UNKNOWN where it does not."""
    receiver = node.child_by_field_name("argument")
    name: Node | None = node
    while name is not None and name.type not in _NAMES:
        if name.type == "qualified_identifier":
            receiver = name.child_by_field_name("scope")
            name = name.child_by_field_name("name")
        elif name.type in _TEMPLATES:
            name = name.child_by_field_name("name")
        elif name.type == "field_expression":
            name = name.child_by_field_name("field")
        else:
            return UNKNOWN
    if name is None:
        return UNKNOWN
    x.state.claimed |= {node.id, name.id}
    return x.refer(kind, node, name, receiver)


def type_name(x: Extractor, node: Node) -> None:
    if node.id not in x.state.claimed:
        x.refer("type", node, node)


ENTER = {
    "function_definition": function,
    "declaration": declaration,
    "field_declaration": declaration,
    "parameter_declaration": declared,
    "type_definition": typedef,
    **dict.fromkeys(AGGREGATES, aggregate),
    "enumerator": enumerator,
    "preproc_def": _macro,
    "preproc_function_def": _macro,
    "preproc_include": _include,
    "call_expression": _call,
    "compound_statement": block,
    "type_identifier": type_name,
}
"""What C++ does the same way."""

SKIP = frozenset({"preproc_include", "preproc_def", "preproc_function_def"})

TABLES = (
    Language(
        name="c",
        grammar="tree_sitter_c:language",
        extensions=(".c",),
        skip=SKIP,
        enter={node: handler for node, handler in ENTER.items() if node != "class_specifier"},
        state=State,
        prepare=blank,
    ),
)
