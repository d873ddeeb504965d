"""How a SCIP index joins with what is extracted and resolved of the same files.

``python -m benchmarks.scip --root PATH --index index.scip``: the folder that was indexed, and the index. Told are the
definitions of the index by the last part of their descriptors, and how many of them lie at the name of a symbol;
then the references by how the two compare (`loaders.resolution.model.OUTCOMES`). Parameters, modules and local
variables are no symbols here, and not counted. Targets: of types and functions .99 join; of the references for which
both name a target .95 agree, or name a class and its constructor, or a variable and the function in it.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.comparison import add_options, tell
from loaders.detection import language_of
from loaders.parsing import extract
from loaders.resolution import MANIFESTS, resolve
from loaders.resolution.model import OUTCOMES, IndexDocument, Snapshot
from loaders.scip.reading import is_document, read_document, top_level

JOINED, AGREEMENT = 0.99, 0.95
_SUFFIXES = {"().": "functions", "#": "types", ".": "others"}
_AGREEING = ("agrees", "constructor", "holder")
_ONE_SIDED = frozenset({"adds", "reads", "outside", "silent"})
"""Outcomes where one of the two says nothing of a target."""


def documents(root: Path, index: Path) -> list[IndexDocument]:
    """What the index says of the files that are below the folder."""
    found = []
    for part in top_level(index.read_bytes()):
        document = read_document(part.data) if is_document(part) else None
        if document is not None and (root / document.path).is_file():
            data = (root / document.path).read_bytes()
            found.append(IndexDocument(document.path, document.occurrences(data), document.implementations))
    return found


def snapshot(root: Path, indexes: list[IndexDocument]) -> Snapshot:
    """The files of an index extracted, without what it says of them."""
    files = {}
    for document in indexes:
        data = (root / document.path).read_bytes()
        language = language_of(document.path, data)
        if language is not None:
            files[document.path] = extract(data, language, seconds=30.0)
    manifests = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for name in sorted(MANIFESTS)
        for path in root.rglob(name)
        if "node_modules" not in path.relative_to(root).parts
    }
    return Snapshot("repository", files, manifests)


def measure(root: Path, index: Path) -> dict[str, Any]:
    """Counts and ratios; ``missed`` are definitions that do not join, ``wrong`` references that do not agree."""
    indexes = documents(root, index)
    tree = snapshot(root, indexes)
    defined, joined, missed = _join(tree, indexes)
    alone = resolve(tree)
    laid = resolve(Snapshot(tree.repository, tree.files, tree.manifests, indexes))
    outcomes: Counter[str] = Counter()
    for (_, outcome), count in laid.agreement.items():
        outcomes[outcome] += count
    compared = sum(count for outcome, count in outcomes.items() if outcome not in _ONE_SIDED)
    targets = [
        {(edge.path, edge.reference): (edge.target_path, edge.target) for edge in edges if edge.rank == 0}
        for edges in (alone.edges, laid.edges)
    ]
    differing = sorted(key for key in targets[0].keys() & targets[1] if targets[0][key] != targets[1][key])
    kinds = ("functions", "types")
    return {
        "files": len(tree.files),
        **{f"{kind}_defined": defined[kind] for kind in _SUFFIXES.values()},
        **{f"{kind}_joined": joined[kind] for kind in _SUFFIXES.values()},
        "joined": sum(joined[kind] for kind in kinds) / (sum(defined[kind] for kind in kinds) or 1),
        **{outcome: outcomes[outcome] for outcome in OUTCOMES},
        "agreement": sum(outcomes[outcome] for outcome in _AGREEING) / (compared or 1),
        "wrong": [_told(tree, path, reference, targets) for path, reference in differing],
        "missed": missed,
    }


def _join(
    tree: Snapshot, indexes: list[IndexDocument]
) -> tuple[Counter[str], Counter[str], list[tuple[str, int, str]]]:
    defined: Counter[str] = Counter()
    joined: Counter[str] = Counter()
    missed = []
    for document in indexes:
        if document.path not in tree.files:
            continue
        names = {symbol.name_span.start for symbol in tree.files[document.path].symbols if symbol.name}
        for occurrence in document.occurrences:
            kind = next((k for suffix, k in _SUFFIXES.items() if occurrence.symbol.endswith(suffix)), None)
            if kind is None or not occurrence.is_definition:
                continue
            defined[kind] += 1
            joined[kind] += occurrence.start in names
            if occurrence.start not in names and kind != "others":
                missed.append((document.path, occurrence.line, occurrence.symbol))
    return defined, joined, missed


def _told(tree: Snapshot, path: str, reference: int, targets: list[dict[Any, Any]]) -> tuple[str, ...]:
    """A reference for people: where it is, what resolution found, what the index says."""
    found = tree.files[path].references[reference]
    sides = []
    for side in targets:
        file, ordinal = side[path, reference]
        sides.append(f"{file} {tree.files[file].symbols[ordinal].descriptor}")
    return (f"{path}:{found.line}", found.name, *sides)


def main() -> int:
    """Print the figures and say whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="the folder that was indexed")
    parser.add_argument("--index", type=Path, required=True, help="the index")
    add_options(parser)
    options = parser.parse_args()
    figures = measure(options.root.resolve(), options.index)
    return tell(figures, options, joined=JOINED, agreement=AGREEMENT)


if __name__ == "__main__":
    raise SystemExit(main())
