"""Recreating a store: the one way on from a store that this version does not read.

Nothing of the old store is opened. Its folder is renamed, so that the old bytes stay as they are, and an empty
store takes its place.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.store import CanonicalStore, keep_out_of_git
from graphsvc.errors import DurabilityUncertain, InvalidInput, NotFound

__all__ = ["ResetReport", "reset"]

_SIGNS = ("store.json", "canonical.duckdb")
_MEMBER = re.compile(
    r"store\.json(\.\d+\.tmp)?|canonical\.duckdb(\.wal)?|generations|secret|\.gitignore|(write|rebuild)\.(lock|pid)"
)


@dataclass(frozen=True, slots=True)
class ResetReport:
    """What a reset did.

    Attributes:
        store: Folder of the store, which is empty now.
        kept: Where the old bytes are; None when they were discarded.
    """

    store: str
    kept: str | None

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)


def reset(folder: Path, *, keep: bool, wait: float) -> ResetReport:
    """Put the store in ``folder`` aside and make an empty one in its place.

    Args:
        folder: The store's folder, whatever state its marker and files are in.
        keep: Keep the old bytes beside it as ``<name>.reset-<n>``; otherwise delete them.
        wait: Longest wait in seconds for processes that write the store.

    Raises:
        NotFound: There is no such folder.
        InvalidInput: It holds no store, or something besides the store.
        StoreBusy: Another process is writing the store.
        DurabilityUncertain: The old folder could not be renamed or deleted.
    """
    folder = folder.resolve()
    _check_is_store(folder)
    # Let go again before the rename: some systems do not rename a folder with an open file in it.
    with exclusive(folder, "rebuild", wait=wait), exclusive(folder, "write", wait=wait):
        pass
    aside = _free_name(folder)
    try:
        folder.rename(aside)
    except OSError as error:
        raise DurabilityUncertain(f"{folder} could not be renamed: {error}") from error
    CanonicalStore.create(folder, wait=wait)
    if keep:
        keep_out_of_git(aside)
        return ResetReport(str(folder), str(aside))
    try:
        shutil.rmtree(aside)
    except OSError as error:
        raise DurabilityUncertain(f"{aside} could not be deleted: {error}") from error
    return ResetReport(str(folder), None)


def _check_is_store(folder: Path) -> None:
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}", hint="run `graphsvc init` to make a store")
    if not any((folder / name).is_file() for name in _SIGNS):
        raise InvalidInput(f"{folder} is not a store: nothing was touched", hint="name it with --store")
    foreign = sorted(path.name for path in folder.iterdir() if _MEMBER.fullmatch(path.name) is None)
    if foreign:
        raise InvalidInput(
            f"{folder} holds {foreign[0]}, which is not part of a store: nothing was touched",
            hint="move it elsewhere first",
        )


def _free_name(folder: Path) -> Path:
    number = 1
    while (aside := folder.with_name(f"{folder.name}.reset-{number}")).exists():
        number += 1
    return aside
