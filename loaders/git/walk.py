"""Which commits a refresh has to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from graphsvc.errors import SourceUnavailable
from graphsvc.git import Repository
from loaders.git.commits import parse_commit

__all__ = ["History", "read_history"]


@dataclass(frozen=True, slots=True)
class History:
    """Commits that references lead to.

    Attributes:
        commits: Those since the last refresh, or all of them.
        is_whole: They are all of them.
        missing: Commits that are named but are not there.
    """

    commits: list[str]
    is_whole: bool
    missing: list[str] = field(default_factory=list)


def read_history(repository: Repository, tips: Sequence[str], since: Sequence[str] | None) -> History:
    """Commits that ``tips`` lead to.

    Args:
        repository: The repository.
        tips: Commits that references lead to now.
        since: Commits that they led to when all of the history was last read; None if that is not known. It
            spares listing the whole history, as long as nothing of it was left behind.
    """
    try:
        if since is not None and not _left_behind(repository, since, tips):
            return History(list(repository.commits(tips, since)), is_whole=False)
        return History(list(repository.commits(tips)), is_whole=True)
    except SourceUnavailable:
        return _walk(repository, tips)


def _left_behind(repository: Repository, since: Sequence[str], tips: Sequence[str]) -> bool:
    """Whether some of the history before is not part of the history now, or is not even there any more."""
    if not all(repository.object_info(since)):
        return True
    return next(repository.commits(since, tips), None) is not None


def _walk(repository: Repository, tips: Sequence[str]) -> History:
    """All commits that can be reached although some are missing, which git itself refuses to list."""
    shallow = repository.shallow_commits()
    seen = dict.fromkeys(tips)
    missing: list[str] = []
    wave = list(tips)
    with repository.batch() as batch:
        while wave:
            parents: dict[str, None] = {}
            for oid, found in zip(wave, batch.read(wave), strict=True):
                if found is None:
                    missing.append(oid)
                elif oid not in shallow:
                    parents.update((parent, None) for parent, _, _ in parse_commit(found.data).parents)
            wave = [oid for oid in parents if oid not in seen]
            seen.update(dict.fromkeys(wave))
    absent = set(missing)
    return History([oid for oid in seen if oid not in absent], is_whole=True, missing=missing)
