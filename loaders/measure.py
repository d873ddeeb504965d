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
    """Stages in the order in which they ran."""

    finished: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what runs inside the ``with`` block."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.finished.append(Stage(name, time.perf_counter() - begun, peak_memory()))


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
