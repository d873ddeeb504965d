"""Extractors that do to their process what a faulty parser may do, or tell of it."""

from __future__ import annotations

import os
import time
from pathlib import Path

from loaders.extraction import Extraction
from loaders.parsing import extract


def misbehave(data: bytes, language: str, *, seconds: float) -> Extraction:
    """Hang, stop inside the answer (always, or until a file is there), end the process or raise; else extract."""
    if data == b"hang":
        time.sleep(60)
    if data == b"stall":
        os.write(1, (1000).to_bytes(8, "little") + b"half an answer")
        time.sleep(60)
    if data.startswith(b"once "):
        mark = Path(data.decode().removeprefix("once "))
        if not mark.exists():
            mark.touch()
            os.write(1, (1000).to_bytes(8, "little") + b"half an answer")
            time.sleep(60)
        data = b"def once(): 1"
    if data == b"crash":
        os.abort()
    if data == b"raise":
        raise KeyError("table")
    return extract(data, language, seconds=seconds)


def process(data: bytes, language: str, *, seconds: float) -> int:
    """The number of the process, whatever the file is."""
    return os.getpid()
