"""What became of the files of a snapshot."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SourceFile"]


class SourceFile(NamedTuple):
    """What became of a file of a snapshot; the fields are columns of ``code_file`` in `loaders.code_graph`."""

    path: str
    blob_oid: str | None
    language: str | None
    segment: str | None
    status: str
    reason: str | None
    error_count: int | None = None
    line_count: int | None = None

    @property
    def is_parsed(self) -> bool:
        """Whether there is an extraction of it."""
        return self.status in ("parsed", "partial")
