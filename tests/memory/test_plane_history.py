"""The history of planes: boundaries, folding, offsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import InvalidInput, NotFound, Refused
from graphsvc.memory.planes.history import MAX_POSITION, Boundary, History
from graphsvc.memory.planes.patching import effective
from graphsvc.memory.planes.reasons import Reason

ORIGIN = Boundary("T0", 0)


def value(number):
    return {"tactics": {"value": number}}


def after(*transitions, limit=7):
    """A history after transitions, each of them the new value by scope."""
    history = History.begin(ORIGIN, limit)
    for number, change in enumerate(transitions, start=1):
        history = history.advance({scope: value(new) for scope, new in change.items()}, f"T{number}")
    return history


def ids(boundaries):
    return [boundary.id for boundary in boundaries]


def test_an_offset_counts_shared_boundaries_and_not_a_scopes_own_changes():
    history = after(
        {"global": "G", "cwd": "C", "session": "S"},
        {"cwd": "C1", "session": "S1"},
        {"global": "G1", "session": "S2"},
        {"cwd": "C2", "session": "S3"},
    )

    assert [history.state("cwd", offset)["tactics"]["value"] for offset in (1, 2, 3)] == ["C1", "C1", "C"]
    assert history.states(1) == {"global": value("G1"), "cwd": value("C1"), "session": value("S2")}
    assert {scope: stream.revision for scope, stream in history.streams.items()} == {
        "global": 2,
        "cwd": 3,
        "session": 4,
    }


def test_reading_before_the_origin_or_beyond_the_limit():
    history = after({"cwd": 1})

    assert history.state("cwd", 1) == {}
    with pytest.raises(NotFound):
        history.state("cwd", 2)
    for offset in (8, -1):
        with pytest.raises(InvalidInput):
            history.state("cwd", offset)


def test_the_oldest_change_folds_into_the_checkpoint():
    history = after(*({"session": number} for number in range(1, 9)))
    stream = history.streams["session"]

    assert (stream.checkpoint.id, stream.base) == ("T1", value(1))
    assert ids(boundary for boundary, _ in stream.tail) == [f"T{number}" for number in range(2, 9)]
    assert (stream.revision, ids(history.lineage)) == (8, [f"T{number}" for number in range(1, 9)])
    assert history.state("session", 7) == value(1)


def test_without_retention_everything_folds_at_once():
    history = after({"session": 1}, {"cwd": 2}, limit=0)

    assert history.lineage == (Boundary("T2", 2, "T1"),)
    assert [history.streams[scope].tail for scope in ("cwd", "session")] == [(), ()]
    assert history.streams["session"].checkpoint.id == "T1"
    assert history.states() == {"global": {}, "cwd": value(2), "session": value(1)}


def test_a_lower_limit_folds_and_a_higher_one_brings_nothing_back():
    history = after(*({"session": number} for number in range(1, 9))).constrained(2)

    assert ids(history.lineage) == ["T6", "T7", "T8"]
    assert ids(boundary for boundary, _ in history.streams["session"].tail) == ["T7", "T8"]
    assert history.streams["session"].revision == 8
    assert history.constrained(7).lineage == history.lineage


def test_an_empty_response_reveals_the_outer_one_and_is_a_change():
    history = History.begin(ORIGIN)
    for number, response in enumerate(("A", ""), start=1):
        history = history.advance({"session": {"response": response}}, f"T{number}")
    outer = {"global": {"response": "outer"}}

    assert effective({**history.states(1), **outer})["response"] == "A"
    assert effective({**history.states(), **outer})["response"] == "outer"
    assert history.streams["session"].revision == 2


@pytest.mark.parametrize("records", [{}, {"session": {}}, {"session": value(1)}])
def test_what_changes_nothing_is_no_transition(records):
    history = after({"session": 1})

    assert history.advance(records, "T1") is history


def test_an_id_is_used_once():
    history = after({"session": 1}, {"cwd": 2}, {"cwd": 3}, limit=1)

    for taken in ("T1", "T2", "T3"):
        with pytest.raises(Refused) as caught:
            history.advance({"session": value(9)}, taken)
        assert caught.value.reason == Reason.BOUNDARY_REPEATED


def test_a_record_that_breaks_a_rule_is_refused():
    with pytest.raises(Refused) as caught:
        after().advance({"global": {"response": "x"}}, "T1")

    assert caught.value.reason == Reason.RESPONSE_SCOPE


@pytest.mark.parametrize(
    "boundary",
    [("", 0), (" ", 1), ("a", -1), ("a", MAX_POSITION + 1), ("a", 1, "a"), ("a", 0, "b")],
)
def test_malformed_boundaries_are_refused(boundary):
    with pytest.raises(Refused) as caught:
        Boundary(*boundary)

    assert caught.value.reason == Reason.BOUNDARY


def test_what_a_transition_changed_in_a_scope():
    history = after({"session": 1}, {"cwd": 2})

    assert history.record("cwd", 0) == value(2)
    assert history.record("session", 0) is None
    assert history.record("session", 1) == value(1)


@pytest.mark.parametrize("limit", [-1, 101])
def test_limits_that_no_history_has(limit):
    with pytest.raises(InvalidInput):
        History.begin(ORIGIN, limit)
    with pytest.raises(InvalidInput):
        after().constrained(limit)


scopes = st.sampled_from(["global", "cwd", "session"])
records = st.dictionaries(scopes, st.integers(0, 3).map(value), min_size=1)


@given(st.lists(records, max_size=20), st.sampled_from([0, 1, 3, 7, 100]), st.sampled_from([0, 2, 50]))
def test_every_retained_boundary_reads_as_it_was(transitions, limit, lower):
    history = History.begin(ORIGIN, limit)
    seen = {history.head.id: history.states()}
    for number, change in enumerate(transitions):
        history = history.advance(change, f"T{number + 1}")
        seen[history.head.id] = history.states()

    for view in (history, history.constrained(min(limit, lower))):
        assert len(view.lineage) <= view.limit + 1
        for offset, boundary in enumerate(reversed(view.lineage)):
            assert view.states(offset) == seen[boundary.id]
        for scope, stream in view.streams.items():
            assert len(stream.tail) <= view.limit
            assert stream.revision == history.streams[scope].revision
            assert [state for boundary, state in stream.steps() if boundary.id in seen] == [
                seen[boundary.id][scope] for boundary in stream.boundaries
            ]
