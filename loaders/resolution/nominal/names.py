"""What the names of a program mean: types, functions and members by their qualified names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from loaders.extraction import Import, Reference, Symbol
from loaders.resolution.nominal.paths import Step, path_of, steps_of, type_path
from loaders.resolution.nominal.places import Path, Place, Rust, names_in

__all__ = ["Names", "Target"]

Target = tuple[str, int]
"""A symbol: the path of its file and its ordinal."""

Targets = list[tuple[Target, str]]
"""Targets of a reference, best first, each with its origin."""

_TYPES = frozenset(
    {"class", "interface", "struct", "enum", "union", "trait", "type", "annotation", "type_alias"}
)
_CONTAINERS = _TYPES | {"module", "namespace"}
_FUNCTIONS = frozenset({"function", "method", "constructor"})
_CALLABLE = _FUNCTIONS | {"macro", "property"}
_OWN = frozenset({"this", "self", "Self", "@self"})
_PARENT = frozenset({"super", "base"})
_MAX_DEPTH = 12


class Names:
    """The symbols of a program by name, and what the names in a place mean.

    Args:
        place: The rules of the language, with its files.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._files = place.files
        self._homes = {path: place.home(path) for path in self._files}
        self._qualified: dict[Target, Path] = {}
        self._types: defaultdict[Path, list[Target]] = defaultdict(list)
        self._functions: defaultdict[Path, list[Target]] = defaultdict(list)
        self._containers: set[Path] = set()
        self._declared: dict[str, dict[tuple[int, str], list[tuple[str, str]]]] = {}
        self._results: dict[Target, str] = {}
        self._counts: dict[tuple[str, int], int] = {}
        self._bases: dict[Path, list[Path]] = {}
        self._known: dict[tuple[str, Path, Path], tuple[Path, str] | None] = {}
        self._locals: dict[tuple[str, int, str], Path | None] = {}
        self._inherits: defaultdict[Path, list[tuple[str, Reference]]] = defaultdict(list)
        for path in self._files:
            self._add(path)

    def _add(self, path: str) -> None:
        extraction, home = self._files[path], self._homes[path]
        for symbol in extraction.symbols:
            qualified = home + names_in(symbol.descriptor)
            target = (path, symbol.ordinal)
            self._qualified[target] = qualified
            if symbol.kind in _CONTAINERS:
                self._containers.add(qualified)
            if symbol.kind in _TYPES or symbol.kind == "module":
                self._types[qualified].append(target)
            elif symbol.kind in _CALLABLE or symbol.kind == "enum_member":
                self._functions[qualified].append(target)
        table: defaultdict[tuple[int, str], list[tuple[str, str]]] = defaultdict(list)
        for fact in extraction.facts:
            if fact[0] in ("declared", "valued"):
                table[fact[1], fact[2]].append((fact[0], fact[3]))
            elif fact[0] == "result":
                self._results[path, fact[1]] = fact[2]
            elif fact[0] == "arguments":
                self._counts[path, fact[1]] = fact[2]
        self._declared[path] = dict(table)
        for reference in extraction.references:
            if reference.kind == "inherit" and reference.enclosing >= 0:
                self._inherits[self._qualified[path, reference.enclosing]].append((path, reference))

    def _symbol(self, target: Target) -> Symbol:
        return self._files[target[0]].symbols[target[1]]

    # ---- places ----------------------------------------------------------------

    def _scope(self, path: str, symbol: int) -> Path:
        """Qualified name of the innermost package, namespace, module or type around a symbol."""
        if symbol < 0:
            return self._homes[path]
        qualified = self._qualified[path, symbol]
        while qualified and qualified not in self._containers and len(qualified) > len(self._homes[path]):
            qualified = qualified[:-1]
        return qualified

    def _owner(self, path: str, symbol: int) -> Path | None:
        """Qualified name of the class that ``this`` is an instance of."""
        scope = self._scope(path, symbol)
        while scope and not self._types.get(scope):
            scope = scope[:-1]
        return scope or None

    def _seen(self, path: str, targets: Iterable[Target]) -> list[Target]:
        reach = self._place.reach(path)
        return [target for target in targets if reach is None or target[0] in reach]

    # ---- types ----------------------------------------------------------------

    def _candidates(self, path: str, scope: Path, names: Path) -> Iterator[tuple[Path, str]]:
        """Qualified names that a path of names may mean, in the order in which they count, with the rule."""
        if isinstance(self._place, Rust):
            absolute = self._place.absolute(path, names)
            if absolute != names:
                yield absolute, "import"
        floor = 0 if self._place.outward else len(self._homes[path])
        for length in range(len(scope), floor - 1, -1):
            yield scope[:length] + names, "lexical_scope"
        for binding in self._files[path].imports:
            module, name = self._place.imported(path, binding)
            if binding.star:
                yield module + names, "import"
            elif binding.alias == names[0]:
                yield module + name + names[1:], "import"
        if floor:
            yield names, "import"

    def find_type(self, path: str, scope: Path, names: Path) -> tuple[Path, str] | None:
        """Qualified name of the type that a path of names means in a scope, and the rule by which it was found."""
        if not names:
            return None
        if len(names) == 1 and names[0] in _OWN:
            owner = next((scope[:n] for n in range(len(scope), 0, -1) if self._types.get(scope[:n])), None)
            return (owner, "lexical_scope") if owner else None
        key = (path, scope, names)
        if key not in self._known:
            self._known[key] = next(
                (
                    (candidate, rule)
                    for candidate, rule in self._candidates(path, scope, names)
                    if self._seen(path, self._types.get(candidate, ()))
                ),
                None,
            )
        return self._known[key]

    def named_type(self, path: str, reference: Reference) -> tuple[Targets, str]:
        """Targets of a reference to a type or base class; where there is none, the reason."""
        scope = self._scope(path, reference.enclosing)
        if reference.kind == "inherit":
            scope = scope[:-1]
        names = (*path_of(reference.receiver), reference.name) if reference.receiver else (reference.name,)
        found = self.find_type(path, scope, names)
        if found is None:
            return [], "external" if self._is_imported(path, names[0]) else "unknown_name"
        return self._type_targets(path, *found), ""

    def _is_imported(self, path: str, name: str) -> bool:
        return any(binding.alias == name for binding in self._files[path].imports)

    def _type_targets(self, path: str, qualified: Path, rule: str) -> Targets:
        """The declarations of a type: one, or the parts that several files hold."""
        targets = self._seen(path, self._types[qualified])
        bodied = [target for target in targets if self._symbol(target).body] or targets
        own = [target for target in bodied if target[0] == path]
        best = (own or bodied)[0]
        return [(best, _origin(path, best, rule))]

    def bases(self, type_: Path) -> list[Path]:
        """Types that a type inherits from, in the order in which they are named."""
        if type_ not in self._bases:
            self._bases[type_] = []  # what a class that inherits from itself gets
            found = []
            for path, reference in self._inherits.get(type_, ()):
                names = (
                    (*path_of(reference.receiver), reference.name)
                    if reference.receiver
                    else (reference.name,)
                )
                base = self.find_type(path, type_[:-1], names)
                if base is not None and base[0] != type_:
                    found.append(base[0])
            self._bases[type_] = found
        return self._bases[type_]

    # ---- members ----------------------------------------------------------------

    def _methods(self, path: str, type_: Path, name: str, count: int | None) -> tuple[list[Target], bool]:
        """Methods of a type, or of the nearest of its bases that has one, and whether it is a base."""
        level, seen = [type_], {type_}
        inherited = False
        while level:
            for one in level:
                found = self._fitting(self._functions.get((*one, name), ()), count)
                if found:
                    return found, inherited
            level = [base for one in level for base in self.bases(one) if base not in seen]
            seen.update(level)
            inherited = True
        return [], False

    def _fitting(self, targets: Iterable[Target], count: int | None) -> list[Target]:
        """Of several functions of one name, those that take so many arguments; definitions before prototypes."""
        found = list(targets)
        if len(found) > 1 and count is not None:
            found = [t for t in found if _accepts(self._symbol(t).signature, count)] or found
        bodied = [target for target in found if self._symbol(target).body]
        return bodied or found

    def _field_type(self, type_: Path, name: str, depth: int) -> Path | None:
        level, seen = [type_], {type_}
        while level:
            for one in level:
                for path, ordinal in self._types.get(one, ()):
                    facts = self._declared[path].get((ordinal, name))
                    if facts:
                        return self._type_of_facts(path, one, ordinal, facts, depth)
            level = [base for one in level for base in self.bases(one) if base not in seen]
            seen.update(level)
        return None

    # ---- values ----------------------------------------------------------------

    def _type_of_facts(
        self, path: str, scope: Path, symbol: int, facts: list[tuple[str, str]], depth: int
    ) -> Path | None:
        """The type that all declarations of a name agree on."""
        found: set[Path | None] = set()
        for kind, text in dict.fromkeys(facts):
            if kind == "declared":
                declared = self.find_type(path, scope, type_path(text))
                found.add(declared[0] if declared else None)
            else:
                found.add(self._value_type(path, symbol, steps_of(text), depth + 1))
        return found.pop() if len(found) == 1 else None

    def _home_of_local(self, path: str, symbol: int, name: str) -> int | None:
        """The function around a place that declares a name."""
        symbols = self._files[path].symbols
        while symbol >= 0 and symbols[symbol].kind not in _CONTAINERS:
            if (symbol, name) in self._declared[path]:
                return symbol
            symbol = symbols[symbol].parent
        return None

    def _local_type(self, path: str, home: int, name: str, depth: int) -> Path | None:
        """Type of a name that a function declares."""
        key = (path, home, name)
        if key not in self._locals:
            self._locals[key] = None  # what a name whose value is made of itself gets
            facts = self._declared[path][home, name]
            scope = self._scope(path, home)
            self._locals[key] = self._type_of_facts(path, scope, home, facts, depth)
        return self._locals[key]

    def _value_type(self, path: str, symbol: int, steps: tuple[Step, ...], depth: int = 0) -> Path | None:
        """Type of an expression that is a path of names."""
        if not steps or depth > _MAX_DEPTH:
            return None
        type_, rest = self._first(path, symbol, steps, depth)
        for step in rest:
            if type_ is None:
                return None
            type_ = self._step(path, type_, step, depth)
        return type_

    def _first(
        self, path: str, symbol: int, steps: tuple[Step, ...], depth: int
    ) -> tuple[Path | None, tuple[Step, ...]]:
        """Type of what an expression starts with, and the steps that are left."""
        first, rest = steps[0], steps[1:]
        owner = self._owner(path, symbol)
        if first.name in _OWN and owner:
            return owner, rest
        if first.name in _PARENT and owner:
            return next(iter(self.bases(owner)), None), rest
        if first.name.startswith("@") and owner:
            return self._field_type(owner, first.name, depth), rest
        if not first.called:
            home = self._home_of_local(path, symbol, first.name)
            if home is not None:
                return self._local_type(path, home, first.name, depth), rest
            if owner and self._place.implicit:
                type_ = self._field_type(owner, first.name, depth)
                if type_ is not None:
                    return type_, rest
        return self._static(path, symbol, steps, depth)

    def _static(
        self, path: str, symbol: int, steps: tuple[Step, ...], depth: int
    ) -> tuple[Path | None, tuple[Step, ...]]:
        """A type that is named by the first steps, or made by calling it; else what a function gives."""
        scope = self._scope(path, symbol)
        longest = next((n for n, step in enumerate(steps) if step.called), len(steps) - 1) + 1
        for length in range(longest, 0, -1):
            found = self.find_type(path, scope, tuple(step.name for step in steps[:length]))
            if found is not None:
                return found[0], steps[length:]
        if steps[0].called:
            targets, _ = self._bare(path, symbol, steps[0].name, None)
            if len(targets) == 1:
                return self._result(targets[0][0], depth), steps[1:]
        return None, ()

    def _step(self, path: str, type_: Path, step: Step, depth: int) -> Path | None:
        field = None if step.called else self._field_type(type_, step.name, depth)
        if field is not None:
            return field
        if step.name == "new" and not self._functions.get((*type_, "new")):
            return type_  # what Ruby's classes have
        methods, _ = self._methods(path, type_, step.name, None)
        results = {self._result(method, depth) for method in methods}
        return results.pop() if len(results) == 1 else None

    def _result(self, function: Target, depth: int) -> Path | None:
        text = self._results.get(function)
        if text is None or depth > _MAX_DEPTH:
            return None
        found = self.find_type(function[0], self._scope(*function), type_path(text))
        return found[0] if found else None

    # ---- calls ----------------------------------------------------------------

    def called(self, path: str, reference: Reference) -> tuple[Targets, str]:
        """Targets of a call; where there is none, the reason."""
        count = self._counts.get((path, reference.ordinal))
        if not reference.receiver:
            return self._bare(path, reference.enclosing, reference.name, count)
        steps = steps_of(reference.receiver)
        if not steps:
            return [], "dynamic"
        type_ = self._value_type(path, reference.enclosing, steps)
        if type_ is not None:
            return self._called_member(path, type_, reference.name, count)
        names = tuple(step.name for step in steps)
        if not any(step.called for step in steps):
            scope = self._scope(path, reference.enclosing)
            for candidate, rule in self._candidates(path, scope, (*names, reference.name)):
                found = self._linked(path, self._fitting(self._functions.get(candidate, ()), count))
                if found:
                    return _ranked(path, found, rule), ""
        is_local = self._home_of_local(path, reference.enclosing, names[0]) is not None
        return [], "external" if not is_local and self._is_imported(path, names[0]) else "unknown_receiver"

    def _called_member(self, path: str, type_: Path, name: str, count: int | None) -> tuple[Targets, str]:
        methods, inherited = self._methods(path, type_, name, count)
        if methods:
            of_module = self._symbol(self._types[type_][0]).kind == "module"
            own = "import" if of_module else "receiver_type"
            return _ranked(path, methods, "inherited_member" if inherited else own), ""
        nested = self._types.get((*type_, name))
        if nested:
            return self._type_targets(path, (*type_, name), "receiver_type"), ""
        if name == "new":
            constructors, _ = self._methods(path, type_, "initialize", count)
            return _ranked(path, constructors, "receiver_type") or self._type_targets(
                path, type_, "receiver_type"
            ), ""
        known = {base for one, _ in self._inherits.items() if one == type_ for base in self.bases(one)}
        return [], "external" if len(known) < len(self._inherits.get(type_, ())) else "unknown_member"

    def _bare(self, path: str, symbol: int, name: str, count: int | None) -> tuple[Targets, str]:
        """A call without a receiver: a member of an enclosing class, a function in reach, or a constructor."""
        if name in _OWN | _PARENT:
            return self._constructor(path, symbol, name, count)
        if self._home_of_local(path, symbol, name) is not None:
            return [], "dynamic"
        owner = self._owner(path, symbol)
        while owner and self._place.implicit:
            methods, inherited = self._methods(path, owner, name, count)
            if methods:
                return _ranked(path, methods, "inherited_member" if inherited else "receiver_type"), ""
            owner = next(
                (owner[:n] for n in range(len(owner) - 1, 0, -1) if self._types.get(owner[:n])), None
            )
        for candidate, rule in self._candidates(path, self._enclosing(path, symbol), (name,)):
            found = self._linked(path, self._fitting(self._functions.get(candidate, ()), count))
            if found:
                return _ranked(path, found, rule), ""
            if self._seen(path, self._types.get(candidate, ())):
                return self._type_targets(path, candidate, rule), ""
        return [], "external" if self._is_imported(path, name) else "unknown_name"

    def _enclosing(self, path: str, symbol: int) -> Path:
        """Qualified name of the symbol that makes a call: functions may be nested in it."""
        return self._qualified[path, symbol] if symbol >= 0 else self._homes[path]

    def _linked(self, path: str, targets: list[Target]) -> list[Target]:
        """Functions that a file may call: those that it sees, or whose prototype it sees."""
        reach = self._place.callable(path)
        seen = [target for target in targets if reach is None or target[0] in reach]
        if seen or not targets:
            return seen
        prototypes = self._seen(path, self._functions.get(self._qualified[targets[0]], ()))
        return targets if prototypes else []

    def _constructor(self, path: str, symbol: int, name: str, count: int | None) -> tuple[Targets, str]:
        """``super(...)`` and ``this(...)``; in Ruby, the method of the same name in a base."""
        owner = self._owner(path, symbol)
        types = [] if owner is None else [owner] if name in _OWN else self.bases(owner)
        enclosing = self._files[path].symbols[symbol] if symbol >= 0 else None
        for type_ in types:
            names = (
                [enclosing.name]
                if enclosing and enclosing.kind != "constructor"
                else [type_[-1], "initialize"]
            )
            for one in names:
                methods, _ = self._methods(path, type_, one, count)
                if methods:
                    return _ranked(path, methods, "receiver_type"), ""
            if enclosing and enclosing.kind == "constructor":
                return self._type_targets(path, type_, "receiver_type"), ""
        return [], "external"

    # ---- imports ----------------------------------------------------------------

    def imported_files(self, path: str, binding: Import) -> set[str]:
        """Files that an import leads to."""
        included = self._place.included(path, binding)
        if included is not None:
            return {included}
        module, name = self._place.imported(path, binding)
        if binding.star or not name:
            return {other for other, home in self._homes.items() if home and home == module + name}
        targets: list[Any] = [*self._types.get(module + name, ()), *self._functions.get(module + name, ())]
        return {target[0] for target in targets}


def _ranked(path: str, targets: list[Target], rule: str) -> Targets:
    if len(targets) == 1:
        return [(targets[0], _origin(path, targets[0], rule))]
    return [(target, "alternative") for target in sorted(targets)]


def _origin(path: str, target: Target, rule: str) -> str:
    """The rule; a name that another file of the package binds is in no lexical scope."""
    return "package_scope" if rule == "lexical_scope" and target[0] != path else rule


def _accepts(signature: str, count: int) -> bool:
    """Whether a function with a signature may take so many arguments.

    >>> _accepts("void f(int a, Map<K, V> b)", 2), _accepts("void f(int a = 1)", 0), _accepts("void f(T... a)", 3)
    (True, True, True)
    """
    inside = signature[signature.find("(") + 1 :]
    depth, parameters, optional = 0, [""], 0
    for character in inside:
        depth += (character in "(<[{") - (character in ")>]}")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parameters.append("")
        else:
            parameters[-1] += character
    parameters = [one for one in parameters if one.strip() not in ("", "void")]
    if any("..." in one or "params " in one for one in parameters):
        return count >= len(parameters) - 1
    optional = sum("=" in one for one in parameters)
    this = sum(one.strip().startswith("this ") for one in parameters)
    return len(parameters) - optional - this <= count <= len(parameters)
