"""Read-only answers from a published database file.

A published file never changes, so a reader may keep it open for as long as it likes. The engine must not open
one file twice in a process: closing either handle drops the lock of both. So all readers of a file share one
handle, which is closed with the last of them.

>>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
>>> from graphsvc.graph.build import build
>>> from graphsvc.graph.schema import GraphSchema, NodeTable
>>> folder = Path(tempfile.mkdtemp())
>>> people = pa.table({"id": ["ada", "bob"], "born": [1815, 1912]})
>>> pq.write_table(people, folder / "person.parquet")
>>> schema = GraphSchema((NodeTable.from_arrow("Person", people.schema),), ())
>>> _ = build(folder / "graph.kuzu", schema, {"Person": folder / "person.parquet"})
>>> with GraphReader.open(folder / "graph.kuzu") as reader:
...     answer = reader.rows("MATCH (p:Person) WHERE p.id = $id RETURN p.born AS born", {"id": "ada"})
>>> list(answer), answer.truncated
([{'born': 1815}], False)
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.graph.engine import DEFAULT, MIN_POOL_BYTES, Connection, Database, Result
from graphsvc.graph.statement import check_parameters, check_reads_only

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowRows", "GraphReader", "Rows"]


@dataclass(frozen=True, slots=True)
class Rows(Sequence[dict[str, Any]]):
    """Rows of an answer, each a dictionary by column name.

    Args:
        columns: Names of the columns, also when there is no row.
        items: The rows. Timestamps are naive and in UTC. Nodes, edges and paths are dictionaries in the
            engine's form; the ``_id`` in them means something only within one file.
        truncated: Whether the statement had more rows than were asked for.
    """

    columns: tuple[str, ...]
    items: tuple[dict[str, Any], ...]
    truncated: bool

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[dict[str, Any], ...]: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | tuple[dict[str, Any], ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class ArrowRows:
    """Rows of an answer as an Arrow table.

    Args:
        table: The rows; timestamps are microseconds without a zone, in UTC.
        truncated: Whether the statement had more rows than were asked for.
    """

    table: pa.Table
    truncated: bool


class GraphReader:
    """Read-only access to one database file; made by :meth:`open`, usable from several threads at once.

    Args:
        handle: The open file.
        max_rows: Rows that an answer has at most, unless the call says otherwise.
        timeout_seconds: Time that a statement has, unless the call says otherwise.
    """

    def __init__(self, handle: _Handle, *, max_rows: int, timeout_seconds: float) -> None:
        self._handle = handle
        self._max_rows = max_rows
        self._timeout_seconds = timeout_seconds
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        max_rows: int = 100_000,
        timeout_seconds: float = 30.0,
        pool_bytes: int = MIN_POOL_BYTES,
        threads: int = 2,
        engine: str = DEFAULT,
    ) -> GraphReader:
        """Opens a database file; the caller has checked its seal.

        Args:
            path: The file.
            max_rows: Rows that an answer has at most.
            timeout_seconds: Time that a statement has.
            pool_bytes: Size of the buffer pool, at least 256 MiB. The first reader of a file decides.
            threads: Threads that a statement may use. The first reader of a file decides.
            engine: Name of the engine.

        Raises:
            NotFound: There is no such file.
            StoreBusy: Another process has it open for writing.
            Corrupt: The engine cannot open it.
        """
        handle = _Handle.acquire(path, pool_bytes=pool_bytes, threads=threads, engine=engine)
        return cls(handle, max_rows=max_rows, timeout_seconds=timeout_seconds)

    def rows(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        max_rows: int | None = None,
        timeout_seconds: float | None = None,
    ) -> Rows:
        """Runs one reading statement; for tens of rows this is the quickest form.

        Args:
            cypher: The statement.
            parameters: A value for each parameter, by its name without ``$``. To look up many keys, call this
                once a key: ``UNWIND $keys AS key MATCH ...`` scans the whole table.
            max_rows: Rows to return at most.
            timeout_seconds: Time that the statement has.

        Raises:
            InvalidInput: The statement or a parameter is wrong; the message says where.
            Denied: The statement does more than read the graph.
            BudgetExhausted: It took too long, or more memory than the buffer pool has.
            Corrupt: The engine failed, as it does on a damaged file.
        """
        limit = self._max_rows if max_rows is None else max_rows
        with self._run(cypher, parameters, timeout_seconds) as result:
            columns = result.columns
            items = tuple(dict(zip(columns, row, strict=True)) for row in result.rows(limit))
            return Rows(columns, items, result.count > limit)

    def arrow(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        max_rows: int | None = None,
        timeout_seconds: float | None = None,
    ) -> ArrowRows:
        """Runs one reading statement; arguments and errors are those of :meth:`rows`."""
        limit = self._max_rows if max_rows is None else max_rows
        with self._run(cypher, parameters, timeout_seconds) as result:
            return ArrowRows(result.arrow().slice(0, limit), result.count > limit)

    def close(self) -> None:
        """Gives the file back; statements that still run in other threads end first."""
        if not self._closed:
            self._closed = True
            self._handle.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _run(
        self, cypher: str, parameters: Mapping[str, Any] | None, timeout_seconds: float | None
    ) -> Iterator[Result]:
        if self._closed:
            raise InvalidInput("the graph reader is closed", hint="open it again")
        parameters = parameters or {}
        check_reads_only(cypher)
        check_parameters(cypher, parameters)
        limit = self._timeout_seconds if timeout_seconds is None else timeout_seconds
        with (
            self._handle.connection() as connection,
            connection.run(cypher, parameters, timeout_seconds=limit) as result,
        ):
            yield result


class _Handle:
    """The one handle of this process on a file, counted by its readers and the statements that run."""

    _open: ClassVar[dict[tuple[int, int], _Handle]] = {}
    _lock = threading.Lock()

    def __init__(self, key: tuple[int, int], database: Database, threads: int) -> None:
        self._key = key
        self._database = database
        self._threads = threads
        self._idle: list[Connection] = []
        self._users = 0

    @classmethod
    def acquire(cls, path: Path, *, pool_bytes: int, threads: int, engine: str) -> _Handle:
        with cls._lock:
            try:
                stat = path.stat()
            except OSError as error:
                raise NotFound(f"there is no graph at {path}", hint="run `graphsvc rebuild`") from error
            # By what the path leads to: a link and a renamed file are the same file.
            key = (stat.st_dev, stat.st_ino)
            handle = cls._open.get(key)
            if handle is None:
                database = Database(path, read_only=True, pool_bytes=pool_bytes, engine=engine)
                handle = cls._open[key] = cls(key, database, threads)
            handle._users += 1
            return handle

    def release(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users:
                return
            del self._open[self._key]
            for connection in self._idle:
                connection.close()
            self._database.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection that no other thread uses meanwhile; prepared statements stay with it."""
        with self._lock:
            self._users += 1
            connection = self._idle.pop() if self._idle else None
        try:
            connection = connection or self._database.connect(threads=self._threads)
            yield connection
        finally:
            with self._lock:
                if connection:
                    self._idle.append(connection)
            self.release()
