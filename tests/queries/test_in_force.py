"""The intents of a host's planes that stood when a session wrote a line."""

import json

import pytest

from graphsvc.canonical.store import CanonicalStore
from graphsvc.ids import RepositoryId
from loaders.base import silent
from loaders.planes import add_planes
from loaders.planes import refresh as refresh_planes
from loaders.sessions import pi
from loaders.sessions.registration import add_sessions
from queries.host_intents import host_intents
from queries.in_force import in_force
from tests.memory.pi_host import (
    FIRST,
    FOLDED,
    LATER,
    LINE,
    STOOD,
    at,
    boundary,
    transcript,
    write_planes,
)
from tests.queries.conftest import Trails, session_of


@pytest.fixture
def store(tmp_path):
    return CanonicalStore.create(tmp_path / "store")


def read_sessions(store, folder, **pointers):
    """Bring in sessions of these ids, each with its pointers."""
    folder.mkdir()
    for session, stated in pointers.items():
        (folder / f"{session}.jsonl").write_bytes(transcript(session, *stated))
    [source] = add_sessions(store, "pi", folder, home=folder)
    pi.refresh(source, store)


def read_planes(store, root, changes, *sessions, **more):
    write_planes(root, changes, *sessions, **more)
    refresh_planes(add_planes(store, root), store, silent)


def stood(store, session):
    with store.read() as reader:
        return host_intents(reader, session, "call1")


def test_the_intents_at_the_pointer_before_the_call_stood_whatever_became_of_them(store, tmp_path):
    read_sessions(store, tmp_path / "sessions", s1=[at("T2"), at("T3")])
    for changes, since in ((FIRST, 0), (LATER, 0), (FOLDED, 4)):
        read_planes(store, tmp_path / "planes", changes, "s1", since=since)

        found, notes = stood(store, "s1")

        assert [tuple(intent[:3]) for intent in found] == STOOD
        assert notes == []
        with store.read() as reader:
            assert json.loads(reader.spans([found[1].evidence])[0]) == FIRST["cwd"][0][1]


def test_where_no_intent_is_known_to_have_stood_none_is_shown(store, tmp_path):
    cases = {
        "none": ([], []),
        "off": ([at("T3"), {"mode": "off"}], []),
        "passive": ([at("T3", "passive")], []),
        "unknown": ([at("T77")], ["the store has no planes of the session at its boundary T77"]),
        "opaque": (
            [{"state": {}}],
            ["the session's pointer to its planes cannot be read: it points to no boundary and sets no mode"],
        ),
    }
    read_sessions(store, tmp_path / "sessions", **{session: stated for session, (stated, _) in cases.items()})
    read_planes(store, tmp_path / "planes", FIRST, *cases)

    for session, (_, notes) in cases.items():
        assert stood(store, session) == ([], notes), session


def test_a_boundary_from_before_the_first_reading_is_told_as_a_gap(store, tmp_path):
    read_sessions(store, tmp_path / "sessions", s1=[at("T4")])
    root = tmp_path / "planes"
    write_planes(root, {**FOLDED, "global": [(6, {"lazy": {"y": 1}})]}, "s1", since=4)
    stated = json.loads((root / "meta.json").read_text())
    stated["temporal"]["checkpoint"] = boundary(5)
    (root / "meta.json").write_text(json.dumps(stated))
    refresh_planes(add_planes(store, root), store, silent)

    assert stood(store, "s1") == ([], ["the planes of scope global at boundary T4 were never read"])


def test_they_follow_the_trail_of_the_line(tmp_path):
    trails, session = Trails(tmp_path), session_of("one")
    trails.commit({"a.py": "x\n"}, message="Begin")
    trails.keep("one", transcript(session, at("T3")))
    trails.commit({"a.py": f"{LINE}\n"}, "one")
    trails.load()
    read_planes(trails.store, tmp_path / "planes", FIRST, session)

    found = trails.why("a.py", 1)
    with trails.store.read() as reader:
        [(identity,)] = reader.rows("SELECT repository_id FROM repository")
        steps = in_force(
            reader,
            found,
            repository_id=RepositoryId(identity),
            work_tree=str(trails.repository.path),
            store_id=trails.store.marker.store_id,
        )

    call = next(step for step in found.steps if step.step == "tool_call")
    assert [(step.step, step.subject, step.text) for step in steps] == [
        ("intent", f"{scope}.intents.{name}", value) for scope, name, value in STOOD
    ]
    assert {(step.origin, step.confidence, step.occurred_at) for step in steps} == {
        ("in_force", call.confidence, call.occurred_at)
    }
