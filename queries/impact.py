"""What a change of a symbol or file touches: code that relies on it, tests, what changes along, who knows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from queries.code import symbols, walk
from queries.history import Place, changing_commits, symbol_co_changes

__all__ = ["COLUMNS", "RELATIONS", "Target", "code_impact", "history_impact", "target"]

COLUMNS = (
    "relation",
    "depth",
    "id",
    "name",
    "kind",
    "path",
    "start_line",
    "is_test",
    "origin",
    "confidence",
    "detail",
    "segment",
    "start_byte",
    "end_byte",
)

RELATIONS = {
    "caller": "calls it, directly or through others",
    "subclass": "inherits from it",
    "overrider": "overrides it",
    "reference": "names it, as a type for example",
    "importer": "imports its file",
    "test": "a test that reaches it",
    "co_change": "often changes in the same commits",
    "person": "changed it last",
    "session": "an agent's session that a commit of it names",
}
"""Each relation of what is found to what is asked about, the strongest first."""

_SYMBOLS_OF = (
    "SELECT id, name, repository_id, path FROM node WHERE kind <> 'file' AND path = $path ORDER BY id"
)
_PLACES_OF = (
    "SELECT DISTINCT repository_id, path FROM code_symbol WHERE list_contains($ids, symbol_id) ORDER BY ALL"
)


class Target(NamedTuple):
    """What a change is of.

    Attributes:
        ids: Its symbols.
        places: (repository, path) of each file that defines them.
        is_file: It is all of a file.
        notes: What a reader should know of it.
    """

    ids: Sequence[str]
    places: Sequence[tuple[str, str]]
    is_file: bool
    notes: tuple[str, ...] = ()


def target(reader: Reader, name: str) -> Target:
    """The symbols of a name, or all those of a file.

    Raises:
        NotFound: The snapshot has neither a symbol nor a parsed file of that name.
    """
    rows = reader.rows(_SYMBOLS_OF, {"path": name})
    if rows:
        places = sorted({(repository, path) for _, _, repository, path in rows})
        return Target([row[0] for row in rows], places, is_file=True)
    try:
        found = symbols(reader, name)
    except NotFound as error:
        raise NotFound(f"no indexed symbol or file is called {name!r}", hint=error.hint) from error
    ids = [row[0] for row in found.rows]
    several = (f"{name} means {len(ids)} symbols: all are answered",) if len(ids) > 1 else ()
    places = [(repository, path) for repository, path in reader.rows(_PLACES_OF, {"ids": ids})]
    return Target(ids, places, is_file=False, notes=(*several, *found.notes))


def code_impact(reader: Reader, of: Target, *, depth: int, limit: int) -> Table:
    """What in the code relies on a target: callers, subclasses, overriders, references, importers and tests.

    Args:
        reader: Reader of snapshots.
        of: The target.
        depth: Most calls, or steps of inheritance, between it and what is found.
        limit: Most rows of each relation; a note says where there are more.

    Returns:
        `COLUMNS`; of each relation near before far and sure before unsure.
    """
    own = set(of.ids)
    called = _walked(walk(reader, of.ids, "callers", depth=depth), "caller", own)
    inherited = _walked(walk(reader, of.ids, "callers", kinds=["INHERITS"], depth=depth), "subclass", own)
    named = _walked(walk(reader, of.ids, "callers", kinds=["REFERENCES"], depth=1), "reference", own)
    overriding = [
        ("overrider", *row)
        for row in reader.rows(sql.load("queries", "sql/code/overriders.sql"), {"ids": list(of.ids)})
    ]
    importing = [
        ("importer", *row) for row in reader.rows(sql.load("queries", "sql/code/importers.sql"), _places(of))
    ]
    reached = _tests_apart([*called, *inherited, *overriding, *named])
    return _ranked([*reached, *importing], limit)


def history_impact(reader: Reader, of: Target, at: Sequence[Place], *, limit: int) -> Table:
    """What history says of a target: what changes along with it, people and sessions that worked on it last.

    Args:
        reader: Reader of the canonical store.
        of: The target.
        at: Where its symbols are defined; empty for a whole file.
        limit: Most rows of each relation; a note says where there are more.

    Returns:
        `COLUMNS`; people and sessions the latest first. Where symbols are tracked, the commits are those that changed
        the symbols (origin ``symbol_change``), else those that changed their files (``file_change``).
    """
    commits = changing_commits(reader, at)
    files = reader.rows(sql.load("queries", "sql/impact_co_change.sql"), _places(of))
    along = [("co_change", *row) for row in (*symbol_co_changes(reader, at), *files)]
    params = {
        **_places(of),
        "commits": commits,
        "origin": "file_change" if commits is None else "symbol_change",
    }
    people = reader.rows(sql.load("queries", "sql/impact_people.sql"), params)
    return _ranked([*along, *people], limit)


def _places(of: Target) -> dict[str, list[str]]:
    return {"repositories": [place[0] for place in of.places], "paths": [place[1] for place in of.places]}


_Row = tuple[Any, ...]


def _walked(found: Table, relation: str, own: set[str]) -> list[_Row]:
    """Rows of a walk, what belongs to the target itself left out."""
    rows = []
    for row in found.rows:
        of = dict(zip(found.columns, row, strict=True))
        if of["id"] not in own:
            named = of["name"] or f"<{of['kind']}>"
            detail = f"lines {of['lines']}" if of["depth"] == 1 else f"by way of {of['of'].split(' ')[-1]}"
            place = (of["id"], named, of["kind"], of["path"], of["start_line"], of["is_test"])
            evidence = (of["segment"], of["start_byte"], of["end_byte"])
            rows.append((relation, of["depth"], *place, of["origin"], of["confidence"], detail, *evidence))
    return rows


def _tests_apart(rows: list[_Row]) -> list[_Row]:
    """Rows with every test once, at its least distance, as a relation of its own."""
    code: list[_Row] = []
    tests: dict[str, _Row] = {}
    for row in rows:
        if not row[COLUMNS.index("is_test")]:
            code.append(row)
        elif row[2] not in tests or row[1] < tests[row[2]][1]:
            tests[row[2]] = ("test", *row[1:])
    return [*code, *sorted(tests.values(), key=lambda row: (row[1], -row[9], row[5], row[6] or 0, row[2]))]


def _ranked(rows: list[_Row], limit: int) -> Table:
    kept: list[_Row] = []
    notes = []
    for relation in RELATIONS:
        every = [row for row in rows if row[0] == relation]
        kept += every[:limit]
        if len(every) > limit:
            notes.append(f"{limit} of {len(every)} rows of {relation} are shown: raise --limit for more")
    return Table(COLUMNS, kept, tuple(notes))
