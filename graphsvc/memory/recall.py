"""Recall: the one filter and the one order that every store of facts answers with.

A recall looks from a point in both times of a fact: what was on record at ``known_at`` about what held at
``valid_at``.

>>> from graphsvc.memory.facts import FactHistory, remember
>>> facts = [remember("deploys go out daily", recorded_at=time) for time in (1, 2)]
>>> query = RecallQuery(text=" DEPLOY ", limit=1).bind(now=9)
>>> [item.fact.recorded_at for item in select(map(FactHistory, facts), query)]
[2]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from graphsvc.memory.facts import Anchor, Fact, FactHistory, Link, check_time
from graphsvc.memory.text import WHITE_SPACE, check_text, fold_case
from graphsvc.scopes import ALL, ScopeFilter

__all__ = ["BoundQuery", "RecallQuery", "Recalled", "select"]

_MOST = 2**63 - 1
"""The largest limit that a database takes."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """A fact that a recall returns, and what speaks against it.

    Attributes:
        fact: The fact.
        superseded_by: Ids of the facts that have replaced it by ``valid_at``, ascending.
        contradicted_by: Ids of the facts that it contradicts or that contradict it, ascending.
    """

    fact: Fact
    superseded_by: tuple[str, ...] = ()
    contradicted_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """What to recall.

    Attributes:
        text: Part of the content to look for, in any case; surrounding white space does not count, and an
            empty text is in every content.
        scopes: The scopes to read.
        kinds: Kinds to return; empty for all.
        anchors: Anchors of which a fact must have one, by kind and id; empty for no condition.
        since: Earliest ``recorded_at``, inclusive.
        until: Latest ``recorded_at``, exclusive.
        valid_at: The instant that the fact must hold at; None for now.
        known_at: The instant up to which the record is read; None for all of it.
        with_superseded: Return superseded facts as well.
        limit: Number of facts to return once they are in order; 0 or less for all.
    """

    text: str = ""
    scopes: ScopeFilter = ALL
    kinds: frozenset[str] = frozenset()
    anchors: frozenset[Anchor] = frozenset()
    since: int | None = None
    until: int | None = None
    valid_at: int | None = None
    known_at: int | None = None
    with_superseded: bool = False
    limit: int = 0

    def __post_init__(self) -> None:
        for text in (self.text, *self.kinds):
            check_text("what is to be recalled", text)
        for name in ("since", "until", "valid_at", "known_at"):
            if getattr(self, name) is not None:
                check_time(name, getattr(self, name))

    def bind(self, now: int) -> BoundQuery:
        """The query with the clock read once and every term in the form that stores compare."""
        return BoundQuery(
            needle=fold_case(self.text.strip(WHITE_SPACE)),
            scopes=self.scopes,
            kinds=self.kinds,
            anchors=frozenset((anchor.kind, anchor.id) for anchor in self.anchors),
            since=self.since,
            until=self.until,
            valid_at=now if self.valid_at is None else self.valid_at,
            known_at=self.known_at,
            with_superseded=self.with_superseded,
            limit=min(self.limit, _MOST) if self.limit > 0 else None,
        )


@dataclass(frozen=True, slots=True)
class BoundQuery:
    """A recall ready to be answered; see :class:`RecallQuery` for the terms.

    ``needle`` is folded by :func:`fold_case`, as the content must be before the two are compared. A store may
    leave out early, in its own language, what :meth:`answer` would refuse; it may cut to ``limit`` early only
    when it leaves nothing to refuse.
    """

    needle: str
    scopes: ScopeFilter
    kinds: frozenset[str]
    anchors: frozenset[tuple[str, str]]
    since: int | None
    until: int | None
    valid_at: int
    known_at: int | None
    with_superseded: bool
    limit: int | None

    def answer(self, history: FactHistory) -> Recalled | None:
        """What the query says of one fact: None where it does not match."""
        fact = history.fact
        if not self._admits(fact):
            return None
        if not history.records:
            return Recalled(fact)
        history = history.known_at(self.known_at)
        links = [record for record in history.records if isinstance(record, Link)]
        superseded_by = {link.fact_id for link in links if link.retires(fact.id, self.valid_at)}
        if history.is_forgotten or (superseded_by and not self.with_superseded):
            return None
        disputes = [link for link in links if link.relation == "contradicts"]
        others = {link.fact_id if link.target_id == fact.id else link.target_id for link in disputes}
        return Recalled(fact, tuple(sorted(superseded_by)), tuple(sorted(others)))

    def _admits(self, fact: Fact) -> bool:
        return (
            self.scopes.admits(fact.scope)
            and (not self.kinds or fact.kind in self.kinds)
            and (self.since is None or fact.recorded_at >= self.since)
            and (self.until is None or fact.recorded_at < self.until)
            and (self.known_at is None or fact.recorded_at <= self.known_at)
            and fact.holds_at(self.valid_at)
            and (not self.anchors or any((item.kind, item.id) in self.anchors for item in fact.anchors))
            and self.needle in fold_case(fact.content)
        )

    def sort_key(self, item: Recalled) -> tuple[int, int, str]:
        """Innermost scope first where several are read as one chain, then newest first, then by id.

        Python compares texts by code point, which is the order of their UTF-8 bytes.
        """
        depth = item.fact.scope.depth if self.scopes.ranks_by_scope else 0
        return (-depth, -item.fact.recorded_at, item.fact.id)


def select(histories: Iterable[FactHistory], query: BoundQuery) -> tuple[Recalled, ...]:
    """The facts that match, in order, cut to the limit last: the one answer that every store gives."""
    found = [item for history in histories if (item := query.answer(history)) is not None]
    return tuple(sorted(found, key=query.sort_key)[: query.limit])
