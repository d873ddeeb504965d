"""Special methods: what operators, statements and built-in functions call of the values that they are given.

Python calls another method where a class does not have the one that is asked for (Data model, "Special method names").
"""

from __future__ import annotations

from functools import partial
from typing import Any

from loaders.extraction import UNKNOWN
from loaders.resolution.flow import Flow
from loaders.resolution.python.calls import Calls, Site
from loaders.resolution.python.heap import Heap
from loaders.resolution.python.names import Names, Value
from loaders.resolution.python.scopes import Module

__all__ = ["SpecialMethods"]

_JOINING = frozenset({"__add__", "__mul__", "__iadd__", "__imul__"})
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
"""Methods that are called instead of one, the first that there is."""


class SpecialMethods:
    """The calls of special methods, of properties too."""

    def __init__(self, names: Names, heap: Heap, flow: Flow, calls: Calls) -> None:
        self._names = names
        self._heap = heap
        self._flow = flow
        self._calls = calls
        self._iterators: dict[int, int] = {}
        self._sites: dict[tuple[int, str], int] = {}

    def call(
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
            (name for name in (method, *_INSTEAD.get(method, ())) if self._names.method(owner[1:], name)), ""
        )
        if not method:
            return False
        index = self._site_of(module, reference, method, result, arguments)
        return self._calls.link_method(index, owner, method)

    def _site_of(
        self, module: Module, reference: int, method: str, result: int, arguments: tuple[int | None, ...]
    ) -> int:
        """Position of the one call of a method that a reference stands for."""
        if (result, method) not in self._sites:
            site = Site(module, reference, arguments, (), result)
            self._sites[result, method] = self._calls.place(site)
        return self._sites[result, method]

    def read(self, module: Module, reference: int, name: str, result: int, owner: Value) -> None:
        """Call the property that reading an attribute of a value calls, where it is one."""
        getter = self._names.getter((owner[1], owner[2]), name) if owner[0] == "instance" else None
        if getter is not None:
            index = self._site_of(module, reference, name, result, ())
            self._calls.link(index, getter, owner, ("bound", ("function", *getter), owner))

    def operate(self, module: Module, reference: int, method: str, result: int, owner: Value) -> None:
        """Let what an operator gives of its left operand reach a node."""
        if not self.call(module, reference, method, result, (), owner):
            self._combine(method, result, owner)

    def reflect(self, module: Module, reference: int, method: str, result: int, owner: Value) -> None:
        """Let what an operator gives of its right operand reach a node."""
        reflected = f"__r{method.removeprefix('__').removeprefix('i')}"
        if owner[0] == "instance" and self._names.method((owner[1], owner[2]), reflected) is not None:
            self._calls.link_method(self._site_of(module, reference, reflected, result, ()), owner, reflected)
        else:
            self._combine(method, result, owner)

    def _combine(self, method: str, result: int, operand: Value) -> None:
        """An operand comes out as it went in, but a list that is joined or repeated as a part of another one."""
        if operand[0] == "container" and method in _JOINING:
            self._heap.new_container(result)
            self._heap.store(result, UNKNOWN, self._heap.items(operand[1]))
        else:
            self._flow.add(result, operand)

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
            self._heap.load_item(UNKNOWN, results[0], owner)
        elif owner[0] == "instance":
            if not self.call(module, references[0], "__enter__", results[0], (), owner):
                self._flow.add(results[0], owner)
            self.call(module, references[1], "__exit__", results[1], (), owner)

    def take_item(self, module: Module, reference: int, key: Any, result: int, owner: Value) -> None:
        """Let an element of a value reach a node."""
        if owner[0] == "container":
            self._heap.load_item(key, result, owner)
        else:
            self.call(module, reference, "__getitem__", result, (), owner)

    def take_slice(
        self, module: Module, reference: int, bounds: tuple[int, int], result: int, owner: Value
    ) -> None:
        """Let a slice of a value reach a node."""
        if owner[0] == "container":
            self._heap.load_slice(*bounds, result, owner[1])
        else:
            self.call(module, reference, "__getitem__", result, (), owner)

    def set_item(
        self, module: Module, reference: int, key: Any, value: int | None, result: int, owner: Value
    ) -> None:
        """Let what reaches a node be an element of a value."""
        if owner[0] == "container":
            self._heap.store(owner[1], key, value)
        elif reference >= 0:
            self.call(module, reference, "__setitem__", result, (None, value), owner)

    def iterate(self, module: Module, references: tuple[int, int], result: int, owner: Value) -> None:
        """Let what iterating over a value gives reach a node."""
        if owner[0] == "container":
            self._heap.load_item(UNKNOWN, result, owner)
            return
        if result not in self._iterators:
            iterator = self._iterators[result] = self._flow.node()
            self._flow.when(iterator, partial(self.advance, module, references[1], result))
        if not self.call(module, references[0], "__iter__", self._iterators[result], (), owner):
            self.call(module, UNKNOWN, "__getitem__", result, (), owner)

    def advance(self, module: Module, reference: int, result: int, owner: Value) -> None:
        """Let the next element of an iterator reach a node."""
        if owner[0] == "container":
            self._heap.load_item(UNKNOWN, result, owner)
        else:
            self.call(module, reference, "__next__", result, (), owner)
