"""The history of files and symbols: which commits changed them, back through renames and moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from queries.sessions import capped

__all__ = ["Place", "changing_commits", "history", "places", "symbol_co_changes", "symbol_history"]


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


class Place(NamedTuple):
    """Where a symbol is defined, or was: repository, path, descriptor chain inside the file, and disambiguator."""

    repository_id: str
    path: str
    descriptor: str
    disambiguator: str


_PLACES = """
SELECT DISTINCT repository_id, path, descriptor, disambiguator FROM code_symbol WHERE list_contains($ids, symbol_id)
ORDER BY ALL
"""


def places(reader: Reader, ids: Sequence[str]) -> list[Place]:
    """Where the symbols of some ids are defined; ``reader`` is one of snapshots."""
    return [Place(*row) for row in reader.rows(_PLACES, {"ids": list(ids)})]


def symbol_history(reader: Reader, name: str, at: Sequence[Place], *, limit: int = 50) -> Table:
    """What commits did to symbols, the newest first, back through renames and moves.

    Args:
        reader: Reader of the canonical store.
        name: Their name, for symbols that are gone.
        at: Where they are now; empty where they are gone.
        limit: Most rows to give; a note says when there are more.

    Returns:
        commit, committed_at, author, title, change (added, removed, changed, renamed or moved), name, path,
        start_line, old_name, old_path, is_signature_changed, is_text_changed, origin, confidence, checkpoints,
        sessions, segment, start_byte, end_byte. A note says how many commits are not tracked yet.

    Raises:
        NotFound: No commit is tracked, or none of them has changed such a symbol.
    """
    [(tracked, untracked)] = reader.rows(sql.load("queries", "sql/tracking_state.sql"))
    if not tracked:
        raise NotFound("the history of symbols is not known yet", hint="run `graphsvc track`")
    found = list(at) or [
        Place(*row) for row in reader.rows(sql.load("queries", "sql/symbol_places.sql"), {"name": name})
    ]
    params = {**_columns(found), "limit": limit + 1}
    columns, rows = reader.table(sql.load("queries", "sql/symbol_history.sql"), params) if found else ((), [])
    if not rows:
        raise NotFound(f"no tracked commit has changed a symbol called {name!r}")
    behind = (f"{untracked} commits are not tracked yet: run `graphsvc track`",) if untracked else ()
    gone = () if at else (f"no indexed symbol is called {name}: these are past ones",)
    table = capped(columns, rows, limit)
    return table._replace(notes=(*gone, *table.notes, *behind))


def changing_commits(reader: Reader, at: Sequence[Place]) -> list[str] | None:
    """The commits that changed symbols; None where that is not known for every commit."""
    [(tracked, untracked)] = reader.rows(sql.load("queries", "sql/tracking_state.sql"))
    if not tracked or untracked or not at:
        return None
    params = {**_columns(at), "limit": 1 << 31}
    return [row[0] for row in reader.rows(sql.load("queries", "sql/symbol_history.sql"), params)]


def symbol_co_changes(reader: Reader, at: Sequence[Place]) -> list[tuple[object, ...]]:
    """Symbols that changed in the same commits; columns as of ``sql/symbol_co_change.sql``."""
    return reader.rows(sql.load("queries", "sql/symbol_co_change.sql"), _columns(at)) if at else []


def _columns(at: Iterable[Place]) -> dict[str, list[str]]:
    rows = list(at)
    return {
        "repositories": [place.repository_id for place in rows],
        "paths": [place.path for place in rows],
        "descriptors": [place.descriptor for place in rows],
        "disambiguators": [place.disambiguator for place in rows],
    }
