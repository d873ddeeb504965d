"""Calls: which functions a callee may be, and how arguments and results flow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from loaders.extraction import UNKNOWN
from loaders.resolution.flow import Flow
from loaders.resolution.python.heap import Heap
from loaders.resolution.python.names import Class, Names, Value
from loaders.resolution.python.scopes import Module

__all__ = ["Calls", "Site"]

_STORING = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "insert": 1, "setdefault": 1}
_SHUFFLING = frozenset({"reverse", "sort", "insert", "pop", "remove", "clear"})
_MERGING = frozenset({"extend", "update"})
_LOADING = frozenset({"pop", "popleft", "popitem", "get", "get_nowait", "setdefault", "send", "__next__"})
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
        self._names = names
        self._heap = heap
        self._flow = flow
        self.sites: list[Site] = []
        self._linked: set[tuple[int, Class]] = set()
        self._parameters_of: dict[Class, _Parameters | None] = {}

    def add(self, site: Site, callee: int) -> None:
        """Link a call with each value that reaches its callee."""
        self._flow.when(callee, partial(self._reach, self.place(site)))

    def place(self, site: Site) -> int:
        """Take in a call of which others tell what it calls; its number."""
        self.sites.append(site)
        return len(self.sites) - 1

    def _reach(self, index: int, value: Value) -> None:
        kind = value[0]
        if kind == "function":
            self.link(index, (value[1], value[2]), None, value)
        elif kind == "bound":
            _, (_, path, symbol), owner = value
            self.link(index, (path, symbol), owner, value)
        elif kind == "class":
            self._construct(index, value)
        elif kind == "instance":
            self.link_method(index, value, "__call__")
        elif kind == "operation":
            self._operate(self.sites[index], value[1], value[2])

    def _construct(self, index: int, value: Value) -> None:
        site = self.sites[index]
        instance = ("instance", *value[1:])
        self._flow.add(site.result, instance)
        site.made[value[1], value[2]] = value
        self.link_method(index, instance, "__init__")
        self.link_method(index, instance, "__new__")

    def link_method(self, index: int, instance: Value, name: str) -> bool:
        """Link a call with a method of an instance; false where its class has none of that name."""
        function = self._names.method((instance[1], instance[2]), name)
        if function is not None:
            self.link(index, function, instance, ("bound", ("function", *function), instance))
        return function is not None

    def link(self, index: int, function: Class, receiver: Value | None, value: Value) -> None:
        """Link a call with a function.

        Args:
            index: Number of the call.
            function: The function.
            receiver: What it gets as its first argument by itself; None where it gets nothing so.
            value: The value that the callee has.
        """
        site = self.sites[index]
        site.targets.setdefault(function, value)
        parameters = self._parameters(function)
        if parameters is None:
            return
        if receiver is not None and parameters.plain:
            self._flow.add(parameters.plain[0][1], receiver)
        if (index, function) in self._linked:
            return
        self._linked.add((index, function))
        module = self._names.modules[function[0]]
        if module.extraction.symbols[function[1]].name not in ("__init__", "__new__"):
            self._flow.copy(self._heap.returned(function), site.result)
        plain = parameters.plain if receiver is None else parameters.plain[1:]
        self._pass_through(site, module.passed_through.get(function[1], set()), parameters, plain, receiver)
        self._pass_arguments(site, parameters, [node for _, node in plain])

    def _parameters(self, function: Class) -> _Parameters | None:
        """Parameters of a function; None where its body was lost to a syntax error."""
        if function not in self._parameters_of:
            module = self._names.modules[function[0]]
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
            self._flow.add(site.result, receiver)
        given = dict(zip((name for name, _ in plain), site.positional, strict=False)) | dict(site.keywords)
        for name in sorted(names):
            argument = given.get(name)
            if argument is not None:
                self._flow.copy(argument, site.result)

    def _pass_arguments(self, site: Site, parameters: _Parameters, plain: list[int]) -> None:
        for position, argument in enumerate(site.positional):
            if argument is not None and position < len(plain):
                self._flow.copy(argument, plain[position])
            elif parameters.rest is not None:
                self._heap.store(parameters.rest, f"#{position - len(plain)}", argument)
        following = plain[len(site.positional) :]
        for name, argument in site.keywords:
            if argument is None:
                continue
            if name in parameters.named:
                self._flow.copy(argument, parameters.named[name])
            elif name == "*":
                self._flow.when(argument, partial(self._spread, following, parameters.rest))
            elif name == "**":
                self._flow.when(argument, partial(self._spread_by_name, parameters))
            elif parameters.rest_by_name is not None:
                self._heap.store(parameters.rest_by_name, "'" + name, argument)

    def _spread(self, following: list[int], rest: int | None, value: Value) -> None:
        """``*value``: its elements are the positional arguments that follow."""
        if value[0] == "container":
            for position, parameter in enumerate(following):
                self._heap.load_item(f"#{position}", parameter, value)
            if rest is not None:
                self._heap.store(rest, UNKNOWN, self._heap.items(value[1]))

    def _spread_by_name(self, parameters: _Parameters, value: Value) -> None:
        """``**value``: its elements are the keyword arguments."""
        if value[0] == "container":
            for name, parameter in parameters.named.items():
                self._heap.load_item("'" + name, parameter, value)
            if parameters.rest_by_name is not None:
                self._heap.store(parameters.rest_by_name, UNKNOWN, self._heap.items(value[1]))

    def _operate(self, site: Site, name: str, container: int) -> None:
        """A method of a list, set, dictionary, queue or generator."""
        heap, flow = self._heap, self._flow
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
