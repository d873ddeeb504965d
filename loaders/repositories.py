"""Registering git repositories: one repository is three sources, its history, its code and its checkpoints."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput, NotFound, SourceUnavailable
from graphsvc.git import Repository
from graphsvc.ids import RepositoryId, project_id, source_id
from loaders.git import identify

__all__ = ["SYMBOL_HISTORY", "add_repository", "check_identity", "settle", "track_sources"]

SYMBOL_HISTORY = "symbol_history"
"""The loader that is registered for a repository only where its symbols are to be tracked."""

_LOADERS = ("git", "code", "entire")


def add_repository(
    store: CanonicalStore,
    path: Path,
    *,
    references: Sequence[str] = ("HEAD",),
    name: str | None = None,
    checkpoint_branch: str | None = None,
    is_private: bool = False,
) -> list[Source]:
    """Register a repository, or what has changed about one that is registered: where it lies, what is indexed.

    Args:
        store: The store.
        path: Work tree, bare repository or linked worktree.
        references: References, or commits, whose files are indexed as code.
        name: Name for people; the folder's name where none is given.
        checkpoint_branch: Branch of the agent checkpoints; the loader's default where none is given.
        is_private: Searches read it only where they name it.

    Returns:
        The registered sources: one until the repository has its first commit, which gives it its identity, and one
        more where its symbols are tracked.

    Raises:
        NotFound: There is no repository, or it has none of that reference.
        InvalidInput: The path or a name is not Unicode text, or a repository elsewhere has the name.
    """
    path = Path(os.path.realpath(path))  # Path.resolve fails at a loop of links
    _check_text(str(path), name or "", checkpoint_branch or "", *references)
    with Repository.open(path) as repository:
        identity = identify(repository)
        known = {reference.name for reference in repository.references()}
    missing = [reference for reference in references if identity and not _is_known(reference, known)]
    if missing:
        raise NotFound(
            f"{path} has no reference {missing[0]}", hint="see `git for-each-ref` for those it has"
        )
    shared: dict[str, Any] = {"references": list(references)}
    if checkpoint_branch is not None:
        shared["branch"] = checkpoint_branch
    if is_private:
        shared["private"] = True
    label = name or path.name.removesuffix(".git") or str(path)
    registered = store.sources()
    if identity is None:
        unborn = source_id("git", "unborn", secrets.token_hex(16))
        sources = [Source(unborn, "git", project_id(RepositoryId("unborn")), label, str(path), shared)]
    else:
        options = {**shared, "repository_id": identity.repository_id, "root_oid": identity.root_oid}
        project = project_id(identity.repository_id)
        sources = [
            Source(source_id(loader, identity.repository_id), loader, project, label, str(path), options)
            for loader in _LOADERS
        ]
        known = {source.source_id for source in registered}
        sources += [tracked for tracked in (_tracked(sources[0]),) if tracked.source_id in known]
    _check_name(registered, label, str(path), {source.source_id for source in sources})
    store.register(*sources)
    return sources


def track_sources(store: CanonicalStore, name: str | None = None) -> list[Source]:
    """Register the histories of symbols of repositories, and give them.

    Args:
        store: The store.
        name: Name of a repository; None for all that are registered.

    Raises:
        NotFound: There is none, or none of that name with a commit.
    """
    settle(store)
    found = [
        _tracked(source)
        for source in store.sources()
        if source.loader == "git" and "repository_id" in source.options and name in (None, source.name)
    ]
    if not found:
        missing = (
            "no repository with commits is registered"
            if name is None
            else f"no repository is called {name!r}"
        )
        raise NotFound(missing, hint="run `graphsvc add repo PATH`")
    store.register(*found)
    return found


def _tracked(source: Source) -> Source:
    """The source of the symbols' history of a repository, from that of its history."""
    return replace(
        source, source_id=source_id(SYMBOL_HISTORY, source.options["repository_id"]), loader=SYMBOL_HISTORY
    )


def _check_name(registered: Iterable[Source], name: str, locator: str, identities: set[str]) -> None:
    """Pass a name that means one repository, since people say by it which one they mean."""
    for other in registered:
        if other.name == name and other.locator != locator and other.source_id not in identities:
            raise InvalidInput(
                f"{other.locator} is called {name!r} already", hint="give this one another name with --name"
            )


def _check_text(*given: str) -> None:
    """Pass what can be stored: bytes that are no UTF-8 come as lone surrogates from the system."""
    for text in given:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{text!r} is not UTF-8", hint="give the repository through a link with another name"
            ) from error


def _is_known(reference: str, known: set[str]) -> bool:
    """Whether a full or short name, or an object id, can be looked up; git resolves it when it is read."""
    candidates = (reference, *(f"refs/{kind}/{reference}" for kind in ("heads", "tags", "remotes")))
    is_oid = len(reference) >= 40 and all(digit in "0123456789abcdef" for digit in reference)
    return is_oid or not known.isdisjoint(candidates)


def settle(store: CanonicalStore) -> list[Source]:
    """Registered sources, after repositories that were empty when added and have commits by now got their identity."""
    registered = store.sources()
    unborn = [
        source
        for source in registered
        if source.loader == "git" and "repository_id" not in source.options and _has_commits(source.locator)
    ]
    for source in unborn:
        options: Mapping[str, Any] = source.options
        add_repository(
            store,
            Path(source.locator),
            references=options["references"],
            name=source.name,
            checkpoint_branch=options.get("branch"),
            is_private=options.get("private", False),
        )
        store.unregister(source.source_id)
    return store.sources() if unborn else registered


def check_identity(source: Source) -> None:
    """Does nothing where the repository of a source still is the one that was added, whatever its HEAD is now, nor for
    a source that is no repository.

    Raises:
        NotFound: There is no repository any more.
        SourceUnavailable: Another one lies there, without the commit that the identity comes from.
    """
    if source.loader not in (*_LOADERS, SYMBOL_HISTORY):
        return
    root = source.options.get("root_oid")
    with Repository.open(source.locator) as repository:
        if root is not None and next(repository.object_info([root])) is None:
            raise SourceUnavailable(
                f"{source.locator} is damaged, or another repository than was added: it lacks commit {root[:12]}",
                hint="run `graphsvc add repo` for it, and for the one before where that lies now",
            )


def _has_commits(locator: str) -> bool:
    try:
        with Repository.open(locator) as repository:
            return identify(repository) is not None
    except (InvalidInput, NotFound, SourceUnavailable):
        return False  # its refresh says why
