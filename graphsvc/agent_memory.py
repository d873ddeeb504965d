"""What agents and people asked to be remembered: the façade over facts, wherever they are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from graphsvc.answers import Answer, Table
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Ambiguous, InvalidInput, NotFound, Refused
from graphsvc.memory_place import MemoryPlace, memory_place
from graphsvc.scopes import ALL, GLOBAL, Level, Scope, ScopeFilter, at, check_instance

if TYPE_CHECKING:
    from graphsvc.graph.reader import GraphReader
    from graphsvc.memory.facts import Anchor, Fact, FactHistory
    from graphsvc.memory.imports import Outcome
    from graphsvc.memory.recall import Recalled, RecallQuery
    from queries.anchors import AnchorFinder

__all__ = ["FACT_COLUMNS", "AgentMemory", "RecallConditions", "ScopeLevel", "microseconds", "to_time"]

ScopeLevel = Level | Literal["all"]

FACT_COLUMNS = (
    "fact",
    "kind",
    "content",
    "level",
    "project",
    "workspace",
    "told_by",
    "recorded_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "anchors",
    "superseded_by",
    "contradicted_by",
)
"""Columns of facts as rows."""


class RecallConditions(TypedDict, total=False):
    """What a fact must meet to be recalled; see `graphsvc.memory.recall.RecallQuery`."""

    text: str
    kinds: Iterable[str]
    since: datetime | None
    until: datetime | None
    valid_at: datetime | None
    known_at: datetime | None
    with_superseded: bool


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LEVELS: tuple[Level, ...] = ("global", "instance", "project", "workspace")
_FIND = "SELECT fact_id FROM fact WHERE starts_with(fact_id, $id) ORDER BY fact_id LIMIT 6"


def microseconds(time: datetime | None) -> int | None:
    """A time in UTC, with or without its zone, in microseconds since 1970.

    Raises:
        InvalidInput: It is no time.
    """
    if time is None:
        return None
    if not isinstance(time, datetime):
        raise InvalidInput(f"a time is a datetime, not {time!r:.40}", hint="use datetime.fromisoformat")
    return ((time if time.tzinfo else time.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def to_time(value: int | None) -> datetime | int | None:
    """Microseconds since 1970 as a naive time in UTC; the number itself where no calendar has it.

    >>> to_time(0), to_time(2**62)
    (datetime.datetime(1970, 1, 1, 0, 0), 4611686018427387904)
    """
    if value is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=value)).replace(tzinfo=None)
    except OverflowError:
        return value


class AgentMemory:
    """Facts of one store.

    Args:
        store: The store.
        graph: Gives the published graph, which anchors to symbols and turns need.
        answer: Makes an answer of a name and a table.
        clock: Gives the time now, in UTC.
    """

    def __init__(
        self,
        store: CanonicalStore,
        graph: Callable[[], GraphReader],
        answer: Callable[[str, Table], Answer],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        from graphsvc.canonical.fact_store import DuckDbFactStore

        self.facts_kept = DuckDbFactStore(store)
        self._store = store
        self._graph = graph
        self._answer = answer
        self._clock = clock

    # Scopes

    def place(self, folder: Path) -> MemoryPlace:
        """What a working directory stands for; see `graphsvc.memory_place`."""
        return memory_place(folder, self._store.marker.store_id)

    def scope(self, folder: Path, *, level: Level | None = None, project: str | None = None) -> Scope:
        """The memory scope of one level around a working directory.

        Args:
            folder: The working directory.
            level: The level; the project where there is one, else the workspace, where none is given.
            project: Name of a source, whose project is meant instead of the directory's.

        Raises:
            NotFound: No source has that name.
            InvalidInput: The directory has no project, and the project is asked for; or a named project is asked
                for together with another level.
        """
        place = self.place(folder).scope
        if project is not None:
            if level not in (None, "project"):
                raise InvalidInput(
                    "a named project is a scope of the level project", hint="leave out --scope"
                )
            return Scope(place.instance, self._project(project))
        if level is None:
            level = "project" if place.project else "workspace"
        if level == "project" and not place.project:
            raise InvalidInput(
                f"{folder} is in no git repository with a commit", hint="give --scope workspace, or --project"
            )
        return place.level(level)

    def _project(self, name: str) -> str:
        for source in self._store.sources():
            if source.name == name:
                return source.project_id
        raise NotFound(f"no source is called {name!r}", hint="see `graphsvc status` for those that there are")

    # Writing

    def remember(
        self,
        content: str,
        *,
        scope: Scope = GLOBAL,
        kind: str = "fact",
        told_by: str = "",
        anchors: Sequence[str] = (),
        repository_id: str | None = None,
        supersedes: Sequence[str] = (),
        contradicts: Sequence[str] = (),
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        expires_at: datetime | None = None,
    ) -> Answer:
        """Remember a fact.

        Args:
            content: The words.
            scope: Where it holds.
            kind: Free text, by convention fact, preference or observation.
            told_by: Who or what said so.
            anchors: What it rests on; see `queries.anchors.AnchorFinder.anchor`.
            repository_id: Repository that paths in ``anchors`` are of.
            supersedes: Ids, or unique beginnings of ids, of facts that no longer hold.
            contradicts: Ids of facts that it speaks against.
            valid_from: From when it holds.
            valid_until: From when it no longer holds.
            expires_at: From when it is no longer worth recalling.

        Returns:
            The fact, in `FACT_COLUMNS`.

        Raises:
            InvalidInput: It has no words, would never hold, has expired already, or the scope is not one that this
                store fills.
            NotFound: Nothing is called as an anchor or a fact says.
            Conflict: Another process wrote at the same time.
        """
        from graphsvc.memory.facts import Link, remember
        from graphsvc.memory.text import check_text, texts

        check_text("what is to be remembered", content, blank=False)
        now = self._now()
        start, end, expiry = map(microseconds, (valid_from, valid_until, expires_at))
        _check_validity(start, end, expiry, now)
        check_instance(scope, self._store.marker.store_id)
        with self._anchors(repository_id) as finder:
            found = [finder.anchor(text) for text in texts("anchors", anchors)]
        fact = remember(
            content,
            recorded_at=now,
            kind=kind,
            scope=scope,
            source=told_by,
            anchors=found,
            valid_from=start,
            valid_until=end,
            expires_at=expiry,
        )
        replaced = [
            Link("supersedes", fact.id, self.fact_id(name), now) for name in texts("supersedes", supersedes)
        ]
        disputed = [
            Link("contradicts", fact.id, self.fact_id(name), now)
            for name in texts("contradicts", contradicts)
        ]
        self.facts_kept.append([fact, *replaced, *disputed])
        return self._answer(
            "remember",
            Table(FACT_COLUMNS, [_row(fact, contradicted_by=[link.target_id for link in disputed])]),
        )

    def forget(self, name: str, *, reason: str = "") -> str:
        """Take a fact out of every recall from now on; it stays on record.

        Args:
            name: Its id, or a unique beginning of it.
            reason: Why.

        Returns:
            Its id.

        Raises:
            NotFound: There is no such fact, or it is forgotten already.
        """
        from graphsvc.memory.facts import Forget

        fact_id = self.fact_id(name)
        self.facts_kept.append([Forget(fact_id, self._now(), reason)])
        return fact_id

    # Reading

    def recall(
        self,
        text: str = "",
        *,
        scopes: ScopeFilter = ALL,
        kinds: Iterable[str] = (),
        anchors: Sequence[str] = (),
        repository_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        valid_at: datetime | None = None,
        known_at: datetime | None = None,
        with_superseded: bool = False,
        limit: int = 0,
    ) -> Answer:
        """Recall facts; see `graphsvc.memory.recall.RecallQuery` for the arguments.

        Returns:
            Facts in `FACT_COLUMNS`: the innermost scope first where several are read, then the newest first. Notes
            say whether the limit leaves some out, and of an empty answer whether other scopes have what it lacks.
        """
        from dataclasses import replace

        from graphsvc.memory.text import texts

        query = self._query(
            scopes,
            limit,
            text=text,
            kinds=kinds,
            since=since,
            until=until,
            valid_at=valid_at,
            known_at=known_at,
            with_superseded=with_superseded,
        )
        if anchors:
            with self._anchors(repository_id) as finder:
                query = replace(query, anchors=frozenset(map(finder.recorded, texts("anchors", anchors))))
        now = self._now()
        one_more = replace(query, limit=limit + 1 if limit > 0 else 0)
        rows = list(map(_recalled_row, self.facts_kept.recall(one_more, now=now)))
        notes = _cut(len(rows), limit) if rows else self._elsewhere(query, now)
        return self._answer("recall", Table(FACT_COLUMNS, rows[: limit if limit > 0 else None], notes))

    def _elsewhere(self, query: RecallQuery, now: int) -> tuple[str, ...]:
        """What to say of a recall that found nothing."""
        from dataclasses import replace

        chain = query.scopes.chain
        if chain is not None and self.facts_kept.recall(replace(query, scopes=ALL, limit=1), now=now):
            read = ", ".join(map(_level, chain))
            wider = "--scope all" if query.scopes.ranks_by_scope else "--with-ancestors or --scope all"
            return (f"nothing in the scope {read}, but in other scopes: read them with {wider}",)
        return ("no fact of any scope matches",)

    def about(
        self,
        subject: str,
        *,
        scope: Scope,
        repository_id: str | None = None,
        limit: int = 0,
        **conditions: Unpack[RecallConditions],
    ) -> Answer:
        """Facts about a thing, through the graph: about itself, about its files, and about its project.

        Args:
            subject: As an anchor: ``symbol:NAME``, ``file:PATH``, ...
            scope: Scope whose facts count as being about the project.
            repository_id: Repository that a path is of.
            limit: Most facts to give; 0 for all.
            conditions: What else a fact must meet, as for `recall`.

        Returns:
            The columns of `recall`, with ``about`` (the kind of the thing, ``file`` or ``project``) before them. A
            fact that is about several of them stands at the first.
        """
        from dataclasses import replace

        from graphsvc.memory.facts import Anchor

        with self._anchors(repository_id) as finder:
            anchor = finder.recorded(subject)
            files = finder.files_of_symbol(anchor.id) if anchor.kind == "symbol" else []
        asked = self._query(ALL, 0, **conditions)
        queries = [(anchor.kind, replace(asked, anchors=frozenset({anchor})))]
        if files:
            about_files = frozenset(Anchor("file", identity) for identity in files)
            queries.append(("file", replace(asked, anchors=about_files)))
        queries.append((_level(scope), replace(asked, scopes=at(scope).with_ancestors())))
        rows: dict[str, tuple[Any, ...]] = {}
        now = self._now()
        for about, query in queries:
            for item in self.facts_kept.recall(query, now=now):
                rows.setdefault(item.fact.id, (about, *_recalled_row(item)))
        shown = list(rows.values())[: limit if limit > 0 else None]
        notes = _cut(len(rows), limit) if rows else ("no fact is about it, its files or its project",)
        notes = _cut(len(rows), limit) if rows else ("no fact is about it, its files or its project",)
        return self._answer("about", Table(("about", *FACT_COLUMNS), shown, notes))

    def facts(self) -> Answer:
        """Every fact that was ever written, the oldest first, with what became of it (``state``)."""
        rows = [(_state(item), *_row(item.fact)) for item in self.facts_kept.histories()]
        return self._answer("facts", Table(("state", *FACT_COLUMNS), rows))

    def history(self, name: str) -> Answer:
        """A fact and every later record that names it, in order.

        Returns:
            record (fact, supersedes, contradicts or forget), fact, target, recorded_at, effective_at, text (the
            content, or the reason to forget).
        """
        from graphsvc.memory.facts import Forget

        found = self.facts_kept.history(self.fact_id(name))
        fact = found.fact
        rows: list[tuple[Any, ...]] = [("fact", fact.id, None, to_time(fact.recorded_at), None, fact.content)]
        for item in found.records:
            time = to_time(item.recorded_at)
            if isinstance(item, Forget):
                rows.append(("forget", item.fact_id, None, time, None, item.reason))
            else:
                effective = to_time(item.effective_at)
                rows.append((item.relation, item.fact_id, item.target_id, time, effective, ""))
        return self._answer(
            "history", Table(("record", "fact", "target", "recorded_at", "effective_at", "text"), rows)
        )

    def verify_facts(self) -> Answer:
        """Check every anchor of every fact that is not forgotten against today's evidence.

        Returns:
            fact, content, anchor_kind, anchor, name (path, symbol, commit or evidence; null where the store cannot
            tell), state (current, drifted, deleted or ambiguous; null for a kind of anchor that cannot be checked),
            digest (when recorded), found (today).
        """
        from graphsvc.memory.facts import anchor_state

        kept = [item.fact for item in self.facts_kept.histories() if not item.is_forgotten]
        rows: list[tuple[Any, ...]] = []
        with self._anchors(None) as finder:
            names = finder.names([anchor for fact in kept for anchor in fact.anchors])
            for fact in kept:
                for anchor in fact.anchors:
                    found = finder.digests(anchor)
                    state = None if found is None else anchor_state(anchor, found)
                    place = (anchor.kind, anchor.id, names.get(anchor.id))
                    rows.append((fact.id, fact.content, *place, state, anchor.digest, found))
        columns = ("fact", "content", "anchor_kind", "anchor", "name", "state", "digest", "found")
        states = Counter(row[5] or "unchecked" for row in rows)
        note = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        return self._answer("verify facts", Table(columns, rows, (note or "no fact has an anchor",)))

    # Moving

    def export_facts(self) -> bytes:
        """Every record as a JSON line, in an order in which another store can import them."""
        from graphsvc.memory.fact_lines import encode

        return b"".join(encode(record) + b"\n" for record in self.facts_kept.records())

    def import_facts(
        self, data: bytes, name: str, *, scope: Scope = GLOBAL, format_: str | None = None
    ) -> Answer:
        """Take in facts from a file, which is kept whole.

        Args:
            data: Its bytes.
            name: Its name.
            scope: Where facts hold that do not say so themselves.
            format_: One of `graphsvc.memory.imports.FORMATS`; found out where none is given.

        Returns:
            outcome (see `graphsvc.memory.imports.Outcome`), fact, content (or what is wrong), segment, start_byte,
            end_byte. What is refused is a fault of the store, too, and harms no other record.

        Raises:
            InvalidInput: The file is of no known format.
            Conflict: Another process wrote at the same time.
        """
        import hashlib

        from graphsvc.canonical.fact_store import MemoryDocument, RefusedPart
        from graphsvc.memory.facts import named_ids
        from graphsvc.memory.imports import FORMATS, Target, settle, sniff

        check_instance(scope, self._store.marker.store_id)
        form = format_ or sniff(name, data)
        target = Target(name, self._now(), scope, self._store.marker.store_id)
        found = list(FORMATS[form](data, target))
        named = named_ids(item.record for item in found if not isinstance(item.record, Refused))
        outcomes = list(
            settle(found, self._with_successors(named), is_told_by_id=form != "facts", now=target.now)
        )
        added = [record for each in outcomes for record in each.records]
        refused = [
            RefusedPart(each.item.start, each.item.end, each.state, each.detail)
            for each in outcomes
            if each.is_refused
        ]
        self.facts_kept.append(added, documents=[MemoryDocument(name, data, refused)])
        segment = hashlib.sha256(data).hexdigest()
        rows = [(*_imported_row(outcome), segment, *outcome.item[:2]) for outcome in outcomes]
        counts = Counter("refused" if each.is_refused else each.state for each in outcomes)
        note = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
        return self._answer(
            "import facts",
            Table(
                ("outcome", "fact", "content", "segment", "start_byte", "end_byte"),
                rows,
                (note or f"no fact is stated in {name}",),
            ),
        )

    def _with_successors(self, ids: Collection[str]) -> dict[str, FactHistory]:
        """Histories of facts, as far as they are known, and of all that supersede them, one after the other."""
        from graphsvc.memory.facts import Link

        known: dict[str, FactHistory] = {}
        while ids:
            found = {history.fact.id: history for history in self.facts_kept.histories(ids)}
            known |= found
            records = (record for history in found.values() for record in history.records)
            ids = {record.fact_id for record in records if isinstance(record, Link)} - known.keys()
        return known

    # Helpers

    def fact_id(self, name: str) -> str:
        """The id of the fact that a unique beginning of it means.

        Raises:
            InvalidInput: It is no text.
            NotFound: No fact's id begins so.
            Ambiguous: Several do.
        """
        from graphsvc.memory.text import check_text

        check_text("the id of a fact", name, blank=False)
        with self._store.read() as reader:
            found = [row[0] for row in reader.rows(_FIND, {"id": name})]
        if not found:
            raise NotFound(f"no fact has the id {name!r}", hint="list facts with `graphsvc facts list`")
        if len(found) > 1 and name not in found:
            raise Ambiguous(f"{len(found)} facts have ids that begin with {name!r}", candidates=found)
        return name if name in found else str(found[0])

    @staticmethod
    def _query(scopes: ScopeFilter, limit: int, **conditions: Unpack[RecallConditions]) -> RecallQuery:
        from graphsvc.memory.recall import RecallQuery
        from graphsvc.memory.text import texts

        return RecallQuery(
            text=conditions.get("text", ""),
            scopes=scopes,
            kinds=frozenset(texts("kinds", conditions.get("kinds", ()))),
            since=microseconds(conditions.get("since")),
            until=microseconds(conditions.get("until")),
            valid_at=microseconds(conditions.get("valid_at")),
            known_at=microseconds(conditions.get("known_at")),
            with_superseded=conditions.get("with_superseded", False),
            limit=limit,
        )

    def _now(self) -> int:
        now = microseconds(self._clock())
        assert now is not None
        return now

    @contextmanager
    def _anchors(self, repository_id: str | None) -> Iterator[AnchorFinder]:
        from queries.anchors import AnchorFinder

        with self._store.read() as reader:
            yield AnchorFinder(reader, self._graph, repository_id)


def _check_validity(start: int | None, end: int | None, expiry: int | None, now: int) -> None:
    """Refuse times between which a fact could never be recalled."""
    if start is not None and end is not None and end <= start:
        raise InvalidInput("it would never hold: its end is not after its beginning", hint="swap the two")
    if expiry is not None and expiry <= max(now, now if start is None else start):
        raise InvalidInput(
            "it would never be recalled: it expires before it holds, or has expired already",
            hint="give a time to come: 2099-01-31, or +7d for in seven days",
        )


def _cut(found: int, limit: int) -> tuple[str, ...]:
    """What to say of facts that a limit leaves out."""
    return (f"the first {limit} facts are shown: raise --limit for more",) if 0 < limit < found else ()


def _level(scope: Scope) -> Level:
    return _LEVELS[scope.depth]


def _row(
    fact: Fact, superseded_by: Sequence[str] = (), contradicted_by: Sequence[str] = ()
) -> tuple[Any, ...]:
    return (
        fact.id,
        fact.kind,
        fact.content,
        _level(fact.scope),
        fact.scope.project,
        fact.scope.workspace,
        fact.source,
        to_time(fact.recorded_at),
        to_time(fact.valid_from),
        to_time(fact.valid_until),
        to_time(fact.expires_at),
        [_anchor_text(anchor) for anchor in fact.anchors],
        list(superseded_by),
        list(contradicted_by),
    )


def _recalled_row(item: Recalled) -> tuple[Any, ...]:
    return _row(item.fact, item.superseded_by, item.contradicted_by)


def _anchor_text(anchor: Anchor) -> str:
    from queries.anchors import span_text

    return f"{anchor.kind}:{span_text(anchor.id) if anchor.kind == 'span' else anchor.id}"


def _state(history: FactHistory) -> str:
    if history.is_forgotten:
        return "forgotten"
    return "superseded" if history.is_superseded else "standing"


def _imported_row(outcome: Outcome) -> tuple[str, str | None, str]:
    """outcome, fact and content of a record of an imported file."""
    from graphsvc.memory.facts import Fact, Link

    record = outcome.item.record
    if outcome.is_refused or isinstance(record, Refused):
        return outcome.state, None, outcome.detail
    if isinstance(record, Fact):
        return outcome.state, record.id, record.content
    text = f"{record.relation} {record.target_id}" if isinstance(record, Link) else f"forget {record.reason}"
    return outcome.state, record.fact_id, text.strip()
