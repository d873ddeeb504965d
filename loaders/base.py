"""What every loader has in common: its source, its report and how it tells of progress."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore

__all__ = ["Loader", "Progress", "Source", "SourceReport", "silent"]

Progress = Callable[[str, int, int | None], None]
"""Called with the stage's name, the units done and the units in all, where that is known."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Progress that nobody watches."""


@dataclass
class SourceReport:
    """What a refresh of one source did.

    Attributes:
        source: The source.
        read: Work done, for example ``blobs``, ``bytes``, ``lines``; all zero when nothing is new.
        admitted: New events per kind.
        skipped: What was left out on purpose, per reason.
        faults: What could not be used, per fault kind.
        seconds: Wall time.
    """

    source: Source
    read: Counter[str] = field(default_factory=Counter)
    admitted: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "name": self.source.name,
            "loader": self.source.loader,
            "source_id": self.source.source_id,
            "read": dict(self.read),
            "admitted": dict(self.admitted),
            "skipped": dict(self.skipped),
            "faults": dict(self.faults),
            "seconds": round(self.seconds, 3),
        }


class Loader(Protocol):
    """A module of ``loaders`` that reads one kind of source."""

    def refresh(self, source: Source, store: CanonicalStore, progress: Progress) -> SourceReport:
        """Read from the source's cursor on, admit batches, and say what was done."""
        ...
