"""What the tables of the generation before rest on, so that only those that rest on something new are made again.

A generation's folder keeps the Parquet files that its graph was loaded from, those of the small shared views, and a
list that says of each which SQL made it. Evidence is only ever added, so what is new since that generation is what the
receipts after it brought. A table is taken over where its SQL is the same and nothing that it reads is new; a shared
view that is made again and comes out as before counts as not new.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.views import definition_of, reading_of
from graphsvc.graph.digest import LABEL_FORMAT
from loaders.projection.inputs import CODE_TABLES, SHARED_VIEWS, Inputs

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FOLDER", "Before", "Kept", "Tables", "file_of", "forget", "read_before", "write_rows"]

FOLDER = "tables"
"""Name of the folder in that of a generation."""

_VERSION = "1"
"""Raise it whenever the same rows of the same SQL would become another table."""

_LIST = "tables.json"
_KEPT_VIEWS = frozenset(
    {
        "captured",
        "edited_place",
        "indexed_path",
        "known_file",
        "named_symbol",
        "path_match",
        "session_repository",
        "touched_file",
        "turn_word",
        "word_place",
    }
)
"""Shared views with files of their own: the others are larger, or change with all that they are made of."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A table of a generation, or a shared view that its tables were made of.

    Attributes:
        rules: Digest of the SQL that made it.
        seal: SHA-256 of its Parquet file; empty for a view without one.
        rows: Number of rows.
        digest: Digest of the content as the graph has it; empty for a view.
        keys: Digest of the keys of nodes; empty for others.
        left_out: Edges that were left out because an end is not in the graph.
    """

    rules: str
    seal: str = ""
    rows: int = 0
    digest: str = ""
    keys: str = ""
    left_out: int = 0


_BLANK = asdict(Kept(rules=""))
_UNUSABLE = (OSError, ValueError, LookupError, TypeError, AttributeError)
"""What reading a list raises that is missing, damaged, or of another version."""


def file_of(name: str) -> str:
    """Name of the file of a table or view; never what a list says, which may be anybody's."""
    return f"{name}.parquet"


@dataclass(frozen=True, slots=True)
class Before:
    """What the generation before has left.

    Attributes:
        folder: Folder of its files.
        tables: Its tables and views by name; empty where there is no such generation.
        changed: Names of what SQL can read, tables of the store and code tables, that has changed since.
        basis: What tables rest on now and no receipt tells of.
        version: Version of all that makes tables and is not SQL.
    """

    folder: Path
    tables: Mapping[str, Kept]
    changed: frozenset[str]
    basis: Mapping[str, Any]
    version: str


def read_before(reader: Reader, folder: Path, receipt: int, code: tuple[str, ...]) -> Before:
    """What a generation has left, and what has changed since.

    Args:
        reader: Reader of the canonical store.
        folder: The generation's folder; there may be none.
        receipt: Number of the last receipt that it covers.
        code: What the code tables are known by now.
    """
    [(told, engine)] = reader.rows(sql.load(__package__, "basis.sql"))
    basis, version = {"code": list(code), **told}, f"{_VERSION}, {LABEL_FORMAT}, {engine}"
    folder = folder / FOLDER
    try:
        left = _read_list(folder / _LIST, version)
    except _UNUSABLE:
        return Before(folder, {}, frozenset(), basis, version)
    new = {name for (name,) in reader.rows(sql.load(__package__, "changed.sql"), {"receipt": receipt})}
    moved = {name for name, value in basis.items() if left.basis.get(name) != value}
    if "code" in moved:
        new |= CODE_TABLES
    return Before(folder, left.tables, frozenset(new | moved), basis, version)


class _Left(NamedTuple):
    """What the list of a generation says."""

    basis: Mapping[str, Any]
    tables: Mapping[str, Kept]


def _read_list(file: Path, version: str) -> _Left:
    seal, _, text = file.read_text(encoding="utf-8").partition("\n")
    if _digest(text) != seal:
        raise ValueError("it is damaged")
    listed = json.loads(text)
    if listed["version"] != version:
        raise ValueError("it is of another version")
    tables = {name: Kept(**fields) for name, fields in listed["tables"].items()}
    for kept in tables.values():
        if any(type(value) is not type(_BLANK[name]) for name, value in asdict(kept).items()):
            raise ValueError("it is no list of tables")
    return _Left(dict(listed["basis"]), tables)


def forget(folder: Path) -> None:
    """Remove what a generation has left, so that all tables are made anew.

    Args:
        folder: The generation's folder.
    """
    left = folder / FOLDER
    if left.is_symlink():
        left.unlink()
    else:
        shutil.rmtree(left, ignore_errors=True)


class Tables:
    """The tables of a new generation, which takes over those of the one before that are still right.

    Args:
        inputs: Reader of what SQL reads.
        before: What the generation before has left.
        folder: Folder of the new generation's files.
    """

    def __init__(self, inputs: Inputs, before: Before, folder: Path) -> None:
        self._inputs = inputs
        self._before = before
        self._folder = folder
        self._same_views: dict[str, bool] = {}
        self.made: dict[str, Kept] = {}

    def taken_over(self, name: str, statement: str, ends: Sequence[str] = ()) -> Kept | None:
        """A table as it was, if it is still right; its file is in the new folder then.

        Args:
            name: The table.
            statement: The SQL that makes it.
            ends: For edges, the tables of the nodes that they join, which are made already.
        """
        kept, reading = self._before.tables.get(name), reading_of(statement, SHARED_VIEWS)
        if not self._is_same(kept, _digest(reading.text), reading.names) or kept is None:
            return None
        same_ends = all(end in self._before.tables for end in ends) and all(
            self._before.tables[end].keys == self.made[end].keys for end in ends
        )
        if not same_ends or not self._take(name, kept):
            return None
        self.made[name] = kept
        return kept

    def add(self, name: str, statement: str, file: Path, **fields: Any) -> None:
        """Tell of a table that was made."""
        rules = _digest(reading_of(statement, SHARED_VIEWS).text)
        self.made[name] = Kept(rules, _seal(file), **fields)

    def write_list(self) -> None:
        """Write the list of all tables and views, for the next generation."""
        for view in sorted(SHARED_VIEWS):
            self._is_same_view(view)
        listed = {name: asdict(kept) for name, kept in sorted(self.made.items())}
        said = {"version": self._before.version, "basis": self._before.basis, "tables": listed}
        text = json.dumps(said, indent=1)
        (self._folder / _LIST).write_text(f"{_digest(text)}\n{text}", encoding="utf-8")

    def _is_same(self, kept: Kept | None, rules: str, names: frozenset[str]) -> bool:
        """Whether a table that was made by these rules of these names would come out as it did."""
        # All views first: those that are the same have files then, and what is not the same is made of these.
        changed = [view for view in sorted(names & SHARED_VIEWS) if not self._is_same_view(view)]
        return kept is not None and kept.rules == rules and not changed and not names & self._before.changed

    def _is_same_view(self, view: str) -> bool:
        """Whether a shared view has the rows that it had."""
        if view not in self._same_views:
            self._same_views[view] = self._find_out(view)
        return self._same_views[view]

    def _find_out(self, view: str) -> bool:
        kept = self._before.tables.get(view)
        reading = reading_of(definition_of(view), SHARED_VIEWS)
        rules = _digest(reading.text)
        is_same = self._is_same(kept, rules, reading.names - {view})
        if view not in _KEPT_VIEWS:
            self.made[view] = Kept(rules)
            return is_same
        if kept and is_same and self._take(view, kept):
            self.made[view] = kept
            self._inputs.take(view, self._folder / file_of(view))
            return True
        file = self._folder / file_of(view)
        write_rows(self._inputs.arrow(f"FROM {view} ORDER BY ALL"), file)
        self.made[view] = Kept(rules, _seal(file))
        return kept is not None and kept.seal == self.made[view].seal

    def _take(self, name: str, kept: Kept) -> bool:
        """Have a file of the generation before in the new folder; False where it is not what it was."""
        source, file = self._before.folder / file_of(name), self._folder / file_of(name)
        try:
            try:
                os.link(source, file)
            except OSError:  # a file system without links
                shutil.copyfile(source, file)
            if _seal(file) == kept.seal:
                return True
        except OSError:
            pass
        with suppress(OSError):
            file.unlink()
        return False


def write_rows(rows: pa.Table, file: Path) -> None:
    """Write a table's file."""
    import pyarrow.parquet as pq

    pq.write_table(rows, file, compression="zstd", compression_level=1)


def _seal(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
