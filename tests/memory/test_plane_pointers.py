"""What a transcript says of planes."""

import pytest

from graphsvc.errors import Refused
from graphsvc.memory.planes.ownership import mentions
from graphsvc.memory.planes.pointers import Pointer, parse_pointer
from graphsvc.memory.planes.reasons import Reason


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        ({"boundary": "T1", "mode": "passive", "step": 0, "bootstrap": True}, Pointer("T1", "passive")),
        (
            {"boundary": {"id": "T1", "position": 1, "parent": None}, "mode": "active", "step": 0},
            Pointer("T1", "active"),
        ),
        ({"boundary": "T1", "enabled": False, "step": 0, "specification": {}}, Pointer("T1", "off")),
        ({"mode": "off"}, Pointer(None, "off")),
    ],
)
def test_forms_of_a_pointer(data, pointer):
    assert parse_pointer(data) == pointer


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"mode": "active"},
        {"disabled": False},
        {"disabled": True, "mode": "off"},
        {"boundary": " ", "mode": "active", "step": 0},
        {"boundary": {"position": 1}, "mode": "active", "step": 0},
        {"boundary": "T1", "mode": "on", "step": 0},
        {"boundary": "T1", "mode": ["active"], "step": 0},
        {"boundary": "T1", "mode": "active"},
        {"boundary": "T1", "mode": "active", "step": 0, "extra": 1},
        {"boundary": "T1", "mode": "active", "step": 0, "bootstrap": False},
        {"boundary": "T1", "mode": "active", "enabled": True, "step": 0},
        {"state": {"contract": {}}},
    ],
)
def test_what_is_no_pointer_is_refused(data):
    with pytest.raises(Refused) as caught:
        parse_pointer(data)

    assert caught.value.reason == Reason.POINTER


def test_what_an_intent_mentions_is_not_what_it_owns():
    intent = [{"$ref": "session.tactics.a"}, {"$ref": "cwd.tactics.b"}, {"$ref": ["$session.lazy.c"]}, 1]

    assert list(mentions("session", intent)) == ["cwd.tactics.b", "session.lazy.c"]
