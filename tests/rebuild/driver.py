"""A rebuild that kills its own process at a chosen point: ``python -m tests.rebuild.driver STORE POINT``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphsvc.canonical.store import CanonicalStore
from graphsvc.knowledge import KnowledgeBase
from loaders import generation

POINTS = (
    "before admit 1",
    "after admit 1",
    "after admit 2",
    "after admit 3",
    "before project 1",
    "after project 1",
    "before create 1",
    "after create 1",
    "before publish 1",
    "after publish 1",
)
"""Before and after the n-th call of each step of a rebuild; nothing is stored between one admission and the next."""


def main(store: Path, point: str) -> None:
    """Rebuild, and end the process without any warning when ``point`` is reached."""
    when, step, number = point.split()
    calls = 0

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == int(number) and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*arguments, **options)
            if calls == int(number):
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    owner: Any = CanonicalStore if step in {"admit", "publish"} else generation
    setattr(owner, step, deadly(getattr(owner, step)))
    KnowledgeBase.open(store).rebuild()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
