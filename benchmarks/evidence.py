"""Checks that a store gives back the exact bytes of its sources, against what git reads from the repository.

    python -m benchmarks.evidence --repo PATH [--store DIR] [--events 1000] [--seed TEXT] [--json]

Every transcript is put together from its parts and must have the id of its blob. For a sample of events of all kinds
the bytes of their spans must be those at the same place of the object that git reads.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from benchmarks.stores import store_of
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.sql import load
from graphsvc.git import Repository, hash_object

__all__ = ["check_events", "check_transcripts"]


def check_transcripts(reader: Reader, object_format: str) -> tuple[int, list[str]]:
    """How many transcripts were rebuilt, and the paths of those that have not the id of their blob."""
    rows = reader.rows(load("benchmarks", "sql/evidence_transcripts.sql"))
    rebuilt, wrong = 0, []
    for _, session in groupby(rows, key=itemgetter(0)):
        parts = list(session)
        segments = reader.segments(part[3] for part in parts)
        for (path, oid), document in groupby(parts, key=itemgetter(1, 2)):
            data = b"".join(segments[segment][start:end] for *_, segment, start, end in document)
            rebuilt += 1
            if hash_object(data, object_format=object_format) != oid:
                wrong.append(path)
    return rebuilt, wrong


def check_events(
    reader: Reader, repository: Repository, *, count: int, seed: str
) -> tuple[Counter[str], list[str]]:
    """How many events of each kind were looked at, and the ids of those whose bytes differ.

    Args:
        reader: Reader of the store.
        repository: The repository that it was made from.
        count: How many events to draw.
        seed: Decides which ones.
    """
    rows = reader.rows(load("benchmarks", "sql/evidence_events.sql"), {"count": count, "seed": seed})
    stored = reader.spans(Span(*row[2:5]) for row in rows)
    looked_at = Counter(str(row[0]) for row in rows)
    wrong = []
    for row, told, raw in zip(rows, stored, _raw(repository, rows), strict=True):
        if told != raw:
            wrong.append(f"{row[0]} {row[1]}")
    return looked_at, wrong


def _raw(repository: Repository, rows: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
    """What git reads at the place of each row."""
    rows = list(rows)
    with repository.batch() as objects:
        for (_, _, _, start, end, _, place), found in zip(
            rows, objects.read(row[5] for row in rows), strict=True
        ):
            yield found.data[place : place + end - start] if found else b""


def main() -> int:
    """Run from the command line; the exit code is 1 where a byte differs or nothing was there to compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repo", type=Path, required=True, help="the repository")
    parser.add_argument("--store", type=Path, help="a store made from the repository; a new one by default")
    parser.add_argument("--events", type=int, default=1000, help="how many events to draw")
    parser.add_argument("--seed", default="", help="decides which ones")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, Repository.open(options.repo) as repository:
        store = store_of(options.repo, options.store, Path(scratch))
        with store.read() as reader:
            rebuilt, wrong_paths = check_transcripts(reader, repository.object_format)
            looked_at, wrong_events = check_events(
                reader, repository, count=options.events, seed=options.seed
            )
    figures = {
        "transcripts": rebuilt,
        "transcripts_wrong": wrong_paths,
        "events": dict(looked_at.most_common()),
        "events_wrong": wrong_events,
    }
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        print(f"transcripts rebuilt      {rebuilt:6}   wrong {len(wrong_paths):4}")
        print(f"spans of events compared {looked_at.total():6}   wrong {len(wrong_events):4}")
        for kind, number in looked_at.most_common():
            print(f"  {kind:22} {number:6}")
        for wrong in (*wrong_paths, *wrong_events):
            print(f"wrong: {wrong}")
    return 0 if rebuilt and looked_at and not wrong_paths and not wrong_events else 1


if __name__ == "__main__":
    sys.exit(main())
