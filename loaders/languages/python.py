"""Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language, first_named
from loaders.languages._python_facts import LEAVE, PythonState, open_body, open_with
from loaders.languages._python_reads import refer_to_values

if TYPE_CHECKING:
    from tree_sitter import Node

_ENUM_BASES = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")


def _decorated(x: Extractor, node: Node) -> None:
    definition = node.child_by_field_name("definition")
    if definition is not None:
        marks = [x.text(child).lstrip("@ ") for child in node.named_children if child.type == "decorator"]
        x.state.decorated = (definition.id, node, tuple(marks))


def _whole(x: Extractor, node: Node) -> tuple[Node, tuple[str, ...]]:
    """The definition with its decorators, and their texts."""
    inner, outer, marks = x.state.decorated
    return (outer, marks) if inner == node.id else (node, ())


def _docstring(body: Node | None) -> Node | None:
    first = first_named(body)
    if first is not None and first.type == "expression_statement":
        first = first_named(first)
    return first if first is not None and first.type == "string" else None


def _function(x: Extractor, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return
    whole, marks = _whole(x, node)
    kind = "method" if x.kind_of(x.scope) == "class" else "function"
    function = x.define(
        kind,
        whole,
        name,
        body=body,
        doc=_docstring(body),
        exported=_public(x.text(name)),
        decorators=marks,
    )
    _open_at_body(x, node, body, function)


def _open_at_body(x: Extractor, node: Node, body: Node | None, symbol: int) -> None:
    """Defaults, annotations, bases and decorators are evaluated outside: the scope opens at the body."""
    x.state.symbols[node.id] = x.state.signature = symbol
    if body is not None:
        x.state.bodies[body.id] = symbol


def _class(x: Extractor, node: Node) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None:
        return
    whole, marks = _whole(x, node)
    text = x.text(name)
    bases = node.child_by_field_name("superclasses")
    symbol = x.define(
        "class", whole, name, body=body, doc=_docstring(body), exported=_public(text), decorators=marks
    )
    _open_at_body(x, node, body, symbol)
    for base in bases.named_children if bases else ():
        _refer(x, "inherit", base)
        if x.text(base).rpartition(".")[2] in _ENUM_BASES:
            x.state.enums.add(symbol)


def _lambda(x: Extractor, node: Node) -> None:
    x.open_scope(x.define("lambda", node, None, body=node.child_by_field_name("body")))


def _public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _assignment(x: Extractor, node: Node) -> None:
    left = node.child_by_field_name("left")
    if left is None:
        return
    targets = left.named_children if left.type in ("pattern_list", "tuple_pattern") else [left]
    for target in targets:
        if target.type == "identifier" and x.kind_of(x.scope) in ("", "class"):
            _variable(x, node, target)
        elif target.type == "attribute":
            _self_field(x, node, target)


def _variable(x: Extractor, node: Node, target: Node) -> None:
    """A variable of the module, or of a class body; the first assignment defines it."""
    name = x.text(target)
    if x.scope in x.state.enums:
        kind = "enum_member"
    elif x.scope >= 0:
        kind = "field"
    else:
        kind = "constant" if name.isupper() else "variable"
    if _first(x, x.scope, name):
        x.define(kind, node, target, exported=_public(name))


def _self_field(x: Extractor, node: Node, target: Node) -> None:
    """``self.name = ...`` in a method defines a field of the class."""
    receiver, attribute = target.child_by_field_name("object"), target.child_by_field_name("attribute")
    owner = x.parent_of(x.scope)
    if receiver is None or attribute is None or x.kind_of(x.scope) != "method" or x.text(receiver) != "self":
        return
    name = x.text(attribute)
    if _first(x, owner, name):
        x.define("field", node, attribute, owner=x.descriptor_of(owner), exported=_public(name))


def _first(x: Extractor, owner: int, name: str) -> bool:
    known = (owner, name) in x.state.variables
    x.state.variables.add((owner, name))
    return not known


def _type_alias(x: Extractor, node: Node) -> None:
    name = left = node.child_by_field_name("left")
    while name is not None and name.type != "identifier":
        name = first_named(name)
    # ``type(a).b = c`` is read as an alias too; there is no way to tell but the bracket.
    if left is not None and name is not None and name.start_byte == left.start_byte:
        x.state.alias = left.id
        x.define("type_alias", node, name, exported=_public(x.text(name)))


def _refer(x: Extractor, kind: str, node: Node) -> None:
    """Record a type or base class by its last name, on behalf of the definition whose head it is in."""
    while node.type == "subscript" and (value := node.child_by_field_name("value")) is not None:
        node = value
    enclosing = x.state.signature if x.state.signature >= 0 else x.scope
    if node.type == "identifier":
        x.refer(kind, node, node, enclosing=enclosing)
    elif node.type == "attribute" and (name := node.child_by_field_name("attribute")) is not None:
        x.refer(kind, node, name, node.child_by_field_name("object"), enclosing=enclosing)


def _annotation(x: Extractor, node: Node) -> None:
    """Each name in an annotation; the types nested in it are met by the walk itself."""
    x.state.type_end = max(x.state.type_end, node.end_byte)
    pending = [] if node.id == x.state.alias else [node]
    while pending:
        for child in pending.pop().named_children:
            if child.type in ("identifier", "attribute"):
                _refer(x, "type", child)
            elif child.type != "type":
                pending.append(child)


def _import(x: Extractor, node: Node) -> None:
    for clause in node.named_children:
        name, alias = _clause(x, clause)
        x.bind_import(clause, name, alias=alias or name.partition(".")[0])


def _import_from(x: Extractor, node: Node) -> None:
    source = node.child_by_field_name("module_name")
    dotted = x.text(source) if source else "__future__"
    module = dotted.lstrip(".")
    level = len(dotted) - len(module)
    for child in node.named_children:
        if child.type == "wildcard_import":
            x.bind_import(child, module, level=level, star=True)
        elif child != source and child.type in ("dotted_name", "aliased_import"):
            name, alias = _clause(x, child)
            x.bind_import(child, module, name=name, alias=alias or name, level=level)


def _clause(x: Extractor, node: Node) -> tuple[str, str]:
    """(name, alias) of one imported name; the alias is empty where there is none."""
    if node.type != "aliased_import":
        return x.text(node), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return x.text(name) if name else "", x.text(alias) if alias else ""


TABLES = (
    Language(
        name="python",
        grammar="tree_sitter_python:language",
        extensions=(".py", ".pyi", ".pyw"),
        interpreters=("python", "python2", "python3"),
        enter={
            "decorated_definition": _decorated,
            "function_definition": _function,
            "class_definition": _class,
            "lambda": _lambda,
            "assignment": _assignment,
            "type_alias_statement": _type_alias,
            "block": open_body,
            "with_statement": open_with,
            "type": _annotation,
            "import_statement": _import,
            "import_from_statement": _import_from,
            "future_import_statement": _import_from,
        },
        leave=LEAVE,
        state=PythonState,
        finish=refer_to_values,
    ),
)
