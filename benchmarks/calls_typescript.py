"""Precision and recall of resolved TypeScript and JavaScript calls against the TypeScript checker.

``python -m benchmarks.calls_typescript --root PATH --typescript node_modules/typescript`` reads the sources below
PATH (``node_modules`` left out), asks ``calls_typescript.cjs`` for the truth, and compares each call whose callee the
checker knows. Edges below a confidence of .9 are candidates and count in neither figure. Needs node and the npm
package typescript. Targets: precision .95, recall .85.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from benchmarks.definition_counts import run_truth
from loaders.detection import language_of
from loaders.parsing import extract
from loaders.resolution import MANIFESTS, typescript
from loaders.resolution.model import ORIGINS, Snapshot

PRECISION, RECALL = 0.95, 0.85
CERTAIN = 0.9
_HINT = "Install node, run `npm install typescript@5` and pass --typescript node_modules/typescript."


def truth(root: Path, typescript_package: Path) -> list[dict[str, Any]]:
    """What the checker says about each file and call below a folder."""
    program = Path(__file__).with_suffix(".cjs")
    rows: Any = run_truth(["node", str(program), str(typescript_package.resolve()), str(root)], _HINT)
    return rows  # type: ignore[no-any-return]


def snapshot(root: Path, paths: set[str]) -> tuple[Snapshot, float]:
    """The files extracted, with the manifests beside them, and the seconds that took."""
    started = time.process_time()
    files = {}
    for path in sorted(paths):
        data = (root / path).read_bytes()
        files[path] = extract(data, language_of(path, data) or "javascript", seconds=30.0)
    manifests = {
        found.relative_to(root).as_posix(): found.read_bytes()
        for name in sorted(MANIFESTS)
        for found in root.rglob(name)
        if "node_modules" not in found.relative_to(root).parts
    }
    return Snapshot("repository", files, manifests), time.process_time() - started


def measure(root: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts and ratios over the calls whose callee the checker knows."""
    tree, extracting = snapshot(root, {row["file"] for row in rows if "class" not in row})
    started = time.process_time()
    edges = typescript.resolve(tree).edges
    resolving = time.process_time() - started
    predicted: defaultdict[tuple[str, int], dict[tuple[Any, ...], str]] = defaultdict(dict)
    for edge in edges:
        if edge.kind == "CALLS" and ORIGINS[edge.origin][0] >= CERTAIN:
            callee = tree.files[edge.path].references[edge.reference]
            offset = callee.span.end - len(callee.name.encode())
            symbol = tree.files[edge.target_path].symbols[edge.target]
            predicted[edge.path, offset][edge.target_path, symbol.name_span.start] = edge.origin
    wrong, missed = [], []
    right: Counter[str] = Counter()
    mistaken: Counter[str] = Counter()
    sites = [row for row in rows if row.get("class") in ("inside", "outside")]
    expected = 0
    for site in sites:
        answers = predicted.get((site["file"], site["offset"]), {})
        targets = {tuple(target) for target in site["targets"]}
        expected += site["class"] == "inside"
        if not answers:
            missed += [site] if site["class"] == "inside" else []
        elif targets & answers.keys():
            right.update(answers.values())
        else:
            mistaken.update(answers.values())
            wrong.append({**site, "answer": sorted(answers.items())})
    hits = expected - len(missed) - sum(site["class"] == "inside" for site in wrong)
    made = hits + len(wrong)
    return {
        "sites": len(sites),
        "expected": expected,
        "predicted": made,
        "hits": hits,
        "precision": hits / made if made else 0.0,
        "recall": hits / expected if expected else 0.0,
        "extract_seconds": extracting,
        "resolve_seconds": resolving,
        "origins": {origin: [right[origin], mistaken[origin]] for origin in sorted(right | mistaken)},
        "wrong": wrong,
        "missed": missed,
    }


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder of sources to read")
    parser.add_argument("--typescript", type=Path, help="folder of the npm package typescript")
    parser.add_argument("--truth", type=Path, help="where the truth is, or is kept for the next time")
    add_options(parser)
    options = parser.parse_args()
    root = options.root.resolve()
    if options.truth and options.truth.exists():
        rows = [json.loads(line) for line in options.truth.read_text().splitlines()]
    elif options.typescript:
        rows = truth(root, options.typescript)
        if options.truth:
            options.truth.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        parser.error("give --typescript, or --truth with one that was kept")
    figures = measure(root, rows)
    return tell(figures, options, precision=PRECISION, recall=RECALL)


if __name__ == "__main__":
    raise SystemExit(main())
