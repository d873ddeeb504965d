"""Runs the projection's SQL files and writes what they give, ready to be loaded into the graph engine."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput
from graphsvc.graph.digest import LabelDigest, label_digest
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable

if TYPE_CHECKING:
    import polars as pl

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
    """

    schema: GraphSchema
    files: Mapping[str, Path]
    digests: tuple[LabelDigest, ...]
    gaps: Mapping[str, int]


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


def project(reader: Reader, tables: Mapping[str, pl.DataFrame], folder: Path) -> Projection:
    """Run every file and write its rows to Parquet files in ``folder``.

    Args:
        reader: Reader of the canonical store.
        tables: Further tables that the files use, by name: what code resolution made.
        folder: An empty folder for the Parquet files.

    Raises:
        InvalidInput: A file is refused, or gives two nodes of one key.
    """
    import pyarrow.parquet as pq

    prepare(reader, tables)
    nodes, edges = [], []
    written: dict[str, Path] = {}
    digests: list[LabelDigest] = []
    gaps: dict[str, int] = {}
    for label, text in _statements("nodes"):
        reader.run(f'CREATE TEMP TABLE "node {label}" AS {text}')
        _check_keys(reader, label)
        rows = reader.arrow(f'FROM "node {label}" ORDER BY {_order(text)}')
        node = NodeTable.from_arrow(label, rows.schema)
        nodes.append(node)
        written[node.name] = folder / f"{label}.parquet"
        digests.append(label_digest(node, rows))
        pq.write_table(rows, written[node.name], compression="none")
    for name, text in _statements("edges"):
        from_label, label, to_label = name.split("-")
        [(total,)] = reader.rows(f'CREATE TEMP TABLE "edge {name}" AS {text}')
        rows = reader.arrow(
            f'FROM "edge {name}" SEMI JOIN (SELECT id AS source FROM "node {from_label}") USING (source)'
            f' SEMI JOIN (SELECT id AS target FROM "node {to_label}") USING (target) ORDER BY source, target'
        )
        edge = EdgeTable.from_arrow(label, from_label, to_label, rows.schema)
        edges.append(edge)
        written[edge.name] = folder / f"{name}.parquet"
        digests.append(label_digest(edge, rows))
        pq.write_table(rows, written[edge.name], compression="none")
        if total > rows.num_rows:
            gaps[edge.name] = total - rows.num_rows
    return Projection(GraphSchema(tuple(nodes), tuple(edges)), written, tuple(digests), gaps)


def _order(text: str) -> str:
    """The order that a file gives its nodes: what lies together in the graph is read at once.

    >>> _order("-- Purpose: facts."), _order("-- Order: scope, recorded_at DESC")
    ('id', 'scope, recorded_at DESC, id')
    """
    stated = _ORDER.search(text)
    return f"{stated[1]}, id" if stated else "id"


def _check_keys(reader: Reader, label: str) -> None:
    doubled = reader.rows(
        f'SELECT id FROM "node {label}" GROUP BY id HAVING count(*) > 1 OR id IS NULL LIMIT 1'
    )
    if doubled:
        raise InvalidInput(f"nodes/{label}.sql gives key {doubled[0][0]} more than once", hint=_FAULT_HINT)
