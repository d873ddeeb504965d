"""Precision and recall of "which files call S" for Python, against an oracle made with ``ast`` and ``symtable``.

``python -m benchmarks.who_calls --root PATH`` reads the Python files below PATH but tests, the standard library of the
running Python where none is given. A question is a function, class or method; its answer are the files in which a call
leads to it. The oracle follows names through scopes (``symtable``), imports, re-exports, stars and ``__all__``, dotted
names of modules and classes, and ``self`` and ``cls`` through bases. It judges no other call, as of values that
variables carry, and neither does the comparison; ``benchmarks.calls_python`` measures those. Grep's answer, files that
hold ``name(``, is given beside it. Target: F1 .96.
"""

from __future__ import annotations

import argparse
import ast
import re
import symtable
import sys
import sysconfig
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from loaders.parsing import extract
from loaders.resolution import MANIFESTS, python
from loaders.resolution.model import ORIGINS, Snapshot

F1 = 0.96
_RECURSION = 100_000
CERTAIN = 0.9
_SPECIAL = re.compile(r"__\w+__\Z")
_LEFT_OUT = frozenset({"test", "tests", "idle_test", "lib2to3", "site-packages", "__pycache__"})

Definition = tuple[str, int]
"""A file, and the line of ``def`` or ``class`` in it."""

Site = tuple[str, int]
"""A file, and the offset in bytes of the end of a callee."""


@dataclass
class _Module:
    """What a module binds at its top level, and what it calls."""

    path: str
    name: str
    tree: ast.Module
    table: symtable.SymbolTable
    lines: list[int]
    bound: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    stars: list[str] = field(default_factory=list)
    exports: list[str] | None = None


class Oracle:
    """The modules below a folder, and where their calls lead by name.

    Attributes:
        sites: Each call that is judged, with the definitions that it leads to; none where it leads outside.
    """

    def __init__(self, root: Path, paths: list[str]) -> None:
        self._modules: dict[str, _Module] = {}
        self.sites: dict[Site, set[Definition]] = {}
        for path in paths:
            module = _parse(root, path)
            if module is not None:
                self._modules[module.name] = module
        for module in self._modules.values():
            self._bind(module)
        for module in self._modules.values():
            _Calls(self, module).visit(module.tree)

    @property
    def paths(self) -> set[str]:
        """Files that could be read."""
        return {module.path for module in self._modules.values()}

    def _bind(self, module: _Module) -> None:
        for node in _top_level(module.tree.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if _is_overload(node):
                    continue
                module.bound[node.name].append(node)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    module.bound[name].append(("module", alias.name if alias.asname else name))
            elif isinstance(node, ast.ImportFrom):
                source = _source_of(module, node)
                for alias in node.names:
                    if alias.name == "*":
                        module.stars.append(source)
                    else:
                        module.bound[alias.asname or alias.name].append(("from", source, alias.name))
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With):
                self._bind_names(module, node)

    def _bind_names(self, module: _Module, node: ast.stmt) -> None:
        stored = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        for name in stored:
            value = node.value if isinstance(node, ast.Assign) and len(stored) == 1 else None
            alias = ("name", _dotted(value)) if value is not None and _dotted(value) else ("value",)
            module.bound[name.id].append(alias)
            if name.id == "__all__" and isinstance(value, ast.List | ast.Tuple):
                module.exports = [str(e.value) for e in value.elts if isinstance(e, ast.Constant)]

    def member(self, module: str, name: str, depth: int = 0) -> set[Any] | None:
        """What a name of a module leads to: definitions with their modules, or modules; None where unknown."""
        if depth > 20:
            return None
        found = self._modules.get(module)
        if found is None:
            return set()  # a module from outside
        if name in found.bound:
            return self._meaning(found, found.bound[name], depth)
        if f"{module}.{name}" in self._modules:
            return {("module", f"{module}.{name}")}
        for star in reversed(found.stars):
            other = self._modules.get(star)
            if other is None:
                return None
            if name in other.exports if other.exports is not None else not name.startswith("_"):
                result = self.member(star, name, depth + 1)
                if result:
                    return result
        return None

    def _meaning(self, module: _Module, bindings: list[Any], depth: int) -> set[Any] | None:
        result: set[Any] = set()
        for binding in bindings:
            if isinstance(binding, ast.AST):
                found: set[Any] | None = {(module.name, binding)}
            elif binding[0] == "module":
                found = {binding}
            elif binding[0] == "from":
                found = self.member(binding[1], binding[2], depth + 1)
            elif binding[0] == "name":
                found = self.path(module, binding[1], depth + 1)
            else:
                found = None
            if found is None:
                return None
            result |= found
        return result

    def path(self, module: _Module, names: tuple[str, ...], depth: int = 0) -> set[Any] | None:
        """What a dotted name means at the top level of a module."""
        current = self.member(module.name, names[0], depth)
        for name in names[1:]:
            following: set[Any] = set()
            for one in current if current is not None else ():
                found = self._attribute(one, name, depth)
                if found is None:
                    return None
                following |= found
            current = None if current is None else following
        return current

    def _attribute(self, owner: Any, name: str, depth: int) -> set[Any] | None:
        if owner[0] == "module":
            return self.member(owner[1], name, depth + 1)
        if isinstance(owner[1], ast.ClassDef):
            return self.class_member(owner, name)
        return None

    def class_member(self, owner: tuple[str, ast.ClassDef], name: str, depth: int = 0) -> set[Any] | None:
        """A method of a class, or of the first base that has one; None where a base is unknown or assigns it."""
        if depth > 20:
            return None
        module, node = owner
        named = [n for n in _top_level(node.body) if getattr(n, "name", None) == name]
        own = [n for n in named if not _is_overload(n)]
        if own:
            return {(module, n) for n in own}
        if any(
            isinstance(n, ast.Name) and n.id == name
            for s in node.body
            for n in ast.walk(s)
            if not isinstance(s, ast.FunctionDef)
        ):
            return None
        for base in node.bases:
            dotted = _dotted(base)
            found = self.path(self._modules[module], dotted) if dotted else None
            classes = [one for one in found or () if one[0] != "module" and isinstance(one[1], ast.ClassDef)]
            if len(classes) != 1:
                return None
            result = self.class_member(classes[0], name, depth + 1)
            if result is None or result:
                return result
        return set()


class _Calls(ast.NodeVisitor):
    """Judges the calls of one module."""

    def __init__(self, oracle: Oracle, module: _Module) -> None:
        self._oracle = oracle
        self._module = module
        self._tables = [module.table]
        self._classes: list[ast.ClassDef | None] = [None]
        self._receivers: list[str] = [""]

    def _inside(self, node: Any, body: list[Any], class_: ast.ClassDef | None, receiver: str) -> None:
        name = getattr(node, "name", "lambda")
        table = next(
            (
                t
                for t in self._tables[-1].get_children()
                if t.get_name() == name and t.get_lineno() == node.lineno
            ),
            None,
        )
        if table is None:  # generated scopes have other lines where there are decorators
            table = next(
                (t for t in self._tables[-1].get_children() if t.get_name() == name), self._tables[-1]
            )
        self._tables.append(table)
        self._classes.append(class_)
        self._receivers.append(receiver)
        for one in body:
            self.visit(one)
        self._tables.pop()
        self._classes.pop()
        self._receivers.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outside in (*node.decorator_list, node.args, *([node.returns] if node.returns else [])):
            self.visit(outside)
        method = isinstance(self._classes[-1], ast.ClassDef) and self._tables[-1].get_type() == "class"
        static = any(_dotted(d) == ("staticmethod",) for d in node.decorator_list)
        first = node.args.args[0].arg if node.args.args and method and not static else self._receivers[-1]
        self._inside(node, node.body, self._classes[-1], first)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        self._inside(node, node.body, node, "")

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._inside(node, [node.body], self._classes[-1], self._receivers[-1])

    def visit_Call(self, node: ast.Call) -> None:
        names = _dotted(node.func)
        if names:
            found = self._judge(names)
            if found is not None:
                line, column = node.func.end_lineno or 1, node.func.end_col_offset or 0
                end = self._module.lines[line - 1] + column
                self._oracle.sites[self._module.path, end] = found
        self.generic_visit(node)

    def _judge(self, names: tuple[str, ...]) -> set[Definition] | None:
        if names[0] == self._receivers[-1] and names[0] in ("self", "cls"):
            class_ = self._classes[-1]
            if len(names) != 2 or class_ is None:
                return None
            found = self._oracle.class_member((self._module.name, class_), names[1])
            return self._definitions(found) if found else None  # heirs, or bases from outside, may have it
        for table in reversed(self._tables[1:]):
            try:
                symbol = table.lookup(names[0])
            except KeyError:
                continue
            if symbol.is_local() and table.get_type() != "class":
                return None
            if symbol.is_local() and table is self._tables[-1]:
                return None
        return self._definitions(self._oracle.path(self._module, names))

    def _definitions(self, found: set[Any] | None) -> set[Definition] | None:
        if found is None or any(one[0] == "module" for one in found):
            return None
        modules = self._oracle._modules
        return {(modules[module].path, node.lineno) for module, node in found}


def _parse(root: Path, path: str) -> _Module | None:
    data = (root / path).read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(data)
            table = symtable.symtable(data.decode("utf-8"), path, "exec")
        except (SyntaxError, ValueError, RecursionError):
            return None
    parts = path.removesuffix(".py").split("/")
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    lines = [0, *(at + 1 for at, byte in enumerate(data) if byte == 10)]
    return _Module(path, name, tree, table, lines)


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, those in its conditions, loops and handlers included."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from _top_level(getattr(node, name, []))
        for handler in getattr(node, "handlers", []):
            yield from _top_level(handler.body)


def _is_overload(node: ast.AST) -> bool:
    """Whether a definition is a signature that never runs."""
    return any(_dotted(mark)[-1:] == ("overload",) for mark in getattr(node, "decorator_list", ()))


def _source_of(module: _Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    package = parts if module.path.endswith("__init__.py") else parts[:-1]
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _dotted(node: ast.expr | None) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def snapshot(root: Path, paths: list[str]) -> tuple[Snapshot, float]:
    """The files extracted, and the seconds that took."""
    started = time.process_time()
    files = {path: extract((root / path).read_bytes(), "python", seconds=30.0) for path in paths}
    manifests = {name: (root / name).read_bytes() for name in sorted(MANIFESTS) if (root / name).is_file()}
    return Snapshot("repository", files, manifests), time.process_time() - started


def measure(root: Path) -> dict[str, Any]:
    """Counts and ratios over the pairs of a definition and a file that calls it."""
    paths = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*.py"))
        if not _LEFT_OUT & set(path.relative_to(root).parts)
    ]
    oracle = Oracle(root, paths)
    tree, extracting = snapshot(root, sorted(oracle.paths))
    started = time.process_time()
    edges = python.resolve(tree).edges
    resolving = time.process_time() - started
    expected = {(target, path) for (path, _), targets in oracle.sites.items() for target in targets}
    found: set[tuple[Definition, str]] = set()
    best: dict[tuple[str, int], tuple[str, str]] = {}
    for edge in sorted(edges, key=lambda edge: edge.rank):
        reference = tree.files[edge.path].references[edge.reference]
        symbol = tree.files[edge.target_path].symbols[edge.target]
        if edge.kind != "CALLS" or (edge.path, reference.span.end) not in oracle.sites:
            continue
        # The surest answer, with the other definitions of its name, as those for several systems.
        named = (edge.target_path, symbol.descriptor)
        is_best = best.setdefault((edge.path, edge.reference), named) == named
        if not is_best and ORIGINS[edge.origin][0] < CERTAIN:
            continue
        # Special methods are called by classes, operators and built-in functions, which the oracle does not follow.
        if not _SPECIAL.match(symbol.name) or symbol.name == reference.name:
            found.add(((edge.target_path, symbol.line), edge.path))
    hits = len(expected & found)
    precision, recall = hits / len(found) if found else 0.0, hits / len(expected) if expected else 0.0
    return {
        "files": len(oracle.paths),
        "judged_calls": len(oracle.sites),
        "expected": len(expected),
        "found": len(found),
        "hits": hits,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits else 0.0,
        "grep_f1": _grep(root, oracle, tree, expected),
        "extract_seconds": extracting,
        "resolve_seconds": resolving,
        "wrong": sorted(found - expected),
        "missed": sorted(expected - found),
    }


def _grep(root: Path, oracle: Oracle, tree: Snapshot, expected: set[tuple[Definition, str]]) -> float:
    """F1 of the files that hold ``name(``, for the definitions that are called at all."""
    names = {
        (path, symbol.line): symbol.name
        for path, found in tree.files.items()
        for symbol in found.symbols
        if symbol.name
    }
    texts = {path: (root / path).read_text("utf-8", "replace") for path in oracle.paths}
    asked = {definition for definition, _ in expected}
    holding: dict[str, set[str]] = {}
    found = set()
    for definition in asked:
        name = names.get(definition, "")
        if name not in holding:
            holding[name] = {path for path, text in texts.items() if f"{name}(" in text}
        found |= {(definition, path) for path in holding[name]}
    hits = len(found & expected)
    return 2 * hits / (len(found) + len(expected)) if found or expected else 0.0


def main() -> int:
    """Print the figures and say whether the target is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path(sysconfig.get_path("stdlib")), help="folder to read"
    )
    add_options(parser)
    options = parser.parse_args()
    sys.setrecursionlimit(_RECURSION)  # generated sources have expressions that are thousands of levels deep
    figures = measure(options.root.resolve())
    return tell(figures, options, f1=F1)


if __name__ == "__main__":
    raise SystemExit(main())
