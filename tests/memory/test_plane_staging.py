"""Staging and authoring: what a patch comes to, or why it is refused."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import Conflict, Refused
from graphsvc.memory.planes.authoring import author
from graphsvc.memory.planes.dialect import LEGACY, translate_root
from graphsvc.memory.planes.history import Boundary, History
from graphsvc.memory.planes.ownership import owned_path
from graphsvc.memory.planes.patching import apply_patch
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.planes.staging import PROVENANCE, stage
from graphsvc.memory.strict_json import MAX_DEPTH, JsonReason, is_same


def paths(cascade):
    return [".".join((path.plane, *path.keys)) for path in cascade]


def session(**planes):
    return {"session": planes}


def ref(path):
    return {"$ref": path}


def test_writing_to_a_cleared_path_starts_it_afresh():
    basis = session(intents={"t": [ref("session.tactics.draft")]}, tactics={"draft": {"part": 1}})
    staged = stage(basis, session(intents={"t": None}, tactics={"draft": {"result": "saved"}}))

    assert staged.states["session"] == {"tactics": {"draft": {"result": "saved"}}}
    assert staged.records["session"]["tactics"] == {"draft": {"part": None, "result": "saved"}}
    assert paths(staged.cascades["session"]) == ["tactics.draft"]


def test_the_retired_order_discards_what_is_written_to_a_cleared_path():
    basis = session(intents={"t": [ref("session.working.draft")]}, working={"draft": 1, "kept": 2})
    staged = stage(basis, session(intents={"t": None}, working={"draft": 3}), LEGACY)

    assert staged.states["session"] == {"working": {"kept": 2}}


def test_strategy_is_owned_now_and_its_retired_form_was_not():
    now = stage(
        session(intents={"t": ref("session.strategy.a")}, strategy={"a": 1}), session(intents={"t": None})
    )
    then = stage(
        session(intents={"t": ref("session.contract.a")}, contract={"a": 1}),
        session(intents={"t": None}),
        LEGACY,
    )

    assert now.states["session"] == {}
    assert then.states["session"] == {"contract": {"a": 1}}


def test_an_intent_that_stays_protects_what_encloses_its_target():
    basis = session(
        intents={"d": ref("session.tactics.a.b"), "k": ref("session.tactics.a")}, tactics={"a": {"b": 1}}
    )
    staged = stage(basis, session(intents={"d": None}))

    assert staged.states["session"]["tactics"] == {"a": {"b": 1}}


def test_only_the_outermost_of_what_exists_is_cleared():
    targets = ["tactics.a", "tactics.a.x", "lazy.plan", "tactics.gone", "tactics.scalar.k"]
    basis = session(
        intents={"t": {"deep": [ref(f"session.{target}") for target in targets]}},
        tactics={"a": {"x": 1}, "scalar": "k"},
        lazy={"plan": 1},
    )
    staged = stage(basis, session(intents={"t": None}))

    assert paths(staged.cascades["session"]) == ["lazy.plan", "tactics.a"]
    assert staged.states["session"] == {"tactics": {"scalar": "k"}}


@pytest.mark.parametrize(
    "keeper",
    [
        {"strategy": {"note": ref("session.tactics.a")}},
        {"intents": {"n": ref(["session.tactics.a"])}},
        {"intents": {"n": ref("session[1].tactics.a")}},
        {"intents": {"n": ref("session.tactics.ab")}},
    ],
)
def test_what_is_no_owning_reference_of_an_intent_protects_nothing(keeper):
    basis = session(intents={"t": ref("session.tactics.a")}, tactics={"a": 1})
    patch = copy.deepcopy(keeper)
    patch.setdefault("intents", {})["t"] = None

    assert "tactics" not in stage(basis, session(**patch)).states["session"]


def test_beside_a_reference_others_count_too():
    intent = {"$ref": "session.tactics.a", "also": ref("session.lazy.b")}
    basis = session(intents={"t": intent}, tactics={"a": 1}, lazy={"b": 1})

    assert stage(basis, session(intents={"t": None})).states["session"] == {}


@pytest.mark.parametrize(
    "reference",
    [
        "cwd.tactics",
        "cwd.tactics.",
        "cwd.artifacts.a",
        "cwd.intents.a",
        "cwd.working.a",
        "CWD.tactics.a",
        "cwd.tactics.é",
        "cwd.tactics.a\n",
        " cwd.tactics.a",
    ],
)
def test_references_that_own_nothing(reference):
    assert owned_path("cwd", reference) is None


def test_unusual_keys_can_be_owned():
    assert owned_path("cwd", "cwd.lazy.$x-1").keys == ("$x-1",)


def test_the_one_example_of_deletions_in_vain_over_three_scopes():
    staged = stage(
        {},
        {
            "global": {"tactics": {"m": {"c": None}}},
            "cwd": {"tactics": {"added": {"d": None, "v": 0}}},
            "session": {"lazy": {"m": {"n": {"l": None}}}},
        },
    )

    assert staged.records == {"cwd": {"tactics": {"added": {"v": 0}}}}
    assert [(hint.path, hint.unavailable) for hint in staged.missing] == [
        ("/global/tactics/m/c", "/global/tactics"),
        ("/cwd/tactics/added/d", "/cwd/tactics"),
        ("/session/lazy/m/n/l", "/session/lazy"),
    ]


def test_scopes_that_a_patch_does_not_name_keep_their_empty_objects():
    basis = {"global": {"tactics": {"old": {}}}, "session": {"tactics": {"old": {}}}}

    staged = stage(basis, session(tactics={"new": 1}))

    assert staged.states["global"] == {"tactics": {"old": {}}}
    assert staged.records == {"session": {"tactics": {"old": None, "new": 1}}}


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"session": {"working": None}}, Reason.UNKNOWN_PLANE),
        ({"session": {"contract": {}}}, Reason.UNKNOWN_PLANE),
        ({"session": {"intents": None}}, Reason.PLANE_TYPE),
        ({"session": {"lazy": []}}, Reason.PLANE_TYPE),
        ({"session": None}, Reason.PLANE_TYPE),
        ({"session": [1]}, Reason.PLANE_TYPE),
        ({"effective": {"lazy": {}}}, Reason.UNKNOWN_SCOPE),
        ({"cwd": {"tactics": {"a": [None]}}}, Reason.NULL_STORED),
        ({"cwd": {"tactics": {"a": float("nan")}}}, JsonReason.NUMBER_NOT_FINITE),
        ({"cwd": {"artifacts": {"a.md": {"kind": "note"}}}}, Reason.ARTIFACT_CARD),
        *(
            ({"cwd": {"artifacts": {"a.md": {"description": "d", key: value}}}}, Reason.PROVENANCE_KEY)
            for key in sorted(PROVENANCE)
            for value in ("x", None)
        ),
    ],
)
def test_a_patch_that_breaks_a_rule_is_refused_whole(patch, reason):
    history = History.begin(Boundary("T0", 0))

    with pytest.raises(Refused) as caught:
        author(history, {"global": {"lazy": {"fine": 1}}, **patch}, boundary_id="T1", expected_head="T0")

    assert caught.value.reason == reason
    assert history.states() == {"global": {}, "cwd": {}, "session": {}}


def test_what_an_artifact_holds_deeper_is_the_authors():
    card = {"description": "d", "compilation": {"hash": "x"}}

    assert stage({}, {"cwd": {"artifacts": {"a.md": card}}}).states["cwd"] == {"artifacts": {"a.md": card}}


@pytest.mark.parametrize("patches", [{}, {"session": {}}, {"cwd": {"lazy": {"a": 1}}, "session": {}}])
def test_an_author_says_something_about_every_scope_named(patches):
    with pytest.raises(Refused) as caught:
        author(History.begin(Boundary("T0", 0)), patches, boundary_id="T1", expected_head="T0")

    assert caught.value.reason == Reason.EMPTY_PATCH


def test_of_two_authors_the_second_learns_what_the_head_is():
    origin = History.begin(Boundary("T0", 0))
    first = author(origin, session(lazy={"a": 1}), boundary_id="T1", expected_head="T0")

    with pytest.raises(Conflict) as caught:
        author(first.history, session(lazy={"a": 2}), boundary_id="T2", expected_head="T0")

    assert (caught.value.expected, caught.value.actual) == ("T0", "T1")


def test_a_patch_that_changes_nothing_makes_no_transition():
    history = History.begin(Boundary("T0", 0))

    authored = author(history, session(tactics={}, lazy={"e": {}}), boundary_id="T1", expected_head="T0")

    assert authored.history is history


def test_a_plan_from_its_intent_to_its_end():
    steps = [
        {"intents": {"release": ref("session.tactics.release")}, "tactics": {"release": {"next": "check"}}},
        {"strategy": {"must": "offline", "accepted": "verifier v1"}},
        {"tactics": {"release": {"check": "failed", "open": "index"}}},
        {"strategy": {"accepted": "embedded index"}, "tactics": {"release": {"open": None}}},
        {"intents": {"release": None}, "strategy": {"result": "verified"}},
    ]
    history = History.begin(Boundary("T0", 0))
    seen, cascades = [history.state("session")], []
    for number, step in enumerate(steps, start=1):
        authored = author(history, session(**step), boundary_id=f"T{number}", expected_head=history.head.id)
        history = authored.history
        seen.append(authored.staged.states["session"])
        cascades.append(paths(authored.staged.cascades["session"]))

    assert history.streams["session"].revision == 5
    assert cascades == [[], [], [], [], ["tactics.release"]]
    assert [history.state("session", offset) for offset in range(5, -1, -1)] == seen
    assert seen[-1] == {"strategy": {"must": "offline", "accepted": "embedded index", "result": "verified"}}


@pytest.mark.parametrize("wrap", [lambda value: {"a": value}, lambda value: [value]])
def test_the_deepest_value_that_is_read_passes_every_rule(wrap):
    value = 1
    for _ in range(MAX_DEPTH - 2):
        value = wrap(value)
    history = History.begin(Boundary("T0", 0))

    authored = author(history, session(lazy={"deep": value}), boundary_id="T1", expected_head="T0")
    renamed = translate_root({"working": {"deep": value}})

    assert authored.history.state("session") == {"lazy": {"deep": value}}
    assert renamed == {"tactics": {"deep": value}}
    with pytest.raises(Refused) as caught:
        stage({}, session(lazy={"deep": wrap(value)}))
    assert caught.value.reason == JsonReason.TOO_DEEP


names = st.sampled_from(["a", "b", "c"])
targets = st.builds(
    lambda scope, plane, key: f"{scope}.{plane}.{key}",
    st.sampled_from(["session", "cwd"]),
    st.sampled_from(["tactics", "lazy", "strategy", "intents"]),
    names,
)
contents = st.recursive(
    st.integers(0, 2) | st.builds(ref, targets),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)
planes = st.fixed_dictionaries(
    {},
    optional={name: st.dictionaries(names, contents, max_size=3) for name in ("intents", "tactics", "lazy")},
)
changes = st.fixed_dictionaries(
    {},
    optional={
        name: st.dictionaries(names, st.none() | contents, max_size=3)
        for name in ("intents", "tactics", "lazy")
    },
)
scopes = ("cwd", "session")
all_states = st.fixed_dictionaries(dict.fromkeys(scopes, planes))
all_patches = st.dictionaries(st.sampled_from(scopes), changes)


@given(
    st.fixed_dictionaries(dict.fromkeys(scopes, planes)), st.dictionaries(st.sampled_from(scopes), changes)
)
def test_records_replay_to_the_staged_states_and_nothing_is_touched(states, patches):
    before = copy.deepcopy((states, patches))
    staged = stage(states, patches)

    assert (states, patches) == before
    for scope in scopes:
        replayed = apply_patch(states[scope], staged.records.get(scope, {}))
        assert is_same(replayed, staged.states[scope])


@given(
    st.fixed_dictionaries(dict.fromkeys(scopes, planes)), st.dictionaries(st.sampled_from(scopes), changes)
)
def test_what_is_cleared_was_owned_by_an_intent_that_is_gone(states, patches):
    staged = stage(states, patches)

    for scope in scopes:
        gone = states[scope].get("intents", {}).keys() - staged.states[scope].get("intents", {}).keys()
        owned = str([states[scope]["intents"][name] for name in gone])
        for path in staged.cascades[scope]:
            assert f"{scope}.{path.plane}.{'.'.join(path.keys)}" in owned
            assert path.exists_in(states[scope])
