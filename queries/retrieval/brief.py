"""A packet for a task: what a person or an agent should read before it, bounded and with the reason of each item."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphsvc.answers import Table
from graphsvc.published import PublishedText
from queries.retrieval.hydration import Retained
from queries.retrieval.request import Budget, request
from queries.retrieval.search import COLUMNS as FOUND
from queries.retrieval.search import search

__all__ = ["COLUMNS", "brief"]

COLUMNS = (
    "section", "kind", "id", "session", "path", "occurred_at", "text", "reason", "score", "segment", "start_byte",
    "end_byte",
)  # fmt: skip


_TEST_PATH = re.compile(
    r"(^|/)(tests?|testdata|__tests__|spec)/|(^|/)test_|_test\.|\.(test|spec)\.|conftest\.py$"
)


def is_test_path(path: str) -> bool:
    """Whether a file holds tests, by its path.

    >>> is_test_path("pkg/store_test.go"), is_test_path("pkg/store.go")
    (True, False)
    """
    return _TEST_PATH.search(path) is not None


class _Section(NamedTuple):
    """A part of the packet: its name, what it asks, and most items."""

    name: str
    surfaces: tuple[str, ...]
    grain: str
    limit: int


_SECTIONS = (
    _Section("symbols", ("code",), "symbol", 8),
    _Section("files", ("code",), "file", 6),
    _Section("past work", ("sessions",), "session", 5),
    _Section("what was said", ("sessions",), "turn", 6),
    _Section("commits", ("commits",), "occurrence", 5),
)


def brief(text: PublishedText, retained: Retained, secret: bytes, task: str, budget: Budget) -> Table:
    """Likely code, tests, past sessions, commits and failures for a task.

    Args:
        text: The text index of a published generation.
        retained: Gives those of some segments that the canonical store has.
        secret: The store's secret.
        task: What is to be done.
        budget: Most bytes of text in all.

    Returns:
        The columns of `COLUMNS`, best first in each section. A note says what the budget left out.
    """
    left, dropped, rows = budget.byte_count, 0, []
    for row in _items(text, retained, secret, task):
        size = len(str(row[6] or "").encode())
        if size > left:
            dropped += 1
            continue
        left -= size
        rows.append(row)
    notes = (f"the budget of {budget.written} leaves out {dropped} items",) if dropped else ()
    return Table(COLUMNS, rows, notes)


def _items(text: PublishedText, retained: Retained, secret: bytes, task: str) -> Iterator[tuple[object, ...]]:
    """Items of all sections, one of each section in turn, so that a small budget has something of each."""
    queues = [list(_section(text, retained, secret, task, section)) for section in _SECTIONS]
    for place in range(max(map(len, queues))):
        for queue in queues:
            yield from queue[place : place + 1]


def _section(
    text: PublishedText, retained: Retained, secret: bytes, task: str, section: _Section
) -> Iterator[tuple[object, ...]]:
    asked = request(task, surfaces=section.surfaces, grain=section.grain)
    page = search(text, retained, secret, asked, limit=section.limit)
    for values in page.table.rows:
        row = dict(zip(FOUND, values, strict=True))
        path = str(row["path"] or "")
        name = "tests" if section.grain == "file" and is_test_path(path) else section.name
        reason = f"{row['match']}: {row['points']}"
        given = ("kind", "id", "session", "path", "occurred_at", "text")
        yield (name, *(row[key] for key in given), reason, *(row[key] for key in ("score", *FOUND[12:15])))
