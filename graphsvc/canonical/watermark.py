"""The canonical watermark: the state of evidence that a graph generation is bound to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader

__all__ = ["Watermark", "watermark"]

_HEAD = "SELECT number, digest FROM receipt ORDER BY number DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class Watermark:
    """The digest of all cursors and the receipt chain's head, and the number of that head (0 without one)."""

    digest: str
    receipt: int


def watermark(reader: Reader) -> Watermark:
    """The store's watermark now."""
    cursors = reader.rows(sql.load("graphsvc.canonical", "watermark.sql"))
    head = reader.rows(_HEAD)
    number, digest = head[0] if head else (0, "")
    vector = json.dumps([cursors, digest], separators=(",", ":")).encode()
    return Watermark(hashlib.sha256(vector).hexdigest(), number)
