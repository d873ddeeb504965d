"""Read trust: sessions as trees, blocks, replay, seen lines."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.trust.blocks import (
    LEGACY_MODES,
    is_scope_key,
    lexical_path,
    parse_block,
    parse_invalidation,
    scope_key,
)
from graphsvc.memory.trust.entries import parse_session
from graphsvc.memory.trust.lines import covers, intersect, subtract, unite
from graphsvc.memory.trust.replay import edited_entries, snapshot, snapshots

A, B = "/w/a.txt", "/w/b.txt"
R = "r:2:4"
HEADER = {"type": "session", "version": 3, "id": "s1", "cwd": "/w"}


def read(mode, scope="full", served="a", base=None, path=A, **others):
    """A read result; ``others`` replace parts of the block, or of the message where it has such a part."""
    first, last = (1, 10) if scope == "full" else (2, 4)
    block = {
        "v": 1,
        "pathKey": path,
        "scopeKey": scope,
        "servedHash": served,
        "mode": mode,
        "totalLines": 10,
        "rangeStart": first,
        "rangeEnd": last,
        "bytes": 100,
    }
    if base is not None:
        block["baseHash"] = base
    message = {
        "role": "toolResult",
        "toolName": "read",
        "content": [{"type": "text", "text": "x"}],
        "isError": False,
        "details": {"readcache": block},
    }
    for name, value in others.items():
        (message if name in message else block)[name] = value
    if "truncation" in block:
        message["details"]["truncation"] = block.pop("truncation")
    return {"type": "message", "message": message}


def invalidate(scope="full", path=A, **others):
    data = {"v": 1, "kind": "invalidate", "pathKey": path, "scopeKey": scope, "at": 1, **others}
    return {"type": "custom", "customType": "pi-readcache", "data": data}


COMPACTION = {"type": "compaction", "summary": "s", "firstKeptEntryId": "e1"}
USER = {"type": "message", "message": {"role": "user", "content": "hi"}}


def session(*entries, header=HEADER):
    """A session whose entries e1, e2, ... follow each other, unless they say otherwise."""
    lines = [json.dumps(header)]
    for number, entry in enumerate(entries, start=1):
        parent = f"e{number - 1}" if number > 1 else None
        lines.append(json.dumps({"id": f"e{number}", "parentId": parent, **entry}))
    return "\n".join(lines).encode()


def replayed(*entries, **options):
    tree = parse_session(session(*entries))
    return snapshot(tree, tree.current, **options)


def trust(found, path=A):
    return {scope: tuple(item) for scope, item in found.trust.get(path, {}).items()}


def base(found, scope, path=A):
    item = found.base(path, scope)
    return item and item.hash


def entry_of(entry):
    return parse_session(session(entry)).entries[0]


# --- transitions -------------------------------------------------------------------------------------------


def test_a_derived_result_alone_makes_no_trust():
    for entry in (read("unchanged", base="a"), read("diff", base="a"), read("unchanged_range", R, base="a")):
        assert replayed(entry).trust == {}


def test_an_ignored_result_still_counts_as_a_read():
    found = replayed(
        read("full"),
        read("unchanged", R, base="a"),
        read("diff", R, base="a"),
        read("unchanged_range", base="a"),
        read("full", path=B),
    )

    assert (trust(found), trust(found, B)) == ({"full": ("a", 1)}, {"full": ("a", 5)})
    assert [step.applied for step in found.steps] == [True, False, False, False, True]


def test_a_whole_read_does_not_clear_a_blocked_range():
    found = replayed(read("full"), invalidate(R), read("full", served="b"))

    assert trust(found) == {"full": ("b", 2)}
    assert (base(found, R), base(found, "full")) == (None, "b")
    assert found.blocked == {A: {R}}


def test_a_range_can_be_blocked_before_anything_is_read():
    assert base(replayed(invalidate(R), read("full")), R) is None


@pytest.mark.parametrize(
    ("entries", "hash_"),
    [
        ([read("full", R, "a"), read("full", served="b")], "b"),
        ([read("full", served="b"), read("full", R, "a")], "a"),
        ([read("full", served="b"), read("full", "r:1:9", "a")], "b"),
    ],
)
def test_a_range_is_based_on_what_was_trusted_last(entries, hash_):
    assert base(replayed(*entries), R) == hash_


@pytest.mark.parametrize("kept", ["e1", "e2", None])
def test_what_a_compaction_keeps_makes_no_difference(kept):
    compaction = {**COMPACTION, "firstKeptEntryId": kept}

    found = replayed(read("full"), read("unchanged", base="a"), compaction, USER)

    assert (found.window.start, found.window.boundary, found.trust) == (3, "compaction:e3", {})


def test_a_compaction_on_another_branch_is_no_barrier():
    tree = parse_session(session(read("full"), COMPACTION, {**USER, "parentId": "e1"}))

    found = snapshot(tree, "e3")

    assert (found.window.boundary, trust(found)) == ("root", {"full": ("a", 1)})


def test_every_leaf_has_its_own_trust_and_the_last_entry_is_current():
    tree = parse_session(
        session(read("full"), read("full", served="b"), {**read("full", R), "parentId": "e1"})
    )

    found = {item.leaf: trust(item) for item in snapshots(tree)}

    assert found == {"e2": {"full": ("b", 2)}, "e3": {"full": ("a", 1), R: ("a", 2)}}
    assert tree.current == "e3"


def test_old_names_of_modes_count_only_when_asked_for():
    entries = [read("full_fallback"), read("unchanged", base="a")]

    assert replayed(*entries).trust == {}
    assert trust(replayed(*entries, aliases=LEGACY_MODES)) == {"full": ("a", 2)}


def test_trust_in_an_edited_result_is_kept_or_dropped_as_asked():
    entries = [read("full"), read("unchanged", base="a"), {"type": "context_edit", "targetId": "e1"}]
    tree = parse_session(session(*entries))

    without = edited_entries(tree.branch("e3").entries)

    assert trust(snapshot(tree, "e3")) == {"full": ("a", 2)}
    assert without == {"e1"}
    assert snapshot(tree, "e3", without=without).trust == {}


def test_a_session_without_entries_trusts_nothing():
    tree = parse_session(session())

    assert (tree.current, snapshots(tree), snapshot(tree, None).trust) == (None, (), {})


# --- blocks and invalidations ------------------------------------------------------------------------------

DEBUG = {"reason": "hash_match", "scope": "full", "baseHashFound": True, "diffAttempted": False}


@pytest.mark.parametrize(
    "block",
    [
        {"totalLines": 0},
        {"totalLines": True},
        {"rangeStart": 0},
        {"rangeStart": 5, "rangeEnd": 4},
        {"bytes": "1"},
        {"bytes": 1.5},
        {"bytes": -1},
        {"bytes": 10**400},
        {"v": "1"},
        {"v": True},
        {"v": 2},
        {"pathKey": ""},
        {"pathKey": 1},
        {"servedHash": ""},
        {"baseHash": None},
        {"baseHash": ""},
        {"mode": "diff"},
        {"mode": "other"},
        {"mode": ["full"]},
        {"scopeKey": ["full"]},
        {"debug": None},
        {"debug": {}},
        {"debug": {**DEBUG, "reason": "other"}},
        {"debug": {**DEBUG, "scope": "r:1:2"}},
        {"debug": {**DEBUG, "baseHashFound": 1}},
        {"debug": {**DEBUG, "outsideRangeChanged": None}},
        {"debug": {**DEBUG, "maxLines": 0}},
        {"debug": {**DEBUG, "diffBytes": -1}},
    ],
)
def test_a_block_that_breaks_a_rule_is_none(block):
    assert parse_block(entry_of(read(**{"mode": "full", **block}))) is None


@pytest.mark.parametrize(
    "block",
    [
        {"bytes": 0},
        {"bytes": 1e1},
        {"v": 1.0},
        {"totalLines": 10.0},
        {"baseHash": "b"},
        {"scopeKey": "r:3:5", "rangeEnd": 99, "totalLines": 2},
        {"debug": {**DEBUG, "maxLines": 1, "diffBytes": 0, "later": "key"}},
        {"isError": True},
    ],
)
def test_a_block_that_is_only_unusual_counts(block):
    assert parse_block(entry_of(read("full", **block))) is not None


@pytest.mark.parametrize(
    "entry",
    [
        {**read("full"), "type": "custom"},
        read("full", role="user"),
        read("full", toolName="Read"),
        read("full", details=None),
        read("full", details={"readcache": [1]}),
        {"type": "message"},
        {"type": "message", "message": "text"},
    ],
)
def test_only_results_of_the_read_tool_carry_blocks(entry):
    assert parse_block(entry_of(entry)) is None


@pytest.mark.parametrize(
    "others", [{"at": 0}, {"at": 1.5}, {"v": 2}, {"kind": "x"}, {"scope": "range"}, {"path": ""}]
)
def test_an_invalidation_that_breaks_a_rule_is_none(others):
    assert parse_invalidation(entry_of(invalidate(**others))) is None
    assert parse_invalidation(entry_of({**invalidate(), "customType": "other"})) is None


@pytest.mark.parametrize(
    "key", ["full", "r:1:1", "r:02:4", "r:1:" + "9" * 5000, "r:" + "9" * 400 + ":" + "9" * 400]
)
def test_scope_keys(key):
    assert is_scope_key(key)


@pytest.mark.parametrize(
    "key", ["r:0:4", "r:5:4", "r:1:", "R:1:2", "r:1:2:3", "r:-1:2", "r:1.0:2", "", "r:١:٢", None]
)
def test_what_is_no_scope_key(key):
    assert not is_scope_key(key)


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        ({}, "full"),
        ({"offset": 1, "limit": 4}, "full"),
        ({"limit": 9}, "full"),
        ({"offset": 2}, "r:2:4"),
        ({"offset": 2, "limit": 2}, "r:2:3"),
    ],
)
def test_the_scope_of_a_request_depends_on_the_length_of_the_file(request_, key):
    assert scope_key(4, **request_) == key


def test_paths_are_compared_as_they_are_and_joined_by_their_plain_form():
    assert replayed(read("full", path="/w/sub/../a.txt")).base(A, "full") is None
    assert lexical_path("/w/sub/../a.txt") == A


def test_half_a_surrogate_pair_in_a_path_cannot_reach_the_store():
    found = replayed(read("full", path="/w/\ud800"))

    assert list(found.trust) == ["/w/\ufffd"]


# --- seen lines and savings --------------------------------------------------------------------------------


def test_a_long_file_is_trusted_whole_and_seen_in_part():
    found = replayed(read("full", truncation={"truncated": True, "outputLines": 3}))

    assert base(found, "full") == base(found, "r:8:9") == "a"
    assert found.seen == {(A, "a"): ((1, 3),)}
    assert (found.has_seen(A, "r:2:3"), found.has_seen(A, R), found.has_seen(A, "full")) == (
        True,
        False,
        False,
    )


@pytest.mark.parametrize(
    "truncation", [None, {"truncated": False, "outputLines": 1}, {"outputLines": "x"}, {"outputLines": 99}]
)
def test_a_result_that_was_not_cut_is_seen_whole(truncation):
    assert replayed(read("full", truncation=truncation)).has_seen(A, "full")


def test_lines_that_did_not_change_are_seen_in_the_new_file_too():
    found = replayed(read("full"), read("unchanged_range", R, "b", "a"))

    assert found.has_seen(A, R)
    assert found.seen[A, "b"] == ((2, 4),)


def test_a_difference_shows_the_rest_only_to_who_saw_the_whole():
    whole = replayed(read("full"), read("diff", served="b", base="a"))
    part = replayed(read("full", truncation={"outputLines": 3}), read("diff", served="b", base="a"))

    assert (whole.has_seen(A, "full"), part.has_seen(A, "full")) == (True, False)


def test_what_is_withdrawn_is_no_longer_seen():
    ranged = replayed(read("full"), invalidate(R))
    whole = replayed(read("full"), invalidate(), read("full", R))

    assert ranged.seen[A, "a"] == ((1, 1), (5, 10))
    assert (whole.has_seen(A, R), whole.has_seen(A, "full")) == (True, False)


def test_savings_are_what_the_results_left_out():
    found = replayed(
        read("full", bytes=41, content=[{"type": "text", "text": "ü" * 8}, {"type": "image"}]),
        read("unchanged", base="a", bytes=100, content=[{"type": "text", "text": "x" * 9}]),
        read("full", R, bytes=5, totalLines=6, rangeStart=2, rangeEnd=4),
        read("full", content=[]),
        read("full", content=None),
    )

    assert found.saved_bytes == (41 - 16) + (100 - 9) + (3 - 1)
    assert found.saved_tokens == 30


# --- session files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n \n",
        b"{}",
        b"5\n" + session(),
        b'{"type":"session","id":1}',
        json.dumps(USER).encode(),
        b"\xff\xff",
    ],
)
def test_a_file_without_a_header_is_refused(data):
    with pytest.raises(Refused) as caught:
        parse_session(data)

    assert caught.value.reason == "no_session_header"


def test_lines_that_are_no_entries_are_counted_with_their_bytes():
    bad = [b"{broken", b"[1]", b'{"type":"label"}', b'{"x":NaN}', b'{"a":1}{"b":2}', b"[" * 100_000]
    data = b"\n".join([session(read("full")), *bad, b" ", b""])

    tree = parse_session(data)

    assert [fault.reason for fault in tree.faults] == [
        "not_json",
        "not_an_object",
        "no_id",
        "not_json",
        "not_json",
        "not_json",
    ]
    assert [data[fault.start : fault.end] for fault in tree.faults] == bad
    assert tree.current == "e1"


def test_bytes_of_an_entry_are_those_of_its_line():
    data = b"\xef\xbb\xbf\n\n" + session(USER, read("full")) + b"\n\n"

    tree = parse_session(data)

    assert [json.loads(data[entry.start : entry.end])["id"] for entry in tree.entries] == ["e1", "e2"]
    assert [entry.line for entry in tree.entries] == [4, 5]


def test_of_two_entries_with_one_id_the_later_counts():
    again = {**read("full", served="b"), "id": "e1", "parentId": None}

    assert trust(replayed(read("full"), again)) == {"full": ("b", 1)}


@pytest.mark.parametrize(
    ("first_parent", "cut"), [(None, None), ("e9", "missing_parent"), ("e3", "cycle"), ("e1", "cycle")]
)
def test_a_branch_says_where_it_was_cut(first_parent, cut):
    tree = parse_session(session({**read("full"), "parentId": first_parent}, USER, USER))

    branch = tree.branch("e3")

    assert (len(branch.entries), branch.cut) == (3, cut)
    assert trust(snapshot(tree, "e3")) == {"full": ("a", 1)}


def test_entries_of_the_first_version_follow_each_other():
    header = {"type": "session", "id": "s1"}
    lines = [json.dumps(item) for item in (header, USER, read("full"))]

    tree = parse_session("\n".join([*lines[:2], "broken", lines[2]]).encode())

    assert [(entry.id, entry.parent_id) for entry in tree.entries] == [("v1:2", None), ("v1:4", "v1:2")]
    assert trust(snapshot(tree, tree.current)) == {"full": ("a", 1)}


def test_odd_numbers_and_repeated_keys_are_read_as_the_host_reads_them():
    line = b'{"id":"x","id":"e1","parentId":null,"type":"label","n":' + b"9" * 5000 + b"}"

    tree = parse_session(session() + b"\n" + line)

    assert [entry.id for entry in tree.entries] == ["e1"]


@given(
    st.lists(
        st.binary(max_size=30) | st.sampled_from([b'{"id":"a","parentId":"b"}', b"null", b'""']), max_size=6
    )
)
def test_every_line_is_an_entry_or_a_fault_or_blank(lines):
    data = session() + b"\n" + b"\n".join(lines)

    tree = parse_session(data)

    covered = b"".join(data[item.start : item.end] for item in (*tree.entries, *tree.faults))
    rest = [line for line in data.split(b"\n")[1:] if line not in covered]
    assert all(not line.decode(errors="replace").replace("\ufeff", "").strip() for line in rest)
    assert [snapshot.leaf for snapshot in snapshots(tree)] == list(tree.leaves)


def test_an_entry_without_a_type_keeps_its_place_in_the_tree():
    tree = parse_session(session({"type": None}, read("full")))

    assert [entry.type for entry in tree.branch("e2").entries] == ["", "message"]


# --- laws --------------------------------------------------------------------------------------------------

reads = st.builds(
    read,
    st.sampled_from(["full", "baseline_fallback", "unchanged", "unchanged_range", "diff"]),
    st.sampled_from(["full", R, "r:5:6"]),
    st.sampled_from("ab"),
    st.sampled_from("ab"),
    st.sampled_from([A, B]),
)
invalidations = st.builds(invalidate, st.sampled_from(["full", R]), st.sampled_from([A, B]))
branches = st.lists(reads | invalidations | st.just(COMPACTION) | st.just(USER), max_size=12)


@given(branches)
def test_every_trusted_hash_was_shown_in_the_window_or_moved_there_step_by_step(entries):
    found = replayed(*entries)
    applied = {(step.path_key, step.seq): step for step in found.steps if step.applied}

    for path, scopes in found.trust.items():
        for scope, item in scopes.items():
            assert applied[path, item.seq].scope_key == scope
        anchors = [step for step in found.steps if step.action in ("full", "baseline_fallback")]
        assert any(step.path_key == path for step in anchors)


@given(branches)
def test_what_lies_before_a_compaction_never_matters(entries):
    found = replayed(read("full"), read("full", R), COMPACTION, *entries)

    alone = replayed(*entries)

    assert (found.trust, found.blocked, found.seen) == (alone.trust, alone.blocked, alone.seen)


@given(branches)
def test_trusting_less_never_trusts_more(entries):
    tree = parse_session(session(*entries))
    whole = snapshot(tree, tree.current)
    none = snapshot(tree, tree.current, without=frozenset(tree.by_id))

    assert none.trust == {}
    assert none.reads == whole.reads


ranges = st.tuples(st.integers(1, 12), st.integers(1, 12)).filter(lambda pair: pair[0] <= pair[1])
line_sets = st.lists(ranges, max_size=4).map(lambda pairs: unite((), tuple(pairs)))


def numbers(lines):
    return {number for first, last in lines for number in range(first, last + 1)}


@given(line_sets, line_sets, ranges)
def test_sets_of_lines_behave_as_sets(one, other, window):
    inside = numbers([window])

    assert numbers(unite(one, other)) == numbers(one) | numbers(other)
    assert numbers(intersect(one, *window)) == numbers(one) & inside
    assert numbers(subtract(one, *window)) == numbers(one) - inside
    assert covers(one, *window) == (inside <= numbers(one))
