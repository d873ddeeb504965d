"""Small graphs, made by code, with their files and digests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from graphsvc.graph.build import build
from graphsvc.graph.digest import LabelDigest, label_digest
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable

LEAST_STORABLE = -(2**63) + 1
FIRST_SECOND, LAST_SECOND = -62_135_596_800_000_000, 253_402_300_799_000_000


@dataclass(frozen=True)
class Sample:
    """Tables with their files and digests, ready to be built."""

    schema: GraphSchema
    tables: dict[str, pa.Table]
    files: dict[str, Path]

    @property
    def digests(self) -> tuple[LabelDigest, ...]:
        return tuple(label_digest(table, self.tables[table.name]) for table in self.schema.tables)

    def build(self, path: Path, engine: str) -> Path:
        return build(path, self.schema, self.files, engine=engine).path


def sample_of(
    folder: Path, nodes: dict[str, pa.Table], edges: dict[tuple[str, str, str], pa.Table]
) -> Sample:
    """A sample of node tables by label and edge tables by label, from and to."""
    node_tables = [NodeTable.from_arrow(label, rows.schema) for label, rows in nodes.items()]
    edge_tables = [EdgeTable.from_arrow(*ends, rows.schema) for ends, rows in edges.items()]
    schema = GraphSchema(tuple(node_tables), tuple(edge_tables))
    tables = dict(
        zip([table.name for table in schema.tables], [*nodes.values(), *edges.values()], strict=True)
    )
    files = {}
    for number, (name, rows) in enumerate(tables.items()):
        files[name] = folder / f"{number}.parquet"
        pq.write_table(rows, files[name])
    return Sample(schema, tables, files)


def make_sample(folder: Path) -> Sample:
    """Every type, extreme values, reserved words, parallel edges, and an edge label that joins two pairs."""
    symbols = pa.table(
        {
            "name": pa.array(["main", "", None, "a\0b", "héllo 😀"], pa.string()),
            "id": ["s1", "s2", "s3", "s4", "s5"],
            "order": pa.array([1, LEAST_STORABLE, 2**63 - 1, None, 0], pa.int64()),
            "weight": pa.array([0.1, float("inf"), -float("inf"), 5e-324, None], pa.float64()),
            "match": pa.array([True, False, None, True, False], pa.bool_()),
            "at": pa.array([0, FIRST_SECOND, LAST_SECOND, None, -1], pa.timestamp("us", "UTC")),
            "group": pa.array([["x", None, ""], [], None, ["😀" * 2000], ["a,b"]], pa.list_(pa.string())),
        }
    )
    files = pa.table({"id": ["f1", "f2"], "path": ["src/a.py", "src/b'\\.py"]})
    empty = pa.table({"id": pa.array([], pa.string())})
    calls = pa.table(
        {
            "source": ["s1", "s1", "s1", "s2", "s5"],
            "target": ["s2", "s2", "s2", "s1", "s5"],
            "where": pa.array([7, 7, 3, None, 1], pa.int64()),
            "confidence": [0.5, 0.5, 1.0, 0.0, 0.25],
        }
    )
    defined = pa.table({"source": ["f1", "f1", "f2"], "target": ["s1", "s2", "s3"]})
    to_file = pa.table(
        {"source": ["s1", "s4"], "target": ["f2", "f2"], "as": pa.array(["x", None], pa.string())}
    )
    to_symbol = pa.table({"source": ["s1"], "target": ["s3"], "as": ["y"]})
    return sample_of(
        folder,
        {"Symbol": symbols, "File": files, "Order": empty},
        {
            ("CALLS", "Symbol", "Symbol"): calls,
            ("DEFINES", "File", "Symbol"): defined,
            ("MENTIONS", "Symbol", "File"): to_file,
            ("MENTIONS", "Symbol", "Symbol"): to_symbol,
        },
    )
