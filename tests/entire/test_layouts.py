"""Where checkpoints are found: the tree counts, not what metadata says of it."""

import pytest

from tests.entire.checkpoints import FIRST, SECOND, Bank, checkpoint, root, session, talk
from tests.transcripts.ingestion import jsonl

KEY = "00c9e2351016"
ULID = "01JZ0000000000000000000KX9"


def present(bank: Bank, columns: str = "checkpoint_key, session_index, session_key, raw_session_id") -> list:
    return bank.rows(f"SELECT {columns} FROM present_checkpoint_session ORDER BY session_index")


def test_folders_are_found_whatever_the_list_of_sessions_says(bank: Bank) -> None:
    """Indices with gaps, entries that dangle, doubled paths and a session that is listed nowhere."""
    doubled = "/00/c9e2351016/00/c9e2351016/0/metadata.json"
    files = checkpoint(
        KEY,
        {0: {"metadata.json": session(KEY)}, 2: {"metadata.json": session(KEY, SECOND)}, 3: {}},
        sessions=[{"metadata": doubled, "prompt": ""}, {"metadata": "/00/c9e2351016/7/metadata.json"}],
    )

    bank.load(files)

    assert present(bank) == [(KEY, 0, FIRST, FIRST), (KEY, 2, SECOND, SECOND)]
    assert bank.rows("SELECT listed_sessions FROM checkpoint") == [2]


def test_a_date_before_a_session_id_is_taken_off_and_kept_apart(bank: Bank) -> None:
    raw = f"2026-01-12-{FIRST}"

    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY, raw)}, 1: {"metadata.json": session(KEY)}}))

    assert present(bank) == [(KEY, 0, FIRST, raw), (KEY, 1, FIRST, FIRST)]


def test_the_same_session_twice_in_a_checkpoint_is_two_folders(bank: Bank) -> None:
    member = {"metadata.json": session(KEY), "full.jsonl": talk("a")}

    report = bank.load(checkpoint(KEY, {0: member, 1: member}))

    assert present(bank, "checkpoint_key, session_index") == [(KEY, 0), (KEY, 1)]
    assert bank.rows("SELECT count(*) FROM file_touch WHERE session_index IS NOT NULL") == [2]
    assert bank.rows("SELECT text FROM message ORDER BY text") == ["a", "on a"]
    assert report.read["lines_parsed"] == 2


def test_a_session_of_metadata_alone(bank: Bank) -> None:
    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY)}}))

    assert present(bank, "session_key") == [FIRST]
    assert bank.rows("SELECT DISTINCT role FROM document") == ["metadata"]


def test_a_folder_without_metadata_stands_for_its_session(bank: Bank) -> None:
    bank.load(checkpoint(KEY, {0: {"full.jsonl": talk("a")}}))

    assert bank.rows("SELECT DISTINCT session_key FROM entry") == [f"{KEY}/0"]


def test_chunks_belong_to_one_transcript(bank: Bank) -> None:
    files = {
        "metadata.json": session(KEY),
        "full.jsonl.001": talk("b"),
        "full.jsonl.bak": b"not a chunk",
    }

    bank.load(checkpoint(KEY, {0: files | {"full.jsonl": talk("a").rstrip()}, 1: files}))

    assert bank.rows(
        "SELECT session_index, chunk, format FROM document WHERE role = 'transcript' ORDER BY ALL"
    ) == [(0, 0, "claude"), (0, 1, "claude"), (1, 1, "claude")]
    assert bank.rows("SELECT count(*) FROM document WHERE role = 'other'") == [2]
    assert bank.rows("SELECT text FROM message WHERE role = 'user' ORDER BY text") == ["a", "b"]


def test_another_branch_and_another_key_case(bank: Bank) -> None:
    """As a sibling implementation writes them."""
    bank.options["branch"] = "sessionlog/checkpoints/v1"
    files: dict[str | bytes, bytes] = {
        "00/c9e2351016/metadata.json": b'{"checkpointID": "00c9e2351016", "filesTouched": ["a.py"], "tokenUsage":'
        b' {"inputTokens": 5}, "checkpointsCount": 2}',
        "00/c9e2351016/0/metadata.json": b'{"sessionID": "%s", "createdAt": "2026-01-01T00:00:00Z",'
        b' "initialAttribution": {"agentLines": 3, "agentPercentage": 75.5}}' % FIRST.encode(),
    }

    bank.load(files, branch="sessionlog/checkpoints/v1")

    assert present(bank, "session_key, occurred_at IS NOT NULL, fields") == [
        (FIRST, True, ["sessionID", "createdAt", "initialAttribution"])
    ]
    assert bank.rows("SELECT checkpoints_count, files_touched FROM checkpoint") == [(2, ["a.py"])]
    assert bank.rows("SELECT scope, input_tokens FROM token_usage") == [("checkpoint", 5)]
    assert bank.rows("SELECT agent_lines, agent_percentage FROM attribution") == [(3, 75.5)]


def test_a_reference_for_each_checkpoint(bank: Bank) -> None:
    files: dict[str | bytes, bytes] = {
        "metadata.json": root(ULID),
        "0/metadata.json": session(ULID),
        "0/full.jsonl": talk("a"),
        "assets/manifest.json": b"{}",
    }
    commit = bank.put(files, "temporary")
    bank.repository.reference(f"refs/entire/checkpoints/X9/{ULID}", commit)
    bank.repository.reference(f"refs/entire/checkpoints/AA/{ULID}", commit)
    bank.repository.reference("refs/entire/checkpoints/v2/main", commit)

    report = bank.refresh()

    assert present(bank, "checkpoint_key, session_index, session_key") == [(ULID, 0, FIRST)]
    assert bank.rows("SELECT layout FROM checkpoint") == ["reference"]
    assert bank.rows("SELECT path FROM document WHERE role = 'transcript'") == [
        f"refs/entire/checkpoints/X9/{ULID}:0/full.jsonl"
    ]
    assert report.skipped == {"reference of another form": 2}


def test_the_newest_layout_of_a_checkpoint_counts(bank: Bank) -> None:
    inner = {"metadata.json": root(KEY), "0/metadata.json": session(KEY, SECOND)}
    commit = bank.put(dict(inner), "temporary")
    bank.repository.reference(f"refs/entire/checkpoints/16/{KEY}", commit)

    report = bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY)}}))

    assert present(bank, "session_key") == [SECOND]
    assert report.skipped == {"checkpoint of an older layout": 1}


def test_moving_a_checkpoint_to_its_own_reference_withdraws_nothing_that_is_said(bank: Bank) -> None:
    files = {"metadata.json": session(KEY), "full.jsonl": talk("a")}
    bank.load(checkpoint(KEY, {0: files}))
    before = bank.content("checkpoint_session", "entry")
    inner: dict[str | bytes, bytes] = {"metadata.json": root(KEY)}
    inner |= {f"0/{name}": data for name, data in files.items()}
    commit = bank.put(inner, "temporary")
    bank.repository.reference(f"refs/entire/checkpoints/16/{KEY}", commit)
    bank.repository.reference("refs/heads/entire/checkpoints/v1", None)

    bank.refresh()

    assert bank.content("checkpoint_session", "entry") == before
    assert bank.rows("SELECT count(*) FROM present_document") == [3]


def test_the_legacy_flat_layout(bank: Bank) -> None:
    top = f"{KEY[:2]}/{KEY[2:]}"
    flat = session(KEY, SECOND, agents=["Claude Code"], session_ids=[FIRST, SECOND], session_count=2)
    files: dict[str | bytes, bytes] = {
        f"{top}/metadata.json": flat,
        f"{top}/full.jsonl": talk("b", session=SECOND),
        f"{top}/1/metadata.json": session(KEY, FIRST),
        f"{top}/1/full.jsonl": talk("a"),
    }

    bank.load(files, branch="entire/sessions")

    assert present(bank, "session_index, session_key, agents") == [
        (0, SECOND, ["Claude Code"]),
        (1, FIRST, None),
    ]
    assert bank.rows("SELECT layout, checkpoint_key FROM checkpoint") == [("legacy", KEY)]
    assert bank.rows("SELECT session_key, text FROM message WHERE role = 'user' ORDER BY 2") == [
        (FIRST, "a"),
        (SECOND, "b"),
    ]


@pytest.mark.parametrize("place", ["", "0/"])
def test_tasks_are_nested_below_the_call_that_started_them(bank: Bank, place: str) -> None:
    task = f"{KEY[:2]}/{KEY[2:]}/{place}tasks/toolu_01"
    call = {"type": "tool_use", "id": "inner", "name": "Read", "input": {"file_path": "a.py"}}
    agent = jsonl({"type": "assistant", "uuid": "x", "message": {"role": "assistant", "content": [call]}})
    files = checkpoint(KEY, {0: {"metadata.json": session(KEY), "full.jsonl": talk("a")}})
    files |= {
        f"{task}/checkpoint.json": b'{"session_id": "%s", "tool_use_id": "toolu_01"}' % FIRST.encode(),
        f"{task}/agent-7.jsonl": agent,
        f"{task}/checkpoints/001-toolu_01.json": b'{"type": "progress"}',
    }

    bank.load(files)

    assert bank.rows("SELECT session_key, call_key, parent_call, is_nested FROM tool_call") == [
        (FIRST, "inner", "toolu_01", True)
    ]
    assert bank.rows(
        "SELECT role, count(*), any_value(parent_call), any_value(session_key) FROM document"
        " WHERE role LIKE 'task%' GROUP BY role ORDER BY role"
    ) == [("task", 2, "toolu_01", FIRST), ("task_transcript", 1, "toolu_01", FIRST)]


def test_files_outside_checkpoints_are_counted(bank: Bank) -> None:
    report = bank.load({**checkpoint(KEY, {}), "README.md": b"hello", "ab/readme": b"x"})

    assert report.skipped == {"path outside a checkpoint": 2}


def test_a_repository_without_checkpoints_says_so(bank: Bank) -> None:
    report = bank.refresh()

    assert report.skipped == {"no checkpoint reference": 1}


def test_a_clone_has_the_branch_as_a_remote_tracking_reference(bank: Bank) -> None:
    commit = bank.put(checkpoint(KEY, {0: {"metadata.json": session(KEY)}}), "temporary")
    bank.repository.reference("refs/remotes/fork/entire/checkpoints/v1", bank.put({}, "empty"))
    bank.repository.reference("refs/remotes/origin/entire/checkpoints/v1", commit)

    bank.refresh()

    assert present(bank, "session_key") == [FIRST]
