"""What streams of records have had already, within a refresh and from the store."""

from __future__ import annotations

from collections.abc import Collection

from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from loaders.transcripts.reading import Memory
from loaders.transcripts.records import Stream
from loaders.transcripts.recovery import Flaw

__all__ = ["Memories"]


class Memories:
    """The memory of each stream and format, loaded from the store when it is first asked for.

    Args:
        store: The store.
        streams: All streams that may be asked for.
        formats: All formats that may be asked for.
    """

    def __init__(self, store: CanonicalStore, streams: Collection[Stream], formats: Collection[str]) -> None:
        self._store = store
        self._memories = {(stream, format_): Memory() for stream in streams for format_ in formats}
        self._last = Memory()
        self._load()

    def of(self, stream: Stream, format_name: str) -> Memory:
        """Memory of a stream's records in a format; of the one asked for before, the last document is forgotten."""
        memory = self._memories[stream, format_name]
        if memory is not self._last:
            self._last.forget_document()
            self._last = memory
        return memory

    def _load(self) -> None:
        import polars as pl

        if not self._memories:
            return
        wanted = pl.DataFrame(
            [(*stream, format_) for stream, format_ in self._memories],
            schema={"session_key": pl.String, "parent_call": pl.String, "format": pl.String},
            orient="row",
        )
        with self._store.read() as reader:
            occurrences = reader.rows(load("loaders", "sql/transcript_occurrences.sql"), wanted=wanted)
            flaws = reader.rows(load("loaders", "sql/transcript_flaws.sql"), wanted=wanted)
        for session_key, parent_call, format_, segment, count in occurrences:
            self.of(Stream(session_key, parent_call), format_).occurrences[segment] = count
        for session_key, parent_call, format_, segment, *flaw in flaws:
            known = self.of(Stream(session_key, parent_call), format_).flaws
            known.setdefault(segment, []).append(Flaw(*flaw))
