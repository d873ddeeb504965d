"""Plane stores in the canonical store: what is admitted, refused and withdrawn, and patches that are authored."""

import json
from dataclasses import replace

import pytest

from graphsvc.canonical.plane_store import authored_history, host_history, stored_scopes
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Ambiguous, Conflict, InvalidInput, NotFound, Refused, SourceUnavailable
from graphsvc.ids import authored_planes_source_id
from loaders.base import silent
from loaders.planes import add_planes, refresh
from loaders.planes.authoring import author_patch
from tests.memory.pi_host import CWD, KEY, boundary, write_hostile, write_scope


@pytest.fixture
def host(tmp_path):
    root = tmp_path / "planes"
    write_scope(root, [(1, {"working": {"a": 1}})], version=2)
    intents = {"t": {"$ref": "cwd.tactics.b"}}
    write_scope(root / KEY, [(2, {"tactics": {"b": 1}, "intents": intents})], owner={"cwd": CWD})
    session = root / KEY / "s1"
    write_scope(session, [(3, {"lazy": {"d": 1}})])
    runtime = {
        "version": 1,
        "identity": {"cwd": CWD, "sessionId": "s1"},
        "lineage": [boundary(n) for n in range(4)],
    }
    (session / "runtime.json").write_text(json.dumps(runtime))
    return root


@pytest.fixture
def store(tmp_path):
    return CanonicalStore.create(tmp_path / "store")


def rows(store, statement):
    with store.read() as reader:
        return reader.rows(statement)


def scopes_of(store, source_id):
    with store.read() as reader:
        return stored_scopes(reader, source_id)


def test_a_host_store_is_admitted_once_withdrawn_when_it_changes_and_restored(store, host):
    source = add_planes(store, host)
    first = refresh(source, store, silent)
    again = refresh(source, store, silent)

    history = host_history(scopes_of(store, source.source_id), CWD, "s1")
    assert history.states()["global"] == {"tactics": {"a": 1}}
    assert history.states(1)["session"] == {}
    assert first.admitted["plane_cohort"] == 3
    assert (dict(again.read), dict(again.admitted)) == ({}, {})

    patches = host / KEY / "patches.jsonl"
    before = patches.read_text()
    patches.write_text('{"tactics":{"b":2}}\n')
    refresh(source, store, silent)
    assert host_history(scopes_of(store, source.source_id), CWD, "s1").states()["cwd"] == {
        "tactics": {"b": 2}
    }
    patches.write_text(before)
    back = refresh(source, store, silent)
    assert host_history(scopes_of(store, source.source_id), CWD, "s1").states() == history.states()
    assert set(back.admitted) == {"tombstone"}

    exact = rows(store, "SELECT segment, start_byte, end_byte FROM plane_patch WHERE record LIKE '%\"d\"%'")
    with store.read() as reader:
        [(segment, start, end)] = exact
        assert json.loads(reader.segments([segment])[segment][start:end]) == {"lazy": {"d": 1}}
    assert rows(store, "SELECT owns FROM plane_item WHERE plane = 'intents'") == [(["tactics.b"],)]


def picture(root):
    """All that a store's folder holds, and when each of it was changed."""
    return {
        path: (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in [root, *root.rglob("*")]
    }


def test_hostile_scopes_are_faults_with_reason_and_bytes_and_are_never_written(store, tmp_path):
    root = tmp_path / "planes"
    reasons = write_hostile(root)
    before = picture(root)

    source = add_planes(store, root)
    refresh(source, store, silent)

    faults = rows(store, "SELECT location, fault_kind, segment FROM fault")
    assert {
        "/".join(part for part in location.split("/") if ".json" not in part): kind
        for location, kind, _ in faults
    } == reasons
    assert picture(root) == before
    segments = {location.split("/")[0]: segment for location, _, segment in faults}
    for name in ("duplicate", "surrogate", "bom", "latin", "long"):
        with store.read() as reader:
            kept = reader.segments([segments[f"--w-{name}--"]])[segments[f"--w-{name}--"]]
        assert kept == (root / f"--w-{name}--" / "patches.jsonl").read_bytes()
    assert [item.location for item in scopes_of(store, source.source_id)] == ["", "--w-session--"]


def test_a_fault_that_was_mended_is_withdrawn(store, host):
    source = add_planes(store, host)
    (host / "patches.jsonl").write_text("{")
    refresh(source, store, silent)
    write_scope(host, [(1, {"tactics": {"a": 1}})])
    refresh(source, store, silent)

    assert rows(store, "SELECT count(*) FROM fault ANTI JOIN withdrawn USING (event_id)") == [(0,)]


def test_a_store_that_is_gone_or_a_link_is_unavailable(store, host, tmp_path):
    source = add_planes(store, host)
    host.rename(tmp_path / "moved")
    with pytest.raises(SourceUnavailable):
        refresh(source, store, silent)
    host.symlink_to(tmp_path / "moved")
    with pytest.raises(SourceUnavailable):
        refresh(source, store, silent)


def test_a_session_that_is_unknown_is_not_found(store, host):
    source = add_planes(store, host)
    refresh(source, store, silent)

    scopes = scopes_of(store, source.source_id)
    with pytest.raises(NotFound, match="other") as caught:
        host_history(scopes, CWD, "other")
    assert caught.value.hint == "give --session: s1"
    assert host_history(scopes, CWD, "s").head.id == "T3"
    with pytest.raises(Ambiguous):
        host_history([*scopes, replace(scopes[-1], location="x", session_key="s2")], CWD, "s")


def author(store, patch, *, cwd=CWD, session="s", now=1, **more):
    return author_patch(store, patch, cwd=cwd, session=session, now=now, **more)


def authored(store, cwd=CWD, session="s"):
    return authored_history(scopes_of(store, authored_planes_source_id(store.marker.store_id)), cwd, session)


def test_authored_patches_share_one_lineage_over_directories_and_sessions(store):
    author(store, {"global": {"lazy": {"g": 1}}, "cwd": {"tactics": {"n": 0}}})
    for number in range(1, 9):
        author(store, {"cwd": {"tactics": {"n": number}}})
    author(store, {"session": {"lazy": {"x": 1}}}, cwd="/w/other")

    here, there = authored(store), authored(store, "/w/other")
    assert here.head.id == there.head.id == "T10"
    assert here.states()["cwd"] == {"tactics": {"n": 8}}
    assert here.states(7)["cwd"] == {"tactics": {"n": 2}}
    assert there.states() == {"global": {"lazy": {"g": 1}}, "cwd": {}, "session": {"lazy": {"x": 1}}}


def test_a_refused_patch_changes_nothing_and_one_that_changes_nothing_is_no_transition(store):
    author(store, {"cwd": {"tactics": {"a": 1}}})
    with pytest.raises(Refused):
        author(store, {"global": {"lazy": {"a": 1}}, "cwd": {"tactics": {"b": [None]}}})
    author(store, {"cwd": {"tactics": {"a": 1}}})

    assert authored(store).head.id == "T1"


def test_of_two_authors_of_one_head_one_wins_and_the_other_is_told_both_heads(store):
    author(store, {"cwd": {"tactics": {"a": 1}}}, expected_head="T0")
    with pytest.raises(Conflict) as caught:
        author(store, {"cwd": {"tactics": {"a": 2}}}, expected_head="T0")

    assert (caught.value.expected, caught.value.actual) == ("T0", "T1")
    assert authored(store).states()["cwd"] == {"tactics": {"a": 1}}


@pytest.mark.parametrize("cwd", [".", "w", "", "/w/../x", "/w/", "/w\0", "C:x"])
def test_a_directory_that_is_not_absolute_is_none_of_authored_planes(store, cwd):
    with pytest.raises(InvalidInput):
        author_patch(store, {"cwd": {"tactics": {"a": 1}}}, cwd=cwd, session="s", now=1)
