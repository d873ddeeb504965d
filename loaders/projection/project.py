"""Runs the projection's SQL files and writes what they give, ready to be loaded into the graph engine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput
from graphsvc.graph.digest import LabelDigest, label_digest
from graphsvc.graph.generation import Load
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable, Table
from loaders.projection.inputs import Inputs
from loaders.projection.kept import FOLDER, Before, Tables, file_of, write_rows

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Projection", "evidence_digest", "project", "projection_version"]

_PACKAGE = "loaders.projection"
_ORDER = re.compile("^-- Order: (.+)$", re.MULTILINE)
_by_label = attrgetter("label")
_FAULT_HINT = "this is a fault of the projection's SQL: please report it"


@dataclass(frozen=True, slots=True)
class Projection:
    """What the projection gave.

    Attributes:
        schema: Tables of the graph.
        files: For each table's name the Parquet file with its rows, in the order of its SQL file's header or of keys.
        digests: For each table its rows and digest.
        gaps: For each edge table's name how many edges were left out because an end is not in the graph.
        evidence: Digest of the events that were projected (`evidence_digest`).
        made: Number of tables that were made; the others were taken over from the generation before.
    """

    schema: GraphSchema
    files: Mapping[str, Path]
    digests: tuple[LabelDigest, ...]
    gaps: Mapping[str, int]
    evidence: str
    made: int


def _statements(folder: str) -> Iterator[tuple[str, str]]:
    """Name and text of each SQL file in a folder of the projection, by name."""
    for path in sorted(files(_PACKAGE).joinpath(folder).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".sql"):
            yield path.name.removesuffix(".sql"), path.read_text(encoding="utf-8")


def projection_version(*rules: str) -> str:
    """Digest of all that decides what the graph holds: these files, the views below them, and further rules.

    Args:
        rules: Versions of rules that are not SQL, such as the code resolver's.
    """
    digest = hashlib.sha256()
    views = [("views", sql.load("graphsvc.canonical", name)) for name in ("macros.sql", "views.sql")]
    for name, text in (*views, *_statements("nodes"), *_statements("edges"), *(("rule", r) for r in rules)):
        digest.update(f"{name}\x1f{text}\x1e".encode())
    return digest.hexdigest()


def evidence_digest(reader: Reader) -> str:
    """SHA-256 over the ids of all events in id order: equal for equal evidence, in whatever order it came."""
    ids = reader.arrow(sql.load(_PACKAGE, "evidence.sql"))["event_id"]
    digest = hashlib.sha256()
    for chunk in ids.chunks:
        digest.update("\n".join(chunk.to_pylist()).encode() + b"\n")
    return digest.hexdigest()


def project(inputs: Inputs, before: Before, folder: Path, load: Load) -> Projection:
    """Run the files whose tables are not right any more, and have all tables as Parquet files in a folder.

    Args:
        inputs: Reader of what the files read.
        before: What the generation before has left.
        folder: Folder of the generation; the files are in its folder `FOLDER`.
        load: Told of the tables of each label as soon as they are written.

    Raises:
        InvalidInput: A file is refused, or gives two nodes of one key.
    """
    folder = folder / FOLDER
    folder.mkdir()
    projector = _Projector(inputs, Tables(inputs, before, folder), folder)
    for labels in (_node_statements(), _edge_statements()):
        # Loading takes longer than taking over, and should be under way when the first table is made.
        left = [label for label in labels if not projector.take_over(label, load)]
        for label in left:
            projector.make(label, load)
    return projector.finish()


class _Statement(NamedTuple):
    """The SQL file of a table.

    Attributes:
        name: Name of the file.
        text: What it holds.
        label: Label of the nodes or edges.
        ends: For edges, the labels of the nodes that they join.
    """

    name: str
    text: str
    label: str
    ends: tuple[str, ...]

    def table(self, schema: pa.Schema) -> Table:
        """The table with these columns."""
        if not self.ends:
            return NodeTable.from_arrow(self.label, schema)
        from_label, to_label = self.ends
        return EdgeTable.from_arrow(self.label, from_label, to_label, schema)


class _Projector:
    """Projects one label after the other."""

    def __init__(self, inputs: Inputs, tables: Tables, folder: Path) -> None:
        self._inputs = inputs
        self._tables = tables
        self._folder = folder
        self._files: dict[str, tuple[Table, Path]] = {}
        self._keys: dict[str, pa.ChunkedArray] = {}
        self._made = 0

    def take_over(self, label: list[_Statement], load: Load) -> bool:
        """Take over the tables of a label as far as they are right; they are loaded, and the answer is true, where all
        of them are."""
        for one in label:
            kept = self._tables.taken_over(one.name, one.text, one.ends)
            if kept:
                file = self._folder / file_of(one.name)
                self._files[one.name] = one.table(_schema(file)), file
        if not all(one.name in self._files for one in label):
            return False
        self._load(label, load)
        return True

    def make(self, label: list[_Statement], load: Load) -> None:
        """Make the tables of a label that were not taken over, and load all of them."""
        for one in label:
            if one.name not in self._files:
                self._make(one)
                self._made += 1
        self._load(label, load)

    def finish(self) -> Projection:
        """All tables."""
        self._tables.write_list()
        files = dict(sorted(self._files.items()))
        kept = {table.name: self._tables.made[name] for name, (table, _) in files.items()}
        tables = [table for table, _ in files.values()]
        return Projection(
            GraphSchema(
                tuple(table for table in tables if isinstance(table, NodeTable)),
                tuple(table for table in tables if isinstance(table, EdgeTable)),
            ),
            {table.name: file for table, file in files.values()},
            tuple(LabelDigest(name, one.rows, one.digest) for name, one in kept.items()),
            {name: one.left_out for name, one in kept.items() if one.left_out},
            evidence_digest(self._inputs.reader),
            self._made,
        )

    def _load(self, label: list[_Statement], load: Load) -> None:
        load([self._files[one.name] for one in label])

    def _make(self, one: _Statement) -> None:
        file = self._folder / file_of(one.name)
        if one.ends:
            found = self._inputs.arrow(f"FROM ({one.text}) ORDER BY source, target")
            rows = self._joined(found, *one.ends)
            more: dict[str, Any] = {"left_out": found.num_rows - rows.num_rows}
        else:
            rows = self._inputs.arrow(f"FROM ({one.text}) ORDER BY {_order(one.text)}")
            self._keys[one.label] = _checked_keys(one.label, rows["id"])
            more = {"keys": hashlib.sha256("\n".join(rows["id"].to_pylist()).encode()).hexdigest()}
        table = one.table(rows.schema)
        write_rows(rows, file)
        digest = label_digest(table, rows).digest
        self._tables.add(one.name, one.text, file, rows=rows.num_rows, digest=digest, **more)
        self._files[one.name] = table, file

    def _joined(self, rows: pa.Table, from_label: str, to_label: str) -> pa.Table:
        """The edges both of whose ends are nodes."""
        import pyarrow.compute as pc

        if not rows.num_rows:  # half of the tables of a small graph, and what follows costs the same for none
            return rows
        sources, targets = self._keys_of(from_label), self._keys_of(to_label)
        known = pc.and_(pc.is_in(rows["source"], sources), pc.is_in(rows["target"], targets))
        return rows if pc.all(known).as_py() else rows.filter(known)

    def _keys_of(self, label: str) -> pa.ChunkedArray:
        import pyarrow.parquet as pq

        if label not in self._keys:
            self._keys[label] = pq.read_table(self._folder / file_of(label), columns=["id"])["id"]
        return self._keys[label]


def _schema(file: Path) -> pa.Schema:
    import pyarrow.parquet as pq

    try:
        return pq.read_schema(file)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read as Parquet: {error}", hint="delete it") from error


def _node_statements() -> list[list[_Statement]]:
    """The SQL files of nodes; each label has one."""
    return [[_Statement(name, text, name, ())] for name, text in _statements("nodes")]


def _edge_statements() -> list[list[_Statement]]:
    """The SQL files of edges, by label."""
    found = []
    for name, text in _statements("edges"):
        from_label, label, to_label = name.split("-")
        found.append(_Statement(name, text, label, (from_label, to_label)))
    return [list(group) for _, group in groupby(sorted(found, key=_by_label), key=_by_label)]


def _order(text: str) -> str:
    """The order that a file gives its nodes: what lies together in the graph is read at once.

    >>> _order("-- Purpose: facts."), _order("-- Order: scope, recorded_at DESC")
    ('id', 'scope, recorded_at DESC, id')
    """
    stated = _ORDER.search(text)
    return f"{stated[1]}, id" if stated else "id"


def _checked_keys(label: str, keys: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    if keys.null_count or pc.count_distinct(keys).as_py() < len(keys):
        counts = keys.value_counts().to_pylist()
        wrong = next(one["values"] for one in counts if one["counts"] > 1 or one["values"] is None)
        raise InvalidInput(f"nodes/{label}.sql gives key {wrong} more than once, or none", hint=_FAULT_HINT)
    return keys
