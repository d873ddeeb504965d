"""An extractor that does to its process what a faulty parser may do."""

from __future__ import annotations

import os
import time

from loaders.extraction import Extraction, extract


def misbehave(data: bytes, language: str, *, seconds: float) -> Extraction:
    """Hang, stop inside the answer, end the process or raise, as the data says; else extract."""
    if data == b"hang":
        time.sleep(60)
    if data == b"stall":
        os.write(1, (1000).to_bytes(8, "little") + b"half an answer")
        time.sleep(60)
    if data == b"crash":
        os.abort()
    if data == b"raise":
        raise KeyError("table")
    return extract(data, language, seconds=seconds)
