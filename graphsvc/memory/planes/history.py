"""The history of planes: streams per scope, and the boundaries that they share.

Each accepted transition is a boundary. A scope that it changes appends the net change to its tail; when the
tail is full, its oldest record folds into the scope's checkpoint. The lineage lists the shared boundaries, so
that an offset means the same for every scope, whichever of them a transition changed.

>>> history = History.begin(Boundary("T0", 0), limit=2)
>>> for number in range(1, 5):
...     history = history.advance({"session": {"tactics": {"step": number}}}, f"T{number}")
>>> [history.state("session", offset)["tactics"]["step"] for offset in (0, 1, 2)]
[4, 3, 2]
>>> stream = history.streams["session"]
>>> stream.revision, stream.checkpoint.id, [boundary.id for boundary, _ in stream.tail]
(4, 'T2', ['T3', 'T4'])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graphsvc.errors import Conflict, InvalidInput, NotFound, Refused
from graphsvc.memory.planes.dialect import SCOPES, PlaneScope
from graphsvc.memory.planes.patching import apply_patch, check_record, check_state
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject, is_same

__all__ = ["DEFAULT_LIMIT", "MAX_LIMIT", "Boundary", "History", "Stream", "check_limit"]

DEFAULT_LIMIT = 7
MAX_LIMIT = 100
MAX_POSITION = 2**53 - 1
"""The largest integer that the host's numbers keep exactly."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """One accepted transition.

    Attributes:
        id: Identity, unique within a lineage.
        position: Number of transitions before it in the lineage.
        parent: Id of the boundary before it; None for an origin, which may stand at any position.
    """

    id: str
    position: int
    parent: str | None = None

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise Refused("the id of a boundary is blank", reason=Reason.BOUNDARY)
        if not 0 <= self.position <= MAX_POSITION:
            raise Refused(f"{self.position} is no position of a boundary", reason=Reason.BOUNDARY)
        if self.parent == self.id or (self.position == 0 and self.parent is not None):
            raise Refused(f"the boundary {self.id!r} cannot have that parent", reason=Reason.BOUNDARY)

    def follows(self, previous: Boundary) -> bool:
        """Whether this boundary can come after the other: later, and its child where nothing lies between."""
        consecutive = self.position == previous.position + 1
        return self.position > previous.position and (not consecutive or self.parent == previous.id)


@dataclass(frozen=True, slots=True)
class Stream:
    """One scope: its state at a checkpoint and the changes since.

    Attributes:
        revision: Number of changes that the scope ever had; folding keeps it.
        checkpoint: Boundary of ``base``.
        base: State at the checkpoint.
        tail: Changes since, oldest first, each with its boundary.
    """

    revision: int
    checkpoint: Boundary
    base: JsonObject
    tail: tuple[tuple[Boundary, JsonObject], ...] = ()

    @property
    def boundaries(self) -> tuple[Boundary, ...]:
        """The checkpoint's boundary, then those of the tail."""
        return (self.checkpoint, *(boundary for boundary, _ in self.tail))

    def state(self, position: int) -> JsonObject:
        """The state once everything up to this position is applied."""
        state = self.base
        for boundary, record in self.tail:
            if boundary.position <= position:
                state = apply_patch(state, record)
        return state

    def steps(self) -> Iterator[tuple[Boundary, JsonObject]]:
        """Every retained boundary of the scope with the state there, oldest first."""
        state = self.base
        yield self.checkpoint, state
        for boundary, record in self.tail:
            state = apply_patch(state, record)
            yield boundary, state

    def append(self, boundary: Boundary, record: JsonObject) -> Stream:
        """The stream with one more change."""
        return replace(self, revision=self.revision + 1, tail=(*self.tail, (boundary, record)))

    def folded(self, limit: int) -> Stream:
        """The stream with at most ``limit`` changes in its tail."""
        count = max(0, len(self.tail) - limit)
        if not count:
            return self
        checkpoint = self.tail[count - 1][0]
        return replace(
            self, checkpoint=checkpoint, base=self.state(checkpoint.position), tail=self.tail[count:]
        )


@dataclass(frozen=True, slots=True)
class History:
    """The three scopes and the boundaries that they share.

    Attributes:
        streams: The scopes.
        lineage: Shared boundaries, oldest first; the last is the head.
        limit: Number of boundaries before the head that stay readable.
    """

    streams: Mapping[PlaneScope, Stream]
    lineage: tuple[Boundary, ...]
    limit: int = DEFAULT_LIMIT

    @classmethod
    def begin(cls, origin: Boundary, limit: int = DEFAULT_LIMIT) -> History:
        """A history without any change."""
        check_limit(limit)
        return cls({scope: Stream(0, origin, {}) for scope in SCOPES}, (origin,), limit)

    @property
    def head(self) -> Boundary:
        """The newest boundary."""
        return self.lineage[-1]

    def boundary(self, offset: int) -> Boundary:
        """The shared boundary ``offset`` steps before the head.

        Raises:
            InvalidInput: The offset is negative or beyond the limit.
            NotFound: The history has not come that far.
        """
        if not 0 <= offset <= self.limit:
            raise InvalidInput(f"the offset {offset} is not between 0 and the history limit {self.limit}")
        if offset >= len(self.lineage):
            raise NotFound(
                f"the offset {offset} predates the origin of this history",
                hint=f"the oldest readable offset is {len(self.lineage) - 1}",
            )
        return self.lineage[-1 - offset]

    def state(self, scope: PlaneScope, offset: int = 0) -> JsonObject:
        """The state of one scope at a shared boundary; see :meth:`boundary` for the offset."""
        return self.streams[scope].state(self.boundary(offset).position)

    def states(self, offset: int = 0) -> dict[PlaneScope, JsonObject]:
        """The states of all scopes at the same shared boundary."""
        return {scope: self.state(scope, offset) for scope in SCOPES}

    def record(self, scope: PlaneScope, offset: int = 0) -> JsonObject | None:
        """What the transition at this offset changed in a scope; None where it changed nothing."""
        boundary = self.boundary(offset)
        return next((record for at, record in self.streams[scope].tail if at == boundary), None)

    def advance(self, records: Mapping[PlaneScope, JsonObject], boundary_id: str) -> History:
        """The history with one more transition; this very history where no record changes its scope.

        Raises:
            Refused: A record breaks a rule, or the id is taken.
        """
        changes = {scope: record for scope, record in records.items() if self._changes(scope, record)}
        if not changes:
            return self
        if any(boundary.id == boundary_id for boundary in self._boundaries()):
            raise Refused(f"the boundary {boundary_id!r} is there already", reason=Reason.BOUNDARY_REPEATED)
        boundary = Boundary(boundary_id, self.head.position + 1, self.head.id)
        streams = {
            scope: stream.append(boundary, changes[scope]).folded(self.limit) if scope in changes else stream
            for scope, stream in self.streams.items()
        }
        return History(streams, (*self.lineage, boundary)[-self.limit - 1 :], self.limit)

    def _changes(self, scope: PlaneScope, record: JsonObject) -> bool:
        check_record(scope, record)
        before = self.streams[scope].state(self.head.position)
        after = apply_patch(before, record)
        check_state(after)
        return not is_same(before, after)

    def _boundaries(self) -> Iterable[Boundary]:
        yield from self.lineage
        for stream in self.streams.values():
            yield from stream.boundaries

    def expect_head(self, expected: str) -> None:
        """Refuse to go on from a head that another writer has moved.

        Raises:
            Conflict: The head is another boundary.
        """
        if self.head.id != expected:
            raise Conflict(
                f"the head of the planes was to be {expected!r} and is {self.head.id!r}",
                expected=expected,
                actual=self.head.id,
            )

    def constrained(self, limit: int) -> History:
        """The history with another limit. A lower one folds; a higher one brings nothing back."""
        check_limit(limit)
        streams = {scope: stream.folded(limit) for scope, stream in self.streams.items()}
        return History(streams, self.lineage[-limit - 1 :], limit)


def check_limit(limit: int) -> None:
    """Refuse a history limit outside 0 to 100."""
    if not 0 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"the history limit {limit} is not between 0 and {MAX_LIMIT}")
