"""Questions about code: symbols, who calls them, and the history of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from graphsvc.graph.reader import GraphReader
from queries.graph import table as graph_table
from queries.sessions import capped

__all__ = ["callees", "callers", "history", "symbols"]


def symbols(graph: GraphReader, name: str) -> Table:
    """Symbols of a name.

    Args:
        graph: The published graph.
        name: A name (``Load``), a name with what encloses it (``Store.Load``), a qualified name or an id.

    Returns:
        id, name, kind, qualified_name, path, start_line, end_line, signature, is_test, segment, start_byte,
        end_byte; code before tests.

    Raises:
        NotFound: The graph has no such symbol.
    """
    *outer, last = [name] if " " in name or "/" in name else name.replace("::", ".").split(".")
    columns, rows, _ = graph_table(graph, sql.load("queries", "cypher/symbols.cypher"), {"name": last})
    descriptor = columns.index("qualified_name")
    wanted = [row for row in rows if _encloses(str(row[descriptor]), outer)]
    if not wanted:
        raise NotFound(f"no indexed symbol is called {name!r}")
    return Table(columns, wanted)


def _encloses(qualified_name: str, outer: Iterable[str]) -> bool:
    """Whether a qualified name has all the enclosing names, as whole words.

    >>> _encloses("cmd/store Store#Load().", ["Store"]), _encloses("cmd/store Store#Load().", ["Stor"])
    (True, False)
    """
    words = set(qualified_name.translate(str.maketrans("/#.()`<> ", "         ")).split())
    return all(word.strip("()*") in words for word in outer)


def callers(graph: GraphReader, name: str, *, depth: int = 1, limit: int = 200) -> Table:
    """Symbols, and files at their top level, that call the symbols of a name.

    Args:
        graph: The published graph.
        name: As for `symbols`.
        depth: How many calls away; 1 for direct callers.
        limit: Most rows to give; a note says when there are more.

    Returns:
        depth, of (the symbol called), id, name, kind, qualified_name, path, start_line, is_test, sites, lines,
        origin, confidence, segment, start_byte, end_byte; near before far, sure before unsure.
    """
    return _walk(graph, name, ("cypher/callers.cypher", "cypher/calling_files.cypher"), depth, limit)


def callees(graph: GraphReader, name: str, *, depth: int = 1, limit: int = 200) -> Table:
    """Symbols that the symbols of a name call; arguments and columns as for `callers`.

    A note says what else the files of these symbols refer to that leads nowhere.
    """
    table = _walk(graph, name, ("cypher/callees.cypher",), depth, limit)
    return table._replace(notes=(*table.notes, *_unresolved(graph, name)))


def _unresolved(graph: GraphReader, name: str) -> list[str]:
    statement = sql.load("queries", "cypher/unresolved.cypher")
    notes: dict[str, None] = {}
    for symbol in symbols(graph, name).rows:
        for path, count, reasons in graph_table(graph, statement, {"id": symbol[0]}).rows:
            notes[f"{count} references of {path} lead nowhere: {reasons}"] = None
    return list(notes)


def _walk(graph: GraphReader, name: str, files: tuple[str, ...], depth: int, limit: int) -> Table:
    """Breadth first from all symbols of a name, each symbol once, at its least depth."""
    start = symbols(graph, name)
    level = [(row[0], row[3]) for row in start.rows]
    seen = {identity for identity, _ in level}
    found: list[tuple[Any, ...]] = []
    columns: tuple[str, ...] = ()
    for far in range(1, depth + 1):
        following = []
        for identity, called in level:
            for file in files:
                columns, rows, _ = graph_table(graph, sql.load("queries", file), {"id": identity})
                for row in rows:
                    if far == 1 or row[0] not in seen:
                        found.append((far, called, *row))
                    if row[0] not in seen:
                        seen.add(row[0])
                        following.append((row[0], row[3]))
        level = following
    table = capped(("depth", "of", *columns), found, limit)
    if len(start.rows) > 1:
        several = f"{name} means {len(start.rows)} symbols: all are answered, see the column `of`"
        table = table._replace(notes=(several, *table.notes))
    return table


def history(reader: Reader, path: str, *, repository_id: str | None = None, limit: int = 50) -> Table:
    """The commits that changed a file, the newest first, back through its renames.

    Args:
        reader: Reader of the canonical store.
        path: Path from the root of the repository.
        repository_id: The repository, None for every one that has the path.
        limit: Most rows to give; a note says when there are more.

    Returns:
        commit, committed_at, author, title, status, path, old_path, checkpoints, sessions, is_withdrawn.

    Raises:
        NotFound: No commit of the store has the path.
    """
    columns, rows = reader.table(
        sql.load("queries", "sql/history.sql"),
        {"path": path, "repository": repository_id, "limit": limit + 1},
    )
    if not rows:
        raise NotFound(
            f"no commit in the store changed {path}", hint="give the path from the repository's root"
        )
    return capped(columns, rows, limit)
