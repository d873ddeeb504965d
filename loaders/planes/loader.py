"""Refresh of a source of planes: the whole store is read, and what has changed of it is admitted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from time import monotonic

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.registry import Source
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput, Refused, SourceUnavailable
from graphsvc.ids import EventId, RepositoryId, project_id, source_id
from graphsvc.memory.planes.admission import Cohort
from graphsvc.memory.planes.metadata import Runtime
from loaders.base import Progress, SourceReport, silent
from loaders.planes.events import ScopeEvents, add_change_of_presence
from loaders.planes.reading import PlaneStore, ScopeFolder, SessionFolder, read_store

__all__ = ["add_planes", "refresh"]

_NO_PROJECT = project_id(RepositoryId(""))
"""A plane store is about many projects."""


def add_planes(store: CanonicalStore, path: Path, *, name: str | None = None) -> Source:
    """Register a plane store of the pi host.

    Args:
        store: The store that is to read it.
        path: The plane store's folder, for example ``~/.pi/agent/state-flow``.
        name: Name for people; the folder's name where none is given.

    Raises:
        SourceUnavailable: There is no such folder.
        Refused: It is a symbolic link.
        InvalidInput: Another source has that name.
    """
    path = Path(os.path.abspath(path))  # links are kept, to be refused
    read_store(path)
    label = name or path.name
    # What a folder holds does not say which store it is, and several hosts name theirs alike: the name decides.
    identity = source_id("planes", store.marker.store_id, label)
    taken = [source for source in store.sources() if source.name == label and source.source_id != identity]
    if taken:
        raise InvalidInput(f"a source is called {label!r} already", hint="choose another --name")
    source = Source(identity, "planes", _NO_PROJECT, label, str(path), {})
    store.register(source)
    return source


def refresh(source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Bring the store up to date with a plane store, which is never written.

    Args:
        source: Its locator is the plane store's folder.
        store: The store.
        progress: Told of the stage ``planes``.

    Returns:
        What was done; ``read`` counts the ``files`` and ``bytes`` of a store that has changed.

    Raises:
        SourceUnavailable: The folder cannot be read, or has become a link.
        Conflict: Another process refreshed the source meanwhile.
    """
    begun, report = monotonic(), SourceReport(source)
    try:
        held = read_store(Path(source.locator))
    except Refused as error:
        raise SourceUnavailable(f"the plane store {source.locator} is refused: {error.message}") from error
    listing = _listing(held)
    digest = hashlib.sha256(listing).hexdigest()
    cursor = store.cursor(source.source_id)
    if cursor is None or cursor.content_digest != digest:
        batch = Batch(
            source.source_id,
            cursor,
            generation=cursor.generation if cursor else 1,
            position="planes",
            content_digest=digest,
        )
        stated = _add_store(batch, held, report)
        _add_presence(batch, store, stated, Span(batch.segment(listing), 0, len(listing)))
        report.admitted.update(store.admit(batch).counts)
        progress("planes", len(stated), len(stated))
    report.seconds = monotonic() - begun
    return report


def _all_files(scope: ScopeFolder, session: SessionFolder | None) -> dict[str, bytes]:
    return {**scope.files, **(session.files if session else {})}


def _folders(held: PlaneStore) -> list[tuple[ScopeFolder, SessionFolder | None]]:
    sessions = {
        session.scope.location: session for cwd in held.cwds.values() for session in cwd.sessions.values()
    }
    return [(scope, sessions.get(scope.location)) for scope in held.scopes()]


def _listing(held: PlaneStore) -> bytes:
    """Every file with its digest, and every refusal: what the store looked like."""
    lines = [
        f"{hashlib.sha256(data).hexdigest()} {scope.location}/{name}"
        for scope, session in _folders(held)
        for name, data in _all_files(scope, session).items()
    ]
    lines += [f"{error.reason} {location} {error.message}" for location, error in held.refusals()]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")


def _add_store(batch: Batch, held: PlaneStore, report: SourceReport) -> Mapping[EventId, str]:
    stated: dict[EventId, str] = {}
    for scope, session in _folders(held):
        files = _all_files(scope, session)
        location = scope.location.encode("utf-8", "backslashreplace").decode()
        events = ScopeEvents(batch, location, files)
        events.add_documents()
        runtime = session.runtime if session else None
        mode = session.mode if session else None
        for outcome in (scope.cohort, runtime, mode):
            if isinstance(outcome, Refused):
                events.add_refusal(outcome)
                report.faults[str(outcome.reason)] += 1
        if isinstance(scope.cohort, Cohort):
            usable = runtime if isinstance(runtime, Runtime) else None
            events.add_cohort(scope.cohort, usable, mode if isinstance(mode, str) else None)
        report.read["files"] += len(files)
        report.read["bytes"] += sum(map(len, files.values()))
        stated.update(events.stated)
    return stated


def _add_presence(batch: Batch, store: CanonicalStore, stated: Mapping[EventId, str], span: Span) -> None:
    """Withdraw what the source no longer states, and restore what it states again."""
    with store.read() as reader:
        known = reader.rows(load("loaders", "sql/planes_stated.sql"), {"source": batch.source_id})
    changes = [
        (event_id, kind, "restored" if event_id in stated else "withdrawn")
        for event_id, kind, is_withdrawn in known
        if (event_id in stated) == is_withdrawn
    ]
    batch.generation += bool(changes)
    for event_id, kind, state in changes:
        add_change_of_presence(batch, event_id, kind, state, span)
