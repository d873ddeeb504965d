"""The canonical store of one folder: where sources are registered, batches admitted and evidence read."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.marker import Marker, read_marker, write_marker
from graphsvc.canonical.sql import statement
from graphsvc.errors import Corrupt, DurabilityUncertain, InvalidInput, SourceUnavailable
from graphsvc.kinds import schema_fingerprint

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    from graphsvc.canonical.admission import Receipt
    from graphsvc.canonical.batch import Batch, Cursor
    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.registry import Generation, Source

__all__ = ["DEFAULT_WAIT", "CanonicalStore", "keep_out_of_git"]

DEFAULT_WAIT = 10.0
"""Longest wait for a lock in seconds."""

_FILE = "canonical.duckdb"
_SECRET = "secret"
_GITIGNORE = ".gitignore"
_KNOWN = "SELECT segment FROM segment SEMI JOIN wanted USING (segment)"


class CanonicalStore:
    """Handle of a store's canonical part. It holds no file open between calls.

    Args:
        folder: The store's folder.
        wait: Longest wait for a lock in seconds.

    Raises:
        ResetRequired: The folder holds no store that this version reads.
    """

    def __init__(self, folder: Path, *, wait: float = DEFAULT_WAIT) -> None:
        self.folder = folder
        self.wait = wait
        self.marker = read_marker(folder, schema_fingerprint=schema_fingerprint())
        self.path = folder / _FILE

    @classmethod
    def create(cls, folder: Path, *, wait: float = DEFAULT_WAIT) -> CanonicalStore:
        """Make an empty store in ``folder``, which must not hold anything yet.

        Raises:
            InvalidInput: The folder is not empty.
            SourceUnavailable: It cannot be made or written.
            DurabilityUncertain: The disk did not take what was written.
        """
        import duckdb

        from graphsvc.canonical.schema import statements

        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SourceUnavailable(f"{folder} cannot be made: {error.strerror}") from error
        with exclusive(folder, "write", wait=wait):
            if any(path.name not in {"write.lock", "write.pid"} for path in folder.iterdir()):
                raise InvalidInput(
                    f"{folder} is not empty", hint="run `graphsvc reset` to recreate a store that is there"
                )
            try:
                with duckdb.connect(str(folder / _FILE)) as connection:
                    for statement in statements():
                        connection.execute(statement)
                secret = folder / _SECRET
                secret.touch(mode=0o600)
                secret.write_bytes(secrets.token_bytes(32))
            except (duckdb.Error, OSError) as error:
                raise DurabilityUncertain(f"{folder} could not be written: {error}") from error
            keep_out_of_git(folder)
            write_marker(folder, Marker.new(schema_fingerprint(), f"duckdb {duckdb.__version__}"))
        return cls(folder, wait=wait)

    @contextmanager
    def read(self) -> Iterator[Reader]:
        """A reader for the length of a ``with`` block; keep the block short, writers wait for it.

        Raises:
            StoreBusy: A writer holds the store longer than ``wait``.
            Corrupt: The file cannot be read.
        """
        from graphsvc.canonical.connection import reading
        from graphsvc.canonical.reader import Reader

        with reading(self.path, wait=self.wait) as connection:
            yield Reader(connection)

    def secret(self) -> bytes:
        """The store's own secret, which signs what it gives out to get back.

        Raises:
            Corrupt: The file is missing or empty.
        """
        try:
            secret = (self.folder / _SECRET).read_bytes()
        except OSError as error:
            raise Corrupt(f"the store's secret cannot be read: {error}") from error
        if not secret:
            raise Corrupt("the store's secret is empty")
        return secret

    def cursor(self, source_id: str) -> Cursor | None:
        """How far a source has been read; None before its first batch."""
        from graphsvc.canonical.batch import Cursor

        with self.read() as reader:
            rows = reader.rows(statement("cursor"), {"source": source_id})
        return Cursor(*rows[0]) if rows else None

    def admit(self, batch: Batch) -> Receipt:
        """Commit a batch: segments, parts, events and the cursor's new position, or nothing.

        Compression happens before the lock is taken. Events, segments and parts that the store has already
        are left out and not counted.

        Raises:
            Conflict: Another writer moved the source's cursor meanwhile.
            StoreBusy: Another process holds the lock longer than ``wait``.
            DurabilityUncertain: The commit was not confirmed.
        """
        import polars as pl

        from graphsvc.canonical.admission import admit, stage
        from graphsvc.canonical.merging import merge_after_small_batches

        known: list[str] = []
        if batch.segments:
            wanted = pl.DataFrame({"segment": list(batch.segments)}, schema={"segment": pl.String})
            with self.read() as reader:
                known = [row[0] for row in reader.rows(_KNOWN, wanted=wanted)]
        staged = stage(batch, known)
        with self._write() as connection:
            receipt = admit(connection, staged)
            if receipt.number is not None:
                merge_after_small_batches(connection, receipt.number)
        return receipt

    def sources(self) -> list[Source]:
        """Registered sources by name."""
        from graphsvc.canonical.registry import sources

        with self.read() as reader:
            return sources(reader)

    def register(self, *sources: Source) -> None:
        """Register sources, or replace where those of the same identity lie and how they are read."""
        from graphsvc.canonical.registry import register

        with self._write() as connection:
            for source in sources:
                register(connection, source)

    def unregister(self, source_id: str) -> None:
        """Forget where a source lies; what was read from it stays."""
        from graphsvc.canonical.registry import unregister

        with self._write() as connection:
            unregister(connection, source_id)

    def mark_processed(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows to the log of processed sessions: session, consumer, content digest, time in UTC, note."""
        from graphsvc.canonical.registry import mark_processed

        if rows:
            with self._write() as connection:
                mark_processed(connection, rows)

    def generations(self) -> list[Generation]:
        """Published graph generations, newest first."""
        from graphsvc.canonical.registry import generations

        with self.read() as reader:
            return generations(reader)

    def publish(self, generation: Generation, *, expected_head: int | None) -> None:
        """Make a verified generation the one that readers get.

        Raises:
            Conflict: Another generation was published since ``expected_head`` was read.
        """
        from graphsvc.canonical.registry import publish

        with self._write() as connection:
            publish(connection, generation, expected_head=expected_head)

    def add_text_index(self, number: int, said: Mapping[str, Any]) -> None:
        """Tell of the text index that a published generation has now."""
        from graphsvc.canonical.registry import add_text_index

        with self._write() as connection:
            add_text_index(connection, number, said)

    def prepare_derived(self, rules: str) -> None:
        """Have derived tables that were made by ``rules``, empty where there are none yet."""
        from graphsvc.canonical.derived import prepare

        with self._write() as connection:
            prepare(connection, rules)

    def add_derived(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Add rows to derived tables, all or none; columns as in `graphsvc.kinds.DERIVED`."""
        from graphsvc.canonical.derived import add

        with self._write() as connection:
            add(connection, tables)

    def replace_derived(
        self, tables: Mapping[str, pl.DataFrame], *, watermark: str, counts: Mapping[str, Any]
    ) -> None:
        """Give derived tables other rows, and say which watermark all of them cover now."""
        from graphsvc.canonical.derived import replace

        with self._write() as connection:
            replace(connection, tables, watermark=watermark, counts=counts)

    @contextmanager
    def _write(self) -> Iterator[duckdb.DuckDBPyConnection]:
        from graphsvc.canonical.connection import writing

        with (
            exclusive(self.folder, "write", wait=self.wait),
            writing(self.path, wait=self.wait) as connection,
        ):
            yield connection


def keep_out_of_git(folder: Path) -> None:
    """Have git ignore a store's folder, wherever it lies.

    Raises:
        DurabilityUncertain: It cannot be written.
    """
    try:
        (folder / _GITIGNORE).write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise DurabilityUncertain(f"{folder} could not be written: {error}") from error
