"""From a line to the prompt that asked for it, and where the trail ends before."""

from __future__ import annotations

import json
from datetime import datetime

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.git import hash_object
from queries.why import Why
from tests.entire.checkpoints import FIRST, SECOND
from tests.queries.conftest import Trails
from tests.queries.talks import START, Talk

KEY, OTHER = "a1b2c3d4e5f6", "0123456789ab"
NAMED = f"Greet\n\nEntire-Checkpoint: {KEY}\n"
TEXT = "import sys\n\nprint('hello')\nsys.exit(3)\n"
GREET = ("/p/app.py", TEXT)


def subjects(found: Why) -> list[tuple[str, str]]:
    """Kind and subject of each step after the line."""
    return [(step.step, step.subject) for step in found.steps[1:]]


def calls(found: Why) -> list[str]:
    """The tool calls of a trail."""
    return [step.subject for step in found.steps if step.step == "tool_call"]


def last(found: Why) -> tuple[str, str | None]:
    """Where a trail ends, and why."""
    return found.steps[-1].step, found.ends


def test_whole_trail(trails: Trails) -> None:
    commit = trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY, Talk().prompt("Say hello").say("Sure").write("call_1", *GREET).prompt("Thanks"))
    trails.load()

    found = trails.why("app.py", 3)

    assert (found.ends, found.notes) == (None, [])
    assert [(step.step, step.origin, step.confidence) for step in found.steps] == [
        ("line", "asked", 1.0),
        ("commit", "blame", 1.0),
        ("checkpoint", "trailer", 1.0),
        ("session", "checkpoint", 1.0),
        ("tool_call", "written_text", 1.0),
        ("prompt", "turn", 1.0),
    ]
    line, *_, call, prompt = found.steps
    assert (line.subject, line.text) == ("app.py:3", "print('hello')")
    assert subjects(found)[:4] == [
        ("commit", commit),
        ("checkpoint", KEY),
        ("session", FIRST),
        ("tool_call", "call_1"),
    ]
    assert (call.text, call.occurred_at) == ("Write /p/app.py", datetime(2026, 1, 1, 0, 0, 2))
    assert (prompt.text, prompt.occurred_at) == ("Say hello", datetime(2026, 1, 1))


def test_evidence_of_each_step(trails: Trails) -> None:
    commit = trails.commit({"app.py": TEXT}, NAMED)
    talk = Talk().prompt("Say hello").write("call_1", *GREET)
    trails.keep(KEY, talk)
    trails.load()

    evidence = {step.step: trails.evidence(step) for step in trails.why("app.py", 3).steps[1:]}

    assert hash_object(evidence["commit"], "commit") == commit
    assert evidence["checkpoint"].decode() == f"Entire-Checkpoint: {KEY}"
    assert json.loads(evidence["session"])["session_id"] == FIRST
    assert json.loads(evidence["tool_call"])["input"] == {"file_path": "/p/app.py", "content": TEXT}
    assert json.loads(evidence["prompt"]) == talk.records[0]


def test_ends_at_a_commit_that_the_store_has_not_seen(trails: Trails) -> None:
    trails.commit({"app.py": "a\n"}, NAMED)
    trails.load()
    commit = trails.commit({"app.py": "b\n"}, "Later")

    assert last(trails.why("app.py", 1)) == (
        "line",
        f"the store does not have commit {commit[:12]} by Ada Example: run `graphsvc rebuild`",
    )


def test_ends_at_a_commit_that_names_no_checkpoint(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, "Greet\n\nEntire-Checkpoint: none yet\n")
    trails.keep(KEY, Talk().prompt("Say hello").write("call_1", *GREET))
    trails.load()

    assert last(trails.why("app.py", 3)) == ("commit", "the commit's message names no checkpoint")


def test_ends_where_the_store_has_none_of_the_checkpoints(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(OTHER, Talk().prompt("Say hello").write("call_1", *GREET))
    trails.load()

    found = trails.why("app.py", 3)

    assert last(found) == ("commit", "none of the checkpoints that the commit names is in the store")
    assert found.notes == [f"the store has no checkpoint {KEY}, which the commit names"]


def test_ends_at_a_checkpoint_without_session(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY)
    trails.load()

    assert last(trails.why("app.py", 3)) == ("checkpoint", "the checkpoint recorded no session")


def test_ends_at_a_session_without_transcript(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY, b"")
    trails.load()

    assert last(trails.why("app.py", 3)) == (
        "session",
        "no transcript of the checkpoint's sessions can be read",
    )


def test_ends_where_no_call_wrote_the_line(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY, Talk().prompt("Read it").call("call_1", "Read", {"file_path": "/p/app.py"}, answer=TEXT))
    trails.load()

    assert last(trails.why("app.py", 3)) == (
        "session",
        "no tool call of the recorded sessions wrote the line",
    )


def test_ends_where_a_slice_begins_after_the_prompt(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    talk = Talk().prompt("Say hello").write("call_1", *GREET).prompt("Thanks")
    trails.keep(KEY, talk.bytes(first=1))
    trails.load()

    assert last(trails.why("app.py", 3)) == (
        "tool_call",
        "the recorded transcript begins after the prompt that led to the call",
    )


def test_a_squash_names_several_checkpoints(trails: Trails) -> None:
    gone = "ffffffffffff"
    squash = "Greet (#7)\n\n" + "".join(
        f"* Step\n\nEntire-Checkpoint: {key}\n\n" for key in (gone, OTHER, KEY)
    )
    trails.commit({"app.py": TEXT}, squash + "Co-authored-by: Ben <ben@example.org>\n")
    trails.keep(OTHER, Talk(SECOND).prompt("Plan it").write("call_1", "/p/plan.md", "hello\n"))
    trails.keep(KEY, Talk().prompt("Say hello").write("call_2", *GREET))
    trails.load()

    found = trails.why("app.py", 3)

    assert subjects(found)[1:4] == [("checkpoint", KEY), ("session", FIRST), ("tool_call", "call_2")]
    assert found.steps[-1].text == "Say hello"
    assert found.notes == [f"the store has no checkpoint {gone}, which the commit names"]


def test_sessions_of_a_checkpoint_share_what_none_of_them_wrote(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY, Talk().prompt("Think"), Talk(SECOND).prompt("Think too"))
    trails.load()

    assert trails.why("app.py", 3).steps[-1].confidence == 0.5


def test_a_subagent_wrote_it(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    talk = Talk().prompt("Say hello").call("task_1", "Task", {"prompt": "Write it"}, answer=None)
    talk.nested("call_1", "Write", {"file_path": "/p/app.py", "content": TEXT}, parent="task_1")
    trails.keep(KEY, talk.prompt("Thanks"))
    trails.load()

    *_, call, prompt = trails.why("app.py", 3).steps

    assert (call.subject, call.text) == ("call_1", "Write in a subagent /p/app.py")
    assert prompt.text == "Say hello"


def test_a_file_that_was_renamed_later(trails: Trails) -> None:
    trails.commit({"src/old.py": TEXT}, NAMED)
    trails.commit({"src/old.py": None, "lib/new.py": TEXT}, "Move")
    trails.keep(
        KEY,
        Talk()
        .prompt("Say hello")
        .write("call_1", "/p/src/old.py", TEXT)
        .write("call_2", "/p/lib/new.py", TEXT),
    )
    trails.load()

    found = trails.why("lib/new.py", 3)

    assert calls(found) == ["call_1"]
    assert found.notes == []


def test_a_path_in_another_clone_or_of_the_same_name(trails: Trails) -> None:
    trails.commit({"src/app.py": TEXT}, NAMED)
    trails.keep(
        KEY,
        Talk().prompt("One").write("call_1", "/tmp/app.py", TEXT).write("call_2", "/clone/src/app.py", TEXT),
    )
    trails.load()

    assert calls(trails.why("src/app.py", 3)) == ["call_2"]


def test_a_path_of_the_same_name_is_less_sure(trails: Trails) -> None:
    trails.commit({"src/app.py": TEXT}, NAMED)
    trails.keep(KEY, Talk().prompt("One").write("call_1", "/tmp/app.py", TEXT))
    trails.load()

    [call] = [step for step in trails.why("src/app.py", 3).steps if step.step == "tool_call"]
    assert (call.subject, call.confidence) == ("call_1", 0.9)


def test_a_shell_wrote_it(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    command = f"cat > app.py <<'EOF'\n{TEXT}EOF"
    trails.keep(KEY, Talk().prompt("Say hello").call("call_1", "Bash", {"command": command}))
    trails.load()

    *_, call, prompt = trails.why("app.py", 3).steps

    assert (call.subject, call.origin, call.confidence) == ("call_1", "written_text", 0.7)
    assert prompt.text == "Say hello"


def test_a_withdrawn_checkpoint_still_leads_to_the_prompt(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.keep(KEY, Talk().prompt("Say hello").write("call_1", *GREET))
    trails.load()
    trails.checkpoints.clear()
    trails.keep(OTHER, Talk(SECOND).prompt("Unrelated"))
    trails.load()

    found = trails.why("app.py", 3)

    assert found.ends is None
    assert (found.steps[2].subject, found.steps[2].text) == (KEY, "withdrawn at its source")
    assert found.steps[-1].text == "Say hello"


def test_an_edit_around_a_line_did_not_bring_it_in(trails: Trails) -> None:
    trails.commit({"app.py": "one\ntwo\nthree\n"}, NAMED)
    talk = Talk().prompt("Write two lines").write("call_1", "/p/app.py", "one\ntwo\n")
    talk.prompt("Add a third").edit("call_2", "/p/app.py", "one\ntwo\n", "one\ntwo\nthree\n")
    trails.keep(KEY, talk)
    trails.load()

    assert calls(trails.why("app.py", 2)) == ["call_1"]
    assert calls(trails.why("app.py", 3)) == ["call_2"]


def test_an_edit_that_repeats_a_line_brought_it_in(trails: Trails) -> None:
    before, after = "def a():\n    return 1\n", "def a():\n    return 1\n\n\ndef b():\n    return 1\n"
    trails.commit({"app.py": before}, "Begin")
    trails.commit({"app.py": after}, NAMED)
    talk = Talk().prompt("Rewrite").write("call_1", "/p/other.py", "    return 1\n")
    trails.keep(KEY, talk.prompt("Add b").edit("call_2", "/p/app.py", before, after))
    trails.load()

    found = trails.why("app.py", 6)

    assert (calls(found), found.steps[-1].text) == (["call_2"], "Add b")
    assert found.steps[-2].confidence == 1.0


def test_the_last_of_several_edits_counts(trails: Trails) -> None:
    trails.commit({"app.py": "a = 2\n"}, NAMED)
    talk = Talk()
    for number, (old, new) in enumerate([("1", "2"), ("2", "3"), ("3", "2")]):
        talk.prompt(f"Make it {new}").edit(f"call_{number}", "/p/app.py", f"a = {old}", f"a = {new}")
    trails.keep(KEY, talk)
    trails.load()

    found = trails.why("app.py", 1)

    assert (calls(found), found.steps[-1].text) == (["call_2"], "Make it 2")
    assert found.notes == ["1 other tool calls wrote the same text"]


def test_calls_after_the_commit_do_not_count(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    talk = Talk().prompt("Say hello").write("call_1", *GREET)
    trails.keep(
        KEY, talk.wait(3600).prompt("Again").edit("call_2", "/p/app.py", "print('hi')", "print('hello')")
    )
    trails.load()

    found = trails.why("app.py", 3)

    assert (calls(found), found.notes) == (["call_1"], [])


def test_a_session_recorded_twice_is_one(trails: Trails) -> None:
    """The transcript grew between two checkpoints that one commit names."""
    trails.commit({"app.py": TEXT}, f"{NAMED}Entire-Checkpoint: {OTHER}\n")
    talk = Talk(start=START).prompt("Say hello").write("call_1", *GREET)
    trails.keep(OTHER, talk.bytes())
    trails.keep(KEY, talk.prompt("Thanks"))
    trails.load()

    found = trails.why("app.py", 3)

    assert (calls(found), found.ends, found.notes) == (["call_1"], None, [])


@pytest.mark.parametrize("line", [5, 50])
def test_a_line_that_the_file_does_not_have(trails: Trails, line: int) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.load()

    with pytest.raises(InvalidInput, match="line"):
        trails.why("app.py", line)


def test_a_file_that_the_commit_does_not_have(trails: Trails) -> None:
    trails.commit({"app.py": TEXT}, NAMED)
    trails.load()

    with pytest.raises(NotFound):
        trails.why("nowhere.py", 1)
