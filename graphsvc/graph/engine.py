"""The adapter to the graph engine: the one module that imports it.

The engine is Kuzu 0.11.3. Its maintained fork ``ladybug`` has the same interface and another file format, so
it can be named wherever an engine can; it brings no extensions, so nothing here needs one. The two register
the same native types and crash when both are loaded, hence one engine for each process.

Everything that an engine raises becomes an error of :mod:`graphsvc.errors` here. What its planner makes slow
is worth knowing to whoever writes Cypher: ``UNWIND $keys MATCH ...`` scans where a loop over one prepared
statement uses the key index (2 s against 63 ms for 50 keys), and so does an integer parameter compared with a
key, which is why every key is a string. A parameter that is not given counts as null; the reader refuses it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphsvc.errors import BudgetExhausted, Corrupt, Denied, GraphsvcError, InvalidInput, StoreBusy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DEFAULT", "ENGINES", "Connection", "Database", "Result", "installed", "version"]

ENGINES = ("kuzu", "ladybug")
DEFAULT = "kuzu"

# Below 256 MiB the engine fails to open, and its own default is 80 % of the machine's memory.
MIN_POOL_BYTES = 256 << 20

_STATEMENTS_KEPT = 64

_POSITION = re.compile(r"\(line: (\d+), offset: (\d+)\)")

# How the engine's messages begin where the statement or its input is at fault, not the file.
_CALLER_AT_FAULT = tuple(
    f"{kind} exception:"
    for kind in ("Parser", "Binder", "Catalog", "Conversion", "Overflow", "Runtime", "Function", "Copy")
)

_NO_CAST = "Unable to cast Python instance"
_OUT_OF_POOL = "Buffer manager exception"
_ENGINE_AT_FAULT = (_OUT_OF_POOL, "invalid node offset")


def installed() -> tuple[str, ...]:
    """Names of the engines that can be imported, the default first."""
    return tuple(name for name in ENGINES if importlib.util.find_spec(name))


def version(engine: str = DEFAULT) -> str:
    """Version of an engine.

    Raises:
        InvalidInput: It is unknown, not installed, or the process has loaded the other one.

    >>> version()
    '0.11.3'
    """
    return str(_load(engine).__version__)


class _Closing:
    """Something that a with block closes."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Database(_Closing):
    """An open database file.

    Args:
        path: The file; created when absent and ``read_only`` is false.
        read_only: Whether writing is refused.
        pool_bytes: Size of the buffer pool, at least 256 MiB.
        engine: Name of the engine.

    Raises:
        InvalidInput: The engine cannot be loaded.
        StoreBusy: Another process has the file open for writing.
        Corrupt: The engine cannot open the file.

    The file must not be open in this process already: closing either handle would drop the lock of both.
    """

    def __init__(self, path: Path, *, read_only: bool, pool_bytes: int, engine: str = DEFAULT) -> None:
        self._engine = _load(engine)
        self._pool_bytes = pool_bytes
        with _engine_errors(pool_bytes):
            self._database = self._engine.Database(
                str(path), read_only=read_only, buffer_pool_size=pool_bytes
            )

    def connect(self, *, threads: int) -> Connection:
        """A new connection, for one thread at a time, whose queries use up to ``threads`` threads."""
        with _engine_errors(self._pool_bytes):
            connection = self._engine.Connection(self._database, num_threads=threads)
        return Connection(self._engine, connection, self._pool_bytes)

    def close(self) -> None:
        """Closes the file; the connections must be closed before."""
        with _engine_errors(self._pool_bytes):
            self._database.close()


class Connection(_Closing):
    """A connection to an open database; not to be used by two threads at once."""

    def __init__(self, engine: ModuleType, connection: Any, pool_bytes: int) -> None:
        self._engine = engine
        self._connection = connection
        self._pool_bytes = pool_bytes
        self._timeout_ms = 0
        self._statements: OrderedDict[tuple[object, ...], Any] = OrderedDict()

    def run(
        self,
        cypher: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> Result:
        """Runs one statement to its end.

        Args:
            cypher: The statement.
            parameters: Values of its parameters by name without ``$``. A name without a value counts as null.
            timeout_seconds: When to stop it; never, where none is given.

        Raises:
            InvalidInput: The statement, a parameter or the data that it loads is wrong.
            Denied: It writes and the database is read-only.
            BudgetExhausted: It took too long or needed more than the buffer pool.
            Corrupt: The engine failed in another way.
        """
        values = dict(parameters or {})
        with _engine_errors(self._pool_bytes), _statement_errors(timeout_seconds):
            self._set_timeout(timeout_seconds)
            statement = self._prepared(cypher, values) if values else cypher
            result = self._connection.execute(statement, values)
        if isinstance(result, list):
            raise InvalidInput("more than one statement was given", hint="run one statement at a time")
        return Result(result, self._pool_bytes)

    def close(self) -> None:
        """Closes the connection; its results must be closed before."""
        self._statements.clear()
        with _engine_errors(self._pool_bytes):
            self._connection.close()

    def _prepared(self, cypher: str, values: Mapping[str, Any]) -> Any:
        """The prepared statement; the engine fixes the types of parameters when it prepares."""
        key = (cypher, *sorted((name, type(value).__name__) for name, value in values.items()))
        if key not in self._statements:
            self._statements[key] = self._engine.PreparedStatement(self._connection, cypher, dict(values))
            if len(self._statements) > _STATEMENTS_KEPT:
                self._statements.popitem(last=False)
        self._statements.move_to_end(key)
        return self._statements[key]

    def _set_timeout(self, seconds: float | None) -> None:
        milliseconds = 0 if seconds is None else max(1, round(seconds * 1000))
        if milliseconds != self._timeout_ms:
            self._connection.set_query_timeout(milliseconds)
            self._timeout_ms = milliseconds


class Result(_Closing):
    """The rows that a statement returned."""

    def __init__(self, result: Any, pool_bytes: int) -> None:
        self._result = result
        self._pool_bytes = pool_bytes

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._result.get_column_names())

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self._result.get_num_tuples())

    def rows(self, limit: int | None = None) -> list[list[Any]]:
        """The first rows as Python values; timestamps are naive and in UTC."""
        with _engine_errors(self._pool_bytes):
            return list(self._result.get_all() if limit is None else self._result.get_n(limit))

    def arrow(self) -> pa.Table:
        """All rows as an Arrow table; timestamps are microseconds without a zone, in UTC."""
        with _engine_errors(self._pool_bytes):
            return self._result.get_as_arrow(max(1, self.count))

    def close(self) -> None:
        """Frees the rows."""
        self._result.close()


def _load(engine: str) -> ModuleType:
    if engine not in ENGINES:
        raise InvalidInput(f"{engine} is no graph engine", hint=f"name one of {', '.join(ENGINES)}")
    for other in ENGINES:
        if other != engine and other in sys.modules:
            raise InvalidInput(
                f"{engine} cannot be loaded beside {other}", hint=f"use {engine} in a process of its own"
            )
    try:
        return importlib.import_module(engine)
    except ImportError as error:
        raise InvalidInput(
            f"the graph engine {engine} cannot be loaded: {error}", hint=f"install the package {engine}"
        ) from error


@contextmanager
def _engine_errors(pool_bytes: int) -> Iterator[None]:
    """Errors of the engine and its file, whatever was being done."""
    try:
        yield
    except GraphsvcError:
        raise
    # A damaged file makes the engine raise nearly anything, UnicodeDecodeError and IndexError included.
    except Exception as error:
        message = str(error)
        if _OUT_OF_POOL in message:
            raise BudgetExhausted(
                "the graph engine needs more memory than its buffer pool has", limit=f"{pool_bytes >> 20} MiB"
            ) from error
        if "Could not set lock" in message:
            raise StoreBusy("another process is writing the graph file") from error
        raise Corrupt(f"the graph engine failed: {type(error).__name__}: {_first_line(message)}") from error


@contextmanager
def _statement_errors(timeout_seconds: float | None) -> Iterator[None]:
    """Errors that are due to the statement that runs; all others pass."""
    try:
        yield
    except RuntimeError as error:
        message = str(error)
        if message.startswith("Interrupted"):
            limit = "no limit" if timeout_seconds is None else f"{timeout_seconds:g} s"
            raise BudgetExhausted("the statement took too long and was stopped", limit=limit) from error
        if "read-only database" in message:
            raise Denied(
                "the graph is read-only", hint="a graph changes only by `graphsvc rebuild`"
            ) from error
        if message.startswith(_NO_CAST):
            raise InvalidInput(
                "a parameter is of no type that the graph has, or is no Unicode text",
                hint="give numbers, text, times, or lists of them",
            ) from error
        if message.startswith(_CALLER_AT_FAULT) and not any(sign in message for sign in _ENGINE_AT_FAULT):
            raise InvalidInput(
                _located(message), hint="correct the statement, its parameters or the rows that it loads"
            ) from error
        raise


def _located(message: str) -> str:
    """The first line of a message, with the place in the statement in front where the engine names one.

    >>> _located("Parser exception: Invalid input <RETURN>: expected rule (line: 1, offset: 9)")
    'line 1, column 10: Invalid input <RETURN>: expected rule'
    """
    text = _first_line(message).partition(" exception: ")[2] or _first_line(message)
    place = _POSITION.search(text)
    if place is None:
        return text
    line, offset = map(int, place.groups())
    return f"line {line}, column {offset + 1}: {_POSITION.sub('', text).strip()}"


def _first_line(message: str) -> str:
    return message.strip().partition("\n")[0]
