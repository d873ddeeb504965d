"""Admission beside the reading of a source: while one batch is compressed and committed, the next is parsed."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from graphsvc.canonical.batch import Batch, Cursor
from graphsvc.canonical.store import CanonicalStore

__all__ = ["Pipeline"]


class Pipeline:
    """Admits the batches of one source, one after the other, in a thread of its own; use it in a ``with`` block.

    At most one batch waits, so memory stays bounded by two batches. An error of a batch is raised by the next
    call, and nothing after that batch is admitted.

    Args:
        store: The store.
        cursor: The source's cursor when its reading began; each batch expects what the one before it left.

    Attributes:
        admitted: New events per kind, of all batches that are committed; whole once the block has ended.
    """

    def __init__(self, store: CanonicalStore, cursor: Cursor | None) -> None:
        self.admitted: Counter[str] = Counter()
        self._store = store
        self._cursor = cursor
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="admission")
        self._last: Future[None] | None = None

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self.wait()
        finally:
            self._thread.shutdown()

    def admit(self, batch: Batch) -> None:
        """Take a batch, once the one before it is committed; the caller must not touch it any more.

        Raises:
            GraphsvcError: Whatever `CanonicalStore.admit` raised for the batch before.
        """
        self.wait()
        self._last = self._thread.submit(self._admit, batch)

    def wait(self) -> None:
        """Wait until all batches are committed.

        Raises:
            GraphsvcError: Whatever `CanonicalStore.admit` raised.
        """
        if self._last is not None:
            last, self._last = self._last, None
            last.result()

    def _admit(self, batch: Batch) -> None:
        batch.expected = self._cursor
        receipt = self._store.admit(batch)
        self.admitted.update(receipt.counts)
        if receipt.number is not None:
            moved = batch.generation, batch.position, batch.content_digest
            self._cursor = Cursor(batch.source_id, *moved, receipt.seq_hi)
