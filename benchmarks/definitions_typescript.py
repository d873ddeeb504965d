"""Precision and recall of TypeScript and JavaScript definitions against the TypeScript compiler.

``python -m benchmarks.definitions_typescript --root PATH --typescript node_modules/typescript``; needs node
and the npm package typescript.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks.definition_counts import Definition, Figure, Truth, compare, main, run_truth

_LANGUAGES = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"}
_HINT = "Install node, run `npm install typescript` and pass --typescript node_modules/typescript."


def truth(root: Path, typescript: Path) -> Truth:
    """What the compiler says about the files below a folder that it parses without an error."""
    program = Path(__file__).with_suffix(".cjs")
    rows: Any = run_truth(["node", str(program), str(typescript.resolve()), str(root)], _HINT)
    return Truth(
        frozenset(row[1] for row in rows if row[0] == "file"),
        tuple(Definition(*row[1:]) for row in rows if row[0] == "definition"),
        {},
    )


def figures(root: Path, typescript: Path) -> tuple[list[Figure], list[str]]:
    """Figures by language and group, and a line for each disagreement."""
    return compare(
        root, truth(root, typescript), lambda path: _LANGUAGES.get(Path(path).suffix, "javascript")
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--typescript", type=Path, required=True, help="folder of the npm package typescript")


if __name__ == "__main__":
    raise SystemExit(main(__doc__, lambda o: figures(o.root.resolve(), o.typescript), _arguments))
