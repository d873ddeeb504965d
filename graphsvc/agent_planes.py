"""Planes: the façade over the stores that hosts keep and the patches that are authored here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.agent_memory import microseconds
from graphsvc.answers import Answer, Table
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import NotFound, Refused

if TYPE_CHECKING:
    from graphsvc.canonical.plane_store import StoredScope
    from graphsvc.canonical.reader import Reader
    from graphsvc.memory.planes.history import History

__all__ = ["AUTHORED", "DEFAULT_SESSION", "AgentPlanes", "working_directory"]

AUTHORED = "authored"
"""Name of the planes that are authored in the store itself."""

DEFAULT_SESSION = "default"
"""Session of authored planes where none is named."""

_FAULTS = """
    SELECT location, fault_kind, detail FROM fault ANTI JOIN withdrawn USING (event_id)
    WHERE source_id = $source ORDER BY location, fault_kind
"""


class AgentPlanes:
    """Planes of one store.

    Args:
        store: The store.
        answer: Makes an answer of a name and a table.
        clock: Gives the time now, in UTC.
    """

    def __init__(
        self,
        store: CanonicalStore,
        answer: Callable[[str, Table], Answer],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._store = store
        self._answer = answer
        self._clock = clock

    def show(
        self,
        path: str = "effective",
        *,
        cwd: str,
        source: str = AUTHORED,
        session: str = DEFAULT_SESSION,
        projection: str = "value",
    ) -> Any:
        """What a read path leads to; see `graphsvc.memory.planes.reading`.

        Args:
            path: The path, for example ``cwd.tactics.next`` or ``session[1].lazy``.
            cwd: Working directory.
            source: Name of a plane store, or ``authored``.
            session: The session: its name, the host's id or the location of its folder.
            projection: ``value``, ``keys`` (an outline) or ``patch`` (what the transition there changed).

        Raises:
            NotFound: The path leads nowhere, or there is no such source or session.
            InvalidInput: It is no path, or the directory of authored planes is not absolute.
            Refused: The scopes do not fit each other.
        """
        from graphsvc.memory.planes.reading import keys_of, read, read_patch

        history = self._history(source, cwd, session)
        if projection == "patch":
            return read_patch(history, path)
        value = read(history, path)
        return keys_of(value) if projection == "keys" else value

    def at(
        self, offset: int, *, cwd: str, source: str = AUTHORED, session: str = DEFAULT_SESSION
    ) -> dict[str, Any]:
        """The boundary so many transitions before the head, the state of each scope there, and what was in effect."""
        from graphsvc.memory.planes.patching import effective

        history = self._history(source, cwd, session)
        boundary, states = history.boundary(offset), history.states(offset)
        return {
            "boundary": {"id": boundary.id, "position": boundary.position, "parent": boundary.parent},
            "effective": effective(states),
            "global": states["global"],
            "cwd": states["cwd"],
            "session": states["session"],
        }

    def history(self, *, cwd: str, source: str = AUTHORED, session: str = DEFAULT_SESSION) -> Answer:
        """The transitions that are still readable, the newest first.

        Returns:
            offset, boundary, position, parent, scopes (that it changed), record (JSON of the net change by scope).
        """
        from graphsvc.memory.planes.dialect import SCOPES
        from graphsvc.memory.strict_json import canonical

        found = self._history(source, cwd, session)
        rows = []
        for offset, boundary in enumerate(reversed(found.lineage)):
            records = {scope: record for scope in SCOPES if (record := found.record(scope, offset))}
            place = (offset, boundary.id, boundary.position, boundary.parent)
            rows.append((*place, list(records), canonical(records)))
        return self._answer(
            "planes history", Table(("offset", "boundary", "position", "parent", "scopes", "record"), rows)
        )

    def patch(
        self,
        patches: Mapping[str, Any],
        *,
        cwd: str,
        session: str = DEFAULT_SESSION,
        expected_head: str | None = None,
    ) -> dict[str, Any]:
        """Author a patch in this store: all of it or nothing, and never in a host's.

        Args:
            patches: Patch by scope: global, cwd, session.
            cwd: Working directory.
            session: Name of the session.
            expected_head: Head that the author has read; None for whatever it is.

        Returns:
            head, is_changed, records (net change by scope), cleared (paths that closed intents owned), and missing
            (what was deleted in vain).

        Raises:
            Conflict: The head is another one, or another process wrote at the same time.
            Refused: The patch breaks a rule.
        """
        from loaders.planes.authoring import author_patch

        now = microseconds(self._clock())
        assert now is not None
        authored = author_patch(
            self._store, patches, cwd=cwd, session=session, now=now, expected_head=expected_head
        )
        staged = authored.staged
        cleared = [
            ".".join((scope, path.plane, *path.keys))
            for scope, paths in staged.cascades.items()
            for path in paths
        ]
        return {
            "head": authored.history.head.id,
            "is_changed": bool(staged.records),
            "records": dict(staged.records),
            "cleared": cleared,
            "missing": [{"path": item.path, "unavailable": item.unavailable} for item in staged.missing],
        }

    def check(self, *, source: str | None = None) -> Answer:
        """Every scope of the plane stores, whether it was admitted, and whether it fits the scopes around it.

        Returns:
            source, scope, state (admitted, or the reason of the refusal), detail, location, session, head, revision,
            version, cwd.
        """
        names = self._sources() if source is None else {source: self._sources_named(source)}
        rows: list[tuple[Any, ...]] = []
        with self._store.read() as reader:
            for name, identity in names.items():
                scopes = self._scopes(reader, identity)
                rows += [_checked(name, item, scopes) for item in scopes]
                for location, kind, detail in reader.rows(_FAULTS, {"source": identity}):
                    rows.append((name, None, kind, detail, location, None, None, None, None, None))
        columns = (
            "source", "scope", "state", "detail", "location", "session", "head", "revision", "version", "cwd"
        )  # fmt: skip
        return self._answer("planes check", Table(columns, rows))

    def _history(self, source: str, cwd: str, session: str) -> History:
        from graphsvc.canonical.plane_store import authored_history, host_history
        from loaders.planes.authoring import check_place

        identity = self._sources_named(source)
        if source == AUTHORED:
            check_place(cwd, session)
        with self._store.read() as reader:
            scopes = self._scopes(reader, identity)
        read = authored_history if source == AUTHORED else host_history
        return read(scopes, cwd, session)

    @staticmethod
    def _scopes(reader: Reader, identity: str) -> list[StoredScope]:
        from graphsvc.canonical.plane_store import stored_scopes

        return stored_scopes(reader, identity)

    def _sources(self) -> dict[str, str]:
        from graphsvc.ids import authored_planes_source_id

        hosts = {item.name: item.source_id for item in self._store.sources() if item.loader == "planes"}
        return {AUTHORED: authored_planes_source_id(self._store.marker.store_id), **hosts}

    def _sources_named(self, name: str) -> str:
        known = self._sources()
        if name not in known:
            raise NotFound(f"no plane store is called {name!r}", hint=f"there are {', '.join(known)}")
        return known[name]


def _checked(source: str, item: StoredScope, scopes: list[StoredScope]) -> tuple[Any, ...]:
    from graphsvc.canonical.plane_store import host_history

    state, detail = "admitted", ""
    if item.scope == "session" and source != AUTHORED:
        try:
            host_history(scopes, item.cwd or "", item.location)
        except (Refused, NotFound) as error:
            state = error.reason if isinstance(error, Refused) else "runtime"
            detail = error.message
    stream = item.cohort.stream
    head = stream.boundaries[-1].id
    place = (item.location, item.session_key, head, stream.revision, item.cohort.version, item.cwd)
    return (source, item.scope, state, detail, *place)


def working_directory(folder: Path) -> str:
    """The working directory that authored planes belong to: the root of the work tree, else the folder."""
    from graphsvc.location import find_work_tree

    return str(find_work_tree(folder) or folder.resolve())
