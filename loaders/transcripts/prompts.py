"""Entire's ``prompt.txt``: the prompts of a session so far, as the checkpoint recorded them.

The file grows by whole prompts, so each is stored by itself, like the records of a transcript.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink

__all__ = ["decode", "parse", "pieces"]

_SEPARATOR = b"\n\n---\n\n"


def pieces(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Cut the file into prompts and the separators between them.

    >>> [piece for piece in pieces(b"one" + b"\\n\\n---\\n\\n" + b"two")]
    [(0, 3, True), (3, 10, False), (10, 13, True)]
    """
    start = 0
    while start < len(data):
        found = data.find(_SEPARATOR, start)
        end = found if found >= 0 else len(data)
        if start < end:
            yield start, end, True
        start = end
        if found >= 0:
            start = end + len(_SEPARATOR)
            yield end, start, False


def decode(data: bytes) -> dict[str, Any]:
    """A prompt as a record."""
    return {"text": data.decode("utf-8", "replace")}


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the prompt's message."""
    written = value["text"]
    sink.message(0, role="user", channel="recorded", origin=origin(written), text=written)
