"""The status of a store: what it has of each source, what its graph is of, and what it takes on disk."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.canonical import sql
from graphsvc.canonical.registry import generations, sources
from graphsvc.canonical.watermark import watermark
from graphsvc.ids import authored_planes_source_id, facts_source_id, read_trust_source_id

if TYPE_CHECKING:
    from graphsvc.answers import Coverage
    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.store import CanonicalStore

__all__ = ["SourceStatus", "Status", "status"]

_CURSORS = "SELECT source_id, generation, content_digest FROM cursor"


@dataclass
class SourceStatus:
    """What the store has of one source.

    Attributes:
        name: Name for people; the source's id where it is registered no longer.
        loader: Module that reads it, None where it is registered no longer.
        locator: Where it lies, None where it is registered no longer.
        generation: Source generation, counted up when the source was rewritten; None before the first refresh.
        content_digest: Digest of what the source held when it was last read; None before the first refresh.
        events: Events per kind.
        withdrawn: How many of them the source no longer states.
        faults: Input that could not be used, per kind of fault.
        newest: Latest time that any of the events states, in UTC.
    """

    name: str
    loader: str | None = None
    locator: str | None = None
    generation: int | None = None
    content_digest: str | None = None
    events: dict[str, int] = field(default_factory=dict)
    withdrawn: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a store.

    Attributes:
        store: Its folder.
        store_id: Its identity.
        sources: What it has of each source.
        watermark: Digest of the evidence that it holds now.
        receipts: Batches admitted so far.
        coverage: What the published graph covers, and whether it is current.
        agreement: How what SCIP indexes say of references compares with resolution, count by outcome
            (`loaders.resolution.model.OUTCOMES`).
        published_at: When that graph was published, in UTC; None before the first.
        engine: Engine that made it, with its version.
        labels: Rows of each of its tables.
        bytes_on_disk: Size of the canonical file, and of all graph generations.
    """

    store: str
    store_id: str
    sources: tuple[SourceStatus, ...]
    watermark: str
    receipts: int
    coverage: Coverage
    agreement: Mapping[str, int]
    published_at: datetime | None
    engine: str | None
    labels: Mapping[str, int]
    bytes_on_disk: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The status as plain data."""
        return asdict(self) | {"coverage": self.coverage.to_dict(), "labels": dict(self.labels)}


def status(store: CanonicalStore, coverage: Coverage) -> Status:
    """The status of a store, given what its answers rest on."""
    with store.read() as reader:
        published = next(iter(generations(reader)), None)
        mark = watermark(reader)
        of_sources = _sources(reader, store.marker.store_id)
    return Status(
        store=str(store.folder),
        store_id=store.marker.store_id,
        sources=of_sources,
        watermark=mark.digest,
        receipts=mark.receipt,
        coverage=coverage,
        agreement=published.coverage.get("agreement", {}) if published else {},
        published_at=published.published_at if published else None,
        engine=published.engine if published else None,
        labels={name: label["rows"] for name, label in published.labels.items()} if published else {},
        bytes_on_disk={
            "canonical": sum(path.stat().st_size for path in store.folder.glob("canonical.duckdb*")),
            "generations": _size(store.folder / "generations"),
        },
    )


def _sources(reader: Reader, store_id: str) -> tuple[SourceStatus, ...]:
    own = {
        facts_source_id(store_id): "facts",
        authored_planes_source_id(store_id): "planes authored here",
        read_trust_source_id(store_id): "read trust",
    }
    found: dict[str, SourceStatus] = {
        source.source_id: SourceStatus(source.name, source.loader, source.locator)
        for source in sources(reader)
    }
    for identity, generation, digest in reader.rows(_CURSORS):
        one = found.setdefault(identity, SourceStatus(own.get(identity, identity)))
        one.generation, one.content_digest = generation, digest
    for identity, kind, events, withdrawn, newest in reader.rows(
        sql.load("graphsvc.canonical", "status_events.sql")
    ):
        one = found.setdefault(identity, SourceStatus(own.get(identity, identity)))
        one.events[kind] = events
        one.withdrawn += withdrawn
        one.newest = max(filter(None, (one.newest, newest)), default=None)
    for identity, kind, faults in reader.rows(sql.load("graphsvc.canonical", "status_faults.sql")):
        found[identity].faults[kind] = faults
    return tuple(found.values())


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a rebuild may retire it while we look
            size += path.stat().st_size if path.is_file() else 0
    return size
