"""Resolution of Python: a graph of assignments, solved to a fixed point.

The binding facts (``loaders/languages/_python_facts.py``) become constraints of :class:`~.flow.Flow`: each
variable, fact, attribute and element is a node, and functions, classes and modules flow through them. The
analysis knows neither the order of statements nor the context of calls: a variable has all the values that
are ever assigned to it.

A value is a tuple whose first item says what it is:

=============================  ===================================================================
("module", path)
("function", path, symbol)
("class", path, symbol)
("instance", path, symbol)     of the class with that symbol
("bound", function, self)      a method taken from an instance or class
("super", class, self)         what ``super()`` gives in a method of the class
("container", node)            a list, tuple, dictionary or generator made at that node
("operation", name, node)      a method of that container
=============================  ===================================================================
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from loaders.extraction import UNKNOWN, Extraction, Fact, Import, Operand
from loaders.resolution.flow import Flow
from loaders.resolution.model import Edge, FileImport, Gap, Snapshot
from loaders.resolution.python_modules import Modules

__all__ = ["modules", "resolve"]

Value = tuple[Any, ...]
Class = tuple[str, int]

_MODULE_SCOPE = -1
_ANY_KEY = "*"
_TRANSPARENT = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "dict", "partial"}
)
_WRAPPERS = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Self"}
)
_MAPPINGS = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict"}
)
_STORING = {"append": 0, "add": 0, "appendleft": 0, "put": 0, "insert": 1, "setdefault": 1}
_LOADING = frozenset({"pop", "popleft", "get", "values", "setdefault", "copy", "popitem", "get_nowait"})
_MAX_DEPTH = 20


def modules(snapshot: Snapshot) -> Modules:
    """The modules of a snapshot."""
    paths = [path for path, extraction in snapshot.files.items() if extraction.language == "python"]
    return Modules(paths, tuple(snapshot.manifests) + tuple(snapshot.files))


def resolve(snapshot: Snapshot) -> tuple[list[Edge], list[FileImport], list[Gap]]:
    """Edges, imports and gaps of the Python files of a snapshot."""
    with _collector_paused():
        program = _Program(snapshot)
        program.flow.solve()
        return program.edges(), program.file_imports(), program.gaps()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """The constraints are a million live objects without garbage, which the collector would scan again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(slots=True)
class _File:
    """One module: its facts and the names that its scopes bind.

    Attributes:
        first: Node of its first fact; the others follow in a row.
        bound: Scope and name to the node of the variable.
        outer: Scope and name to the scope that a ``global`` or ``nonlocal`` statement names.
        definitions: Scope and name to what binds it, as far as it can be followed without the flow: a symbol
            (int), an import, or the fact of an assigned value with its scope.
        children: Class to the names that its body binds.
        stars: Imports of all names of a module.
        exports: What ``__all__`` lists; None where it is not given.
        functions: Symbol to its function or lambda fact.
        generators: Symbols of functions that yield.
        decorators: Symbol to its decorators.
        passed_through: Function to the parameters that it returns as they came.
        replaced: Symbols whose name a later import takes over, as accelerators written in C do.
    """

    path: str
    extraction: Extraction
    first: int
    bound: dict[tuple[int, str], int] = field(default_factory=dict)
    outer: dict[tuple[int, str], int] = field(default_factory=dict)
    definitions: dict[tuple[int, str], Any] = field(default_factory=dict)
    looked_up: dict[tuple[int, str], int | None] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    exports: frozenset[str] | None = None
    functions: dict[int, Fact] = field(default_factory=dict)
    generators: set[int] = field(default_factory=set)
    decorators: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    bases: dict[int, tuple[int, tuple[Operand, ...]]] = field(default_factory=dict)
    passed_through: dict[int, set[str]] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Site:
    """A call: where its arguments are, and the targets found for it."""

    file: _File
    reference: int
    positional: tuple[int | None, ...]
    keywords: tuple[tuple[str, int | None], ...]
    result: int
    targets: dict[tuple[str, int], Value] = field(default_factory=dict)


class _Program:
    def __init__(self, snapshot: Snapshot) -> None:
        self.flow = Flow()
        self.modules = modules(snapshot)
        self.files: dict[str, _File] = {}
        self.sites: list[_Site] = []
        self._returns: dict[Class, int] = {}
        self._members: dict[tuple[Value, str], int] = {}
        self._awaited: dict[tuple[Value, str], list[int]] = {}
        self._items: dict[tuple[int, Any], int] = {}
        self._linearized: dict[Class, tuple[Class, ...]] = {}
        self._linked: set[tuple[int, Value]] = set()
        for path in sorted(self.modules.names):
            extraction = snapshot.files[path]
            self.files[path] = _File(path, extraction, self.flow.nodes(len(extraction.facts)))
        for file in self.files.values():
            self._collect(file)
        for file in self.files.values():
            self._constrain(file)

    # ---- names ------------------------------------------------------------

    def _collect(self, file: _File) -> None:
        """Find what each scope binds."""
        symbols = file.extraction.symbols
        scope = _MODULE_SCOPE
        facts = file.extraction.facts
        for fact in facts:
            if fact[0] == "scope":
                scope = fact[1]
            elif fact[0] == "outer":
                target = _MODULE_SCOPE if fact[2] == "global" else self._enclosing_function(file, scope)
                file.outer.update({(scope, name): target for name in fact[1]})
        scope = _MODULE_SCOPE
        for fact in facts:
            operation = fact[0]
            if operation == "scope":
                scope = fact[1]
            elif operation in ("assign", "declare"):
                self._bind_target(file, scope, fact[1], fact[2])
            elif operation in ("function", "lambda"):
                file.functions[fact[1]] = fact
                for name, *_ in fact[2]:
                    self._bind(file, fact[1], name)
            elif operation == "class":
                file.bases[fact[1]] = (scope, fact[2])
            elif operation == "return" and isinstance(fact[1], str) and scope >= 0:
                file.passed_through.setdefault(scope, set()).add(fact[1])
            elif operation == "yield":
                file.generators.add(scope)
            elif operation == "decorate":
                file.decorators[fact[1]] = fact[2]
            elif operation == "export" and scope == _MODULE_SCOPE:
                file.exports = (file.exports or frozenset()) | frozenset(fact[1])
        for symbol in symbols:
            if symbol.kind in ("function", "method", "class"):
                self._bind(file, symbol.parent, symbol.name)
                file.definitions[symbol.parent, symbol.name] = symbol.ordinal
        for function, names in file.passed_through.items():
            fact = file.functions.get(function, ("function", function, ()))
            parameters = {name for name, role, *_ in fact[2] if role in (0, 2)}
            names &= {name for name in parameters if (function, name) not in file.definitions}
        for binding in file.extraction.imports:
            if binding.star:
                module = self._module_of(file, binding)
                file.stars += [module] if module in self.files else []
            else:
                self._bind(file, binding.enclosing, binding.alias)
                earlier = file.definitions.setdefault((binding.enclosing, binding.alias), binding)
                if isinstance(earlier, int) and symbols[earlier].span.end <= binding.span.start:
                    file.replaced.add(earlier)

    def _enclosing_function(self, file: _File, scope: int) -> int:
        symbols = file.extraction.symbols
        scope = symbols[scope].parent if scope >= 0 else scope
        while scope >= 0 and symbols[scope].kind == "class":
            scope = symbols[scope].parent
        return scope

    def _bind_target(self, file: _File, scope: int, target: Operand, value: Operand) -> None:
        if isinstance(target, str):
            self._bind(file, scope, target)
            file.definitions.setdefault((file.outer.get((scope, target), scope), target), (scope, value))
        elif target >= 0 and file.extraction.facts[target][0] == "tuple":
            for part in file.extraction.facts[target][1]:
                self._bind_target(file, scope, part, UNKNOWN)

    def _bind(self, file: _File, scope: int, name: str) -> None:
        key = (file.outer.get((scope, name), scope), name)
        if key not in file.bound:
            file.bound[key] = self.flow.node()

    def _look_up(self, file: _File, scope: int, name: str) -> int | None:
        """Node of the variable that a name means in a scope."""
        key = (scope, name)
        if key not in file.looked_up:
            file.looked_up[key] = self._find_variable(file, scope, name)
        return file.looked_up[key]

    def _find_variable(self, file: _File, scope: int, name: str) -> int | None:
        for one in self._scopes(file, scope, name):
            if (one, name) in file.bound:
                return file.bound[one, name]
        return self._star_variable(file, name, set())

    def _scopes(self, file: _File, scope: int, name: str) -> Iterator[int]:
        """Scopes that a name is looked for in: its own, those of enclosing functions, the module's."""
        yield (scope := file.outer.get((scope, name), scope))
        while scope >= 0:
            scope = self._enclosing_function(file, scope)
            yield scope

    def _star_variable(self, file: _File, name: str, seen: set[str]) -> int | None:
        for module in reversed(file.stars):
            if module not in seen:
                seen.add(module)
                other = self.files[module]
                visible = name in other.exports if other.exports is not None else name[:1] != "_"
                found = other.bound.get((_MODULE_SCOPE, name)) or self._star_variable(other, name, seen)
                if visible and found is not None:
                    return found
        return None

    def _module_of(self, file: _File, binding: Import) -> str | None:
        if binding.level:
            return self.modules.relative(file.path, binding.level, binding.module)
        return self.modules.find(binding.module, file.path)

    # ---- what can be followed without the flow, for the order of inheritance

    def static(self, file: _File, scope: int, operand: Operand, depth: int = 0) -> Value | None:
        """Module, class or function that an expression names."""
        if depth > _MAX_DEPTH:
            return None
        if isinstance(operand, str):
            for one in self._scopes(file, scope, operand):
                if (one, operand) in file.definitions:
                    return self._defined(file, file.definitions[one, operand], one, depth)
                if (one, operand) in file.bound:
                    return None
            for module in reversed(file.stars):
                found = self._static_member(("module", module), operand, depth + 1)
                if found is not None:
                    return found
            return None
        if operand < 0:
            return None
        fact = file.extraction.facts[operand]
        if fact[0] == "attr":
            owner = self.static(file, scope, fact[1], depth + 1)
            return self._static_member(owner, fact[2], depth + 1) if owner else None
        return self.static(file, scope, fact[1], depth + 1) if fact[0] == "item" else None

    def _defined(self, file: _File, definition: Any, scope: int, depth: int) -> Value | None:
        if isinstance(definition, int):
            kind = "class" if file.extraction.symbols[definition].kind == "class" else "function"
            return (kind, file.path, definition)
        if isinstance(definition, Import):
            return self._imported(file, definition, depth)
        return self.static(file, definition[0], definition[1], depth + 1)

    def _imported(self, file: _File, binding: Import, depth: int = 0) -> Value | None:
        """What an import binding leads to."""
        if not binding.name and "." in binding.module and binding.alias == binding.module.partition(".")[0]:
            binding = binding._replace(module=binding.alias)
        module = self._module_of(file, binding)
        if module is None:
            return None
        return (
            self._static_member(("module", module), binding.name, depth + 1)
            if binding.name
            else ("module", module)
        )

    def _static_member(self, owner: Value, name: str, depth: int) -> Value | None:
        if owner[0] == "module":
            file = self.files.get(owner[1])
            found = self.static(file, _MODULE_SCOPE, name, depth) if file else None
            child = self.modules.child(owner[1], name)
            return found or (("module", child) if child else None)
        if owner[0] == "class":
            file = self.files[owner[1]]
            definition = file.definitions.get((owner[2], name))
            return self._defined(file, definition, owner[2], depth) if definition is not None else None
        return None

    def linearize(self, class_: Class) -> tuple[Class, ...]:
        """The class and its bases in the order in which members are looked for (C3, as Python does)."""
        if class_ not in self._linearized:
            self._linearized[class_] = (class_,)  # what a class that inherits from itself gets
            bases = self._bases(class_)
            orders = [list(self.linearize(base)) for base in bases]
            self._linearized[class_] = (class_, *_merge([*orders, list(bases)]))
        return self._linearized[class_]

    def _bases(self, class_: Class) -> tuple[Class, ...]:
        file = self.files[class_[0]]
        scope, operands = file.bases.get(class_[1], (_MODULE_SCOPE, ()))
        found = (self.static(file, scope, operand) for operand in operands)
        return tuple(dict.fromkeys((value[1], value[2]) for value in found if value and value[0] == "class"))

    # ---- constraints ------------------------------------------------------------

    def _constrain(self, file: _File) -> None:
        for binding in file.extraction.imports:
            if not binding.star:
                self._constrain_import(file, binding)
        for symbol in file.extraction.symbols:
            if symbol.kind in ("function", "method", "class"):
                self._constrain_definition(file, symbol.ordinal)
        scope = _MODULE_SCOPE
        for position, fact in enumerate(file.extraction.facts):
            if fact[0] == "scope":
                scope = fact[1]
            else:
                constrain = _CONSTRAIN.get(fact[0])
                if constrain is not None:
                    constrain(self, file, scope, file.first + position, *fact[1:])

    def node_of(self, file: _File, scope: int, operand: Operand) -> int | None:
        """Node of an operand; None for a constant, or a name that nothing in the snapshot binds."""
        if isinstance(operand, str):
            return None if operand[:1] in "'#" else self._look_up(file, scope, operand)
        return file.first + operand if operand >= 0 else None

    def _constrain_import(self, file: _File, binding: Import) -> None:
        variable = file.bound[
            file.outer.get((binding.enclosing, binding.alias), binding.enclosing), binding.alias
        ]
        if not binding.name:
            value = self._imported(file, binding)
            if value is not None:
                self.flow.add(variable, value)
            return
        module = self._module_of(file, binding)
        if module is not None:
            self.load(binding.name, variable, ("module", module))

    def _constrain_definition(self, file: _File, symbol: int) -> None:
        """Let a function or class, as its decorators leave it, reach its name."""
        definition = file.extraction.symbols[symbol]
        kind = "class" if definition.kind == "class" else "function"
        scope = definition.parent
        node = self.flow.node()
        self.flow.add(node, (kind, file.path, symbol))
        for decorator, reference in reversed(file.decorators.get(symbol, ())):
            result = self.flow.node()
            callee = self.node_of(file, scope, decorator)
            value = self.static(file, scope, self._called(file, decorator))
            if value is None or value[0] == "class" or not self._returns_something(value):
                self.flow.copy(node, result)
            if callee is not None:
                self._call(_Site(file, reference, (node,), (), result), callee)
            node = result
        self.flow.copy(node, file.bound[file.outer.get((scope, definition.name), scope), definition.name])

    def _called(self, file: _File, operand: Operand) -> Operand:
        """The callee of a decorator that is called with arguments first."""
        if isinstance(operand, int) and operand >= 0 and file.extraction.facts[operand][0] == "call":
            return file.extraction.facts[operand][1]  # type: ignore[no-any-return]
        return operand

    def _returns_something(self, value: Value) -> bool:
        file = self.files[value[1]] if value[0] == "function" else None
        return file is not None and any(fact[0] == "return" for fact in self._body(file, value[2]))

    def _body(self, file: _File, symbol: int) -> Iterator[Fact]:
        scope = _MODULE_SCOPE
        for fact in file.extraction.facts:
            if fact[0] == "scope":
                scope = fact[1]
            elif scope == symbol:
                yield fact

    def returned(self, function: Class) -> int:
        """Node of what a function returns."""
        if function not in self._returns:
            self._returns[function] = self.flow.node()
        return self._returns[function]

    def assigned(self, owner: Value, name: str) -> int:
        """Node of an attribute that is assigned from outside the body of its owner."""
        key = (owner, name)
        if key not in self._members:
            node = self._members[key] = self.flow.node()
            for result in self._awaited.pop(key, ()):
                self.flow.copy(node, result)
        return self._members[key]

    def load_assigned(self, owner: Value, name: str, result: int) -> None:
        """Let an attribute that is assigned from outside reach a node, now or once it is assigned."""
        node = self._members.get((owner, name))
        if node is not None:
            self.flow.copy(node, result)
        else:
            self._awaited.setdefault((owner, name), []).append(result)

    def item(self, container: int, key: Any) -> int:
        """Node of the elements of a container with that key: UNKNOWN for any, ``*`` for all of them."""
        if (container, key) not in self._items:
            node = self._items[container, key] = self.flow.node()
            if key != _ANY_KEY:
                self.flow.copy(node, self.item(container, _ANY_KEY))
        return self._items[container, key]

    def store(self, container: int, key: Any, value: int | None) -> None:
        """Let a node be an element of a container."""
        if value is not None:
            self.flow.copy(value, self.item(container, key))

    def load_item(self, key: Any, result: int, value: Value) -> None:
        """Let the elements of a value reach a node."""
        if value[0] == "container":
            if key == UNKNOWN:
                self.flow.copy(self.item(value[1], _ANY_KEY), result)
            else:
                self.flow.copy(self.item(value[1], key), result)
                self.flow.copy(self.item(value[1], UNKNOWN), result)
        elif value[0] == "instance":
            for method in ("__getitem__", "__iter__", "__next__"):
                self._call_method(value, method, (), result)

    def _call_method(
        self, instance: Value, name: str, arguments: tuple[int | None, ...], result: int
    ) -> None:
        """Let what a special method returns reach a node."""
        for class_ in self.linearize((instance[1], instance[2])):
            file = self.files[class_[0]]
            symbol = file.definitions.get((class_[1], name))
            if isinstance(symbol, int):
                self.flow.copy(self.returned((class_[0], symbol)), result)
                return

    # ---- attributes ------------------------------------------------------------

    def load(self, name: str, result: int, owner: Value) -> None:
        """Let an attribute of a value reach a node."""
        kind = owner[0]
        if kind == "module":
            self._load_from_module(owner[1], name, result)
        elif kind == "instance" or kind == "class":
            self._load_from_classes(self.linearize((owner[1], owner[2])), name, result, owner)
        elif kind == "super":
            self._load_from_classes(self.linearize(owner[1])[1:], name, result, owner[2])
        elif kind == "container":
            self.flow.add(result, ("operation", name, owner[1]))
        elif kind == "function":
            self.load_assigned(owner, name, result)

    def _load_from_module(self, module: str, name: str, result: int) -> None:
        file = self.files.get(module)
        variable = self._look_up(file, _MODULE_SCOPE, name) if file else None
        if variable is not None:
            self.flow.copy(variable, result)
        child = self.modules.child(module, name)
        if child is not None:
            self.flow.add(result, ("module", child))

    def _load_from_classes(self, order: Iterable[Class], name: str, result: int, owner: Value) -> None:
        found = False
        for class_ in order:
            if owner[0] == "instance":
                self.load_assigned(("instance", *class_), name, result)
            self.load_assigned(("class", *class_), name, result)
            variable = self.files[class_[0]].bound.get((class_[1], name))
            if variable is not None and not found:
                found = True
                self.flow.when(variable, partial(self._bind_method, owner, result))

    def _bind_method(self, owner: Value, result: int, value: Value) -> None:
        """What an attribute of a class gives when it is taken from a value."""
        if value[0] != "function":
            self.flow.add(result, value)
            return
        marks = self.files[value[1]].extraction.symbols[value[2]].decorators
        if "staticmethod" in marks:
            self.flow.add(result, value)
        elif any(mark.rpartition(".")[2] in ("property", "cached_property") for mark in marks):
            if owner[0] == "instance":
                self.flow.copy(self.returned((value[1], value[2])), result)
        elif "classmethod" in marks:
            self.flow.add(result, ("bound", value, ("class", *owner[1:3])))
        elif owner[0] == "instance":
            self.flow.add(result, ("bound", value, owner))
        else:
            self.flow.add(result, value)

    def set(self, name: str, value: int, owner: Value) -> None:
        """Let a node reach an attribute of a value."""
        if owner[0] == "module":
            file = self.files.get(owner[1])
            variable = file.bound.get((_MODULE_SCOPE, name)) if file else None
            if variable is not None:
                self.flow.copy(value, variable)
        elif owner[0] in ("instance", "class", "function"):
            self.flow.copy(value, self.assigned(owner, name))

    def set_item(self, key: Any, value: int, owner: Value) -> None:
        """Let a node reach an element of a value."""
        if owner[0] == "container":
            self.store(owner[1], key, value)

    def instantiate(self, result: int, value: Value) -> None:
        """Let an instance of a class reach a node; a tuple of classes counts as each of them."""
        if value[0] == "class":
            self.flow.add(result, ("instance", *value[1:]))
        elif value[0] == "container" and (result, value) not in self._linked:
            self._linked.add((result, value))  # a container may hold itself
            self.flow.when(self.item(value[1], _ANY_KEY), partial(self.instantiate, result))

    # ---- calls ------------------------------------------------------------

    def _call(self, site: _Site, callee: int) -> None:
        self.sites.append(site)
        self.flow.when(callee, partial(self._called_with, len(self.sites) - 1))

    def _called_with(self, index: int, value: Value) -> None:
        """A value reaches the callee of a call."""
        site = self.sites[index]
        kind = value[0]
        if kind == "function":
            self._link(index, value, None, value)
        elif kind == "bound":
            self._link(index, value[1], value[2], value)
        elif kind == "class":
            self._construct(index, value)
        elif kind == "instance":
            self._link_method(index, value, "__call__")
        elif kind == "operation":
            self._operate(site, value[1], value[2])

    def _construct(self, index: int, value: Value) -> None:
        site = self.sites[index]
        instance = ("instance", *value[1:])
        self.flow.add(site.result, instance)
        if not self._link_method(index, instance, "__init__"):
            site.targets[value[1], value[2]] = value
        self._link_method(index, instance, "__new__")

    def _link_method(self, index: int, instance: Value, name: str) -> bool:
        for class_ in self.linearize((instance[1], instance[2])):
            symbol = self.files[class_[0]].definitions.get((class_[1], name))
            if isinstance(symbol, int):
                function = ("function", class_[0], symbol)
                self._link(index, function, instance, ("bound", function, instance))
                return True
        return False

    def _link(self, index: int, function: Value, receiver: Value | None, value: Value) -> None:
        """Let the arguments of a call reach the parameters of a function, and what it returns the result."""
        site = self.sites[index]
        target = (function[1], function[2])
        site.targets.setdefault(target, value)
        file = self.files[function[1]]
        fact = file.functions.get(function[2])
        if fact is None:
            return
        key = (index, function)
        parameters = [(name, role, file.bound[function[2], name]) for name, role, *_ in fact[2] if name]
        plain = [node for _, role, node in parameters if role == 0]
        if receiver is not None and plain:
            self.flow.add(plain[0], receiver)
        if key in self._linked:
            return
        self._linked.add(key)
        if file.extraction.symbols[function[2]].name not in ("__init__", "__new__"):
            self.flow.copy(self.returned(target), site.result)
        self._pass_through(site, function, receiver)
        self._link_arguments(site, parameters, plain[1:] if receiver is not None else plain)

    def _pass_through(self, site: _Site, function: Value, receiver: Value | None) -> None:
        """Let arguments that a function returns as they came reach the result of this call alone."""
        file = self.files[function[1]]
        names = file.passed_through.get(function[2])
        if not names:
            return
        plain = [name for name, role, *_ in file.functions[function[2]][2] if role == 0]
        if receiver is not None and plain:
            if plain[0] in names:
                self.flow.add(site.result, receiver)
            plain = plain[1:]
        given = dict(zip(plain, site.positional, strict=False)) | dict(site.keywords)
        for name in sorted(names):
            argument = given.get(name)
            if argument is not None:
                self.flow.copy(argument, site.result)

    def _link_arguments(self, site: _Site, parameters: list[tuple[str, int, int]], plain: list[int]) -> None:
        rest = next((node for _, role, node in parameters if role == 1), None)
        named = next((node for _, role, node in parameters if role == 3), None)
        by_name = {name: node for name, role, node in parameters if role in (0, 2)}
        for position, argument in enumerate(site.positional):
            if argument is not None and position < len(plain):
                self.flow.copy(argument, plain[position])
            elif argument is not None and rest is not None:
                self.store(rest, f"#{position - len(plain)}", argument)
        for name, argument in site.keywords:
            if argument is None:
                continue
            if name in by_name:
                self.flow.copy(argument, by_name[name])
            elif name == "*":
                self.flow.when(argument, partial(self._spread, plain[len(site.positional) :], rest))
            elif name == "**":
                self.flow.when(argument, partial(self._spread_names, by_name, named))
            elif named is not None:
                self.store(named, "'" + name, argument)

    def _spread(self, plain: list[int], rest: int | None, value: Value) -> None:
        """``*value``: its elements are the positional arguments that follow."""
        if value[0] == "container":
            for position, parameter in enumerate(plain):
                self.load_item(f"#{position}", parameter, value)
            if rest is not None:
                self.flow.copy(self.item(value[1], _ANY_KEY), self.item(rest, UNKNOWN))

    def _spread_names(self, by_name: dict[str, int], named: int | None, value: Value) -> None:
        """``**value``: its elements are the keyword arguments."""
        if value[0] == "container":
            for name, parameter in by_name.items():
                self.load_item("'" + name, parameter, value)
            if named is not None:
                self.flow.copy(self.item(value[1], _ANY_KEY), self.item(named, UNKNOWN))

    def _operate(self, site: _Site, name: str, container: int) -> None:
        """A method of a list, dictionary, set or generator."""
        if name in _STORING and len(site.positional) > _STORING[name]:
            self.store(container, UNKNOWN, site.positional[_STORING[name]])
        elif name in ("extend", "update") and site.positional and site.positional[0] is not None:
            self.flow.when(
                site.positional[0], partial(self.load_item, UNKNOWN, self.item(container, UNKNOWN))
            )
        if name in ("values", "copy", "keys"):
            self.flow.add(site.result, ("container", container))
        elif name == "items":
            self.store(site.result, "#1", self.item(container, _ANY_KEY))
            pairs = self.item(site.result, UNKNOWN)
            self.flow.add(pairs, ("container", site.result))
            self.flow.add(site.result, ("container", site.result))
        elif name in _LOADING or name == "send" or name == "__next__":
            self.flow.copy(self.item(container, _ANY_KEY), site.result)

    # ---- results ------------------------------------------------------------

    def edges(self) -> list[Edge]:
        """Edges of all references."""
        edges = []
        for site in self.sites:
            if site.reference < 0:
                continue
            ranked = sorted(
                (self._origin(site, target, value), *target) for target, value in site.targets.items()
            )
            for rank, ((_, origin), path, symbol) in enumerate(ranked):
                edges.append(Edge("CALLS", site.file.path, site.reference, path, symbol, origin, rank))
        for file in self.files.values():
            edges += self._named_edges(file)
        return edges

    def _origin(self, site: _Site, target: Class, value: Value) -> tuple[int, str]:
        """(order, rule) by which a target was found for a call."""
        if len(site.targets) > 1 or target[1] in self.files[target[0]].replaced:
            return (3, "alternative")
        reference = site.file.extraction.references[site.reference]
        if value[0] == "bound":
            owner = self.files[target[0]].extraction.symbols[target[1]].parent
            return (
                (0, "receiver_type")
                if value[2][2] == owner and value[2][1] == target[0]
                else (1, "inherited_member")
            )
        static = (
            self.static(site.file, reference.enclosing, reference.name) if not reference.receiver else None
        )
        if static is not None and static[1:] == value[1:]:
            return (0, "lexical_scope") if static[1] == site.file.path else (0, "import")
        return (2, "assigned_value") if not reference.receiver else (1, "import")

    def _named_edges(self, file: _File) -> Iterator[Edge]:
        kinds = {"type": "REFERENCES", "inherit": "INHERITS"}
        for reference in file.extraction.references:
            if reference.kind in kinds:
                value = self._static_text(file, reference)
                if value is not None and value[0] in ("class", "function"):
                    origin = "lexical_scope" if value[1] == file.path else "import"
                    yield Edge(
                        kinds[reference.kind], file.path, reference.ordinal, value[1], value[2], origin, 0
                    )

    def _static_text(self, file: _File, reference: Any) -> Value | None:
        """What a dotted name leads to."""
        scope = reference.enclosing
        symbols = file.extraction.symbols
        if scope >= 0 and symbols[scope].kind == "class" and reference.kind == "inherit":
            scope = symbols[scope].parent
        first, *rest = (
            [*reference.receiver.split("."), reference.name] if reference.receiver else [reference.name]
        )
        value = self.static(file, scope, first)
        for name in rest:
            value = self._static_member(value, name, 0) if value else None
        return value

    def file_imports(self) -> list[FileImport]:
        """Files that import files."""
        found = []
        for file in self.files.values():
            for binding in file.extraction.imports:
                module = self._module_of(file, binding)
                if module is not None and binding.name:
                    module = self.modules.child(module, binding.name) or module
                if module in self.files and module != file.path:
                    found.append(FileImport(file.path, binding.ordinal, module))
        return found

    def gaps(self) -> list[Gap]:
        """References that lead nowhere."""
        led = {(site.file.path, site.reference) for site in self.sites if site.targets}
        return [
            Gap(file.path, reference.ordinal, self._why(file, reference))
            for file in self.files.values()
            for reference in file.extraction.references
            if reference.kind == "call" and (file.path, reference.ordinal) not in led
        ]

    def _why(self, file: _File, reference: Any) -> str:
        root = (reference.receiver or reference.name).split(".")[0].split("(")[0].split("[")[0]
        definition = None
        for one in self._scopes(file, reference.enclosing, root):
            if (one, root) in file.bound:
                definition = file.definitions.get((one, root), ())
                break
        if definition is None:
            return "builtin" if root.isidentifier() or not root else "unknown_receiver"
        if isinstance(definition, Import):
            return "external" if self._imported(file, definition) is None else "unknown_member"
        return "unknown_receiver" if reference.receiver else "dynamic"


def _merge(orders: list[list[Class]]) -> Iterator[Class]:
    """C3: the first head that is in no tail; where there is none, the first head all the same."""
    orders = [order for order in orders if order]
    while orders:
        tails = {class_ for order in orders for class_ in order[1:]}
        head = next((order[0] for order in orders if order[0] not in tails), orders[0][0])
        yield head
        orders = [rest for order in orders if (rest := [class_ for class_ in order if class_ != head])]


# ---- one function for each operation of the facts ------------------------------------------------------------


def _function(
    p: _Program, file: _File, scope: int, node: int, symbol: int, parameters: Any, returned: Operand
) -> None:
    definition = file.extraction.symbols[symbol]
    for position, (name, role, annotation, default) in enumerate(parameters):
        if not name:
            continue
        variable = file.bound[symbol, name]
        value = p.node_of(file, scope, default)
        if value is not None:
            p.flow.copy(value, variable)
        if role in (1, 3):
            p.flow.add(variable, ("container", variable))
            _annotate(p, file, scope, annotation, p.item(variable, UNKNOWN))
        else:
            _annotate(p, file, scope, annotation, variable)
        if position == 0 and definition.kind == "method" and "staticmethod" not in definition.decorators:
            of_class = "classmethod" in definition.decorators or definition.name in (
                "__new__",
                "__init_subclass__",
            )
            p.flow.add(variable, ("class" if of_class else "instance", file.path, definition.parent))
    _annotate(p, file, scope, returned, p.returned((file.path, symbol)))
    if symbol in file.generators:
        made = p.returned((file.path, symbol))
        p.flow.add(made, ("container", made))


def _annotate(p: _Program, file: _File, scope: int, annotation: Operand, result: int) -> None:
    """Let an instance of what an annotation says reach a node."""
    if annotation == UNKNOWN:
        return
    fact: Fact = file.extraction.facts[annotation] if isinstance(annotation, int) else ("name", annotation)
    if fact[0] == "any":
        for option in fact[1]:
            _annotate(p, file, scope, option, result)
    elif fact[0] == "item":
        _annotate_generic(p, file, scope, fact, result)
    else:
        node = p.node_of(file, scope, annotation)
        if node is not None:
            p.flow.when(node, partial(p.instantiate, result))


def _annotate_generic(p: _Program, file: _File, scope: int, fact: Fact, result: int) -> None:
    base, argument = fact[1], fact[2]
    name = base if isinstance(base, str) else ""
    if isinstance(base, int) and base >= 0 and file.extraction.facts[base][0] == "attr":
        name = file.extraction.facts[base][2]
    is_tuple = isinstance(argument, int) and argument >= 0 and file.extraction.facts[argument][0] == "tuple"
    arguments = file.extraction.facts[argument][1] if is_tuple else (argument,)
    if name in _WRAPPERS:
        for one in arguments:
            _annotate(p, file, scope, one, result)
        return
    node = p.node_of(file, scope, base)
    if node is not None:
        p.flow.when(node, partial(p.instantiate, result))
        return
    if name in ("type", "Type"):
        found = p.node_of(file, scope, arguments[0]) if arguments else None
        if found is not None:
            p.flow.copy(found, result)
        return
    elements = arguments[1:] if name in _MAPPINGS else arguments
    p.flow.add(result, ("container", result))
    for one in elements:
        _annotate(p, file, scope, one, p.item(result, UNKNOWN))


def _lambda(
    p: _Program, file: _File, scope: int, node: int, symbol: int, parameters: Any, body: Operand
) -> None:
    p.flow.add(node, ("function", file.path, symbol))
    _function(p, file, scope, node, symbol, parameters, UNKNOWN)
    value = p.node_of(file, symbol, body)
    if value is not None:
        p.flow.copy(value, p.returned((file.path, symbol)))


def _assign(p: _Program, file: _File, scope: int, node: int, target: Operand, value: Operand) -> None:
    source = p.node_of(file, scope, value)
    if source is not None:
        _store(p, file, scope, target, source)


def _store(p: _Program, file: _File, scope: int, target: Operand, source: int) -> None:
    if isinstance(target, str):
        variable = p.node_of(file, scope, target)
        if variable is not None:
            p.flow.copy(source, variable)
        return
    if target < 0:
        return
    operation, *operands = file.extraction.facts[target]
    if operation == "tuple":
        for position, part in enumerate(operands[0]):
            element = p.flow.node()
            p.flow.when(source, partial(p.load_item, f"#{position}", element))
            _store(p, file, scope, part, element)
    elif operation in ("attr", "item"):
        owner = p.node_of(file, scope, operands[0])
        if owner is not None:
            store = p.set if operation == "attr" else p.set_item
            p.flow.when(
                owner, partial(store, operands[1] if operation == "attr" else _key(operands[1]), source)
            )


def _key(key: Any) -> Any:
    return key if isinstance(key, str) and key[:1] in ("'", "#") else UNKNOWN


def _declare(p: _Program, file: _File, scope: int, node: int, target: Operand, annotation: Operand) -> None:
    _annotate(p, file, scope, annotation, node)
    _store(p, file, scope, target, node)


def _return(p: _Program, file: _File, scope: int, node: int, value: Operand) -> None:
    source = p.node_of(file, scope, value)
    if source is not None and scope >= 0 and value not in file.passed_through.get(scope, ()):
        p.flow.copy(source, p.returned((file.path, scope)))


def _yield(p: _Program, file: _File, scope: int, node: int, value: Operand) -> None:
    source = p.node_of(file, scope, value)
    if source is not None and scope >= 0:
        p.store(p.returned((file.path, scope)), UNKNOWN, source)


def _attribute(p: _Program, file: _File, scope: int, node: int, value: Operand, name: str) -> None:
    owner = p.node_of(file, scope, value)
    if owner is not None:
        p.flow.when(owner, partial(p.load, name, node))


def _item(p: _Program, file: _File, scope: int, node: int, value: Operand, key: Any) -> None:
    owner = p.node_of(file, scope, value)
    if owner is not None:
        p.flow.when(owner, partial(p.load_item, _key(key), node))


def _elements(p: _Program, file: _File, scope: int, node: int, value: Operand) -> None:
    _item(p, file, scope, node, value, UNKNOWN)


def _sequence(p: _Program, file: _File, scope: int, node: int, values: tuple[Operand, ...]) -> None:
    nodes = [p.node_of(file, scope, value) for value in values]
    p.flow.add(node, ("container", node))
    for position, value in enumerate(nodes):
        p.store(node, f"#{position}", value)


def _bag(p: _Program, file: _File, scope: int, node: int, values: tuple[Operand, ...]) -> None:
    _sequence(p, file, scope, node, values)


def _dictionary(p: _Program, file: _File, scope: int, node: int, pairs: Any) -> None:
    p.flow.add(node, ("container", node))
    for key, value in pairs:
        found = p.node_of(file, scope, value)
        if key == "**" and found is not None:
            p.flow.when(found, partial(p.load_item, UNKNOWN, p.item(node, UNKNOWN)))
        else:
            p.store(node, _key(key), found)


def _any(p: _Program, file: _File, scope: int, node: int, values: tuple[Operand, ...]) -> None:
    for value in values:
        source = p.node_of(file, scope, value)
        if source is not None:
            p.flow.copy(source, node)


def _enter(p: _Program, file: _File, scope: int, node: int, value: Operand) -> None:
    source = p.node_of(file, scope, value)
    if source is not None:
        p.flow.when(source, partial(_entered, p, node))


def _entered(p: _Program, result: int, value: Value) -> None:
    """What ``with value as name`` binds: what ``__enter__`` returns, what a generator yields, or itself."""
    if value[0] == "container":
        p.load_item(UNKNOWN, result, value)
    elif value[0] == "instance":
        p._call_method(value, "__enter__", (), result)
        p.flow.add(result, value)


def _instance(p: _Program, file: _File, scope: int, node: int, value: Operand) -> None:
    _annotate(p, file, scope, value, node)


def _call(
    p: _Program,
    file: _File,
    scope: int,
    node: int,
    callee: Operand,
    arguments: Any,
    keywords: Any,
    reference: int,
) -> None:
    positional = tuple(p.node_of(file, scope, argument) for argument in arguments)
    named = tuple((name, p.node_of(file, scope, value)) for name, value in keywords)
    function = p.node_of(file, scope, callee)
    site = _Site(file, reference, positional, named, node)
    if function is not None:
        p._call(site, function)
    elif isinstance(callee, str):
        _call_builtin(p, file, scope, site, callee, arguments)
    name = (
        callee
        if isinstance(callee, str)
        else file.extraction.facts[callee][2]
        if callee >= 0 and file.extraction.facts[callee][0] == "attr"
        else ""
    )
    if name == "partial" and positional and positional[0] is not None:
        p.flow.copy(positional[0], node)


def _call_builtin(p: _Program, file: _File, scope: int, site: _Site, name: str, arguments: Any) -> None:
    first = site.positional[0] if site.positional else None
    if name == "super":
        _super(p, file, scope, site.result)
    elif name in _TRANSPARENT and first is not None:
        p.flow.copy(first, site.result)
    elif name == "next" and first is not None:
        p.flow.when(first, partial(p.load_item, UNKNOWN, site.result))
    elif name == "getattr" and first is not None and len(arguments) > 1 and _key(arguments[1]) != UNKNOWN:
        p.flow.when(first, partial(p.load, arguments[1][1:], site.result))
    elif name == "setattr" and first is not None and len(arguments) > 2 and site.positional[2] is not None:
        if _key(arguments[1]) != UNKNOWN:
            p.flow.when(first, partial(p.set, arguments[1][1:], site.positional[2]))
    elif name in ("map", "filter") and first is not None and len(arguments) > 1:
        element, result = p.flow.node(), p.flow.node()
        if site.positional[1] is not None:
            p.flow.when(site.positional[1], partial(p.load_item, UNKNOWN, element))
        p._call(_Site(file, site.reference, (element,), (), result), first)
        p.flow.add(site.result, ("container", site.result))
        p.store(site.result, UNKNOWN, result if name == "map" else element)
    elif name == "enumerate" and first is not None:
        pair = p.flow.node()
        p.flow.add(pair, ("container", pair))
        p.flow.when(first, partial(p.load_item, UNKNOWN, p.item(pair, "#1")))
        p.flow.add(site.result, ("container", site.result))
        p.store(site.result, UNKNOWN, pair)
    elif name == "zip":
        pair = p.flow.node()
        p.flow.add(pair, ("container", pair))
        for position, one in enumerate(site.positional):
            if one is not None:
                p.flow.when(one, partial(p.load_item, UNKNOWN, p.item(pair, f"#{position}")))
        p.flow.add(site.result, ("container", site.result))
        p.store(site.result, UNKNOWN, pair)
    elif name == "type" and first is not None:
        p.flow.when(first, partial(_class_of, p, site.result))


def _class_of(p: _Program, result: int, value: Value) -> None:
    if value[0] == "instance":
        p.flow.add(result, ("class", *value[1:]))


def _super(p: _Program, file: _File, scope: int, result: int) -> None:
    symbols = file.extraction.symbols
    method = scope
    while method >= 0 and symbols[method].kind != "method":
        method = symbols[method].parent
    if method >= 0:
        class_ = (file.path, symbols[method].parent)
        kind = (
            "class"
            if "classmethod" in symbols[method].decorators or symbols[method].name == "__new__"
            else "instance"
        )
        p.flow.add(result, ("super", class_, (kind, *class_)))


_CONSTRAIN: dict[str, Any] = {
    "function": _function,
    "lambda": _lambda,
    "assign": _assign,
    "declare": _declare,
    "return": _return,
    "yield": _yield,
    "attr": _attribute,
    "item": _item,
    "elements": _elements,
    "list": _bag,
    "tuple": _sequence,
    "dict": _dictionary,
    "any": _any,
    "enter": _enter,
    "instance": _instance,
    "call": _call,
}
