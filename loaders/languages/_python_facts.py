"""Binding facts of Python: which values flow where.

A fact holds for the scope that the last ``scope`` fact named. A name in a fact is looked up from that scope
when facts are resolved, because a Python scope binds a name wherever it assigns it. A constant that may serve
as a key is an operand too: text with a leading quote, an integer with a leading ``#``.

==========  ==============================================  ================================================
operation   operands                                        meaning
==========  ==============================================  ================================================
scope       symbol                                          the scope of the facts that follow
function    symbol, parameters, returned type               a function; its parameters are (name, role,
                                                            annotation, default); role 0 is plain, 1 ``*``,
                                                            2 keyword-only, 3 ``**``
lambda      symbol, parameters, body                        an anonymous function, in its own scope
class       symbol, bases                                   a class
decorate    symbol, ((decorator, reference), ...)           the decorators of a function or class, outermost
                                                            first
assign      target, value                                   a name, an attribute, an item or a tuple of them
narrow      value, instance                                 what a value is known to be for a while, which binds no
                                                            name
declare     target, annotation                              a variable with an annotation
return      value                                           a value that the function returns
yield       value                                           a value that the generator gives
outer       names, ``global`` or ``nonlocal``               names that belong to another scope
fallback    symbols                                         functions and classes that are defined where an import
                                                            failed
export      names                                           what ``__all__`` lists
attr        value, name, reference                          an attribute; the reference is of what reads it
call        callee, arguments, keywords, reference          a call; the keywords ``*`` and ``**`` are spreads
item        value, key, reference                           an element by key; the reference is of what takes,
                                                            sets or deletes it
slice       value, first, last, reference                   the elements from the first to before the last, which are
                                                            unknown where they are no plain numbers
star        value                                           elements that join others in a list or tuple, or in the
                                                            target of an assignment
elements    value, two references                           what iterating over it gives; the references are of
                                                            ``__iter__`` and ``__next__``
list        values                                          a list or set
tuple       values                                          a tuple, also as the target of an assignment
dict        ((key, value), ...)                             a dictionary, or a comprehension: its keys are unknown
any         values                                          one of several values
enter       value, two references                           what ``with`` binds; the references are of
                                                            ``__enter__`` and ``__exit__``
special     value, method, reference                        what an operator gives that calls the method of it
binary      left, right, method, reference                  the same of an operator between two values
instance    class                                           an instance of it: an exception that is caught
==========  ==============================================  ================================================
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from loaders.extraction import UNKNOWN, Extractor, Fact, Operand, Values, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LEAVE", "PythonState", "open_body", "open_with"]

_KEY_LENGTH = 60
_KEY_BYTES = 4 * _KEY_LENGTH + 6 * 3  # as UTF-8, between quotes
_BINARY = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "**": "__pow__",
    "@": "__matmul__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
}
_COMPARISONS = {
    "==": "__eq__",
    "!=": "__ne__",
    "<": "__lt__",
    "<=": "__le__",
    ">": "__gt__",
    ">=": "__ge__",
    "in": "__contains__",
    "not in": "__contains__",
}
_CONVERSIONS = {"!r": "__repr__", "!s": "__str__", "!a": "__repr__"}
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_OWNERS = frozenset({"self", "cls"})
_DISPLAYS = frozenset({"list", "tuple", "dict", "lambda"})
_IMPORT_FAILED = re.compile(r"\b(?:ImportError|ModuleNotFoundError)\b")
_BOUNDS = re.compile(r"\s*(\d{0,9})\s*:\s*(\d{0,9})\s*")
_DOTTED = re.compile(r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*\Z")


@dataclass(slots=True)
class PythonState:
    """What the handlers of Python keep during a walk.

    Attributes:
        decorated: The definition that decorators were just met for: its node id, the node that holds both,
            and the texts of the decorators.
        bodies: Node id of the body of each definition that was met, to its symbol.
        symbols: Node id of each definition that was met, to its symbol.
        signature: Symbol whose parameters or bases are being walked, or -1.
        enums: Symbols of the classes that are enumerations.
        variables: (owner, name) of each variable and field that has a symbol.
        alias: Node id of the name of a type alias.
        scope: Scope that the last fact is in.
        names: Every identifier that was met, with its node.
        type_end: Where the last annotation that was met ends, in bytes.
        is_async: Whether the last ``with`` was an asynchronous one.
        attributes: Position of the fact of each attribute, to its node.
    """

    decorated: tuple[int, Node | None, tuple[str, ...]] = (-1, None, ())
    bodies: dict[int, int] = field(default_factory=dict)
    symbols: dict[int, int] = field(default_factory=dict)
    signature: int = -1
    enums: set[int] = field(default_factory=set)
    variables: set[tuple[int, str]] = field(default_factory=set)
    alias: int = -1
    scope: int = -1
    names: list[tuple[str, Node]] = field(default_factory=list)
    type_end: int = -1
    is_async: bool = False
    attributes: dict[int, Node] = field(default_factory=dict)


class _Parameter(NamedTuple):
    name: str
    role: int
    annotation: Operand
    default: Operand


class _Spread(NamedTuple):
    """``*value`` or ``**value``, as a parameter, an argument or a target."""

    mark: str
    value: Operand


class _Keyword(NamedTuple):
    name: str
    value: Operand


class _As(NamedTuple):
    value: Operand
    target: Operand


class _Arguments(NamedTuple):
    positional: tuple[Operand, ...]
    keywords: tuple[tuple[str, Operand], ...]


class _Slice(NamedTuple):
    first: int
    last: int


class _Pair(NamedTuple):
    key: Operand
    value: Operand


def open_body(x: Extractor, node: Node) -> None:
    """Enter the scope of a function or class where the block is its body."""
    symbol = x.state.bodies.pop(node.id, None)
    if symbol is not None:
        x.state.signature = -1
        x.open_scope(symbol)


def _emit(x: Extractor, *fact: Any) -> int:
    facts = x.facts
    if x.scope != x.state.scope:
        x.state.scope = x.scope
        facts.append(("scope", x.scope))
    facts.append(fact)
    return len(facts) - 1


def _operand(value: Any) -> Operand:
    """A value as an operand of a fact: what is no operand is unknown, and so is a number."""
    kind = type(value)
    if kind is int:
        operand: Operand = value
        return operand
    return value if kind is str and value[:1] != "#" else UNKNOWN


def _one(values: Values, role: str) -> Operand:
    for found, value in values:
        if found == role:
            return _operand(value)
    return UNKNOWN


def _operands(values: Values) -> tuple[Operand, ...]:
    return tuple([_operand(value) for _, value in values])


def _name(x: Extractor, node: Node, values: Values) -> Operand:
    text = x.text(node)
    x.state.names.append((text, node))
    return text or UNKNOWN


def _unknown(x: Extractor, node: Node, values: Values) -> int:
    return UNKNOWN


def _nothing(x: Extractor, node: Node, values: Values) -> None:
    return None


def _same(x: Extractor, node: Node, values: Values) -> Any:
    return values[-1][1] if values else UNKNOWN


def _string(x: Extractor, node: Node, values: Values) -> Operand:
    if node.end_byte - node.start_byte > _KEY_BYTES:
        return UNKNOWN
    text = x.text(node)
    if text[:1] in "'\"" and text[1:-1].isprintable():
        inner = text.strip(text[0])
        return "'" + inner if len(inner) <= _KEY_LENGTH else UNKNOWN
    return UNKNOWN


def _integer(x: Extractor, node: Node, values: Values) -> str:
    return "#" + x.text(node)


def _attribute(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("attribute")
    value = _one(values, "object")
    position = _emit(x, "attr", value, x.text(name) if name else "", UNKNOWN)
    if value != UNKNOWN and value not in _OWNERS and node.start_byte >= x.state.type_end:
        x.state.attributes[position] = node
    return position


def _arguments(x: Extractor, node: Node, values: Values) -> _Arguments:
    positional: list[Operand] = []
    keywords: list[tuple[str, Operand]] = []
    for _, value in values:
        if isinstance(value, _Keyword):
            keywords.append((value.name, value.value))
        elif isinstance(value, _Spread):
            keywords.append((value.mark, value.value))
        else:
            positional.append(_operand(value))
    return _Arguments(tuple(positional), tuple(keywords))


def _keyword(x: Extractor, node: Node, values: Values) -> _Keyword:
    name = node.child_by_field_name("name")
    return _Keyword(x.text(name) if name else "", _one(values, "value"))


def _call(x: Extractor, node: Node, values: Values) -> int:
    function = node.child_by_field_name("function")
    if function is None:
        return UNKNOWN
    callee = _one(values, "function")
    arguments = next((value for role, value in values if role == "arguments"), _Arguments((), ()))
    if not isinstance(arguments, _Arguments):
        arguments = _Arguments((_operand(arguments),), ())
    reference = _refer_call(x, function)
    x.state.attributes.pop(callee, None)
    if callee == "isinstance" and len(arguments.positional) == 2:
        subject, class_ = arguments.positional
        _emit(x, "narrow", subject, _emit(x, "instance", class_))
    return _emit(x, "call", callee, arguments.positional, arguments.keywords, reference)


def _refer_call(x: Extractor, function: Node) -> int:
    if function.type == "attribute":
        name = function.child_by_field_name("attribute")
        if name is not None:
            return x.refer("call", function, name, function.child_by_field_name("object"))
    return x.refer("call", function, function)


def _subscript(x: Extractor, node: Node, values: Values) -> int:
    key = next((value for role, value in values if role == "subscript"), UNKNOWN)
    known = isinstance(key, str) and key[0] in "'#"
    value = _one(values, "value")
    reference = _special(x, value, node.child_by_field_name("value"), "__getitem__")
    if isinstance(key, _Slice):
        return _emit(x, "slice", value, *key, reference)
    return _emit(x, "item", value, key if known else _operand(key), reference)


def _delete(x: Extractor, node: Node, values: Values) -> None:
    for _, value in values:
        _mark_items(x, _operand(value), "__delitem__")


def _assign(x: Extractor, target: Operand, value: Operand) -> None:
    _mark_items(x, target, "__setitem__")
    _emit(x, "assign", target, value)


def _mark_items(x: Extractor, target: Operand, method: str) -> None:
    """Let the elements that a statement sets or deletes say so, and attributes not be read."""
    pending = [target]
    while pending:
        one = pending.pop()
        x.state.attributes.pop(one, None)
        operation, *operands = x.facts[one] if isinstance(one, int) and one >= 0 else ("",)
        if operation == "tuple":
            pending += operands[0]
        elif operation == "star":
            pending.append(operands[0])
        elif operation in ("item", "slice") and operands[-1] >= 0:
            x.rename(operands[-1], method)


def _special(x: Extractor, value: Operand, node: Node | None, method: str) -> int:
    """The reference to a special method of a value; none where the value is no object of the snapshot's classes."""
    if node is None or value == UNKNOWN or (isinstance(value, str) and value[:1] in "'#"):
        return UNKNOWN
    if node.start_byte < x.state.type_end:
        return UNKNOWN
    if isinstance(value, int) and x.facts[value][0] in _DISPLAYS:
        return UNKNOWN
    return x.refer_special(method, node)


def _elements(x: Extractor, value: Operand, node: Node | None, *, is_async: bool) -> int:
    methods = ("__aiter__", "__anext__") if is_async else ("__iter__", "__next__")
    return _emit(x, "elements", value, *(_special(x, value, node, method) for method in methods))


def _type_arguments(x: Extractor, node: Node, values: Values) -> Operand:
    operands = _operands(values)
    return operands[0] if len(operands) == 1 else _emit(x, "tuple", operands)


def _generic_type(x: Extractor, node: Node, values: Values) -> int:
    operands = _operands(values)
    return _emit(
        x,
        "item",
        operands[0] if operands else UNKNOWN,
        operands[1] if len(operands) > 1 else UNKNOWN,
        UNKNOWN,
    )


def _type(x: Extractor, node: Node, values: Values) -> Operand:
    """An annotation; one in quotes is read where it is a union of dotted names."""
    operand = _operand(values[-1][1]) if values else UNKNOWN
    if isinstance(operand, str) and operand.startswith("'"):
        names = [part.strip() for part in operand[1:].split("|")]
        return _any_of(x, tuple(_dotted(x, name) for name in names if _DOTTED.match(name)))
    return operand


def _dotted(x: Extractor, name: str) -> Operand:
    first, *rest = name.split(".")
    operand: Operand = first
    for attribute in rest:
        operand = _emit(x, "attr", operand, attribute, UNKNOWN)
    return operand


def _any_of(x: Extractor, operands: tuple[Operand, ...]) -> Operand:
    known = tuple(operand for operand in operands if operand != UNKNOWN)
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    return _emit(x, "any", known)


def _any(x: Extractor, node: Node, values: Values) -> Operand:
    return _any_of(x, _operands(values))


def _binary(x: Extractor, node: Node, values: Values) -> Operand:
    left, right = _one(values, "left"), _one(values, "right")
    operator = node.child_by_field_name("operator")
    method = _BINARY.get(operator.type, "") if operator is not None else ""
    reference = _special(x, left, node.child_by_field_name("left"), method) if method else UNKNOWN
    if reference == UNKNOWN and method not in ("__add__", "__mul__"):
        return _any_of(x, (left, right))
    return _emit(x, "binary", left, right, method, reference)


def _comparison(x: Extractor, node: Node, values: Values) -> Operand:
    operators = node.children_by_field_name("operators")
    if len(operators) != 1 or len(values) != 2:
        return UNKNOWN
    method = _COMPARISONS.get(operators[0].type, "")
    asked = int(method == "__contains__")
    other = values[1 - asked][1]
    if not asked and (other == UNKNOWN or (isinstance(other, str) and other[:1] in "'#")):
        return UNKNOWN  # what is compared with a constant is hardly ever more than one itself
    operands = [child for child in node.named_children if child.type != "comment"]
    return _operation(x, _operand(values[asked][1]), operands[asked], method)


def _unary(x: Extractor, node: Node, values: Values) -> Operand:
    operator = node.child_by_field_name("operator")
    method = _UNARY.get(operator.type, "") if operator is not None else ""
    return _operation(x, _one(values, "argument"), node.child_by_field_name("argument"), method)


def _operation(x: Extractor, value: Operand, written: Node | None, method: str) -> Operand:
    reference = _special(x, value, written, method) if method else UNKNOWN
    return _emit(x, "special", value, method, reference) if reference != UNKNOWN else UNKNOWN


def _interpolation(x: Extractor, node: Node, values: Values) -> None:
    written = first_named(node)
    if values and written is not None:
        marks = [x.text(child) for child in node.children if child.type == "type_conversion"]
        _operation(x, _operand(values[0][1]), written, _CONVERSIONS.get("".join(marks), "__format__"))


def _augmented(x: Extractor, node: Node, values: Values) -> Operand:
    operator = node.child_by_field_name("operator")
    method = _BINARY.get(operator.type.removesuffix("="), "") if operator is not None else ""
    target, value = _one(values, "left"), _one(values, "right")
    left = node.child_by_field_name("left")
    if target == "__all__":
        _export(x, value)
    if method:
        method = f"__i{method[2:]}"
        value = _emit(x, "binary", target, value, method, _special(x, target, left, method))
    fact: Fact = x.facts[target] if isinstance(target, int) and target >= 0 else ("",)
    owner = left.child_by_field_name("value") if left is not None else None
    if fact[0] in ("item", "slice"):  # it is read, and then it is set
        target = _emit(x, *fact[:-1], _special(x, fact[1], owner, "__setitem__"))
    _emit(x, "assign", target, value)
    return value


def _conditional(x: Extractor, node: Node, values: Values) -> Operand:
    operands = _operands(values)
    return _any_of(x, (operands[0], operands[-1])) if len(operands) == 3 else UNKNOWN


def _slice(x: Extractor, node: Node, values: Values) -> _Slice:
    found = _BOUNDS.fullmatch(x.text(node))
    return _Slice(int(found[1] or 0), int(found[2] or sys.maxsize)) if found else _Slice(UNKNOWN, UNKNOWN)


def _tuple(x: Extractor, node: Node, values: Values) -> int:
    return _emit(x, "tuple", _members(x, values))


def _list(x: Extractor, node: Node, values: Values) -> int:
    return _emit(x, "list", _members(x, values))


def _members(x: Extractor, values: Values) -> tuple[Operand, ...]:
    return tuple(
        [
            _emit(x, "star", value.value) if isinstance(value, _Spread) else _operand(value)
            for _, value in values
        ]
    )


def _comprehension(x: Extractor, node: Node, values: Values) -> int:
    body = next((value for role, value in values if role == "body"), UNKNOWN)
    element = body.value if isinstance(body, _Pair) else _operand(body)
    return _emit(x, "dict", ((UNKNOWN, element),))


def _pair(x: Extractor, node: Node, values: Values) -> _Pair:
    key = next((value for role, value in values if role == "key"), UNKNOWN)
    return _Pair(key if isinstance(key, str) and key[0] in "'#" else UNKNOWN, _one(values, "value"))


def _dictionary(x: Extractor, node: Node, values: Values) -> int:
    pairs: list[tuple[Operand, Operand]] = []
    for _, value in values:
        if isinstance(value, _Pair):
            pairs.append((value.key, value.value))
        elif isinstance(value, _Spread):
            pairs.append(("**", value.value))
    return _emit(x, "dict", tuple(pairs))


def _spread(mark: str) -> Callable[[Extractor, Node, Values], _Spread]:
    def leave(x: Extractor, node: Node, values: Values) -> _Spread:
        return _Spread(mark, _operand(values[-1][1]) if values else UNKNOWN)

    return leave


def _assignment(x: Extractor, node: Node, values: Values) -> Operand:
    target, value, annotation = _one(values, "left"), _one(values, "right"), _one(values, "type")
    if annotation != UNKNOWN:
        _emit(x, "declare", target, annotation)
        x.state.attributes.pop(target, None)
    if value != UNKNOWN or annotation == UNKNOWN:
        _assign(x, target, value)
    if target == "__all__":
        _export(x, value)
    return value


def _export(x: Extractor, value: Operand) -> None:
    if isinstance(value, int) and value >= 0 and x.facts[value][0] in ("list", "tuple"):
        texts = (text for text in x.facts[value][1] if isinstance(text, str))
        _emit(x, "export", tuple(text[1:] for text in texts if text.startswith("'")))


def _named(x: Extractor, node: Node, values: Values) -> Operand:
    target, value = _one(values, "name"), _one(values, "value")
    _emit(x, "assign", target, value)
    return value


def _for(x: Extractor, node: Node, values: Values) -> None:
    iterated = node.child_by_field_name("right")
    elements = _elements(x, _one(values, "right"), iterated, is_async=_is_async(node))
    _assign(x, _one(values, "left"), elements)


def _is_async(node: Node) -> bool:
    first = node.child(0) if node.child_count else None
    return first is not None and first.type == "async"


def open_with(x: Extractor, node: Node) -> None:
    """Remember which kind of statement the items that follow are of."""
    x.state.is_async = _is_async(node)


def _as(x: Extractor, node: Node, values: Values) -> _As:
    operands = _operands(values)
    return _As(operands[0], operands[-1]) if len(operands) == 2 else _As(UNKNOWN, UNKNOWN)


def _with(x: Extractor, node: Node, values: Values) -> None:
    methods = ("__aenter__", "__aexit__") if x.state.is_async else ("__enter__", "__exit__")
    for _, value in values:
        manager, target = value if isinstance(value, _As) else (_operand(value), UNKNOWN)
        written = node.child_by_field_name("value")
        if written is not None and isinstance(value, _As):
            written = first_named(written)
        entered = _emit(x, "enter", manager, *(_special(x, manager, written, method) for method in methods))
        if target != UNKNOWN:
            _assign(x, target, entered)


def _except(x: Extractor, node: Node, values: Values) -> None:
    caught = first_named(node)
    if caught is not None and _IMPORT_FAILED.search(x.text(caught)):
        _fall_back(x, node)
    for _, value in values:
        if isinstance(value, _As):
            _emit(x, "assign", value.target, _emit(x, "instance", value.value))


def _fall_back(x: Extractor, node: Node) -> None:
    within = takewhile(lambda symbol: symbol.span.start >= node.start_byte, reversed(x.symbols))
    held = tuple(sorted(symbol.ordinal for symbol in within if symbol.kind in ("function", "class")))
    if held:
        _emit(x, "fallback", held)


def _return(x: Extractor, node: Node, values: Values) -> None:
    if values and _operand(values[-1][1]) != UNKNOWN:
        _emit(x, "return", _operand(values[-1][1]))


def _raise(x: Extractor, node: Node, values: Values) -> None:
    """``raise E`` makes an instance where ``E`` is a class, which only the way of writing names tells here."""
    raised = first_named(node)
    if raised is None or raised.type not in ("identifier", "attribute"):
        return
    if x.text(raised).rpartition(".")[2][:1].isupper():
        x.state.attributes.pop(_operand(values[0][1]), None)
        _emit(x, "call", _operand(values[0][1]), (), (), _refer_call(x, raised))


def _yield(x: Extractor, node: Node, values: Values) -> int:
    value = _operand(values[-1][1]) if values else UNKNOWN
    if any(child.type == "from" for child in node.children[1:2]):
        value = _elements(x, value, first_named(node), is_async=False)
    _emit(x, "yield", value)
    return UNKNOWN


def _outer(kind: str) -> Callable[[Extractor, Node, Values], None]:
    def leave(x: Extractor, node: Node, values: Values) -> None:
        _emit(x, "outer", _operands(values), kind)

    return leave


def _typed_parameter(x: Extractor, node: Node, values: Values) -> _Parameter:
    annotation = _one(values, "type")
    first = values[0][1] if values else ""
    if isinstance(first, _Spread):
        return _starred(first, annotation)
    return _Parameter(first if isinstance(first, str) else "", 0, annotation, UNKNOWN)


def _starred(spread: _Spread, annotation: Operand) -> _Parameter:
    name = spread.value if isinstance(spread.value, str) else ""
    return _Parameter(name, 1 if spread.mark == "*" else 3, annotation, UNKNOWN)


def _default_parameter(x: Extractor, node: Node, values: Values) -> _Parameter:
    name = node.child_by_field_name("name")
    return _Parameter(x.text(name) if name else "", 0, _one(values, "type"), _one(values, "value"))


def _separator(x: Extractor, node: Node, values: Values) -> _Spread:
    return _Spread("*", UNKNOWN)


def _parameters(x: Extractor, node: Node, values: Values) -> tuple[_Parameter, ...]:
    result = []
    plain = 0
    for _, value in values:
        if isinstance(value, _Spread):
            if value.value != UNKNOWN:
                value = _starred(value, UNKNOWN)
            else:
                plain = 2
                continue
        elif isinstance(value, str):
            value = _Parameter(value, plain, UNKNOWN, UNKNOWN)
        if not isinstance(value, _Parameter):
            continue
        if value.role == 1:
            plain = 2
        result.append(value._replace(role=plain) if plain and not value.role else value)
    return tuple(result)


def _plain_parameters(values: Values) -> tuple[tuple[Any, ...], ...]:
    for role, value in values:
        if role == "parameters" and isinstance(value, tuple):
            return tuple(tuple(parameter) for parameter in value)
    return ()


def _function(x: Extractor, node: Node, values: Values) -> None:
    symbol = x.state.symbols.get(node.id)
    if symbol is not None:
        _emit(x, "function", symbol, _plain_parameters(values), _one(values, "return_type"))


def _lambda(x: Extractor, node: Node, values: Values) -> int:
    return _emit(x, "lambda", x.scope, _plain_parameters(values), _one(values, "body"))


def _class(x: Extractor, node: Node, values: Values) -> None:
    symbol = x.state.symbols.get(node.id)
    bases = next((value for role, value in values if role == "superclasses"), None)
    if symbol is not None:
        _emit(x, "class", symbol, bases.positional if isinstance(bases, _Arguments) else ())


def _decorator(x: Extractor, node: Node, values: Values) -> tuple[Operand, int]:
    """(decorator, reference of the call that applies it)"""
    expression = first_named(node)
    reference = _refer_call(x, expression) if expression is not None else UNKNOWN
    decorator = _operand(values[-1][1]) if values else UNKNOWN
    x.state.attributes.pop(decorator, None)
    return (decorator, reference)


def _decorated(x: Extractor, node: Node, values: Values) -> None:
    marks = tuple(value for _, value in values if isinstance(value, tuple))
    definition = node.child_by_field_name("definition")
    symbol = x.state.symbols.get(definition.id) if definition is not None else None
    if symbol is not None:
        _emit(x, "decorate", symbol, marks)


LEAVE = {
    "identifier": _name,
    "string": _string,
    "concatenated_string": _unknown,
    "integer": _integer,
    "float": _unknown,
    "true": _unknown,
    "false": _unknown,
    "none": _unknown,
    "ellipsis": _unknown,
    "interpolation": _interpolation,
    "parenthesized_expression": _same,
    "expression_statement": _nothing,
    "block": _nothing,
    "await": _same,
    "attribute": _attribute,
    "argument_list": _arguments,
    "keyword_argument": _keyword,
    "call": _call,
    "subscript": _subscript,
    "slice": _slice,
    "type": _type,
    "generic_type": _generic_type,
    "type_parameter": _type_arguments,
    "boolean_operator": _any,
    "binary_operator": _binary,
    "conditional_expression": _conditional,
    "comparison_operator": _comparison,
    "not_operator": _unknown,
    "unary_operator": _unary,
    "tuple": _tuple,
    "expression_list": _tuple,
    "pattern_list": _tuple,
    "tuple_pattern": _tuple,
    "list_pattern": _tuple,
    "list": _list,
    "set": _list,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "dictionary_comprehension": _comprehension,
    "pair": _pair,
    "dictionary": _dictionary,
    "list_splat": _spread("*"),
    "list_splat_pattern": _spread("*"),
    "dictionary_splat": _spread("**"),
    "dictionary_splat_pattern": _spread("**"),
    "assignment": _assignment,
    "augmented_assignment": _augmented,
    "named_expression": _named,
    "delete_statement": _delete,
    "for_statement": _for,
    "for_in_clause": _for,
    "if_clause": _nothing,
    "as_pattern": _as,
    "as_pattern_target": _same,
    "with_item": _with,
    "except_clause": _except,
    "raise_statement": _raise,
    "return_statement": _return,
    "yield": _yield,
    "global_statement": _outer("global"),
    "nonlocal_statement": _outer("nonlocal"),
    "typed_parameter": _typed_parameter,
    "default_parameter": _default_parameter,
    "typed_default_parameter": _default_parameter,
    "keyword_separator": _separator,
    "parameters": _parameters,
    "lambda_parameters": _parameters,
    "function_definition": _function,
    "lambda": _lambda,
    "class_definition": _class,
    "decorator": _decorator,
    "decorated_definition": _decorated,
    "import_statement": _nothing,
    "import_from_statement": _nothing,
    "future_import_statement": _nothing,
}
