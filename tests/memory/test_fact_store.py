"""What every store of facts must do; see ``backends`` for the stores."""

import dataclasses
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.memory import random_query, random_records
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Conflict, InvalidInput, NotFound
from graphsvc.memory.fact_store import MemoryFactStore
from graphsvc.memory.facts import Anchor, Fact, Forget, Link, remember
from graphsvc.memory.recall import RecallQuery
from graphsvc.scopes import ALL, GLOBAL, GLOBAL_ONLY, Scope, at, scope_filter
from tests.memory.backends import NAMES, PublishedFacts, backends
from tests.memory.conftest import cases_of

PLACE = Scope("i", "p", "w")


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts") / "empty"
    CanonicalStore.create(folder)
    return folder


@pytest.fixture(params=NAMES)
def store(request, empty, tmp_path):
    made = backends(empty, tmp_path)[request.param]()
    yield made
    if isinstance(made, PublishedFacts):
        made.close()


def every_kind(empty, folder, records):
    """One store of each kind with the same records."""
    stores = {name: make() for name, make in backends(empty, folder).items()}
    for made in stores.values():
        made.append(records)
    return stores


def fact(fact_id, content="ship it", recorded_at=1, **columns):
    return Fact(fact_id, columns.pop("kind", "fact"), content, recorded_at, **columns)


def ids(store, *, now=1_000, **query):
    return [item.fact.id for item in store.recall(RecallQuery(**query), now=now)]


# --- vectors ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=NAMES)
def shelf(request, empty, tmp_path_factory):
    """A store of the items of all vectors, and the instant at which those of one vector alone hold.

    Making a store costs more than asking it, and what is not valid at an instant is in no answer of it.
    """
    wanted = [case["items"] for _, case in cases_of("recall_case")]
    wanted += [case["Items"] for _, case in cases_of("random_recall_case")]
    texts = dict.fromkeys(map(json.dumps, wanted))
    instants = {text: number for number, text in enumerate(texts)}
    made = backends(empty, tmp_path_factory.mktemp("shelf"))[request.param]()
    made.append([item for text, at_ in instants.items() for item in records_of(json.loads(text), at_)])
    yield made, instants
    if isinstance(made, PublishedFacts):
        made.close()


def records_of(items, instant):
    """The items of a vector, which hold at one instant alone; a deleted one is written and forgotten."""
    records = []
    for item in items:
        item = {key.lower(): value for key, value in item.items()}
        created = item["created"] if "created" in item else item["createdns"]
        during = {"valid_from": instant, "valid_until": instant + 1}
        written = fact(
            f"{instant}:{item['id']}", item["content"], created, scope=Scope(*item["scope"]), **during
        )
        records += [written, *([Forget(written.id, created)] if item["deleted"] else [])]
    return records


def test_recall_vectors(shelf, recall_case):
    store, instants = shelf
    scopes = scope_filter(Scope(*recall_case["scope"]), recall_case["include_ancestors"])
    query = RecallQuery(text=recall_case["query"], scopes=scopes, limit=recall_case["limit"])

    found = store.recall(query, now=instants[json.dumps(recall_case["items"])])

    assert [item.fact.content for item in found] == recall_case["expect"]


def test_random_recall_vectors(shelf, random_recall_case):
    store, instants = shelf
    asked = random_recall_case["Q"]
    instant = instants[json.dumps(random_recall_case["Items"])]
    scopes = scope_filter(Scope(*asked["Scope"]), asked["Include"])

    found = ids(store, now=instant, text=asked["Query"], scopes=scopes, limit=asked["Limit"])

    assert [fact_id.removeprefix(f"{instant}:") for fact_id in found] == random_recall_case["Expect"]


# --- scope, text, time, kinds, anchors, limit --------------------------------------------------------------


def test_global_only_reads_what_no_scope_holds(store):
    store.append([fact("a"), fact("b", scope=Scope("", "x"))])

    assert ids(store, scopes=GLOBAL_ONLY) == ["a"]
    assert ids(store, scopes=ALL) == ["a", "b"]
    assert ids(store, scopes=ALL, limit=1) == ["a"]


def test_an_inner_fact_never_hides_an_outer_one(store):
    store.append([fact("outer", scope=Scope("i", "p"), recorded_at=9), fact("inner", scope=PLACE)])

    assert ids(store, scopes=at(PLACE).with_ancestors()) == ["inner", "outer"]


def test_equal_times_are_ordered_by_the_bytes_of_the_id(store):
    store.append([fact(name) for name in ("～", "c", "a", "B", "😀")])

    assert ids(store) == ["B", "a", "c", "～", "😀"]


def test_text_is_a_part_of_the_content_in_any_case(store):
    cases = [
        ("deploy", "the deployment pipeline", True),
        ("", "anything", True),
        (" \u00a0\u0085ship\u2003", "Ship", True),
        ("\x1cship", "ship", False),
        ("İ", "i", True),
        ("ΑΣ", "ΑΣ later", True),
        ("ας", "ΑΣ", False),
        ("50%_", "50% done", False),
        ("a'b\\", "A'B\\", True),
    ]
    scopes = [Scope("", str(number)) for number in range(len(cases))]
    store.append(
        [fact(scope.project, case[1], scope=scope) for case, scope in zip(cases, scopes, strict=True)]
    )

    for (text, _, is_found), scope in zip(cases, scopes, strict=True):
        assert ids(store, text=text, scopes=at(scope)) == ([scope.project] if is_found else [])


def test_kinds_are_alternatives_and_meet_the_other_conditions(store):
    store.append(
        [
            fact("a", kind="preference"),
            fact("b", kind="preference", recorded_at=2),
            fact("c"),
            fact("d", kind="observation"),
        ]
    )

    assert ids(store, kinds=frozenset({"preference", "fact"})) == ["b", "a", "c"]
    assert ids(store, kinds=frozenset({"preference"}), until=2) == ["a"]


def test_anchors_are_alternatives_and_their_digest_does_not_matter(store):
    store.append(
        [
            fact("a", anchors=(Anchor("file", "f", "d1"), Anchor("commit", "c"))),
            fact("b", anchors=(Anchor("file", "c"),)),
            fact("c"),
        ]
    )

    assert ids(store, anchors=frozenset({Anchor("commit", "c"), Anchor("file", "f", "d2")})) == ["a"]


def test_since_is_inclusive_and_until_exclusive(store):
    store.append([fact("a", recorded_at=4), fact("b", recorded_at=5), fact("c", recorded_at=6)])

    assert ids(store, since=5) + ids(store, until=5) == ["c", "b", "a"]
    assert ids(store, since=5, until=5) == []


def test_an_expired_fact_is_invisible_from_its_last_instant_on(store):
    store.append([fact("a", expires_at=10)])

    assert ids(store, now=9) == ["a"]
    assert ids(store, now=10) == []


def test_the_limit_counts_facts_in_order(store):
    store.append([fact("a"), fact("b"), fact("c")])

    for limit, count in ((-1, 3), (0, 3), (1, 1), (9, 3)):
        assert ids(store, limit=limit) == ["a", "b", "c"][:count]


def test_the_limit_cuts_after_every_other_condition(store):
    store.append([fact("a"), fact("b"), fact("c")])
    store.append([Forget("a", 2), Link("supersedes", "c", "b", 2)])

    assert ids(store, limit=1) == ["c"]


# --- what happens to a fact --------------------------------------------------------------------------------


def test_a_forgotten_fact_is_gone_at_once_and_stays_on_record(store):
    store.append([fact("a")])
    store.append([Forget("a", 5, "wrong")])

    assert ids(store) == []
    assert store.history("a").records == (Forget("a", 5, "wrong"),)
    assert ids(store, known_at=4) == ["a"]


def test_forgetting_again_or_what_was_never_there_is_not_found(store):
    store.append([fact("a"), Forget("a", 5)])

    for fact_id in ("a", "missing"):
        with pytest.raises(NotFound):
            store.append([Forget(fact_id, 6)])


def test_a_superseded_fact_is_asked_for_by_time_or_by_name(store):
    store.append([fact("old"), fact("new", recorded_at=5, valid_from=5)])
    store.append([Link("supersedes", "new", "old", recorded_at=5)])

    assert ids(store) == ["new"]
    assert ids(store, valid_at=4) == ["old"]
    assert ids(store, known_at=4) == ["old"]
    both = store.recall(RecallQuery(with_superseded=True), now=9)
    assert [(item.fact.id, item.superseded_by) for item in both] == [("new", ()), ("old", ("new",))]


def test_supersession_takes_effect_when_it_says(store):
    store.append([fact("old"), fact("new"), Link("supersedes", "new", "old", 5, effective_at=20)])

    assert ids(store, now=19) == ["new", "old"]
    assert ids(store, now=20) == ["new"]


def test_what_was_valid_and_what_was_known_are_asked_apart(store):
    store.append([fact("a", recorded_at=10, valid_from=1, valid_until=4)])

    assert ids(store, valid_at=3) == ["a"]
    assert ids(store, valid_at=4) == []
    assert ids(store, valid_at=3, known_at=9) == []


def test_contradicting_facts_are_both_returned_and_marked(store):
    store.append([fact("a"), fact("b"), Link("contradicts", "b", "a", 2)])

    found = store.recall(RecallQuery(), now=9)

    assert [(item.fact.id, item.contradicted_by) for item in found] == [("a", ("b",)), ("b", ("a",))]


def test_supersession_has_no_cycles(store):
    store.append([fact("a"), fact("b"), fact("c")])
    store.append([Link("supersedes", "b", "c", 2), Link("supersedes", "a", "b", 2)])

    with pytest.raises(InvalidInput):
        store.append([Link("supersedes", "c", "a", 3)])


def test_a_link_needs_two_facts_that_are_there(store):
    store.append([fact("a"), fact("forgotten"), Forget("forgotten", 2)])

    for target in ("missing", "forgotten"):
        with pytest.raises(NotFound):
            store.append([Link("contradicts", "a", target, 3)])


# --- writing -----------------------------------------------------------------------------------------------


def test_a_batch_is_admitted_whole_or_not_at_all(store):
    with pytest.raises(NotFound):
        store.append([fact("a"), Forget("missing", 2)])

    assert ids(store) == []


def test_writing_the_same_record_again_adds_nothing(store):
    batch = [fact("a"), fact("b"), Link("contradicts", "b", "a", 2), fact("c"), Forget("c", 2)]
    store.append(batch)
    store.append(batch)

    assert len(store.history("a").records) == 1
    assert ids(store) == ["a", "b"]


def test_writing_again_is_harmless_whatever_has_happened_since(store):
    batch = [fact("a"), fact("b"), Link("supersedes", "b", "a", 2)]
    store.append([*batch, fact("c"), Link("supersedes", "c", "b", 3), Forget("a", 4)])

    store.append(batch)

    assert ids(store) == ["c"]
    assert len(store.history("a").records) == 2


def test_another_fact_under_the_same_id_is_a_conflict_that_shows_both(store):
    store.append([fact("a", "one")])

    with pytest.raises(Conflict) as caught:
        store.append([fact("a", "two")])

    assert (caught.value.expected.content, caught.value.actual.content) == ("two", "one")


def test_the_same_words_twice_are_two_facts(store):
    store.append([remember("ship", recorded_at=1), remember("ship", recorded_at=1, ordinal=1)])

    assert len(set(ids(store))) == 2


def test_the_history_of_an_unknown_fact_is_not_found(store):
    with pytest.raises(NotFound):
        store.history("missing")


@pytest.mark.parametrize(
    "columns",
    [
        {"fact_id": " "},
        {"content": None},
        {"content": "\ud800"},
        {"recorded_at": 1.5},
        {"recorded_at": True},
        {"recorded_at": None},
        {"recorded_at": 2**63},
        {"expires_at": "soon"},
    ],
)
def test_a_malformed_fact_is_refused(columns):
    with pytest.raises(InvalidInput):
        fact(**{"fact_id": "a", **columns})


@pytest.mark.parametrize("anchor", [("", "x"), ("file", " "), ("file", None)])
def test_an_anchor_names_a_kind_and_an_id(anchor):
    with pytest.raises(InvalidInput):
        Anchor(*anchor)


@pytest.mark.parametrize(
    "link", [("supersedes", "a", "a", 1), ("likes", "a", "b", 1), ("supersedes", "a", "b", None)]
)
def test_a_malformed_link_is_refused(link):
    with pytest.raises(InvalidInput):
        Link(*link)


def test_a_fact_of_content_alone_is_accepted(store):
    store.append([fact("a", kind="", source="")])

    assert ids(store) == ["a"]


def test_odd_text_and_far_times_come_back_as_they_were(store):
    odd = fact(
        "a\x00\x1f",
        "\x00 'quoted' \\ \u2028 \U0001f600",
        2**63 - 1,
        scope=Scope('[",', "\x1f", "é/"),
        source="\t",
        anchors=(Anchor('"file"', "\\", "\x01"),),
        valid_from=-(2**63) + 1,
    )
    store.append([odd])

    [item] = store.recall(RecallQuery(scopes=at(odd.scope)), now=1)
    assert item.fact == odd


# --- laws --------------------------------------------------------------------------------------------------

levels = st.sampled_from(["", "i", "j"])
scopes = st.builds(Scope, levels, levels, levels)
times = st.integers(0, 6)
some_time = st.none() | times
facts = st.builds(
    Fact,
    id=st.uuids().map(str),
    kind=st.sampled_from(["fact", "preference"]),
    content=st.sampled_from(["ship it", "Ship later", "hold", "ΑΣ", ""]),
    recorded_at=times,
    scope=scopes,
    anchors=st.lists(st.builds(Anchor, st.just("file"), st.sampled_from("xy")), max_size=2).map(tuple),
    valid_from=some_time,
    valid_until=some_time,
    expires_at=some_time,
)
queries = st.builds(
    RecallQuery,
    text=st.sampled_from(["", "ship", " SHIP ", "ας", "hold"]),
    scopes=st.sampled_from([ALL, GLOBAL_ONLY])
    | scopes.map(at)
    | scopes.map(lambda s: at(s).with_ancestors()),
    kinds=st.frozensets(st.sampled_from(["fact", "preference"]), max_size=2),
    anchors=st.frozensets(st.builds(Anchor, st.just("file"), st.sampled_from("xy")), max_size=1),
    since=some_time,
    until=some_time,
    valid_at=some_time,
    known_at=some_time,
    with_superseded=st.booleans(),
    limit=st.integers(-1, 4),
)


@st.composite
def corpora(draw):
    """Facts and what is said of them, each record admissible when it comes."""
    written = draw(st.lists(facts, max_size=8, unique_by=lambda item: item.id))
    names = [item.id for item in written]
    records = list(written)
    gone, superseded = set(), set()
    for _ in range(draw(st.integers(0, 4)) if len(names) > 1 else 0):
        one, other = draw(st.permutations(names))[:2]
        kind = draw(st.sampled_from(["supersedes", "contradicts", "forget"]))
        if {one, other} & gone or (kind == "supersedes" and one in superseded):
            continue
        if kind == "forget":
            gone.add(one)
            records.append(Forget(one, draw(times)))
        else:
            superseded.update({other} if kind == "supersedes" else set())
            records.append(Link(kind, one, other, draw(times), draw(some_time)))
    return records


def test_every_backend_answers_as_the_one_in_memory(empty, tmp_path):
    """One corpus and many queries, since making a store costs more than asking it."""
    rng = random.Random(7)
    stores = every_kind(empty, tmp_path, random_records(rng, 60))
    asked = [(random_query(rng), rng.randint(0, 8)) for _ in range(60)]

    answers = {name: [made.recall(query, now=now) for query, now in asked] for name, made in stores.items()}
    stores["kuzu"].close()

    assert answers["duckdb"] == answers["memory"]
    assert answers["kuzu"] == answers["memory"]
    assert sum(map(len, answers["memory"])) > 30


@given(corpora(), queries, scopes, times)
def test_widening_extends_a_recall_without_reordering_it(records, query, scope, now):
    store = MemoryFactStore()
    store.append(records)
    narrow = dataclasses.replace(query, scopes=at(scope), limit=0)
    wide = dataclasses.replace(query, scopes=at(scope).with_ancestors(), limit=0)

    found = store.recall(narrow, now=now)

    assert store.recall(wide, now=now)[: len(found)] == found


@given(corpora(), queries, times)
def test_a_limited_recall_is_the_beginning_of_the_whole(records, query, now):
    store = MemoryFactStore()
    store.append(records)
    whole = store.recall(dataclasses.replace(query, limit=0), now=now)

    assert store.recall(query, now=now) == (whole[: query.limit] if query.limit > 0 else whole)


@given(corpora(), queries, times)
def test_what_a_recall_returns_was_asked_for(records, query, now):
    store = MemoryFactStore()
    store.append(records)
    chain = query.scopes.chain
    instant = now if query.valid_at is None else query.valid_at

    for item in store.recall(query, now=now):
        assert chain is None or item.fact.scope in chain
        assert item.fact.valid_until is None or item.fact.valid_until > instant
        assert query.known_at is None or item.fact.recorded_at <= query.known_at
        assert query.with_superseded or not item.superseded_by


@given(corpora(), times)
def test_the_unscoped_order_is_time_then_id(records, now):
    store = MemoryFactStore()
    store.append(records)

    found = [item.fact for item in store.recall(RecallQuery(scopes=scope_filter(GLOBAL, True)), now=now)]

    assert found == sorted(found, key=lambda item: (-item.recorded_at, item.id.encode()))
