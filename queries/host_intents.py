"""The intents of a host's planes that stood when a session of the pi host made a tool call.

The session's transcript points to the boundary at which it stood; the plane store, in one of the versions that were
read of it, says what the planes were at that boundary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Refused
from graphsvc.ids import SegmentId
from graphsvc.memory.planes.admission import Cohort, ScopeFiles, admit_cohort
from graphsvc.memory.planes.pointers import SNAPSHOT_TYPE, Pointer, parse_pointer
from graphsvc.memory.strict_json import canonical
from graphsvc.memory.trust.entries import Entry, EntryTree, parse_session

__all__ = ["HostIntents", "StandingIntent", "host_intents"]

_DOCUMENTS = "SELECT documents FROM pi_transcript WHERE session_key = $session"
_IS_OF_PI = "SELECT 1 FROM document WHERE session_key = $session AND format = 'pi' LIMIT 1"
_LINES = "SELECT segment, start_byte, end_byte FROM plane_patch WHERE cohort_id = $cohort ORDER BY ordinal"


class StandingIntent(NamedTuple):
    """An intent: its scope and name, its value as JSON, and the bytes of the newest change that names it."""

    scope: str
    name: str
    value: str
    evidence: Span


class HostIntents(NamedTuple):
    """What stood at a call: the intents, those of the innermost scope first, and what is not known of them."""

    intents: list[StandingIntent]
    notes: list[str]


def host_intents(reader: Reader, session: str, call: str) -> HostIntents:
    """The intents that stood in the planes of a session's host when it made a tool call.

    Args:
        reader: Reader of the canonical store.
        session: The host's id of the session.
        call: Id of the tool call.

    Returns:
        Nothing where the session is of another host, or ran without planes.
    """
    of_session = {"session": session}
    # Most sessions are of other hosts, and this is seen in a third of the time that their transcripts are looked up in.
    documents = reader.rows(_IS_OF_PI, of_session) and reader.rows(_DOCUMENTS, of_session)
    if not documents:
        return HostIntents([], [])
    try:
        pointer = _pointer_at(parse_session(b"".join(map(reader.document, documents[0][0]))), call)
    except Refused as error:
        return HostIntents([], [f"the session's pointer to its planes cannot be read: {error.message}"])
    if pointer is None or pointer.boundary is None or pointer.mode != "active":
        return HostIntents([], [])
    asked = {"session": session, "boundary": pointer.boundary}
    scopes = reader.rows(sql.load("queries", "sql/in_force_scopes.sql"), asked)
    if not scopes:
        return HostIntents([], [f"the store has no planes of the session at its boundary {pointer.boundary}"])
    found: list[StandingIntent] = []
    notes: list[str] = []
    for scope, cohort_id, position, is_readable, *files in scopes:
        if is_readable:
            found += _standing(reader, _cohort(reader, scope, *files), cohort_id, position)
        else:
            notes.append(f"the planes of scope {scope} at boundary {pointer.boundary} were never read")
    return HostIntents(found, notes)


def _pointer_at(tree: EntryTree, call: str) -> Pointer | None:
    """The last pointer before a call on the branch that the call is on; None where there is none."""
    caller = next((entry for entry in tree.entries if call in _calls(entry)), None)
    for entry in reversed(tree.branch(caller.id).entries) if caller else ():
        if entry.type == "custom" and entry.body.get("customType") == SNAPSHOT_TYPE:
            return parse_pointer(entry.body.get("data"))
    return None


def _calls(entry: Entry) -> Iterator[str]:
    message = entry.body.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    for block in content if isinstance(content, list) else ():
        if (
            isinstance(block, Mapping)
            and block.get("type") == "toolCall"
            and isinstance(block.get("id"), str)
        ):
            yield block["id"]


def _cohort(
    reader: Reader, scope: Any, checkpoint: str, patches: str, meta: str, owner: str | None
) -> Cohort:
    data = reader.segments([checkpoint, patches, meta])
    cohort = admit_cohort(scope, ScopeFiles(data[checkpoint], data[patches], data[meta]), owner)
    assert cohort is not None  # none of its files is missing
    return cohort


def _standing(reader: Reader, cohort: Cohort, cohort_id: str, position: int) -> Iterator[StandingIntent]:
    stream = cohort.stream
    rows = reader.rows(_LINES, {"cohort": cohort_id})
    lines = [Span(SegmentId(segment), *bounds) for segment, *bounds in rows]
    checkpoint = Span(SegmentId(cohort.receipts[0].sha256), 0, cohort.receipts[0].size)
    for name, value in stream.state(position).get("intents", {}).items():
        naming = [
            line
            for line, (boundary, record) in zip(lines, stream.tail, strict=True)
            if boundary.position <= position and name in (record.get("intents") or {})
        ]
        yield StandingIntent(cohort.scope, name, canonical(value), naming[-1] if naming else checkpoint)
