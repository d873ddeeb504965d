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
declare     target, annotation                              a variable with an annotation
return      value                                           a value that the function returns
yield       value                                           a value that the generator gives
outer       names, ``global`` or ``nonlocal``               names that belong to another scope
export      names                                           what ``__all__`` lists
attr        value, name                                     an attribute
call        callee, arguments, keywords, reference          a call; the keywords ``*`` and ``**`` are spreads
item        value, key                                      an element by key
elements    value                                           what iterating over it gives
list        values                                          a list, set or comprehension
tuple       values                                          a tuple, also as the target of an assignment
dict        ((key, value), ...)                             a dictionary
any         values                                          one of several values
enter       value                                           what ``with`` binds
instance    class                                           an instance of it: an exception that is caught
==========  ==============================================  ================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from loaders.extraction import UNKNOWN, Extractor, Operand, Values, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LEAVE", "PythonState", "open_body"]

_KEY_LENGTH = 60
_KEY_BYTES = 4 * _KEY_LENGTH + 6 * 3  # as UTF-8, between quotes
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
    return _emit(x, "attr", _one(values, "object"), x.text(name) if name else "")


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
    if callee == "isinstance" and len(arguments.positional) == 2:
        subject, class_ = arguments.positional
        _emit(x, "assign", subject, _emit(x, "instance", class_))
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
    return _emit(x, "item", _one(values, "value"), key if known else _operand(key))


def _type_arguments(x: Extractor, node: Node, values: Values) -> Operand:
    operands = _operands(values)
    return operands[0] if len(operands) == 1 else _emit(x, "tuple", operands)


def _generic_type(x: Extractor, node: Node, values: Values) -> int:
    operands = _operands(values)
    return _emit(
        x, "item", operands[0] if operands else UNKNOWN, operands[1] if len(operands) > 1 else UNKNOWN
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
        operand = _emit(x, "attr", operand, attribute)
    return operand


def _any_of(x: Extractor, operands: tuple[Operand, ...]) -> Operand:
    known = tuple(operand for operand in operands if operand != UNKNOWN)
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    return _emit(x, "any", known)


def _any(x: Extractor, node: Node, values: Values) -> Operand:
    return _any_of(x, _operands(values))


def _conditional(x: Extractor, node: Node, values: Values) -> Operand:
    operands = _operands(values)
    return _any_of(x, (operands[0], operands[-1])) if len(operands) == 3 else UNKNOWN


def _tuple(x: Extractor, node: Node, values: Values) -> int:
    return _emit(x, "tuple", _operands(values))


def _list(x: Extractor, node: Node, values: Values) -> int:
    return _emit(x, "list", _operands(values))


def _comprehension(x: Extractor, node: Node, values: Values) -> int:
    body = next((value for role, value in values if role == "body"), UNKNOWN)
    if isinstance(body, _Pair):
        return _emit(x, "dict", ((UNKNOWN, body.value),))
    return _emit(x, "list", (_operand(body),))


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
    if value != UNKNOWN or annotation == UNKNOWN:
        _emit(x, "assign", target, value)
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
    _emit(x, "assign", _one(values, "left"), _emit(x, "elements", _one(values, "right")))


def _as(x: Extractor, node: Node, values: Values) -> _As:
    operands = _operands(values)
    return _As(operands[0], operands[-1]) if len(operands) == 2 else _As(UNKNOWN, UNKNOWN)


def _with(x: Extractor, node: Node, values: Values) -> None:
    for _, value in values:
        if isinstance(value, _As):
            _emit(x, "assign", value.target, _emit(x, "enter", value.value))


def _except(x: Extractor, node: Node, values: Values) -> None:
    for _, value in values:
        if isinstance(value, _As):
            _emit(x, "assign", value.target, _emit(x, "instance", value.value))


def _return(x: Extractor, node: Node, values: Values) -> None:
    if values and _operand(values[-1][1]) != UNKNOWN:
        _emit(x, "return", _operand(values[-1][1]))


def _raise(x: Extractor, node: Node, values: Values) -> None:
    """``raise E`` makes an instance where ``E`` is a class, which only the way of writing names tells here."""
    raised = first_named(node)
    if raised is None or raised.type not in ("identifier", "attribute"):
        return
    if x.text(raised).rpartition(".")[2][:1].isupper():
        _emit(x, "call", _operand(values[0][1]), (), (), _refer_call(x, raised))


def _yield(x: Extractor, node: Node, values: Values) -> int:
    value = _operand(values[-1][1]) if values else UNKNOWN
    if any(child.type == "from" for child in node.children[1:2]):
        value = _emit(x, "elements", value)
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
    return (_operand(values[-1][1]) if values else UNKNOWN, reference)


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
    "interpolation": _nothing,
    "parenthesized_expression": _same,
    "expression_statement": _nothing,
    "block": _nothing,
    "await": _same,
    "attribute": _attribute,
    "argument_list": _arguments,
    "keyword_argument": _keyword,
    "call": _call,
    "subscript": _subscript,
    "slice": _unknown,
    "type": _type,
    "generic_type": _generic_type,
    "type_parameter": _type_arguments,
    "boolean_operator": _any,
    "binary_operator": _any,
    "conditional_expression": _conditional,
    "comparison_operator": _unknown,
    "not_operator": _unknown,
    "unary_operator": _unknown,
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
    "augmented_assignment": _assignment,
    "named_expression": _named,
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
