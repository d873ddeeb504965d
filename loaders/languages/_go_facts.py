"""Binding facts of Go: what the type of each expression follows from.

Names of local variables, parameters and local types are looked up here, because Go's blocks are lexical; what
is left as a name belongs to the file (imports), the package or the universe. Pointers are left out: Go
follows them by itself wherever a member is selected.

===========  ===========================================  ==================================================
operation    operands                                     meaning
===========  ===========================================  ==================================================
package      name                                         the file's package clause
func         symbol, parameters, results                  a function or method; types, one per value
receiver     symbol, type                                 the receiver of a method
lambda       symbol, parameters, results                  a function literal
type         symbol, definition, parameters               a type declaration
global       name, type, value                            a constant or variable of the package
var          type, value                                  a local variable or parameter
result       value, position                              one of several results of a call
typeparam    constraint                                   a type parameter
attr         value, name                                  a selector: member, field, or name in a package
call         callee, arguments, reference                 a call or conversion
index        value, operands                              an element, or an instance of something generic
element      value                                        what is received from a channel or iterated over
key          value                                        the key that is iterated over
instance     type                                         a value of the type: composite literal, assertion
slice        element                                      type of a slice, array or variadic parameter
map          key, element                                 type of a map
chan         element                                      type of a channel
functype     parameters, results                          type of a function
struct       ((name, type), ...), ((name, type), ...)     type of a struct: fields, embedded fields
interface    ((name, functype), ...), (type, ...)         type of an interface: methods, embedded interfaces
===========  ===========================================  ==================================================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from loaders.extraction import UNKNOWN, Extractor, Operand, Values, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LEAVE", "GoState", "open_block", "open_case", "open_switch"]


_OPERAND = (int, str)


@dataclass(slots=True)
class GoState:
    """What the handlers of Go keep during a walk.

    Attributes:
        claimed: Ids of type names that are accounted for.
        blocks: Open blocks, innermost last: local name to the fact that declares it.
        switches: Open type switches, innermost last: the name that each case binds ("" for none), and the
            facts of the cases that bind it to the value itself.
    """

    claimed: set[int] = field(default_factory=set)
    blocks: list[dict[str, int]] = field(default_factory=list)
    switches: list[tuple[str, list[int]]] = field(default_factory=list)


class _Field(NamedTuple):
    names: tuple[str, ...]
    type: Operand
    embedded: bool


class _Method(NamedTuple):
    name: str
    type: int


def open_block(x: Extractor, node: Node) -> None:
    """Open a lexical block; the ``leave`` of the same node closes it."""
    x.state.blocks.append({})


def open_switch(x: Extractor, node: Node) -> None:
    """Open a switch or select; each case of a type switch binds the name of the switch anew."""
    alias = node.child_by_field_name("alias")
    x.state.switches.append((x.text(alias) if alias else "", []))
    open_block(x, node)


def open_case(x: Extractor, node: Node) -> None:
    """Open a case of a type switch; the type of its variable is filled in when the case is left."""
    open_block(x, node)
    alias, _ = x.state.switches[-1] if x.state.switches else ("", [])
    if alias:
        _declare(x, alias, x.emit("var", UNKNOWN, UNKNOWN))


def _declare(x: Extractor, name: str, fact: int) -> None:
    if x.state.blocks and name != "_":
        x.state.blocks[-1][name] = fact


def _look_up(x: Extractor, name: str) -> Operand:
    for block in reversed(x.state.blocks):
        if name in block:
            fact: int = block[name]
            return fact
    return name


def _one(values: Values, role: str) -> Operand:
    """The operand that a field left behind."""
    for found, value in values:
        if found == role and isinstance(value, _OPERAND):
            operand: Operand = value
            return operand
    return UNKNOWN


def _is_operand(value: Any) -> bool:
    return isinstance(value, _OPERAND)


def _many(values: Values, role: str) -> tuple[Operand, ...]:
    """The operands of a field that holds a list; a single value counts as a list of one."""
    for found, value in values:
        if found == role:
            return value if type(value) is tuple else (value,) if isinstance(value, _OPERAND) else ()
    return ()


def _name(x: Extractor, node: Node, values: Values) -> Operand:
    name = x.text(node)
    return _look_up(x, name) if name else UNKNOWN


def _unknown(x: Extractor, node: Node, values: Values) -> Operand:
    return UNKNOWN


def _same(x: Extractor, node: Node, values: Values) -> Operand:
    return values[-1][1] if values and _is_operand(values[-1][1]) else UNKNOWN


def _list(x: Extractor, node: Node, values: Values) -> tuple[Operand, ...]:
    return tuple([value if isinstance(value, _OPERAND) else UNKNOWN for _, value in values])


def _close_block(x: Extractor, node: Node, values: Values) -> None:
    x.state.blocks.pop()


def _selector(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("field")
    return x.emit("attr", _one(values, "operand"), x.text(name) if name else "")


def _qualified_type(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("name")
    return x.emit("attr", _one(values, "package"), x.text(name) if name else "")


def _call(x: Extractor, node: Node, values: Values) -> int:
    callee = node.child_by_field_name("function")
    while callee is not None and callee.type in ("parenthesized_expression", "index_expression"):
        callee = first_named(callee)
    if callee is None:
        return UNKNOWN
    name = callee.child_by_field_name("field") if callee.type == "selector_expression" else None
    if name is not None:
        reference = x.refer("call", callee, name, callee.child_by_field_name("operand"))
    else:
        reference = x.refer("call", callee, callee)
    return x.emit("call", _one(values, "function"), _many(values, "arguments"), reference)


def _conversion(x: Extractor, node: Node, values: Values) -> int:
    """A conversion, or the call of an instance of a generic function, which looks the same."""
    type_ = node.child_by_field_name("type")
    reference = UNKNOWN
    if type_ is not None and type_.type == "generic_type":
        base = type_.child_by_field_name("type")
        name = base.child_by_field_name("name") if base and base.type == "qualified_type" else base
        if base is not None and name is not None:
            reference = x.refer("call", base, name, base.child_by_field_name("package"))
    return x.emit("call", _one(values, "type"), _many(values, "operand"), reference)


def _index(x: Extractor, node: Node, values: Values) -> int:
    base, *rest = [value for _, value in values] or [UNKNOWN]
    operands: list[Operand] = []
    for value in rest:
        operands += value if type(value) is tuple else (value,) if _is_operand(value) else ()
    return x.emit("index", base if _is_operand(base) else UNKNOWN, tuple(operands))


def _unary(x: Extractor, node: Node, values: Values) -> Operand:
    value = _one(values, "operand")
    if any(child.type == "<-" for child in node.children[:1]):
        return x.emit("element", value)
    return value


def _binary(x: Extractor, node: Node, values: Values) -> Operand:
    left = _one(values, "left")
    return _one(values, "right") if left == UNKNOWN else left


def _instance(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("instance", _one(values, "type"))


def _slice(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("slice", _one(values, "element"))


def _map(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("map", _one(values, "key"), _one(values, "value"))


def _chan(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("chan", _one(values, "value"))


def _functype(x: Extractor, node: Node, values: Values) -> int:
    x.state.blocks.pop()
    return x.emit("functype", _many(values, "parameters"), _many(values, "result"))


def _names(x: Extractor, node: Node) -> list[str]:
    return [x.text(name) for name in node.children_by_field_name("name") if name.is_named]


def _field(x: Extractor, node: Node, values: Values) -> _Field:
    names = _names(x, node)
    if names:
        return _Field(tuple(names), _one(values, "type"), embedded=False)
    type_ = node.child_by_field_name("type")
    while type_ is not None and type_.type not in ("type_identifier", "qualified_type"):
        type_ = type_.child_by_field_name("type") or first_named(type_)
    name = x.text(type_).rpartition(".")[2] if type_ else ""
    return _Field((name,), _one(values, "type"), embedded=True)


def _struct(x: Extractor, node: Node, values: Values) -> int:
    fields = [value for _, value in values if isinstance(value, _Field)]
    members = [(name, found.type, found.embedded) for found in fields for name in found.names]
    return x.emit(
        "struct",
        tuple((name, type_) for name, type_, embedded in members if not embedded),
        tuple((name, type_) for name, type_, embedded in members if embedded),
    )


def _method_element(x: Extractor, node: Node, values: Values) -> _Method:
    name = node.child_by_field_name("name")
    return _Method(x.text(name) if name else "", _functype(x, node, values))


def _interface(x: Extractor, node: Node, values: Values) -> int:
    methods = tuple(tuple(value) for _, value in values if isinstance(value, _Method))
    embedded = tuple(value for _, value in values if _is_operand(value))
    return x.emit("interface", methods, embedded)


def _type_element(x: Extractor, node: Node, values: Values) -> Operand | None:
    """The one type of an element; a union of several says nothing about methods."""
    return (
        values[0][1] if len(values) == 1 and _is_operand(values[0][1]) and values[0][1] != UNKNOWN else None
    )


def _parameter(x: Extractor, node: Node, values: Values) -> tuple[Operand, ...]:
    type_ = _one(values, "type")
    names = _names(x, node)
    for name in names:
        _declare(x, name, x.emit("var", type_, UNKNOWN))
    return (type_,) * max(1, len(names))


def _variadic(x: Extractor, node: Node, values: Values) -> tuple[Operand, ...]:
    type_ = x.emit("slice", _one(values, "type"))
    for name in _names(x, node):
        _declare(x, name, x.emit("var", type_, UNKNOWN))
    return (type_,)


def _parameters(x: Extractor, node: Node, values: Values) -> tuple[Operand, ...]:
    return tuple(type_ for _, types in values if type(types) is tuple for type_ in types)


def _type_parameter(x: Extractor, node: Node, values: Values) -> tuple[int, ...]:
    parameters = tuple(x.emit("typeparam", _one(values, "type")) for _ in _names(x, node))
    for name, parameter in zip(_names(x, node), parameters, strict=True):
        _declare(x, name, parameter)
    return parameters


def _function(x: Extractor, node: Node, values: Values) -> None:
    x.state.blocks.pop()
    x.emit("func", x.scope, _many(values, "parameters"), _many(values, "result"))
    receiver = _many(values, "receiver")
    if receiver:
        x.emit("receiver", x.scope, receiver[0])


def _lambda(x: Extractor, node: Node, values: Values) -> int:
    x.state.blocks.pop()
    return x.emit("lambda", x.scope, _many(values, "parameters"), _many(values, "result"))


def _type_declaration(x: Extractor, node: Node, values: Values) -> None:
    x.state.blocks.pop()
    fact = x.emit("type", x.scope, _one(values, "type"), _many(values, "type_parameters"))
    name = node.child_by_field_name("name")
    if name is not None:
        _declare(x, x.text(name), fact)


def _bind(
    x: Extractor, names: list[str], type_: Operand, values: tuple[Operand, ...]
) -> list[tuple[str, Any]]:
    """Each name with its value: its own one, or its share of the one call on the right."""
    if len(values) == len(names) or len(values) != 1:
        return list(zip(names, values or (UNKNOWN,) * len(names), strict=False))
    return [(name, x.emit("result", values[0], position)) for position, name in enumerate(names)]


def _variables(x: Extractor, node: Node, values: Values) -> None:
    type_, names = _one(values, "type"), _names(x, node)
    for name, value in _bind(x, names, type_, _many(values, "value")):
        if x.scope == -1:
            x.emit("global", name, type_, value)
        else:
            _declare(x, name, x.emit("var", type_, value))


def _targets(x: Extractor, node: Node) -> list[str]:
    left = node.child_by_field_name("left")
    return [x.text(name) for name in left.named_children] if left else []


def _short_declaration(x: Extractor, node: Node, values: Values) -> None:
    """``:=`` declares the names that the innermost block does not have yet."""
    for name, value in _bind(x, _targets(x, node), UNKNOWN, _many(values, "right")):
        if not x.state.blocks or name not in x.state.blocks[-1]:
            _declare(x, name, x.emit("var", UNKNOWN, value))


def _range(x: Extractor, node: Node, values: Values) -> None:
    source = _one(values, "right")
    if any(child.type == ":=" for child in node.children):
        for name, operation in zip(_targets(x, node), ("key", "element"), strict=False):
            _declare(x, name, x.emit("var", UNKNOWN, x.emit(operation, source)))


def _receive(x: Extractor, node: Node, values: Values) -> None:
    if any(child.type == ":=" for child in node.children):
        for name in _targets(x, node)[:1]:
            _declare(x, name, x.emit("var", UNKNOWN, _one(values, "right")))


def _type_case(x: Extractor, node: Node, values: Values) -> None:
    block = x.state.blocks.pop()
    alias, undecided = x.state.switches[-1] if x.state.switches else ("", [])
    if alias in block:
        types = [value for role, value in values if role == "type"]
        if len(types) == 1:
            x.facts[block[alias]] = ("var", types[0], UNKNOWN)
        else:
            undecided.append(block[alias])


def _switch(x: Extractor, node: Node, values: Values) -> None:
    x.state.blocks.pop()
    _, undecided = x.state.switches.pop()
    for fact in undecided:
        x.facts[fact] = ("var", UNKNOWN, _one(values, "value"))


def _package(x: Extractor, node: Node, values: Values) -> None:
    name = first_named(node)
    if name is not None:
        x.emit("package", x.text(name))


LEAVE = {
    "package_clause": _package,
    "identifier": _name,
    "type_identifier": _name,
    "package_identifier": _name,
    "nil": _unknown,
    "true": _unknown,
    "false": _unknown,
    "iota": _unknown,
    "int_literal": _unknown,
    "float_literal": _unknown,
    "imaginary_literal": _unknown,
    "rune_literal": _unknown,
    "interpreted_string_literal": _unknown,
    "raw_string_literal": _unknown,
    "parenthesized_expression": _same,
    "parenthesized_type": _same,
    "pointer_type": _same,
    "type_constraint": _same,
    "variadic_argument": _same,
    "expression_list": _list,
    "argument_list": _list,
    "type_arguments": _list,
    "selector_expression": _selector,
    "qualified_type": _qualified_type,
    "call_expression": _call,
    "type_conversion_expression": _conversion,
    "index_expression": _index,
    "generic_type": _index,
    "type_instantiation_expression": _index,
    "slice_expression": lambda x, node, values: _one(values, "operand"),
    "unary_expression": _unary,
    "binary_expression": _binary,
    "composite_literal": _instance,
    "type_assertion_expression": _instance,
    "slice_type": _slice,
    "array_type": _slice,
    "implicit_length_array_type": _slice,
    "map_type": _map,
    "channel_type": _chan,
    "function_type": _functype,
    "field_declaration": _field,
    "struct_type": _struct,
    "method_elem": _method_element,
    "type_elem": _type_element,
    "negated_type": _unknown,
    "interface_type": _interface,
    "parameter_declaration": _parameter,
    "variadic_parameter_declaration": _variadic,
    "parameter_list": _parameters,
    "type_parameter_declaration": _type_parameter,
    "type_parameter_list": _parameters,
    "function_declaration": _function,
    "method_declaration": _function,
    "func_literal": _lambda,
    "type_spec": _type_declaration,
    "type_alias": _type_declaration,
    "var_spec": _variables,
    "const_spec": _variables,
    "short_var_declaration": _short_declaration,
    "range_clause": _range,
    "receive_statement": _receive,
    "block": _close_block,
    "if_statement": _close_block,
    "for_statement": _close_block,
    "expression_switch_statement": _switch,
    "select_statement": _switch,
    "expression_case": _close_block,
    "default_case": _type_case,
    "type_case": _type_case,
    "type_switch_statement": _switch,
    "communication_case": _close_block,
}
