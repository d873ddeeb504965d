"""Where facts are kept: what a store promises, and the one in memory.

>>> from graphsvc.memory.facts import Link, remember
>>> store = MemoryFactStore()
>>> old = remember("deploys go out on Fridays", recorded_at=1)
>>> new = remember("deploys go out daily", recorded_at=5, valid_from=5)
>>> store.append([old, new, Link("supersedes", new.id, old.id, recorded_at=5)])
>>> [item.fact.content for item in store.recall(RecallQuery(text="deploys"), now=9)]
['deploys go out daily']
>>> [item.fact.content for item in store.recall(RecallQuery(valid_at=4), now=9)]
['deploys go out on Fridays']
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

from graphsvc.errors import NotFound
from graphsvc.memory.facts import FactHistory, Record, admit
from graphsvc.memory.recall import Recalled, RecallQuery, select
from graphsvc.scopes import Scope

__all__ = ["FactReader", "FactStore", "MemoryFactStore"]


class FactReader(Protocol):
    """What facts are recalled from. The conformance tests run on every implementation."""

    def recall(self, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
        """Answer from one snapshot, as :func:`select` does; ``now`` is the clock, read once."""
        ...

    def history(self, fact_id: str) -> FactHistory:
        """A fact with every record about it; NotFound where it was never written."""
        ...


class FactStore(FactReader, Protocol):
    """What keeps facts as well."""

    def append(self, records: Iterable[Record]) -> None:
        """Admit all records, as :func:`admit` does, or none."""
        ...


class MemoryFactStore:
    """Facts in memory."""

    def __init__(self) -> None:
        self._histories: dict[str, FactHistory] = {}
        self._ids_by_scope: defaultdict[Scope, list[str]] = defaultdict(list)

    def append(self, records: Iterable[Record]) -> None:
        """See :meth:`FactStore.append`."""
        admission = admit(records, self._histories)
        for fact_id, history in admission.histories.items():
            if fact_id not in self._histories:
                self._ids_by_scope[history.fact.scope].append(fact_id)
            self._histories[fact_id] = history

    def recall(self, query: RecallQuery, *, now: int) -> tuple[Recalled, ...]:
        """See :meth:`FactReader.recall`."""
        chain = query.scopes.chain
        scopes = self._ids_by_scope if chain is None else chain
        ids = [fact_id for scope in scopes for fact_id in self._ids_by_scope.get(scope, ())]
        return select((self._histories[fact_id] for fact_id in ids), query.bind(now))

    def history(self, fact_id: str) -> FactHistory:
        """See :meth:`FactReader.history`."""
        if fact_id not in self._histories:
            raise NotFound(f"no fact has the id {fact_id}", hint="list facts with `graphsvc facts list`")
        return self._histories[fact_id]
