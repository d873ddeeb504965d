"""Calls: which functions a callee may be, and how arguments and results flow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from loaders.extraction import UNKNOWN
from loaders.resolution.flow import Flow
from loaders.resolution.python.heap import Heap
from loaders.resolution.python.names import Class, Names, Value
from loaders.resolution.python.scopes import Module

__all__ = ["Calls", "Site"]

_STORING = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "insert": 1, "setdefault": 1}
_JOINING = frozenset({"__add__", "__mul__", "__iadd__", "__imul__"})
_SHUFFLING = frozenset({"reverse", "sort", "insert", "pop", "remove", "clear"})
_MERGING = frozenset({"extend", "update"})
_LOADING = frozenset({"pop", "popleft", "popitem", "get", "get_nowait", "setdefault", "send", "__next__"})
_OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_INSTEAD: dict[str, tuple[str, ...]] = {
    **{f"__i{name}__": (f"__{name}__",) for name in _OPERATORS.split()},
    "__str__": ("__repr__",),
    "__format__": ("__str__", "__repr__"),
    "__bool__": ("__len__",),
    "__int__": ("__index__", "__trunc__"),
    "__float__": ("__index__",),
    "__complex__": ("__float__", "__index__"),
    "__ne__": ("__eq__",),
    "__contains__": ("__iter__", "__getitem__"),
    "__reversed__": ("__getitem__",),
}
"""Special methods that Python calls where a class does not have one (Data model, "Special method names")."""

_SAME = frozenset({"values", "copy", "keys"})


@dataclass(slots=True)
class Site:
    """A call: where its arguments and its result are, and what it was found to call.

    Attributes:
        module: The module that it is in.
        reference: Ordinal of its reference.
        positional, keywords: Nodes of the arguments; None for one that is not tracked.
        result: Node of its value.
        targets: Each function with the value that the callee has.
        made: Each class that is instantiated, with the same; its ``__init__`` is among the targets.
    """

    module: Module
    reference: int
    positional: tuple[int | None, ...]
    keywords: tuple[tuple[str, int | None], ...]
    result: int
    targets: dict[Class, Value] = field(default_factory=dict)
    made: dict[Class, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """Nodes of a function's parameters: positional ones in order, all by name, and those that take the rest."""

    plain: list[tuple[str, int]]
    named: dict[str, int]
    rest: int | None
    rest_by_name: int | None


class Calls:
    """All calls of a program."""

    def __init__(self, names: Names, heap: Heap, flow: Flow) -> None:
        self.names = names
        self.heap = heap
        self.flow = flow
        self.sites: list[Site] = []
        self._linked: set[tuple[int, Class]] = set()
        self._iterators: dict[int, int] = {}
        self._special: dict[tuple[int, str], int] = {}
        self._parameters_of: dict[Class, _Parameters | None] = {}

    def add(self, site: Site, callee: int) -> None:
        """Link a call with each value that reaches its callee."""
        self.sites.append(site)
        self.flow.when(callee, partial(self._reach, len(self.sites) - 1))

    def _reach(self, index: int, value: Value) -> None:
        kind = value[0]
        if kind == "function":
            self._link(index, (value[1], value[2]), None, value)
        elif kind == "bound":
            _, (_, path, symbol), owner = value
            self._link(index, (path, symbol), owner, value)
        elif kind == "class":
            self._construct(index, value)
        elif kind == "instance":
            self._link_method(index, value, "__call__")
        elif kind == "operation":
            self._operate(self.sites[index], value[1], value[2])

    def _construct(self, index: int, value: Value) -> None:
        site = self.sites[index]
        instance = ("instance", *value[1:])
        self.flow.add(site.result, instance)
        site.made[value[1], value[2]] = value
        self._link_method(index, instance, "__init__")
        self._link_method(index, instance, "__new__")

    def special(
        self,
        module: Module,
        reference: int,
        method: str,
        result: int,
        arguments: tuple[int | None, ...],
        owner: Value,
    ) -> bool:
        """Call a special method of a value.

        Args:
            module: The module of the call.
            reference: Ordinal of its reference, or UNKNOWN.
            method: Name of the method, where the reference is not to a special method.
            result: Node of what it returns.
            arguments: Nodes of its arguments.
            owner: The value.

        Returns:
            Whether the value has the method.
        """
        if owner[0] != "instance":
            return False
        if reference >= 0 and module.extraction.references[reference].kind == "special":
            method = module.extraction.references[reference].name
        method = next(
            (name for name in (method, *_INSTEAD.get(method, ())) if self.names.method(owner[1:], name)), ""
        )
        if not method:
            return False
        index = self._site_of(module, reference, method, result, arguments)
        return self._link_method(index, owner, method)

    def _site_of(
        self, module: Module, reference: int, method: str, result: int, arguments: tuple[int | None, ...]
    ) -> int:
        """Position of the one call of a method that a reference stands for."""
        if (result, method) not in self._special:
            self._special[result, method] = len(self.sites)
            self.sites.append(Site(module, reference, arguments, (), result))
        return self._special[result, method]

    def read(self, module: Module, reference: int, name: str, result: int, owner: Value) -> None:
        """Call the property that reading an attribute of a value calls, where it is one."""
        getter = self.names.getter((owner[1], owner[2]), name) if owner[0] == "instance" else None
        if getter is not None:
            index = self._site_of(module, reference, name, result, ())
            self._link(index, getter, owner, ("bound", ("function", *getter), owner))

    def operate(self, module: Module, reference: int, method: str, result: int, owner: Value) -> None:
        """Let what an operator gives of its left operand reach a node."""
        if not self.special(module, reference, method, result, (), owner):
            self._combine(method, result, owner)

    def reflect(self, module: Module, reference: int, method: str, result: int, owner: Value) -> None:
        """Let what an operator gives of its right operand reach a node."""
        reflected = f"__r{method.removeprefix('__').removeprefix('i')}"
        if owner[0] == "instance" and self.names.method((owner[1], owner[2]), reflected) is not None:
            self._link_method(self._site_of(module, reference, reflected, result, ()), owner, reflected)
        else:
            self._combine(method, result, owner)

    def _combine(self, method: str, result: int, operand: Value) -> None:
        """An operand comes out as it went in, but a list that is joined or repeated as a part of another one."""
        if operand[0] == "container" and method in _JOINING:
            self.heap.new_container(result)
            self.heap.store(result, UNKNOWN, self.heap.items(operand[1]))
        else:
            self.flow.add(result, operand)

    def enter(
        self, module: Module, references: tuple[int, int], results: tuple[int, int], owner: Value
    ) -> None:
        """Let what ``with`` binds reach a node: what a generator yields, what ``__enter__`` returns, or the value.

        Args:
            module: The module of the statement.
            references: Ordinals of the references to ``__enter__`` and ``__exit__``.
            results: Nodes of what they return.
            owner: The context manager.
        """
        if owner[0] == "container":
            self.heap.load_item(UNKNOWN, results[0], owner)
        elif owner[0] == "instance":
            if not self.special(module, references[0], "__enter__", results[0], (), owner):
                self.flow.add(results[0], owner)
            self.special(module, references[1], "__exit__", results[1], (), owner)

    def take_item(self, module: Module, reference: int, key: Any, result: int, owner: Value) -> None:
        """Let an element of a value reach a node."""
        if owner[0] == "container":
            self.heap.load_item(key, result, owner)
        else:
            self.special(module, reference, "__getitem__", result, (), owner)

    def take_slice(
        self, module: Module, reference: int, bounds: tuple[int, int], result: int, owner: Value
    ) -> None:
        """Let a slice of a value reach a node."""
        if owner[0] == "container":
            self.heap.load_slice(*bounds, result, owner[1])
        else:
            self.special(module, reference, "__getitem__", result, (), owner)

    def set_item(
        self, module: Module, reference: int, key: Any, value: int | None, result: int, owner: Value
    ) -> None:
        """Let what reaches a node be an element of a value."""
        if owner[0] == "container":
            self.heap.store(owner[1], key, value)
        elif reference >= 0:
            self.special(module, reference, "__setitem__", result, (None, value), owner)

    def iterate(self, module: Module, references: tuple[int, int], result: int, owner: Value) -> None:
        """Let what iterating over a value gives reach a node."""
        if owner[0] == "container":
            self.heap.load_item(UNKNOWN, result, owner)
            return
        if result not in self._iterators:
            iterator = self._iterators[result] = self.flow.node()
            self.flow.when(iterator, partial(self.advance, module, references[1], result))
        if not self.special(module, references[0], "__iter__", self._iterators[result], (), owner):
            self.special(module, UNKNOWN, "__getitem__", result, (), owner)

    def advance(self, module: Module, reference: int, result: int, owner: Value) -> None:
        """Let the next element of an iterator reach a node."""
        if owner[0] == "container":
            self.heap.load_item(UNKNOWN, result, owner)
        else:
            self.special(module, reference, "__next__", result, (), owner)

    def _link_method(self, index: int, instance: Value, name: str) -> bool:
        function = self.names.method((instance[1], instance[2]), name)
        if function is not None:
            self._link(index, function, instance, ("bound", ("function", *function), instance))
        return function is not None

    def _link(self, index: int, function: Class, receiver: Value | None, value: Value) -> None:
        site = self.sites[index]
        site.targets.setdefault(function, value)
        parameters = self._parameters(function)
        if parameters is None:
            return
        if receiver is not None and parameters.plain:
            self.flow.add(parameters.plain[0][1], receiver)
        if (index, function) in self._linked:
            return
        self._linked.add((index, function))
        module = self.names.modules[function[0]]
        if module.extraction.symbols[function[1]].name not in ("__init__", "__new__"):
            self.flow.copy(self.heap.returned(function), site.result)
        plain = parameters.plain if receiver is None else parameters.plain[1:]
        self._pass_through(site, module.passed_through.get(function[1], set()), parameters, plain, receiver)
        self._pass_arguments(site, parameters, [node for _, node in plain])

    def _parameters(self, function: Class) -> _Parameters | None:
        """Parameters of a function; None where its body was lost to a syntax error."""
        if function not in self._parameters_of:
            module = self.names.modules[function[0]]
            is_whole = function[1] in module.functions
            self._parameters_of[function] = _parameters(module, function[1]) if is_whole else None
        return self._parameters_of[function]

    def _pass_through(
        self,
        site: Site,
        names: set[str],
        parameters: _Parameters,
        plain: list[tuple[str, int]],
        receiver: Value | None,
    ) -> None:
        """Let arguments that a function returns as they came reach the result of this call and no other."""
        if receiver is not None and parameters.plain and parameters.plain[0][0] in names:
            self.flow.add(site.result, receiver)
        given = dict(zip((name for name, _ in plain), site.positional, strict=False)) | dict(site.keywords)
        for name in sorted(names):
            argument = given.get(name)
            if argument is not None:
                self.flow.copy(argument, site.result)

    def _pass_arguments(self, site: Site, parameters: _Parameters, plain: list[int]) -> None:
        for position, argument in enumerate(site.positional):
            if argument is not None and position < len(plain):
                self.flow.copy(argument, plain[position])
            elif parameters.rest is not None:
                self.heap.store(parameters.rest, f"#{position - len(plain)}", argument)
        following = plain[len(site.positional) :]
        for name, argument in site.keywords:
            if argument is None:
                continue
            if name in parameters.named:
                self.flow.copy(argument, parameters.named[name])
            elif name == "*":
                self.flow.when(argument, partial(self._spread, following, parameters.rest))
            elif name == "**":
                self.flow.when(argument, partial(self._spread_by_name, parameters))
            elif parameters.rest_by_name is not None:
                self.heap.store(parameters.rest_by_name, "'" + name, argument)

    def _spread(self, following: list[int], rest: int | None, value: Value) -> None:
        """``*value``: its elements are the positional arguments that follow."""
        if value[0] == "container":
            for position, parameter in enumerate(following):
                self.heap.load_item(f"#{position}", parameter, value)
            if rest is not None:
                self.heap.store(rest, UNKNOWN, self.heap.items(value[1]))

    def _spread_by_name(self, parameters: _Parameters, value: Value) -> None:
        """``**value``: its elements are the keyword arguments."""
        if value[0] == "container":
            for name, parameter in parameters.named.items():
                self.heap.load_item("'" + name, parameter, value)
            if parameters.rest_by_name is not None:
                self.heap.store(parameters.rest_by_name, UNKNOWN, self.heap.items(value[1]))

    def _operate(self, site: Site, name: str, container: int) -> None:
        """A method of a list, set, dictionary, queue or generator."""
        heap, flow = self.heap, self.flow
        stored = _STORING.get(name)
        if stored is not None and stored < len(site.positional):
            heap.store(container, UNKNOWN, site.positional[stored])
        if name in _SHUFFLING:
            heap.shuffle(container)
        if name in _MERGING and site.positional and site.positional[0] is not None:
            elements = heap.item(container, UNKNOWN)
            flow.when(site.positional[0], partial(heap.load_item, UNKNOWN, elements))
        if name in _LOADING:
            flow.copy(heap.items(container), site.result)
        elif name in _SAME:
            flow.add(site.result, ("container", container))
        elif name == "items":
            pair = flow.node()
            heap.new_container(pair)
            heap.store(pair, "#1", heap.items(container))
            heap.new_container(site.result)
            heap.store(site.result, UNKNOWN, pair)


def _parameters(module: Module, function: int) -> _Parameters:
    plain: list[tuple[str, int]] = []
    named: dict[str, int] = {}
    rest: dict[int, int] = {}
    for name, role, *_ in module.functions[function][2]:
        if not name:
            continue
        node = module.variables[function, name]
        if role in (1, 3):
            rest[role] = node
            continue
        named[name] = node
        if role == 0:
            plain.append((name, node))
    return _Parameters(plain, named, rest.get(1), rest.get(3))
