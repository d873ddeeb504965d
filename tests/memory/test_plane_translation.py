"""Translation of the retired dialect into the present one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import (
    refuse_retired_roots,
    select_planes,
    translate_locator,
    translate_root,
    translate_text,
)
from graphsvc.memory.planes.patching import apply_patch
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import is_same


@pytest.mark.parametrize(
    ("locator", "translated"),
    [
        ("working.a", "tactics.a"),
        ("session[3].contract.x[0..2]", "session[3].strategy.x[0..2]"),
        ("working/notes.md", "working/notes.md"),
        ("cwd.working..a", "cwd.working..a"),
        ("cwd.working.a ", "cwd.working.a "),
        ("see $cwd.working.a", "see $cwd.working.a"),
        ("cwd[01].working.a", "cwd[01].working.a"),
        ("cwd.tactics.working", "cwd.tactics.working"),
        ("local.working.a", "local.working.a"),
        ("effective[2].working", "effective[2].tactics"),
        ("cwd[" + "9" * 5000 + "].working", "cwd[" + "9" * 5000 + "].working"),
    ],
)
def test_a_reference_is_renamed_at_the_position_of_the_plane_alone(locator, translated):
    assert translate_locator(locator) == translated


@pytest.mark.parametrize(
    ("text", "translated"),
    [
        ("$cwd.working.a", "$cwd.tactics.a"),
        ("a $working, b", "a $tactics, b"),
        ("[$cwd.contract.x[0]]", "[$cwd.strategy.x[0]]"),
        ("$cwd.working.a\n$session.contract", "$cwd.tactics.a\n$session.strategy"),
        ("$cwd.working.a.", "$cwd.working.a."),
        ("$cwd.working.a: x", "$cwd.working.a: x"),
        ("$cwd.working.aé", "$cwd.working.aé"),
        ("$cwd.working/notes", "$cwd.working/notes"),
        ("$$cwd.working.a", "$$cwd.working.a"),
        ("path/$cwd.working.a", "path/$cwd.working.a"),
        ("$workingset and $ working", "$workingset and $ working"),
    ],
)
def test_a_token_in_text_is_renamed_where_it_stands_alone(text, translated):
    assert translate_text(text) == translated


def test_names_and_markers_move_and_nested_keys_stay():
    legacy = {"working": None, "contract": {"a": None, "working": {"contract": []}}, "intents": {}}

    assert translate_root(legacy) == {
        "tactics": None,
        "strategy": {"a": None, "working": {"contract": []}},
        "intents": {},
    }


def test_only_the_words_of_an_artifact_are_translated():
    card = {"description": "$cwd.working.a", "hash": "$cwd.working.a", "compilation": {"$ref": "working.a"}}

    assert translate_root({"artifacts": {"$cwd.working.a": card, "odd": ["$cwd.working.a"]}}) == {
        "artifacts": {
            "$cwd.working.a": {
                "description": "$cwd.tactics.a",
                "hash": "$cwd.working.a",
                "compilation": {"$ref": "tactics.a"},
            },
            "odd": ["$cwd.working.a"],
        }
    }


def test_a_reference_that_is_no_text_is_data():
    value = {"$ref": ["see $working"]}

    assert translate_root({"lazy": {"a": value}}) == {"lazy": {"a": {"$ref": ["see $tactics"]}}}


@pytest.mark.parametrize("root", [{"strategy": {}}, {"tactics": None, "working": {}}])
def test_a_present_name_in_retired_data_is_a_collision(root):
    with pytest.raises(Refused) as caught:
        translate_root(root)

    assert caught.value.reason == Reason.ROOT_COLLISION


@pytest.mark.parametrize("root", [{"working": None}, {"contract": {}, "lazy": {}}])
def test_a_retired_name_in_present_data_is_refused(root):
    with pytest.raises(Refused) as caught:
        refuse_retired_roots(root)

    assert caught.value.reason == Reason.RETIRED_ROOT


def test_other_roots_are_left_alone_and_then_left_out():
    root = {"foreign": {"working": [None, "$cwd.working.a"]}, "lazy": {}}

    assert translate_root(root) == root
    assert select_planes(translate_root(root)) == {"lazy": {}}


keys = st.sampled_from(["a", "$ref", "working", "[0]", "description"])
texts = st.sampled_from(["x", "cwd.working.a", "see $cwd.contract.a, then", "$cwd.working.a.", "working"])
values = st.recursive(
    st.integers(0, 2) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
changes = st.recursive(
    st.none() | st.integers(0, 2) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
roots = ("intents", "contract", "working", "artifacts", "lazy", "foreign")
states = st.dictionaries(st.sampled_from(roots), st.dictionaries(keys, values, max_size=3), max_size=4)
patches = st.dictionaries(
    st.sampled_from(roots), st.none() | st.dictionaries(keys, changes, max_size=3), max_size=4
)


def applied(state, patch):
    try:
        return apply_patch(state, patch)
    except Refused as error:
        return {"refused": error.reason}


@settings(max_examples=300)
@given(states, patches)
def test_translating_a_change_is_changing_the_translation(state, patch):
    expected = applied(state, patch)

    found = applied(translate_root(state), translate_root(patch))

    assert is_same(found, translate_root(expected))
