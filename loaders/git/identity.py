"""Which repository it is, and which of its references count as its history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphsvc.git import Reference, Repository
from graphsvc.ids import RepositoryId, repository_id
from loaders.git.commits import parse_commit

__all__ = ["EXCLUDED", "Identity", "excluded_names", "history", "identify", "tips"]

EXCLUDED = ("refs/heads/entire/", "refs/remotes/*/entire/", "refs/entire/")
"""References that hold Entire checkpoints: a name, or the beginning of names up to a slash; * is one part."""


class Identity(NamedTuple):
    """A repository's identity.

    Attributes:
        repository_id: The repository.
        root_oid: The commit that it is derived from.
        is_certain: It is a true root. A shallow clone knows only where its own history begins, so another clone
            of the same repository gets another identity.
    """

    repository_id: RepositoryId
    root_oid: str
    is_certain: bool


def identify(repository: Repository, excluded: Sequence[str] = EXCLUDED) -> Identity | None:
    """Identity of a repository; None for one that has no commit yet.

    It is derived from the commit at which HEAD's line of first parents begins. Where HEAD leads to no commit, it
    is the oldest of the commits without parents that the references lead to, those of the history first.
    """
    references = repository.references()
    head = tips(repository, [reference for reference in references if reference.name == "HEAD"])
    everything = tips(repository, history(references, excluded)) or tips(repository, references)
    if head:
        root = repository.first_parent_root(head[0])
    elif everything:
        root = _oldest(repository, repository.roots(everything))
    else:
        return None
    return Identity(repository_id(root), root, root not in repository.shallow_commits())


def _oldest(repository: Repository, commits: Iterable[str]) -> str:
    with repository.batch() as batch:
        times = [
            (parse_commit(found.data).committer.at or 0, found.oid) for found in batch.read(commits) if found
        ]
    return min(times)[1]


def excluded_names(options: Mapping[str, Any]) -> list[str]:
    """References whose history another loader reads, by the source's options."""
    names = list(options.get("excluded", EXCLUDED))
    branch = options.get("branch")
    return names if branch is None else [*names, f"refs/heads/{branch}", f"refs/remotes/*/{branch}"]


def history(references: Iterable[Reference], excluded: Iterable[str]) -> list[Reference]:
    """References whose history is read: all but those that are excluded, or an alias of one that is."""
    patterns = [
        re.escape(name).replace(r"\*", "[^/]+") + ("" if name.endswith("/") else r"\Z") for name in excluded
    ]
    matches = re.compile("|".join(patterns) or r"(?!)").match
    return [
        reference
        for reference in references
        if not matches(reference.name)
        and not (reference.symbolic_target and matches(reference.symbolic_target))
    ]


def tips(repository: Repository, references: Iterable[Reference]) -> list[str]:
    """Commits that references lead to, each once."""
    peeled = repository.peel(reference.target_oid for reference in references if reference.target_oid)
    return list(dict.fromkeys(end.commit_oid for end in peeled.values() if end.commit_oid))
