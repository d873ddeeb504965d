"""Where a store lies: found by walking up from a folder, as git finds its own."""

from __future__ import annotations

from pathlib import Path

from graphsvc.errors import NotFound

__all__ = ["STORE_FOLDER", "find_store", "find_work_tree", "store_in"]

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


def store_in(folder: Path) -> Path:
    """Folder of the store that ``folder`` names: itself, or the ``.graphsvc`` in it.

    Raises:
        NotFound: There is no such folder.
    """
    inner = folder / STORE_FOLDER
    if inner.is_dir():
        return inner
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}", hint="run `graphsvc init` to make a store")
    return folder


def find_work_tree(start: Path) -> Path | None:
    """Root of the git work tree that ``start`` lies in, None outside of one."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
