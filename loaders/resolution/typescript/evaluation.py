"""The type that each fact stands for: one function for each operation.

What is expected of a literal has one function for each thing that may surround it.

The operations are listed in ``loaders/languages/_javascript_facts.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loaders.extraction import UNKNOWN, Fact, Operand
from loaders.resolution.typescript.kinds import (
    BASIC,
    EXTERNAL,
    Declared,
    Type,
    awaited,
    container,
    element_of,
    union,
)
from loaders.resolution.typescript.layout import Layout
from loaders.resolution.typescript.scopes import File
from loaders.resolution.typescript.types import Types

__all__ = ["namespace_of", "types_of"]

_CALLBACKS = frozenset(
    ["map", "forEach", "filter", "find", "findIndex", "findLast", "some", "every", "flatMap", "sort", "then"]
)


def types_of(files: Mapping[str, File], layout: Layout) -> Types:
    """The types of a program."""
    return Types(files, layout, _EVALUATE, _EXPECTED)


def _variable(
    t: Types, file: File, position: int, block: int, name: str, type_: Operand, value: Operand, at: int
) -> Type:
    found = t.value(file, type_)
    if found is None:
        found = t.value(file, value)
    if found in (None, BASIC) and type_ == UNKNOWN:
        values = [t.value(file, one) for one in file.assigned.get((block, name), ())]
        found = union(one for one in values if one != BASIC) or found
    return found


def _parameter(t: Types, file: File, position: int, type_: Operand, default: Operand, rest: bool) -> Type:
    found = t.value(file, type_)
    if found is None and type_ == UNKNOWN and position in file.parameters:
        function, index = file.parameters[position]
        expected = t.expected(file, function)
        if expected and expected[0] == "callback":
            return expected[index + 1] if index + 1 < len(expected) else None
        for one in t.functions(expected)[:1]:
            found = t.parameter(one, index)
    return t.value(file, default) if found is None else found


def _literal(kind: str) -> Any:
    def evaluate(t: Types, file: File, position: int, *rest: Any) -> Type:
        return (kind, file.path, position) if kind == "class" else (kind, file.path, position, ())

    return evaluate


def _name(t: Types, file: File, position: int, block: int, name: str) -> Type:
    found = t.look_up(file, block, name, "value")
    if found is not None:
        return t.type_of(found)
    if name in file.imports or file.find_variable(block, name):
        return None
    if name in ("exports", "module"):
        return ("module", file.path)
    return EXTERNAL


def _namespace(t: Types, file: File, position: int, block: int) -> Type:
    return ("namespace", file.path, block)


def _this(t: Types, file: File, position: int, block: int, symbol: int) -> Type:
    found = file.find_variable(block, "this")
    return t.variable(file, found) if found else t.receiver(file, symbol)


def _super(t: Types, file: File, position: int, symbol: int) -> Type:
    receiver = t.receiver(file, symbol)
    return next(iter(t.bases(receiver)), None)


def _attribute(t: Types, file: File, position: int, value: Operand, name: str) -> Type:
    base = file.fact(value)
    if name == "exports" and base[0] == "name" and base[2] == "module":
        return ("module", file.path)
    found = t.members(t.value(file, value), name) or t.members(namespace_of(t, file, base), name)
    return union(member.type for member in found)


def namespace_of(t: Types, file: File, base: Fact) -> Type:
    """The namespace that adds to a function, class or enumeration that is named."""
    found = t.look_up(file, base[1], base[2], "value") if base[0] == "name" else None
    return next(t.namespaces(found), None) if isinstance(found, Declared) else None


def _item(t: Types, file: File, position: int, value: Operand, key: Operand) -> Type:
    owner = t.value(file, value)
    if owner and owner[0] == "object" and t.files[owner[1]].fact(owner[2])[0] == "tuple":
        kinds = t.files[owner[1]].fact(owner[2])[1]
        index = int(key[1:]) if isinstance(key, str) and key[1:].isdigit() else -1
        return t.bind(t.value(t.files[owner[1]], kinds[index]), owner[3]) if 0 <= index < len(kinds) else None
    if isinstance(key, str) and len(key) > 1 and not key[1:].isdigit():
        return union(member.type for member in t.members(owner, key[1:]))
    return element_of(owner)


def _element(t: Types, file: File, position: int, value: Operand) -> Type:
    return element_of(t.value(file, value))


def _same(t: Types, file: File, position: int, value: Operand, *rest: Any) -> Type:
    return t.value(file, value)


def _await(t: Types, file: File, position: int, value: Operand) -> Type:
    return awaited(t.value(file, value))


def _call(
    t: Types, file: File, position: int, callee: Operand, arguments: Any, reference: int, types: Any
) -> Type:
    return t.called(file, callee, arguments, types)


def _new(
    t: Types, file: File, position: int, callee: Operand, arguments: Any, reference: int, types: Any
) -> Type:
    return t.constructed(file, callee, arguments, types)


def _any(t: Types, file: File, position: int, operands: Any) -> Type:
    return union(t.value(file, one) for one in operands)


def _all(t: Types, file: File, position: int, operands: Any) -> Type:
    known = tuple(type_ for one in operands if (type_ := t.value(file, one)) is not None)
    return known[0] if len(known) == 1 else ("all", known) if known else None


def _made(t: Types, file: File, position: int, class_: Operand) -> Type:
    return t.made(file, t.value(file, class_), (), ())


def _array(t: Types, file: File, position: int, values: Any) -> Type:
    expected = t.expected(file, position)
    if expected is not None and expected[0] in ("array", "object"):
        return expected
    return ("array", union(t.value(file, one) for one in values))


def _type_name(t: Types, file: File, position: int, block: int, name: str, reference: int) -> Type:
    found = t.look_up(file, block, name, "type")
    if found is None:
        return container(name, ()) or (None if name in file.imports else EXTERNAL)
    return t.denoted(found)


def _type_member(t: Types, file: File, position: int, owner: Operand, name: str, reference: int) -> Type:
    found = t.value(file, owner)
    if found is None or found == EXTERNAL:
        return found
    if found[0] == "module":
        declared = t.exported(t.files[found[1]], name, "type")
    elif found[0] == "namespace":
        module = t.files[found[1]]
        facts = module.find_type(found[2], name)
        declared = Declared(module, facts[0]) if facts else None
    else:
        return None
    return t.denoted(declared)


def _generic(t: Types, file: File, position: int, base: Operand, operands: Any) -> Type:
    arguments = tuple(t.value(file, one) for one in operands)
    fact = file.fact(base)
    if fact[0] == "typename":
        found = t.look_up(file, fact[1], fact[2], "type")
        if found is None and fact[2] == "ReturnType":
            return union(t.result(function) for function in t.functions(arguments[0] if arguments else None))
        if found is None and fact[2] == "InstanceType":
            return t.made(file, arguments[0] if arguments else None, (), ())
        if found is None:
            return container(fact[2], arguments) or (None if fact[2] in file.imports else EXTERNAL)
        return t.denoted(found, arguments)
    type_ = t.value(file, base)
    return (*type_[:3], arguments) if type_ and type_[0] == "instance" else type_


def _alias(
    t: Types, file: File, position: int, block: int, name: str, at: int, type_: Operand, generics: Any
) -> Type:
    return t.value(file, type_)


def _list_of(t: Types, file: File, position: int, type_: Operand) -> Type:
    return ("array", t.value(file, type_))


def _indexed(t: Types, file: File, position: int, type_: Operand, key: Operand) -> Type:
    return _item(t, file, position, type_, key)


def _this_type(t: Types, file: File, position: int, symbol: int) -> Type:
    return t.receiver(file, symbol)


_EVALUATE: dict[str, Any] = {
    "var": _variable,
    "param": _parameter,
    "function": _literal("function"),
    "functype": _literal("function"),
    "class": _literal("class"),
    "object": _literal("object"),
    "shape": _literal("object"),
    "tuple": _literal("object"),
    "enum": lambda *rest: BASIC,
    "namespace": _namespace,
    "array": _array,
    "name": _name,
    "this": _this,
    "super": _super,
    "attr": _attribute,
    "item": _item,
    "element": _element,
    "rest": _same,
    "await": _await,
    "call": _call,
    "new": _new,
    "any": _any,
    "as": _same,
    "made": _made,
    "typename": _type_name,
    "member": _type_member,
    "generic": _generic,
    "alias": _alias,
    "listof": _list_of,
    "all": _all,
    "typeof": _same,
    "indexed": _indexed,
    "thistype": _this_type,
}


# ---- what is expected of a literal, by what surrounds it -----------------------------------------------


def _expect_typed(t: Types, file: File, type_: Operand) -> Type:
    return t.value(file, type_)


def _expect_awaited(t: Types, file: File, type_: Operand) -> Type:
    return awaited(t.value(file, type_))


def _expect_argument(t: Types, file: File, call: int, index: int) -> Type:
    operation, callee, arguments, _, types = file.fact(call)
    type_ = t.value(file, callee)
    if type_ and type_[0] == "operation":
        return _callback(type_[1], type_[2], t, file, arguments)
    if operation == "new" and type_ and type_[0] == "class":
        owner = t.files[type_[1]]
        constructor = next((m[3] for m in owner.fact(type_[2])[2] if m[0] == "constructor"), None)
        made = t.constructed(file, callee, (), types)
        env = t.env(made, owner.fact(type_[2])) if made else ()
        return None if constructor is None else t.parameter(("function", owner.path, constructor, env), index)
    for function in t.functions(type_)[:1]:
        env = t.inferred(file, function, arguments, types, literals=False)
        return t.bind(t.parameter(function, index), env)
    return None


def _callback(name: str, owner: Type, t: Types, file: File, arguments: Any) -> Type:
    """The type of a function that a method of an array, map or promise calls."""
    if owner is None or name not in _CALLBACKS | {"reduce"}:
        return None
    first = owner[-1]
    if name == "reduce":
        initial = t.value(file, arguments[1]) if len(arguments) > 1 else first
        return ("callback", initial, first)
    return (
        "callback",
        awaited(first) if owner[0] == "promise" else first,
        first if name == "sort" else BASIC,
    )


def _expect_member(t: Types, file: File, owner: int, name: str) -> Type:
    return union(member.type for member in t.members(t.expected(file, owner), name))


def _expect_element(t: Types, file: File, owner: int) -> Type:
    return element_of(t.expected(file, owner))


def _expect_valued(t: Types, file: File, target: int) -> Type:
    fact = file.fact(target)
    declared = t.members(t.value(file, fact[1]), fact[2])
    return union(member.type for member in declared)


_EXPECTED: dict[str, Any] = {
    "typed": _expect_typed,
    "awaited": _expect_awaited,
    "argument": _expect_argument,
    "member": _expect_member,
    "element": _expect_element,
    "valued": _expect_valued,
}
