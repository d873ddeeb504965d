"""JavaScript with JSX, and what TypeScript shares with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from loaders.extraction import UNKNOWN, Enter, Extractor, Language, Span
from loaders.languages._javascript_facts import (
    LEAVE,
    Flow,
    narrow,
    open_block,
    open_class,
    open_function,
)
from loaders.languages._nodes import first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_VALUES = _FUNCTIONS | {"class"}
_WRAPPERS = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_NO_VALUES = _VALUES | {"assignment_expression"}
_OWN_EXPORTS = ("exports", "module.exports")
_TYPE_IMPORT = re.compile(rb"""@typedef\s*\{\s*import\(\s*["']([^"'\n]+)["']\s*\)\.(\w+)\s*\}\s*(\w+)""")


class Whole(NamedTuple):
    """The statement around a definition, and what it says about it."""

    node: Node
    exported: bool = False
    decorators: tuple[str, ...] = ()


class Naming(NamedTuple):
    """What a function or class without a name of its own is called by the expression that holds it."""

    kind: str
    name: Node
    whole: Whole
    owner: str | None = None


class Declared(NamedTuple):
    """A declarator of the module or of a namespace, as opposed to a local one."""

    kind: str
    whole: Whole


@dataclass(slots=True)
class State:
    """What the handlers tell each other. The keys are the ids of the nodes that are met later."""

    script: bool = False
    exported_names: set[str] = field(default_factory=set)
    top_level: set[int] = field(default_factory=set)
    wholes: dict[int, Whole] = field(default_factory=dict)
    declared: dict[int, Declared] = field(default_factory=dict)
    namings: dict[int, Naming] = field(default_factory=dict)
    claimed: set[int] = field(default_factory=set)
    fields: set[tuple[int, str]] = field(default_factory=set)
    flow: Flow = field(default_factory=Flow)


def program(x: Extractor, node: Node) -> None:
    statements = node.named_children
    modular = any(child.type in ("import_statement", "export_statement") for child in statements)
    x.state.script = not modular and b"require(" not in x.data and b"exports" not in x.data
    top_level(x, node)
    if b"@typedef" in x.data:
        _import_types(x, node)


def _import_types(x: Extractor, node: Node) -> None:
    """``@typedef {import("./cart.js").Cart} Cart`` in a comment is how JavaScript imports a type."""
    for found in _TYPE_IMPORT.finditer(x.data):
        module, name, alias = (part.decode("utf-8", "backslashreplace") for part in found.groups())
        x.bind_import(node, module, name=name, alias=alias, within=Span(*found.span()))


def top_level(x: Extractor, block: Node) -> None:
    """Note which declarations in a module or namespace are not local, and which names it exports."""
    state: State = x.state
    for statement in block.named_children:
        clause = first_child(statement)
        if statement.type in ("export_statement", "ambient_declaration"):
            inner = statement.child_by_field_name("declaration") or clause
            if inner is not None and inner.type == "ambient_declaration":
                inner = first_child(inner)
            if inner is not None and inner.type == "export_clause":
                state.exported_names |= {x.text(name) for name, _ in _specifiers(inner)}
            elif inner is not None:
                state.top_level.add(inner.id)
        elif statement.type == "expression_statement" and clause is not None:
            state.exported_names |= _module_exports(x, clause)
        else:
            state.top_level.add(statement.id)


def _module_exports(x: Extractor, assignment: Node) -> set[str]:
    """Names in ``module.exports = {a, b: c}`` or ``exports.a = b``."""
    left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
    if assignment.type != "assignment_expression" or left is None or right is None:
        return set()
    if not x.text(left).startswith(_OWN_EXPORTS):
        return set()
    if right.type != "object":
        return {x.text(right)} if right.type == "identifier" else set()
    values = [child.child_by_field_name("value") or child for child in right.named_children]
    return {x.text(value) for value in values if value.type.endswith("identifier")}


def whole_of(x: Extractor, node: Node, name: str) -> Whole:
    """The definition with its ``export``, ``declare`` and decorators."""
    state: State = x.state
    own = tuple(_decorators(x, node))
    whole = state.wholes.pop(node.id, Whole(node))
    visible = whole.exported or (x.scope == -1 and (state.script or name in state.exported_names))
    return Whole(whole.node, visible, whole.decorators + own)


def _decorators(x: Extractor, node: Node) -> Iterator[str]:
    for child in node.children:
        if child.type == "decorator":
            yield x.text(child).lstrip("@ ")


def function(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        whole = whole_of(x, node, x.text(name))
        _define(x, node, Naming("function", name, whole))


def _define(x: Extractor, node: Node, naming: Naming) -> None:
    """Define a function, method or class whose parts are in ``node``, and open its scope."""
    x.open_scope(
        x.define(
            naming.kind,
            naming.whole.node,
            naming.name,
            body=node.child_by_field_name("body"),
            owner=naming.owner,
            exported=naming.whole.exported,
            decorators=naming.whole.decorators,
        )
    )


def function_value(x: Extractor, node: Node) -> None:
    naming = x.state.namings.pop(node.id, None)
    name = node.child_by_field_name("name")
    if naming is not None:
        _define(x, node, naming)
    elif name is not None:
        _define(x, node, Naming("function", name, Whole(node)))
    else:
        x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body"), exported=False))


def class_(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.state.claimed.add(name.id)
    naming = x.state.namings.pop(node.id, None)
    if naming is not None:
        _define(x, node, naming)
    elif name is not None:
        _define(x, node, Naming("class", name, whole_of(x, node, x.text(name))))
    else:
        x.open_scope(x.define("class", node, None, body=node.child_by_field_name("body"), exported=False))
    for child in node.named_children:
        if child.type == "class_heritage":
            _heritage(x, child)


def _heritage(x: Extractor, heritage: Node) -> None:
    for clause in heritage.named_children:
        if clause.type == "extends_clause":
            parents = clause.children_by_field_name("value")
        elif clause.type == "implements_clause":
            parents = clause.named_children
        else:
            parents = [clause]
        for parent in parents:
            refer(x, "inherit", parent)


def class_body(x: Extractor, node: Node) -> None:
    """Decorators stand before a method, beside it."""
    marks: list[str] = []
    for child in node.named_children:
        if child.type == "decorator":
            marks.append(x.text(child).lstrip("@ "))
        elif child.type != "comment":
            if marks:
                x.state.wholes[child.id] = Whole(child, decorators=tuple(marks))
            marks = []


def method(x: Extractor, node: Node) -> None:
    name = plain_name(node.child_by_field_name("name"))
    if name is None:
        return
    accessor = has_token(node, "get", "set")
    kind = "property" if accessor else "method"
    if x.text(name) == "constructor" and x.kind_of(x.scope) == "class":
        kind = "constructor"
    whole = whole_of(x, node, "")._replace(exported=is_public(x, node, name))
    _define(x, node, Naming(kind, name, whole))


def plain_name(name: Node | None) -> Node | None:
    """The name of a member, without quotes where it is a string."""
    return first_child(name) if name is not None and name.type == "string" else name


def is_public(x: Extractor, member: Node, name: Node) -> bool:
    hidden = any(
        child.type == "accessibility_modifier" and x.text(child) != "public" for child in member.children
    )
    return not hidden and name.type != "private_property_identifier"


def class_field(x: Extractor, node: Node) -> None:
    name = plain_name(node.child_by_field_name("name") or node.child_by_field_name("property"))
    if name is None:
        return
    whole = whole_of(x, node, "")._replace(exported=is_public(x, node, name))
    if not _name_value(x, node.child_by_field_name("value"), Naming("method", name, whole)):
        x.state.fields.add((x.scope, x.text(name)))
        x.define("field", node, name, exported=whole.exported, decorators=whole.decorators)


def _name_value(x: Extractor, value: Node | None, naming: Naming) -> bool:
    """Let a function or class be called what the expression around it calls it; False for other values."""
    value = _unwrap(value)
    if value is None or value.type not in _VALUES:
        return False
    x.state.namings[value.id] = naming._replace(kind="class") if value.type == "class" else naming
    return True


def _unwrap(value: Node | None) -> Node | None:
    while value is not None and value.type in _WRAPPERS:
        value = next((child for child in value.named_children if child.type != "comment"), None)
    return value


def declaration(x: Extractor, node: Node) -> None:
    """``const``, ``let`` and ``var``: at the top level each name is a symbol."""
    if node.id not in x.state.top_level:
        return
    whole = x.state.wholes.pop(node.id, Whole(node))
    keyword = node.children[0].type
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    for declarator in declarators:
        part = whole if len(declarators) == 1 else whole._replace(node=declarator)
        x.state.declared[declarator.id] = Declared("constant" if keyword == "const" else "variable", part)


def declarator(x: Extractor, node: Node) -> None:
    pattern, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if pattern is None:
        return
    declared: Declared | None = x.state.declared.pop(node.id, None)
    if value is not None and _require(x, node, pattern, value):
        x.state.flow.required.add(node.id)
        return
    whole = declared.whole if declared else Whole(node)
    exported = declared is not None and (whole.exported or _visible(x, pattern))
    if pattern.type == "identifier" and _name_value(
        x, value, Naming("function", pattern, whole._replace(exported=exported))
    ):
        return
    if declared is None:
        return
    for name, _ in _bound_names(x, pattern):
        symbol = x.define(
            declared.kind, whole.node, name, exported=declared.whole.exported or _visible(x, name)
        )
        if value is not None and value.type == "object":
            x.open_scope(symbol)


def _visible(x: Extractor, name: Node) -> bool:
    return x.scope == -1 and (x.state.script or x.text(name) in x.state.exported_names)


def _bound_names(x: Extractor, pattern: Node) -> Iterator[tuple[Node, str]]:
    """Each name that a pattern binds, with the property that it is taken from where that is plain."""
    pending = [(pattern, "")]
    while pending:
        node, key = pending.pop()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield node, key or x.text(node)
        elif node.type == "pair_pattern":
            value, name = node.child_by_field_name("value"), node.child_by_field_name("key")
            if value is not None:
                pending.append((value, x.text(name) if name else ""))
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            left = node.child_by_field_name("left")
            if left is not None:
                pending.append((left, key))
        else:
            pending += [(child, "") for child in reversed(node.named_children)]


def _require(x: Extractor, node: Node, pattern: Node, value: Node) -> bool:
    """``const x = require("m")``, ``const {a: b} = require("m")`` and ``const x = require("m").a``."""
    taken = value.child_by_field_name("property") if value.type == "member_expression" else None
    call = value.child_by_field_name("object") if taken is not None else value
    module = _required_module(x, call)
    if call is None or module is None:
        return False
    x.state.claimed.add(call.id)
    if pattern.type == "identifier":
        x.bind_import(node, module, name=x.text(taken) if taken else "", alias=x.text(pattern))
    elif taken is None:
        for name, key in _bound_names(x, pattern):
            x.bind_import(node, module, name=key, alias=x.text(name))
    return True


def _required_module(x: Extractor, call: Node | None) -> str | None:
    """The module in ``require("m")`` or ``import("m")``."""
    if call is None or call.type != "call_expression":
        return None
    callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if callee is None or arguments is None or x.text(callee) not in ("require", "import"):
        return None
    first = first_child(arguments)
    return _unquote(x, first) if first is not None and first.type == "string" else None


def _unquote(x: Extractor, string: Node) -> str:
    return x.text(string)[1:-1]


def pair(x: Extractor, node: Node) -> None:
    name = plain_name(node.child_by_field_name("key"))
    if name is not None:
        _name_value(x, node.child_by_field_name("value"), Naming("method", name, Whole(node, True)))


def assignment(x: Extractor, node: Node) -> None:
    """``exports.f = function () {}``, ``C.prototype.m = ...``, ``this.m = ...``, ``f = ...``."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    if left.type == "identifier":
        _name_value(x, right, Naming("function", left, Whole(node, _visible(x, left))))
    name, target = left.child_by_field_name("property"), left.child_by_field_name("object")
    if left.type != "member_expression" or name is None or target is None:
        return
    text = x.text(target)
    if text in _OWN_EXPORTS:
        _export_assignment(x, node, right, name, x.text(name))
    elif x.text(left) == "module.exports":
        own = right.child_by_field_name("name") if right.type in _VALUES else None
        _name_value(x, right, Naming("function", own or name, Whole(node, True), ""))
        _export_assignment(x, node, own or right, name, "export=")
        return
    kind = "method" if text == "this" or text.endswith(".prototype") else "function"
    _name_value(x, right, Naming(kind, name, Whole(node, True), _owner(x, target, text)))


def _export_assignment(x: Extractor, node: Node, value: Node, name: Node, alias: str) -> None:
    """``exports.a = b`` binds an exported name; ``module.exports = b`` binds ``export=``."""
    module = _required_module(x, value)
    if module is not None:
        x.state.claimed.add(value.id)
        x.bind_import(node, module, alias=alias)
    elif value.type in ("identifier", "type_identifier"):
        x.bind_import(node, "", name=x.text(value), alias=alias)
    elif alias != "export=" and value.type not in _NO_VALUES and not has_token(value, "void"):
        x.define("variable", node, name, owner="")


def _owner(x: Extractor, target: Node, text: str) -> str | None:
    """Descriptor chain that a function assigned to a property of ``target`` hangs from."""
    if text in _OWN_EXPORTS:
        return ""
    if text == "this":
        return x.descriptor_of(this_class(x))
    if text.endswith(".prototype") and text.count(".") == 1:
        return text.removesuffix(".prototype") + "#"
    return f"{text}." if target.type == "identifier" else None


def this_class(x: Extractor) -> int:
    """The class that ``this`` is an instance of, as far as the nesting tells; else the innermost symbol."""
    symbol = x.scope
    while x.kind_of(symbol) == "lambda":
        symbol = x.parent_of(symbol)
    member = x.kind_of(x.parent_of(symbol)) == "class"
    return x.parent_of(symbol) if member else symbol


def _assignment_with_fields(x: Extractor, node: Node) -> None:
    """As :func:`assignment`; also ``this.name = ...`` in a method defines a field of the class."""
    assignment(x, node)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "member_expression":
        return
    target, name = left.child_by_field_name("object"), left.child_by_field_name("property")
    owner = this_class(x)
    if target is None or name is None or target.type != "this" or x.kind_of(owner) != "class":
        return
    key = (owner, x.text(name))
    if right.type not in _VALUES and key not in x.state.fields:
        x.state.fields.add(key)
        x.define("field", node, name, owner=x.descriptor_of(owner), exported=is_public(x, left, name))


def export(x: Extractor, node: Node) -> None:
    inner, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    source = node.child_by_field_name("source")
    default = next((child for child in node.children if child.type == "default"), None)
    whole = Whole(node, True, tuple(_decorators(x, node)))
    if source is not None:
        _re_export(x, node, _unquote(x, source))
    elif inner is not None:
        if inner.type == "ambient_declaration":
            inner = first_child(inner)
        if inner is not None:
            x.state.wholes[inner.id] = whole
            name = inner.child_by_field_name("name")
            if default is not None and name is not None:
                x.bind_import(node, "", name=x.text(name), alias="default")
    elif default is not None and value is not None:
        _export_value(x, value, default, whole)
    else:
        for clause in node.named_children:
            if clause.type == "identifier" and has_token(node, "="):
                x.bind_import(node, "", name=x.text(clause), alias="export=")
            for name, alias in _specifiers(clause):
                if alias != name:
                    x.bind_import(clause, "", name=x.text(name), alias=x.text(alias))


def _export_value(x: Extractor, value: Node, default: Node, whole: Whole) -> None:
    """``export default`` with a value: a function or class without a name is called ``default``."""
    own = value.child_by_field_name("name") if value.type in _VALUES else None
    if value.type == "identifier":
        x.bind_import(whole.node, "", name=x.text(value), alias="default")
    elif own is not None:
        x.bind_import(whole.node, "", name=x.text(own), alias="default")
    elif not _name_value(x, value, Naming("function", default, whole)):
        x.open_scope(x.define("constant", whole.node, default))


def _re_export(x: Extractor, node: Node, module: str) -> None:
    clauses = node.named_children
    for clause in clauses:
        if clause.type == "namespace_export" and first_child(clause) is not None:
            x.bind_import(node, module, alias=x.text(clause.named_children[0]))
        for name, alias in _specifiers(clause):
            x.bind_import(clause, module, name=x.text(name), alias=x.text(alias))
    if not any(clause.type in ("namespace_export", "export_clause") for clause in clauses):
        x.bind_import(node, module, star=True)


def _specifiers(clause: Node) -> Iterator[tuple[Node, Node]]:
    """(name, alias) in an import or export clause; both are the name where there is no alias."""
    if clause.type in ("export_clause", "named_imports"):
        for specifier in clause.named_children:
            name = specifier.child_by_field_name("name")
            if name is not None:
                yield name, specifier.child_by_field_name("alias") or name


def import_(x: Extractor, node: Node) -> None:
    source = node.child_by_field_name("source")
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    if source is not None and clause is None:
        x.bind_import(node, _unquote(x, source))
    if source is None or clause is None:
        return
    module = _unquote(x, source)
    for part in clause.named_children:
        if part.type == "identifier":
            x.bind_import(part, module, name="default", alias=x.text(part))
        elif part.type == "namespace_import" and first_child(part) is not None:
            x.bind_import(part, module, alias=x.text(part.named_children[0]))
        for name, alias in _specifiers(part):
            x.bind_import(part, module, name=x.text(name), alias=x.text(alias))


def call(x: Extractor, node: Node) -> None:
    module = _required_module(x, node)
    callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if module is not None:
        if node.id not in x.state.claimed:
            x.bind_import(node, module)
    elif callee is not None:
        _note(x, node, refer(x, "call", callee))


def _note(x: Extractor, node: Node, reference: int) -> None:
    """Remember the reference of a node for the fact that it gives when it is left."""
    if reference != UNKNOWN:
        x.state.flow.references[node.id] = reference


def jsx(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and (name.type != "identifier" or not x.text(name)[:1].islower()):
        _note(x, node, refer(x, "call", name))


def decorator(x: Extractor, node: Node) -> None:
    callee = first_child(node)
    if callee is not None and callee.type != "call_expression":
        _note(x, node, refer(x, "call", callee))


def refer(x: Extractor, kind: str, node: Node | None) -> int:
    """Record a reference where an expression or type ends in a name; UNKNOWN where it does not."""
    node = _unwrap(node)
    if node is None:
        return UNKNOWN
    if node.type in ("identifier", "type_identifier", "super"):
        x.state.claimed.add(node.id)
        return x.refer(kind, node, node)
    if node.type == "member_expression":
        name = node.child_by_field_name("property")
        return UNKNOWN if name is None else x.refer(kind, node, name, node.child_by_field_name("object"))
    if node.type == "nested_type_identifier":
        name = node.child_by_field_name("name")
        if name is not None:
            x.state.claimed |= {node.id, name.id}
            return x.refer(kind, node, name, node.child_by_field_name("module"))
    elif node.type in ("generic_type", "instantiation_expression"):
        return refer(x, kind, first_child(node))
    return UNKNOWN


def then(first: Enter, second: Enter) -> Enter:
    """Both handlers, one after the other."""

    def both(x: Extractor, node: Node) -> None:
        first(x, node)
        second(x, node)

    return both


ENTER = {
    "program": program,
    "function_declaration": then(function, open_function),
    "generator_function_declaration": then(function, open_function),
    "function_expression": then(function_value, open_function),
    "generator_function": then(function_value, open_function),
    "arrow_function": then(function_value, open_function),
    "class_declaration": then(class_, open_class),
    "class": then(class_, open_class),
    "class_body": class_body,
    "method_definition": then(method, open_function),
    **dict.fromkeys(
        (
            "statement_block",
            "switch_body",
            "for_statement",
            "for_in_statement",
            "catch_clause",
            "class_static_block",
        ),
        open_block,
    ),
    "if_statement": narrow,
    "field_definition": class_field,
    "lexical_declaration": declaration,
    "variable_declaration": declaration,
    "variable_declarator": declarator,
    "pair": pair,
    "assignment_expression": assignment,
    "export_statement": export,
    "import_statement": import_,
    "call_expression": call,
    "new_expression": call,
    "jsx_opening_element": jsx,
    "jsx_self_closing_element": jsx,
    "decorator": decorator,
}
"""What TypeScript does the same way."""

TABLES = (
    Language(
        name="javascript",
        grammar="tree_sitter_javascript:language",
        extensions=(".js", ".jsx", ".mjs", ".cjs"),
        interpreters=("node",),
        comments=frozenset({"comment", "html_comment"}),
        enter=ENTER | {"assignment_expression": _assignment_with_fields},
        leave=LEAVE,
        state=State,
    ),
)
