"""A repository, a store, and the loader between them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphsvc.canonical.store import CanonicalStore
from loaders.base import Source, SourceReport, silent
from loaders.git import refresh
from tests.repositories import RepositoryBuilder

_OF_WITHDRAWN_COMMITS = """
    SELECT event_id FROM {kind} SEMI JOIN (
        SELECT oid AS commit_oid FROM "commit" SEMI JOIN withdrawn USING (event_id)
    ) USING (commit_oid)
"""
_GONE = {
    kind: _OF_WITHDRAWN_COMMITS.format(kind=kind)
    for kind in ("commit_parent", "commit_trailer", "file_change")
}
_GONE["tree_entry"] = "SELECT event_id FROM tree_entry ANTI JOIN present_snapshot USING (tree_oid)"
KINDS = ("repository", "reference", "commit", "snapshot", "fault", *_GONE)


class Loaded:
    """A store, and refreshes of one source into it."""

    def __init__(self, folder: Path) -> None:
        self.store = CanonicalStore.create(folder)

    def refresh(self, made: RepositoryBuilder, **options: Any) -> SourceReport:
        """Refresh from a repository."""
        source = Source("source_git", "git", "project", "made", str(made.path), options)
        return refresh(source, self.store, silent)

    def rows(self, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        """Rows of a query."""
        with self.store.read() as reader:
            return reader.rows(sql, params)

    def column(self, sql: str, **params: Any) -> list[Any]:
        """First column of a query."""
        return [row[0] for row in self.rows(sql, **params)]

    def evidence(self, kind: str, order: str) -> list[bytes]:
        """Bytes of all events of a kind."""
        with self.store.read() as reader:
            spans = reader.rows(f'SELECT segment, start_byte, end_byte FROM "{kind}" ORDER BY {order}')
            segments = reader.segments(segment for segment, _, _ in spans)
        return [segments[segment][start:end] for segment, start, end in spans]

    def events(self) -> dict[str, tuple[Any, ...]]:
        """All events of git by id, without their place in the store."""
        with self.store.read() as reader:
            return {
                row[0]: (kind, *row)
                for kind in KINDS
                for row in reader.rows(f'SELECT * EXCLUDE (seq) FROM "{kind}"')
            }

    def present(self) -> dict[str, tuple[Any, ...]]:
        """Events of what is there now: none that is withdrawn, or that belongs to a commit or tree that is."""
        with self.store.read() as reader:
            gone = {
                event
                for kind in KINDS
                for (event,) in reader.rows(_GONE.get(kind, 'SELECT event_id FROM "withdrawn"'))
            }
        return {event: row for event, row in self.events().items() if event not in gone}


@pytest.fixture
def made(tmp_path: Path) -> RepositoryBuilder:
    """An empty repository."""
    return RepositoryBuilder(tmp_path / "made")


@pytest.fixture
def new_store(tmp_path: Path) -> Callable[[], Loaded]:
    """Makes empty stores."""
    numbers = iter(range(100))
    return lambda: Loaded(tmp_path / f"store{next(numbers)}")


@pytest.fixture
def loaded(new_store: Callable[[], Loaded]) -> Loaded:
    """An empty store."""
    return new_store()
