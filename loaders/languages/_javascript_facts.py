"""Binding facts of JavaScript and TypeScript: what the type of each expression follows from.

Blocks are numbered: 0 is the module, a ``block`` fact opens the next one inside another. A name is looked up from its
block when facts are resolved, because functions and classes are in force before the line that declares them. An
``at`` is the byte offset of a name, by which its symbol is found. Text with a leading quote is a literal. An
operand that stands for a type is a fact of the second half of this list, or UNKNOWN.

==========  ==============================================  ================================================
operation   operands                                        meaning
==========  ==============================================  ================================================
block       outer block                                     the next block
var         block, name, type, value, at                    a variable, function or class that a block binds
param       type, default, is rest                          a parameter; patterns take it apart
field       symbol, name, value, at                         a field that the constructor's parameter declares
function    symbol, params, result, flags, type params      a function; flags: ``a`` async, ``g`` getter,
                                                            ``s`` static, ``*`` generator, ``d`` no body
class       at, members, bases, interfaces, type params     a class; bases are (value, type arguments),
                                                            members (name, flags, type, value, at)
namespace   inner block                                     a namespace
enum        at                                              an enumeration
object      members, spread values                          an object literal; members as of a class
array       values                                          an array literal
name        block, name                                     the use of a name
this        block, symbol                                   ``this`` in a function, or a class's field
super       symbol                                          ``super`` in a method
attr        value, name                                     a property
item        value, key                                      an element
element     value                                           what ``for ... of`` gives
rest        value                                           what ``...rest`` takes of it
await       value                                           what a promise gives
call        callee, arguments, reference, type arguments    a call
new         callee, arguments, reference, type arguments    a construction
any         values or types                                 one of several
as          type                                            a value of the type
made        class                                           a value that ``instanceof`` says is of the class
assign      target, value                                   an assignment to a name or property
return      symbol, value                                   what a function returns
export      name, value                                     a property of ``exports``; ``export=`` is all of it
----------  ----------------------------------------------  ------------------------------------------------
typename    block, name, reference                          a type by its name
member      type or name, name, reference                   a type of a namespace
generic     type, arguments                                 a type with type arguments
typeparam   block, name, constraint, default                a type parameter
interface   block, name, at, shape, bases, type params      an interface; bases are types
alias       block, name, at, type, type params              a type alias
shape       members, functions, constructors                an object type
functype    params, result, type params                     a function type
listof      type                                            an array type
tuple       types                                           a tuple type
all         types                                           an intersection
typeof      value                                           ``typeof value`` in a type
indexed     type, key                                       ``Type["key"]``
thistype    symbol                                          ``this`` as a type
==========  ==============================================  ================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from loaders.extraction import UNKNOWN, Extractor, Leave, Operand, Values
from loaders.languages._nodes import first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LEAVE", "TYPE_LEAVE", "Flow", "narrow", "open_block", "open_class", "open_function"]

_LITERAL = "'"
_KEY_LENGTH = 60
_DOC_TAG = re.compile(r"@(param|returns?)\s*\{([^{}\n]{1,100})\}(?:[ \t]+\[?(\w+))?")
_DOC_TYPE = re.compile(r"@type\s*\{([^{}\n]{1,100})\}")
_DECLARES = re.compile(rb"[ \t]*(?:export[ ]+)?(?:const|let|var|static)?[ ]*")
_DOC_GENERIC = re.compile(r"(\w+)\.?<([^<>]*)>")
_DOC_NAME = re.compile(r"[A-Z]\w*")


@dataclass(slots=True)
class Flow:
    """What the handlers of facts keep during a walk.

    Attributes:
        block: The innermost open block; ``blocks`` are those around it.
        count: Number of blocks so far.
        functions: Block of each open function, innermost last: where ``var`` binds.
        receivers: Symbol of each function, and class, that gives ``this`` its meaning, innermost last.
        names: The fact of each name that was used, by block.
        references: Reference of each open call and type name, by the id of its node.
        narrowed: Variable and class by the id of the block in which ``instanceof`` holds.
        required: Ids of the declarators that are imports.
        docs: Types that the doc comment of each open function states, innermost last: by the name of the
            parameter, and by the empty name for the result.
    """

    block: int = 0
    blocks: list[int] = field(default_factory=list)
    count: int = 0
    functions: list[int] = field(default_factory=lambda: [0])
    receivers: list[int] = field(default_factory=list)
    names: dict[tuple[int, str], int] = field(default_factory=dict)
    references: dict[int, int] = field(default_factory=dict)
    narrowed: dict[int, tuple[str, str]] = field(default_factory=dict)
    required: set[int] = field(default_factory=set)
    docs: list[dict[str, str]] = field(default_factory=list)


class _Member(NamedTuple):
    name: str
    flags: str
    type: Operand
    value: Operand
    at: int


class _Parameter(NamedTuple):
    fact: int


class _Declarator(NamedTuple):
    pattern: Node | None
    type: Operand
    value: Operand


class _TypeParameters(NamedTuple):
    facts: tuple[int, ...]


class _Arguments(NamedTuple):
    """Arguments of a call, or of a type."""

    operands: tuple[Operand, ...]


class _Spread(NamedTuple):
    value: Operand


class _Type(NamedTuple):
    """The type of an annotation."""

    operand: Operand


class _Heritage(NamedTuple):
    bases: tuple[tuple[Operand, tuple[Operand, ...]], ...] = ()
    interfaces: tuple[Operand, ...] = ()


class _Body(NamedTuple):
    block: int


class _CallSignature(NamedTuple):
    fact: int
    constructs: bool


# ---- blocks


def open_block(x: Extractor, node: Node) -> None:
    """Open a lexical block; the ``leave`` of the same node closes it."""
    flow: Flow = x.state.flow
    x.emit("block", flow.block)
    flow.blocks.append(flow.block)
    flow.count += 1
    flow.block = flow.count
    narrowed = flow.narrowed.pop(node.id, None)
    if narrowed is not None:
        name, class_ = narrowed
        made = x.emit("made", _use(x, class_))
        x.emit("var", flow.block, name, UNKNOWN, made, -1)


def open_function(x: Extractor, node: Node) -> None:
    """Open the block of a function; its symbol's scope is open already."""
    open_block(x, node)
    x.state.flow.functions.append(x.state.flow.block)
    x.state.flow.docs.append(_stated(x.doc_of(x.scope) or x.comment_above(x.start_of(x.scope))))
    if node.type != "arrow_function":
        x.state.flow.receivers.append(x.scope)


def _stated(doc: str) -> dict[str, str]:
    """Types in a JSDoc comment.

    >>> _stated("/** @param {Cart} cart - what * @returns {Promise<Item[]>} */")
    {'cart': 'Cart', '': 'Promise<Item[]>'}
    """
    if "{" not in doc:
        return {}
    return {name if tag == "param" else "": type_ for tag, type_, name in _DOC_TAG.findall(doc)}


def _documented(x: Extractor, name: str) -> Operand:
    """The type that the doc comment of the innermost function states for a parameter, or its result."""
    flow: Flow = x.state.flow
    return _type_of_text(x, flow.docs[-1].get(name, "") if flow.docs else "")


def _declared(x: Extractor, node: Node) -> Operand:
    """The type that ``@type`` states in the comment above a declaration or an assignment."""
    start = x.line_start(node)
    if not _DECLARES.fullmatch(x.data, start, node.start_byte):
        return UNKNOWN
    stated = _DOC_TYPE.search(x.comment_above(start))
    return _type_of_text(x, stated[1]) if stated else UNKNOWN


def _type_of_text(x: Extractor, text: str) -> Operand:
    """The type that a doc comment writes, as ``Cart``, ``Cart[]``, ``Map<string, Cart>`` or ``(Cart | null)``."""
    text = text.strip()
    if text[:1] == "(" and text[-1:] == ")":
        text = text[1:-1]
    options = [_documented_option(x, option.strip()) for option in text.split("|")] if text else []
    return _known(x, tuple(options))


def _documented_option(x: Extractor, text: str) -> Operand:
    block = x.state.flow.block
    if text.endswith("[]"):
        return x.emit("listof", _documented_option(x, text[:-2]))
    generic = _DOC_GENERIC.fullmatch(text)
    if generic is not None:
        arguments = tuple(_documented_option(x, one.strip()) for one in generic[2].split(","))
        return x.emit("generic", x.emit("typename", block, generic[1], UNKNOWN), arguments)
    return x.emit("typename", block, text, UNKNOWN) if _DOC_NAME.fullmatch(text) else UNKNOWN


def open_class(x: Extractor, node: Node) -> None:
    """Open the block of a class, in which its type parameters are bound."""
    open_block(x, node)
    x.state.flow.receivers.append(x.scope)


def narrow(x: Extractor, node: Node) -> None:
    """Note that ``if (name instanceof Class)`` holds in the block that follows."""
    condition, then = (
        first_child(node.child_by_field_name("condition")),
        node.child_by_field_name("consequence"),
    )
    if condition is None or then is None or condition.type != "binary_expression":
        return
    left, right = condition.child_by_field_name("left"), condition.child_by_field_name("right")
    names = [part for part in (left, right) if part is not None and part.type == "identifier"]
    if len(names) == 2 and has_token(condition, "instanceof"):
        x.state.flow.narrowed[then.id] = (x.text(names[0]), x.text(names[1]))


def _close_block(x: Extractor) -> int:
    flow: Flow = x.state.flow
    closed, flow.block = flow.block, flow.blocks.pop()
    return closed


def _block(x: Extractor, node: Node, values: Values) -> _Body:
    return _Body(_close_block(x))


# ---- what children left behind


_OPERANDS = (int, str)  # made once: these are asked for at every other node
_VALUES = (int, str, _Type)


def _operand(value: Any) -> Operand:
    if isinstance(value, _OPERANDS):
        return value
    return value.operand if isinstance(value, _Type) else UNKNOWN


def _one(values: Values, role: str) -> Operand:
    for found, value in values:
        if found == role and isinstance(value, _VALUES):
            return _operand(value)
    return UNKNOWN


def _last(values: Values) -> Operand:
    return next((_operand(v) for _, v in reversed(values) if isinstance(v, _VALUES)), UNKNOWN)


def _operands(values: Values) -> tuple[Operand, ...]:
    return tuple([_operand(value) for _, value in values])


def _known(x: Extractor, operands: tuple[Operand, ...], operation: str = "any") -> Operand:
    known = tuple(operand for operand in operands if operand != UNKNOWN)
    if len(known) < 2:
        return known[0] if known else UNKNOWN
    return x.emit(operation, known)


def _arguments_of(values: Values, role: str) -> tuple[Operand, ...]:
    found = next((v for r, v in values if r == role and isinstance(v, _Arguments)), _Arguments(()))
    return found.operands


def _type_parameters_of(values: Values) -> tuple[int, ...]:
    return next((value.facts for _, value in values if isinstance(value, _TypeParameters)), ())


def _same(x: Extractor, node: Node, values: Values) -> Operand:
    return _last(values)


def _unknown(x: Extractor, node: Node, values: Values) -> int:
    return UNKNOWN


def _literal(x: Extractor, node: Node, values: Values) -> str:
    return _LITERAL


def _string(x: Extractor, node: Node, values: Values) -> str:
    text = x.text(node)[1:-1]
    return _LITERAL + (text if len(text) <= _KEY_LENGTH else "")


# ---- names and patterns


def _use(x: Extractor, name: str) -> int:
    flow: Flow = x.state.flow
    key = (flow.block, name)
    if key not in flow.names:
        flow.names[key] = x.emit("name", flow.block, name)
    return flow.names[key]


def _name(x: Extractor, node: Node, values: Values) -> Operand:
    name = x.text(node)
    return UNKNOWN if not name or name == "undefined" else _use(x, name)


def _this(x: Extractor, node: Node, values: Values) -> int:
    flow: Flow = x.state.flow
    return x.emit("this", flow.block, flow.receivers[-1] if flow.receivers else -1)


def _super(x: Extractor, node: Node, values: Values) -> int:
    flow: Flow = x.state.flow
    return x.emit("super", flow.receivers[-1] if flow.receivers else -1)


def _bind(x: Extractor, block: int, pattern: Node | None, type_: Operand, value: Operand) -> None:
    """Bind each name of a pattern to its part of a value."""
    pending = [(pattern, type_, value)]
    while pending:
        node, type_, value = pending.pop()
        if node is None:
            continue
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            x.emit("var", block, x.text(node), type_, value, node.start_byte)
        elif node.type in ("object_pattern", "array_pattern"):
            whole = x.emit("as", type_) if type_ != UNKNOWN else value
            for position, part in enumerate(node.named_children):
                pending.append((part, UNKNOWN, _part(x, node.type, part, whole, position)))
        elif node.type == "pair_pattern":
            pending.append((node.child_by_field_name("value"), UNKNOWN, value))
        elif node.type in ("object_assignment_pattern", "assignment_pattern"):
            pending.append((node.child_by_field_name("left"), type_, value))
        elif node.type == "rest_pattern":
            pending.append((first_child(node), type_, value))


def _part(x: Extractor, pattern: str, part: Node, whole: Operand, position: int) -> Operand:
    if whole == UNKNOWN:
        return UNKNOWN
    if part.type == "rest_pattern":
        return x.emit("rest", whole)
    if pattern == "array_pattern":
        return x.emit("item", whole, f"{_LITERAL}{position}")
    key = part.child_by_field_name("key") or part.child_by_field_name("left") or part
    return x.emit("attr", whole, x.text(key).strip("'\""))


def _declarator(x: Extractor, node: Node, values: Values) -> _Declarator | None:
    if node.id in x.state.flow.required:
        return None
    type_ = _one(values, "type")
    if type_ == UNKNOWN:
        type_ = _declared(x, node)
    return _Declarator(node.child_by_field_name("name"), type_, _one(values, "value"))


def _declaration(x: Extractor, node: Node, values: Values) -> None:
    """``let`` and ``const`` bind in the block that they stand in, ``var`` in the function."""
    flow: Flow = x.state.flow
    block = flow.functions[-1] if node.type == "variable_declaration" else flow.block
    for _, value in values:
        if isinstance(value, _Declarator):
            _bind(x, block, value.pattern, value.type, value.value)


def _loop(x: Extractor, node: Node, values: Values) -> None:
    _close_block(x)


def _for_in(x: Extractor, node: Node, values: Values) -> None:
    source = _one(values, "right")
    is_of = has_token(node, "of")
    block = _close_block(x)
    _bind(
        x, block, node.child_by_field_name("left"), UNKNOWN, x.emit("element", source) if is_of else _LITERAL
    )


def _catch(x: Extractor, node: Node, values: Values) -> None:
    block = _close_block(x)
    _bind(x, block, node.child_by_field_name("parameter"), UNKNOWN, UNKNOWN)


# ---- functions


def _typed_parameter(x: Extractor, node: Node, values: Values) -> _Parameter:
    pattern = node.child_by_field_name("pattern")
    type_, default = _one(values, "type"), _one(values, "value")
    if pattern is not None and pattern.type == "this":  # it declares what `this` is, and is not passed
        x.emit("var", x.state.flow.block, "this", type_, UNKNOWN, UNKNOWN)
        return _Parameter(UNKNOWN)
    parameter = _parameter(x, pattern, type_, default)
    if pattern is not None and has_token(node, "accessibility_modifier", "readonly", "override_modifier"):
        x.emit("field", x.scope, x.text(pattern), parameter.fact, pattern.start_byte)
    return parameter


def _parameter(x: Extractor, pattern: Node | None, type_: Operand, default: Operand) -> _Parameter:
    rest = pattern is not None and pattern.type == "rest_pattern"
    if type_ == UNKNOWN and pattern is not None:
        type_ = _documented(x, x.text(pattern.child_by_field_name("left") or pattern))
    fact = x.emit("param", type_, default, rest)
    _bind(x, x.state.flow.block, pattern, UNKNOWN, fact)
    return _Parameter(fact)


def _parameters(x: Extractor, node: Node, values: Values) -> tuple[_Parameter, ...]:
    """The parameters; JavaScript's are patterns without a node of their own."""
    if any(isinstance(value, _Parameter) for _, value in values):
        return tuple(value for _, value in values if isinstance(value, _Parameter))
    return tuple(
        _parameter(x, child, UNKNOWN, UNKNOWN) for child in node.named_children if child.type != "comment"
    )


def _parameter_facts(x: Extractor, node: Node, values: Values) -> tuple[int, ...]:
    single = node.child_by_field_name("parameter")
    if single is not None:
        return (_parameter(x, single, UNKNOWN, UNKNOWN).fact,)
    found = next((value for role, value in values if role == "parameters" and type(value) is tuple), ())
    return tuple(
        parameter.fact for parameter in found if isinstance(parameter, _Parameter) and parameter.fact >= 0
    )


def _close_function(x: Extractor, node: Node, values: Values) -> int:
    """Emit the function that the walk leaves."""
    flow: Flow = x.state.flow
    parameters = _parameter_facts(x, node, values)
    body = _one(values, "body")
    symbol = x.scope
    result = _one(values, "return_type")
    result = _documented(x, "") if result == UNKNOWN else result
    if node.type == "arrow_function" and body != UNKNOWN:
        x.emit("return", symbol, body)
    fact = x.emit("function", symbol, parameters, result, _flags(node), _type_parameters_of(values))
    flow.functions.pop()
    flow.docs.pop()
    if node.type != "arrow_function":
        flow.receivers.pop()
    _close_block(x)
    return fact


def _flags(node: Node) -> str:
    flags = "".join(_FLAGS.get(child.type, "") for child in node.children)
    return flags if node.child_by_field_name("body") is not None else flags + "d"


_FLAGS = {"async": "a", "get": "g", "set": "w", "static": "s", "*": "*"}


def _function_declaration(x: Extractor, node: Node, values: Values) -> None:
    fact = _close_function(x, node, values)
    _bind(x, x.state.flow.block, node.child_by_field_name("name"), UNKNOWN, fact)


def _function_value(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("name")
    inner = x.state.flow.block
    fact = _close_function(x, node, values)
    _bind(x, inner, name, UNKNOWN, fact)
    return fact


def _method(x: Extractor, node: Node, values: Values) -> _Member:
    fact = _close_function(x, node, values)
    name, at = _member_name(x, node.child_by_field_name("name"))
    return _Member(name, _flags(node), UNKNOWN, fact, at)


def _member_name(x: Extractor, name: Node | None) -> tuple[str, int]:
    if name is None:
        return "", -1
    if name.type == "string":
        inner = first_child(name)
        return (x.text(inner), inner.start_byte) if inner is not None else ("", -1)
    return ("", -1) if name.type == "computed_property_name" else (x.text(name), name.start_byte)


def _return(x: Extractor, node: Node, values: Values) -> None:
    value = _last(values)
    if value != UNKNOWN:
        x.emit("return", x.scope, value)


# ---- classes and objects


def _field(x: Extractor, node: Node, values: Values) -> _Member:
    name, at = _member_name(x, node.child_by_field_name("name") or node.child_by_field_name("property"))
    type_ = _one(values, "type")
    if type_ == UNKNOWN:
        type_ = _declared(x, node)
    return _Member(name, _flags(node).replace("d", ""), type_, _one(values, "value"), at)


def _members_of(values: Values) -> tuple[_Member, ...]:
    return tuple(value for _, value in values if isinstance(value, _Member) and value.name)


def _class_body(x: Extractor, node: Node, values: Values) -> tuple[_Member, ...]:
    return _members_of(values)


def _heritage(x: Extractor, node: Node, values: Values) -> _Heritage:
    """What a class extends and implements; JavaScript's has no clauses."""
    parts = [value for _, value in values if isinstance(value, _Heritage)]
    if not parts:
        return _Heritage(tuple((operand, ()) for operand in _operands(values)))
    return _Heritage(sum((p.bases for p in parts), ()), sum((p.interfaces for p in parts), ()))


def _extends(x: Extractor, node: Node, values: Values) -> _Heritage:
    return _Heritage(((_one(values, "value"), _arguments_of(values, "type_arguments")),))


def _implements(x: Extractor, node: Node, values: Values) -> _Heritage:
    return _Heritage((), _operands(values))


def _class(x: Extractor, node: Node, values: Values) -> int:
    flow: Flow = x.state.flow
    flow.receivers.pop()
    heritage = next((value for _, value in values if isinstance(value, _Heritage)), _Heritage())
    members = next((value for role, value in values if role == "body"), ())
    name = node.child_by_field_name("name")
    inner = flow.block
    fact = x.emit(
        "class",
        x.scope,
        tuple(map(tuple, members)),
        heritage.bases,
        heritage.interfaces,
        _type_parameters_of(values),
    )
    _close_block(x)
    _bind_type(x, inner if node.type == "class" else flow.block, name, fact)
    return fact


def _bind_type(x: Extractor, block: int, name: Node | None, fact: int) -> None:
    if name is not None:
        x.emit("var", block, x.text(name), UNKNOWN, fact, name.start_byte)


def _class_declaration(x: Extractor, node: Node, values: Values) -> None:
    _class(x, node, values)


def _object(x: Extractor, node: Node, values: Values) -> int:
    spreads = tuple(value.value for _, value in values if isinstance(value, _Spread))
    return x.emit("object", tuple(map(tuple, _members_of(values))), spreads)


def _pair(x: Extractor, node: Node, values: Values) -> _Member:
    name, at = _member_name(x, node.child_by_field_name("key"))
    return _Member(name, "", UNKNOWN, _one(values, "value"), at)


def _shorthand(x: Extractor, node: Node, values: Values) -> _Member:
    return _Member(x.text(node), "", UNKNOWN, _use(x, x.text(node)), node.start_byte)


def _spread(x: Extractor, node: Node, values: Values) -> _Spread:
    return _Spread(_last(values))


def _array(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("array", tuple(v if isinstance(v, _OPERANDS) else UNKNOWN for _, v in values))


# ---- expressions


def _attribute(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("property")
    return x.emit("attr", _one(values, "object"), x.text(name) if name else "")


def _subscript(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("item", _one(values, "object"), _one(values, "index"))


def _arguments(x: Extractor, node: Node, values: Values) -> _Arguments:
    return _Arguments(_operands(values))


def _call(x: Extractor, node: Node, values: Values) -> Operand:
    operation = "new" if node.type == "new_expression" else "call"
    callee = _one(values, "constructor" if operation == "new" else "function")
    reference = x.state.flow.references.pop(node.id, UNKNOWN)
    types = _arguments_of(values, "type_arguments")
    return x.emit(operation, callee, _arguments_of(values, "arguments"), reference, types)


def _use_as_call(x: Extractor, node: Node, values: Values) -> None:
    """A decorator or a component: what is named is called, though it does not look so."""
    reference = x.state.flow.references.pop(node.id, UNKNOWN)
    if reference != UNKNOWN:
        x.emit("call", _last(values) if node.type == "decorator" else _one(values, "name"), (), reference, ())


def _await(x: Extractor, node: Node, values: Values) -> Operand:
    value = _last(values)
    return value if value == UNKNOWN else x.emit("await", value)


def _binary(x: Extractor, node: Node, values: Values) -> Operand:
    if has_token(node, "&&"):
        return _one(values, "right")
    if has_token(node, "||", "??"):
        return _known(x, (_one(values, "left"), _one(values, "right")))
    return _LITERAL


def _conditional(x: Extractor, node: Node, values: Values) -> Operand:
    return _known(x, (_one(values, "consequence"), _one(values, "alternative")))


def _sequence(x: Extractor, node: Node, values: Values) -> Operand:
    return _last(values)


def _assignment(x: Extractor, node: Node, values: Values) -> Operand:
    left, value = node.child_by_field_name("left"), _one(values, "right")
    if left is None:
        return value
    exported = _exported_name(x, left)
    if exported:
        x.emit("export", exported, value, (left.child_by_field_name("property") or left).start_byte)
    elif left.type in ("identifier", "member_expression"):
        stated = _declared(x, node)
        value = value if stated == UNKNOWN else x.emit("as", stated)
        x.emit(
            "assign", _one(values, "left"), value, (left.child_by_field_name("property") or left).start_byte
        )
    return value


def _exported_name(x: Extractor, target: Node) -> str:
    """The name under which ``exports.name = ...`` exports; empty for other assignments."""
    text = x.text(target)
    if text == "module.exports":
        return "export="
    owner, _, name = text.rpartition(".")
    return name if owner in ("exports", "module.exports") else ""


def _export(x: Extractor, node: Node, values: Values) -> None:
    default = next((child for child in node.children if child.type == "default"), None)
    value = _one(values, "value")
    if default is not None and node.child_by_field_name("value") is not None:
        x.emit("var", 0, "default", UNKNOWN, value, default.start_byte)


# ---- types


def _annotation(x: Extractor, node: Node, values: Values) -> _Type:
    return _Type(_last(values))


def _predefined(x: Extractor, node: Node, values: Values) -> Operand:
    return UNKNOWN if x.text(node) in ("any", "unknown", "object", "never") else _LITERAL


def _type_name(x: Extractor, node: Node, values: Values) -> int:
    flow: Flow = x.state.flow
    return x.emit("typename", flow.block, x.text(node), flow.references.pop(node.id, UNKNOWN))


def _nested_type(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("name")
    reference = x.state.flow.references.pop(node.id, UNKNOWN)
    return x.emit("member", _one(values, "module"), x.text(name) if name else "", reference)


def _nested_name(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("property")
    return x.emit("attr", _one(values, "object"), x.text(name) if name else "")


def _generic(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("generic", _one(values, "name"), _arguments_of(values, "type_arguments"))


def _instantiation(x: Extractor, node: Node, values: Values) -> Operand:
    return next((_operand(v) for _, v in values if isinstance(v, _OPERANDS)), UNKNOWN)


def _type_parameter(x: Extractor, node: Node, values: Values) -> int:
    name = node.child_by_field_name("name") or first_child(node)
    text = x.text(name) if name else ""
    return x.emit("typeparam", x.state.flow.block, text, _one(values, "constraint"), _one(values, "value"))


def _type_parameters(x: Extractor, node: Node, values: Values) -> _TypeParameters:
    return _TypeParameters(tuple(value for _, value in values if isinstance(value, int)))


def _interface(x: Extractor, node: Node, values: Values) -> None:
    name = node.child_by_field_name("name")
    bases = next((value.interfaces for _, value in values if isinstance(value, _Heritage)), ())
    parameters = _type_parameters_of(values)
    x.state.flow.receivers.pop()
    _close_block(x)
    if name is not None:
        x.emit(
            "interface",
            x.state.flow.block,
            x.text(name),
            name.start_byte,
            _one(values, "body"),
            bases,
            parameters,
        )


def _alias(x: Extractor, node: Node, values: Values) -> None:
    name = node.child_by_field_name("name")
    _close_block(x)
    if name is not None:
        parameters = _type_parameters_of(values)
        x.emit("alias", x.state.flow.block, x.text(name), name.start_byte, _one(values, "value"), parameters)


def _property_signature(x: Extractor, node: Node, values: Values) -> _Member:
    name, at = _member_name(x, node.child_by_field_name("name"))
    return _Member(name, "", _one(values, "type"), UNKNOWN, at)


def _method_signature(x: Extractor, node: Node, values: Values) -> _Member:
    name, at = _member_name(x, node.child_by_field_name("name"))
    flags = _flags(node)
    return _Member(name, flags, UNKNOWN, _signature(x, node, values, "return_type"), at)


def _signature(x: Extractor, node: Node, values: Values, result: str) -> int:
    parameters = _parameter_facts(x, node, values)
    fact = x.emit("functype", parameters, _one(values, result), _type_parameters_of(values))
    _close_block(x)
    return fact


def _call_signature(x: Extractor, node: Node, values: Values) -> _CallSignature:
    return _CallSignature(_signature(x, node, values, "return_type"), constructs=False)


def _construct_signature(x: Extractor, node: Node, values: Values) -> _CallSignature:
    return _CallSignature(_signature(x, node, values, "type"), constructs=True)


def _function_type(x: Extractor, node: Node, values: Values) -> int:
    return _signature(x, node, values, "return_type")


def _constructor_type(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("shape", (), (), (_signature(x, node, values, "type"),))


def _shape(x: Extractor, node: Node, values: Values) -> int:
    signatures = [value for _, value in values if isinstance(value, _CallSignature)]
    return x.emit(
        "shape",
        tuple(map(tuple, _members_of(values))),
        tuple(s.fact for s in signatures if not s.constructs),
        tuple(s.fact for s in signatures if s.constructs),
    )


def _union(x: Extractor, node: Node, values: Values) -> Operand:
    return _known(x, _operands(values))


def _intersection(x: Extractor, node: Node, values: Values) -> Operand:
    return _known(x, _operands(values), "all")


def _list_type(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("listof", _last(values))


def _tuple_type(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("tuple", _operands(values))


def _type_query(x: Extractor, node: Node, values: Values) -> int:
    return x.emit("typeof", _last(values))


def _indexed(x: Extractor, node: Node, values: Values) -> int:
    operands = _operands(values)
    return x.emit("indexed", *operands) if len(operands) == 2 else UNKNOWN


def _this_type(x: Extractor, node: Node, values: Values) -> int:
    flow: Flow = x.state.flow
    return x.emit("thistype", flow.receivers[-1] if flow.receivers else -1)


def _as(x: Extractor, node: Node, values: Values) -> Operand:
    """``value as T``; ``as const`` and a type that says nothing leave the value as it is."""
    operands = _operands(values)
    type_ = operands[-1] if len(operands) > 1 else UNKNOWN
    return x.emit("as", type_) if type_ not in (UNKNOWN, _LITERAL) else operands[0] if operands else UNKNOWN


def _satisfies(x: Extractor, node: Node, values: Values) -> Operand:
    return next(iter(_operands(values)), UNKNOWN)


def _cast(x: Extractor, node: Node, values: Values) -> Operand:
    types = next((value.operands for _, value in values if isinstance(value, _Arguments)), (UNKNOWN,))
    return x.emit("as", types[0]) if types else UNKNOWN


def _namespace(x: Extractor, node: Node, values: Values) -> None:
    body = next((value.block for _, value in values if isinstance(value, _Body)), None)
    name = node.child_by_field_name("name")
    if body is None or name is None:
        return
    parts = x.text(name).split(".") if name.type != "string" else []
    fact = x.emit("namespace", body)
    if len(parts) == 1:
        x.emit("var", x.state.flow.block, parts[0], UNKNOWN, fact, name.start_byte)


def _enum(x: Extractor, node: Node, values: Values) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        fact = x.emit("enum", name.start_byte)
        x.emit("var", x.state.flow.block, x.text(name), UNKNOWN, fact, name.start_byte)


def _nothing(x: Extractor, node: Node, values: Values) -> None:
    return None


LEAVE: dict[str, Leave] = {
    **dict.fromkeys(("statement_block", "switch_body"), _block),
    **dict.fromkeys(("for_statement", "class_static_block"), _loop),
    "for_in_statement": _for_in,
    "catch_clause": _catch,
    "identifier": _name,
    "this": _this,
    "super": _super,
    "variable_declarator": _declarator,
    **dict.fromkeys(("lexical_declaration", "variable_declaration"), _declaration),
    "required_parameter": _typed_parameter,
    "optional_parameter": _typed_parameter,
    "formal_parameters": _parameters,
    **dict.fromkeys(
        ("function_declaration", "generator_function_declaration", "function_signature"),
        _function_declaration,
    ),
    **dict.fromkeys(("function_expression", "generator_function", "arrow_function"), _function_value),
    "method_definition": _method,
    "return_statement": _return,
    **dict.fromkeys(("field_definition", "public_field_definition"), _field),
    "class_body": _class_body,
    "class_heritage": _heritage,
    "class_declaration": _class_declaration,
    "abstract_class_declaration": _class_declaration,
    "class": _class,
    "object": _object,
    "pair": _pair,
    "shorthand_property_identifier": _shorthand,
    "spread_element": _spread,
    "array": _array,
    "member_expression": _attribute,
    "subscript_expression": _subscript,
    "arguments": _arguments,
    "call_expression": _call,
    "new_expression": _call,
    "await_expression": _await,
    "binary_expression": _binary,
    "ternary_expression": _conditional,
    "sequence_expression": _sequence,
    "parenthesized_expression": _same,
    **dict.fromkeys(("assignment_expression", "augmented_assignment_expression"), _assignment),
    "expression_statement": _nothing,
    "export_statement": _export,
    "string": _string,
    **dict.fromkeys(
        ("number", "template_string", "regex", "true", "false", "unary_expression", "update_expression"),
        _literal,
    ),
    "yield_expression": _unknown,
    **dict.fromkeys(("decorator", "jsx_opening_element", "jsx_self_closing_element"), _use_as_call),
}
"""What both languages do."""

TYPE_LEAVE: dict[str, Leave] = {
    "type_annotation": _annotation,
    **dict.fromkeys(("type_predicate_annotation", "asserts_annotation"), _literal),
    "type_identifier": _type_name,
    "predefined_type": _predefined,
    "nested_type_identifier": _nested_type,
    "nested_identifier": _nested_name,
    "generic_type": _generic,
    "instantiation_expression": _instantiation,
    "type_arguments": _arguments,
    "type_parameter": _type_parameter,
    "type_parameters": _type_parameters,
    "extends_clause": _extends,
    "implements_clause": _implements,
    "extends_type_clause": _implements,
    "interface_declaration": _interface,
    "type_alias_declaration": _alias,
    "interface_body": _shape,
    "object_type": _shape,
    "property_signature": _property_signature,
    "method_signature": _method_signature,
    "abstract_method_signature": _method_signature,
    "call_signature": _call_signature,
    "construct_signature": _construct_signature,
    "function_type": _function_type,
    "constructor_type": _constructor_type,
    "union_type": _union,
    "intersection_type": _intersection,
    "array_type": _list_type,
    "tuple_type": _tuple_type,
    **dict.fromkeys(
        ("parenthesized_type", "readonly_type", "optional_type", "rest_type", "constraint"), _same
    ),
    "default_type": _same,
    "type_query": _type_query,
    "lookup_type": _indexed,
    "this_type": _this_type,
    "literal_type": _same,
    **dict.fromkeys(("conditional_type", "index_type_query", "mapped_type_clause", "infer_type"), _unknown),
    "index_signature": _nothing,
    "non_null_expression": _same,
    "as_expression": _as,
    "satisfies_expression": _satisfies,
    "type_assertion": _cast,
    "internal_module": _namespace,
    "module": _namespace,
    "enum_declaration": _enum,
}
"""What TypeScript adds."""
