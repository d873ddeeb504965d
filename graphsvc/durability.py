"""Making sure that what was written survives a power cut."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["sync"]


def sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk.

    Raises:
        OSError: The disk did not confirm it.
    """
    if sys.platform == "win32" and path.is_dir():
        return  # Windows has no handle on a folder; it writes names with the files
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
