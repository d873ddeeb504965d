"""What metadata says, as recorded."""

from datetime import datetime

from tests.entire.checkpoints import FIRST, Bank, checkpoint, session

KEY = "a1b2c3d4e5f6"


def test_checkpoint_and_session(bank: Bank) -> None:
    said = session(
        KEY,
        branch="feature",
        cli_version="0.7",
        model="",
        kind="agent_review",
        turn_id="t",
        transcript_lines_at_start=3,
        transcript_uuid_at_start="u",
        steps_count=9,
        agents="Claude Code",
    )

    bank.load(checkpoint(KEY, {0: {"metadata.json": said}}, branch="main", files_touched=None))

    assert bank.rows("SELECT checkpoint_key, layout, strategy, branch, files_touched FROM checkpoint") == [
        (KEY, "branch", "manual-commit", "main", None)
    ]
    assert bank.rows(
        "SELECT occurred_at, agent, agents, branch, cli_version, model, session_kind, turn_id, transcript_start,"
        " transcript_identifier_at_start, checkpoints_count FROM checkpoint_session"
    ) == [
        (
            datetime(2026, 1, 1, 0, 0, 0, 123456),
            "Claude Code",
            ["Claude Code"],
            "feature",
            "0.7",
            "",
            "agent_review",
            "t",
            3,
            "u",
            1,
        )
    ]


def test_the_newer_name_of_a_field_counts(bank: Bank) -> None:
    said = session(KEY, transcript_lines_at_start=3, checkpoint_transcript_start=0)

    bank.load(checkpoint(KEY, {0: {"metadata.json": said}}))

    assert bank.rows("SELECT transcript_start FROM checkpoint_session") == [0]


def test_token_counts_keep_their_scope(bank: Bank) -> None:
    used = {"input_tokens": 5, "cache_read_tokens": 7, "subagent_tokens": {"input_tokens": 2}}

    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY, token_usage=used)}}))

    assert bank.rows(
        "SELECT scope, session_key, input_tokens, cache_read_tokens FROM token_usage ORDER BY scope"
    ) == [
        ("checkpoint", None, 1, None),
        ("checkpoint_session", FIRST, 5, 7),
        ("checkpoint_session_subagents", FIRST, 2, None),
    ]


def test_attribution_of_a_session_and_combined(bank: Bank) -> None:
    lines = {
        "agent_lines": 4,
        "human_added": 1,
        "agent_percentage": 80,
        "calculated_at": "2026-01-01T00:00:00Z",
    }
    combined = {"agent_lines": 9, "agent_percentage": 12.5, "agent_removed": 2, "metric_version": 2}

    bank.load(
        checkpoint(
            KEY,
            {0: {"metadata.json": session(KEY, initial_attribution=lines)}},
            combined_attribution=combined,
        )
    )

    assert bank.rows(
        "SELECT session_index, agent_lines, agent_percentage, agent_removed, metric_version FROM attribution"
        " ORDER BY session_index"
    ) == [(0, 4, 80.0, None, None), (None, 9, 12.5, 2, 2)]


def test_summary(bank: Bank) -> None:
    summary = {
        "intent": "fix",
        "outcome": "fixed",
        "learnings": {"repo": ["r"], "code": [{"path": "a.py", "finding": "f"}], "workflow": []},
        "friction": ["slow"],
        "open_items": [],
    }

    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY, summary=summary)}}))

    assert bank.rows(
        "SELECT intent, outcome, learnings->'repo'->>0, friction, open_items FROM session_summary"
    ) == [("fix", "fixed", "r", ["slow"], [])]


def test_files_touched_are_listed_for_session_and_checkpoint(bank: Bank) -> None:
    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY, files_touched=["b.py", "a.py"])}}))

    assert bank.rows("SELECT session_index, path, access, origin FROM file_touch ORDER BY ALL") == [
        (0, "a.py", "listed", "metadata"),
        (0, "b.py", "listed", "metadata"),
        (None, "a.py", "listed", "metadata"),
    ]


def test_prompts_that_a_checkpoint_lists_are_told_apart_from_those_of_transcripts(bank: Bank) -> None:
    files = {"metadata.json": session(KEY), "prompt.txt": b"first\n\n---\n\n<command-name>/x</command-name>"}

    bank.load(
        checkpoint(KEY, {0: files, 1: files | {"prompt.txt": files["prompt.txt"] + b"\n\n---\n\nthird"}})
    )

    assert bank.rows("SELECT channel, origin, text FROM message ORDER BY text DESC") == [
        ("recorded", "typed", "third"),
        ("recorded", "typed", "first"),
        ("recorded", "injected", "<command-name>/x</command-name>"),
    ]


def test_evidence_of_metadata_is_the_file(bank: Bank) -> None:
    data = session(KEY)
    bank.load(checkpoint(KEY, {0: {"metadata.json": data}}))

    with bank.store.read() as reader:
        [row] = reader.rows("SELECT segment, start_byte, end_byte FROM checkpoint_session")
        found = reader.segments([row[0]])[row[0]][row[1] : row[2]]

    assert found == data
