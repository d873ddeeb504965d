"""A packet for a task: what a person or an agent should read before it, bounded and with the reason of each item."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import NamedTuple

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.errors import GraphsvcError
from graphsvc.ids import file_id
from graphsvc.published import PublishedText
from graphsvc.text_index.index import Filters
from graphsvc.text_index.passage import Passage
from queries.retrieval.channels import gather
from queries.retrieval.hydration import Retained, excerpt, whole_text
from queries.retrieval.ranking import Item, rank
from queries.retrieval.request import Budget, Grain, Request
from queries.retrieval.scope import AccessScope

__all__ = ["COLUMNS", "brief"]

COLUMNS = (
    "section", "kind", "id", "session", "path", "occurred_at", "text", "availability", "reason", "score", "segment",
    "start_byte", "end_byte",
)  # fmt: skip

_BODY = 1200
"""Most characters of a symbol's body."""

_SEEDS = 5
"""Symbols, and files, whose tests are looked for."""

_MOST_TESTS = 6
_NAMED_AFTER = 5
_TEST_PATH = re.compile(
    r"(^|/)(tests?|testdata|__tests__|spec)/|(^|/)test_|_test\.|\.(test|spec)\.|conftest\.py$"
)
_EPOCH = datetime(1970, 1, 1)


class _Section(NamedTuple):
    """A part of the packet: its name, where it looks, what an item is, most items, and whether only at failures."""

    name: str
    surfaces: tuple[str, ...]
    grain: Grain
    limit: int
    only_failed: bool = False


_SECTIONS = (
    _Section("symbols", ("code",), "symbol", 8),
    _Section("files", ("code",), "file", 6),
    _Section("past work", ("sessions",), "session", 5),
    _Section("what was said", ("sessions",), "turn", 6),
    _Section("decisions", ("memory",), "occurrence", 6),
    _Section("known failures", ("sessions",), "occurrence", 5, only_failed=True),
    _Section("commits", ("commits",), "occurrence", 5),
)


_TESTS = "tests to run"
_ORDER = ("symbols", "files", _TESTS, *(section.name for section in _SECTIONS[2:]))


class _Entry(NamedTuple):
    """An item of the packet before its evidence is read."""

    section: str
    passage: Passage
    reason: str
    score: int


def brief(text: PublishedText, retained: Retained, scope: AccessScope, task: str, budget: Budget) -> Table:
    """Likely code, tests, past sessions, decisions, failures and commits for a task.

    Args:
        text: The text index of a published generation.
        retained: Gives those of some segments that the canonical store has.
        scope: What may be read.
        task: What is to be done.
        budget: Most bytes of text in all.

    Returns:
        The columns of `COLUMNS`, section by section, the best of each first; the budget goes to one item of each
        section in turn. Notes say what it left out, and which part could not be looked for.
    """
    entries, notes = _entries(text, scope, task)
    known = retained({entry.passage.segment for entry in entries})
    left, dropped, rows = budget.byte_count, 0, []
    for entry in entries:
        whole = whole_text(entry.passage, text.read, known)
        said = None if whole.text is None else _said(entry, whole.text, task)
        size = len((said or "").encode())
        if size > left:
            dropped += 1
            continue
        left -= size
        rows.append(_row(entry, said, whole.availability))
    rows.sort(key=lambda row: _ORDER.index(str(row[0])))
    if dropped:
        notes = (*notes, f"the budget of {budget.written} leaves out {dropped} items")
    return Table(COLUMNS, rows, notes)


def _entries(text: PublishedText, scope: AccessScope, task: str) -> tuple[list[_Entry], tuple[str, ...]]:
    """Items of all sections, one of each section in turn, so that a small budget has something of each."""
    found = {section.name: _items(text, scope, task, section) for section in _SECTIONS}
    queues = [
        [_Entry(section.name, item.passage, _reason(item), -item.key[1]) for item in found[section.name]]
        for section in _SECTIONS
    ]
    tests: list[_Entry] = []
    notes: tuple[str, ...] = ()
    try:
        tests = _tests(text, found["symbols"], found["files"], scope)
    except GraphsvcError as error:
        notes = (f"tests could not be looked for: {error.message}",)
    queues.insert(2, tests)
    return [entry for row in zip_longest(*queues) for entry in row if entry is not None], notes


def is_test_path(path: str) -> bool:
    """Whether a file holds tests, by its path.

    >>> is_test_path("pkg/store_test.go"), is_test_path("pkg/store.go")
    (True, False)
    """
    return _TEST_PATH.search(path) is not None


def _items(text: PublishedText, scope: AccessScope, task: str, section: _Section) -> list[Item]:
    asked = Request(
        task,
        surfaces=section.surfaces,
        grain=section.grain,
        only_failed=section.only_failed,
        repositories=scope.repositories,
        withheld=scope.withheld,
    )
    return rank(gather(text, asked), asked)[0][: section.limit]


def _reason(item: Item) -> str:
    return ", ".join(channel for channel, _ in sorted(item.points.items(), key=lambda one: (-one[1], one[0])))


def _tests(
    text: PublishedText, symbols: Sequence[Item], files: Sequence[Item], scope: AccessScope
) -> list[_Entry]:
    """Test files that use the likely symbols and files, those first that use most of them or are named after one."""
    reasons: dict[str, str] = {}
    points: Counter[str] = Counter()
    for name, items in (("symbol", symbols), ("file", files)):
        statement = sql.load("queries", f"cypher/users_of_{name}.cypher")
        for passage in (item.passage for item in items[:_SEEDS]):
            for repository, path, test in sorted(_tests_of(text, statement, passage.subject)):
                subject = file_id(repository, path)
                what = f"{test} uses a symbol of" if test else "imports or changes with"
                reasons.setdefault(subject, f"{what} {passage.path}")
                points[subject] += _NAMED_AFTER if _stem(passage.path) in path.rpartition("/")[2] else 1
    wanted = Filters(
        kinds=("file",), subjects=tuple(reasons), repositories=scope.repositories, withheld=scope.withheld
    )
    found = {hit.passage.subject: hit.passage for hit in text.index.matching(wanted).hits} if reasons else {}
    best = sorted(found, key=lambda subject: (-points[subject], found[subject].path or ""))
    return [_Entry(_TESTS, found[one], reasons[one], points[one]) for one in best[:_MOST_TESTS]]


def _stem(path: str | None) -> str:
    """Name of a file without its ending."""
    return (path or "").rpartition("/")[2].partition(".")[0]


def _tests_of(text: PublishedText, statement: str, identity: str) -> Iterator[tuple[str, str, str]]:
    """Tests that use it: repository, path, and the name of the test where it is known."""
    for row in text.graph.rows(statement, {"id": identity}).items:
        if is_test_path(str(row["path"])):
            yield str(row["repository"]), str(row["path"]), str(row["name"])


def _said(entry: _Entry, whole: str, task: str) -> str:
    """What the packet gives of an item: a symbol's body, a path of a test, else the text around what was asked."""
    if entry.passage.kind == "symbol":
        return whole if len(whole) <= _BODY else f"{whole[:_BODY]}…"
    if entry.section in (_TESTS, "files"):
        return entry.passage.path or ""
    return excerpt(whole, task) if whole else entry.passage.title


def _row(entry: _Entry, said: str | None, availability: str) -> tuple[object, ...]:
    passage = entry.passage
    occurred_at = None
    if passage.occurred_at is not None:
        occurred_at = _EPOCH + timedelta(microseconds=passage.occurred_at)
    return (
        entry.section,
        passage.kind,
        passage.subject,
        passage.session,
        passage.path,
        occurred_at,
        said,
        availability,
        entry.reason,
        entry.score,
        passage.segment,
        passage.start,
        passage.end,
    )
