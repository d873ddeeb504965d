"""The constraints that the binding facts of a module stand for: one function for each operation.

The operations are listed in ``loaders/languages/_python_facts.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from loaders.extraction import UNKNOWN, Fact, Import, Operand
from loaders.resolution.python.builtins import call_builtin
from loaders.resolution.python.calls import Site
from loaders.resolution.python.heap import is_key
from loaders.resolution.python.names import Value
from loaders.resolution.python.program import Program
from loaders.resolution.python.scopes import MODULE, Module

__all__ = ["constrain"]

_WRAPPERS = frozenset({"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"})
_MAPPINGS = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"}
)


@dataclass(frozen=True, slots=True)
class _Scope:
    """A scope of a module, and what the program knows so far."""

    program: Program
    module: Module
    scope: int

    def node(self, operand: Operand) -> int | None:
        """Node of an operand; None for a constant, or a name that nothing in the snapshot binds."""
        if isinstance(operand, str):
            return None if is_key(operand) else self.program.names.variable(self.module, self.scope, operand)
        return self.module.first + operand if operand >= 0 else None

    def nodes(self, operands: Fact) -> tuple[int | None, ...]:
        """Nodes of several operands."""
        return tuple(self.node(operand) for operand in operands)


def constrain(program: Program, module: Module) -> None:
    """Add the constraints of a module."""
    for binding in module.extraction.imports:
        if not binding.star:
            _import(program, module, binding)
    for symbol in module.extraction.symbols:
        if symbol.kind in ("function", "method", "class"):
            _definition(program, module, symbol.ordinal)
    scope = _Scope(program, module, MODULE)
    for number, position, fact in module.scoped_facts():
        operation = _OPERATIONS.get(fact[0])
        if operation is not None:
            if number != scope.scope:
                scope = _Scope(program, module, number)
            operation(scope, module.first + position, *fact[1:])


def _import(program: Program, module: Module, binding: Import) -> None:
    variable = module.variables[module.home(binding.enclosing, binding.alias)]
    if binding.name:
        path = program.names.imported_module(module, binding)
        if path is not None:
            program.heap.load(binding.name, variable, ("module", path))
    else:
        value = program.names.imported(module, binding)
        if value is not None:
            program.flow.add(variable, value)


def _definition(program: Program, module: Module, symbol: int) -> None:
    """Let a function or class, as its decorators leave it, reach its name."""
    definition = module.extraction.symbols[symbol]
    home = module.home(definition.parent, definition.name)
    if module.definitions.get(home) != symbol and any(m.endswith("overload") for m in definition.decorators):
        return  # only the implementation that follows it is ever called
    scope = _Scope(program, module, definition.parent)
    kind = "class" if definition.kind == "class" else "function"
    node = program.flow.node()
    program.flow.add(node, (kind, module.path, symbol))
    for decorator, reference in reversed(module.decorators.get(symbol, ())):
        result = program.flow.node()
        if not _replaces(scope, decorator):
            program.flow.copy(node, result)
        callee = scope.node(decorator)
        if callee is not None:
            program.calls.add(Site(module, reference, (node,), (), result), callee)
        node = result
    program.flow.copy(node, module.variables[home])


def _replaces(scope: _Scope, decorator: Operand) -> bool:
    """Whether a decorator is a function of the snapshot that returns something: the flow says what."""
    fact = scope.module.fact(decorator)
    applied = fact[1] if fact[0] == "call" else decorator
    value = scope.program.names.static(scope.module, scope.scope, applied)
    if value is None or value[0] != "function":
        return False
    return value[2] in scope.program.names.modules[value[1]].returning


# ---- definitions


def _function(s: _Scope, node: int, symbol: int, parameters: Fact, returned: Operand) -> None:
    function = (s.module.path, symbol)
    for name, role, annotation, default in parameters:
        if not name:
            continue
        variable = s.module.variables[symbol, name]
        _copy(s, default, variable)
        if role in (1, 3):
            s.program.heap.new_container(variable)
            _annotate(s, annotation, s.program.heap.item(variable, UNKNOWN))
        else:
            _annotate(s, annotation, variable)
    _receive(s, symbol, parameters)
    result = s.program.heap.returned(function)
    _annotate(s, returned, result)
    if symbol in s.module.generators:
        s.program.heap.new_container(result)


def _receive(s: _Scope, symbol: int, parameters: Fact) -> None:
    """The first parameter of a method is an instance of its class, or the class."""
    definition = s.module.extraction.symbols[symbol]
    if definition.kind != "method" or "staticmethod" in definition.decorators or not parameters:
        return
    name, role, *_ = parameters[0]
    if name and role == 0:
        of_class = "classmethod" in definition.decorators or definition.name in (
            "__new__",
            "__init_subclass__",
        )
        owner = ("class" if of_class else "instance", s.module.path, definition.parent)
        s.program.flow.add(s.module.variables[symbol, name], owner)


def _lambda(s: _Scope, node: int, symbol: int, parameters: Fact, body: Operand) -> None:
    s.program.flow.add(node, ("function", s.module.path, symbol))
    _function(s, node, symbol, parameters, UNKNOWN)
    _copy(s, body, s.program.heap.returned((s.module.path, symbol)))


def _return(s: _Scope, node: int, value: Operand) -> None:
    if s.scope >= 0 and value not in s.module.passed_through.get(s.scope, ()):
        _copy(s, value, s.program.heap.returned((s.module.path, s.scope)))


def _yield(s: _Scope, node: int, value: Operand) -> None:
    if s.scope >= 0:
        s.program.heap.store(s.program.heap.returned((s.module.path, s.scope)), UNKNOWN, s.node(value))


# ---- annotations


_ANNOTATION_DEPTH = 50
"""Levels of an annotation above which it says nothing: nobody writes so many, and each takes the stack deeper."""


def _annotate(s: _Scope, annotation: Operand, result: int, depth: int = 0) -> None:
    """Let an instance of what an annotation says reach a node."""
    if annotation == UNKNOWN or depth > _ANNOTATION_DEPTH:
        return
    fact = s.module.fact(annotation)
    if fact[0] == "any":
        for option in fact[1]:
            _annotate(s, option, result, depth + 1)
    elif fact[0] == "item":
        _annotate_generic(s, fact[1], fact[2], result, depth + 1)
    else:
        _when(s, annotation, partial(s.program.heap.instantiate, result))


def _annotate_generic(s: _Scope, base: Operand, argument: Operand, result: int, depth: int) -> None:
    """``list[Cart]``: a container of them; ``type[Cart]``: the class; ``Box[Cart]``: a Box."""
    arguments = s.module.fact(argument)[1] if s.module.fact(argument)[0] == "tuple" else (argument,)
    fact = s.module.fact(base)
    name = fact[2] if fact[0] == "attr" else base
    if name in _WRAPPERS:
        for one in arguments:
            _annotate(s, one, result, depth)
    elif s.node(base) is not None:
        _when(s, base, partial(s.program.heap.instantiate, result))
    if name in ("type", "Type"):
        _copy(s, arguments[0], result)
    elif name not in _WRAPPERS:
        s.program.heap.new_container(result)
        for one in arguments[1:] if name in _MAPPINGS else arguments:
            _annotate(s, one, s.program.heap.item(result, UNKNOWN), depth)


def _declare(s: _Scope, node: int, target: Operand, annotation: Operand) -> None:
    _annotate(s, annotation, node)
    _store(s, target, node)


def _instance(s: _Scope, node: int, class_: Operand) -> None:
    _annotate(s, class_, node)


# ---- assignments


def _assign(s: _Scope, node: int, target: Operand, value: Operand) -> None:
    source = s.node(value)
    if source is not None or s.module.fact(target)[0] in ("item", "slice"):
        _store(s, target, source)


def _store(s: _Scope, target: Operand, source: int | None) -> None:
    heap = s.program.heap
    operation, *operands = s.module.fact(target)
    if operation == "item":
        _set_item(s, source, *operands)
    elif operation == "slice":
        _set_item(s, None, operands[0], UNKNOWN, operands[3])
    elif source is None:
        return
    elif isinstance(target, str):
        variable = s.node(target)
        if variable is not None:
            s.program.flow.copy(source, variable)
    elif operation == "tuple":
        _unpack(s, operands[0], source)
    elif operation == "attr":
        _when(s, operands[0], partial(heap.set, operands[1], source))


def _unpack(s: _Scope, targets: Fact, source: int) -> None:
    heap = s.program.heap
    starred = next((at for at, part in enumerate(targets) if s.module.fact(part)[0] == "star"), len(targets))
    for position, part in enumerate(targets):
        element = s.program.flow.node()
        from_end = len(targets) - position
        if position < starred:
            s.program.flow.when(source, partial(heap.load_item, f"#{position}", element))
        elif position > starred:
            _when_container(s, source, partial(heap.load_from_end, from_end, element))
        else:
            _when_container(
                s, source, partial(heap.load_slice, position, 1 - from_end or sys.maxsize, element)
            )
        _store(s, s.module.fact(part)[1] if position == starred else part, element)


def _when_container(s: _Scope, source: int, action: Callable[[int], object]) -> None:
    def act(value: Value) -> None:
        if value[0] == "container":
            action(value[1])

    s.program.flow.when(source, act)


def _set_item(s: _Scope, source: int | None, owner: Operand, key: Any, reference: int) -> None:
    action = partial(
        s.program.special.set_item, s.module, reference, _key(key), source, s.program.flow.node()
    )
    _when(s, owner, action)


def _copy(s: _Scope, operand: Operand, target: int) -> None:
    """Let an operand reach a node."""
    source = s.node(operand)
    if source is not None:
        s.program.flow.copy(source, target)


def _when(s: _Scope, operand: Operand, action: Callable[[Any], object]) -> None:
    """Run an action for each value of an operand."""
    source = s.node(operand)
    if source is not None:
        s.program.flow.when(source, action)


def _key(operand: Any) -> Any:
    return operand if is_key(operand) else UNKNOWN


# ---- expressions


def _attribute(s: _Scope, node: int, value: Operand, name: str, reference: int) -> None:
    _when(s, value, partial(s.program.heap.load, name, node))
    if reference >= 0:
        _when(s, value, partial(s.program.special.read, s.module, reference, name, node))


def _item(s: _Scope, node: int, value: Operand, key: Any, reference: int) -> None:
    # What is set is called where it is assigned to.
    if reference < 0 or s.module.extraction.references[reference].name != "__setitem__":
        _when(s, value, partial(s.program.special.take_item, s.module, reference, _key(key), node))


def _slice(s: _Scope, node: int, value: Operand, first: int, last: int, reference: int) -> None:
    # What is set is called where it is assigned to.
    if reference < 0 or s.module.extraction.references[reference].name != "__setitem__":
        _when(s, value, partial(s.program.special.take_slice, s.module, reference, (first, last), node))


def _elements(s: _Scope, node: int, value: Operand, first: int, following: int) -> None:
    _when(s, value, partial(s.program.special.iterate, s.module, (first, following), node))


def _special(s: _Scope, node: int, value: Operand, method: str, reference: int) -> None:
    _when(s, value, partial(s.program.special.call, s.module, reference, method, node, ()))


def _sequence(s: _Scope, node: int, values: Fact) -> None:
    starred = next((at for at, value in enumerate(values) if s.module.fact(value)[0] == "star"), len(values))
    s.program.heap.new_container(node, len(values) if starred == len(values) else None)
    for position, value in enumerate(values):
        fact = s.module.fact(value)
        if fact[0] == "star":
            spread = partial(
                s.program.special.iterate, s.module, (UNKNOWN, UNKNOWN), s.program.heap.item(node, UNKNOWN)
            )
            _when(s, fact[1], spread)
        else:
            key = f"#{position}" if position < starred else UNKNOWN
            s.program.heap.store(node, key, s.node(value))


def _dictionary(s: _Scope, node: int, pairs: Fact) -> None:
    heap = s.program.heap
    heap.new_container(node)
    for key, value in pairs:
        if key == "**":
            _when(s, value, partial(heap.load_item, UNKNOWN, heap.item(node, UNKNOWN)))
        else:
            heap.store(node, _key(key), s.node(value))


def _any(s: _Scope, node: int, values: Fact) -> None:
    for value in values:
        _copy(s, value, node)


def _binary(s: _Scope, node: int, left: Operand, right: Operand, method: str, reference: int) -> None:
    """What the method of the left operand returns, or else one of the two, as of lists that are joined."""
    _when(s, left, partial(s.program.special.operate, s.module, reference, method, node))
    _when(s, right, partial(s.program.special.reflect, s.module, reference, method, node))


def _enter(s: _Scope, node: int, value: Operand, first: int, following: int) -> None:
    ignored = s.program.flow.node()
    _when(s, value, partial(s.program.special.enter, s.module, (first, following), (node, ignored)))


def _call(s: _Scope, node: int, callee: Operand, arguments: Fact, keywords: Fact, reference: int) -> None:
    named = tuple((name, s.node(value)) for name, value in keywords)
    site = Site(s.module, reference, s.nodes(arguments), named, node)
    function = s.node(callee)
    if function is not None:
        s.program.calls.add(site, function)
    else:
        call_builtin(s.program, site, s.scope, callee, arguments)
    name = s.module.fact(callee)[2] if s.module.fact(callee)[0] == "attr" else callee
    if name == "partial" and arguments:
        _copy(s, arguments[0], node)


_OPERATIONS: dict[str, Callable[..., None]] = {
    "function": _function,
    "lambda": _lambda,
    "return": _return,
    "yield": _yield,
    "declare": _declare,
    "instance": _instance,
    "assign": _assign,
    "narrow": _assign,
    "attr": _attribute,
    "item": _item,
    "slice": _slice,
    "elements": _elements,
    "list": _sequence,
    "tuple": _sequence,
    "dict": _dictionary,
    "any": _any,
    "enter": _enter,
    "special": _special,
    "binary": _binary,
    "call": _call,
}
