"""Composition: scopes that were read apart, put together under the boundaries that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn

from graphsvc.errors import Refused
from graphsvc.memory.planes.admission import Cohort
from graphsvc.memory.planes.dialect import SCOPES, PlaneScope
from graphsvc.memory.planes.history import DEFAULT_LIMIT, MAX_LIMIT, Boundary, History, Stream
from graphsvc.memory.planes.reasons import Reason

__all__ = ["compose"]


def compose(
    cohorts: Mapping[PlaneScope, Cohort], lineage: tuple[Boundary, ...], limit: int = DEFAULT_LIMIT
) -> History:
    """Put scopes together under the boundaries that they share.

    Args:
        cohorts: The scopes that exist.
        lineage: Shared boundaries as the session states them, oldest first, at least one.
        limit: Number of boundaries to keep readable before the head.

    Raises:
        Refused: A scope does not fit the lineage or another scope.
    """
    for cohort in cohorts.values():
        _check_span(cohort, lineage)
    _check_agreement([*lineage, *(item for cohort in cohorts.values() for item in cohort.stream.boundaries)])
    changed = {boundary.id for cohort in cohorts.values() for boundary, _ in cohort.stream.tail}
    for boundary in lineage[1:]:
        if boundary.id not in changed:
            _refuse(Reason.BOUNDARY_WITHOUT_RECORD, f"no scope has a record at {boundary.id!r}")
    empty = Stream(0, lineage[0], {})
    streams = {scope: cohorts[scope].stream if scope in cohorts else empty for scope in SCOPES}
    return History(streams, lineage, MAX_LIMIT).constrained(limit)


def _refuse(reason: Reason, message: str) -> NoReturn:
    raise Refused(message, reason=reason)


def _check_span(cohort: Cohort, lineage: tuple[Boundary, ...]) -> None:
    stream = cohort.stream
    if stream.checkpoint.position > lineage[0].position:
        _refuse(
            Reason.CHECKPOINT_AFTER_LINEAGE,
            f"the checkpoint of {cohort.scope} is later than {lineage[0].id!r}, where the lineage begins",
        )
    if stream.boundaries[-1].position > lineage[-1].position:
        _refuse(
            Reason.BOUNDARY_BEYOND_HEAD,
            f"{stream.boundaries[-1].id!r} of {cohort.scope} is beyond the head {lineage[-1].id!r}",
        )


def _check_agreement(boundaries: Iterable[Boundary]) -> None:
    by_id: dict[str, Boundary] = {}
    by_position: dict[int, Boundary] = {}
    for boundary in boundaries:
        same_id = by_id.setdefault(boundary.id, boundary)
        same_position = by_position.setdefault(boundary.position, boundary)
        if boundary != same_id or boundary != same_position:
            _refuse(
                Reason.BOUNDARY_CONFLICT,
                f"the boundary {boundary.id!r} at {boundary.position} is told in two ways",
            )
