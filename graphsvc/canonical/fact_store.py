"""Facts kept as events of the canonical store.

Every record is an event whose evidence is its own line, as `graphsvc.memory.fact_lines` writes it. A writer
admits its records against the facts and the cursor that it has read, so of two writers at once one wins and the
other gets a `Conflict`.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import NotFound
from graphsvc.ids import document_id, facts_source_id
from graphsvc.memory.fact_lines import encode
from graphsvc.memory.facts import Anchor, Fact, FactHistory, Forget, Link, Record, admit, named_ids
from graphsvc.memory.recall import BoundQuery, Recalled, RecallQuery, select
from graphsvc.memory.text import fold_case
from graphsvc.scopes import Scope

if TYPE_CHECKING:
    from graphsvc.canonical.batch import Cursor

__all__ = ["DuckDbFactStore", "MemoryDocument", "RefusedPart", "recall"]

_PACKAGE = "graphsvc.canonical"
_LATEST = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 1_000_000
_EARLIEST = int(datetime(1, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
_ALL_IDS = "SELECT fact_id FROM fact ORDER BY recorded_at, fact_id"


class RefusedPart(NamedTuple):
    """Bytes of a document that no fact could be taken from: where they stand, the reason, and what is wrong."""

    start: int
    end: int
    reason: str
    detail: str


class MemoryDocument(NamedTuple):
    """A document that facts were taken from: the name that it goes by, its bytes, and what was refused of them."""

    name: str
    data: bytes
    refused: Sequence[RefusedPart] = ()


class DuckDbFactStore:
    """Facts in the canonical store.

    Args:
        store: The store.
    """

    def __init__(self, store: CanonicalStore) -> None:
        self._store = store

    def append(self, records: Iterable[Record], *, documents: Sequence[MemoryDocument] = ()) -> None:
        """Admit all records or none; see `FactStore.append`.

        Args:
            records: The records.
            documents: What they were taken from, to be kept with them.

        Raises:
            Conflict: Another writer was quicker, or a fact has the id of another one.
        """
        records = list(records)
        cursor = self._store.cursor(facts_source_id(self._store.marker.store_id))
        with self._store.read() as reader:
            known = _by_ids(reader, named_ids(records))
        new = admit(records, known).records
        if new or documents:
            self._store.admit(_batch(facts_source_id(self._store.marker.store_id), cursor, new, documents))

    def recall(self, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
        """See `FactReader.recall`."""
        with self._store.read() as reader:
            return recall(reader, query, now=now)

    def history(self, fact_id: str) -> FactHistory:
        """See `FactReader.history`."""
        with self._store.read() as reader:
            found = _by_ids(reader, {fact_id})
        if fact_id not in found:
            raise NotFound(f"no fact has the id {fact_id}", hint="list facts with `graphsvc facts list`")
        return found[fact_id]

    def histories(self, ids: Iterable[str] | None = None) -> list[FactHistory]:
        """Facts that were ever written, the oldest first: those of these ids, or all."""
        with self._store.read() as reader:
            wanted = [row[0] for row in reader.rows(_ALL_IDS)] if ids is None else ids
            found = _by_ids(reader, wanted)
        return sorted(found.values(), key=lambda item: (item.fact.recorded_at, item.fact.id))

    def records(self) -> list[Record]:
        """Every record, in an order in which another store can admit them: facts first, then what was said of them."""
        with self._store.read() as reader:
            ids = [row[0] for row in reader.rows(_ALL_IDS)]
            facts = _by_ids(reader, ids)
            said = [
                _record(*row) for row in reader.rows(sql.load(_PACKAGE, "facts_records.sql"), {"ids": ids})
            ]
        return [*(facts[fact_id].fact for fact_id in ids), *said]


def recall(reader: Reader, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
    """Answer a recall with what one reader sees; see `FactReader.recall`."""
    bound = query.bind(now)
    rows = reader.rows(sql.load(_PACKAGE, "facts_matching.sql"), _parameters(bound))
    return select(_histories(reader, rows).values(), bound)


def _parameters(query: BoundQuery) -> dict[str, Any]:
    chain = query.scopes.chain
    return {
        "needle": query.needle,
        "scopes": None if chain is None else [scope.key for scope in chain],
        "ranks_by_scope": query.scopes.ranks_by_scope,
        "kinds": sorted(query.kinds) or None,
        "since": query.since,
        "until": query.until,
        "known_at": query.known_at,
        "valid_at": query.valid_at,
        "with_superseded": query.with_superseded,
        "anchors": [list(anchor) for anchor in sorted(query.anchors)] or None,
        "limit": query.limit,
    }


def _by_ids(reader: Reader, ids: Iterable[str]) -> dict[str, FactHistory]:
    import polars as pl

    wanted = pl.DataFrame({"fact_id": sorted(set(ids))}, schema={"fact_id": pl.String})
    if wanted.is_empty():
        return {}
    return _histories(reader, reader.rows(sql.load(_PACKAGE, "facts_by_id.sql"), wanted=wanted))


def _histories(reader: Reader, rows: Sequence[tuple[Any, ...]]) -> dict[str, FactHistory]:
    """Histories of the facts in these rows of ``facts_by_id.sql``, by id."""
    ids = [row[0] for row in rows]
    anchors: defaultdict[str, list[Anchor]] = defaultdict(list)
    records: defaultdict[str, list[Link | Forget]] = defaultdict(list)
    if ids:
        for fact_id, *anchor in reader.rows(sql.load(_PACKAGE, "facts_anchors.sql"), {"ids": ids}):
            anchors[fact_id].append(Anchor(*anchor))
        for row in reader.rows(sql.load(_PACKAGE, "facts_records.sql"), {"ids": ids}):
            record = _record(*row)
            for fact_id in named_ids([record]):
                records[fact_id].append(record)
    return {
        row[0]: FactHistory(_fact(row, tuple(anchors.get(row[0], ()))), tuple(records.get(row[0], ())))
        for row in rows
    }


def _fact(row: tuple[Any, ...], anchors: tuple[Anchor, ...]) -> Fact:
    fact_id, kind, content, recorded_at, scope, source, *validity = row
    return Fact(fact_id, kind, content, recorded_at, Scope(*json.loads(scope)), source, anchors, *validity)


def _record(
    relation: Any, fact_id: str, target: str, recorded_at: int, effective_at: int | None, reason: str
) -> Link | Forget:
    if relation == "forget":
        return Forget(fact_id, recorded_at, reason)
    return Link(relation, fact_id, target, recorded_at, effective_at)


def _batch(
    source: str, cursor: Cursor | None, records: Sequence[Record], documents: Sequence[MemoryDocument]
) -> Batch:
    digest = hashlib.sha256((cursor.content_digest if cursor else "").encode())
    batch = Batch(source, cursor, position="facts")
    for record in records:
        line = encode(record) + b"\n"
        digest.update(line)
        _add(batch, record, Span(batch.segment(line), 0, len(line) - 1))
    for document in documents:
        digest.update(document.data)
        _add_document(batch, document)
    batch.content_digest = digest.hexdigest()
    return batch


def _add(batch: Batch, record: Record, span: Span) -> None:
    match record:
        case Fact():
            _add_fact(batch, record, span)
        case Link():
            batch.event(
                "fact_link",
                (span.segment,),
                span,
                subject=record.target_id,
                occurred_at=_occurred_at(record),
                fact_id=record.fact_id,
                relation=record.relation,
                target_fact_id=record.target_id,
                recorded_at=record.recorded_at,
                effective_at=record.effective_at,
            )
        case Forget():
            batch.event(
                "fact_forgetting",
                (span.segment,),
                span,
                subject=record.fact_id,
                occurred_at=_occurred_at(record),
                fact_id=record.fact_id,
                recorded_at=record.recorded_at,
                reason=record.reason,
            )


def _add_fact(batch: Batch, fact: Fact, span: Span) -> None:
    shared: Mapping[str, Any] = {"subject": fact.id, "occurred_at": _occurred_at(fact)}
    batch.event(
        "fact",
        (span.segment,),
        span,
        **shared,
        fact_id=fact.id,
        fact_kind=fact.kind,
        content=fact.content,
        folded_content=fold_case(fact.content),
        scope_instance=fact.scope.instance,
        scope_project=fact.scope.project,
        scope_workspace=fact.scope.workspace,
        scope_key=fact.scope.key,
        enclosing_scopes=[scope.key for scope in fact.scope.ancestors()[1:]],
        told_by=fact.source,
        recorded_at=fact.recorded_at,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
        expires_at=fact.expires_at,
    )
    for ordinal, anchor in enumerate(fact.anchors):
        batch.event(
            "fact_anchor",
            (span.segment, str(ordinal)),
            span,
            **shared,
            fact_id=fact.id,
            ordinal=ordinal,
            anchor_kind=anchor.kind,
            anchor_id=anchor.id,
            digest=anchor.digest,
        )


def _occurred_at(record: Record) -> int | None:
    """The time of a record; None for one that no calendar has."""
    return record.recorded_at if _EARLIEST <= record.recorded_at <= _LATEST else None


def _add_document(batch: Batch, document: MemoryDocument) -> None:
    data = document.data
    content = hashlib.sha256(data).hexdigest()
    identity = document_id(batch.source_id, document.name, content)
    whole = Span(batch.segment(data), 0, len(data))
    if data:
        batch.part(identity, 0, whole)
    batch.event(
        "document",
        (identity,),
        whole,
        subject=identity,
        document_id=identity,
        path=document.name,
        content_id=content,
        role="memory_file",
        chunk=0,
        byte_count=len(data),
        line_count=data.count(b"\n") + bool(data and not data.endswith(b"\n")),
        ends_with_newline=data.endswith(b"\n"),
        is_missing=False,
    )
    for part in document.refused:
        line = data.count(b"\n", 0, part.start) + 1
        batch.fault(
            part.reason, f"{document.name}:{line}", part.detail, Span(whole.segment, part.start, part.end)
        )
