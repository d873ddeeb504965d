"""Where a store lies: found by walking up from a folder, as git finds its own."""

from __future__ import annotations

from pathlib import Path

from graphsvc.errors import NotFound

__all__ = ["STORE_FOLDER", "find_store"]

STORE_FOLDER = ".graphsvc"


def find_store(start: Path) -> Path:
    """Folder of the nearest store at or above ``start``.

    Raises:
        NotFound: There is none.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / STORE_FOLDER).is_dir():
            return folder / STORE_FOLDER
    raise NotFound(f"no store at or above {start}", hint="run `graphsvc init` where the store is to be")
