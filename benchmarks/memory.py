"""Claims about the memory engines, measured: ``python -m benchmarks.memory [--json]``.

Prints one row a claim and exits with 1 where a figure falls short of its bound. The inputs are random with a
fixed seed, so that a figure other than a time is the same in every run; a time is the fastest of several runs,
which is the one that the machine's other work disturbed least.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphsvc.canonical.fact_store import DuckDbFactStore
from graphsvc.errors import Refused
from graphsvc.graph.fact_store import KuzuFactStore
from graphsvc.knowledge import KnowledgeBase
from graphsvc.memory.fact_store import FactReader, MemoryFactStore
from graphsvc.memory.facts import Anchor, Fact, Forget, Link, Record
from graphsvc.memory.planes.authoring import author
from graphsvc.memory.planes.dialect import translate_root
from graphsvc.memory.planes.history import Boundary, History
from graphsvc.memory.planes.patching import apply_patch
from graphsvc.memory.recall import RecallQuery
from graphsvc.memory.strict_json import JsonObject, is_same
from graphsvc.memory.trust.entries import parse_session
from graphsvc.memory.trust.replay import snapshot
from graphsvc.published import PublishedGraph
from graphsvc.scopes import ALL, GLOBAL_ONLY, Scope, ScopeFilter, at

SEED = 20


@dataclass(frozen=True, slots=True)
class Row:
    """One claim: what was measured, the figure, its bound (at most), and over how many cases."""

    claim: str
    figure: float
    at_most: float
    unit: str
    cases: int

    @property
    def holds(self) -> bool:
        """Whether the figure is within its bound and anything was measured at all."""
        return self.cases > 0 and self.figure <= self.at_most


# --- random planes -----------------------------------------------------------------------------------------

KEYS = ("a", "b", "c", "working", "$ref", "[0]")
TEXTS = ("x", "cwd.working.a", "session.contract.b", "see $cwd.working.a, then", "$cwd.working.a.", "working")
LEGACY_ROOTS = ("intents", "contract", "working", "artifacts", "lazy", "foreign")


def random_value(rng: random.Random, depth: int, leaves: Sequence[Any]) -> Any:
    """A JSON value of at most ``depth`` levels."""
    shape = rng.random() if depth else 1.0
    if shape < 0.3:
        return {key: random_value(rng, depth - 1, leaves) for key in rng.sample(KEYS, rng.randint(0, 3))}
    if shape < 0.4:
        return {"[0]": random_value(rng, depth - 1, leaves)}
    if shape < 0.6:
        return [random_value(rng, depth - 1, leaves) for _ in range(rng.randint(0, 3))]
    return rng.choice(leaves)


def random_root(rng: random.Random, leaves: Sequence[Any], deletes: bool) -> JsonObject:
    """Planes of the retired dialect, or a record of changes to them."""
    root: JsonObject = {}
    for name in rng.sample(LEGACY_ROOTS, rng.randint(1, 4)):
        is_marker = deletes and rng.random() < 0.15
        keys = rng.sample(KEYS, rng.randint(0, 4))
        root[name] = None if is_marker else {key: random_value(rng, 3, leaves) for key in keys}
    return root


def applied(state: JsonObject, patch: JsonObject) -> JsonObject:
    """The patched state, or the reason why there is none."""
    try:
        return apply_patch(state, patch)
    except Refused as error:
        return {"foreign": str(error.reason)}


def translation(pairs: int) -> Row:
    """Translating a change equals changing the translation."""
    rng = random.Random(SEED)
    scalars = (True, 0, 1.5, *TEXTS)
    violations = 0
    for _ in range(pairs):
        state = random_root(rng, scalars, deletes=False)
        patch = random_root(rng, (None, *scalars), deletes=True)
        expected = translate_root(applied(state, patch))
        violations += not is_same(expected, applied(translate_root(state), translate_root(patch)))
    return Row("planes: T(apply(S,P)) = apply(T(S),T(P))", violations, 0, "violations", pairs)


def random_authored(rng: random.Random) -> JsonObject:
    """An authored patch: intents that own things, things that are owned, and deletions of both."""
    patch: JsonObject = {}
    for scope in rng.sample(("global", "cwd", "session"), rng.randint(1, 3)):
        planes: JsonObject = {}
        for plane in rng.sample(("intents", "strategy", "tactics", "lazy"), rng.randint(1, 3)):
            planes[plane] = {
                key: random_change(rng, scope) for key in rng.sample("abcdef", rng.randint(1, 3))
            }
        patch[scope] = planes
    return patch


def random_change(rng: random.Random, scope: str) -> Any:
    """A deletion, a reference that owns, or a value."""
    choice = rng.random()
    if choice < 0.3:
        return None
    if choice < 0.5:
        return {"$ref": f"{scope}.{rng.choice(('tactics', 'lazy', 'strategy'))}.{rng.choice('abcdef')}"}
    return random_value(rng, 2, (0, 1, "text"))


def replay(limit: int, transitions: int, histories: int) -> Row:
    """Every boundary that a history retains reads as it was when it was the head."""
    rng = random.Random(SEED + limit)
    mismatches = checked = 0
    for _ in range(histories):
        history = History.begin(Boundary("T0", 0), limit)
        seen = {history.head.id: history.states()}
        while history.head.position < transitions:
            history = authored(history, rng)
            seen[history.head.id] = history.states()
        for offset, boundary in enumerate(reversed(history.lineage)):
            checked += 1
            mismatches += not is_same(history.states(offset), seen[boundary.id])
        for scope, stream in history.streams.items():
            for boundary, state in stream.steps():
                checked += 1
                mismatches += not is_same(state, seen[boundary.id][scope])
    claim = f"planes: replay of {transitions} transitions, limit {limit}"
    return Row(claim, mismatches, 0, "mismatches", checked)


def authored(history: History, rng: random.Random) -> History:
    """The history after one more random patch, or the same where the patch is refused or changes nothing."""
    boundary_id = f"T{history.head.position + 1}"
    try:
        patch = random_authored(rng)
        return author(history, patch, boundary_id=boundary_id, expected_head=history.head.id).history
    except Refused:
        return history


# --- random facts ------------------------------------------------------------------------------------------

WORDS = ("ship it", "Ship later", "hold", "deploy", "ΑΣ", "50% done")


def random_scope(rng: random.Random) -> Scope:
    """A scope of few names, so that scopes meet."""
    return Scope(*(rng.choice(("", name, name.upper())) for name in "ipw"))


def random_records(rng: random.Random, count: int) -> list[Record]:
    """Facts, and what is said of them, each record admissible when it comes."""
    facts = [
        Fact(
            id=f"f{rng.getrandbits(40):010x}{number}",
            kind=rng.choice(("fact", "preference")),
            content=rng.choice(WORDS),
            recorded_at=rng.randint(0, 5),
            scope=random_scope(rng),
            anchors=tuple(Anchor("file", name) for name in rng.sample("xy", rng.randint(0, 1))),
            valid_from=rng.choice((None, None, 1)),
            valid_until=rng.choice((None, None, 4)),
            expires_at=rng.choice((None, None, None, 6)),
        )
        for number in range(count)
    ]
    records: list[Record] = list(facts)
    gone: set[str] = set()
    superseded: set[str] = set()
    for fact in rng.sample(facts, count // 2):
        newer, choice = rng.choice(facts).id, rng.random()
        if choice < 0.3 and fact.id not in gone:
            records.append(Forget(fact.id, rng.randint(0, 8)))
            gone.add(fact.id)
        elif newer != fact.id and not {newer, fact.id} & gone:
            if choice < 0.6:
                records.append(Link("contradicts", newer, fact.id, rng.randint(0, 8)))
            elif newer not in superseded:
                effective_at = rng.choice((None, rng.randint(0, 8)))
                records.append(Link("supersedes", newer, fact.id, rng.randint(0, 8), effective_at))
                superseded.add(fact.id)
    return records


def random_query(rng: random.Random) -> RecallQuery:
    """A query of any scope, with some other conditions."""
    exact = at(random_scope(rng))
    return RecallQuery(
        text=rng.choice(("", "ship", " SHIP ", "hold", "ασ", "%")),
        scopes=rng.choice((ALL, GLOBAL_ONLY, exact, exact.with_ancestors(), exact.with_ancestors())),
        kinds=rng.choice((frozenset(), frozenset({"fact"}))),
        anchors=rng.choice((frozenset(), frozenset(), frozenset({Anchor("file", "x")}))),
        since=rng.choice((None, None, 2)),
        until=rng.choice((None, None, 4)),
        valid_at=rng.choice((None, None, 3)),
        known_at=rng.choice((None, None, 5)),
        with_superseded=rng.random() < 0.3,
        limit=rng.randint(-1, 6),
    )


def read_literally(records: Sequence[Record], query: RecallQuery, now: int) -> list[str]:
    """Ids that the rules give when they are followed one by one, without any index: the baseline."""
    known = [item for item in records if query.known_at is None or item.recorded_at <= query.known_at]
    at_time = now if query.valid_at is None else query.valid_at
    forgotten = {item.fact_id for item in known if isinstance(item, Forget)}
    superseded = {
        item.target_id
        for item in known
        if isinstance(item, Link) and item.relation == "supersedes" and begins(item) <= at_time
    }
    wanted = {(anchor.kind, anchor.id) for anchor in query.anchors}
    found = []
    for fact in known:
        if not isinstance(fact, Fact) or fact.id in forgotten:
            continue
        if fact.id in superseded and not query.with_superseded:
            continue
        if fact.valid_from is not None and at_time < fact.valid_from:
            continue
        if fact.valid_until is not None and at_time >= fact.valid_until:
            continue
        if fact.expires_at is not None and at_time >= fact.expires_at:
            continue
        if query.kinds and fact.kind not in query.kinds:
            continue
        if wanted and not wanted & {(anchor.kind, anchor.id) for anchor in fact.anchors}:
            continue
        if query.since is not None and fact.recorded_at < query.since:
            continue
        if query.until is not None and fact.recorded_at >= query.until:
            continue
        if query.text.strip().lower() not in fact.content.lower().replace("ς", "σ"):
            continue
        if in_chain(query.scopes, fact.scope):
            found.append(fact)
    if query.scopes.chain is not None and len(query.scopes.chain) > 1:
        order = {scope: place for place, scope in enumerate(query.scopes.chain)}
        found.sort(key=lambda fact: (order[fact.scope], -fact.recorded_at, fact.id.encode()))
    else:
        found.sort(key=lambda fact: (-fact.recorded_at, fact.id.encode()))
    return [fact.id for fact in (found[: query.limit] if query.limit > 0 else found)]


def begins(link: Link) -> int:
    """From when a link counts."""
    return link.recorded_at if link.effective_at is None else link.effective_at


def in_chain(scopes: ScopeFilter, scope: Scope) -> bool:
    """Whether the request names the scope."""
    return scopes.chain is None or any(item.levels == scope.levels for item in scopes.chain)


@contextmanager
def stores_of(records: Sequence[Record]) -> Iterator[dict[str, FactReader]]:
    """The same facts in memory, in a canonical store and in the published graph of it, each open for reading."""
    in_memory = MemoryFactStore()
    in_memory.append(records)
    with tempfile.TemporaryDirectory() as folder:
        kb = KnowledgeBase.init(Path(folder) / "store")
        in_events = DuckDbFactStore(kb.store)
        in_events.append(records)
        kb.rebuild()
        published = PublishedGraph.open(kb.store)
        try:
            with kb.store.read():
                yield {"memory": in_memory, "duckdb": in_events, "kuzu": KuzuFactStore(published.reader)}
        finally:
            published.close()


def queries(count: int) -> Iterator[Row]:
    """Every store answers every query as the rules read literally do."""
    corpora = 5
    differing: Counter[str] = Counter()
    rng = random.Random(SEED)
    for _ in range(corpora):
        records = random_records(rng, 200)
        with stores_of(records) as stores:
            for _ in range(count // corpora):
                query, now = random_query(rng), rng.randint(0, 8)
                expected = read_literally(records, query, now)
                for name, store in stores.items():
                    differing[name] += [item.fact.id for item in store.recall(query, now=now)] != expected
    for name, figure in differing.items():
        yield Row(f"facts: scope queries, {name} against the rules", figure, 0, "differing", count)


def widened_recall(facts: int) -> Iterator[Row]:
    """A widened recall from one workspace of a large store."""
    rng = random.Random(SEED)
    records = []
    for number in range(facts):
        scope = Scope("m", f"p{rng.randrange(50)}", f"w{rng.randrange(20)}").ancestors()
        depth = rng.choices(range(4), weights=(60, 36, 3, 1))[0]
        records.append(
            Fact(f"f{number:06}", "fact", f"note {number} on {rng.choice(WORDS)}", number, scope[depth])
        )
    with stores_of(records) as stores:
        for name, store in stores.items():
            times = []
            for number in range(25):
                place = Scope("m", f"p{number}", "w3")
                query = RecallQuery(text="ship", scopes=at(place).with_ancestors(), limit=20)
                start = time.perf_counter()
                found = store.recall(query, now=facts)
                times.append((time.perf_counter() - start) * 1000)
                assert len(found) == 20
            yield Row(f"facts: widened recall of {facts} facts, {name}", min(times), 20, "ms", len(times))


# --- random sessions ---------------------------------------------------------------------------------------


def random_session(rng: random.Random, entries: int) -> bytes:
    """A session of one branch that reads a hundred files again and again."""
    lines: list[JsonObject] = [{"type": "session", "version": 3, "id": "s", "cwd": "/w"}]
    for number in range(entries):
        block = {
            "v": 1,
            "pathKey": f"/w/{rng.randrange(100)}.txt",
            "scopeKey": rng.choice(("full", "r:2:4")),
            "servedHash": rng.choice("ab") * 64,
            "baseHash": rng.choice("ab") * 64,
            "mode": rng.choice(("full", "unchanged", "unchanged_range", "diff")),
            "totalLines": 10,
            "rangeStart": 2,
            "rangeEnd": 4,
            "bytes": 100,
        }
        message = {"role": "toolResult", "toolName": "read", "content": [], "details": {"readcache": block}}
        parent = f"e{number - 1}" if number else None
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "message": message})
    return "\n".join(map(json.dumps, lines)).encode()


def trust(entries: int) -> Row:
    """Reading and replaying a long session."""
    data = random_session(random.Random(SEED), entries)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        tree = parse_session(data)
        found = snapshot(tree, tree.current)
        times.append(time.perf_counter() - start)
        assert found.reads == entries
    return Row(f"trust: replay of {entries} reads", min(times), 2, "s", entries)


def measure() -> Iterator[Row]:
    """All claims."""
    yield translation(100_000)
    for limit in (0, 1, 7, 100):
        yield replay(limit, transitions=200, histories=3)
    yield from queries(10_000)
    yield from widened_recall(100_000)
    yield trust(20_000)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether every claim holds."""
    rows = []
    for row in measure():
        rows.append(row)
        if "--json" not in arguments:
            verdict = "ok" if row.holds else "SHORT"
            figure = f"{row.figure:.4g} {row.unit} (at most {row.at_most:g})"
            print(f"{verdict:6}{row.claim:58}{figure:34}{row.cases:8} cases", flush=True)
    if "--json" in arguments:
        print(json.dumps([{**asdict(row), "holds": row.holds} for row in rows], indent=2))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
