"""Precision and recall of resolved Python calls on micro-benchmarks in the layout of PyCG.

``python -m benchmarks.pycg --root PATH --folders a,b,c`` reads ``PATH/<folder>/<case>/``: sources, and
``callgraph.json``, which maps each function's dotted name to those it calls. Calls of functions that the case
does not define are left out, and so are those of a decorated function that something else stands in for: it runs
behind that, if at all. Targets: precision .97, recall .85.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from loaders.extraction import Extraction
from loaders.parsing import extract
from loaders.resolution import python
from loaders.resolution.model import Snapshot

PRECISION, RECALL = 0.97, 0.85

Edge = tuple[str, str]


def dotted_names(path: str, extraction: Extraction) -> list[str]:
    """The benchmark's name for each symbol: dotted from the module, anonymous functions numbered."""
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    names: list[str] = []
    lambdas: dict[str, int] = {}
    for symbol in extraction.symbols:
        owner = names[symbol.parent] if symbol.parent >= 0 else module
        name = symbol.name
        if symbol.kind == "lambda":
            lambdas[owner] = lambdas.get(owner, 0) + 1
            name = f"<lambda{lambdas[owner]}>"
        names.append(f"{owner}.{name}")
    return [*names, module]  # a reference at top level has the ordinal -1


def predicted(case: Path) -> set[Edge]:
    """Resolved calls of a case, by dotted names."""
    files = {p.relative_to(case).as_posix(): extract(p.read_bytes(), "python") for p in case.rglob("*.py")}
    names = {path: dotted_names(path, extraction) for path, extraction in files.items()}
    edges = python.resolve(Snapshot("repository", files)).edges
    return {
        (names[e.path][files[e.path].references[e.reference].enclosing], names[e.target_path][e.target])
        for e in edges
        if e.kind == "CALLS"
        and e.origin != "decorated"
        and files[e.target_path].symbols[e.target].kind != "class"
    }


def expected(case: Path) -> set[Edge]:
    """Calls that the case's truth names, but for those of functions that it does not define."""
    graph = json.loads((case / "callgraph.json").read_bytes())
    edges = {(caller, callee) for caller, callees in graph.items() for callee in callees}
    modules = {p.relative_to(case).as_posix().split("/")[0].removesuffix(".py") for p in case.rglob("*.py")}
    return {edge for edge in edges if edge[1].split(".")[0] in modules}


def measure(root: Path, folders: list[str]) -> dict[str, Any]:
    """Counts and ratios, for each folder and for all."""
    rows: list[dict[str, Any]] = []
    wrong, missed = [], []
    for folder in folders:
        made = wanted = hits = 0
        for case in sorted(path.parent for path in (root / folder).rglob("callgraph.json")):
            answer, truth = predicted(case), expected(case)
            made, wanted, hits = made + len(answer), wanted + len(truth), hits + len(answer & truth)
            name = case.relative_to(root).as_posix()
            wrong += [(name, *edge) for edge in sorted(answer - truth)]
            missed += [(name, *edge) for edge in sorted(truth - answer)]
        rows.append({"folder": folder, "predicted": made, "expected": wanted, "hits": hits})
    total = {name: sum(row[name] for row in rows) for name in ("predicted", "expected", "hits")}
    rows.append({"folder": "all", **total})
    for row in rows:
        row["precision"] = row["hits"] / row["predicted"] if row["predicted"] else 1.0
        row["recall"] = row["hits"] / row["expected"] if row["expected"] else 1.0
    return {"folders": rows, "wrong": wrong, "missed": missed}


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the folder that holds the folders of cases")
    parser.add_argument("--folders", required=True, help="names of folders, separated by commas")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", action="store_true", help="print each wrong and missed call")
    options = parser.parse_args()
    figures = measure(options.root, options.folders.split(","))
    wrong, missed = figures.pop("wrong"), figures.pop("missed")
    if options.json:
        print(json.dumps(figures))
    else:
        print(f"{'folder':14}{'predicted':>10}{'expected':>10}{'hits':>6}{'precision':>11}{'recall':>8}")
        for row in figures["folders"]:
            counts = f"{row['predicted']:>10}{row['expected']:>10}{row['hits']:>6}"
            print(f"{row['folder']:14}{counts}{row['precision']:>11.3f}{row['recall']:>8.3f}")
    if options.errors:
        for label, found in (("wrong", wrong), ("missed", missed)):
            for edge in found:
                print(label, *edge, file=sys.stderr)
    total = figures["folders"][-1]
    return int(total["precision"] < PRECISION or total["recall"] < RECALL)


if __name__ == "__main__":
    raise SystemExit(main())
