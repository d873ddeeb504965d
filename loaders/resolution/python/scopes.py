"""What the scopes of a Python module bind, read off its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from loaders.extraction import UNKNOWN, Extraction, Fact, Import, Operand, Symbol

__all__ = ["MODULE", "PROPERTIES", "Assigned", "Definition", "Module", "Name", "marks", "read_module"]

PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})
"""Last names of the decorators of what is called when it is read."""

MODULE = -1
"""The scope of a module's top level; any other scope is the ordinal of a function or class."""

Name = tuple[int, str]
"""A scope and a name in it."""


class Assigned(NamedTuple):
    """A value that is assigned to a name: the scope that it is looked up from, and the operand."""

    scope: int
    value: Operand


Definition = int | Import | Assigned
"""What binds a name: a symbol, an import or an assignment."""


@dataclass(slots=True)
class Module:
    """One module: its facts, and what its scopes bind.

    Attributes:
        path: Path of the file.
        first: Node of its first fact; the others follow in a row.
        variables: Node of each variable.
        outer: The scope that a ``global`` or ``nonlocal`` statement names.
        definitions: What binds each name: its last ``def`` or ``class``, else the first thing that does.
        fallbacks: The function or class that a name has where its import leads nowhere.
        stars: Imports of all names of another module.
        exports: What ``__all__`` lists; None where it is not given.
        functions: Function or lambda to its fact.
        generators: Functions that yield.
        returning: Functions that return a value that is tracked.
        decorators: Function or class to its decorators and the references of their calls.
        bases: Class to its bases and the scope that they are looked up from.
        passed_through: Function to the parameters that it returns as they came.
        properties: What reading an attribute that a class defines calls.
        replaced: Functions and classes whose name a later import takes over, as that of an accelerator does.
    """

    path: str
    extraction: Extraction
    first: int
    variables: dict[Name, int] = field(default_factory=dict)
    outer: dict[Name, int] = field(default_factory=dict)
    definitions: dict[Name, Definition] = field(default_factory=dict)
    fallbacks: dict[Name, int] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    exports: frozenset[str] | None = None
    functions: dict[int, Fact] = field(default_factory=dict)
    generators: set[int] = field(default_factory=set)
    returning: set[int] = field(default_factory=set)
    decorators: dict[int, Fact] = field(default_factory=dict)
    bases: dict[int, tuple[int, Fact]] = field(default_factory=dict)
    passed_through: dict[int, set[str]] = field(default_factory=dict)
    properties: dict[Name, int] = field(default_factory=dict)
    replaced: set[int] = field(default_factory=set)

    def scoped_facts(self) -> Iterator[tuple[int, int, Fact]]:
        """Each fact with its scope and position."""
        scope = MODULE
        for position, fact in enumerate(self.extraction.facts):
            if fact[0] == "scope":
                scope = fact[1]
            else:
                yield scope, position, fact

    def fact(self, operand: Operand) -> Fact:
        """The fact that makes an operand; one without an operation where it is a name or unknown."""
        return self.extraction.facts[operand] if isinstance(operand, int) and operand >= 0 else ("",)

    def uses_first(self, function: int) -> bool:
        """Whether a function, or one inside of it, does anything with its first parameter."""
        fact = self.functions.get(function)
        if fact is None or not fact[2]:
            return True
        parameter, role, *_ = fact[2][0]
        return role != 0 or any(
            _names(_READ.get(fact[0], slice(1, None)), fact, parameter)
            for scope, _, fact in self.scoped_facts()
            if fact[0] not in ("function", "lambda") and self._is_within(scope, function)
        )

    def _is_within(self, scope: int, function: int) -> bool:
        while scope >= 0 and scope != function:
            scope = self.extraction.symbols[scope].parent
        return scope == function

    def home(self, scope: int, name: str) -> Name:
        """Where a name that is bound in a scope really lives."""
        return self.outer.get((scope, name), scope), name

    def scopes(self, scope: int, name: str) -> Iterator[int]:
        """Scopes that a name is looked for in: its own, those of the functions around it, the module's."""
        yield (scope := self.outer.get((scope, name), scope))
        while scope >= 0:
            scope = self.enclosing_function(scope)
            yield scope

    def enclosing_function(self, scope: int) -> int:
        """The function around a scope, or the module: names in a class body are not seen from its methods."""
        symbols = self.extraction.symbols
        scope = symbols[scope].parent if scope >= 0 else scope
        while scope >= 0 and symbols[scope].kind == "class":
            scope = symbols[scope].parent
        return scope


def marks(symbol: Symbol) -> set[str]:
    """Last names of the decorators of a definition."""
    return {mark.rpartition(".")[2] for mark in symbol.decorators}


_READ = {"attr": slice(1, 2), "assign": slice(2, 3), "declare": slice(0, 0), "export": slice(0, 0)}
"""Operands of a fact that are read, where these are not all."""


def _names(part: slice, fact: Fact, name: str) -> bool:
    """Whether some operands of a fact are a name, or hold it."""
    pending = list(fact[part])
    while pending:
        one = pending.pop()
        if isinstance(one, (tuple, list)):
            pending += one
        elif one == name:
            return True
    return False


def read_module(path: str, extraction: Extraction, first: int, new_node: Callable[[], int]) -> Module:
    """Find what each scope of a module binds.

    Args:
        path: Path of the file.
        extraction: What was extracted from it.
        first: Node of its first fact.
        new_node: Makes the node of a variable.
    """
    module = Module(path, extraction, first)
    for scope, _, fact in module.scoped_facts():
        if fact[0] == "outer":
            target = MODULE if fact[2] == "global" else module.enclosing_function(scope)
            module.outer.update({(scope, name): target for name in fact[1]})
    names: list[Name] = []
    for scope, _, fact in module.scoped_facts():
        _read_fact(module, scope, fact, names)
    for symbol in extraction.symbols:
        if symbol.kind in ("function", "method", "class"):
            names.append((symbol.parent, symbol.name))
            module.definitions[module.home(symbol.parent, symbol.name)] = symbol.ordinal
        if symbol.decorators and PROPERTIES & marks(symbol):
            module.properties.setdefault((symbol.parent, symbol.name), symbol.ordinal)
    spare = {symbol for _, _, fact in module.scoped_facts() if fact[0] == "fallback" for symbol in fact[1]}
    for binding in extraction.imports:
        _read_import(module, binding, names, spare)
    for scope, name in names:
        home = module.home(scope, name)
        if home not in module.variables:
            module.variables[home] = new_node()
    _keep_parameters(module)
    return module


def _read_fact(module: Module, scope: int, fact: Fact, names: list[Name]) -> None:
    operation = fact[0]
    if operation in ("assign", "declare"):
        _read_target(module, scope, fact[1], Assigned(scope, fact[2]), names)
    elif operation in ("function", "lambda"):
        module.functions[fact[1]] = fact
        names += [(fact[1], name) for name, *_ in fact[2] if name]
    elif operation == "class":
        module.bases[fact[1]] = (scope, fact[2])
    elif operation == "decorate":
        module.decorators[fact[1]] = fact[2]
    elif operation == "yield":
        module.generators.add(scope)
    elif operation == "return":
        module.returning.add(scope)
        if isinstance(fact[1], str):
            module.passed_through.setdefault(scope, set()).add(fact[1])
    elif operation == "export" and scope == MODULE:
        module.exports = (module.exports or frozenset()) | frozenset(fact[1])


def _read_target(module: Module, scope: int, target: Operand, value: Assigned, names: list[Name]) -> None:
    pending = [target]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            names.append((scope, one))
            known = value if one is target else Assigned(scope, UNKNOWN)
            module.definitions.setdefault(module.home(scope, one), known)
        elif module.fact(one)[0] == "tuple":
            pending += module.fact(one)[1]
        elif module.fact(one)[0] == "star":
            pending.append(module.fact(one)[1])


def _read_import(module: Module, binding: Import, names: list[Name], spare: set[int]) -> None:
    if binding.star:
        module.stars.append(binding)
        return
    names.append((binding.enclosing, binding.alias))
    home = module.home(binding.enclosing, binding.alias)
    earlier = module.definitions.setdefault(home, binding)
    if isinstance(earlier, int) and earlier in spare:
        module.definitions[home] = binding
        module.fallbacks[home] = earlier
    elif isinstance(earlier, int) and module.extraction.symbols[earlier].span.end <= binding.span.start:
        module.replaced.add(earlier)


def _keep_parameters(module: Module) -> None:
    """Of the names that a function returns, keep its parameters that nothing else is assigned to."""
    for function, names in module.passed_through.items():
        fact = module.functions.get(function, ("", function, ()))
        parameters = {name for name, role, *_ in fact[2] if role in (0, 2)}
        names.intersection_update(name for name in parameters if (function, name) not in module.definitions)
