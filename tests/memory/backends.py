"""The stores of facts that the conformance tests run on, each empty to begin with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq

from graphsvc.canonical import sql
from graphsvc.canonical.fact_store import DuckDbFactStore
from graphsvc.canonical.store import CanonicalStore
from graphsvc.graph.build import build
from graphsvc.graph.fact_store import KuzuFactStore
from graphsvc.graph.reader import GraphReader
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable
from graphsvc.memory.fact_store import FactStore, MemoryFactStore
from graphsvc.memory.facts import FactHistory, Record
from graphsvc.memory.recall import Recalled, RecallQuery

__all__ = ["NAMES", "Backend", "PublishedFacts", "backends"]

Backend = Callable[[], FactStore]

NAMES = ("memory", "duckdb", "kuzu")


class PublishedFacts:
    """Facts that are written to the canonical store and read from a graph of it, made anew after each write.

    The graph has the tables that facts are recalled from, by the projection's own files.
    """

    def __init__(self, store: CanonicalStore) -> None:
        self._store = store
        self._kept = DuckDbFactStore(store)
        self._builds = count()
        self._reader: GraphReader | None = None

    def append(self, records: Iterable[Record]) -> None:
        self._kept.append(records)
        self.close()

    def recall(self, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
        return self._graph().recall(query, now=now)

    def history(self, fact_id: str) -> FactHistory:
        return self._graph().history(fact_id)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    def _graph(self) -> KuzuFactStore:
        if self._reader is None:
            folder = self._store.folder / f"graph-{next(self._builds)}"
            folder.mkdir()
            self._reader = GraphReader.open(_build(self._store, folder))
        return KuzuFactStore(self._reader)


def _build(store: CanonicalStore, folder: Path) -> Path:
    files, tables = {}, {}
    with store.read() as reader:
        for name in ("nodes/Fact", "nodes/Scope", "edges/Fact-IN_SCOPE-Scope"):
            statement = sql.load("loaders.projection", f"{name}.sql")
            label = name.split("/")[1]
            key = "source, target" if name.startswith("edges") else "id"
            rows = reader.arrow(f"FROM ({statement}) ORDER BY {key}")
            ends = label.split("-")
            tables[label] = (
                EdgeTable.from_arrow(ends[1], ends[0], ends[2], rows.schema)
                if len(ends) == 3
                else NodeTable.from_arrow(label, rows.schema)
            )
            files[tables[label].name] = folder / f"{label}.parquet"
            pq.write_table(rows, files[tables[label].name])
    nodes = tuple(table for table in tables.values() if isinstance(table, NodeTable))
    edges = tuple(table for table in tables.values() if isinstance(table, EdgeTable))
    path = folder / "graph.kuzu"
    build(path, GraphSchema(nodes, edges), files)
    return path


def backends(empty: Path, folder: Path) -> dict[str, Backend]:
    """Makers of stores by name.

    Args:
        empty: An empty canonical store, to be copied.
        folder: Where the stores may lie.
    """
    numbers = count()

    def canonical() -> CanonicalStore:
        copy = folder / f"store-{next(numbers)}"
        shutil.copytree(empty, copy)
        return CanonicalStore(copy)

    return {
        "memory": MemoryFactStore,
        "duckdb": lambda: DuckDbFactStore(canonical()),
        "kuzu": lambda: PublishedFacts(canonical()),
    }
