"""What values hold: attributes of modules, classes and instances, elements of containers, results of functions.

A value is a tuple whose first item says what it is:

=============================  ===================================================================
("module", path)
("function", path, symbol)
("class", path, symbol)
("instance", path, symbol)     an instance of the class with that symbol
("bound", function, owner)     a method taken from an instance or class
("super", class, owner)        what ``super()`` gives in a method of the class
("container", node)            a list, tuple, dictionary or generator that was made at that node
("operation", name, node)      a method of that container
=============================  ===================================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from loaders.extraction import UNKNOWN
from loaders.resolution.flow import Flow
from loaders.resolution.python.names import Class, Names, Value
from loaders.resolution.python.scopes import MODULE

__all__ = ["Heap", "is_key"]

_ALL = "*"
_POSITIONS = 16
"""Most elements of which each is known by its position."""


def is_key(operand: Any) -> bool:
    """Whether an operand is a constant that can be a key: text or an integer."""
    return isinstance(operand, str) and operand[:1] in ("'", "#")


class Heap:
    """Nodes for everything that values hold, made when they are first needed."""

    def __init__(self, names: Names, flow: Flow) -> None:
        self._names = names
        self._flow = flow
        self._returned: dict[Class, int] = {}
        self._assigned: dict[tuple[Value, str], int] = {}
        self._awaited: dict[tuple[Value, str], list[int]] = {}
        self._lengths: dict[int, int | None] = {}
        self._items: dict[tuple[int, Any], int] = {}
        self._instantiated: set[tuple[int, int]] = set()

    def returned(self, function: Class) -> int:
        """Node of what a function returns."""
        if function not in self._returned:
            self._returned[function] = self._flow.node()
        return self._returned[function]

    # ---- elements

    def item(self, container: int, key: Any) -> int:
        """Node of the elements of a container with a key; UNKNOWN stands for those whose key is not known."""
        if (container, key) not in self._items:
            node = self._items[container, key] = self._flow.node()
            if key != _ALL:
                self._flow.copy(node, self.items(container))
        return self._items[container, key]

    def items(self, container: int) -> int:
        """Node of all elements of a container."""
        return self.item(container, _ALL)

    def new_container(self, node: int, length: int | None = None) -> None:
        """Let a container that is made at a node reach it; its length where that is known."""
        if length is not None:
            is_other = self._lengths.get(node, length) != length
            self._lengths[node] = None if is_other or length > _POSITIONS else length
        self._flow.add(node, ("container", node))

    def store(self, container: int, key: Any, value: int | None) -> None:
        """Let what reaches a node be an element of a container."""
        if value is not None:
            self._flow.copy(value, self.item(container, key))

    def load_item(self, key: Any, result: int, owner: Value) -> None:
        """Let the elements of a value with a key reach a node; all of them where the key is UNKNOWN."""
        if owner[0] == "container" and key == UNKNOWN:
            self._flow.copy(self.items(owner[1]), result)
        elif owner[0] == "container":
            self._flow.copy(self.item(owner[1], key), result)
            self._flow.copy(self.item(owner[1], UNKNOWN), result)

    def _give(self, function: Class, result: int, owner: Value) -> None:
        """Let what a method returns that is called with nothing but its owner reach a node."""
        self._flow.copy(self.returned(function), result)
        module = self._names.modules[function[0]]
        fact = module.functions.get(function[1])
        if fact and fact[2] and fact[2][0][0] in module.passed_through.get(function[1], ()):
            self._flow.add(result, owner)

    def load_slice(self, first: int, last: int, result: int, container: int) -> None:
        """Let a container of some of the elements of a container reach a node.

        Args:
            first: Position of its first element, from 0; UNKNOWN where nothing is known of the two.
            last: Position of the one after its last element; counted from the end where it is negative.
            result: The node.
            container: The container that they are taken from.
        """
        length = self._lengths.get(container)
        if length is None or first == UNKNOWN:
            self.new_container(result)
            self.store(result, UNKNOWN, self.items(container))
            return
        last = last + length if last < 0 else min(last, length)
        self.new_container(result, max(last - first, 0))
        for position in range(first, last):
            self.store(result, f"#{position - first}", self._items.get((container, f"#{position}")))
        self.store(result, UNKNOWN, self.item(container, UNKNOWN))

    def shuffle(self, container: int) -> None:
        """Let any element of a container be at any position."""
        self._lengths[container] = None
        self.store(container, UNKNOWN, self.items(container))

    def load_from_end(self, position: int, result: int, container: int) -> None:
        """Let the element so many places before the end of a container reach a node."""
        length = self._lengths.get(container)
        owner = ("container", container)
        self.load_item(UNKNOWN if length is None else f"#{length - position}", result, owner)

    # ---- attributes

    def load(self, name: str, result: int, owner: Value) -> None:
        """Let an attribute of a value reach a node."""
        kind = owner[0]
        if kind == "module":
            self._load_from_module(owner[1], name, result)
        elif name == "__class__":
            self.class_of(result, owner)
        elif kind in ("instance", "class"):
            self._load_from_classes(self._names.linearize((owner[1], owner[2])), name, result, owner)
        elif kind == "super":
            self._load_from_classes(self._names.linearize(owner[1])[1:], name, result, owner[2])
        elif kind == "container":
            self._flow.add(result, ("operation", name, owner[1]))
        elif kind == "function":
            self._load_assigned(owner, name, result)
        elif kind == "bound" and name == "__func__":
            self._flow.add(result, owner[1])
        elif kind == "bound" and name == "__self__":
            self._flow.add(result, owner[2])

    def _load_from_module(self, path: str, name: str, result: int) -> None:
        module = self._names.modules.get(path)
        variable = self._names.variable(module, MODULE, name) if module else None
        if variable is not None:
            self._flow.copy(variable, result)
        child = self._names.layout.child(path, name)
        if child is not None:
            self._flow.add(result, ("module", child))

    def _load_from_classes(self, order: Iterable[Class], name: str, result: int, owner: Value) -> None:
        in_body = None
        for class_ in order:
            if owner[0] == "instance":
                self._load_assigned(("instance", *class_), name, result)
            self._load_assigned(("class", *class_), name, result)
            if in_body is None:
                in_body = self._names.modules[class_[0]].variables.get((class_[1], name))
        if in_body is not None:
            self._flow.when(in_body, partial(self._take, owner, result))

    def _take(self, owner: Value, result: int, value: Value) -> None:
        """What an attribute that a class defines gives when it is taken from an instance or from the class."""
        if value[0] != "function":
            self._flow.add(result, value)
            return
        function = (value[1], value[2])
        marks = self._names.marks(function)
        if self._names.is_property(function):
            if owner[0] == "instance":
                self._give(function, result, owner)
        elif "classmethod" in marks:
            self._flow.add(result, ("bound", value, ("class", *owner[1:3])))
        elif owner[0] == "instance" and "staticmethod" not in marks:
            self._flow.add(result, ("bound", value, owner))
        else:
            self._flow.add(result, value)

    def set(self, name: str, value: int, owner: Value) -> None:
        """Let what reaches a node be an attribute of a value."""
        if owner[0] == "module":
            module = self._names.modules.get(owner[1])
            variable = module.variables.get((MODULE, name)) if module else None
            if variable is not None:
                self._flow.copy(value, variable)
        elif owner[0] in ("instance", "class", "function"):
            self._flow.copy(value, self._assigned_node(owner, name))

    def _assigned_node(self, owner: Value, name: str) -> int:
        """Node of an attribute that is assigned from outside the body of its owner."""
        key = (owner, name)
        if key not in self._assigned:
            node = self._assigned[key] = self._flow.node()
            for result in self._awaited.pop(key, ()):
                self._flow.copy(node, result)
        return self._assigned[key]

    def is_assigned(self, class_: Class, name: str) -> bool:
        """Whether something is assigned to an attribute of a class, its bases or their instances."""
        return any(
            (("instance", *one), name) in self._assigned
            or (("class", *one), name) in self._assigned
            or (one[1], name) in self._names.modules[one[0]].variables
            for one in self._names.linearize(class_)
        )

    def _load_assigned(self, owner: Value, name: str, result: int) -> None:
        """Let such an attribute reach a node: now, or once it is assigned."""
        node = self._assigned.get((owner, name))
        if node is not None:
            self._flow.copy(node, result)
        else:
            self._awaited.setdefault((owner, name), []).append(result)

    # ---- instances

    def instantiate(self, result: int, value: Value) -> None:
        """Let an instance of a class reach a node; a tuple of classes counts as each of them."""
        if value[0] == "class":
            self._flow.add(result, ("instance", *value[1:]))
        elif value[0] == "container" and (result, value[1]) not in self._instantiated:
            self._instantiated.add((result, value[1]))  # a container may hold itself
            self._flow.when(self.items(value[1]), partial(self.instantiate, result))

    def class_of(self, result: int, value: Value) -> None:
        """Let the class of an instance reach a node."""
        if value[0] == "instance":
            self._flow.add(result, ("class", *value[1:]))
