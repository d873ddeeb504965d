"""Precision and recall of extracted definitions against what another parser says of the same files.

A language's script brings a ``truth``; everything else is here. A definition is the same where path, group,
name and the line of the name agree.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from graphsvc.errors import BudgetExhausted
from loaders.extraction import Extraction
from loaders.parsing import extract

__all__ = ["GROUPS", "Definition", "Figure", "Truth", "compare", "main", "measure", "run_truth"]

GROUPS = {
    **dict.fromkeys(("function", "method", "constructor"), "functions"),
    "lambda": "anonymous",
    **dict.fromkeys(("class", "interface", "struct", "union", "trait", "annotation", "type"), "types"),
    **dict.fromkeys(("enum", "module", "namespace"), "types"),
    "type_alias": "aliases",
    **dict.fromkeys(("field", "property"), "fields"),
    **dict.fromkeys(("constant", "variable"), "constants"),
    "enum_member": "enum members",
    "macro": "macros",
}
"""The group that each kind of symbol is counted in."""

_TARGETS = {"functions": (0.99, 0.995), "anonymous": (0.99, 0.995), "types": (0.99, 0.995)}
_OTHER_TARGET = (0.97, 0.97)


class Definition(NamedTuple):
    """One definition: path relative to the root, group, name (empty if anonymous), line from 1."""

    path: str
    group: str
    name: str
    line: int


class Figure(NamedTuple):
    """Counts of one language and group, and the targets for precision and recall."""

    language: str
    group: str
    expected: int
    found: int
    agreed: int
    target_precision: float
    target_recall: float

    @property
    def precision(self) -> float:
        return self.agreed / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.agreed / self.expected if self.expected else 1.0

    @property
    def reached(self) -> bool:
        return self.precision >= self.target_precision and self.recall >= self.target_recall


class Truth(NamedTuple):
    """What another parser says.

    Attributes:
        files: Paths relative to the root that it could read; only these are compared.
        definitions: What it found in them.
        unseen: Ranges of lines (first, last) by path that it did not look at, for example behind ``#if 0``.
    """

    files: frozenset[str]
    definitions: tuple[Definition, ...]
    unseen: dict[str, list[tuple[int, int]]]


def run_truth(command: Sequence[str], hint: str) -> list[list[object]]:
    """The JSON lines that a truth program prints.

    Raises:
        SystemExit: The program is not there or fails; ``hint`` says how to get it.
    """
    try:
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        detail = getattr(error, "stderr", "") or error
        raise SystemExit(f"no truth from {command[0]}: {str(detail).strip()[-500:]}\n{hint}") from error
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(
    root: Path,
    truth: Truth,
    language_of: Callable[[str], str],
    adjust: Callable[[str, Extraction], Iterable[Definition]] | None = None,
) -> tuple[list[Figure], list[str]]:
    """Figures by language and group, and lines for people: the number of files, then each disagreement.

    Args:
        root: Folder that the paths of the truth are relative to.
        truth: What the other parser says.
        language_of: Name of the language that a path is read as.
        adjust: Turns an extraction into definitions where the plain rule does not do.
    """
    adjust = adjust or definitions_of
    found: Counter[Definition] = Counter()
    languages = {path: language_of(path) for path in truth.files}
    lines = [f"compared {len(truth.files)} files"]
    for path in sorted(truth.files):
        try:
            extraction = extract((root / path).read_bytes(), languages[path], seconds=30.0)
        except BudgetExhausted as error:
            lines.append(f"unread {path}: {error}")
            continue
        hidden = truth.unseen.get(path, [])
        found.update(
            definition
            for definition in adjust(path, extraction)
            if not any(first <= definition.line <= last for first, last in hidden)
        )
    expected = Counter(truth.definitions)
    lines += [f"extra   {item}" for item in sorted((found - expected).elements())]
    lines += [f"missed  {item}" for item in sorted((expected - found).elements())]
    keys = sorted({(languages[d.path], d.group) for d in found | expected})
    return [_figure(key, expected, found, languages) for key in keys], lines


def _figure(
    key: tuple[str, str], expected: Counter[Definition], found: Counter[Definition], languages: dict[str, str]
) -> Figure:
    def count(definitions: Counter[Definition]) -> int:
        return sum(n for d, n in definitions.items() if (languages[d.path], d.group) == key)

    return Figure(
        *key, count(expected), count(found), count(expected & found), *_TARGETS.get(key[1], _OTHER_TARGET)
    )


def definitions_of(path: str, extraction: Extraction) -> Iterable[Definition]:
    """Each symbol of an extraction."""
    for symbol in extraction.symbols:
        yield Definition(path, GROUPS[symbol.kind], symbol.name, symbol.line)


def measure(figures: list[Figure], *, as_json: bool) -> int:
    """Print the figures; 1 where one falls short, else 0."""
    if as_json:
        rows = [
            {**f._asdict(), "precision": f.precision, "recall": f.recall, "reached": f.reached}
            for f in figures
        ]
        print(json.dumps(rows))
    else:
        print(f"{'language':12} {'group':14} {'truth':>7} {'found':>7} {'precision':>9} {'recall':>7}")
        for f in figures:
            mark = "" if f.reached else f"  below {f.target_precision}/{f.target_recall}"
            counts = f"{f.language:12} {f.group:14} {f.expected:7} {f.found:7}"
            print(f"{counts} {f.precision:9.4f} {f.recall:7.4f}{mark}")
    return int(not all(f.reached for f in figures))


def main(
    description: str | None,
    compare_root: Callable[[argparse.Namespace], tuple[list[Figure], list[str]]],
    add_arguments: Callable[[argparse.ArgumentParser], object] = lambda parser: None,
) -> int:
    """The command line of a language's script."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, required=True, help="folder of sources to read")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--errors", type=int, default=0, help="print so many disagreements")
    add_arguments(parser)
    options = parser.parse_args()
    figures, lines = compare_root(options)
    print("\n".join(lines[: options.errors + 1]), file=sys.stderr)
    return measure(figures, as_json=options.json)
