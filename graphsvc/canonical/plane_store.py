"""Planes as the canonical store keeps them: the files of each scope, read again from their exact bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, Corrupt, NotFound, Refused
from graphsvc.memory.planes.admission import Cohort, ScopeFiles, admit_cohort
from graphsvc.memory.planes.composition import compose
from graphsvc.memory.planes.dialect import SCOPES, PlaneScope
from graphsvc.memory.planes.history import MAX_LIMIT, Boundary, History, Stream
from graphsvc.memory.planes.metadata import Runtime, parse_runtime
from graphsvc.memory.planes.reasons import Reason

__all__ = [
    "ORIGIN",
    "StoredScope",
    "authored_history",
    "host_history",
    "stored_scopes",
]

ORIGIN = Boundary("T0", 0)
"""Where the lineage of the patches that are authored in a store begins."""


@dataclass(frozen=True, slots=True)
class StoredScope:
    """One scope of a plane store.

    Attributes:
        event_id: Its ``plane_cohort`` event.
        location: Folder in its store.
        scope: global, cwd or session.
        cwd: Working directory, where one is stated.
        session_key: The host's id of the session, of a session scope.
        mode: Mode of the session.
        cohort: State and changes.
        runtime: Lineage of a session; None where it states none.
    """

    event_id: str
    location: str
    scope: PlaneScope
    cwd: str | None
    session_key: str | None
    mode: str | None
    cohort: Cohort
    runtime: Runtime | None


def stored_scopes(reader: Reader, source: str) -> list[StoredScope]:
    """The scopes of one source as its files are now, by location.

    Raises:
        Corrupt: The store's bytes of a scope are not those that were admitted.
    """
    rows = reader.rows(sql.load("graphsvc.canonical", "planes_scopes.sql"), {"source": source})
    data = reader.segments(segment for row in rows for segment in row[7:11] if segment is not None)
    found = []
    for event_id, location, scope, cwd, session_key, mode, _, *segments, runtime, owner in rows:
        try:
            cohort = admit_cohort(scope, ScopeFiles(*(data[segment] for segment in segments)), owner)
        except Refused as error:
            raise Corrupt(f"planes of {location!r} were admitted and are refused now: {error}") from error
        assert cohort is not None  # none of its files is missing
        lineage = parse_runtime(data[runtime]) if runtime is not None else None
        found.append(StoredScope(event_id, location, scope, cwd, session_key, mode, cohort, lineage))
    return found


def _of_scope(scopes: Iterable[StoredScope], cwd: str, session: str) -> dict[PlaneScope, StoredScope]:
    """The scopes that one session in one working directory sees."""
    return {
        scope.scope: scope
        for scope in scopes
        if scope.scope == "global"
        or (scope.cwd == cwd and (scope.scope == "cwd" or session in (scope.session_key, scope.location)))
    }


def host_history(scopes: Iterable[StoredScope], cwd: str, session: str) -> History:
    """The planes of a host's store as one session sees them, as far back as its lineage goes.

    Args:
        scopes: Scopes of the store.
        cwd: Working directory.
        session: The host's id of the session, a unique beginning of it, or the location of its folder.

    Raises:
        NotFound: No session of that id works there.
        Ambiguous: Several sessions' ids begin so.
        Refused: It states no lineage, or the scopes do not fit each other.
    """
    scopes = list(scopes)
    seen = _of_scope(scopes, cwd, _session(scopes, cwd, session))
    runtime = seen["session"].runtime
    if runtime is None:
        raise Refused("the session states no lineage", reason=Reason.RUNTIME, where="runtime.json")
    return compose({scope: item.cohort for scope, item in seen.items()}, runtime.lineage, MAX_LIMIT)


def _session(scopes: Iterable[StoredScope], cwd: str, name: str) -> str:
    """The location of the one session in a working directory that is meant."""
    there = [item for item in scopes if item.scope == "session" and item.cwd == cwd]
    exact = [item.location for item in there if name in (item.session_key, item.location)]
    found = exact or [item.location for item in there if (item.session_key or "").startswith(name)]
    if not found:
        keys = ", ".join(str(item.session_key or item.location) for item in there[:5])
        raise NotFound(
            f"no session {name!r} of the plane store works in {cwd}",
            hint=f"give --session: {keys}" if keys else "see `graphsvc planes check` for those that it has",
        )
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} sessions have ids that begin with {name!r}", candidates=found)
    return found[0]


def authored_history(scopes: Iterable[StoredScope], cwd: str, session: str) -> History:
    """The planes that were authored in this store, as one session in one working directory sees them.

    All scopes share one lineage, which the newest of them states; a boundary that changed other scopes than the
    three stands in it as one that changed nothing.
    """
    scopes = list(scopes)
    seen = _of_scope(scopes, cwd, session)
    newest = max(scopes, key=lambda item: item.cohort.stream.boundaries[-1].position, default=None)
    lineage = newest.runtime.lineage if newest and newest.runtime else (ORIGIN,)
    empty = Stream(0, lineage[0], {})
    streams = {scope: seen[scope].cohort.stream if scope in seen else empty for scope in SCOPES}
    return History(streams, lineage)
