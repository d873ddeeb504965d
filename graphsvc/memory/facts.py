"""Facts: what people and agents asked to be remembered.

A fact is never edited. What happens to it later is a further record that names it: a :class:`Link` says that
another fact supersedes or contradicts it, a :class:`Forget` takes it out of every recall. A fact and the
records about it are its :class:`FactHistory`.

Two times are kept apart. ``recorded_at`` is when the store was told; ``valid_from`` and ``valid_until``
bound when the fact holds in the world. All times are integers, UTC microseconds since 1970.

>>> old = remember("deploys go out on Fridays", recorded_at=1)
>>> new = remember("deploys go out daily", recorded_at=5, valid_from=5)
>>> admission = admit([old, new, Link("supersedes", new.id, old.id, recorded_at=5)], known={})
>>> [admission.histories[fact.id].is_superseded for fact in (old, new)]
[True, False]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from graphsvc.errors import Conflict, InvalidInput, NotFound
from graphsvc.ids import derive
from graphsvc.memory.text import check_text
from graphsvc.scopes import GLOBAL, Scope

__all__ = [
    "Admission",
    "Anchor",
    "AnchorState",
    "Fact",
    "FactHistory",
    "Forget",
    "Link",
    "Record",
    "admit",
    "anchor_state",
    "check_time",
    "named_ids",
    "remember",
]

Relation = Literal["supersedes", "contradicts"]
AnchorState = Literal["current", "drifted", "deleted", "ambiguous"]


def check_time(name: str, value: object) -> None:
    """Refuse a time that is no 64-bit integer, or the least one, which the graph engine reads back as 0."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(f"{name} is an integer of microseconds since 1970, not {value!r}")
    if not -(2**63) < value < 2**63:
        raise InvalidInput(f"{name} does not fit 64 bits: {value}")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a fact rests on: a commit, file, symbol, turn or span of bytes.

    Attributes:
        kind: Kind of thing, for example ``commit``, ``file``, ``symbol``, ``turn`` or ``span``.
        id: Identity of the thing; of a span, ``segment:start:end``.
        digest: Digest of the thing as it was when the fact was recorded; empty where that does not matter.
    """

    kind: str
    id: str
    digest: str = ""

    def __post_init__(self) -> None:
        check_text("the kind of an anchor", self.kind, blank=False)
        check_text("the id of an anchor", self.id, blank=False)
        check_text("the digest of an anchor", self.digest)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to remember.

    Attributes:
        id: Identity; :func:`remember` derives one.
        kind: Free text; conventionally ``fact``, ``preference`` or ``observation``.
        content: The text, and the only one that a recall searches.
        scope: Where it holds.
        source: Who or what said so.
        anchors: The evidence that it rests on.
        recorded_at: When the store was told.
        valid_from: From when it holds; None for always.
        valid_until: From when it no longer holds; None for never.
        expires_at: From when it is no longer worth recalling, whether it holds or not; None for never.
    """

    id: str
    kind: str
    content: str
    recorded_at: int
    scope: Scope = GLOBAL
    source: str = ""
    anchors: tuple[Anchor, ...] = ()
    valid_from: int | None = None
    valid_until: int | None = None
    expires_at: int | None = None

    def __post_init__(self) -> None:
        check_text("the id of a fact", self.id, blank=False)
        for name in ("kind", "content", "source"):
            check_text(f"the {name} of a fact", getattr(self, name))
        check_time("recorded_at", self.recorded_at)
        for name in ("valid_from", "valid_until", "expires_at"):
            if getattr(self, name) is not None:
                check_time(name, getattr(self, name))

    def holds_at(self, instant: int) -> bool:
        """Whether the fact is valid and not expired at this instant."""
        return (
            (self.valid_from is None or self.valid_from <= instant)
            and (self.valid_until is None or instant < self.valid_until)
            and (self.expires_at is None or instant < self.expires_at)
        )


def remember(
    content: str,
    *,
    recorded_at: int,
    kind: str = "fact",
    scope: Scope = GLOBAL,
    source: str = "",
    anchors: Iterable[Anchor] = (),
    valid_from: int | None = None,
    valid_until: int | None = None,
    expires_at: int | None = None,
    ordinal: int = 0,
) -> Fact:
    """A fact with the identity that its own words and time give it.

    ``ordinal`` tells apart facts that one source states twice in the same words at the same time. For the
    other arguments see :class:`Fact`.
    """
    key = (scope.key, kind, content, source, str(recorded_at), str(ordinal))
    return Fact(
        id=derive("fact", *key),
        kind=kind,
        content=content,
        recorded_at=recorded_at,
        scope=scope,
        source=source,
        anchors=tuple(anchors),
        valid_from=valid_from,
        valid_until=valid_until,
        expires_at=expires_at,
    )


@dataclass(frozen=True, slots=True)
class Link:
    """A later word on a fact by another one.

    Attributes:
        relation: ``supersedes``: the target no longer holds; ``contradicts``: both stay, each marked.
        fact_id: The fact that says so.
        target_id: The fact that it is said of.
        recorded_at: When the store was told.
        effective_at: From when the target no longer holds; None for ``recorded_at``.
    """

    relation: Relation
    fact_id: str
    target_id: str
    recorded_at: int
    effective_at: int | None = None

    def __post_init__(self) -> None:
        if self.relation not in ("supersedes", "contradicts"):
            raise InvalidInput(f"a fact supersedes or contradicts another one, not {self.relation!r}")
        for fact_id in (self.fact_id, self.target_id):
            check_text("the id of a fact", fact_id, blank=False)
        if self.fact_id == self.target_id:
            raise InvalidInput(f"a fact cannot {self.relation.removesuffix('s')} itself: {self.fact_id}")
        check_time("recorded_at", self.recorded_at)
        if self.effective_at is not None:
            check_time("effective_at", self.effective_at)

    def retires(self, fact_id: str, instant: int) -> bool:
        """Whether it ends the validity of this fact by this instant."""
        effective = self.recorded_at if self.effective_at is None else self.effective_at
        return self.relation == "supersedes" and self.target_id == fact_id and effective <= instant


@dataclass(frozen=True, slots=True)
class Forget:
    """A tombstone: the fact is on record still, but no recall returns it from ``recorded_at`` on."""

    fact_id: str
    recorded_at: int
    reason: str = ""

    def __post_init__(self) -> None:
        check_text("the id of a fact", self.fact_id, blank=False)
        check_text("the reason to forget", self.reason)
        check_time("recorded_at", self.recorded_at)


Record = Fact | Link | Forget


@dataclass(frozen=True, slots=True)
class FactHistory:
    """A fact and every later record that names it, in the order they were appended."""

    fact: Fact
    records: tuple[Link | Forget, ...] = ()

    @property
    def is_forgotten(self) -> bool:
        """Whether any tombstone names the fact."""
        return any(isinstance(record, Forget) for record in self.records)

    @property
    def is_superseded(self) -> bool:
        """Whether any fact supersedes this one, from whatever time on."""
        return any(
            isinstance(record, Link) and record.relation == "supersedes" and record.target_id == self.fact.id
            for record in self.records
        )

    def known_at(self, instant: int | None) -> FactHistory:
        """The same history as far as it was on record at ``instant``; None for all of it."""
        if instant is None:
            return self
        return replace(self, records=tuple(item for item in self.records if item.recorded_at <= instant))


def named_ids(records: Iterable[Record]) -> frozenset[str]:
    """Ids of all facts that these records write or speak of: what a store looks up before it admits them."""
    ids: set[str] = set()
    for record in records:
        match record:
            case Fact(id=fact_id) | Forget(fact_id=fact_id):
                ids.add(fact_id)
            case Link(fact_id=fact_id, target_id=target_id):
                ids.update((fact_id, target_id))
    return frozenset(ids)


@dataclass(frozen=True, slots=True)
class Admission:
    """What a batch of records comes to.

    Attributes:
        records: Those that are new, in order: what a store has to write.
        histories: New histories, by fact id, of the facts that they name.
    """

    records: tuple[Record, ...]
    histories: Mapping[str, FactHistory]


def admit(records: Iterable[Record], known: Mapping[str, FactHistory]) -> Admission:
    """Check records one after the other and say what they make of the facts that they name.

    A record that is known already, word for word, is passed over, so that reading a source twice adds nothing.

    Args:
        records: Records to append, in order; all of them are admitted or none.
        known: The present histories of the facts that :func:`named_ids` lists, as far as they exist.

    Raises:
        Conflict: A fact has the id of another one that differs from it.
        NotFound: A link or tombstone names a fact that is unknown or forgotten.
        InvalidInput: A fact that is superseded itself would supersede another one. This keeps the relation
            free of cycles: every path of it starts at a fact that still stands.
    """
    new: list[Record] = []
    histories: dict[str, FactHistory] = {}
    for record in records:
        ids = named_ids([record])
        present = {i: history for i in ids if (history := histories.get(i, known.get(i))) is not None}
        changes = _written(record, present) if isinstance(record, Fact) else _said(record, ids, present)
        if changes:
            new.append(record)
            histories.update(changes)
    return Admission(tuple(new), histories)


def _written(fact: Fact, present: Mapping[str, FactHistory]) -> dict[str, FactHistory]:
    if fact.id not in present:
        return {fact.id: FactHistory(fact)}
    stored = present[fact.id].fact
    if stored != fact:
        raise Conflict(f"another fact has the id {fact.id}", expected=fact, actual=stored)
    return {}


def _said(
    record: Link | Forget, ids: Iterable[str], present: Mapping[str, FactHistory]
) -> dict[str, FactHistory]:
    if any(record in history.records for history in present.values()):
        return {}
    for fact_id in ids:
        if fact_id not in present or present[fact_id].is_forgotten:
            state = "forgotten" if fact_id in present else "unknown"
            raise NotFound(
                f"no such fact: {fact_id} is {state}", hint="list facts with `graphsvc facts list`"
            )
    if isinstance(record, Link) and record.relation == "supersedes" and present[record.fact_id].is_superseded:
        raise InvalidInput(
            f"the fact {record.fact_id} is superseded and cannot supersede another one",
            hint="supersede with a new fact",
        )
    return {i: replace(history, records=(*history.records, record)) for i, history in present.items()}


def anchor_state(anchor: Anchor, found: Sequence[str]) -> AnchorState:
    """How an anchor stands against today's evidence.

    Args:
        anchor: The anchor.
        found: Digests of everything that its kind and id lead to today.

    >>> anchor_state(Anchor("file", "f1", "aa"), ["bb"])
    'drifted'
    """
    if not found:
        return "deleted"
    if len(found) > 1:
        return "ambiguous"
    return "current" if anchor.digest in ("", found[0]) else "drifted"
