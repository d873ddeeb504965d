"""From a line to the prompt that asked for it, and where the trail ends before.

Each scenario writes a file of its own, with commits, checkpoints and sessions of its own; all of them are loaded
together.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.git import hash_object
from queries.why import Why
from tests.queries.conftest import Trails, key, session_of
from tests.queries.talks import START, Talk

TEXT = "import sys\n\nprint('hello')\nsys.exit(3)\n"
GREETING = 3
LONG_AGO = START - timedelta(days=1)

_SCENARIOS: list[Callable[[Trails], None]] = []


def scenario(make: Callable[[Trails], None]) -> Callable[[Trails], None]:
    """Make a function part of the history that the tests look at."""
    _SCENARIOS.append(make)
    return make


def talk(name: str, *, start: datetime = START) -> Talk:
    """The transcript of the session of a name, begun with a prompt."""
    return Talk(session_of(name), start=start).prompt("Say hello")


def just_now(trails: Trails) -> datetime:
    """A time shortly before the newest commit, and after the one before it."""
    return START + timedelta(minutes=trails.repository.commits - 1, seconds=-30)


@pytest.fixture(scope="module")
def trails(tmp_path_factory: pytest.TempPathFactory) -> Trails:
    """A store that has seen all scenarios."""
    made = Trails(tmp_path_factory.mktemp("trails"))
    for make in _SCENARIOS:
        make(made)
    made.load()
    return made


def calls(found: Why) -> list[str]:
    """The tool calls of a trail."""
    return [step.subject for step in found.steps if step.step == "tool_call"]


def last(found: Why) -> tuple[str, str | None]:
    """Where a trail ends, and why."""
    return found.steps[-1].step, found.ends


@scenario
def whole(trails: Trails) -> None:
    trails.commit({"whole.py": TEXT}, "whole", message="Greet")
    trails.keep("whole", talk("whole").say("Sure").write("call_1", "/p/whole.py", TEXT).prompt("Thanks"))


def test_whole_trail(trails: Trails) -> None:
    found = trails.why("whole.py", GREETING)

    commit = trails.repository.git("log", "--format=%H", "--", "whole.py")
    line, _, checkpoint, session, call, prompt = found.steps
    assert (found.ends, found.notes) == (None, [])
    assert [(step.step, step.origin, step.confidence) for step in found.steps] == [
        ("line", "snapshot", 1.0),
        ("commit", "blame", 1.0),
        ("checkpoint", "trailer", 1.0),
        ("session", "checkpoint", 1.0),
        ("tool_call", "written_text", 1.0),
        ("prompt", "turn", 1.0),
    ]
    assert [step.subject for step in found.steps[:5]] == [
        "whole.py:3",
        commit,
        key("whole"),
        session_of("whole"),
        "call_1",
    ]
    assert (line.text, checkpoint.text) == ("print('hello')", "manual-commit, 1 session")
    assert checkpoint.occurred_at == datetime(2026, 1, 1, 0, 0, 0, 123456)
    assert session.occurred_at == datetime(2026, 1, 1)
    assert (call.text, call.occurred_at) == ("Write /p/whole.py", datetime(2026, 1, 1, 0, 0, 2))
    assert (prompt.text, prompt.occurred_at) == ("Say hello", datetime(2026, 1, 1))


def test_evidence_of_each_step(trails: Trails) -> None:
    found = trails.why("whole.py", GREETING)

    evidence = {step.step: trails.evidence(step) for step in found.steps[1:]}

    assert hash_object(evidence["commit"], "commit") == found.steps[1].subject
    assert evidence["checkpoint"].decode() == f"Entire-Checkpoint: {key('whole')}"
    assert json.loads(evidence["session"])["session_id"] == session_of("whole")
    assert json.loads(evidence["tool_call"])["input"] == {"file_path": "/p/whole.py", "content": TEXT}
    assert json.loads(evidence["prompt"])["message"]["content"] == "Say hello"


@scenario
def nameless(trails: Trails) -> None:
    trails.commit({"nameless.py": TEXT}, message="Greet\n\nEntire-Checkpoint: none yet")
    trails.keep("nameless", talk("nameless").write("call_1", "/p/nameless.py", TEXT))


def test_ends_at_a_commit_that_names_no_checkpoint(trails: Trails) -> None:
    assert last(trails.why("nameless.py", GREETING)) == ("commit", "the commit's message names no checkpoint")


@scenario
def unknown(trails: Trails) -> None:
    trails.commit({"unknown.py": TEXT}, "unknown")


def test_ends_where_the_store_has_none_of_the_checkpoints(trails: Trails) -> None:
    found = trails.why("unknown.py", GREETING)

    assert last(found) == ("commit", "none of the checkpoints that the commit names is in the store")
    assert found.notes == [f"the store has no checkpoint {key('unknown')}, which the commit names"]


@scenario
def empty(trails: Trails) -> None:
    trails.commit({"empty.py": TEXT}, "empty")
    trails.keep("empty")


def test_ends_at_a_checkpoint_without_session(trails: Trails) -> None:
    assert last(trails.why("empty.py", GREETING)) == ("checkpoint", "the checkpoint recorded no session")


@scenario
def silent(trails: Trails) -> None:
    trails.commit({"silent.py": TEXT}, "silent")
    trails.keep("silent", b"")


def test_ends_at_a_session_without_transcript(trails: Trails) -> None:
    assert last(trails.why("silent.py", GREETING)) == (
        "session",
        f"the transcript of checkpoint {key('silent')} is missing (1 of 1), so whether the agent wrote this line"
        " is unknown",
    )


@scenario
def reader(trails: Trails) -> None:
    trails.commit({"reader.py": TEXT}, "reader")
    trails.keep("reader", talk("reader").call("call_1", "Read", {"file_path": "/p/reader.py"}, answer=TEXT))


def test_ends_where_no_call_wrote_the_line(trails: Trails) -> None:
    assert last(trails.why("reader.py", GREETING)) == (
        "session",
        "no tool call of the recorded sessions wrote the line",
    )


@scenario
def sliced(trails: Trails) -> None:
    trails.commit({"slice.py": TEXT}, "slice")
    trails.keep("slice", talk("slice").write("call_1", "/p/slice.py", TEXT).prompt("Thanks").bytes(first=1))


def test_ends_where_a_slice_begins_after_the_prompt(trails: Trails) -> None:
    assert last(trails.why("slice.py", GREETING)) == (
        "tool_call",
        "the recorded transcript begins after the prompt that led to the call",
    )


@scenario
def squash(trails: Trails) -> None:
    names = ("squash 1", "squash 2", "squash 3")
    body = "".join(f"* Step\n\nEntire-Checkpoint: {key(name)}\n\n" for name in names)
    trails.commit({"squash.py": TEXT}, message=f"Greet (#7)\n\n{body}Co-authored-by: Ben <ben@example.org>")
    trails.keep("squash 2", talk("squash 2").write("call_1", "/p/plan.md", "hello\n"))
    trails.keep("squash 3", talk("squash 3").prompt("Now write").write("call_2", "/p/squash.py", TEXT))


def test_a_squash_names_several_checkpoints(trails: Trails) -> None:
    found = trails.why("squash.py", GREETING)

    assert [step.subject for step in found.steps[2:5]] == [key("squash 3"), session_of("squash 3"), "call_2"]
    assert found.steps[-1].text == "Now write"
    assert found.notes == [
        f"the store has no checkpoint {key('squash 1')}, which the commit names",
        f"the commit also names checkpoint {key('squash 2')}",
    ]


@scenario
def shared(trails: Trails) -> None:
    trails.commit({"shared.py": TEXT}, "shared")
    trails.keep("shared", talk("shared"), talk("shared too"))


def test_sessions_of_a_checkpoint_share_what_none_of_them_wrote(trails: Trails) -> None:
    assert trails.why("shared.py", GREETING).steps[-1].confidence == 0.5


@scenario
def subagent(trails: Trails) -> None:
    trails.commit({"subagent.py": TEXT}, "subagent")
    told = talk("subagent").call("task_1", "Task", {"prompt": "Write it"}, answer=None)
    told.nested("call_1", "Write", {"file_path": "/p/subagent.py", "content": TEXT}, parent="task_1")
    trails.keep("subagent", told.prompt("Thanks"))


def test_a_subagent_wrote_it(trails: Trails) -> None:
    *_, call, prompt = trails.why("subagent.py", GREETING).steps

    assert (call.subject, call.text) == ("call_1", "Write in a subagent /p/subagent.py")
    assert prompt.text == "Say hello"


@scenario
def renamed(trails: Trails) -> None:
    trails.commit({"src/old.py": TEXT}, "renamed")
    trails.commit({"src/old.py": None, "lib/new.py": TEXT}, message="Move")
    told = talk("renamed").write("call_1", "/p/src/old.py", TEXT).write("call_2", "/p/lib/new.py", TEXT)
    trails.keep("renamed", told)


def test_a_file_that_was_renamed_later(trails: Trails) -> None:
    found = trails.why("lib/new.py", GREETING)

    assert (calls(found), found.notes) == (["call_1"], [])


@scenario
def elsewhere(trails: Trails) -> None:
    trails.commit({"src/elsewhere.py": TEXT}, "elsewhere")
    told = talk("elsewhere").write("call_1", "/tmp/elsewhere.py", TEXT)
    trails.keep("elsewhere", told.write("call_2", "/clone/src/elsewhere.py", TEXT))


def test_the_path_in_another_clone_goes_before_another_path(trails: Trails) -> None:
    assert calls(trails.why("src/elsewhere.py", GREETING)) == ["call_2"]


@scenario
def namesake(trails: Trails) -> None:
    trails.commit({"src/namesake.py": TEXT}, "namesake")
    trails.keep("namesake", talk("namesake").write("call_1", "/tmp/namesake.py", TEXT))


def test_a_path_of_the_same_name_is_less_sure(trails: Trails) -> None:
    *_, call, _ = trails.why("src/namesake.py", GREETING).steps

    assert (call.subject, call.confidence) == ("call_1", 0.9)


@scenario
def shell(trails: Trails) -> None:
    trails.commit({"shell.py": TEXT}, "shell")
    command = f"cat > shell.py <<'EOF'\n{TEXT}EOF"
    trails.keep("shell", talk("shell").call("call_1", "Bash", {"command": command}))


def test_a_shell_wrote_it(trails: Trails) -> None:
    *_, call, prompt = trails.why("shell.py", GREETING).steps

    assert (call.subject, call.origin, call.confidence) == ("call_1", "written_text", 0.7)
    assert prompt.text == "Say hello"


@scenario
def heredoc(trails: Trails) -> None:
    trails.commit({"doc.py": TEXT}, "heredoc")
    command = f"cat > heredoc.py <<'EOF'\n{TEXT}EOF"
    trails.keep(
        "heredoc", talk("heredoc", start=just_now(trails)).call("call_1", "Bash", {"command": command})
    )


def test_a_shell_that_names_another_file_is_a_guess(trails: Trails) -> None:
    *_, call, _ = trails.why("doc.py", GREETING).steps

    assert (call.subject, call.origin, call.confidence) == ("call_1", "same_text_elsewhere", 0.3)


@scenario
def around(trails: Trails) -> None:
    trails.commit({"around.py": "one\ntwo\nthree\n"}, "around")
    told = talk("around").write("call_1", "/p/around.py", "one\ntwo\n").prompt("Add a third")
    trails.keep("around", told.edit("call_2", "/p/around.py", "one\ntwo\n", "one\ntwo\nthree\n"))


def test_an_edit_around_a_line_did_not_bring_it_in(trails: Trails) -> None:
    old, new = trails.why("around.py", 2), trails.why("around.py", 3)

    assert (calls(old), old.steps[-1].text, old.notes) == (["call_1"], "Say hello", [])
    assert (calls(new), new.steps[-1].text, new.notes) == (["call_2"], "Add a third", [])


@scenario
def repeated(trails: Trails) -> None:
    before, after = "def a():\n    return 1\n", "def a():\n    return 1\n\n\ndef b():\n    return 1\n"
    trails.commit({"repeated.py": before}, message="Begin")
    trails.commit({"repeated.py": after}, "repeated")
    told = talk("repeated").write("call_1", "/p/other.py", "    return 1\n").prompt("Add b")
    trails.keep("repeated", told.edit("call_2", "/p/repeated.py", before, after))


def test_an_edit_that_repeats_a_line_brought_it_in(trails: Trails) -> None:
    *_, call, prompt = trails.why("repeated.py", 6).steps

    assert (call.subject, call.confidence, prompt.text) == ("call_2", 1.0, "Add b")


@scenario
def context(trails: Trails) -> None:
    trails.commit({"context.py": "a\nb\n"}, "context")
    trails.keep("context", talk("context").edit("call_1", "/p/context.py", "a\n", "a\nb\n"))


def test_an_edit_around_a_line_is_less_sure(trails: Trails) -> None:
    """Nothing else that was recorded holds the line."""
    *_, call, _ = trails.why("context.py", 1).steps

    assert (call.subject, call.confidence) == ("call_1", 0.6)


@scenario
def revised(trails: Trails) -> None:
    trails.commit({"revised.py": "a = 2\n"}, "revised")
    told = Talk(session_of("revised"))
    for number, (old, new) in enumerate([("1", "2"), ("2", "3"), ("3", "2")]):
        told.prompt(f"Make it {new}, {number}")
        told.edit(f"call_{number}", "/p/revised.py", f"a = {old}", f"a = {new}")
    trails.keep("revised", told)


def test_the_last_of_several_edits_counts(trails: Trails) -> None:
    found = trails.why("revised.py", 1)

    assert (calls(found), found.steps[-1].text) == (["call_2"], "Make it 2, 2")
    assert found.notes == ["1 other tool calls wrote the same text"]


@scenario
def rewritten(trails: Trails) -> None:
    trails.commit({"rewritten.py": TEXT}, "rewritten")
    told = talk("rewritten").write("call_1", "/p/rewritten.py", TEXT).prompt("Again")
    trails.keep("rewritten", told.write("call_2", "/p/rewritten.py", TEXT))


def test_the_first_write_of_the_whole_file_counts(trails: Trails) -> None:
    assert calls(trails.why("rewritten.py", GREETING)) == ["call_1"]


@scenario
def later(trails: Trails) -> None:
    trails.commit({"later.py": TEXT}, "later")
    told = talk("later").write("call_1", "/p/later.py", TEXT).wait(24 * 3600).prompt("Again")
    trails.keep("later", told.edit("call_2", "/p/later.py", "print('hi')", "print('hello')"))


def test_calls_after_the_commit_do_not_count(trails: Trails) -> None:
    found = trails.why("later.py", GREETING)

    assert (calls(found), found.notes) == (["call_1"], [])


@scenario
def grown(trails: Trails) -> None:
    trails.commit({"grown.py": TEXT}, "grown 1", "grown 2")
    told = Talk(session_of("grown"), start=START + timedelta(seconds=5)).prompt("Say hello")
    told.write("call_1", "/p/grown.py", TEXT)
    for name in ("grown 1", "grown 2"):
        trails.keep(name, told)
        told.prompt("Thanks")


def test_a_session_that_grew_between_two_checkpoints_is_one(trails: Trails) -> None:
    found = trails.why("grown.py", GREETING)

    assert (calls(found), found.ends) == (["call_1"], None)
    assert found.notes == [f"the commit also names checkpoint {max(key('grown 1'), key('grown 2'))}"]


@scenario
def guessed(trails: Trails) -> None:
    trails.commit({"guessed.py": f"{TEXT}}}\n"}, "guessed")
    told = talk("guessed", start=just_now(trails)).write("call_1", "/p/docs/guide.md", f"{TEXT}}}\n")
    trails.keep("guessed", told)


def test_the_same_text_in_another_file_is_a_guess(trails: Trails) -> None:
    found = trails.why("guessed.py", GREETING)

    *_, session, call, prompt = found.steps
    assert (call.subject, call.origin, call.confidence) == ("call_1", "same_text_elsewhere", 0.3)
    assert (session.confidence, prompt.confidence) == (0.3, 0.3)
    assert found.notes == ["the tool call wrote the same text, but not to guessed.py: it is a guess"]


@pytest.mark.parametrize("line", [1, 2, 5], ids=["short", "blank", "brackets"])
def test_a_line_that_any_file_may_have_is_not_looked_for_elsewhere(trails: Trails, line: int) -> None:
    """Here `import sys` counts: nine characters are enough."""
    steps = [step.step for step in trails.why("guessed.py", line).steps]

    assert ("tool_call" in steps) == (line == 1)


@scenario
def stale(trails: Trails) -> None:
    trails.commit({"stale.py": TEXT}, "stale")
    trails.keep("stale", talk("stale", start=LONG_AGO).write("call_1", "/p/other.md", TEXT))


def test_the_same_text_elsewhere_before_the_parent_commit_does_not_count(trails: Trails) -> None:
    assert last(trails.why("stale.py", GREETING)) == (
        "session",
        "no tool call of the recorded sessions wrote the line",
    )


@scenario
def twin(trails: Trails) -> None:
    trails.commit({"one/twin.py": TEXT, "two/twin.py": TEXT}, "twin")
    trails.keep("twin", talk("twin", start=just_now(trails)).write("call_1", "/p/one/twin.py", TEXT))


def test_another_file_of_the_repository_with_the_same_name_is_another_file(trails: Trails) -> None:
    own, other = (trails.why(f"{folder}/twin.py", GREETING).steps[-2] for folder in ("one", "two"))

    assert (own.origin, own.confidence) == ("written_text", 1.0)
    assert (other.origin, other.confidence) == ("same_text_elsewhere", 0.3)


@scenario
def again(trails: Trails) -> None:
    trails.commit({"again.py": TEXT}, "again")
    told = talk("again", start=LONG_AGO).write("call_1", "/p/again.py", TEXT)
    told.wait(int((just_now(trails) - LONG_AGO).total_seconds())).prompt("Write it again")
    trails.keep("again", told.write("call_2", "/p/again.py", TEXT))


def test_a_call_since_the_parent_commit_goes_before_an_older_one(trails: Trails) -> None:
    assert calls(trails.why("again.py", GREETING)) == ["call_2"]


def test_a_prompt_is_no_surer_than_its_call(trails: Trails) -> None:
    *_, call, prompt = trails.why("shell.py", GREETING).steps

    assert prompt.confidence == call.confidence < 1


@scenario
def terse(trails: Trails) -> None:
    trails.commit({"terse.py": TEXT}, "terse")
    told = (
        Talk(session_of("terse")).prompt("Write a program that greets whoever runs it").say("Which: 1 or 2?")
    )
    told.prompt("hm").say("1 greets, 2 does not.").prompt("1").say("Sure")
    trails.keep("terse", told.write("call_1", "/p/terse.py", TEXT).prompt("Thanks for all of this work"))


def test_a_prompt_of_few_words_is_followed_by_what_it_is_about(trails: Trails) -> None:
    found = trails.why("terse.py", GREETING)

    prompt, answering, earlier = found.steps[-3:]
    assert [(step.step, step.text, step.origin) for step in (prompt, answering, earlier)] == [
        ("prompt", "1", "turn"),
        ("answering", "1 greets, 2 does not.", "before_prompt"),
        ("earlier_prompt", "Write a program that greets whoever runs it", "before_prompt"),
    ]
    said = json.loads(trails.evidence(answering))["message"]["content"]
    assert said == [{"type": "text", "text": answering.text}]
    assert json.loads(trails.evidence(earlier))["message"]["content"] == earlier.text


def slash(name: str, given: str) -> str:
    """What a host writes for a slash command that a person defined."""
    return (
        f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>\n"
        f"<command-args>{given}</command-args>"
    )


@scenario
def commanded(trails: Trails) -> None:
    trails.commit({"commanded.py": TEXT}, "commanded")
    told = talk("commanded").prompt(slash("plan", "")).prompt(slash("greet", "all of them,\n<b>kindly</b>"))
    told.prompt("<command-name>/model</command-name>\n<command-message>model</command-message>")
    trails.keep("commanded", told.write("call_1", "/p/commanded.py", TEXT).prompt(slash("late", "")))


def test_a_slash_command_after_the_prompt_is_told(trails: Trails) -> None:
    found = trails.why("commanded.py", GREETING)

    commands = [step for step in found.steps if step.step == "slash_command"]
    assert [(step.text, step.origin) for step in commands] == [("/greet all of them,\n<b>kindly</b>", "turn")]
    assert b"<command-name>/greet" in trails.evidence(commands[0])
    assert found.ends is None


@scenario
def begun_by_command(trails: Trails) -> None:
    trails.commit({"begun.py": TEXT}, "begun")
    told = Talk(session_of("begun")).prompt(slash("greet", ""))
    trails.keep("begun", told.write("call_1", "/p/begun.py", TEXT))


def test_a_session_that_a_slash_command_began_leads_to_it(trails: Trails) -> None:
    found = trails.why("begun.py", GREETING)

    assert [step.step for step in found.steps[-2:]] == ["tool_call", "slash_command"]
    assert (found.steps[-1].text, found.ends) == ("/greet", None)


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Trails:
    """A store of checkpoints whose transcripts are missing, wholly or in part."""
    made = Trails(tmp_path_factory.mktemp("lossy"))
    made.commit({"app.py": "a\n"})
    made.commit({"lost.py": TEXT}, "lost")
    told = talk("lost").write("call_1", "/p/notes.md", "nothing\n")
    made.keep("earlier", told)
    told.write("call_2", "/p/lost.py", TEXT)
    made.keep("lost", told)
    made.lose(told)
    made.commit({"half.py": TEXT}, "half")
    other = talk("other half")
    made.keep("half", talk("half").write("call_1", "/p/half.py", TEXT), other)
    made.lose(other)
    made.load()
    return made


def test_whether_an_agent_wrote_it_is_unknown_without_its_transcript(lossy: Trails) -> None:
    """The session is known from another checkpoint, whose transcript ends before."""
    assert last(lossy.why("lost.py", GREETING)) == (
        "session",
        f"the transcript of checkpoint {key('lost')} is missing (1 of 1), so whether the agent wrote this line is"
        " unknown",
    )


def test_a_missing_transcript_makes_what_was_found_less_sure(lossy: Trails) -> None:
    found = lossy.why("half.py", GREETING)

    assert found.notes == [
        f"the transcript of checkpoint {key('half')} is missing (1 of 2): what it has may have written the line"
        " instead"
    ]
    assert [(step.step, step.confidence) for step in found.steps[3:]] == [
        ("session", 0.85),
        ("tool_call", 0.85),
        ("prompt", 0.85),
    ]


@pytest.mark.parametrize("line", [5, 50])
def test_a_line_that_the_file_does_not_have(trails: Trails, line: int) -> None:
    with pytest.raises(InvalidInput, match=rf"whole\.py has no line {line} ") as caught:
        trails.why("whole.py", line)

    assert "HEAD has moved" in caught.value.hint
    assert "rebuild" in caught.value.hint
    assert "fatal" not in str(caught.value)


@pytest.mark.parametrize(("path", "at"), [("nowhere.py", "HEAD"), ("whole.py", "0" * 39 + "1")])
def test_what_the_repository_does_not_have(trails: Trails, path: str, at: str) -> None:
    with pytest.raises(NotFound, match=path) as caught:
        trails.why(path, 1, at=at)

    assert "rebuild" in caught.value.hint
    assert "fatal" not in str(caught.value)


def test_ends_at_a_commit_that_the_store_has_not_seen(tmp_path_factory: pytest.TempPathFactory) -> None:
    trails = Trails(tmp_path_factory.mktemp("unseen"))
    trails.commit({"app.py": "a\n"})
    trails.load()
    commit = trails.commit({"app.py": "b\n"})

    assert last(trails.why("app.py", 1)) == (
        "line",
        f"the store does not have commit {commit[:12]} by Ada Example: run `graphsvc rebuild`",
    )


def test_a_withdrawn_checkpoint_still_leads_to_the_prompt(tmp_path_factory: pytest.TempPathFactory) -> None:
    trails = Trails(tmp_path_factory.mktemp("withdrawn"))
    trails.commit({"app.py": TEXT}, "gone")
    trails.keep("gone", talk("gone").write("call_1", "/p/app.py", TEXT))
    trails.load()
    trails.checkpoints.clear()
    trails.keep("other", talk("other"))
    trails.load()

    found = trails.why("app.py", GREETING)

    assert found.ends is None
    assert (found.steps[2].subject, found.steps[2].text) == (
        key("gone"),
        "manual-commit, 1 session, withdrawn at its source",
    )
    assert found.steps[-1].text == "Say hello"
