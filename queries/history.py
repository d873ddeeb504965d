"""The history of files and symbols: which commits changed them, back through renames and moves."""

from __future__ import annotations

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from queries.sessions import capped

__all__ = ["history"]


def history(reader: Reader, path: str, *, repository_id: str | None = None, limit: int = 50) -> Table:
    """The commits that changed a file, the newest first, back through its renames.

    Args:
        reader: Reader of the canonical store.
        path: Path from the root of the repository.
        repository_id: The repository, None for every one that has the path.
        limit: Most rows to give; a note says when there are more.

    Returns:
        commit, committed_at, author, title, status, path, old_path, checkpoints, sessions, is_withdrawn.

    Raises:
        NotFound: No commit of the store has the path.
    """
    columns, rows = reader.table(
        sql.load("queries", "sql/history.sql"),
        {"path": path, "repository": repository_id, "limit": limit + 1},
    )
    if not rows:
        raise NotFound(
            f"no commit in the store changed {path}", hint="give the path from the repository's root"
        )
    return capped(columns, rows, limit)
