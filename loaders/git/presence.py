"""What a repository states for now: withdrawn when it does so no longer, restored when it does so again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.sql import load
from graphsvc.git import Reference

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GAPS", "Change", "changes_of_state", "read_standing", "tombstones"]

GAPS = ("missing_commit", "shallow_boundary")
"""Faults that say where the history ends before its root."""

_STANDING_FAULTS = [*GAPS, "broken_reference", "missing_object", "missing_reference", "missing_tree"]
"""Faults that pass once the repository is mended; all others are about bytes that never change."""

_REASONS = {
    "reference": "it moved or was deleted",
    "snapshot": "its reference moved or is not indexed any more",
    "fault": "the repository was mended",
    "commit": "no reference leads to it any more",
}

Change = tuple[str, str, str]
"""Event, its kind, and its new state: withdrawn or restored."""


def read_standing(reader: Reader, source_id: str) -> pl.DataFrame:
    """References, snapshots and faults that a source has stated; columns as in ``sql/git_standing.sql``."""
    params = {"source": source_id, "fault_kinds": _STANDING_FAULTS}
    return reader.frame(load("loaders", "sql/git_standing.sql"), params)


def changes_of_state(standing: pl.DataFrame, batch: Batch) -> list[Change]:
    """Compare what a source had stated with what ``batch``, which states all of it anew, says now."""
    import polars as pl

    frames = batch.frames()
    stated: set[str] = set()
    for kind in ("reference", "snapshot"):
        if kind in frames:
            stated.update(frames[kind]["event_id"])
    if "fault" in frames:
        stated.update(frames["fault"].filter(pl.col("fault_kind").is_in(_STANDING_FAULTS))["event_id"])
    return [
        (event, kind, "restored" if is_withdrawn else "withdrawn")
        for event, kind, is_withdrawn in standing.select("event_id", "kind", "is_withdrawn").rows()
        if is_withdrawn == (event in stated)
    ]


def tombstones(
    batch: Batch, reader: Reader, changes: Sequence[Change], references: Iterable[Reference]
) -> None:
    """Add the changes to a batch; the list of references as it is now is their evidence."""
    import polars as pl

    targets = pl.DataFrame({"event_id": [event for event, _, _ in changes]}, schema={"event_id": pl.String})
    earlier = dict(reader.frame(load("loaders", "sql/git_tombstones.sql"), target=targets).rows())
    listing = b"\n".join(reference.raw for reference in references)
    span = Span(batch.segment(listing), 0, len(listing))
    for event, kind, state in changes:
        batch.event(
            "tombstone",
            (batch.source_id, event, str(earlier.get(event, 0))),
            span,
            subject=event,
            target_event_id=event,
            target_kind=kind,
            state=state,
            generation=batch.generation,
            reason=_REASONS[kind] if state == "withdrawn" else "it came back",
        )
