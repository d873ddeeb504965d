"""Read trust in the canonical store, and its replay from there."""

import hashlib
import json

import pytest

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Ambiguous, NotFound, SourceUnavailable
from loaders.base import silent
from loaders.readtrust import add_read_trust, refresh
from queries.trust import trust

HASH = hashlib.sha256(b"x").hexdigest()


def read(entry, parent, path="/w/a.py", scope="full", **more):
    meta = {
        "v": 1,
        "pathKey": path,
        "scopeKey": scope,
        "servedHash": HASH,
        "mode": "full",
        "totalLines": 10,
        "rangeStart": 1,
        "rangeEnd": 10,
        "bytes": 100,
        **more,
    }
    message = {"role": "toolResult", "toolName": "read", "content": [], "details": {"readcache": meta}}
    return {"type": "message", "id": entry, "parentId": parent, "message": message}


def invalidate(entry, parent, scope):
    data = {"v": 1, "kind": "invalidate", "pathKey": "/w/a.py", "scopeKey": scope, "at": 1}
    return {"type": "custom", "customType": "pi-readcache", "id": entry, "parentId": parent, "data": data}


def write(path, *entries, session="s1"):
    header = {"type": "session", "version": 3, "id": session, "cwd": "/w"}
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *entries)))


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "sessions"
    (folder / "w").mkdir(parents=True)
    write(
        folder / "w" / "s1.jsonl", read("a", None), read("b", "a", "/w/b.py"), invalidate("c", "b", "r:2:3")
    )
    return folder


@pytest.fixture
def store(tmp_path):
    return CanonicalStore.create(tmp_path / "store")


def asked(store, *arguments, **more):
    with store.read() as reader:
        return trust(reader, *arguments, **more)


def test_a_session_is_kept_whole_and_replayed_at_any_leaf(store, folder):
    source = add_read_trust(store, folder)
    report = refresh(source, store, silent)
    again = refresh(source, store, silent)

    assert (report.admitted["read_trust_block"], report.admitted["read_scope"]) == (2, 2)
    assert (dict(again.read), dict(again.admitted)) == ({}, {})
    key, found = asked(store, "s")
    assert key == "s1"
    assert [(row[0], row[1], row[3], row[4], row[5]) for row in found.rows] == [
        ("/w/a.py", "full", False, "1-1,4-10", False),
        ("/w/a.py", "r:2:3", False, "", True),
        ("/w/b.py", "full", True, "1-10", False),
    ]
    assert [row[0] for row in asked(store, "s1", path="b.py")[1].rows] == ["/w/b.py"]
    assert [row[0] for row in asked(store, "s1", leaf="a")[1].rows] == ["/w/a.py"]
    with store.read() as reader:
        [(document,)] = reader.rows("SELECT document_id FROM document")
        assert reader.document(document) == (folder / "w" / "s1.jsonl").read_bytes()
        [span] = reader.rows(
            "SELECT segment, start_byte, end_byte FROM read_trust_block WHERE entry_key = 'b'"
        )
        assert json.loads(reader.segments([span[0]])[span[0]][span[1] : span[2]])["id"] == "b"


def test_a_session_that_grows_brings_its_new_lines_and_the_old_version_is_withdrawn(store, folder):
    source = add_read_trust(store, folder)
    refresh(source, store, silent)
    with open(folder / "w" / "s1.jsonl", "a") as file:
        file.write(json.dumps({"type": "compaction", "id": "d", "parentId": "c"}) + "\nbroken\n")

    report = refresh(source, store, silent)

    assert asked(store, "s1")[1].rows == []
    assert report.admitted["read_trust_block"] == 0
    assert report.faults == {"not_json": 1}
    with store.read() as reader:
        assert reader.rows("SELECT count(*) FROM present_read_scope") == [(0,)]


def test_strictly_no_trust_comes_from_a_read_that_was_edited_out(store, folder):
    write(
        folder / "w" / "s1.jsonl",
        read("a", None),
        {"type": "context_edit", "id": "b", "parentId": "a", "targetId": "a"},
    )
    refresh(add_read_trust(store, folder), store, silent)

    assert len(asked(store, "s1")[1].rows) == 1
    assert asked(store, "s1", is_strict=True)[1].rows == []


def test_what_is_no_session_is_a_fault_and_harms_no_other(store, folder):
    (folder / "bad.jsonl").write_text("{}\n")
    (folder / "empty.jsonl").write_text("")
    (folder / "link.jsonl").symlink_to(folder / "bad.jsonl")

    report = refresh(add_read_trust(store, folder), store, silent)

    assert report.faults == {"no_session_header": 2, "not_a_regular_file": 1}
    assert len(asked(store, "s1")[1].rows) == 3


def test_sessions_and_leaves_that_are_not_there(store, folder):
    write(folder / "s2.jsonl", session="s2")
    refresh(add_read_trust(store, folder), store, silent)

    for session, more, error in (("x", {}, NotFound), ("s", {}, Ambiguous), ("s1", {"leaf": "zz"}, NotFound)):
        with pytest.raises(error):
            asked(store, session, **more)


def test_sessions_that_were_never_there_are_unavailable(store, tmp_path):
    with pytest.raises(SourceUnavailable):
        add_read_trust(store, tmp_path / "missing")
