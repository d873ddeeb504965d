"""Progress on standard error: bars on a terminal, elsewhere a line for each stage that takes long."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bars", "Lines", "progress"]

_QUIET_SECONDS = 1.0
_LONG_SECONDS = 5.0


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


class Lines:
    """One plain line a stage that takes longer than a few seconds: while it is at work if it tells of that, else after.

    Args:
        write: Writes a line.
        clock: Seconds now.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._stage: str | None = None
        self._begun = 0.0
        self._is_told = False

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Take note of units done and units in all, where that is known."""
        if stage != self._stage:
            self.close()
            self._stage, self._begun, self._is_told = stage, self._clock(), False
        else:
            self._tell(f"{done} of {total} after" if total else f"{done} after")

    def close(self) -> None:
        """The last stage has ended."""
        self._tell("done in")

    def _tell(self, how: str) -> None:
        seconds = self._clock() - self._begun
        if self._stage is not None and not self._is_told and seconds >= _LONG_SECONDS:
            self._write(f"{self._stage}: {how} {seconds:.0f} s")
            self._is_told = True


@contextmanager
def progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """A callback for long work, good for the length of a ``with`` block."""
    shown = Bars(_display) if sys.stderr.isatty() else Lines(partial(click.echo, err=True))
    try:
        yield shown.report
    finally:
        shown.close()


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
