"""A fresh database file out of Parquet files.

The engine damages its file in silence after errors that it reports and a caller handles: a rolled-back load
loses committed edges, a load that met a duplicate key loses keys of the index. So nothing here recovers: each
table is loaded by one autocommit COPY into a new file, without transactions, ``ignore_errors`` or MERGE, and
whatever fails, the file is deleted and built anew. The file has another name until it is complete, synced and
closed, so that what a killed build leaves behind is never taken for a graph.

Loading and writing the Parquet files take about as long, so tables can be loaded while later ones are being written
(`Loading`).

A value that the engine would store as another one is refused: a NaN overwrites its neighbours in a compressed
column, and the least int64 (also as a timestamp) comes back as 0.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING

from graphsvc.durability import sync
from graphsvc.errors import Corrupt, DurabilityUncertain, GraphsvcError, InvalidInput, SourceUnavailable
from graphsvc.graph.engine import DEFAULT, Connection, Database
from graphsvc.graph.schema import ColumnType, EdgeTable, GraphSchema, Table, creation, quote

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SIDECARS", "BuildReport", "Loading", "TableFiles", "build", "by_label", "discard", "unfinished"]

SIDECARS = (".wal", ".shadow", ".tmp")
"""Endings of the files that the engine keeps beside an open database."""

TableFiles = Sequence[tuple[Table, Path]]
"""The tables of one label, each with the Parquet file of its rows."""

_INT64_MIN = -(2**63)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """A finished build.

    Args:
        path: The database file, closed and synced.
        rows: Rows loaded, by the name of the table.
        attempts: How often the file was built until it succeeded.
    """

    path: Path
    rows: Mapping[str, int]
    attempts: int


class Loading:
    """A database file that is loaded, in a thread of its own, while its later tables are still being written; in a
    ``with`` block.

    Args:
        path: Where the file is to be; there must be none.
        pool_bytes: Size of the engine's buffer pool, at least 256 MiB.
        threads: Threads that a load may use.
        engine: Name of the engine.

    Raises:
        InvalidInput: ``path`` exists.
    """

    def __init__(
        self, path: Path, *, pool_bytes: int = 512 << 20, threads: int = 1, engine: str = DEFAULT
    ) -> None:
        if path.exists():
            raise InvalidInput(f"{path} exists already", hint="build into a new file")
        self._path = path
        self._load = partial(_load, unfinished(path), pool_bytes=pool_bytes, threads=threads, engine=engine)
        self._queue: SimpleQueue[TableFiles | None] = SimpleQueue()
        self._thread = ThreadPoolExecutor(1)
        self._first = self._thread.submit(self._load, iter(self._queue.get, None))

    def __enter__(self) -> Loading:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._queue.put(None)
        self._thread.shutdown()
        discard(unfinished(self._path))

    def add(self, tables: TableFiles) -> None:
        """Load all tables of one label; nodes come before the edges that join them."""
        self._queue.put(tables)

    def finish(self, schema: GraphSchema, files: Mapping[str, Path]) -> BuildReport:
        """Wait for the loads, and put the file in its place; once only.

        Args:
            schema: The tables that were added.
            files: For each of them, by its name, the file.

        Raises:
            InvalidInput: A file does not have its table's columns, a key is null or occurs twice, an edge has no node
                at one end, or a value is one that the engine cannot store.
            SourceUnavailable: The engine failed twice.
            DurabilityUncertain: The finished file could not be synced.
        """
        self._queue.put(None)
        attempts: tuple[Callable[[], dict[str, int]], ...] = (
            self._first.result,
            partial(self._load, by_label(schema, files)),
        )
        for attempt, load in enumerate(attempts, 1):
            try:
                rows = load()
            except InvalidInput:
                raise
            except GraphsvcError as error:
                failure = error
            else:
                _put_in_place(unfinished(self._path), self._path)
                return BuildReport(self._path, rows, attempt)
        raise SourceUnavailable(
            f"the graph engine failed {len(attempts)} times to build {self._path.name}: {failure}",
            hint="check the free space on the disk and in memory, then run `graphsvc rebuild`",
        ) from failure


def build(
    path: Path,
    schema: GraphSchema,
    files: Mapping[str, Path],
    *,
    pool_bytes: int = 512 << 20,
    threads: int = 2,
    engine: str = DEFAULT,
) -> BuildReport:
    """Build a database file out of files that are all there.

    Args:
        path: Where the file is to be; there must be none.
        schema: The tables.
        files: For each table of the schema, by its name, the Parquet file with its rows, whose columns are
            the declared ones in the declared order. Keys must be unique and both ends of every edge exist.
        pool_bytes: Size of the engine's buffer pool, at least 256 MiB.
        threads: Threads that a load may use.
        engine: Name of the engine.

    Raises:
        InvalidInput: ``path`` exists, a table has no file or a file no table, or as `Loading.finish` tells.
        SourceUnavailable: The engine failed twice.
        DurabilityUncertain: The finished file could not be synced.
    """
    unmatched = sorted({table.name for table in schema.tables} ^ files.keys())
    if unmatched:
        raise InvalidInput(
            f"tables and files do not match: {', '.join(unmatched)}", hint="give one file for each table"
        )
    with Loading(path, pool_bytes=pool_bytes, threads=threads, engine=engine) as loading:
        for tables in by_label(schema, files):
            loading.add(tables)
        return loading.finish(schema, files)


def unfinished(path: Path) -> Path:
    """The name that a database file has while it is built."""
    return path.with_name(path.name + ".building")


def discard(path: Path) -> None:
    """Deletes a database file, where there is one, with the files that the engine keeps beside it."""
    for ending in ("", *SIDECARS):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def by_label(schema: GraphSchema, files: Mapping[str, Path]) -> list[TableFiles]:
    """The tables of each label with their files, in the order in which they can be loaded."""
    return [[(table, files[table.name]) for table in tables] for tables in schema.by_label()]


def _load(
    path: Path, labels: Iterable[TableFiles], *, pool_bytes: int, threads: int, engine: str
) -> dict[str, int]:
    rows: dict[str, int] = {}
    discard(path)
    with (
        Database(path, read_only=False, pool_bytes=pool_bytes, engine=engine) as database,
        database.connect(threads=threads) as connection,
    ):
        for tables in labels:
            connection.run(creation([table for table, _ in tables])).close()
            rows |= {table.name: _copy(connection, table, file) for table, file in tables}
        connection.run("CHECKPOINT").close()
    return rows


def _copy(connection: Connection, table: Table, file: Path) -> int:
    expected = _checked_rows(table, file)
    if not expected:
        return 0  # an empty load costs the engine as much as a small one
    _check_values(table, file)
    try:
        with connection.run(_copy_statement(table, file)) as result:
            message = str(result.rows()[0][0])
    except InvalidInput as error:
        raise InvalidInput(
            f"{table.name} cannot be loaded: {error}",
            hint="the keys of nodes must be unique and never null, and both ends of every edge must exist",
        ) from error
    loaded = int(message.split()[0])
    if loaded != expected:
        raise Corrupt(f"{table.name}: {loaded} of {expected} rows were loaded")
    return loaded


def _copy_statement(table: Table, file: Path) -> str:
    escaped = str(file).replace("\\", "\\\\").replace("'", "\\'")
    copy = f"COPY {quote(table.label)} FROM '{escaped}'"
    if isinstance(table, EdgeTable):
        return f"{copy} (from='{table.from_label}', to='{table.to_label}')"
    return copy


def _checked_rows(table: Table, file: Path) -> int:
    """Number of rows of a file that has the table's columns."""
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(file)
        schema = metadata.schema.to_arrow_schema()
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{file} for {table.name} cannot be read as Parquet: {error}", hint="write the file again"
        ) from error
    found = [(field.name, ColumnType.of(field.type)) for field in schema]
    if found != [(column.name, column.type) for column in table.columns]:
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        raise InvalidInput(
            f"{file} does not have the columns of {table.name}",
            hint=f"write exactly, in this order: {columns}",
        )
    return int(metadata.num_rows)


def _check_values(table: Table, file: Path) -> None:
    """Refuses what the engine would store as another value."""
    import pyarrow.parquet as pq

    numbers = {c.name for c in table.columns if c.type not in (ColumnType.STRING, ColumnType.STRINGS)}
    for batch in pq.ParquetFile(file).iter_batches(columns=sorted(numbers)) if numbers else ():
        for column in batch.schema.names:
            if _is_unstorable(batch.column(column)):
                raise InvalidInput(
                    f"column `{column}` of {table.name} has a NaN or the least int64, which cannot be stored",
                    hint="select null, or another value",
                )


def _is_unstorable(values: pa.Array) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(values.type):
        return bool(pc.any(pc.is_nan(values)).as_py())
    if pa.types.is_boolean(values.type):
        return False
    return bool(pc.any(pc.equal(values.view("int64"), _INT64_MIN)).as_py())


def _put_in_place(built: Path, path: Path) -> None:
    """Gives the finished file its name, once it is certain to survive a power cut."""
    left = [ending for ending in SIDECARS if built.with_name(built.name + ending).exists()]
    if left:
        discard(built)
        raise DurabilityUncertain(f"the engine left {', '.join(left)} behind when it closed {built.name}")
    try:
        sync(built)
        os.replace(built, path)
        sync(path.parent)
    except OSError as error:
        raise DurabilityUncertain(f"{path.name} could not be synced: {error}") from error
