"""Precision and recall of resolved base classes against the classes of the standard library as they are imported.

``python -m benchmarks.inheritance [--library PATH]`` imports each module of the running Python that can be imported
without effect, in a process of its own, and takes the bases of every class that the library's sources define.
An edge counts where its class was imported: Python then knows all of its bases. Bases that C defines are left out,
since no source defines them. Targets: precision .985, recall .985.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from loaders.parsing import extract
from loaders.resolution import python
from loaders.resolution.model import Snapshot

PRECISION, RECALL = 0.985, 0.985
_LEFT_OUT = frozenset(
    {
        "test",
        "tests",
        "idle_test",
        "site-packages",
        "__pycache__",
        "lib2to3",
        "turtledemo",
        "idlelib",
        "tkinter",
    }
)
_WITH_EFFECT = frozenset({"antigravity", "this", "turtle"})

Class = tuple[str, str]
"""A file, and the qualified name of a class in it."""


def truth(library: Path, modules: list[str]) -> list[tuple[Class, Class | None]]:
    """Each class of the modules with each of its bases that the library's sources define; None where it has none."""
    program = Path(__file__).with_name("inheritance_imports.py")
    command = [sys.executable, "-X", "frozen_modules=off", str(program), str(library)]
    done = subprocess.run(command, input="\n".join(modules), capture_output=True, check=True, text=True)
    rows = json.loads(done.stdout.splitlines()[-1])
    return [((path, name), tuple(base) if base else None) for path, name, base in rows]


def sources(library: Path) -> dict[str, str]:
    """Path of each module's file to its dotted name."""
    found = {}
    for path in sorted(library.rglob("*.py")):
        relative = path.relative_to(library)
        if not _LEFT_OUT & set(relative.parts):
            name = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
            if name.isascii() and all(part.isidentifier() for part in name.split(".")):
                found[relative.as_posix()] = name
    return found


def qualified_names(tree: Snapshot) -> dict[tuple[str, int], Class]:
    """What Python calls each class: ``__qualname__``, functions around it marked."""
    names: dict[tuple[str, int], str] = {}
    for path, extraction in tree.files.items():
        for symbol in extraction.symbols:
            outer = names.get((path, symbol.parent), "")
            within = extraction.symbols[symbol.parent].kind if symbol.parent >= 0 else ""
            mark = ".<locals>." if within in ("function", "method", "lambda") else "."
            names[path, symbol.ordinal] = f"{outer}{mark}{symbol.name}" if outer else symbol.name
    return {key: (key[0], name) for key, name in names.items()}


def measure(library: Path) -> dict[str, Any]:
    """Counts and ratios over the classes that were imported."""
    modules = sources(library)
    started = time.process_time()
    tree = Snapshot(
        "repository", {path: extract((library / path).read_bytes(), "python") for path in modules}
    )
    edges = python.resolve(tree).edges
    seconds = time.process_time() - started
    rows = truth(
        library, [name for name in modules.values() if name not in _WITH_EFFECT and "__main__" not in name]
    )
    imported = {class_ for class_, _ in rows}
    expected = {(class_, base) for class_, base in rows if base is not None}
    names = qualified_names(tree)
    found = {
        (
            names[edge.path, tree.files[edge.path].references[edge.reference].enclosing],
            names[edge.target_path, edge.target],
        )
        for edge in edges
        if edge.kind == "INHERITS" and tree.files[edge.path].references[edge.reference].enclosing >= 0
    }
    found = {pair for pair in found if pair[0] in imported}
    hits = len(found & expected)
    return {
        "classes": len(imported),
        "expected": len(expected),
        "found": len(found),
        "hits": hits,
        "precision": hits / len(found) if found else 0.0,
        "recall": hits / len(expected) if expected else 0.0,
        "seconds": seconds,
        "wrong": sorted(found - expected),
        "missed": sorted(expected - found),
    }


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=Path(sysconfig.get_path("stdlib")))
    add_options(parser)
    options = parser.parse_args()
    figures = measure(options.library.resolve())
    return tell(figures, options, precision=PRECISION, recall=RECALL)


if __name__ == "__main__":
    raise SystemExit(main())
