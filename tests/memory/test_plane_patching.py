"""Applying patches, and telling a patch from two states."""

import copy

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.planes.patching import (
    apply_patch,
    check_record,
    check_state,
    difference,
    effective,
    missing_deletions,
    prune,
)
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import is_same

keys = st.sampled_from(["a", "b", "[0]", "__proto__"])
scalars = st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "x"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
states = st.dictionaries(keys, values, max_size=3)


def reason_of(action, *arguments):
    with pytest.raises(Refused) as caught:
        action(*arguments)
    return caught.value.reason


@pytest.mark.parametrize(
    ("state", "patch", "result"),
    [
        (
            {"v": {"a": 1, "b": 2}, "t": ["x"]},
            {"v": {"a": None, "c": 3}},
            {"v": {"b": 2, "c": 3}, "t": ["x"]},
        ),
        ({"s": 1}, {"s": {"x": None}}, {"s": {}}),
        ({"a": [1]}, {"a": {"[0]": 2, "k": 1}}, {"a": {"[0]": 2, "k": 1}}),
        ({"a": [1]}, {"a": {}}, {"a": {}}),
        ({"a": {"[0]": 1}}, {"a": {"[0]": 2}}, {"a": {"[0]": 2}}),
        ({"a": [[1]]}, {"a": {"[0]": {"[0]": 2}}}, {"a": [[2]]}),
        ({"a": [1]}, {"a": {"[0]": {"x": None, "y": 1}}}, {"a": [{"y": 1}]}),
        ({"a": {"x": 1}}, {"a": {}}, {"a": {"x": 1}}),
    ],
)
def test_examples_of_merging(state, patch, result):
    assert apply_patch(state, patch) == result


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ({"a": {"[1]": 2}}, Reason.INDEX_OUT_OF_RANGE),
        ({"a": {"[" + "9" * 5000 + "]": 2}}, Reason.INDEX_OUT_OF_RANGE),
        ({"a": {"[0]": None}}, Reason.INDEX_DELETED),
    ],
)
def test_an_array_keeps_its_elements(patch, reason):
    assert reason_of(apply_patch, {"a": [1]}, patch) == reason


@given(states, states)
def test_applying_changes_neither_argument_and_shares_nothing_new(state, patch):
    before, asked = copy.deepcopy(state), copy.deepcopy(patch)
    try:
        result = apply_patch(state, patch)
    except Refused:
        result = {}
    for value in result.values():
        if isinstance(value, list) and value not in state.values():
            value.append("changed")

    assert (state, patch) == (before, asked)


def becomes_bracketed_numbers(current, value):
    """Whether an array becomes an object whose keys all look like indices, here or deeper."""
    if isinstance(current, list):
        return isinstance(value, dict) and bool(value) and value.keys() == {"[0]"}
    if isinstance(current, dict) and isinstance(value, dict):
        return any(becomes_bracketed_numbers(current[key], value[key]) for key in current.keys() & value)
    return False


@given(states, states)
def test_the_difference_leads_from_one_state_to_the_other(basis, result):
    assume(not becomes_bracketed_numbers(basis, result))

    record = difference(basis, result)

    assert is_same(apply_patch(basis, record), result)
    assert (record == {}) == is_same(basis, result)


def test_an_array_cannot_become_bracketed_numbers_in_one_step():
    assert reason_of(difference, {"a": [1]}, {"a": {"[0]": 5}}) == Reason.NOT_EXPRESSIBLE


@given(states)
def test_pruning_twice_is_pruning_once(state):
    assert prune(prune(state)) == prune(state)


@pytest.mark.parametrize(
    ("state", "patch", "missing"),
    [
        ({}, {"tactics": {"m": {"c": None}}}, [("/cwd/tactics/m/c", "/cwd/tactics")]),
        ({"t": {"m": {}}}, {"t": {"m": {"c": None}}}, [("/cwd/t/m/c", "/cwd/t/m/c")]),
        ({"t": 1}, {"t": {"c": None}}, [("/cwd/t/c", "/cwd/t/c")]),
        ({"t": {"c": 1}}, {"t": {"c": None}}, []),
        ({"t": [{"a": 1}]}, {"t": {"[0]": {"a": None, "b": None}}}, [("/cwd/t/0/b", "/cwd/t/0/b")]),
        ({"t": [1]}, {"t": {"[0]": None, "k": 1}}, [("/cwd/t/[0]", "/cwd/t/[0]")]),
        ({}, {"a/b~": None}, [("/cwd/a~1b~0", "/cwd/a~1b~0")]),
    ],
)
def test_deletions_in_vain_are_told(state, patch, missing):
    hints = missing_deletions("cwd", state, patch)

    assert [(hint.path, hint.unavailable) for hint in hints] == missing


def test_an_inner_scope_hides_an_outer_one_path_by_path():
    states = {
        "global": {"tactics": {"a": 1, "b": 1}, "response": "lower"},
        "cwd": {"tactics": {"b": 2}},
        "session": {"tactics": {"c": 3}, "response": ""},
    }

    assert effective(states) == {"tactics": {"a": 1, "b": 2, "c": 3}, "response": "lower"}


def test_an_overlay_of_bracketed_numbers_edits_an_outer_array_or_is_refused():
    outer = {"lazy": {"a": [1, 2]}}

    assert effective({"global": outer, "cwd": {"lazy": {"a": {"[0]": 9}}}}) == {"lazy": {"a": [9, 2]}}
    inner = {"lazy": {"a": {"[5]": 1}}}
    assert reason_of(effective, {"global": outer, "cwd": inner}) == Reason.INDEX_OUT_OF_RANGE


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ({"lazy": []}, Reason.PLANE_TYPE),
        ({"lazy": None}, Reason.PLANE_TYPE),
        ({"response": {}}, Reason.PLANE_TYPE),
        ({"tactics": {"a": [1, {"b": None}]}}, Reason.NULL_STORED),
        ({"artifacts": {"a.md": {"description": " "}}}, Reason.ARTIFACT_CARD),
        ({"artifacts": {"a.md": "text"}}, Reason.ARTIFACT_CARD),
    ],
)
def test_states_that_cannot_be_stored(state, reason):
    assert reason_of(check_state, state) == reason


@pytest.mark.parametrize(
    ("scope", "record", "reason"),
    [
        ("global", {"response": "x"}, Reason.RESPONSE_SCOPE),
        ("cwd", {"response": None}, Reason.RESPONSE_SCOPE),
        ("session", {"response": 1}, Reason.PLANE_TYPE),
        ("session", {"lazy": 1}, Reason.PLANE_TYPE),
    ],
)
def test_records_that_cannot_be_accepted(scope, record, reason):
    assert reason_of(check_record, scope, record) == reason


def test_a_record_may_delete_planes_and_set_the_response_of_the_session():
    check_record("session", {"lazy": None, "response": None})
    check_record("session", {"response": "x", "tactics": {"a": None}})
