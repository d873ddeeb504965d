"""Precision and recall of resolved Python calls against what test suites really execute.

``python -m benchmarks.calls_python [--library PATH] [--tests a,b,c] [--trace FILE]`` resolves the standard library of
the running Python and traces its own tests (``calls_python_trace.py``). Recall: of the pairs of functions of which
one really called the other, those that were resolved. Precision: of the targets resolved for a line that really
called something, those that it called; this is a lower bound, because a line need not run all that it can.
Edges below a confidence of .9 are candidates and count in neither, nor do those to a decorated function, which runs
behind what its decorators put in its place. Targets: precision .96, recall .65.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import sysconfig
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from loaders.parsing import extract
from loaders.resolution import python
from loaders.resolution.flow import Flow
from loaders.resolution.model import ORIGINS, Snapshot
from loaders.resolution.python.names import Names

PRECISION, RECALL = 0.96, 0.65
CERTAIN = 0.9
TESTS = (
    "test_argparse test_ast test_calendar test_cmd test_code test_codeop test_configparser test_contextlib test_copy"
    " test_csv test_dataclasses test_difflib test_enum test_fractions test_getopt test_heapq test_html"
    " test_htmlparser test_http_cookies test_ipaddress test_json test_mailcap test_netrc test_optparse test_pprint"
    " test_sched test_shlex test_statistics test_string test_textwrap test_tokenize test_urlparse test_zipfile"
)
_LEFT_OUT = frozenset({"test", "tests", "idle_test", "site-packages", "__pycache__"})

Pair = tuple[str, int, str, int]


def trace(library: Path, tests: list[str]) -> list[list[Any]]:
    """What the tests execute; see ``calls_python_trace``."""
    program = Path(__file__).with_name("calls_python_trace.py")
    # Frozen modules do not know their files.
    command = [sys.executable, "-X", "frozen_modules=off", str(program), str(library), *tests]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)  # type: ignore[no-any-return]


def snapshot(library: Path) -> tuple[Snapshot, float]:
    """The library extracted, and the seconds that took."""
    started = time.process_time()
    paths = [p for p in sorted(library.rglob("*.py")) if not _LEFT_OUT & set(p.relative_to(library).parts)]
    files = {p.relative_to(library).as_posix(): extract(p.read_bytes(), "python") for p in paths}
    return Snapshot("repository", files), time.process_time() - started


def first_lines(tree: Snapshot) -> dict[tuple[str, int], int]:
    """The first line of each symbol's code object, decorators included; 1 for that of a module."""
    lines = {(path, s.ordinal): s.start_line for path, found in tree.files.items() for s in found.symbols}
    return lines | {(path, -1): 1 for path in tree.files}


def measure(library: Path, calls: list[list[Any]]) -> dict[str, Any]:
    """Counts and ratios."""
    tree, extracting = snapshot(library)
    started = time.process_time()
    edges = python.resolve(tree).edges
    resolving = time.process_time() - started
    lines = first_lines(tree)
    ran = defaultdict(set)
    for source, line, _, target, first in calls:
        ran[source, line].add((target, first))
    truth = {(source, first, target, to) for source, _, first, target, to in calls if target}
    generators = {
        (path, ordinal)
        for path, module in Names(tree, Flow()).modules.items()
        for ordinal in module.generators
    }
    made: set[Pair] = set()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    errors = []
    for edge in edges:
        symbol = tree.files[edge.target_path].symbols[edge.target]
        if edge.kind != "CALLS" or symbol.kind == "class" or ORIGINS[edge.origin][0] < CERTAIN:
            continue
        if edge.origin == "decorated":
            continue
        reference = tree.files[edge.path].references[edge.reference]
        if reference.kind not in ("call", "special"):  # a property
            continue
        target = (edge.target_path, lines[edge.target_path, edge.target])
        made.add((edge.path, lines[edge.path, reference.enclosing], *target))
        if reference.kind == "special":  # the tracer sees what a call instruction calls
            continue
        executed = ran.get((edge.path, reference.line))
        # The tracer sees a generator start where it is first asked for a value, not where it is called.
        if executed is not None and (edge.target_path, edge.target) not in generators:
            if target in executed:
                right[edge.origin] += 1
            else:
                wrong[edge.origin] += 1
                errors.append((edge.path, reference.line, reference.name, edge.origin, *target))
    hits = truth & made
    origins = {
        origin: {"right": right[origin], "wrong": wrong[origin]}
        for origin in ORIGINS
        if right[origin] + wrong[origin]
    }
    return {
        "expected": len(truth),
        "hits": len(hits),
        "recall": len(hits) / len(truth),
        "checked": right.total() + wrong.total(),
        "right": right.total(),
        "precision": right.total() / (right.total() + wrong.total()),
        "extract_seconds": extracting,
        "resolve_seconds": resolving,
        "origins": origins,
        "wrong": errors,
        "missed": sorted(truth - made),
    }


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", type=Path, default=Path(sysconfig.get_path("stdlib")))
    parser.add_argument("--tests", default=TESTS, help="test modules, separated by spaces")
    parser.add_argument("--trace", type=Path, help="where a trace is, or is kept for the next time")
    add_options(parser)
    options = parser.parse_args()
    if options.trace and options.trace.exists():
        calls = json.loads(options.trace.read_bytes())
    else:
        calls = trace(options.library, options.tests.split())
        if options.trace:
            options.trace.write_text(json.dumps(calls))
    figures = measure(options.library, calls)
    return tell(figures, options, precision=PRECISION, recall=RECALL)


if __name__ == "__main__":
    raise SystemExit(main())
