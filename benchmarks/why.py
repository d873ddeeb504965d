"""How well linking finds the sessions behind commits and the calls behind lines, and how fast `why` answers.

    python -m benchmarks.why --repo PATH [--store DIR] [--json]

What commit messages name is hidden from the inference, and is the truth here: over all commits whose message leads
to recorded sessions, the links are compared with these sessions. The baseline is what a simple rule finds: the
session that edited most of the commit's files in the hours before. At the level of lines, calls are compared with
what a plain search through the text of every call finds. The exit status is 1 where a figure falls short.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from benchmarks.stores import store_of
from graphsvc.canonical.batch import Span
from graphsvc.canonical.derived import LINKED
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import Repository, decode
from graphsvc.ids import SegmentId
from graphsvc.knowledge import KnowledgeBase

__all__ = ["Figure", "bins", "is_learnt_from", "judged", "searched_call"]

_SQL = Path(__file__).parent / "sql"
_PRECISION, _RECALL = 0.97, 0.88
_NEAR = 0.05
_MEMBERS = 40
"""Fewest members of a bin of which the share of hits says anything."""
_LINES, _AGREEMENT = 300, 0.97
_QUESTIONS, _MILLISECONDS = 40, 300
_WRITTEN = ("new_string", "content", "new_source", "file_text", "command")
_LATE = timedelta(minutes=5)
_SEED = 7


class Figure(NamedTuple):
    """A measured figure: its name, its value, and the least or most that it may be; None where that is open."""

    name: str
    value: float
    least: float | None = None
    most: float | None = None

    @property
    def is_met(self) -> bool:
        """The value is where it should be."""
        return (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )


class Pair(NamedTuple):
    """A commit and a session that it may come from, how sure that is (thousandths), and whether its message says so."""

    commit: str
    session: str
    confidence: int
    is_true: bool


def judged(pairs: Iterable[Pair], commits: int, least: int) -> tuple[float, float]:
    """Precision of the links that are at least so sure, and the share of commits that have a right one.

    >>> pairs = [Pair("c1", "s1", 900, True), Pair("c2", "s1", 800, False), Pair("c3", "s2", 100, True)]
    >>> judged(pairs, 4, 700)
    (0.5, 0.25)
    """
    links = [pair for pair in pairs if pair.confidence >= least]
    right = [pair for pair in links if pair.is_true]
    return (
        len(right) / len(links) if links else 0.0,
        len({pair.commit for pair in right}) / commits if commits else 0.0,
    )


class Bin(NamedTuple):
    """Pairs of about the same confidence: how many, their mean confidence, and the share that is true."""

    number: int
    members: int
    confidence: float
    observed: float


def bins(pairs: Iterable[Pair]) -> list[Bin]:
    """Pairs in ten bins of confidence.

    >>> bins([Pair("c1", "s1", 900, True), Pair("c2", "s1", 1000, True)])
    [Bin(number=9, members=2, confidence=0.95, observed=1.0)]
    """
    members: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        members[min(pair.confidence // 100, 9)].append(pair)
    return [
        Bin(
            number,
            len(group),
            round(statistics.fmean(pair.confidence for pair in group) / 1000, 3),
            round(statistics.fmean(pair.is_true for pair in group), 3),
        )
        for number, group in sorted(members.items())
    ]


def _rows(reader: Reader, name: str, **params: int) -> list[tuple[Any, ...]]:
    return reader.rows((_SQL / f"why_{name}.sql").read_text(encoding="utf-8"), params)


def commit_figures(reader: Reader) -> tuple[list[Figure], list[Bin]]:
    """Figures of links between commits and sessions, and the table of confidence against truth."""
    pairs = [Pair(*row[:4]) for row in _rows(reader, "pairs")]
    labelled = dict(_rows(reader, "labelled"))
    held = {commit for commit, authored_at in labelled.items() if not is_learnt_from(authored_at)}
    precision, recall = judged(pairs, len(labelled), LINKED)
    held_precision, held_recall = judged([p for p in pairs if p.commit in held], len(held), LINKED)
    base = [Pair(*row[:4]) for row in _rows(reader, "baseline")]
    base_precision, base_recall = judged(base, len(labelled), 0)
    [(bots,)] = _rows(reader, "bots", linked=LINKED)
    table = bins(pairs)
    off = [abs(one.confidence - one.observed) for one in table if one.members >= _MEMBERS]
    return [
        Figure("commits whose message leads to sessions", len(labelled)),
        Figure("precision of links", precision, least=_PRECISION),
        Figure("recall of commits", recall, least=_RECALL),
        Figure("commits of the half that nothing was learnt from", len(held)),
        Figure("precision there", held_precision, least=_PRECISION),
        Figure("recall there", held_recall, least=_RECALL),
        Figure("baseline precision (most files edited in 3 h)", base_precision),
        Figure("baseline recall", base_recall),
        Figure("commits of bots that are linked", bots, most=0),
        Figure(f"largest error of a bin of {_MEMBERS} or more", max(off, default=1.0), most=_NEAR),
    ], table


def is_learnt_from(authored_at: datetime) -> bool:
    """Half of the commits, with all rebased copies of each, by the digest of the author time."""
    text = authored_at.strftime("%Y-%m-%d %H:%M:%S.%f")
    return int(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(), 16) % 2 == 0


@dataclass(frozen=True)
class SearchedCall:
    """A call as the plain search sees it: its key, the file that it names, its time, and the lines that it wrote.

    Attributes:
        names: The file, or the command that may name it.
        added: Lines that what they took the place of did not have, or not as often.
        kept: Lines that it had.
    """

    key: tuple[str, str]
    names: str
    at: datetime | None
    added: Counter[str]
    kept: Counter[str]

    def is_about(self, path: str) -> bool:
        """It names a file, in whatever folder."""
        return path.rsplit("/", 1)[-1] in self.names


def searched_call(session: str, call: str, names: str, at: datetime | None, block: bytes) -> SearchedCall:
    r"""A call from its bytes; every text of its input counts as written, but what it says is replaced.

    >>> block = b'{"input": {"old_string": "a", "new_string": "a\\nb"}}'
    >>> found = searched_call("s", "c", "x.py", None, block)
    >>> sorted(found.added), sorted(found.kept)
    (['b'], ['a'])
    """
    given = orjson.loads(block).get("input", {})
    old, new = Counter[str](), Counter[str]()
    for edit in given["edits"] if isinstance(given.get("edits"), list) else [given]:
        for name, value in edit.items():
            if isinstance(value, str) and name.startswith("old_"):
                old.update(map(_bare, value.splitlines()))
            elif isinstance(value, str) and name in _WRITTEN:
                new.update(map(_bare, value.splitlines()))
    return SearchedCall((session, call), names, at, new - old, new & old)


def _expected(calls: Sequence[SearchedCall], line: str, until: datetime) -> set[tuple[str, str]]:
    """The calls that may have written a line: those that brought it in, before the commit; else those that kept it."""
    there = [call for call in calls if call.at is None or call.at <= until + _LATE]
    brought = {call.key for call in there if line in call.added}
    return brought or {call.key for call in there if line in call.kept}


def line_figures(reader: Reader, locator: str) -> list[Figure]:
    """Figures of calls behind lines, by a plain search through what every call wrote."""
    rows = _rows(reader, "agent_lines")
    sample = random.Random(_SEED).sample(rows, min(_LINES, len(rows)))
    calls = _searched(reader)
    agree = right_session = 0
    with Repository.open(locator) as repository:
        for path, number, commit, origin_path, until, session, call in sample:
            line = _line(repository, commit, path, number)
            expected = _expected([each for each in calls if each.is_about(origin_path)], line, until)
            agree += (session, call) in expected
            right_session += session in {key for key, _ in expected}
    count = max(len(sample), 1)
    return [
        Figure("agent-written lines that were looked at", len(sample), least=_LINES),
        Figure("of these, the call that a plain search finds", agree / count, least=_AGREEMENT),
        Figure("of these, its session", right_session / count),
    ]


def _searched(reader: Reader) -> list[SearchedCall]:
    """Every call that may have written a file."""
    rows = _rows(reader, "writing_calls")
    data = reader.spans(Span(SegmentId(row[4]), row[5], row[6]) for row in rows)
    return [
        searched_call(session, call, names, at, block)
        for (session, call, names, at, *_), block in zip(rows, data, strict=True)
    ]


def _line(repository: Repository, commit: str, path: str, number: int) -> str:
    [blamed] = repository.blame(commit, path, number, number)
    return _bare(decode(blamed.content))


def _bare(line: str) -> str:
    """A line without white space, which formatters change."""
    return "".join(line.split())


def latency_figures(store: CanonicalStore) -> list[Figure]:
    """Figures of how long `why` takes on a line, in this process, the store opened for each question anew."""
    with store.read() as reader:
        rows = _rows(reader, "any_lines")
    sample = random.Random(_SEED).sample(rows, min(_QUESTIONS, len(rows)))
    kb = KnowledgeBase(store)
    kb.why(*sample[0])
    # What else the machine does can only add to a measurement: the least of three counts.
    took = sorted(1000 * min(_timed(kb, path, line) for _ in range(3)) for path, line in sample)
    return [
        Figure("questions", len(took)),
        Figure("milliseconds for `why` on a line, median", statistics.median(took), most=_MILLISECONDS),
        Figure("milliseconds, 19 of 20", took[int(0.95 * (len(took) - 1))], most=_MILLISECONDS),
    ]


def _timed(kb: KnowledgeBase, path: str, line: int) -> float:
    """Seconds of an answer."""
    begun = time.perf_counter()
    kb.why(path, line)
    return time.perf_counter() - begun


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and say by the status whether all figures are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.why", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True, help="repository with agent checkpoints")
    parser.add_argument(
        "--store", type=Path, help="store that was made from it; else one is made for this run"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        store = store_of(given.repo, given.store, Path(scratch))
        begun = time.process_time()
        KnowledgeBase(store).link()
        linking = time.process_time() - begun
        with store.read() as reader:
            figures, table = commit_figures(reader)
            figures += line_figures(reader, str(given.repo))
        figures += latency_figures(store)
        figures.append(Figure("seconds of CPU for linking, or for finding that nothing is new", linking))
    if given.json:
        print(json.dumps({"figures": [f._asdict() for f in figures], "bins": [b._asdict() for b in table]}))
    else:
        _print(figures, table)
    return 0 if all(figure.is_met for figure in figures) else 1


def _print(figures: Sequence[Figure], table: Sequence[Bin]) -> None:
    for figure in figures:
        bound = "" if figure.least is None else f"at least {figure.least:g}"
        bound = bound if figure.most is None else f"at most {figure.most:g}"
        mark = "" if figure.is_met else "  FALLS SHORT"
        print(f"{figure.name:<66}{figure.value:>10.4g}  {bound}{mark}")
    print("\nconfidence   members   mean confidence   share that is true")
    for one in table:
        name = f"{one.number / 10:.1f} to {(one.number + 1) / 10:.1f}"
        print(f"{name:<13}{one.members:>7}{one.confidence:>18.3f}{one.observed:>21.3f}")


if __name__ == "__main__":
    sys.exit(main())
