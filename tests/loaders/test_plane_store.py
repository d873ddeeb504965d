"""Plane stores on disk: what is read, what is refused, and that nothing is written."""

import json
import os

import pytest

import loaders.planes.reading
from graphsvc.errors import Refused, SourceUnavailable
from graphsvc.memory.planes.history import Boundary
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonReason
from loaders.planes.reading import cwd_key, read_store

CWD = "/w/shop"
KEY = "--w-shop--"


def boundary(number):
    return {"id": f"T{number}", "position": number, "parent": f"T{number - 1}" if number else None}


def write_scope(folder, records=(), version=3, checkpoint=None, **meta):
    """Files of one scope: ``records`` are (position, record) pairs after the origin T0."""
    folder.mkdir(parents=True, exist_ok=True)
    temporal = {
        "checkpoint": boundary(0),
        "patches": [boundary(number) for number, _ in records],
        "revision": len(records),
    }
    (folder / "checkpoint.json").write_text(json.dumps(checkpoint or {}))
    (folder / "patches.jsonl").write_text("".join(json.dumps(record) + "\n" for _, record in records))
    (folder / "meta.json").write_text(json.dumps({"version": version, "temporal": temporal, **meta}))


@pytest.fixture
def store(tmp_path):
    """A store with a global scope, one working directory and one session in it."""
    root = tmp_path / "state-flow"
    session = root / KEY / "2026-01-02_s1"
    write_scope(root, [(1, {"working": {"a": 1}})], version=2)
    write_scope(root / KEY, [(2, {"tactics": {"b": 1}})], owner={"cwd": CWD})
    write_scope(session, [(1, {"tactics": {"c": 1}}), (3, {"lazy": {"d": 1}})])
    runtime = {
        "version": 1,
        "identity": {"cwd": CWD, "sessionId": "s1"},
        "lineage": [boundary(number) for number in range(4)],
    }
    (session / "runtime.json").write_text(json.dumps(runtime))
    (session / "config.json").write_text('{"mode":"active"}')
    return root


def only_refusal(root):
    [(location, error)] = read_store(root).refusals()
    return location, error.reason


def test_a_session_sees_its_three_scopes_at_every_boundary(store):
    history = read_store(store).history(KEY, "2026-01-02_s1")

    assert history.states() == {
        "global": {"tactics": {"a": 1}},
        "cwd": {"tactics": {"b": 1}},
        "session": {"tactics": {"c": 1}, "lazy": {"d": 1}},
    }
    assert history.states(2) == {"global": {"tactics": {"a": 1}}, "cwd": {}, "session": {"tactics": {"c": 1}}}
    assert history.head == Boundary("T3", 3, "T2")


def test_what_was_read_is_on_record(store):
    found = read_store(store)

    assert [item.location for item in found.scopes()] == ["", KEY, f"{KEY}/2026-01-02_s1"]
    assert found.scope.cohort.source.name == "legacy"
    assert found.cwds[KEY].sessions["2026-01-02_s1"].mode == "active"
    for item in found.scopes():
        assert [(receipt.file, receipt.size) for receipt in item.receipts] == [
            (name, len(data)) for name, data in item.files.items()
        ]


def test_reading_writes_nothing(store):
    def listing():
        return {path: path.stat().st_mtime_ns for path in [store, *store.rglob("*")]}

    before = listing()
    read_store(store)

    assert listing() == before


def test_one_bad_scope_is_kept_with_its_bytes_and_harms_no_other(store):
    (store / KEY / "patches.jsonl").write_bytes(b'{"tactics":{"a":1,"a":2}}\n')

    found = read_store(store)

    assert only_refusal(store) == (KEY, JsonReason.DUPLICATE_KEY)
    assert found.cwds[KEY].scope.files["patches.jsonl"] == b'{"tactics":{"a":1,"a":2}}\n'
    assert found.scope.cohort.stream.revision == 1
    with pytest.raises(Refused):
        found.history(KEY, "2026-01-02_s1")


@pytest.mark.parametrize("name", ["checkpoint.json", "patches.jsonl", "meta.json"])
def test_a_link_to_a_file_is_not_followed(store, tmp_path, name):
    outside = tmp_path / "outside"
    (store / KEY / name).rename(outside)
    (store / KEY / name).symlink_to(outside)

    assert only_refusal(store) == (KEY, Reason.NOT_A_REGULAR_FILE)


@pytest.mark.parametrize("place", [KEY, f"{KEY}/2026-01-02_s1"])
def test_a_link_to_a_folder_is_not_followed(store, tmp_path, place):
    (store / place).rename(tmp_path / "outside")
    (store / place).symlink_to(tmp_path / "outside")

    assert only_refusal(store) == (place, Reason.NOT_A_REGULAR_FILE)


def test_a_store_that_is_a_link_is_refused(store, tmp_path):
    (tmp_path / "link").symlink_to(store)

    with pytest.raises(Refused) as caught:
        read_store(tmp_path / "link")

    assert caught.value.reason == Reason.NOT_A_REGULAR_FILE


def test_a_pipe_does_not_hold_the_reader(store):
    (store / KEY / "meta.json").unlink()
    os.mkfifo(store / KEY / "meta.json")

    assert only_refusal(store) == (KEY, Reason.NOT_A_REGULAR_FILE)


def test_a_folder_in_place_of_a_file(store):
    (store / KEY / "meta.json").unlink()
    (store / KEY / "meta.json").mkdir()

    assert (KEY, Reason.NOT_A_REGULAR_FILE) in [
        (location, error.reason) for location, error in read_store(store).refusals()
    ]


@pytest.mark.parametrize("name", ["-s", ".hidden", "a b", "s.", "é", b"s\xff"])
def test_folders_that_no_session_has(store, name):
    os.mkdir(os.path.join(os.fsencode(store / KEY), os.fsencode(name)))

    location, reason = only_refusal(store)

    assert location.startswith(KEY)
    assert reason == Reason.UNSAFE_NAME


def test_a_folder_name_that_is_no_text(store):
    os.mkdir(os.path.join(os.fsencode(store), b"--\xff--"))

    assert only_refusal(store)[1] == Reason.UNSAFE_NAME


def test_an_older_format_is_refused(store):
    (store / "state.json").write_text("{}")

    assert only_refusal(store) == ("", Reason.OLDER_FORMAT)


@pytest.mark.parametrize(
    ("owner", "reason"),
    [
        ({"cwd": "/other"}, Reason.OWNER_MISMATCH),
        ({"cwd": "w/shop"}, Reason.OWNER_MISMATCH),
        ({"cwd": "/w/../w/shop"}, Reason.OWNER_MISMATCH),
        (None, Reason.OWNER_MISSING),
    ],
)
def test_a_working_directory_has_its_own_folder(store, owner, reason):
    write_scope(store / KEY, owner=owner)

    assert only_refusal(store) == (KEY, reason)


def test_the_metadata_tells_directories_apart_whose_folder_has_one_name(store):
    write_scope(store / KEY, owner={"cwd": "/w-shop"})

    assert read_store(store).cwds[KEY].scope.cohort.owner_cwd == "/w-shop"
    with pytest.raises(Refused) as caught:
        read_store(store).history(KEY, "2026-01-02_s1")
    assert caught.value.reason == Reason.OWNER_MISMATCH


def test_a_file_that_is_too_large_is_not_read(store, monkeypatch):
    monkeypatch.setattr(loaders.planes.reading, "MAX_FILE", 2)

    reasons = {error.reason for _, error in read_store(store).refusals()}

    assert reasons == {Reason.FILE_TOO_LARGE}


def test_files_that_keep_changing_are_refused(store, monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(
        loaders.planes.reading, "_identity", lambda folder, name: None if "state" in name else (next(clock),)
    )

    reasons = {error.reason for _, error in read_store(store).refusals()}

    assert reasons == {Reason.KEEPS_CHANGING}


def test_a_malformed_runtime_is_refused_alone(store):
    session = store / KEY / "2026-01-02_s1"
    (session / "runtime.json").write_text("{}")
    (session / "config.json").write_text("{}")

    found = read_store(store)

    assert [error.reason for _, error in found.refusals()] == [Reason.RUNTIME, Reason.POLICY]
    assert found.cwds[KEY].sessions["2026-01-02_s1"].scope.cohort.stream.revision == 2


def test_a_session_without_a_runtime_has_no_history(store):
    (store / KEY / "2026-01-02_s1" / "runtime.json").unlink()

    with pytest.raises(Refused) as caught:
        read_store(store).history(KEY, "2026-01-02_s1")

    assert caught.value.reason == Reason.RUNTIME


def test_an_empty_store_has_nothing_and_a_missing_one_is_unavailable(tmp_path):
    assert read_store(tmp_path).scope.cohort is None
    with pytest.raises(SourceUnavailable):
        read_store(tmp_path / "missing")


@pytest.mark.parametrize(("cwd", "key"), [("/a/b", "--a-b--"), ("C:\\a\\b", "--C--a-b--"), ("/", "----")])
def test_names_of_folders(cwd, key):
    assert cwd_key(cwd) == key
