"""What differs between two snapshots, symbol by symbol."""

from __future__ import annotations

from typing import Any

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.symbol_changes import ORIGINS, Change, Definition, compare
from queries.sessions import capped

__all__ = ["COLUMNS", "diff"]

COLUMNS = (
    "change",
    "kind",
    "name",
    "path",
    "start_line",
    "old_name",
    "old_path",
    "old_line",
    "is_signature_changed",
    "is_text_changed",
    "signature",
    "old_signature",
    "origin",
    "confidence",
    "id",
    "segment",
    "start_byte",
    "end_byte",
)

_ORDER = ("removed", "changed", "renamed", "moved", "added")


def diff(before: Reader, after: Reader, *, limit: int = 500) -> Table:
    """What became of the symbols of one snapshot in another.

    Args:
        before: Reader of the one.
        after: Reader of the other.
        limit: Most rows to give; a note says when there are more.

    Returns:
        `COLUMNS`: change (removed, changed, renamed, moved or added, in this order), what the symbol is now, or was
        where it is gone, and what it was before; evidence is of the definition that the row is about. Notes say how
        many files differ that were not parsed.
    """
    old_files, new_files = _files(before), _files(after)
    paths = sorted(
        path
        for path in old_files.keys() | new_files.keys()
        if _blob(old_files, path) != _blob(new_files, path)
    )
    old_rows, new_rows = _definitions(before, paths), _definitions(after, paths)
    changes = compare([row for row, _ in old_rows.values()], [row for row, _ in new_rows.values()])
    changes.sort(
        key=lambda change: (_ORDER.index(change.change), _shown(change).path, _shown(change).start_byte)
    )
    rows = [_row(change, old_rows, new_rows) for change in changes]
    table = capped(COLUMNS, rows, limit)
    return table._replace(notes=(*table.notes, *_unparsed(paths, old_files, new_files)))


_Files = dict[str, tuple[str | None, str, str | None]]


def _files(reader: Reader) -> _Files:
    rows = reader.rows(sql.load("queries", "sql/code/blobs.sql"))
    return {path: (blob, status, reason) for path, blob, status, reason in rows}


def _blob(files: _Files, path: str) -> str | None:
    return files[path][0] if path in files else None


_Found = tuple[Definition, tuple[Any, ...]]


def _definitions(reader: Reader, paths: list[str]) -> dict[tuple[str, str, str], _Found]:
    """Each definition with its symbol's id and its segment, by key."""
    found: dict[tuple[str, str, str], _Found] = {}
    for identity, segment, *fields in reader.rows(
        sql.load("queries", "sql/code/definitions.sql"), {"paths": paths}
    ):
        *own, parent, parent_disambiguator = fields
        key = None if parent is None else (fields[0], parent, parent_disambiguator)
        definition = Definition._make([*own, key])
        found[definition.key] = (definition, (identity, segment))
    return found


def _shown(change: Change) -> Definition:
    """The definition that a row is about: what there is now, or was."""
    definition = change.new or change.old
    assert definition is not None
    return definition


def _row(
    change: Change, old_rows: dict[tuple[str, str, str], _Found], new_rows: dict[tuple[str, str, str], _Found]
) -> tuple[Any, ...]:
    of, old = _shown(change), change.old if change.new else None
    identity, segment = (new_rows if change.new else old_rows)[of.key][1]
    return (
        change.change,
        of.kind,
        of.name,
        of.path,
        of.start_line,
        old.name if old and old.name != of.name else None,
        old.path if old and old.path != of.path else None,
        old.start_line if old else None,
        change.is_signature_changed,
        change.is_text_changed,
        of.signature,
        old.signature if old and change.is_signature_changed else None,
        change.origin,
        ORIGINS[change.origin][0] if change.origin else None,
        identity,
        segment,
        of.start_byte,
        of.end_byte,
    )


def _unparsed(paths: list[str], *sides: _Files) -> list[str]:
    """What differs and was not read as code, and why."""
    reasons: dict[str, set[str]] = {}
    for files in sides:
        for path in paths:
            _, status, reason = files.get(path, (None, "parsed", None))
            if status not in ("parsed", "partial", "manifest"):
                reasons.setdefault(reason or status, set()).add(path)
    return [
        f"{len(found)} files that differ were not parsed: {reason}"
        for reason, found in sorted(reasons.items())
    ]
