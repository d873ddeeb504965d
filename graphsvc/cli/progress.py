"""Progress on standard error: only on a terminal, and only of work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bars", "progress"]

_QUIET_SECONDS = 1.0


class Bars:
    """One bar a stage; shown from the first report on that comes after a second of work.

    Args:
        make: Makes the display.
        clock: Seconds now.
    """

    def __init__(self, make: Callable[[], Progress], clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._clock = clock
        self._begun = clock()
        self._display: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Take note of units done and units in all, where that is known."""
        if self._display is None:
            if self._clock() - self._begun < _QUIET_SECONDS:
                return
            self._display = self._make()
            self._display.start()
        if stage not in self._tasks:
            for earlier in self._tasks.values():
                self._display.stop_task(earlier)
            self._tasks[stage] = self._display.add_task(stage, total=total)
        self._display.update(self._tasks[stage], completed=done, total=total)

    def close(self) -> None:
        """Take the bars away."""
        if self._display is not None:
            self._display.stop()


@contextmanager
def progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """A callback for long work, good for the length of a ``with`` block."""
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    bars = Bars(_display)
    try:
        yield bars.report
    finally:
        bars.close()


def _display() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
