"""Read trust, derived from the transcripts of the pi host that the store has, and its replay from there."""

import hashlib
import json

import pytest

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Ambiguous, NotFound
from loaders import readtrust
from loaders.base import silent
from loaders.rebuild import loader_of
from loaders.repositories import add_repository
from loaders.sessions import base, pi
from loaders.sessions.registration import add_sessions
from queries.trust import trust
from tests.entire.checkpoints import BRANCH, checkpoint
from tests.entire.checkpoints import session as recorded
from tests.repositories import RepositoryBuilder

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


def refresh(store, folder):
    """Bring the store up to date with a folder of sessions; what the replay did."""
    [source] = add_sessions(store, "pi", folder, home=folder)
    pi.refresh(source, store)
    return readtrust.refresh(store)


def rows(store, statement):
    with store.read() as reader:
        return reader.rows(statement)


def asked(store, *arguments, **more):
    with store.read() as reader:
        return trust(reader, *arguments, **more)


def test_a_session_is_replayed_at_any_leaf(store, folder):
    report, again = refresh(store, folder), refresh(store, folder)

    assert (report.admitted["read_trust_block"], report.admitted["read_scope"]) == (2, 2)
    assert (dict(again.read), dict(again.admitted)) == ({}, {})
    key, found = asked(store, "s")
    assert key == "s1"
    assert [(row[0], row[1], row[4], row[5], row[6]) for row in found.rows] == [
        ("/w/a.py", "full", False, "1-1,4-10", False),
        ("/w/a.py", "r:2:3", False, "", True),
        ("/w/b.py", "full", True, "1-10", False),
    ]
    assert [row[0] for row in asked(store, "s1", path="b.py")[1].rows] == ["/w/b.py"]
    assert [row[0] for row in asked(store, "s1", leaf="a")[1].rows] == ["/w/a.py"]
    for table, key in (("read_trust_block", "b"), ("read_trust_invalidation", "c")):
        [span] = rows(store, f"SELECT segment, start_byte, end_byte FROM {table} WHERE entry_key = '{key}'")
        with store.read() as reader:
            assert json.loads(reader.segments([span[0]])[span[0]][span[1] : span[2]])["id"] == key


def test_a_session_that_grows_is_replayed_over_all_its_chunks(store, folder, monkeypatch):
    monkeypatch.setattr(base, "CHUNK", 600)
    refresh(store, folder)
    file = folder / "w" / "s1.jsonl"
    before = file.read_bytes()
    file.write_bytes(before + json.dumps(read("d", "c", "/w/d.py")).encode() + b"\n")

    refresh(store, folder)

    assert [row[0] for row in asked(store, "s1")[1].rows] == ["/w/a.py", "/w/a.py", "/w/b.py", "/w/d.py"]
    assert rows(store, "SELECT count(*) > 2 FROM present_document") == [(True,)]
    assert rows(store, "SELECT count(*) FROM present_read_scope") == [(3,)]


def test_trust_that_a_session_no_longer_has_is_withdrawn_and_comes_back_with_it(store, folder):
    file = folder / "w" / "s1.jsonl"
    refresh(store, folder)
    before = file.read_bytes()
    file.write_bytes(before + json.dumps({"type": "compaction", "id": "d", "parentId": "c"}).encode() + b"\n")

    report = refresh(store, folder)

    assert asked(store, "s1")[1].rows == []
    assert report.admitted["read_trust_block"] == 0
    assert rows(store, "SELECT count(*) FROM present_read_scope") == [(0,)]
    file.write_bytes(before)
    refresh(store, folder)
    assert rows(store, "SELECT count(*) FROM present_read_scope") == [(2,)]


def test_a_session_that_its_host_deleted_keeps_its_trust(store, folder):
    refresh(store, folder)
    (folder / "w" / "s1.jsonl").unlink()

    assert dict(refresh(store, folder).read) == {}
    assert len(asked(store, "s1")[1].rows) == 3


def test_a_session_that_a_checkpoint_recorded_is_replayed_too(store, folder, tmp_path):
    made = RepositoryBuilder(tmp_path / "repository")
    made.commit({"a.py": "a\n"}, "Begin")
    identity = "11111111-2222-4333-8444-555555555555"
    write(tmp_path / "full.jsonl", read("a", None), session=identity)
    files = {
        "metadata.json": recorded("aaaaaaaaaaaa", identity),
        "full.jsonl": (tmp_path / "full.jsonl").read_bytes(),
    }
    made.orphan_branch(BRANCH, checkpoint("aaaaaaaaaaaa", {0: files}), "Checkpoint")
    for source in add_repository(store, made.path):
        if source.loader != "code":
            loader_of(source).refresh(source, store, silent)

    readtrust.refresh(store)

    assert [row[0] for row in asked(store, identity)[1].rows] == ["/w/a.py"]


def test_strictly_no_trust_comes_from_a_read_that_was_edited_out(store, folder):
    write(
        folder / "w" / "s1.jsonl",
        read("a", None),
        {"type": "context_edit", "id": "b", "parentId": "a", "targetId": "a"},
    )
    refresh(store, folder)

    assert len(asked(store, "s1")[1].rows) == 1
    assert asked(store, "s1", is_strict=True)[1].rows == []


def test_what_is_no_session_harms_no_other(store, folder):
    (folder / "bad.jsonl").write_text("{}\n")
    (folder / "empty.jsonl").write_text("")
    (folder / "link.jsonl").symlink_to(folder / "bad.jsonl")
    (folder / "cycle.jsonl").write_text(
        "".join(
            json.dumps(line) + "\n"
            for line in (
                {"type": "session", "version": 3, "id": "s2", "cwd": "/w"},
                read("a", "b"),
                {"type": "message", "id": "b", "parentId": "a"},
            )
        )
    )

    refresh(store, folder)

    assert len(asked(store, "s1")[1].rows) == 3
    found = asked(store, "s2")[1]
    assert (len(found.rows), found.notes[-1]) == (1, "the branch does not begin at a root: cycle")


def test_sessions_and_leaves_that_are_not_there(store, folder):
    write(folder / "s2.jsonl", read("a", None), session="s2")
    refresh(store, folder)

    for session, more, error in (("x", {}, NotFound), ("s", {}, Ambiguous), ("s1", {"leaf": "zz"}, NotFound)):
        with pytest.raises(error):
            asked(store, session, **more)


def told(store, **more):
    _, table = asked(store, "s1", **more)
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows], table.notes


def test_lines_stand_once_with_what_a_later_read_of_them_is_compared_with(store, folder):
    newer = hashlib.sha256(b"y").hexdigest()
    unchanged = {"mode": "unchanged_range", "baseHash": newer, "servedHash": newer}
    write(
        folder / "w" / "s1.jsonl",
        read("a", None, scope="r:2:3", rangeStart=2, rangeEnd=3),
        read("b", "a", servedHash=newer),
        invalidate("c", "b", "r:5:6"),
        read("d", "c", scope="r:5:6", rangeStart=5, rangeEnd=6, **unchanged),
        read("e", "d", scope="r:8:9", mode="unchanged_range", baseHash="0"),
    )
    refresh(store, folder)

    found, notes = told(store)

    assert [(row["lines"], row["served_hash"], row["base_hash"], row["is_blocked"]) for row in found] == [
        ("full", newer, newer, False),
        ("r:2:3", HASH, newer, False),
        ("r:5:6", newer, None, True),
    ]
    assert notes[0].startswith("at entry e, from root on: 4 reads, 1 of them without effect, 1 invalidations")


def test_other_leaves_and_a_path_that_is_not_trusted_are_told(store, folder):
    forks = [read(f"f{number}", "a") for number in range(7)]
    write(folder / "w" / "s1.jsonl", read("a", None), *forks)
    refresh(store, folder)

    found, notes = told(store, path="none.py")

    assert found == []
    assert notes[1:] == (
        "other leaves: f1, f2, f3, f4, f5 and 1 more",
        "it trusts no read of none.py, but 1 other files",
    )


def test_numbers_beyond_any_file_are_taken_as_the_host_takes_them(store, folder):
    huge = {"totalLines": 10**30, "rangeEnd": 10**25, "bytes": 2**63}
    write(folder / "w" / "s1.jsonl", read("a", None, **huge), read("b", "a", "/w/b.py", totalLines=1e300))

    report = refresh(store, folder)

    assert report.admitted["read_trust_block"] == 2
    assert rows(store, "SELECT max(total_lines), max(byte_count) FROM read_trust_block") == [(10**18, 10**18)]
    found, _ = told(store)
    assert [row["path"] for row in found] == ["/w/a.py", "/w/b.py"]


def test_halves_of_surrogate_pairs_in_ids_do_not_stop_the_replay(store, folder):
    write(folder / "w" / "s1.jsonl", read("a\ud800", None), read("b\udfff", "a\ud800", "/w/\ud800.py"))
    write(folder / "s2.jsonl", read("a", None), session="s\ud8002")

    refresh(store, folder)

    found, _ = told(store)
    assert [row["path"] for row in found] == ["/w/a.py", "/w/\ufffd.py"]
