"""Authoring patches of planes in this store, never in a host's.

What is authored is kept as a host would keep it: three files a scope, of metadata version 3, and the lineage that
all scopes share. A patch is one atomic batch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.plane_store import StoredScope, authored_history, stored_scopes
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput
from graphsvc.ids import authored_planes_source_id
from graphsvc.memory.planes.admission import ScopeFiles, admit_cohort
from graphsvc.memory.planes.authoring import Authored, author
from graphsvc.memory.planes.dialect import PlaneScope
from graphsvc.memory.planes.history import Boundary, History
from graphsvc.memory.planes.metadata import parse_runtime
from graphsvc.memory.strict_json import canonical
from graphsvc.memory.text import check_text
from loaders.planes.events import ScopeEvents, add_change_of_presence
from loaders.planes.reading import is_plain

__all__ = ["author_patch", "check_place"]


def author_patch(
    store: CanonicalStore,
    patches: Mapping[str, Any],
    *,
    cwd: str,
    session: str,
    now: int,
    expected_head: str | None = None,
) -> Authored:
    """Apply an authored patch to the planes of this store: all of it or nothing.

    Args:
        store: The store.
        patches: Authored patch by scope.
        cwd: Working directory that the cwd and session scopes belong to.
        session: Name of the session.
        now: Time of the change, in UTC microseconds.
        expected_head: Id of the head that the author has read; None for whatever it is.

    Raises:
        Conflict: The head is another one, or another writer was quicker.
        Refused: The patch breaks a rule.
        InvalidInput: The working directory or the session is no text, or the former is not absolute.
    """
    check_place(cwd, session)
    source = authored_planes_source_id(store.marker.store_id)
    cursor = store.cursor(source)
    with store.read() as reader:
        scopes = stored_scopes(reader, source)
    before = authored_history(scopes, cwd, session)
    head = before.head
    authored = author(
        before,
        patches,
        boundary_id=f"T{head.position + 1}",
        expected_head=head.id if expected_head is None else expected_head,
    )
    if authored.history is before:
        return authored
    generation = cursor.generation + 1 if cursor else 1
    batch = Batch(source, cursor, generation=generation, position=authored.history.head.id)
    _add_scopes(batch, authored, scopes, cwd, session, now)
    batch.content_digest = hashlib.sha256("\n".join(sorted(batch.segments)).encode()).hexdigest()
    store.admit(batch)
    return authored


def check_place(cwd: str, session: str) -> None:
    """Refuse what cannot be the working directory or the session of authored planes.

    Raises:
        InvalidInput: One is no text or blank, or the directory is no absolute path without ``.`` and ``..``: it would
            be another one than that which is meant.
    """
    for name, value in (("the working directory", cwd), ("the session", session)):
        check_text(name, value, blank=False)
    if not is_plain(cwd):
        raise InvalidInput(
            f"the working directory of planes is an absolute path without . or .., not {cwd!r:.100}",
            hint="give the resolved path",
        )


def _add_scopes(
    batch: Batch, authored: Authored, scopes: list[StoredScope], cwd: str, session: str, now: int
) -> None:
    known = {item.location: item for item in scopes}
    # No resolved path has two slashes in a row, so no working directory is taken for a session of another.
    locations: dict[PlaneScope, str] = {"global": "", "cwd": cwd, "session": f"{cwd}//{session}"}
    for scope in authored.staged.records:
        files = _files(authored.history, scope, cwd, session)
        owner = cwd if scope == "cwd" else None
        cohort = admit_cohort(scope, ScopeFiles(*list(files.values())[:3]), owner)
        assert cohort is not None  # all of its files are there
        events = ScopeEvents(batch, locations[scope], files)
        events.add_documents()
        events.add_cohort(cohort, parse_runtime(files["runtime.json"]), None, occurred_at=now)
        if locations[scope] in known:
            data = files["meta.json"]
            span = Span(batch.segment(data), 0, len(data))
            event_id = known[locations[scope]].event_id
            add_change_of_presence(batch, event_id, "plane_cohort", "withdrawn", span)


def _files(history: History, scope: PlaneScope, cwd: str, session: str) -> dict[str, bytes]:
    """The files of one scope, as they are read again; the lineage stands beside each scope."""
    stream = history.streams[scope]
    meta: dict[str, Any] = {
        "version": 3,
        "temporal": {
            "revision": stream.revision,
            "checkpoint": _boundary(stream.checkpoint),
            "patches": [_boundary(boundary) for boundary, _ in stream.tail],
        },
    }
    if scope == "cwd":
        meta["owner"] = {"cwd": cwd}
    runtime = {
        "version": 1,
        "identity": {"cwd": cwd, "sessionId": session},
        "lineage": [_boundary(boundary) for boundary in history.lineage],
    }
    return {
        "checkpoint.json": _line(stream.base),
        "patches.jsonl": b"".join(_line(record) for _, record in stream.tail),
        "meta.json": _line(meta),
        "runtime.json": _line(runtime),
    }


def _boundary(boundary: Boundary) -> dict[str, Any]:
    return {"id": boundary.id, "position": boundary.position, "parent": boundary.parent}


def _line(value: Any) -> bytes:
    return canonical(value).encode() + b"\n"
