"""Seconds and peak memory of the stages of a rebuild."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

__all__ = ["Stage", "Stages", "peak_memory"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: its name, wall time in seconds, and the process's peak memory in bytes when it ended."""

    name: str
    seconds: float
    peak_memory: int | None


@dataclass
class Stages:
    """Stages in the order in which they ended; what runs within a stage inside of another counts for the inner one.

    Attributes:
        finished: The stages.
    """

    finished: list[Stage] = field(default_factory=list)
    _inner_seconds: float = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what runs inside the ``with`` block."""
        begun, counted = time.perf_counter(), self._inner_seconds
        self._inner_seconds = 0.0
        try:
            yield
        finally:
            seconds = time.perf_counter() - begun
            self.finished.append(Stage(name, seconds - self._inner_seconds, peak_memory()))
            self._inner_seconds = counted + seconds


def peak_memory() -> int | None:
    """Largest resident size so far of this process or of one of its ended children, in bytes; None where the
    system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * max(
        resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
