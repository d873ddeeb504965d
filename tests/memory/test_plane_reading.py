"""Reading planes by path."""

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.memory.planes.history import Boundary, History
from graphsvc.memory.planes.reading import keys_of, parse_path, read, read_all, read_patch

HISTORY = (
    History.begin(Boundary("T0", 0))
    .advance({"global": {"tactics": {"a": 1}}, "cwd": {"lazy": {"list": [1, 2, 3], "": {"x": 1}}}}, "T1")
    .advance({"session": {"tactics": {"a": 2, "b-c": {"$d": True}}, "response": "done"}}, "T2")
    .advance({"session": {"tactics": {"a": 3}}}, "T3")
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("tactics.a", 3),
        ("effective[1].tactics.a", 2),
        ("effective[2].tactics.a", 1),
        ("session[2]", {}),
        ("global.tactics", {"a": 1}),
        ("session.tactics.b-c.$d", True),
        ("cwd.lazy.list[2]", 3),
        ("cwd.lazy.list[0:2]", [1, 2]),
        ("lazy.list[1..3]", [2, 3]),
        ("lazy.list[3:3]", []),
        ("response", "done"),
        ("session[1].response", "done"),
        ("cwd.intents", None),
        ("strategy", None),
        ("session.patches[0]", {"tactics": {"a": 3}}),
        ("session.patches[1].response", "done"),
        ("global.patches", [{"tactics": {"a": 1}}]),
    ],
)
def test_what_a_path_leads_to(path, value):
    assert read(HISTORY, path) == value


@pytest.mark.parametrize(
    "path",
    [
        "tactics.missing",
        "cwd.intents.a",
        "cwd.lazy.list[3]",
        "cwd.lazy.list[2:4]",
        "cwd.lazy.list[2:1]",
        "cwd.lazy.list.x",
        "tactics[0]",
        "session.patches[2]",
        "session[4]",
    ],
)
def test_paths_that_lead_nowhere(path):
    with pytest.raises(NotFound):
        read(HISTORY, path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "cwd.",
        "cwd..lazy",
        "cwd[1][2]",
        "cwd[01]",
        "cwd[-1]",
        "workspace.tactics",
        "cwd.working",
        "contract.a",
        "patches",
        "effective.patches",
        "cwd.lazy.é",
        "cwd.lazy.list[a]",
        "cwd[8].lazy",
        "cwd[" + "9" * 5000 + "]",
        "cwd.lazy\n",
    ],
)
def test_what_is_no_path(path):
    with pytest.raises(InvalidInput):
        read(HISTORY, path)


def test_a_retired_plane_is_named_by_its_present_name():
    with pytest.raises(InvalidInput) as caught:
        parse_path("cwd.working.a")

    assert "tactics" in caught.value.hint


def test_several_paths_are_read_all_or_not_at_all():
    assert read_all(HISTORY, ["tactics.a", "response"]) == [3, "done"]
    with pytest.raises(NotFound):
        read_all(HISTORY, ["tactics.a", "tactics.missing"])


def test_what_the_transition_at_an_offset_changed():
    assert read_patch(HISTORY, "session") == {"tactics": {"a": 3}}
    assert read_patch(HISTORY, "session[1].response") == {"response": "done"}
    assert read_patch(HISTORY, "session.lazy") is None
    assert read_patch(HISTORY, "cwd") is None
    for path in ("effective", "tactics", "session.tactics.a"):
        with pytest.raises(InvalidInput):
            read_patch(HISTORY, path)


@pytest.mark.parametrize(
    ("value", "outline"),
    [
        ([1, 2], {"meta": {"type": "array", "length": 2}}),
        (None, {"meta": {"type": "null"}}),
        (True, {"meta": {"type": "boolean"}}),
        (1.5, {"meta": {"type": "number"}}),
        ({}, {"meta": {"type": "object", "size": 0}, "keys": []}),
    ],
)
def test_outline_of_a_value(value, outline):
    assert keys_of(value) == outline
