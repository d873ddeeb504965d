"""What a merge commit brought in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader

__all__ = ["merged_commits"]


def merged_commits(reader: Reader, repository_id: str, commit: str) -> list[str]:
    """The commits that a merge brought to the line of its first parent, the newest first; of others, none.

    Args:
        reader: Reader of the canonical store.
        repository_id: Its repository.
        commit: Its object id.
    """
    parents: dict[str, list[str]] = {}
    order: dict[str, int] = {}
    rows = reader.rows(sql.load("queries", "sql/commit_parents.sql"), {"repository": repository_id})
    for place, (child, parent) in enumerate(rows):
        parents.setdefault(child, []).append(parent)
        order.setdefault(child, place)
    first, *others = parents.get(commit, [commit])
    brought = _ancestry(parents, others) - _ancestry(parents, [first])
    return sorted(brought, key=lambda oid: order.get(oid, len(rows)))


def _ancestry(parents: Mapping[str, Sequence[str]], tips: Iterable[str]) -> set[str]:
    """The tips and all that they descend from."""
    found: set[str] = set()
    waiting = list(tips)
    while waiting:
        oid = waiting.pop()
        if oid not in found:
            found.add(oid)
            waiting += parents.get(oid, ())
    return found
