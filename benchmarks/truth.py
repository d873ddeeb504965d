"""Compares what a store says of a repository with numbers that were measured by other means.

    python -m benchmarks.truth --repo PATH --truth FILE [--store DIR] [--json]

The truth file is JSON with an object ``numbers``. Each number that has a statement of its name in
``benchmarks/sql`` is computed by it and compared; the others are listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from benchmarks.stores import store_of
from graphsvc.canonical.reader import Reader

__all__ = ["Comparison", "compare", "statements"]

_STATEMENTS = Path(__file__).parent / "sql"
_NAME = re.compile(r"^-- name: (\S+)\n", re.MULTILINE)
_INEXPRESSIBLE = {
    "session_table_sha256": "the truth file does not say of which table, in which form, it is the digest",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number: its name, the true value, and what the store says."""

    name: str
    truth: Any
    found: Any

    @property
    def is_same(self) -> bool:
        """Whether both agree."""
        return bool(self.truth == self.found)


def statements() -> dict[str, str]:
    """All statements by the name of what they compute."""
    found: dict[str, str] = {}
    for path in sorted(_STATEMENTS.glob("truth_*.sql")):
        _, *parts = _NAME.split(path.read_text(encoding="utf-8"))
        found.update(zip(parts[::2], parts[1::2], strict=True))
    return found


def compare(reader: Reader, numbers: Mapping[str, Any]) -> tuple[list[Comparison], dict[str, str]]:
    """Compute and compare all numbers.

    Args:
        reader: Reader of a store that was made from the repository.
        numbers: True values by name.

    Returns:
        The comparisons, and for each number that has no statement the reason.
    """
    reader.run((_STATEMENTS / "truth_views.sql").read_text(encoding="utf-8"))
    known = statements()
    compared: list[Comparison] = []
    left_out: dict[str, str] = {}
    for name, truth in _leaves(numbers, known):
        if name in known:
            found = _shaped(truth, *reader.table(known[name]))
            compared += _parted(name, truth, found)
        else:
            left_out[name] = _INEXPRESSIBLE.get(name, "no statement computes it")
    return compared, left_out


def _leaves(
    numbers: Mapping[str, Any], known: Mapping[str, str], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """Numbers by name; an object for which there are statements of its members is taken apart."""
    for key, value in numbers.items():
        name = prefix + key
        if any(other.startswith(name + ".") for other in known):
            yield from _leaves(value, known, name + ".")
        else:
            yield name, value


def _shaped(truth: Any, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Any:
    """Rows in the form of the true value.

    >>> _shaped(2, ("n",), [(2,)]), _shaped({"x": 1}, ("k", "n"), [("x", 1), (None, 4)])
    (2, {'x': 1, 'None': 4})
    >>> _shaped([["x", 1]], ("k", "n"), [("x", 1)]), _shaped({"a": 0, "b": 0}, ("a", "b"), [(3, 4)])
    ([['x', 1]], {'a': 3, 'b': 4})
    """
    rows = [tuple(_plain(value) for value in row) for row in rows]
    match truth:
        case dict() if set(truth) == set(columns):
            return dict(zip(columns, rows[0], strict=True))
        case dict():
            return {str(key): value for key, value in rows}
        case [dict(), *_]:
            return [dict(zip(columns, row, strict=True)) for row in rows]
        case [list(), *_]:
            return [list(row) for row in rows]
        case list() if len(columns) > 1:
            return list(rows[0])
        case list():
            return [row[0] for row in rows]
    return rows[0][0]


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return value


def _parted(name: str, truth: Any, found: Any) -> Iterator[Comparison]:
    """A comparison a member of an object, and one of everything else."""
    if not isinstance(truth, dict):
        yield Comparison(name, truth, found)
        return
    for key in dict.fromkeys((*truth, *found)):
        yield Comparison(f"{name}.{key}", truth.get(key), found.get(key))


def _print_table(compared: list[Comparison], left_out: Mapping[str, str]) -> None:
    width = max(len(comparison.name) for comparison in compared)
    for comparison in compared:
        mark = "same" if comparison.is_same else "DIFFERENT"
        print(
            f"{comparison.name:{width}}  {_short(comparison.truth):>42}  {_short(comparison.found):>42}  {mark}"
        )
    different = [comparison for comparison in compared if not comparison.is_same]
    print(f"\n{len(compared)} numbers compared, {len(different)} differ")
    for comparison in different:
        print(f"  {comparison.name}: {comparison.truth} is true, {comparison.found} was found")
    for name, reason in left_out.items():
        print(f"  {name} is not compared: {reason}")


def _short(value: Any) -> str:
    text = f"{len(value)} items" if isinstance(value, list) and len(value) > 2 else str(value)
    return text if len(text) <= 42 else text[:39] + "..."


def main() -> int:
    """Run from the command line; the exit code is 1 where a number differs or no statement computes it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repo", type=Path, required=True, help="the repository")
    parser.add_argument("--truth", type=Path, required=True, help="JSON file with the true numbers")
    parser.add_argument("--store", type=Path, help="a store made from the repository; a new one by default")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    numbers = json.loads(options.truth.read_text(encoding="utf-8"))["numbers"]
    with tempfile.TemporaryDirectory() as scratch:
        store = store_of(options.repo, options.store, Path(scratch))
        with store.read() as reader:
            compared, left_out = compare(reader, numbers)
    if options.json:
        rows = [{"name": c.name, "truth": c.truth, "found": c.found, "same": c.is_same} for c in compared]
        print(json.dumps({"compared": rows, "left_out": left_out}, indent=1))
    else:
        _print_table(compared, left_out)
    is_complete = left_out.keys() <= _INEXPRESSIBLE.keys()
    return 0 if is_complete and all(comparison.is_same for comparison in compared) else 1


if __name__ == "__main__":
    sys.exit(main())
