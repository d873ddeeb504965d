"""From a working directory to the memory scope that it stands for.

The instance is the store; the project is that of the git repository around the directory, which clones and linked
worktrees share; the workspace is the root of its work tree, or the directory itself where there is no repository.
A repository without a commit has no identity yet, so there the project is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from graphsvc.errors import NotFound
from graphsvc.ids import RepositoryId, project_id
from graphsvc.location import find_work_tree
from graphsvc.scopes import Scope

__all__ = ["MemoryPlace", "memory_place"]


class MemoryPlace(NamedTuple):
    """What a working directory stands for.

    Attributes:
        scope: Its innermost memory scope.
        repository_id: Its repository; None outside of one, and in one without a commit.
    """

    scope: Scope
    repository_id: RepositoryId | None


def memory_place(folder: Path, store_id: str) -> MemoryPlace:
    """The place of a working directory.

    Args:
        folder: The directory.
        store_id: Identity of the store, as in its ``store.json``.
    """
    work_tree = find_work_tree(folder)
    if work_tree is None:
        return MemoryPlace(Scope(store_id, "", str(folder.resolve())), None)
    repository = _repository_id(work_tree)
    project = "" if repository is None else project_id(repository)
    return MemoryPlace(Scope(store_id, project, str(work_tree)), repository)


def _repository_id(work_tree: Path) -> RepositoryId | None:
    from graphsvc.git import Repository
    from loaders.git import identify

    try:
        with Repository.open(work_tree) as repository:
            identity = identify(repository)
    except NotFound:
        return None
    return identity.repository_id if identity else None
