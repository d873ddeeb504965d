"""Resolution of TypeScript and JavaScript: scopes, modules, classes and types, without a compiler.

The binding facts (``loaders/languages/_javascript_facts.py``) say what the type of each expression follows from: what
is written in annotations, and what initial values, assignments, returned values and the parameters that a callback
is given imply.

``layout``      where module specifiers lead
``scopes``      what the blocks of one file bind
``kinds``       what a type is
``types``       names, members and calls
``evaluation``  the type of each fact
"""

from __future__ import annotations

from loaders.extraction import UNKNOWN, Fact, Operand, Reference
from loaders.resolution.model import Edge, FileImport, Gap, Resolved, Snapshot
from loaders.resolution.typescript.evaluation import namespace_of, types_of
from loaders.resolution.typescript.kinds import BASIC, EXTERNAL, Declared, Found, Member, Target, Type
from loaders.resolution.typescript.layout import LANGUAGES, Layout
from loaders.resolution.typescript.scopes import File, read_file
from loaders.resolution.typescript.types import Types

__all__ = ["LANGUAGES", "resolve"]

_CALLABLE = frozenset({"function", "method", "constructor", "class", "lambda"})

Targets = list[tuple[Target, str]]
"""Targets of a reference, best first, each with its origin."""


def resolve(snapshot: Snapshot) -> Resolved:
    """Edges, imports and gaps of the TypeScript and JavaScript files of a snapshot."""
    extractions = {p: e for p, e in sorted(snapshot.files.items()) if e.language in LANGUAGES}
    layout = Layout(extractions, snapshot.manifests)
    files = {path: read_file(path, extraction) for path, extraction in extractions.items()}
    types = types_of(files, layout)
    edges: list[Edge] = []
    imports: list[FileImport] = []
    gaps: list[Gap] = []
    for file in files.values():
        resolver = _Resolver(types, file)
        for reference in file.extraction.references:
            found, reason = resolver.resolve(reference)
            kind = _EDGE_KIND[reference.kind]
            for rank, (target, origin) in enumerate(found):
                edges.append(Edge(kind, file.path, reference.ordinal, *target, origin, rank))
            if not found:
                gaps.append(Gap(file.path, reference.ordinal, reason))
        for binding in file.extraction.imports:
            path = layout.find(file.path, binding.module) if binding.module else None
            if path is not None and path != file.path:
                imports.append(FileImport(file.path, binding.ordinal, path))
    return Resolved(edges, imports, gaps)


_EDGE_KIND = {"call": "CALLS", "type": "REFERENCES", "inherit": "INHERITS"}


class _Resolver:
    """Where the references of one file lead."""

    def __init__(self, types: Types, file: File) -> None:
        self._types = types
        self._file = file
        self._calls: dict[int, Fact] = {}
        self._type_names: dict[int, int] = {}
        self._bases: dict[tuple[int, str], Operand] = {}
        for position, fact in enumerate(file.extraction.facts):
            types.value(file, position)
            if fact[0] in ("call", "new"):
                self._calls[fact[3]] = fact
            elif fact[0] in ("typename", "member"):
                self._type_names[fact[3]] = position
            elif fact[0] == "class":
                self._note_bases(fact[1], [*(value for value, _ in fact[3]), *fact[4]])
            elif fact[0] == "interface":
                self._note_bases(file.symbols.get(fact[3], UNKNOWN), fact[5])

    def _note_bases(self, symbol: int, operands: list[Operand]) -> None:
        for operand in operands:
            self._bases[symbol, self._last_name(operand)] = operand

    def _last_name(self, operand: Operand) -> str:
        fact = self._file.fact(operand)
        if fact[0] == "generic":
            return self._last_name(fact[1])
        return fact[2] if fact[0] in ("name", "attr", "typename", "member") else ""

    def resolve(self, reference: Reference) -> tuple[Targets, str]:
        """Targets of a reference; where there is none, the reason."""
        if reference.kind == "call":
            call = self._calls.get(reference.ordinal)
            return ([], "dynamic") if call is None else self._callee(call[1], call[0] == "new", len(call[2]))
        if reference.kind == "inherit":
            operand = self._bases.get((reference.enclosing, reference.name), UNKNOWN)
        else:
            operand = self._type_names.get(reference.ordinal, UNKNOWN)
        return self._declared_type(operand)

    # ---- types ----------------------------------------------------------------

    def _declared_type(self, operand: Operand) -> tuple[Targets, str]:
        """Symbol of the class, interface, alias or enumeration that an expression names."""
        file, types = self._file, self._types
        fact = file.fact(operand)
        if fact[0] == "generic":
            return self._declared_type(fact[1])
        if fact[0] in ("name", "typename"):
            space = "value" if fact[0] == "name" else "type"
            found = types.look_up(file, fact[1], fact[2], space)
            if found is None:
                return [], "unknown_name" if fact[2] in file.imports else "builtin"
            if found == EXTERNAL:
                return [], "external"
            target = self._symbol_of(found)
            if target is None:
                return [], "dynamic"
            return [(target, "lexical_scope" if target[0] == file.path else "import")], ""
        if fact[0] in ("member", "attr"):
            target = self._symbol_of(types.value(file, operand))
            reason = "external" if types.value(file, operand) == EXTERNAL else "unknown_name"
            return ([(target, "import")], "") if target else ([], reason)
        return [], "dynamic"

    def _symbol_of(self, found: Found) -> Target | None:
        """Symbol of a declaration, or of the class or interface that a type is of."""
        if found is None:
            return None
        if isinstance(found, Member):
            return found.target
        if isinstance(found, Declared):
            file, position = found
            fact = file.fact(position)
            at = {"var": 5, "interface": 3, "alias": 3}.get(fact[0])
            symbol = file.symbols.get(fact[at]) if at else None
            return None if symbol is None else (file.path, symbol)
        if found[0] in ("class", "instance"):
            file = self._types.files[found[1]]
            fact = file.fact(found[2])
            symbol = fact[1] if fact[0] in ("class", "function") else file.symbols.get(fact[3])
            return None if symbol is None or symbol < 0 else (file.path, symbol)
        return None

    # ---- calls ----------------------------------------------------------------

    def _callee(self, callee: Operand, is_new: bool, arguments: int) -> tuple[Targets, str]:
        fact = self._file.fact(callee)
        if fact[0] == "name":
            return self._called_name(callee, fact)
        if fact[0] == "attr":
            return self._called_member(callee, fact)
        type_ = self._types.value(self._file, callee)
        if fact[0] == "super":
            target = self._symbol_of(type_)
            return ([(target, "receiver_type")], "") if target else ([], _why(type_))
        return self._of_values(type_)

    def _called_name(self, callee: Operand, fact: Fact) -> tuple[Targets, str]:
        file, types = self._file, self._types
        found = types.look_up(file, fact[1], fact[2], "value")
        if found is None:
            return [], "unknown_name" if fact[2] in file.imports else "builtin"
        type_ = types.type_of(found)
        target = self._symbol_of(found) if isinstance(found, Member | Declared) else None
        if target is None:
            targets, reason = self._of_values(type_)
            return (targets, reason) if targets else (self._taken_from(found), reason)
        origin = "lexical_scope" if target[0] == file.path else "import"
        return [self._through(Member(target, type_), origin)], ""

    def _taken_from(self, found: Found) -> Targets:
        """The property that a local variable, as one that takes an object apart, has its value from."""
        if not isinstance(found, Declared):
            return []
        file, variable = found
        binding = file.fact(variable)
        fact = file.fact(binding[4] if binding[0] == "var" else UNKNOWN)
        if fact[0] != "attr":
            return []
        members = self._types.members(self._types.value(file, fact[1]), fact[2])
        targets = dict.fromkeys(member.target for member in members if member.target)
        origin = "assigned_value" if len(targets) == 1 else "alternative"
        return [(target, origin) for target in targets]

    def _through(self, member: Member, origin: str) -> tuple[Target, str]:
        """The function itself where a constant or field is nothing but another name of it."""
        assert member.target is not None
        path, symbol = member.target
        if self._types.files[path].extraction.symbols[symbol].kind not in _CALLABLE:
            values = [target for target, _ in self._of_values(member.type)[0]]
            if len(values) == 1:
                return values[0], "assigned_value"
        return member.target, origin

    def _called_member(self, callee: Operand, fact: Fact) -> tuple[Targets, str]:
        owner = self._types.value(self._file, fact[1])
        members = self._types.members(owner, fact[2])
        if not members:
            added = namespace_of(self._types, self._file, self._file.fact(fact[1]))
            members = self._types.members(added, fact[2])
            owner = added if members else owner
        found = []
        for member in members:
            if member.target is not None:
                origin = "inherited_member" if member.inherited else "receiver_type"
                if owner and owner[0] in ("module", "namespace"):
                    origin = "import" if member.target[0] != self._file.path else "lexical_scope"
                found.append(self._through(member, origin))
        if len(found) > 1:
            return [(target, "alternative") for target, _ in dict.fromkeys(found)], ""
        if found:
            return found, ""
        if any(member.type == EXTERNAL for member in members):
            return [], "external"
        values, reason = self._of_values(members[0].type if members else None)
        return values, reason if members else self._why_no_member(owner)

    def _why_no_member(self, owner: Type) -> str:
        if owner is None:
            return "unknown_receiver"
        if owner == BASIC:
            return "builtin"
        return "external" if EXTERNAL in self._types.bases(owner) else "unknown_member"

    def _of_values(self, type_: Type) -> tuple[Targets, str]:
        """Functions and classes that a value is known to be."""
        options = type_[1] if type_ and type_[0] == "any" else (type_,)
        found: dict[Target, None] = {}
        for option in options:
            if option and option[0] in ("function", "class"):
                fact = self._types.files[option[1]].fact(option[2])
                if fact[0] in ("function", "class") and fact[1] >= 0:
                    found[option[1], fact[1]] = None
        origin = "assigned_value" if len(found) == 1 else "alternative"
        return [(target, origin) for target in found], _why(type_)


def _why(type_: Type) -> str:
    if type_ == EXTERNAL:
        return "external"
    return "builtin" if type_ == BASIC or (type_ and type_[0] == "operation") else "dynamic"
