"""Lines of JSON objects of a host that is not known: kept and counted as entries, with nothing read into them."""

from __future__ import annotations

from typing import Any

from loaders.transcripts.records import Sink
from loaders.transcripts.values import microseconds, text

__all__ = ["parse"]


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the record as an entry."""
    sink.entry(
        text(value.get("uuid")) or text(value.get("id")),
        microseconds(value.get("timestamp")),
        entry_type=text(value.get("type")) or "unknown",
        is_compaction=False,
        thinking_count=0,
        image_count=0,
    )
