"""Resolution of Go: packages, local types, members, embedding and interfaces, without a compiler.

The binding facts (``loaders/languages/_go_facts.py``) say what the type of each expression follows from.
:class:`_File` evaluates them in the order in which they were found, so each needs only what came before;
only variables of the package are looked at out of order.

A type is a tuple whose first item says what it is:

==========================  ===================================================================
("named", package, name)    a named type; ("local", path, fact) where it is declared in a function
("type", T)                 not a value of type T but T itself, in an expression
("package", path)           a package of the snapshot
("external",)               anything that comes from outside the snapshot
("slice", T), ("chan", T), ("map", K, V)
("func", path, results, target)    results are operands in that file; target a (path, ordinal) or None
("tuple", path, results)           several results of a call
("struct", path, fact), ("interface", path, fact, owner)    owner: ordinal of the type's symbol, or -1
("parameter", path, fact)          a type parameter, which has the methods of its constraint
("basic", name)                    a predeclared type
("builtin", name)                  a predeclared function
==========================  ===================================================================

and None where nothing is known.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loaders.extraction import UNKNOWN, Extraction, Fact, Operand, Reference
from loaders.resolution.model import Edge, FileImport, Gap, Link, Resolved, Snapshot

__all__ = ["packages", "resolve"]

Type = tuple[Any, ...] | None
Target = tuple[str, int]

_EXTERNAL: Type = ("external",)
_TYPE_NAMES = """any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32
int64 rune string uint uint8 uint16 uint32 uint64 uintptr"""
_FUNCTION_NAMES = (
    "append cap clear close complex copy delete imag len make max min new panic print println real"
)
_TYPES = frozenset(_TYPE_NAMES.split())
_FUNCTIONS = frozenset([*_FUNCTION_NAMES.split(), "recover"])
_MODULE = re.compile(rb"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_MAX_DEPTH = 50


def packages(snapshot: Snapshot) -> dict[str, str]:
    """Import path of the package of each Go file.

    A file below no ``go.mod`` gets its directory as the import path. Files of a directory that are not of its
    package (external tests, programs for ``go run``) get the import path and their own package clause.
    """
    modules = {}
    for path, data in snapshot.manifests.items():
        found = _MODULE.search(data)
        if posixpath.basename(path) == "go.mod" and found:
            modules[posixpath.dirname(path)] = found[1].decode("utf-8", "backslashreplace")
    directories: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, extraction in snapshot.files.items():
        if extraction.language == "go":
            directories[posixpath.dirname(path)][path] = _clause(extraction)
    result = {}
    for directory, clauses in directories.items():
        import_path, main = _import_path(directory, modules), _main_clause(clauses)
        for path, clause in clauses.items():
            result[path] = import_path if clause == main else f"{import_path} {clause}"
    return result


def _main_clause(clauses: Mapping[str, str]) -> str:
    """The package that importers of a directory get: the one most of its files are of, programs last."""
    votes = Counter(clause for path, clause in clauses.items() if not path.endswith("_test.go"))
    votes = votes or Counter(clause.removesuffix("_test") for clause in clauses.values())
    return min(votes, key=lambda clause: (clause == "main", -votes[clause], clause))


def _clause(extraction: Extraction) -> str:
    return next((fact[1] for fact in extraction.facts if fact[0] == "package"), "")


def _import_path(directory: str, modules: dict[str, str]) -> str:
    root = directory
    while root and root not in modules:
        root = posixpath.dirname(root)
    if root not in modules:
        return directory or "."
    return posixpath.normpath(posixpath.join(modules[root], posixpath.relpath(directory or ".", root or ".")))


@dataclass(slots=True)
class _Package:
    """Names of a package: to the (file, fact or symbol) that declares them."""

    files: list[str] = field(default_factory=list)
    functions: dict[str, Target] = field(default_factory=dict)
    types: dict[str, tuple[str, int]] = field(default_factory=dict)
    globals: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(slots=True)
class _File:
    """One file: its facts, their types as far as evaluated, and its imports by local name."""

    path: str
    package: str
    extraction: Extraction
    types: list[Any]
    imports: dict[str, str] = field(default_factory=dict)
    dots: list[str] = field(default_factory=list)
    signatures: dict[int, Fact] = field(default_factory=dict)
    members: dict[tuple[int, str], int] = field(default_factory=dict)


_PENDING: Any = object()
_DOING: Any = object()


class _Resolver:
    def __init__(self, snapshot: Snapshot) -> None:
        self.files: dict[str, _File] = {}
        self.packages: defaultdict[str, _Package] = defaultdict(_Package)
        self.methods: defaultdict[tuple[Any, ...], dict[str, Target]] = defaultdict(dict)
        self.variants: defaultdict[tuple[str, str], list[Target]] = defaultdict(list)
        self.depth = 0
        for path, package in sorted(packages(snapshot).items()):
            self._add(path, package, snapshot.files[path])
        for file in self.files.values():
            self._bind_imports(file)
        for file in self.files.values():
            self._bind_methods(file)

    # ---- tables ------------------------------------------------------------

    def _add(self, path: str, package: str, extraction: Extraction) -> None:
        file = self.files[path] = _File(path, package, extraction, [_PENDING] * len(extraction.facts))
        names = self.packages[package]
        names.files.append(path)
        symbols = extraction.symbols
        for symbol in symbols:
            if symbol.kind in ("function", "method"):
                self.variants[package, symbol.descriptor].append((path, symbol.ordinal))
            if symbol.parent >= 0:
                file.members.setdefault((symbol.parent, symbol.name), symbol.ordinal)
            elif symbol.kind == "function":
                names.functions.setdefault(symbol.name, (path, symbol.ordinal))
        for position, fact in enumerate(extraction.facts):
            if fact[0] in ("func", "lambda"):
                file.signatures[fact[1]] = fact
            elif fact[0] == "global":
                names.globals.setdefault(fact[1], (path, position))
            elif fact[0] == "type" and fact[1] >= 0 and symbols[fact[1]].parent == -1:
                names.types.setdefault(symbols[fact[1]].name, (path, position))

    def _bind_imports(self, file: _File) -> None:
        for binding in file.extraction.imports:
            if binding.star:
                file.dots.append(binding.module)
            elif binding.alias:
                file.imports[self._local_name(binding.module, binding.alias)] = binding.module

    def _local_name(self, module: str, alias: str) -> str:
        """The name that a package is known by: its clause where the snapshot has it and no alias is given."""
        if module in self.packages and alias == module.rpartition("/")[2]:
            return _clause(self.files[self.packages[module].files[0]].extraction)
        return alias

    def _bind_methods(self, file: _File) -> None:
        for fact in file.extraction.facts:
            if fact[0] == "receiver":
                type_ = self.denoted(file, fact[2])
                if type_ and type_[0] == "named":
                    name = file.extraction.symbols[fact[1]].name
                    self.methods[type_].setdefault(name, (file.path, fact[1]))

    def build_variants(self, target: Target) -> list[Target]:
        """A function with its namesakes in the package: files for other systems that declare it too."""
        path, ordinal = target
        symbol = self.files[path].extraction.symbols[ordinal]
        others = self.variants.get((self.files[path].package, symbol.descriptor), [])
        return [target, *(other for other in others if other != target)]

    # ---- types of expressions ------------------------------------------------------------

    def value(self, file: _File, operand: Operand) -> Type:
        """Type of an operand."""
        if isinstance(operand, str):
            return self._named_value(file, operand)
        if operand == UNKNOWN:
            return None
        known = file.types[operand]
        if known is _DOING or (known is _PENDING and self.depth > _MAX_DEPTH):
            return None
        if known is _PENDING:
            file.types[operand] = _DOING
            self.depth += 1
            fact = file.extraction.facts[operand]
            evaluate = _EVALUATE.get(fact[0])
            known = evaluate(self, file, operand, *fact[1:]) if evaluate else None
            self.depth -= 1
            file.types[operand] = known
        return known  # type: ignore[no-any-return]

    def denoted(self, file: _File, operand: Operand) -> Type:
        """The type that an operand denotes, where it is a type expression."""
        type_ = self.value(file, operand)
        if type_ and type_[0] == "type":
            return type_[1]  # type: ignore[no-any-return]
        return type_ if type_ == _EXTERNAL else None

    def _named_value(self, file: _File, name: str) -> Type:
        found = self._member_of_package(file.package, name)
        if found is not None:
            return found
        if name in file.imports:
            path = file.imports[name]
            return ("package", path) if path in self.packages else _EXTERNAL
        for path in file.dots:
            found = self._member_of_package(path, name) if path in self.packages else None
            if found is not None:
                return found
        if name in _TYPES:
            return ("type", ("basic", name))
        if name in _FUNCTIONS:
            return ("builtin", name)
        return _EXTERNAL if any(path not in self.packages for path in file.dots) else None

    def _member_of_package(self, package: str, name: str) -> Type:
        names = self.packages[package]
        if name in names.functions:
            return self._function(*names.functions[name])
        if name in names.types:
            path, fact = names.types[name]
            return self._declared_type(self.files[path], fact)
        if name in names.globals:
            path, fact = names.globals[name]
            return self.value(self.files[path], fact)
        return None

    def _declared_type(self, file: _File, fact: int) -> Type:
        _, symbol, definition, _ = file.extraction.facts[fact]
        if file.extraction.symbols[symbol].kind == "type_alias":
            return self.value(file, definition)
        if file.extraction.symbols[symbol].parent == -1:
            return ("type", ("named", file.package, file.extraction.symbols[symbol].name))
        return ("type", ("local", file.path, fact))

    def _function(self, path: str, symbol: int) -> Type:
        signature = self.files[path].signatures.get(symbol)
        return ("func", path, tuple(signature[3]) if signature else (), (path, symbol))

    def results(self, path: str, results: tuple[Operand, ...]) -> Type:
        """Type of a call with these results."""
        if len(results) == 1:
            return self.denoted(self.files[path], results[0])
        return ("tuple", path, results) if results else None

    def underlying(self, type_: Type) -> Type:
        """The struct, interface, map, ... that a named type is made of."""
        for _ in range(_MAX_DEPTH):
            if type_ is None or type_[0] not in ("named", "local"):
                return type_
            path, fact = self._declaration(type_)
            file = self.files[path]
            _, symbol, definition, _ = file.extraction.facts[fact]
            type_ = self.denoted(file, definition)
            if type_ and type_[0] == "interface":
                return ("interface", path, type_[2], symbol)
        return None

    def _declaration(self, type_: tuple[Any, ...]) -> tuple[str, int]:
        if type_[0] == "local":
            return type_[1], type_[2]
        return self.packages[type_[1]].types[type_[2]]

    # ---- members ------------------------------------------------------------

    def member(self, type_: Type, name: str) -> tuple[Type, bool]:
        """Field or method of a type by Go's rule, nearest level first; whether an embedded type has it."""
        level: list[Type] = [type_]
        seen: set[Type] = set()
        outside = False
        embedded = False
        while level:
            following: list[Type] = []
            for one in level:
                if one is None or one in seen:
                    continue
                seen.add(one)
                outside |= one == _EXTERNAL
                found = self._direct_member(one, name)
                if found is not None:
                    return found, embedded
                following += self._embedded(self.underlying(one))
            level = following
            embedded = True
        return (_EXTERNAL if outside else None), embedded

    def _direct_member(self, type_: tuple[Any, ...], name: str) -> Type:
        if type_[0] == "named" and name in self.methods.get(type_, ()):
            return self._function(*self.methods[type_][name])
        under = self.underlying(type_)
        if under and under[0] == "struct":
            file = self.files[under[1]]
            _, fields, embedded = file.extraction.facts[under[2]]
            for field_name, operand in (*fields, *embedded):
                if field_name == name:
                    return self.denoted(file, operand)
        if under and under[0] == "interface":
            _, path, fact, owner = under
            file = self.files[path]
            for method, signature in file.extraction.facts[fact][1]:
                if method == name:
                    symbol = file.members.get((owner, name))
                    results = tuple(file.extraction.facts[signature][2])
                    return ("func", path, results, None if symbol is None else (path, symbol))
        return None

    def _embedded(self, under: Type) -> list[Type]:
        if under and under[0] == "struct":
            file = self.files[under[1]]
            return [self.denoted(file, operand) for _, operand in file.extraction.facts[under[2]][2]]
        if under and under[0] == "interface":
            file = self.files[under[1]]
            return [self.denoted(file, operand) for operand in file.extraction.facts[under[2]][2]]
        if under and under[0] == "parameter":
            file = self.files[under[1]]
            return [self.denoted(file, file.extraction.facts[under[2]][1])]
        return []

    def element(self, type_: Type) -> Type:
        """Type of an element of a container."""
        under = self.underlying(type_)
        if under and under[0] in ("slice", "chan"):
            return under[1]  # type: ignore[no-any-return]
        if under and under[0] == "map":
            return under[2]  # type: ignore[no-any-return]
        return under if under == _EXTERNAL else None


# ---- one evaluation per operation of the facts ------------------------------------------------------------


def _type(
    r: _Resolver, file: _File, position: int, symbol: int, definition: Operand, parameters: Any
) -> Type:
    return r._declared_type(file, position)


def _lambda(r: _Resolver, file: _File, position: int, symbol: int, parameters: Any, results: Any) -> Type:
    return ("func", file.path, tuple(results), (file.path, symbol))


def _variable(r: _Resolver, file: _File, position: int, type_: Operand, value: Operand) -> Type:
    return r.value(file, value) if type_ == UNKNOWN else r.denoted(file, type_)


def _global(r: _Resolver, file: _File, position: int, name: str, type_: Operand, value: Operand) -> Type:
    return _variable(r, file, position, type_, value)


def _result(r: _Resolver, file: _File, position: int, value: Operand, index: int) -> Type:
    type_ = r.value(file, value)
    if type_ and type_[0] == "tuple":
        _, path, results = type_
        return r.denoted(r.files[path], results[index]) if index < len(results) else None
    # The second value of an assertion, a map's element or a receive is whether the first one is there.
    return type_ if index == 0 or type_ == _EXTERNAL else None


def _type_parameter(r: _Resolver, file: _File, position: int, constraint: Operand) -> Type:
    return ("type", ("parameter", file.path, position))


def _attribute(r: _Resolver, file: _File, position: int, value: Operand, name: str) -> Type:
    owner = r.value(file, value)
    if owner is None or owner == _EXTERNAL:
        return owner
    if owner[0] == "package":
        return r._member_of_package(owner[1], name)
    return r.member(owner[1] if owner[0] == "type" else owner, name)[0]


def _call(r: _Resolver, file: _File, position: int, callee: Operand, arguments: Any, reference: int) -> Type:
    function = r.value(file, callee)
    if function is None or function == _EXTERNAL:
        return function
    if function[0] == "type":
        return function[1]  # type: ignore[no-any-return]
    if function[0] == "builtin":
        return _builtin_result(r, file, function[1], arguments)
    under = r.underlying(function)
    return r.results(under[1], under[2]) if under and under[0] == "func" else None


def _builtin_result(r: _Resolver, file: _File, name: str, arguments: tuple[Operand, ...]) -> Type:
    if name in ("new", "make") and arguments:
        return r.denoted(file, arguments[0])
    return r.value(file, arguments[0]) if name in ("append", "min", "max") and arguments else None


def _index(r: _Resolver, file: _File, position: int, value: Operand, operands: Any) -> Type:
    base = r.value(file, value)
    return base if base is None or base[0] in ("type", "func") else r.element(base)


def _element(r: _Resolver, file: _File, position: int, value: Operand) -> Type:
    return r.element(r.value(file, value))


def _key(r: _Resolver, file: _File, position: int, value: Operand) -> Type:
    under = r.underlying(r.value(file, value))
    if under and under[0] in ("map", "chan"):
        return under[1]  # type: ignore[no-any-return]
    return under if under == _EXTERNAL else None


def _instance(r: _Resolver, file: _File, position: int, type_: Operand) -> Type:
    return r.denoted(file, type_)


def _slice(r: _Resolver, file: _File, position: int, element: Operand) -> Type:
    return ("type", ("slice", r.denoted(file, element)))


def _chan(r: _Resolver, file: _File, position: int, element: Operand) -> Type:
    return ("type", ("chan", r.denoted(file, element)))


def _map(r: _Resolver, file: _File, position: int, key: Operand, element: Operand) -> Type:
    return ("type", ("map", r.denoted(file, key), r.denoted(file, element)))


def _function_type(r: _Resolver, file: _File, position: int, parameters: Any, results: Any) -> Type:
    return ("type", ("func", file.path, tuple(results), None))


def _struct(r: _Resolver, file: _File, position: int, fields: Any, embedded: Any) -> Type:
    return ("type", ("struct", file.path, position))


def _interface(r: _Resolver, file: _File, position: int, methods: Any, embedded: Any) -> Type:
    return ("type", ("interface", file.path, position, -1))


_EVALUATE: dict[str, Any] = {
    "type": _type,
    "lambda": _lambda,
    "var": _variable,
    "global": _global,
    "result": _result,
    "typeparam": _type_parameter,
    "attr": _attribute,
    "call": _call,
    "index": _index,
    "element": _element,
    "key": _key,
    "instance": _instance,
    "slice": _slice,
    "chan": _chan,
    "map": _map,
    "functype": _function_type,
    "struct": _struct,
    "interface": _interface,
}


# ---- references ------------------------------------------------------------


def resolve(snapshot: Snapshot) -> Resolved:
    """Edges, imports and gaps of the Go files of a snapshot."""
    resolver = _Resolver(snapshot)
    implementers = _Implementers(resolver)
    edges: list[Edge] = []
    gaps: list[Gap] = []
    imports: list[FileImport] = []
    for file in resolver.files.values():
        callees = {fact[3]: fact[1] for fact in file.extraction.facts if fact[0] == "call"}
        for position in range(len(file.types)):
            resolver.value(file, position)
        for reference in file.extraction.references:
            if reference.kind == "call":
                found, gap = _callee(resolver, file, callees.get(reference.ordinal, UNKNOWN))
            else:
                found, gap = _named_type(resolver, file, reference)
            if found is None:
                gaps.append(Gap(file.path, reference.ordinal, gap))
                continue
            target, origin = found
            targets = [(one, origin) for one in resolver.build_variants(target)]
            if reference.kind == "call":
                targets += [(method, "interface_dispatch") for method in implementers.of(target)]
            kind = _EDGE_KIND[reference.kind]
            for rank, (one, rule) in enumerate(targets):
                edges.append(Edge(kind, file.path, reference.ordinal, *one, rule, rank))
        imports += _file_imports(resolver, file)
    return Resolved(edges, imports, gaps, list(implementers.links()))


_EDGE_KIND = {"call": "CALLS", "type": "REFERENCES", "inherit": "INHERITS"}
Found = tuple[tuple[Target, str] | None, str]


def _callee(r: _Resolver, file: _File, callee: Operand) -> Found:
    """Target and origin of a call, or the reason for which it has none."""
    type_ = r.value(file, callee)
    if type_ == _EXTERNAL:
        return None, "external"
    if type_ and type_[0] == "type":
        return _declaration(r, file, type_[1])
    if type_ and (type_[0] == "builtin" or type_[0] == "basic"):
        return None, "builtin"
    if type_ and type_[0] == "func" and type_[3] is not None:
        return (type_[3], _origin(r, file, callee, type_[3])), ""
    return None, _why_unknown(r, file, callee, type_)


def _origin(r: _Resolver, file: _File, callee: Operand, target: Target) -> str:
    """The rule by which a callee leads to a function."""
    while isinstance(callee, int) and file.extraction.facts[callee][0] == "index":
        callee = file.extraction.facts[callee][1]
    if isinstance(callee, str):
        if target[0] in r.packages[file.package].files:
            return "lexical_scope" if target[0] == file.path else "package_scope"
        return "import"
    operation, *operands = file.extraction.facts[callee]
    if operation == "lambda":
        return "lexical_scope"
    if operation != "attr":
        return "assigned_value"
    owner = r.value(file, operands[0])
    if owner and owner[0] == "package":
        return "import"
    _, embedded = r.member(owner[1] if owner and owner[0] == "type" else owner, operands[1])
    if r.files[target[0]].extraction.symbols[target[1]].kind != "method":
        return "assigned_value"
    return "inherited_member" if embedded else "receiver_type"


def _why_unknown(r: _Resolver, file: _File, callee: Operand, type_: Type) -> str:
    if type_ is not None:
        return "dynamic"
    if isinstance(callee, str):
        return "unknown_name"
    fact = file.extraction.facts[callee] if callee >= 0 else ("", UNKNOWN)
    if fact[0] != "attr":
        return "dynamic"
    return "unknown_receiver" if r.value(file, fact[1]) is None else "unknown_member"


def _named_type(r: _Resolver, file: _File, reference: Reference) -> Found:
    """Target of a reference to a type by its name."""
    if reference.receiver:
        package = file.imports.get(reference.receiver)
        if package is None or package not in r.packages:
            return None, "external" if package else "unknown_name"
        type_ = r._member_of_package(package, reference.name)
        found, reason = _declaration(r, file, type_[1] if type_ and type_[0] == "type" else None)
        return (None, reason) if found is None else ((found[0], "import"), "")
    local = _local_type(file, reference)
    if local is not None:
        return ((file.path, local), "lexical_scope"), ""
    names = r.packages[file.package].types
    if reference.name in names:
        path, fact = names[reference.name]
        symbol = r.files[path].extraction.facts[fact][1]
        return ((path, symbol), "lexical_scope" if path == file.path else "package_scope"), ""
    return None, "unknown_name"


def _local_type(file: _File, reference: Reference) -> int | None:
    symbols = file.extraction.symbols
    scope = reference.enclosing
    while scope >= 0:
        found = file.members.get((scope, reference.name))
        if found is not None and symbols[found].kind in ("struct", "interface", "type", "type_alias"):
            return found
        scope = symbols[scope].parent
    return None


def _declaration(r: _Resolver, file: _File, type_: Type) -> Found:
    """The symbol that declares a named type."""
    if type_ is None or type_[0] not in ("named", "local"):
        return None, "external" if type_ == _EXTERNAL else "builtin"
    path, fact = r._declaration(type_)
    inside = path in r.packages[file.package].files
    origin = ("lexical_scope" if path == file.path else "package_scope") if inside else "import"
    return ((path, r.files[path].extraction.facts[fact][1]), origin), ""


def _file_imports(r: _Resolver, file: _File) -> Iterator[FileImport]:
    """A package's files but for its tests are what its importers import."""
    for binding in file.extraction.imports:
        if binding.module in r.packages:
            for path in r.packages[binding.module].files:
                if not path.endswith("_test.go"):
                    yield FileImport(file.path, binding.ordinal, path)


class _Implementers:
    """Which methods of concrete types a call of an interface's method may run."""

    def __init__(self, resolver: _Resolver) -> None:
        self._resolver = resolver
        self._method_sets = {type_: self._method_set(type_) for type_ in list(resolver.methods)}
        self._holders: defaultdict[str, set[tuple[Any, ...]]] = defaultdict(set)
        for type_, names in self._method_sets.items():
            for name in names:
                self._holders[name].add(type_)
        self._known: dict[Target, list[Target]] = {}

    def of(self, method: Target) -> list[Target]:
        """Implementations of an interface's method, in order of path; none for any other symbol."""
        if method not in self._known:
            self._known[method] = self._find(method)
        return self._known[method]

    def links(self) -> Iterator[Link]:
        """Each type of the snapshot with the interfaces whose methods it has, names and signatures."""
        resolver = self._resolver
        for package, names in sorted(resolver.packages.items()):
            for name, (path, fact) in sorted(names.types.items()):
                symbol = resolver.files[path].extraction.facts[fact][1]
                if resolver.files[path].extraction.symbols[symbol].kind == "interface":
                    interface = ("named", package, name)
                    for type_ in self._implementing(interface):
                        yield self._link(type_, (path, symbol))

    def _implementing(self, interface: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Types that have all methods of an interface; nothing says much that has the methods of an empty one."""
        wanted = self._method_set(interface)
        holders = [self._holders[name] for name in wanted]
        types = set.intersection(*holders) if holders else set()
        return sorted(
            type_ for type_ in types if all(self._agrees(type_, interface, name) for name in wanted)
        )

    def _agrees(self, type_: tuple[Any, ...], interface: tuple[Any, ...], name: str) -> bool:
        """Whether a method of both has the same signature, as far as its types are known."""
        one, other = (self._signature(owner, name) for owner in (type_, interface))
        return (
            one is not None
            and other is not None
            and [len(part) for part in one] == [len(part) for part in other]
            and all(
                a == b or None in (a, b)
                for mine, theirs in zip(one, other, strict=True)
                for a, b in zip(mine, theirs, strict=True)
            )
        )

    def _signature(self, owner: tuple[Any, ...], name: str) -> tuple[list[Type], list[Type]] | None:
        """Types of the parameters and results of a method."""
        method = self._resolver.member(owner, name)[0]
        if not method or method[0] != "func" or method[3] is None:
            return None
        path, symbol = method[3]
        file = self._resolver.files[path]
        fact = file.signatures.get(symbol)
        if fact is not None:
            parameters, results = fact[2], fact[3]
        else:
            position = self._of_interface(file, symbol)
            if position is None:
                return None
            _, parameters, results = file.extraction.facts[position]
        return [self._resolver.denoted(file, p) for p in parameters], [
            self._resolver.denoted(file, r) for r in results
        ]

    def _of_interface(self, file: _File, symbol: int) -> int | None:
        """The function type of a method that an interface declares."""
        declared = file.extraction.symbols[symbol]
        owner = file.extraction.symbols[declared.parent] if declared.parent >= 0 else None
        found = self._resolver.packages[file.package].types.get(owner.name) if owner else None
        under = self._resolver.underlying(("named", file.package, owner.name)) if owner and found else None
        if not under or under[0] != "interface":
            return None
        methods = dict(self._resolver.files[under[1]].extraction.facts[under[2]][1])
        return methods.get(declared.name)

    def _link(self, type_: tuple[Any, ...], interface: Target) -> Link:
        path, fact = self._resolver._declaration(type_)
        file = self._resolver.files[path]
        symbol = file.extraction.symbols[file.extraction.facts[fact][1]]
        place = (*symbol.name_span, symbol.line)
        return Link("INHERITS", path, symbol.ordinal, *place, *interface, "method_set")

    def _find(self, method: Target) -> list[Target]:
        path, ordinal = method
        file = self._resolver.files[path]
        symbol = file.extraction.symbols[ordinal]
        owner = symbol.parent
        if symbol.kind != "method" or owner < 0 or file.extraction.symbols[owner].kind != "interface":
            return []
        names = self._method_set(self._interface(file, owner))
        holders = [self._holders[name] for name in names]
        types = set.intersection(*holders) if holders else set()
        found = (self._resolver.member(type_, symbol.name)[0] for type_ in types)
        return sorted({type_[3] for type_ in found if type_ and type_[0] == "func" and type_[3]} - {method})

    def _interface(self, file: _File, symbol: int) -> tuple[Any, ...]:
        """The type that a symbol declares: one of the package, or one of a function."""
        declared = file.extraction.symbols[symbol]
        if declared.parent == -1:
            return ("named", file.package, declared.name)
        facts = enumerate(file.extraction.facts)
        return ("local", file.path, next(n for n, fact in facts if fact[0] == "type" and fact[1] == symbol))

    def _method_set(self, type_: tuple[Any, ...]) -> set[str]:
        names: set[str] = set()
        pending: list[Type] = [type_]
        seen: set[Type] = set()
        while pending:
            one = pending.pop()
            if one is None or one in seen:
                continue
            seen.add(one)
            names |= self._resolver.methods.get(one, {}).keys()
            under = self._resolver.underlying(one)
            if under and under[0] == "interface":
                names |= {name for name, _ in self._resolver.files[under[1]].extraction.facts[under[2]][1]}
            pending += self._resolver._embedded(under)
        return names
