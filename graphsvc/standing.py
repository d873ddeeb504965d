"""What a store has at present, remembered for as long as its file does not change: opening the file to ask for it
costs more than most searches do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from graphsvc.canonical.registry import Source
    from graphsvc.canonical.store import CanonicalStore

__all__ = ["Standing", "StandingOf"]


class Standing(NamedTuple):
    """What a store has.

    Attributes:
        watermark: Digest of its evidence.
        sources: Its registered sources.
        newest: Number of its newest generation; None before the first.
    """

    watermark: str
    sources: tuple[Source, ...]
    newest: int | None


class StandingOf:
    """The standing of a store.

    Args:
        store: The store.
    """

    def __init__(self, store: CanonicalStore) -> None:
        self._store = store
        self._state: object = None
        self._known: Standing | None = None

    def now(self) -> Standing:
        """The present standing, read again where the file has changed.

        Raises:
            StoreBusy: A writer holds the store.
        """
        state = (_state(self._store.path), _state(self._store.path.with_name(self._store.path.name + ".wal")))
        if self._known is None or state != self._state:
            self._known, self._state = self._read(), state
        return self._known

    def _read(self) -> Standing:
        from graphsvc.canonical.registry import sources
        from graphsvc.canonical.watermark import watermark

        with self._store.read() as reader:
            [(newest,)] = reader.rows("SELECT max(number) FROM generation")
            return Standing(watermark(reader).digest, tuple(sources(reader)), newest)


def _state(path: Path) -> tuple[int, int, int] | None:
    """What changes when a file does; None where there is none."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
