"""Runs the projection's SQL files and writes what they give, ready to be loaded into the graph engine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput
from graphsvc.graph.digest import LabelDigest, label_digest
from graphsvc.graph.generation import Load
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable, Table

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["Projection", "evidence_digest", "prepare", "project", "projection_version"]

_PACKAGE = "loaders.projection"
_SHARED_VIEWS = (
    "present_commit",
    "captured",
    "session_repository",
    "known_file",
    "record_place",
    "turn_start",
    "timeline",
    "turn",
    "rewound",
    "session_tool_call",
    "path_match",
    "touched_file",
    "turn_word",
)
_ORDER = re.compile("^-- Order: (.+)$", re.MULTILINE)
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
    """

    schema: GraphSchema
    files: Mapping[str, Path]
    digests: tuple[LabelDigest, ...]
    gaps: Mapping[str, int]
    evidence: str


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


def prepare(reader: Reader, tables: Mapping[str, pl.DataFrame]) -> None:
    """Make the tables that the SQL files share, once for all of them.

    Args:
        reader: Reader of the canonical store.
        tables: Further tables that the files use, by name: what code resolution made.
    """
    for name, frame in tables.items():
        reader.run(f'CREATE TEMP TABLE "{name}" AS FROM "_{name}"', **{f"_{name}": frame})
    for view in _SHARED_VIEWS:
        reader.run(f"CREATE TEMP TABLE shared AS FROM {view}")
        reader.run(f"DROP VIEW {view}")
        reader.run(f"ALTER TABLE shared RENAME TO {view}")


def project(reader: Reader, tables: Mapping[str, pl.DataFrame], folder: Path, load: Load) -> Projection:
    """Run every file and write its rows to Parquet files in ``folder``.

    Args:
        reader: Reader of the canonical store.
        tables: Further tables that the files use, by name: what code resolution made.
        folder: An empty folder for the Parquet files.
        load: Told of the tables of each label as soon as they are written.

    Raises:
        InvalidInput: A file is refused, or gives two nodes of one key.
    """
    prepare(reader, tables)
    written = _Written(folder)
    keys: dict[str, pa.ChunkedArray] = {}
    for label, text in _statements("nodes"):
        rows = reader.arrow(f"FROM ({text}) ORDER BY {_order(text)}")
        keys[label] = _checked_keys(label, rows["id"])
        load([written.add(NodeTable.from_arrow(label, rows.schema), rows)])
    gaps: dict[str, int] = {}
    for label, named in groupby(sorted(_edge_statements()), key=itemgetter(0)):
        pairs = []
        for _, from_label, to_label, text in named:
            rows = reader.arrow(f"FROM ({text}) ORDER BY source, target")
            edge = EdgeTable.from_arrow(label, from_label, to_label, rows.schema)
            joined = _joined(rows, keys[from_label], keys[to_label])
            pairs.append(written.add(edge, joined))
            if rows.num_rows > joined.num_rows:
                gaps[edge.name] = rows.num_rows - joined.num_rows
        load(pairs)
    return written.projection(gaps, evidence_digest(reader))


class _Written:
    """The tables that are written so far."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[Table, Path] = {}
        self._digests: list[LabelDigest] = []

    def add(self, table: Table, rows: pa.Table) -> tuple[Table, Path]:
        """Write and digest a table; it and its file."""
        import pyarrow.parquet as pq

        file = self._folder / f"{len(self._files)}.parquet"
        self._digests.append(label_digest(table, rows))
        pq.write_table(rows, file, compression="none")
        self._files[table] = file
        return table, file

    def projection(self, gaps: Mapping[str, int], evidence: str) -> Projection:
        """All of them."""
        nodes = tuple(table for table in self._files if isinstance(table, NodeTable))
        edges = tuple(table for table in self._files if isinstance(table, EdgeTable))
        files = {table.name: file for table, file in self._files.items()}
        return Projection(GraphSchema(nodes, edges), files, tuple(self._digests), gaps, evidence)


def _edge_statements() -> Iterator[tuple[str, str, str, str]]:
    """Label, labels of both ends and text of each SQL file of edges."""
    for name, text in _statements("edges"):
        from_label, label, to_label = name.split("-")
        yield label, from_label, to_label, text


def _joined(rows: pa.Table, sources: pa.ChunkedArray, targets: pa.ChunkedArray) -> pa.Table:
    """The edges both of whose ends are nodes."""
    import pyarrow.compute as pc

    if not rows.num_rows:  # half of the tables of a small graph, and what follows costs the same for none
        return rows
    known = pc.and_(pc.is_in(rows["source"], sources), pc.is_in(rows["target"], targets))
    return rows if pc.all(known).as_py() else rows.filter(known)


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
