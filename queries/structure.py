"""Questions about the shape of a snapshot's code: outlines, what nothing uses, cycles, and where work gathers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput, NotFound
from queries.sessions import capped

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CYCLES", "components", "cycles", "file_changes", "hotspots", "outline", "unused"]

CYCLES = {"imports": "sql/code/import_links.sql", "calls": "sql/code/call_links.sql"}
"""What cycles can be of, and the statement that gives the links."""


def outline(reader: Reader, path: str) -> Table:
    """What a file defines, in source order.

    Args:
        reader: Reader of snapshots.
        path: Path from the root of the repository.

    Returns:
        depth (0 at top level), kind, name, signature, start_line, end_line, is_exported, decorators, callers, id,
        segment, start_byte, end_byte. A note says where only a part of the file could be read.

    Raises:
        NotFound: The snapshot has no such file, or it was not parsed; the message says why.
    """
    files = reader.rows(sql.load("queries", "sql/code/files.sql"), {"path": path})
    if not files:
        raise NotFound(f"no indexed file is called {path}", hint="give the path from the repository's root")
    status, reason, errors = files[0]
    if status not in ("parsed", "partial"):
        raise NotFound(
            f"{path} was not parsed: {reason or status}", hint="see `graphsvc query skipped_files`"
        )
    partly = f"{path} has {errors} syntax errors: what could not be read is missing"
    columns, rows = reader.table(sql.load("queries", "sql/code/outline.sql"), {"path": path})
    return Table(columns, rows, (partly,) if errors else ())


def unused(reader: Reader, *, beginning: str = "", limit: int = 100) -> Table:
    """Functions, methods and types that nothing outside of them refers to, tests left out.

    Args:
        reader: Reader of snapshots.
        beginning: Beginning of the paths to look at.
        limit: Most rows to give; a note says when there are more.

    Returns:
        confidence, id, name, kind, qualified_name, path, start_line, end_line, is_exported, doubt (why it may be
        used all the same), segment, start_byte, end_byte; sure before unsure.
    """
    params = {"beginning": beginning, "limit": limit + 1}
    return capped(*reader.table(sql.load("queries", "sql/code/unused.sql"), params), limit)


def cycles(reader: Reader, *, of: str = "imports", limit: int = 50) -> Table:
    """Files that import each other, or symbols that call each other, around a ring.

    Args:
        reader: Reader of snapshots.
        of: One of `CYCLES`.
        limit: Most cycles to give; a note says when there are more.

    Returns:
        members (how many), names (of all of them), ring (one way around, with the line of each step); the
        largest first.

    Raises:
        InvalidInput: ``of`` is another word.
    """
    if of not in CYCLES:
        raise InvalidInput(f"cycles cannot be of {of!r}", hint=f"they are of {' or '.join(CYCLES)}")
    links: dict[str, dict[str, int]] = {}
    names: dict[str, str] = {}
    for source, target, name, target_name, line in reader.rows(sql.load("queries", CYCLES[of])):
        links.setdefault(source, {})[target] = line
        names |= {source: name, target: target_name}
    rows = []
    for found in components(links):
        members = sorted(found, key=names.__getitem__)
        ring = _ring(members[0], set(found), links)
        steps = [f"{names[a]}:{links[a][b]}" for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
        rows.append((len(members), [names[member] for member in members], " > ".join(steps)))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return capped(("members", "names", "ring"), list(rows), limit)


def components(links: Mapping[str, Iterable[str]]) -> Iterator[list[str]]:
    """Groups of more than one node that all reach each other (Tarjan's strongly connected components, iteratively).

    >>> sorted(map(sorted, components({"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["d"]})))
    [['a', 'b', 'c']]
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for root in links:
        if root in index:
            continue
        work = [(root, iter(links[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(links.get(target, ()))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found: list[str] = []
                    while not found or found[-1] != node:
                        found.append(stack.pop())
                    on_stack.difference_update(found)
                    if len(found) > 1:
                        yield found


def _ring(start: str, members: set[str], links: Mapping[str, Mapping[str, int]]) -> list[str]:
    """A shortest way from a node back to it among the members."""
    before: dict[str, str] = {}
    level = [start]
    while level:
        following = []
        for node in level:
            for target in sorted(members.intersection(links.get(node, ()))):
                if target == start:
                    ring = [node]
                    while ring[-1] != start:
                        ring.append(before[ring[-1]])
                    return ring[::-1]
                if target not in before:
                    before[target] = node
                    following.append(target)
        level = following
    return [start]


def file_changes(reader: Reader, since: datetime | None) -> pl.DataFrame:
    """How often each file was changed; see ``sql/file_change_counts.sql`` for columns.

    Args:
        reader: Reader of the canonical store.
        since: From when on, in UTC; None for all history.
    """
    return reader.frame(sql.load("queries", "sql/file_change_counts.sql"), {"since": since})


def hotspots(reader: Reader, change: pl.DataFrame, *, beginning: str = "", limit: int = 50) -> Table:
    """Code files that change often, are large, and are relied on by many others.

    Args:
        reader: Reader of snapshots.
        change: What `file_changes` gives.
        beginning: Beginning of the paths to look at.
        limit: Most rows to give; a note says when there are more.

    Returns:
        path, commits, authors, lines, symbols, used_by, unresolved, is_test, last_changed_at, score; the highest
        score first.
    """
    statement = sql.load("queries", "sql/code/hotspots.sql")
    found = reader.frame(statement, {"beginning": beginning, "limit": limit + 1}, change=change)
    return capped(tuple(found.columns), list(found.rows()), limit)
