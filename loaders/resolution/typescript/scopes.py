"""What one file of TypeScript or JavaScript binds, read off its facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from loaders.extraction import UNKNOWN, Extraction, Fact, Import, Operand

__all__ = ["PENDING", "File", "read_file"]

PENDING: Any = object()
"""The type of a fact that has not been evaluated."""

_HELD = ("function", "object", "array")


@dataclass(slots=True)
class File:
    """One file: its facts, and tables of them.

    Attributes:
        path: Path of the file.
        extraction: What was extracted from it.
        types: The type of each fact as far as evaluated.
        outer: The block around each block.
        variables: (block, name) to the facts that bind it as a value.
        type_names: (block, name) to the facts that bind it as a type alone.
        imports: Local name to the import that binds it; the names that the file exports are among them.
        stars: Imports that re-export all of a module.
        exports: Name to the values of ``exports.name = ...``; ``export=`` is all of it.
        symbols: Offset of a name to its symbol.
        functions: Symbol to its function's fact; ``classes`` likewise.
        returns: Symbol to the values that it returns.
        parameters: Fact of a parameter to its function and position.
        contexts: Function, object or array literal to what says of which type it must be.
        owners: Function to the object, or class, that it is a member of.
        assigned: Variable to the values that are assigned to it later.
        assignments: Facts of assignments to properties.
        fields: Class to the fields that the parameters of its constructor declare, as members.
    """

    path: str
    extraction: Extraction
    types: list[Any]
    outer: list[int] = field(default_factory=lambda: [-1])
    variables: defaultdict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    type_names: defaultdict[tuple[int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, Import] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    exports: defaultdict[str, list[tuple[Operand, int]]] = field(default_factory=lambda: defaultdict(list))
    symbols: dict[int, int] = field(default_factory=dict)
    functions: dict[int, int] = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)
    returns: defaultdict[int, list[Operand]] = field(default_factory=lambda: defaultdict(list))
    parameters: dict[int, tuple[int, int]] = field(default_factory=dict)
    contexts: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    owners: dict[int, int] = field(default_factory=dict)
    assigned: defaultdict[tuple[int, str], list[Operand]] = field(default_factory=lambda: defaultdict(list))
    assignments: list[int] = field(default_factory=list)
    fields: defaultdict[int, list[Fact]] = field(default_factory=lambda: defaultdict(list))

    def fact(self, operand: Operand) -> Fact:
        """The fact that makes an operand; one without an operation where it is a literal or unknown."""
        return self.extraction.facts[operand] if isinstance(operand, int) and operand >= 0 else ("",)

    def blocks(self, block: int) -> Iterator[int]:
        """A block and those around it, the module last."""
        while block >= 0:
            yield block
            block = self.outer[block]

    def find_variable(self, block: int, name: str) -> list[int]:
        """The facts that bind a name that is used in a block."""
        return next((self.variables[b, name] for b in self.blocks(block) if (b, name) in self.variables), [])

    def find_type(self, block: int, name: str) -> list[int]:
        """The facts that bind the name of a type that is used in a block, those of classes included."""
        for one in self.blocks(block):
            found = self.type_names.get((one, name), []) + [
                fact for fact in self.variables.get((one, name), ()) if self._is_type(fact)
            ]
            if found:
                return found
        return []

    def _is_type(self, variable: int) -> bool:
        return self.fact(self.fact(variable)[4])[0] in ("class", "enum", "namespace")


def read_file(path: str, extraction: Extraction) -> File:
    """Find what each block of a file binds."""
    file = File(path, extraction, [PENDING] * len(extraction.facts))
    for symbol in extraction.symbols:
        if symbol.name:
            file.symbols.setdefault(symbol.name_span.start, symbol.ordinal)
    for binding in extraction.imports:
        if binding.star:
            file.stars.append(binding)
        elif binding.alias:
            file.imports.setdefault(binding.alias, binding)
    for position, fact in enumerate(extraction.facts):
        read = _READ.get(fact[0])
        if read is not None:
            read(file, position, *fact[1:])
    for position in file.assignments:
        target = file.fact(extraction.facts[position][1])
        if target[0] == "name":
            for block in file.blocks(target[1]):
                if (block, target[2]) in file.variables:
                    file.assigned[block, target[2]].append(extraction.facts[position][2])
                    break
    return file


def _expect(file: File, value: Operand, *context: Any) -> None:
    """Note what says which type a literal must be of."""
    pending = [value]
    while pending:
        one = pending.pop()
        fact = file.fact(one)
        if fact[0] in _HELD and isinstance(one, int):
            file.contexts.setdefault(one, context)
        elif fact[0] == "any":
            pending += fact[1]


def _block(file: File, position: int, outer: int) -> None:
    file.outer.append(outer)


def _variable(
    file: File, position: int, block: int, name: str, type_: Operand, value: Operand, at: int
) -> None:
    file.variables[block, name].append(position)
    if type_ != UNKNOWN:
        _expect(file, value, "typed", type_)


def _type_name(file: File, position: int, block: int, name: str, *rest: Any) -> None:
    file.type_names[block, name].append(position)


def _function(
    file: File, position: int, symbol: int, parameters: Any, result: Operand, flags: str, generics: Any
) -> None:
    file.functions[symbol] = position
    _signature(file, position, parameters, result, generics)
    if result != UNKNOWN:
        for value in file.returns[symbol]:
            _expect(file, value, "awaited" if "a" in flags else "typed", result)


def _signature(file: File, position: int, parameters: Any, result: Operand, generics: Any) -> None:
    file.parameters.update((fact, (position, index)) for index, fact in enumerate(parameters))


def _parameter(file: File, position: int, type_: Operand, default: Operand, rest: bool) -> None:
    if type_ != UNKNOWN:
        _expect(file, default, "typed", type_)


def _class(file: File, position: int, symbol: int, members: Any, *rest: Any) -> None:
    file.classes[symbol] = position
    for _, _, type_, value, _ in members:
        if file.fact(value)[0] == "function":
            file.owners[value] = position
        if type_ != UNKNOWN:
            _expect(file, value, "typed", type_)


def _object(file: File, position: int, members: Any, spreads: Any) -> None:
    for name, _, _, value, _ in members:
        if file.fact(value)[0] == "function":
            file.owners[value] = position
        _expect(file, value, "member", position, name)


def _field(file: File, position: int, constructor: int, name: str, value: Operand, at: int) -> None:
    class_ = file.extraction.symbols[constructor].parent if constructor >= 0 else UNKNOWN
    file.fields[class_].append((name, "", UNKNOWN, value, at))


def _array(file: File, position: int, values: Any) -> None:
    for value in values:
        _expect(file, value, "element", position)


def _call(file: File, position: int, callee: Operand, arguments: Any, reference: int, types: Any) -> None:
    for index, value in enumerate(arguments):
        _expect(file, value, "argument", position, index)


def _return(file: File, position: int, symbol: int, value: Operand) -> None:
    file.returns[symbol].append(value)


def _export(file: File, position: int, name: str, value: Operand, at: int) -> None:
    file.exports[name].append((value, at))


def _assign(file: File, position: int, target: Operand, value: Operand, at: int) -> None:
    file.assignments.append(position)
    if file.fact(target)[0] == "attr":
        _expect(file, value, "valued", target)


_READ: dict[str, Any] = {
    "block": _block,
    "var": _variable,
    "interface": _type_name,
    "alias": _type_name,
    "typeparam": _type_name,
    "function": _function,
    "functype": _signature,
    "param": _parameter,
    "class": _class,
    "object": _object,
    "array": _array,
    "field": _field,
    "call": _call,
    "new": _call,
    "return": _return,
    "export": _export,
    "assign": _assign,
}
