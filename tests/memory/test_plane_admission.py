"""Admission of a scope's three files, and composition of scopes."""

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.planes.admission import ScopeFiles, admit_cohort
from graphsvc.memory.planes.composition import compose
from graphsvc.memory.planes.history import Boundary, History
from graphsvc.memory.planes.metadata import Evidence, parse_mode, parse_runtime
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonReason

CHECKPOINT = {"id": "T1", "position": 1, "parent": "base"}


def boundaries(count, start=2):
    return [{"id": f"T{n}", "position": n, "parent": f"T{n - 1}"} for n in range(start, start + count)]


def meta(records=0, version=3, **others):
    temporal = {"checkpoint": CHECKPOINT, "patches": boundaries(records), "revision": records + 1}
    temporal |= others.pop("temporal", {})
    document = {"version": version, "temporal": temporal, **others}
    return {key: value for key, value in document.items() if value is not None}


def files(checkpoint=None, records=(), document=None, *, tail=None):
    """Bytes of a cohort: a checkpoint, records and metadata; ``tail`` gives the lines as they are."""
    lines = b"".join(json.dumps(record).encode() + b"\n" for record in records) if tail is None else tail
    document = meta(len(records)) if document is None else document
    return ScopeFiles(json.dumps(checkpoint or {}).encode(), lines, json.dumps(document).encode())


def values(count):
    return [{"tactics": {"value": number}} for number in range(2, 2 + count)]


def refused(cohort, scope="session", cwd=None):
    with pytest.raises(Refused) as caught:
        admit_cohort(scope, cohort, cwd)
    return caught.value


def test_a_store_is_read_with_its_receipts():
    given_files = files({"tactics": {"value": 1}}, values(2))

    cohort = admit_cohort("session", given_files)

    assert (cohort.version, cohort.source.name, cohort.stream.revision) == (3, "target", 3)
    assert [state["tactics"]["value"] for _, state in cohort.stream.steps()] == [1, 2, 3]
    assert [receipt.file for receipt in cohort.receipts] == ["checkpoint.json", "patches.jsonl", "meta.json"]
    assert cohort.receipts[1].sha256 == hashlib.sha256(given_files.patches).hexdigest()
    assert cohort.watermark[:2] == (3, "T3")


def test_a_scope_that_was_never_written_is_absent():
    assert admit_cohort("global", ScopeFiles(None, None, None)) is None
    assert admit_cohort("global", ScopeFiles(None, None, b"{}")) is None


@pytest.mark.parametrize("version", [1, 2])
def test_a_retired_store_is_translated_in_memory(version):
    document = meta(1, version, temporal={"revision": 5})
    cohort = admit_cohort(
        "global", files({"contract": {"a": 1}, "foreign": 1}, [{"working": {}, "contract": None}], document)
    )

    assert (cohort.version, cohort.source.name) == (version, "legacy")
    assert [state for _, state in cohort.stream.steps()] == [{"strategy": {"a": 1}}, {"tactics": {}}]
    assert cohort.stream.revision == 5


def test_a_retired_store_may_leave_the_revision_out():
    document = meta(7, 2)
    del document["temporal"]["revision"]

    assert admit_cohort("session", files({}, values(7) and [{"lazy": {}}] * 7, document)).stream.revision == 7
    assert refused(files({}, [{"lazy": {}}] * 7, {**document, "version": 3})).reason == Reason.REVISION


def test_blank_lines_and_carriage_returns_are_no_records():
    tail = b'\r\n{"lazy":{"a":1}}\r\n \t\r\n\n{"lazy":{"b":"x\xe2\x80\xa8y"}}'

    cohort = admit_cohort("session", files({}, (), meta(2), tail=tail))

    assert cohort.stream.tail[1][1] == {"lazy": {"b": "x\u2028y"}}


@pytest.mark.parametrize(
    ("cohort", "reason", "where"),
    [
        (ScopeFiles(b"{}", None, b"{}"), Reason.PARTIAL_COHORT, "patches.jsonl"),
        (ScopeFiles(None, b"", b"{}"), Reason.PARTIAL_COHORT, "checkpoint.json"),
        (ScopeFiles(b"{}", b"", None), Reason.UNSUPPORTED_FORMAT, "meta.json"),
        (ScopeFiles(b"{}", b"", b"{}"), Reason.UNSUPPORTED_FORMAT, "meta.json"),
        (ScopeFiles(b"{}", b"", b"[]"), Reason.UNSUPPORTED_FORMAT, "meta.json"),
        (ScopeFiles(b"{}", b"", b'{"version":3}'), Reason.UNSUPPORTED_FORMAT, "meta.json"),
        (files({}, (), {"version": 3, "temporal": {"patches": []}}), Reason.UNSUPPORTED_FORMAT, "meta.json"),
        (files({}, (), meta(version=None)), Reason.UNSUPPORTED_VERSION, "meta.json"),
        (files({}, (), meta(version=4)), Reason.UNSUPPORTED_VERSION, "meta.json"),
        (files({}, (), meta(version=True)), Reason.UNSUPPORTED_VERSION, "meta.json"),
        (files({}, (), meta(version="3")), Reason.UNSUPPORTED_VERSION, "meta.json"),
        (ScopeFiles(b"\xff", b"", b'{"version":9}'), Reason.UNSUPPORTED_VERSION, "meta.json"),
        (files({"strategy": {}}, (), meta(version=2)), Reason.ROOT_COLLISION, "checkpoint.json"),
        (files({}, [{"tactics": None}], meta(1, 1)), Reason.ROOT_COLLISION, "patches.jsonl line 1"),
        (files({"working": {}}), Reason.RETIRED_ROOT, "checkpoint.json"),
        (files({}, [{"contract": None}]), Reason.RETIRED_ROOT, "patches.jsonl line 1"),
        (files({}, values(2), meta(1)), Reason.RECORD_COUNT, "patches.jsonl"),
        (files({}, values(1), meta(1, temporal={"revision": 0})), Reason.REVISION, "meta.json"),
        (files({}, (), meta(temporal={"revision": -1})), Reason.REVISION, "meta.json"),
        (files({}, (), meta(temporal={"revision": "1"})), Reason.REVISION, "meta.json"),
        (files({}, (), meta(temporal={"revision": 2**53})), Reason.REVISION, "meta.json"),
        (files({"lazy": None}), Reason.PLANE_TYPE, "checkpoint.json"),
        (files([1]), Reason.PLANE_TYPE, "checkpoint.json"),
        (files({}, ["x"]), Reason.PLANE_TYPE, "patches.jsonl line 1"),
        (files({"lazy": {"a": [None]}}), Reason.NULL_STORED, "checkpoint.json"),
        (files({}, [{"lazy": {"a": [None]}}]), Reason.NULL_STORED, "patches.jsonl line 1"),
        (files({"artifacts": {"a": {}}}), Reason.ARTIFACT_CARD, "checkpoint.json"),
        (
            files({"lazy": {"a": [1]}}, [{"lazy": {"a": {"[1]": 2}}}]),
            Reason.INDEX_OUT_OF_RANGE,
            "patches.jsonl line 1",
        ),
        (
            files({}, (), meta(8), tail=b'{"lazy":{}}\n' * 7 + b'{"lazy":}\n'),
            JsonReason.MALFORMED_JSON,
            "patches.jsonl line 8",
        ),
        (
            files({}, (), meta(1), tail=b'{"lazy":{"a":1,"a":2}}'),
            JsonReason.DUPLICATE_KEY,
            "patches.jsonl line 1",
        ),
        (
            files({}, (), meta(1), tail=b'{"lazy":{"a":"' + b"x" * 10_000_000 + b'"}}'),
            JsonReason.TOO_LONG,
            "patches.jsonl line 1",
        ),
        (
            ScopeFiles(b"\xef\xbb\xbf{}", b"", json.dumps(meta()).encode()),
            JsonReason.BYTE_ORDER_MARK,
            "checkpoint.json",
        ),
        (ScopeFiles(b"{}", b"", b'{"version":3,"version":3}'), JsonReason.DUPLICATE_KEY, "meta.json"),
    ],
)
def test_a_cohort_that_breaks_a_rule_is_refused_where_it_does(cohort, reason, where):
    error = refused(cohort)

    assert (error.reason, error.where) == (reason, where)


def test_a_response_belongs_to_the_records_of_the_session():
    cohort = files({"response": "x"}, [{"response": None}])

    assert admit_cohort("session", cohort).stream.state(9) == {}
    assert refused(cohort, "global").reason == Reason.RESPONSE_SCOPE
    assert admit_cohort("global", files({"response": "older"})).stream.base == {"response": "older"}


@pytest.mark.parametrize(
    ("patches", "reason"),
    [
        ([{"id": "T2", "position": 2, "parent": "other"}], Reason.BOUNDARY_DISCONNECTED),
        ([{"id": "T2", "position": 2, "parent": None}], Reason.BOUNDARY_DISCONNECTED),
        ([{"id": "T2", "position": 1, "parent": "T1"}], Reason.BOUNDARY_ORDER),
        ([{"id": "T1", "position": 2, "parent": "T0"}], Reason.BOUNDARY_REPEATED),
        ([{"id": "T2", "position": 2}], Reason.BOUNDARY),
        ([{"id": "T2", "position": 2, "parent": "T1", "x": 1}], Reason.BOUNDARY),
        ([{"id": 2, "position": 2, "parent": "T1"}], Reason.BOUNDARY),
        ([{"id": "T2", "position": True, "parent": "T1"}], Reason.BOUNDARY),
        ([{"id": "T2", "position": 2.5, "parent": "T1"}], Reason.BOUNDARY),
        ([{"id": "T2", "position": 2**60, "parent": "T1"}], Reason.BOUNDARY),
        ([{"id": "T2", "position": 2, "parent": 1}], Reason.BOUNDARY),
        (["T2"], Reason.BOUNDARY),
    ],
)
def test_boundaries_that_do_not_line_up(patches, reason):
    error = refused(files({}, values(1), meta(1, temporal={"patches": patches})))

    assert (error.reason, error.where) == (reason, "meta.json")


def test_other_scopes_may_have_moved_between_two_records():
    patches = [{"id": "T9", "position": 9.0, "parent": "T8"}]

    cohort = admit_cohort("session", files({}, values(1), meta(1, temporal={"patches": patches})))

    assert cohort.stream.tail[0][0] == Boundary("T9", 9, "T8")


@pytest.mark.parametrize(
    ("owner", "reason"),
    [
        (None, Reason.OWNER_MISSING),
        ({"cwd": "/other"}, Reason.OWNER_MISMATCH),
        ({"cwd": "/w", "x": 1}, Reason.OWNER_MISMATCH),
        ("/w", Reason.OWNER_MISMATCH),
    ],
)
def test_a_cwd_scope_says_whose_it_is(owner, reason):
    assert refused(files({}, (), meta(owner=owner)), "cwd", "/w").reason == reason


def test_a_cwd_scope_of_its_owner_is_read():
    assert admit_cohort("cwd", files({}, (), meta(owner={"cwd": "/w"})), "/w").owner_cwd == "/w"
    with pytest.raises(ValueError, match="cwd scope"):
        admit_cohort("session", files(), "/w")


def test_evidence_that_cannot_be_read_harms_no_other():
    digest = "sha256:" + "a" * 64
    artifacts = {
        "a": {"sourceFingerprint": {"size": 3, "mtimeNs": "1700000000000000001"}, "compilerRevision": "1"},
        "b": {"sourceHash": digest, "compilerRevision": "0", "compiledAt": "x"},
        "c": {"sourceHash": "md5:1", "compilerRevision": "0"},
        "d": 1,
    }

    assert admit_cohort("session", files({}, (), meta(artifacts=artifacts))).evidence == {
        "a": Evidence("1", size=3, modified_ns=1_700_000_000_000_000_001),
        "b": Evidence("0", digest),
        "c": None,
        "d": None,
    }


# --- runtime and mode --------------------------------------------------------------------------------------


def runtime(lineage, **others):
    document = {"version": 1, "identity": {"cwd": "/w", "sessionId": "s"}, "lineage": lineage, **others}
    return json.dumps(document).encode()


def test_a_session_states_its_lineage():
    read = parse_runtime(runtime(boundaries(3), step=4))

    assert (read.cwd, read.session, [item.id for item in read.lineage]) == ("/w", "s", ["T2", "T3", "T4"])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (runtime([]), Reason.RUNTIME),
        (runtime(boundaries(102)), Reason.RUNTIME),
        (runtime(boundaries(1), tactics={}), Reason.RUNTIME),
        (runtime(boundaries(1), version=2), Reason.RUNTIME),
        (runtime(boundaries(1), identity={"cwd": "/w"}), Reason.RUNTIME),
        (runtime([*boundaries(1), *boundaries(1, 4)]), Reason.BOUNDARY_DISCONNECTED),
        (b"{", JsonReason.MALFORMED_JSON),
    ],
)
def test_a_runtime_that_breaks_a_rule_is_refused(data, reason):
    with pytest.raises(Refused) as caught:
        parse_runtime(data)

    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "data", [b"{}", b'{"mode":"on"}', b'{"mode":"off","enabled":true}', b'{"enabled":1}']
)
def test_a_policy_that_is_not_exactly_one_of_two_forms_is_refused(data):
    with pytest.raises(Refused) as caught:
        parse_mode(data)

    assert caught.value.reason == Reason.POLICY


def test_a_disabled_session_is_off():
    assert parse_mode(b'{"enabled": false}') == "off"


# --- composition -------------------------------------------------------------------------------------------


def stored(history, scope):
    """The files that the host would keep of one scope of a history."""
    stream = history.streams[scope]

    def plain(boundary):
        return {"id": boundary.id, "position": boundary.position, "parent": boundary.parent}

    temporal = {
        "checkpoint": plain(stream.checkpoint),
        "patches": [plain(boundary) for boundary, _ in stream.tail],
        "revision": stream.revision,
    }
    return files(stream.base, [record for _, record in stream.tail], {"version": 3, "temporal": temporal})


def cohorts(history, scopes=("global", "session")):
    return {scope: admit_cohort(scope, stored(history, scope)) for scope in scopes}


def example(*names, limit=7):
    """A history whose n-th transition changes the scope that the n-th letter begins."""
    history = History.begin(Boundary("T0", 0), limit)
    for number, name in enumerate(names, start=1):
        scope = {"g": "global", "s": "session"}[name]
        history = history.advance({scope: {"tactics": {"value": number}}}, f"T{number}")
    return history


def test_what_a_host_keeps_composes_to_what_it_had():
    history = example(*"sgssg")

    assert compose(cohorts(history), history.lineage) == history
    assert compose({}, (Boundary("T0", 0),)).states() == {"global": {}, "cwd": {}, "session": {}}


def test_composition_keeps_no_more_than_the_limit():
    history = example(*"sgssgs")

    composed = compose(cohorts(history), history.lineage, limit=2)

    assert len(composed.lineage) == 3
    assert composed.states(2) == history.states(2)


@pytest.mark.parametrize(
    ("lineage", "reason"),
    [
        (example(*"sgs").lineage[:-1], Reason.BOUNDARY_BEYOND_HEAD),
        (example(*"sgsg").lineage, Reason.BOUNDARY_WITHOUT_RECORD),
        (
            (Boundary("T0", 0), Boundary("other", 1, "T0"), *example(*"sgs").lineage[2:]),
            Reason.BOUNDARY_CONFLICT,
        ),
        ((*example(*"sgs").lineage[:-1], Boundary("T3", 3, "other")), Reason.BOUNDARY_CONFLICT),
    ],
)
def test_scopes_that_do_not_fit_the_lineage(lineage, reason):
    with pytest.raises(Refused) as caught:
        compose(cohorts(example(*"sgs")), lineage)

    assert caught.value.reason == reason


def test_a_checkpoint_later_than_the_lineage_begins():
    history = example(*"sss", limit=1)

    with pytest.raises(Refused) as caught:
        compose(cohorts(history), (Boundary("T0", 0), Boundary("T1", 1, "T0")))

    assert caught.value.reason == Reason.CHECKPOINT_AFTER_LINEAGE


@given(st.lists(st.sampled_from("gs"), max_size=12), st.sampled_from([0, 1, 3, 7]))
def test_storing_and_reading_a_history_loses_nothing(names, limit):
    history = example(*names, limit=limit)

    composed = compose(cohorts(history), history.lineage, limit)

    assert composed.lineage == history.lineage
    assert all(composed.streams[scope] == history.streams[scope] for scope in ("global", "session"))


@settings(max_examples=200)
@given(st.binary(max_size=40), st.binary(max_size=40), st.sampled_from([meta(), meta(1), meta(version=1)]))
def test_no_bytes_make_the_reader_stumble(checkpoint, patches, document):
    cohort = ScopeFiles(checkpoint, patches, json.dumps(document).encode())

    try:
        admitted = admit_cohort("session", cohort)
    except Refused as error:
        admitted = error

    assert admitted is not None
