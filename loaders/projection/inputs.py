"""What the projection's SQL files read beside the tables of the store, each made when a file first reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.canonical.reader import Reader
from graphsvc.canonical.views import definition_of, reading_of

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

__all__ = ["CODE_TABLES", "SHARED_VIEWS", "Inputs"]

CODE_TABLES = frozenset(
    {
        "code_agreement",
        "code_edge",
        "code_file",
        "code_gap",
        "code_import",
        "code_symbol",
        "code_unresolved",
    }
)
"""What code resolution gives; see `loaders.code_graph`."""

SHARED_VIEWS = frozenset(
    {
        "present_commit",
        "captured",
        "session_repository",
        "known_file",
        "record_place",
        "turn_start",
        "timeline",
        "turn",
        "rewound",
        "session_tool_call",
        "path_match",
        "touched_file",
        "turn_word",
        "word_place",
        "edited_place",
        "indexed_path",
        "named_symbol",
    }
)
"""Views that several files read: each is made into a table once."""

_MADE = CODE_TABLES | SHARED_VIEWS


class Inputs:
    """A reader for statements over the store, the code tables and the shared views.

    Args:
        reader: Reader of the canonical store.
        code: Gives the code tables by name; called when a statement first reads one.
    """

    def __init__(self, reader: Reader, code: Callable[[], Mapping[str, pl.DataFrame]]) -> None:
        self.reader = reader
        self._code = code
        self._made: set[str] = set()
        self._files: dict[str, Path] = {}

    def take(self, view: str, file: Path) -> None:
        """Let a Parquet file have the rows of a shared view, which is then not asked for them."""
        self._files[view] = file

    def arrow(self, statement: str) -> pa.Table:
        """Result of a query; errors as those of `Reader.arrow`."""
        self._make_ready(statement)
        return self.reader.arrow(statement)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Result of a query as tuples; errors as those of `Reader.rows`."""
        self._make_ready(statement)
        return self.reader.rows(statement)

    def _make_ready(self, statement: str) -> None:
        for name in sorted(reading_of(statement, _MADE).names & _MADE - self._made):
            if name not in self._made:
                self._made.add(name)
                self._make(name)

    def _make(self, name: str) -> None:
        if name in CODE_TABLES:
            self.reader.materialise(name, "FROM _rows", _rows=self._code()[name])
        elif name in self._files:
            self.reader.materialise(name, "FROM read_parquet($file)", {"file": str(self._files[name])})
        else:
            self._make_ready(definition_of(name))
            self.reader.materialise(name, f"FROM {name}")
