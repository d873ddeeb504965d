"""What the names of a Python program mean: variables, and what can be followed without the flow of values.

Modules, classes and functions that a name or dotted name leads to by definitions and imports alone are
*static*. They are what the order of inheritance rests on, which must be known before values flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loaders.extraction import Import, Operand, Reference
from loaders.resolution.flow import Flow
from loaders.resolution.model import Snapshot
from loaders.resolution.python.layout import Layout
from loaders.resolution.python.scopes import MODULE, PROPERTIES, Assigned, Module, Name, marks, read_module

__all__ = ["Class", "Names", "Value", "layout"]

Value = tuple[Any, ...]
"""A value; :mod:`loaders.resolution.python.program` lists the kinds. Static ones are ``("module", path)``,
``("class", path, symbol)`` and ``("function", path, symbol)``."""

Class = tuple[str, int]
"""A class by path and symbol."""

_MAX_DEPTH = 20


def layout(snapshot: Snapshot) -> Layout:
    """The Python modules of a snapshot, by path and by name."""
    paths = [path for path, extraction in snapshot.files.items() if extraction.language == "python"]
    return Layout(paths, (*snapshot.manifests, *snapshot.files))


class Names:
    """The modules of a snapshot and what their names mean.

    Args:
        snapshot: The snapshot.
        flow: Where variables and facts get their nodes.
    """

    def __init__(self, snapshot: Snapshot, flow: Flow) -> None:
        self.layout = layout(snapshot)
        self.modules: dict[str, Module] = {}
        self._known: dict[tuple[str, int, str], int | None] = {}
        self._linearized: dict[Class, tuple[Class, ...]] = {}
        self._dropped: dict[Class, bool] = {}
        self._methods: dict[tuple[Class, str], Class | None] = {}
        for path in sorted(self.layout.names):
            extraction = snapshot.files[path]
            first = flow.nodes(len(extraction.facts))
            self.modules[path] = read_module(path, extraction, first, flow.node)

    # ---- variables

    def variable(self, module: Module, scope: int, name: str) -> int | None:
        """Node of the variable that a name means in a scope; None where nothing in the snapshot binds it."""
        key = (module.path, scope, name)
        if key not in self._known:
            self._known[key] = self._find_variable(module, scope, name)
        return self._known[key]

    def _find_variable(self, module: Module, scope: int, name: str) -> int | None:
        for one in module.scopes(scope, name):
            if (one, name) in module.variables:
                return module.variables[one, name]
        return next((other.variables[MODULE, name] for other in self._starred(module, name, set())), None)

    def _starred(self, module: Module, name: str, seen: set[str]) -> Iterator[Module]:
        """Modules that bind a name and that a star import takes it from, the last import first."""
        for binding in reversed(module.stars):
            path = self.imported_module(module, binding)
            if path not in self.modules or path in seen:
                continue
            seen.add(path)
            other = self.modules[path]
            if name in other.exports if other.exports is not None else not name.startswith("_"):
                if (MODULE, name) in other.variables:
                    yield other
                yield from self._starred(other, name, seen)

    # ---- imports

    def imported_module(self, module: Module, binding: Import) -> str | None:
        """Module that an import names; None where it is outside the snapshot."""
        if binding.level:
            return self.layout.relative(module.path, binding.level, binding.module)
        return self.layout.find(binding.module, module.path)

    def imported(self, module: Module, binding: Import, depth: int = 0) -> Value | None:
        """Static value that an import binds."""
        first = binding.module.partition(".")[0]
        if not binding.name and binding.alias == first:
            binding = binding._replace(module=first)  # ``import a.b`` binds a
        path = self.imported_module(module, binding)
        if path is None:
            return None
        owner = ("module", path)
        return self.static_member(owner, binding.name, depth + 1) if binding.name else owner

    # ---- static values

    def static(self, module: Module, scope: int, operand: Operand, depth: int = 0) -> Value | None:
        """Static value of an expression."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(operand, str):
            return self._static_name(module, scope, operand, depth)
        fact = module.fact(operand)
        if fact[0] == "attr":
            owner = self.static(module, scope, fact[1], depth + 1)
            return self.static_member(owner, fact[2], depth + 1) if owner else None
        return self.static(module, scope, fact[1], depth + 1) if fact[0] == "item" else None

    def _static_name(self, module: Module, scope: int, name: str, depth: int) -> Value | None:
        for one in module.scopes(scope, name):
            if (one, name) in module.definitions:
                return self._defined(module, (one, name), depth)
            if (one, name) in module.variables:
                return None
        starred = next(self._starred(module, name, set()), None)
        return self.static_member(("module", starred.path), name, depth + 1) if starred else None

    def _defined(self, module: Module, name: Name, depth: int) -> Value | None:
        definition = module.definitions[name]
        if isinstance(definition, Assigned):
            return self.static(module, definition.scope, definition.value, depth + 1)
        if isinstance(definition, Import):
            value = self.imported(module, definition, depth)
            if value is not None or name not in module.fallbacks:
                return value
            definition = module.fallbacks[name]
        kind = "class" if module.extraction.symbols[definition].kind == "class" else "function"
        return (kind, module.path, definition)

    def static_member(self, owner: Value, name: str, depth: int = 0) -> Value | None:
        """Static value of an attribute of a module or class."""
        if owner[0] == "module":
            module = self.modules.get(owner[1])
            found = self.static(module, MODULE, name, depth) if module else None
            child = self.layout.child(owner[1], name)
            return found or (("module", child) if child else None)
        if owner[0] == "class":
            module = self.modules[owner[1]]
            known = (owner[2], name)
            return self._defined(module, known, depth) if known in module.definitions else None
        return None

    def static_reference(self, module: Module, reference: Reference) -> Value | None:
        """Static value that the dotted name of a reference leads to."""
        scope = reference.enclosing
        if reference.kind == "inherit":
            scope = module.extraction.symbols[scope].parent
        first, *rest = f"{reference.receiver}.{reference.name}".lstrip(".").split(".")
        value = self.static(module, scope, first)
        for name in rest:
            value = self.static_member(value, name) if value else None
        return value

    def is_dropped(self, definition: Class) -> bool:
        """Whether a decorator of a function or class does nothing with it, but puts something else in its place."""
        if definition not in self._dropped:
            self._dropped[definition] = self._find_dropped(definition)
        return self._dropped[definition]

    def _find_dropped(self, definition: Class) -> bool:
        module = self.modules[definition[0]]
        scope = module.extraction.symbols[definition[1]].parent
        found = (
            self.static(module, scope, operand) for operand, _ in module.decorators.get(definition[1], ())
        )
        return any(
            value is not None and value[0] == "function" and not self.modules[value[1]].uses_first(value[2])
            for value in found
        )

    def is_property(self, function: Class) -> bool:
        """Whether taking the function from an instance calls it."""
        return bool(PROPERTIES & self.marks(function))

    def marks(self, function: Class) -> set[str]:
        """Last names of the decorators of a function."""
        return marks(self.modules[function[0]].extraction.symbols[function[1]])

    def getter(self, class_: Class, name: str) -> Class | None:
        """What reading an attribute of an instance calls: a property of its class or the nearest base that has it."""
        for path, symbol in self.linearize(class_):
            module = self.modules[path]
            if (symbol, name) in module.properties:
                return path, module.properties[symbol, name]
            if (symbol, name) in module.definitions:
                return None
        return None

    # ---- inheritance

    def linearize(self, class_: Class) -> tuple[Class, ...]:
        """The class and its bases in the order in which members are looked for (C3, as Python does).

        Bases that are outside the snapshot, or computed, are left out.
        """
        pending = [class_]
        begun: dict[Class, list[Class]] = {}
        while pending:
            one = pending[-1]
            if one in begun:
                bases = begun.pop(one)
                orders = [list(self._linearized[base]) for base in bases]
                self._linearized[one] = (one, *_merge([*orders, bases]))
                pending.pop()
            elif one in self._linearized:
                pending.pop()
            else:
                self._linearized[one] = (one,)  # what a class that inherits from itself gets
                begun[one] = self._bases(one)
                pending += [base for base in reversed(begun[one]) if base not in self._linearized]
        return self._linearized[class_]

    def _bases(self, class_: Class) -> list[Class]:
        module = self.modules[class_[0]]
        scope, operands = module.bases.get(class_[1], (MODULE, ()))
        found = (self.static(module, scope, operand) for operand in operands)
        return list(dict.fromkeys((value[1], value[2]) for value in found if value and value[0] == "class"))

    def method(self, class_: Class, name: str) -> Class | None:
        """Function that a class or the nearest of its bases defines under a name."""
        key = (class_, name)
        if key not in self._methods:
            self._methods[key] = next(self._defining(class_, name), None)
        return self._methods[key]

    def _defining(self, class_: Class, name: str) -> Iterator[Class]:
        for path, symbol in self.linearize(class_):
            found = self.modules[path].definitions.get((symbol, name))
            if isinstance(found, int):
                yield path, found


def _merge(orders: list[list[Class]]) -> Iterator[Class]:
    """C3: the first head that is in no tail; where there is none, the first head all the same."""
    orders = [order for order in orders if order]
    while orders:
        tails = {class_ for order in orders for class_ in order[1:]}
        head = next((order[0] for order in orders if order[0] not in tails), orders[0][0])
        yield head
        orders = [rest for order in orders if (rest := [class_ for class_ in order if class_ != head])]
