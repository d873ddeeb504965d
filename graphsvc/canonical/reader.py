"""Reading the canonical store: frames, rows and exact bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast

from graphsvc.canonical.packs import decompress
from graphsvc.canonical.sql import statement
from graphsvc.canonical.views import needed
from graphsvc.errors import BudgetExhausted, Corrupt, InvalidInput, NotFound, SourceUnavailable

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa

    from graphsvc.canonical.batch import Span

__all__ = ["Reader"]

_PACK = "SELECT byte_count, data FROM pack WHERE pack = $pack"
_PARTS = "SELECT segment, start_byte, end_byte FROM part WHERE document_id = $document ORDER BY ordinal"
_SIZE = "SELECT byte_count FROM document WHERE document_id = $document"

# A block's checksum, and the end of the file before its time: DuckDB has no classes for them.
_DAMAGED = ("Corrupt database file", "Could not read enough bytes")


_T = TypeVar("_T")


class Reader:
    """A read-only view of the store; good until the ``with store.read()`` block that made it ends."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._made: set[str] = set()
        self._answers: dict[object, Any] = {}

    def once(self, ask: Callable[[Reader], _T]) -> _T:
        """What ``ask`` finds out, asked once: the store does not change under a reader."""
        if ask not in self._answers:
            self._answers[ask] = ask(self)
        return cast(_T, self._answers[ask])

    def has_table(self, name: str) -> bool:
        """Whether the store has a table. The engine's own list of tables would load all of them."""
        import duckdb

        try:
            self._connection.table(name)
        except duckdb.CatalogException:
            return False
        return True

    @contextmanager
    def _ready(self, sql: str, tables: Mapping[str, pl.DataFrame]) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection with all that a statement uses, and DuckDB's errors in terms of ours."""
        import duckdb

        from graphsvc.canonical.connection import MEMORY_LIMIT

        for name, frame in tables.items():
            self._connection.register(name, frame.to_arrow())
        try:
            for definition in needed(sql, self._made):
                self._connection.execute(definition)
            yield self._connection
        except (duckdb.SerializationException, duckdb.InternalException, duckdb.FatalException) as error:
            raise Corrupt(f"the canonical store cannot be read: {error}") from error
        except duckdb.OutOfMemoryException as error:
            raise BudgetExhausted("the statement needs too much memory", limit=MEMORY_LIMIT) from error
        except duckdb.Error as error:
            if any(sign in str(error) for sign in _DAMAGED):
                raise Corrupt(f"the canonical store cannot be read: {error}") from error
            if isinstance(error, duckdb.IOException):
                raise SourceUnavailable(
                    f"the canonical store cannot be read: {error}",
                    hint="check the disk, then run `graphsvc verify`",
                ) from error
            raise InvalidInput(f"the statement was refused: {error}", hint="check the SQL") from error

    def arrow(self, sql: str, params: Mapping[str, Any] | None = None, **tables: pl.DataFrame) -> pa.Table:
        """Result of a query as an Arrow table.

        Args:
            sql: One SELECT.
            params: Values of its named parameters (``$name``).
            tables: Frames that it can use by name.

        Raises:
            InvalidInput: The statement is refused, or is no query.
            Corrupt: The file is damaged.
        """
        with self._ready(sql, tables) as connection:
            relation = connection.sql(sql, params=dict(params) if params else None)
            if relation is None:
                raise InvalidInput("the statement gives no rows", hint="write a SELECT")
            return relation.to_arrow_table()

    def frame(
        self, sql: str, params: Mapping[str, Any] | None = None, **tables: pl.DataFrame
    ) -> pl.DataFrame:
        """As `arrow`, as a polars frame."""
        import polars as pl

        return pl.DataFrame(self.arrow(sql, params, **tables))

    def rows(
        self, sql: str, params: Mapping[str, Any] | None = None, **tables: pl.DataFrame
    ) -> list[tuple[Any, ...]]:
        """As `arrow`, as tuples: for tens of rows, without the cost of frames."""
        with self._ready(sql, tables) as connection:
            return connection.execute(sql, dict(params) if params else None).fetchall()

    def table(
        self, sql: str, params: Mapping[str, Any] | None = None
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """As `rows`, with the names of the columns before them."""
        with self._ready(sql, {}) as connection:
            connection.execute(sql, dict(params) if params else None)
            names = tuple(column[0] for column in connection.description or ())
            return names, connection.fetchall()

    def statement(
        self, sql: str, params: Mapping[str, Any] | None = None, *, max_rows: int, seconds: float
    ) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """As `table`, for a statement from outside, within limits.

        Args:
            sql: Any one query.
            params: Values of its named parameters.
            max_rows: Rows to return at most.
            seconds: Time that it has.

        Raises:
            InvalidInput: The statement is refused, is no query, or is several.
            BudgetExhausted: It took too long, or too much memory.
        """
        from graphsvc.canonical.connection import lock_down

        with self._ready(sql, {}) as connection, _stopped_after(connection, seconds):
            lock_down(connection)
            _check_is_query(connection, sql)
            connection.execute(sql, dict(params) if params else None)
            names = tuple(column[0] for column in connection.description or ())
            return names, connection.fetchmany(max_rows)

    def run(self, sql: str, **tables: pl.DataFrame) -> None:
        """Run statements that make temporary tables, views or macros for later ones on this reader."""
        with self._ready(sql, tables) as connection:
            connection.execute(sql)

    def materialise(
        self, name: str, query: str, params: Mapping[str, Any] | None = None, **tables: pl.DataFrame
    ) -> None:
        """Make a temporary table of a query's rows, which later statements find in place of a view of its name.

        Args:
            name: The table.
            query: One SELECT, which may read the view.
            params: As for `arrow`.
            tables: As for `arrow`.
        """
        with self._ready(query, tables) as connection:
            connection.execute(f"CREATE TEMP TABLE materialised AS {query}", dict(params) if params else None)
            connection.execute(f'DROP VIEW IF EXISTS "{name}"')
            connection.execute(f'ALTER TABLE materialised RENAME TO "{name}"')
        self._made.add(name)

    def segments(self, wanted: Iterable[str]) -> dict[str, bytes]:
        """Bytes of segments by id; each pack is read and unpacked once.

        Raises:
            NotFound: One is not in the store.
            Corrupt: A pack is damaged.
        """
        ids = sorted(set(wanted))
        places = self.rows(statement("places"), {"wanted": ids}) if ids else []
        if len(places) < len(ids):
            absent = sorted(set(ids) - {row[0] for row in places})
            raise NotFound(f"{len(absent)} segments are not in the store, the first is {absent[0]}")
        by_pack: dict[int, list[tuple[str, int, int]]] = {}
        for segment, pack, start, size in places:
            by_pack.setdefault(pack, []).append((segment, start, size))
        found: dict[str, bytes] = {}
        for pack, members in by_pack.items():
            [(byte_count, data)] = self.rows(_PACK, {"pack": pack})
            unpacked = decompress(data, byte_count)
            for segment, start, size in members:
                found[segment] = unpacked[start : start + size]
        return found

    def spans(self, spans: Iterable[Span]) -> list[bytes]:
        """Exact bytes of evidence spans, in the order given."""
        spans = list(spans)
        segments = self.segments(span.segment for span in spans)
        return [segments[span.segment][span.start : span.end] for span in spans]

    def document(self, document_id: str) -> bytes:
        """A source document, rebuilt byte for byte from its parts.

        Raises:
            NotFound: The store has no part of it.
        """
        from graphsvc.canonical.batch import Span

        parts = [Span(*row) for row in self.rows(_PARTS, {"document": document_id})]
        if not parts and (0,) not in self.rows(_SIZE, {"document": document_id}):
            raise NotFound(f"the store has no bytes of document {document_id}")
        return b"".join(self.spans(parts))


@contextmanager
def _stopped_after(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    """Stop what the connection runs after a time; Ctrl-C stops it with the same exception and is let through."""
    import duckdb

    late = threading.Event()

    def stop() -> None:
        late.set()
        connection.interrupt()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        yield
    except duckdb.InterruptException as error:
        if not late.is_set():
            raise
        limit = f"{seconds:g} s"
        raise BudgetExhausted("the statement took too long and was stopped", limit=limit) from error
    finally:
        timer.cancel()


def _check_is_query(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Pass one SELECT, PIVOT (which is a MULTI) or EXPLAIN: all else has effects."""
    from duckdb import StatementType

    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("the statement is not UTF-8", hint="write it in Unicode text") from error
    kinds = [statement.type for statement in connection.extract_statements(sql)]
    if len(kinds) > 1:
        raise InvalidInput("more than one statement was given", hint="run one statement at a time")
    if not kinds or kinds[0] not in {StatementType.SELECT, StatementType.EXPLAIN, StatementType.MULTI}:
        raise InvalidInput("the statement was refused: it is no query", hint="write a SELECT")
