"""Resolution of Python: a graph of assignments, solved to a fixed point.

The binding facts of each module become constraints of a :class:`~loaders.resolution.flow.Flow`: each variable,
fact, attribute and element is a node, and functions, classes and modules flow through them. The analysis knows
neither the order of statements nor the context of calls: a variable has all the values that are ever assigned
to it. Where several functions reach one callee, each edge is an ``alternative``.

``layout``       modules by path and by name
``scopes``       what the scopes of one module bind
``names``        what names mean, and the order of inheritance
``heap``         what values hold
``calls``        how arguments and results flow
``special``      what operators and statements call of values
``program``      all of these together
``builtins``     what built-in functions do
``constraints``  the constraint that each fact stands for
"""

from __future__ import annotations

import gc
import re
from collections import defaultdict
from collections.abc import Iterator, Set
from contextlib import contextmanager

from loaders.extraction import Import, Reference
from loaders.resolution.model import Edge, FileImport, Gap, Resolved, Snapshot
from loaders.resolution.python.calls import Site
from loaders.resolution.python.constraints import constrain
from loaders.resolution.python.heap import Heap
from loaders.resolution.python.names import Class, Names, Value, layout
from loaders.resolution.python.program import Program
from loaders.resolution.python.scopes import Module

__all__ = ["packages", "resolve"]

_EDGE_KIND = {"type": "REFERENCES", "inherit": "INHERITS", "read": "REFERENCES"}
_ROOT = re.compile(r"[^\W\d]\w*")


def packages(snapshot: Snapshot) -> dict[str, str]:
    """Dotted name of the module of each Python file."""
    return layout(snapshot).names


def resolve(snapshot: Snapshot) -> Resolved:
    """Edges, imports and gaps of the Python files of a snapshot."""
    with _collector_paused():
        program = Program.of(snapshot)
        names = program.names
        for module in names.modules.values():
            constrain(program, module)
        program.flow.solve()
        program.flow.close()
        edges = [edge for site in program.calls.sites for edge in _call_edges(names, site)]
        called = {(edge.path, edge.reference) for edge in edges}
        imports: list[FileImport] = []
        gaps: list[Gap] = []
        below = _Below(names, program.heap)
        for module in names.modules.values():
            imports += _file_imports(names, module)
            for reference in module.extraction.references:
                is_taken = (module.path, reference.ordinal) in called  # a property
                if reference.kind not in ("call", "special") and not is_taken:
                    edge = _named_edge(names, module, reference)
                    edges += [edge] if edge else []
                    called |= {(edge.path, edge.reference)} if edge else set()
                # What a name stands for may be a variable, and most special methods are those of built-in types.
                if reference.kind in ("read", "special") or (module.path, reference.ordinal) in called:
                    continue
                static = names.static_reference(module, reference)
                more = list(_decorated_edge(names, module, reference, static, frozenset()))
                more = more or list(below.edges(module, reference))
                edges += more
                if not more:
                    gaps.append(Gap(module.path, reference.ordinal, _reason(names, module, reference)))
        return Resolved(edges, imports, gaps)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """The constraints are a million live objects and no garbage; the collector would scan them over and over."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _call_edges(names: Names, site: Site) -> Iterator[Edge]:
    if site.reference < 0:
        return
    if not site.targets and not site.made:
        return
    reference = site.module.extraction.references[site.reference]
    static = names.static_reference(site.module, reference)
    known = site.targets.keys() | site.made.keys()
    hidden = list(_decorated_edge(names, site.module, reference, static, known))
    yield from hidden
    for targets in (site.targets, site.made):
        several = len(targets) > 1
        first = _named_target(names, site.module, reference, static) if several else None
        ranked = sorted(
            (target != first, *_origin(names, site.module, static, target, value, several=several), target)
            for target, value in targets.items()
        )
        for rank, (_, _, origin, (path, symbol)) in enumerate(ranked, len(hidden)):
            yield Edge("CALLS", site.module.path, site.reference, path, symbol, origin, rank)


def _decorated_edge(
    names: Names, module: Module, reference: Reference, static: Value | None, targets: Set[Class]
) -> Iterator[Edge]:
    """The edge to the function or class that a call names, where its decorators put something around it."""
    if (
        reference.kind == "call"
        and static is not None
        and static[0] != "module"
        and static[1:] not in targets
        and not names.is_dropped((static[1], static[2]))
    ):
        yield Edge("CALLS", module.path, reference.ordinal, static[1], static[2], "decorated", 0)


def _named_target(names: Names, module: Module, reference: Reference, static: Value | None) -> Class | None:
    """The target that a call names: by definitions and imports, or as a method of the class that it is in."""
    if static is not None:
        return (static[1], static[2]) if static[0] in ("function", "class") else None
    return _own_method(names, module, reference)


class _Below:
    """Methods that a class calls of itself and leaves to the classes that inherit from it."""

    def __init__(self, names: Names, heap: Heap) -> None:
        self._names = names
        self._heap = heap
        self._heirs: defaultdict[Class, list[Class]] = defaultdict(list)
        self._methods: defaultdict[Class, list[tuple[str, int]]] = defaultdict(list)
        self._left: dict[Class, dict[str, list[Class]]] = {}
        for module in names.modules.values():
            for symbol in module.bases:
                for base in names.linearize((module.path, symbol))[1:]:
                    self._heirs[base].append((module.path, symbol))
            for (scope, name), found in module.definitions.items():
                if isinstance(found, int):
                    self._methods[module.path, scope].append((name, found))

    def edges(self, module: Module, reference: Reference) -> Iterator[Edge]:
        """Edges from a call of a member of ``self`` or ``cls`` that its class does not have."""
        class_ = _own_class(module, reference)
        if class_ is None or reference.kind != "call" or not _is_of_method(module, reference):
            return
        targets = self._left_by(class_).get(reference.name, [])
        if targets and self._heap.is_assigned(class_, reference.name):
            return
        origin = "interface_dispatch" if len(targets) == 1 else "alternative"
        for rank, target in enumerate(targets):
            yield Edge("CALLS", module.path, reference.ordinal, *target, origin, rank)

    def _left_by(self, class_: Class) -> dict[str, list[Class]]:
        """Methods that the heirs of a class define, by name."""
        if class_ not in self._left:
            found: dict[str, list[Class]] = {}
            for heir in sorted(self._heirs.get(class_, ())):
                for name, method in self._methods.get(heir, ()):
                    found.setdefault(name, []).append((heir[0], method))
            self._left[class_] = found
        return self._left[class_]


def _is_of_method(module: Module, reference: Reference) -> bool:
    """Whether the ``self`` that a reference names is that of a method, and not of a function inside of one."""
    scope = reference.enclosing
    while scope >= 0:
        symbol = module.extraction.symbols[scope]
        fact = module.functions.get(scope)
        if fact is not None and any(name == reference.receiver for name, *_ in fact[2]):
            return symbol.kind == "method" and "staticmethod" not in symbol.decorators
        scope = symbol.parent
    return False


def _own_class(module: Module, reference: Reference) -> Class | None:
    """The class that a reference is in which takes a member of ``self`` or ``cls``."""
    symbols = module.extraction.symbols
    scope = reference.enclosing
    while scope >= 0 and symbols[scope].kind != "class":
        scope = symbols[scope].parent
    return (module.path, scope) if scope >= 0 and reference.receiver in ("self", "cls") else None


def _own_method(names: Names, module: Module, reference: Reference) -> Class | None:
    """The method of the class that a reference is in which it names by ``self`` or ``cls``."""
    class_ = _own_class(module, reference)
    return names.method(class_, reference.name) if class_ is not None else None


def _origin(
    names: Names, module: Module, static: Value | None, target: Class, value: Value, *, several: bool
) -> tuple[int, str]:
    """(order, rule) by which a target was found for a call."""
    if target[1] in names.modules[target[0]].replaced:
        return 4, "alternative"
    if static is not None and (static[1:] == target or (static[0] == "class" and not several)):
        return (0, "lexical_scope") if static[1] == module.path else (0, "import")
    if several:
        return 4, "alternative"
    if value[0] == "bound":
        defining = (target[0], names.modules[target[0]].extraction.symbols[target[1]].parent)
        return (1, "receiver_type") if defining == value[2][1:3] else (2, "inherited_member")
    return 3, "assigned_value"


def _named_edge(names: Names, module: Module, reference: Reference) -> Edge | None:
    """The edge of a type, a base class or a value that is named."""
    class_ = _own_class(module, reference) if reference.kind == "read" else None
    getter = names.getter(class_, reference.name) if class_ is not None else None
    method = getter or (names.method(class_, reference.name) if class_ is not None else None)
    if method is not None:
        kind = "CALLS" if getter is not None else "REFERENCES"
        is_own = method[0] == module.path and _holds(module, method[1], reference.enclosing)
        origin = "receiver_type" if is_own else "inherited_member"
        return Edge(kind, module.path, reference.ordinal, *method, origin, 0)
    value = names.static_reference(module, reference)
    if value is None or value[0] == "module":
        return None
    origin = "lexical_scope" if value[1] == module.path else "import"
    return Edge(_EDGE_KIND[reference.kind], module.path, reference.ordinal, value[1], value[2], origin, 0)


def _holds(module: Module, method: int, scope: int) -> bool:
    """Whether the class of a method is around a scope."""
    symbols = module.extraction.symbols
    while scope >= 0 and scope != symbols[method].parent:
        scope = symbols[scope].parent
    return scope >= 0


def _file_imports(names: Names, module: Module) -> Iterator[FileImport]:
    for binding in module.extraction.imports:
        path = names.imported_module(module, binding)
        if path is not None and binding.name:
            path = names.layout.child(path, binding.name) or path
        if path in names.modules and path != module.path:
            yield FileImport(module.path, binding.ordinal, path)


def _reason(names: Names, module: Module, reference: Reference) -> str:
    """Why a reference leads nowhere, by the name that its expression starts with."""
    root = _ROOT.match(reference.receiver or reference.name)
    if root is None:
        return "builtin" if reference.receiver[:1] in "'\"[{bfr" else "dynamic"
    for scope in module.scopes(reference.enclosing, root[0]):
        if (scope, root[0]) in module.variables:
            definition = module.definitions.get((scope, root[0]))
            break
    else:
        return "builtin" if not reference.receiver else "unknown_receiver"
    if isinstance(definition, Import):
        return "external" if names.imported(module, definition) is None else "unknown_member"
    return "unknown_receiver" if reference.receiver else "dynamic"
