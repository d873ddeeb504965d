"""The repositories in which sessions worked, by their working directories."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.registry import Source
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import GraphsvcError
from graphsvc.git import Repository
from graphsvc.ids import SegmentId, session_id
from graphsvc.location import find_work_tree
from loaders.git import identify

__all__ = ["add_workplaces"]


class _Place(NamedTuple):
    """A repository: its identity, its folder, and how it was found."""

    repository_id: str
    root: str
    origin: str


def add_workplaces(store: CanonicalStore, source: Source, batch: Batch, skipped: Counter[str]) -> None:
    """Add the repository of each working directory of a source's sessions that has none yet.

    The repository that lies there now counts; where none does, as after the folder was deleted, a registered one whose
    folder it was in. A name or a similar path is never enough.

    Args:
        store: The store.
        source: The source; its sessions have been admitted.
        batch: Where events go.
        skipped: Counts the working directories that are in no repository.
    """
    with store.read() as reader:
        unknown = reader.rows(load("loaders", "sql/session_workplaces.sql"), {"source": source.source_id})
    known = {
        each.locator: str(each.options["repository_id"])
        for each in store.sources()
        if "repository_id" in each.options
    }
    places: dict[str, _Place | None] = {}
    for session_key, cwd, segment, start, end in unknown:
        if cwd not in places:
            places[cwd] = _in_work_tree(cwd) or _in_source(cwd, known)
            skipped["working directory in no repository"] += places[cwd] is None
        if place := places[cwd]:
            batch.event(
                "session_workplace",
                (session_key, cwd, place.repository_id),
                Span(SegmentId(segment), start, end),
                subject=session_id(session_key),
                session_key=session_key,
                cwd=cwd,
                repository_id=place.repository_id,
                root=place.root,
                origin=place.origin,
                confidence=1.0 if place.origin == "work_tree" else 0.9,
            )


def _in_work_tree(cwd: str) -> _Place | None:
    """The repository whose work tree a directory lies in, where both are there."""
    try:
        if not (os.path.isabs(cwd) and os.path.isdir(cwd)):
            return None
        root = find_work_tree(Path(cwd))
        if root is None:
            return None
        with Repository.open(root) as repository:
            identity = identify(repository)
    except (GraphsvcError, OSError, ValueError):
        return None
    return _Place(identity.repository_id, str(root), "work_tree") if identity else None


def _in_source(cwd: str, known: dict[str, str]) -> _Place | None:
    """The registered repository with the longest folder that a directory lies in."""
    holding = [folder for folder in known if cwd == folder or cwd.startswith(folder.rstrip("/") + "/")]
    if not holding:
        return None
    folder = max(holding, key=len)
    return _Place(known[folder], folder, "source_folder")
