"""Questions about the code of a snapshot: its symbols, who calls them, and what they call.

All of them take a reader of the tables of snapshots (`loaders.code_graph`) that `prepare` has made ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput, NotFound
from queries.sessions import capped

__all__ = ["TESTS", "callees", "callers", "last_name", "of_name", "prepare", "symbols", "walk"]

TESTS = ("any", "none", "only")
"""What a walk may say of tests: give them as well, do not enter them, or give nothing else."""

_NO_LIMIT = 1 << 62


def prepare(reader: Reader) -> None:
    """Make the tables that all questions share."""
    reader.run(sql.load("queries", "sql/code/views.sql"))


def symbols(reader: Reader, name: str) -> Table:
    """Symbols of a name.

    Args:
        reader: Reader of snapshots.
        name: A name (``Load``), a name with what encloses it (``Store.Load``), a qualified name or an id.

    Returns:
        id, name, kind, qualified_name, path, start_line, end_line, signature, is_test, segment, start_byte,
        end_byte; code before tests. A note says how many references of their files lead nowhere.

    Raises:
        NotFound: The snapshot has no such symbol.
    """
    columns, rows = reader.table(sql.load("queries", "sql/code/symbols.sql"), {"name": last_name(name)})
    found = of_name(columns, rows, name)
    if not found:
        raise NotFound(f"no indexed symbol is called {name!r}")
    return Table(columns, found, _unresolved_of(reader, [row[0] for row in found]))


def last_name(name: str) -> str:
    """The part of a name that a symbol itself is called.

    >>> last_name("Store.Load"), last_name("std::sort"), last_name("cmd/store Store#Load().")
    ('Load', 'sort', 'cmd/store Store#Load().')
    """
    return _parts(name)[-1]


def of_name(columns: Sequence[str], rows: Iterable[tuple[Any, ...]], name: str) -> list[tuple[Any, ...]]:
    """Of rows of symbols that have the last part of a name, those that lie in what the other parts say."""
    place, outer = list(columns).index("qualified_name"), _parts(name)[:-1]
    return [row for row in rows if _encloses(str(row[place]), outer)]


def _parts(name: str) -> list[str]:
    return [name] if " " in name or "/" in name else name.replace("::", ".").split(".")


def _encloses(qualified_name: str, outer: Iterable[str]) -> bool:
    """Whether a qualified name has all the enclosing names, as whole words.

    >>> _encloses("cmd/store Store#Load().", ["Store"]), _encloses("cmd/store Store#Load().", ["Stor"])
    (True, False)
    """
    words = set(qualified_name.translate(str.maketrans("/#.()`<> ", "         ")).split())
    return all(word.strip("()*") in words for word in outer)


def callers(reader: Reader, name: str, *, depth: int = 1, tests: str = "any", limit: int = 200) -> Table:
    """Symbols, and files at their top level, that call the symbols of a name.

    Args:
        reader: Reader of snapshots.
        name: As for `symbols`.
        depth: How many calls away; 1 for direct callers.
        tests: One of `TESTS`.
        limit: Most rows to give; a note says when there are more.

    Returns:
        depth, of (the symbol called), id, name, kind, qualified_name, path, start_line, is_test, through (names
        from the symbol asked about to this one), sites, lines, origin, confidence, segment, start_byte,
        end_byte; near before far, sure before unsure. A note tells of calls by that name that lead nowhere.

    Raises:
        NotFound: The snapshot has no such symbol.
        InvalidInput: ``tests`` is another word.
    """
    start = symbols(reader, name)
    table = _walked(reader, start, "callers", depth, tests, limit)
    names = sorted({str(row[start.columns.index("name")]) for row in start.rows})
    return table._replace(notes=(*_several(name, start), *table.notes, *_unresolved_names(reader, names)))


def callees(reader: Reader, name: str, *, depth: int = 1, tests: str = "any", limit: int = 200) -> Table:
    """Symbols that the symbols of a name call; arguments and columns as for `callers`.

    A note says what else the files of these symbols refer to that leads nowhere.
    """
    start = symbols(reader, name)
    table = _walked(reader, start, "callees", depth, tests, limit)
    return table._replace(notes=(*_several(name, start), *table.notes, *start.notes))


def _several(name: str, start: Table) -> list[str]:
    count = len(start.rows)
    return [f"{name} means {count} symbols: all are answered, see the column `of`"] if count > 1 else []


def walk(
    reader: Reader,
    starts: Iterable[str],
    direction: str,
    *,
    kinds: Sequence[str] = ("CALLS",),
    depth: int,
    tests: str = "any",
    limit: int = _NO_LIMIT,
) -> Table:
    """What is reached from some nodes; see ``sql/code/walk.sql`` for parameters and columns."""
    params = {
        "starts": list(starts),
        "direction": direction,
        "kinds": list(kinds),
        "depth": depth,
        "tests": tests,
        "limit": limit,
    }
    return Table(*reader.table(sql.load("queries", "sql/code/walk.sql"), params))


def _walked(reader: Reader, start: Table, direction: str, depth: int, tests: str, limit: int) -> Table:
    starts = {row[0]: str(row[1]) for row in start.rows}
    if tests not in TESTS:
        raise InvalidInput(f"tests cannot be {tests!r}", hint=f"it is one of {', '.join(TESTS)}")
    # The trail of a row leads through rows before it, which a filter must not have left out.
    every, most = ("any", _NO_LIMIT) if tests == "only" else (tests, limit + 1)
    found = walk(reader, starts, direction, depth=depth, tests=every, limit=most)
    columns, rows = _with_trails(found, starts, " < " if direction == "callers" else " > ")
    if tests == "only":
        is_test = columns.index("is_test")
        rows = [row for row in rows if row[is_test]]
    return capped(columns, rows, limit)


def _with_trails(
    found: Table, starts: dict[str, str], mark: str
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Rows of a walk with the column ``through`` in place of ``via``."""
    places = map(found.columns.index, ("via", "id", "name", "kind", "sites"))
    via, identity, name, kind, before = places
    trails: dict[Any, tuple[str, ...]] = {start: (called,) for start, called in starts.items()}
    rows = []
    for row in found.rows:
        trail = (*trails[row[via]], row[name] or f"<{row[kind]}>")
        trails.setdefault(row[identity], trail)
        rows.append((row[0], *row[2:before], mark.join(trail), *row[before:]))
    return (found.columns[0], *found.columns[2:before], "through", *found.columns[before:]), rows


def _unresolved_of(reader: Reader, ids: list[str]) -> tuple[str, ...]:
    rows = reader.rows(sql.load("queries", "sql/code/unresolved_of.sql"), {"ids": ids})
    return tuple(f"{count} references of {path} lead nowhere: {reasons}" for path, count, reasons in rows)


def _unresolved_names(reader: Reader, names: list[str]) -> list[str]:
    rows = reader.rows(sql.load("queries", "sql/code/unresolved_names.sql"), {"names": names})
    if not rows:
        return []
    calls, places = sum(row[2] for row in rows), [f"{path}:{line}" for path, _, _, line in rows[:3]]
    more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
    return [f"{calls} calls by that name lead nowhere and may be more of them: {', '.join(places)}{more}"]
