"""Read trust: what sessions of the pi host state of the files that they read, derived from their transcripts.

It reads what the store has of the transcripts, from wherever they came, and runs after the sources that bring them.
What each result of a read states, and what a session trusts at the entry that it goes on from, are events; a
transcript is replayed again when it has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Set
from time import monotonic
from typing import Any

from graphsvc.canonical.batch import Batch, Cursor, Span
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.registry import Source
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Refused
from graphsvc.ids import (
    RepositoryId,
    SegmentId,
    derive,
    project_id,
    read_trust_source_id,
    segment_id,
    session_id,
)
from graphsvc.memory.trust.blocks import parse_block, parse_invalidation
from graphsvc.memory.trust.entries import Entry, EntryTree, parse_session
from graphsvc.memory.trust.replay import TrustSnapshot, snapshot
from loaders.base import Progress, SourceReport, silent

__all__ = ["refresh"]

_NO_PROJECT = project_id(RepositoryId(""))
"""Sessions of a host are about many projects."""

_TRANSCRIPTS = "SELECT session_key, documents FROM pi_transcript ORDER BY session_key"


def refresh(store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Replay the transcripts that have changed since the last time.

    Args:
        store: The store.
        progress: Called with the sessions replayed and those to replay.

    Returns:
        What was done; ``read`` counts the ``sessions`` and ``bytes`` that were replayed.

    Raises:
        Conflict: Another process did so meanwhile.
    """
    begun, identity = monotonic(), read_trust_source_id(store.marker.store_id)
    report = SourceReport(Source(identity, "readtrust", _NO_PROJECT, "read trust", "", {}))
    with store.read() as reader:
        batch = _derived(reader, identity, store.cursor(identity), report, progress)
    if batch is not None:
        report.admitted.update(store.admit(batch).counts)
    report.seconds = monotonic() - begun
    return report


def _derived(
    reader: Reader, identity: str, cursor: Cursor | None, report: SourceReport, progress: Progress
) -> Batch | None:
    """What has changed since the cursor; None where nothing has."""
    transcripts: dict[str, list[str]] = dict(reader.rows(_TRANSCRIPTS))
    trees = {session: derive("tree", session, *documents) for session, documents in transcripts.items()}
    listing = json.dumps(trees).encode()
    digest = hashlib.sha256(listing).hexdigest()
    if cursor.content_digest == digest if cursor else not trees:
        return None
    batch = Batch(identity, cursor, cursor.generation if cursor else 1, content_digest=digest)
    # The next refresh finds in the listing what has been replayed, which need not have left any trust.
    batch.position = batch.segment(listing)
    known: dict[str, str] = json.loads(reader.segments([cursor.position])[cursor.position]) if cursor else {}
    changed = [session for session, tree in trees.items() if known.get(session) != tree]
    for done, session in enumerate(changed, 1):
        data = b"".join(map(reader.document, transcripts[session]))
        _add_session(batch, session, trees[session], data, report)
        progress("read trust", done, len(changed))
    _add_presence(batch, reader, set(trees.values()), Span(SegmentId(batch.position), 0, len(listing)))
    return batch


def _add_presence(batch: Batch, reader: Reader, present: Set[str], span: Span) -> None:
    """Withdraw the trust of transcripts that have gone on or left, and restore that of those that are back."""
    stated = reader.rows(load("loaders", "sql/readtrust_scopes.sql"), {"source": batch.source_id})
    changes = [
        (event_id, "restored" if tree in present else "withdrawn")
        for event_id, tree, is_withdrawn in stated
        if (tree in present) == is_withdrawn
    ]
    batch.generation += bool(changes)
    for event_id, state in changes:
        batch.event(
            "tombstone",
            (event_id, state, str(batch.generation)),
            span,
            subject=event_id,
            target_event_id=event_id,
            target_kind="read_scope",
            state=state,
            generation=batch.generation,
            reason="the session has gone on, or left" if state == "withdrawn" else "the session is as it was",
        )


def _add_session(batch: Batch, session: str, tree_id: str, data: bytes, report: SourceReport) -> None:
    report.read["sessions"] += 1
    report.read["bytes"] += len(data)
    try:
        tree = parse_session(data)
    except Refused as error:
        report.faults[error.reason] += 1
        batch.fault(error.reason, session, error.message)
        return
    for entry in tree.entries:
        _add_entry(batch, session, entry, _line(data, entry))
    _add_trust(batch, session, tree_id, tree, snapshot(tree, tree.current), data)


def _line(data: bytes, entry: Entry) -> Span:
    """Where the line of an entry is kept: a segment of its own, with its newline."""
    return Span(segment_id(data[entry.start : entry.end] + b"\n"), 0, entry.end - entry.start)


def _add_entry(batch: Batch, session: str, entry: Entry, line: Span) -> None:
    key = (session, entry.id, line.segment)
    shared: dict[str, Any] = {
        "subject": session_id(session),
        "session_key": session,
        "entry_key": entry.id,
    }
    if (block := parse_block(entry)) is not None:
        batch.event(
            "read_trust_block",
            key,
            line,
            **shared,
            path=block.path_key,
            lines=block.scope_key,
            mode=block.mode,
            served_hash=block.served_hash,
            base_hash=block.base_hash,
            total_lines=block.total_lines,
            first_line=block.first_line,
            last_line=block.last_line,
            shown_last=block.shown_last,
            byte_count=block.size,
        )
    elif (withdrawal := parse_invalidation(entry)) is not None:
        batch.event(
            "read_trust_invalidation",
            key,
            line,
            **shared,
            path=withdrawal.path_key,
            lines=withdrawal.scope_key,
        )


def _add_trust(
    batch: Batch, session: str, tree_id: str, tree: EntryTree, trusted: TrustSnapshot, data: bytes
) -> None:
    makers = {step.seq: tree.by_id[step.entry_id] for step in trusted.steps}
    for path, scopes in trusted.trust.items():
        for scope, trust in scopes.items():
            batch.event(
                "read_scope",
                (tree_id, path, scope),
                _line(data, makers[trust.seq]),
                subject=session_id(session),
                tree_id=tree_id,
                session_key=session,
                leaf=tree.current,
                cwd=tree.cwd,
                path=path,
                lines=scope,
                served_hash=trust.hash,
                is_seen=trusted.has_seen(path, scope),
            )
