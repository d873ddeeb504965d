"""What people ask about by a name: a file or some of its lines, a symbol, a commit, a checkpoint or a fact."""

from __future__ import annotations

import re
from typing import NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, NotFound

__all__ = ["Lines", "Subject", "subject", "subject_of_lines"]

_KINDS = ("file", "symbol", "commit", "checkpoint", "fact")
_PREFIXED = re.compile(rf"({'|'.join(_KINDS)}):(.+)", re.DOTALL)


class Lines(NamedTuple):
    """Lines of a file of an indexed snapshot, from 1, both included; the last is None for the end of the file."""

    repository_id: str
    commit: str
    locator: str
    path: str
    first: int
    last: int | None


class Subject(NamedTuple):
    """What a name means: its kind, its id, the repository where it has one, and its lines where it is code."""

    kind: str
    key: str
    repository_id: str | None
    lines: Lines | None = None


def subject(reader: Reader, name: str, repository: str | None = None) -> Subject:
    """What a name means.

    Args:
        reader: Reader of the canonical store.
        name: A path from a repository's root, a symbol (``load``, ``Store.load``), or a commit, checkpoint or fact by
            its id or a unique beginning of it; with its kind and a colon before it where it may mean several.
        repository: Name of the source, where several repositories have it.

    Raises:
        NotFound: Nothing has that name.
        Ambiguous: Several things have it.
    """
    given = _PREFIXED.fullmatch(name)
    kinds, wanted = ((given[1],), given[2]) if given else (_KINDS, name)
    *outer, last = wanted.replace("::", ".").split(".") if "/" not in wanted else [wanted]
    parameters = {"name": wanted, "last": last, "repository": repository, "kinds": list(kinds)}
    found = [_subject(*row) for row in reader.rows(sql.load("queries", "sql/subjects.sql"), parameters)]
    found = [each for each in found if each.kind != "symbol" or _encloses(each.key, outer)]
    if not found:
        raise NotFound(
            f"nothing is called {name!r}",
            hint="give PATH:LINE, a path from the root, a symbol, or a commit, checkpoint or fact by its id",
        )
    if len(found) > 1:
        raise Ambiguous(
            f"{name!r} means several things",
            candidates=[_told(each) for each in found],
            hint="give more of it, as KIND:NAME, or as PATH:LINE",
        )
    return found[0]


def subject_of_lines(
    path: str, repository_id: str, commit: str, locator: str, first: int, last: int
) -> Subject:
    """Some lines of a file of an indexed snapshot, from 1, both included."""
    return Subject("file", path, repository_id, Lines(repository_id, commit, locator, path, first, last))


def _subject(
    kind: str,
    key: str,
    repository_id: str | None,
    commit: str | None,
    locator: str | None,
    path: str | None,
    first: int | None,
    last: int | None,
) -> Subject:
    if repository_id is None or commit is None or locator is None or path is None:
        return Subject(kind, key, repository_id)
    return Subject(kind, key, repository_id, Lines(repository_id, commit, locator, path, first or 1, last))


def _told(found: Subject) -> str:
    """A candidate as people can give it."""
    if found.lines is not None and found.kind == "symbol":
        return f"{found.lines.path}:{found.lines.first}"
    return f"{found.kind}:{found.key}"


def _encloses(descriptor: str, outer: list[str]) -> bool:
    """Whether a descriptor has all the enclosing names, as whole words."""
    words = set(re.findall(r"\w+", descriptor))
    return all(word in words for word in outer)
