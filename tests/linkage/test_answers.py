"""What people are told of linked lines: why they are there, what became of a session, and who wrote what."""

from __future__ import annotations

import pytest

from graphsvc.errors import NotFound
from graphsvc.knowledge import KnowledgeBase
from tests.queries.conftest import Trails, session_of


@pytest.fixture(scope="module")
def kb(world: Trails) -> KnowledgeBase:
    return KnowledgeBase(world.store)


def test_a_line_leads_to_a_prompt_without_a_trailer(kb: KnowledgeBase) -> None:
    answer = kb.why("src/shell.py", 2)

    *_, session, call, prompt = rows = answer.to_dicts()
    assert [row["origin"] for row in rows] == ["snapshot", "blame", "written_text", "written_text", "turn"]
    assert (session["subject"], call["subject"]) == (session_of("session 8"), "shell")
    assert prompt["text"] == "Please write it, session 8"
    assert 0.7 <= call["confidence"] <= session["confidence"] <= 1
    assert b"shell_1" in kb.evidence("{segment}:{start_byte}-{end_byte}".format(**call))


def test_a_line_of_a_renamed_file_leads_to_both_calls(kb: KnowledgeBase) -> None:
    calls = [
        next(row["subject"] for row in kb.why("lib/alpha.py", line) if row["step"] == "tool_call")
        for line in (2, 3)
    ]

    assert calls == ["alpha", "again"]


def test_lines_of_several_origins_are_told_apart_the_newest_first(kb: KnowledgeBase) -> None:
    rows = kb.why("lib/alpha.py", 1, 6).to_dicts()

    assert [row["subject"] for row in rows if row["step"] == "lines"] == [
        "lib/alpha.py:3",
        "lib/alpha.py:1-2,4-6",
    ]
    assert [row["subject"] for row in rows if row["step"] == "tool_call"] == ["again", "alpha"]


def test_a_line_of_a_person_says_that_nobody_else_wrote_it(kb: KnowledgeBase) -> None:
    answer = kb.why("src/human.py", 1)

    assert [row["step"] for row in answer] == ["line", "commit"]
    assert "no session is known to have written it" in answer.coverage.notes[0]


def test_a_line_that_was_altered_is_said_to_be(kb: KnowledgeBase) -> None:
    answer = kb.why("src/right.py", 4)

    assert ("tool_call", "altered_text") in [(row["step"], row["origin"]) for row in answer]
    assert any("was changed after the call" in note for note in answer.coverage.notes)


def test_a_commit_leads_to_the_prompts_of_its_lines(kb: KnowledgeBase, world: Trails) -> None:
    commit = world.repository.git("log", "--format=%H", "--grep=^squash", "main")

    rows = kb.why(commit[:8]).to_dicts()

    assert [row["step"] for row in rows] == ["commit", "session", "session", "prompt", "prompt"]
    assert {row["subject"] for row in rows[1:3]} == {session_of("session 7"), session_of("right")}
    assert rows[3]["text"].startswith("[6 lines] ")


def test_a_checkpoint_that_no_commit_names_says_so(kb: KnowledgeBase) -> None:
    [key] = kb.sql("SELECT min(checkpoint_key) AS key FROM checkpoint").to_dicts()

    answer = kb.why(f"checkpoint:{key['key']}")

    assert [row["step"] for row in answer] == ["checkpoint", "session"]
    assert "no commit of the store names the checkpoint" in answer.coverage.notes[0]


def test_what_nothing_is_called_is_not_found(kb: KnowledgeBase) -> None:
    with pytest.raises(NotFound, match="nothing is called 'nobody'"):
        kb.why("nobody")
    with pytest.raises(NotFound):
        kb.why("checkpoint:src/human.py")
    with pytest.raises(NotFound):
        kb.trace("ab")


def test_trace_tells_alive_changed_and_never_committed(kb: KnowledgeBase) -> None:
    [alpha] = kb.trace("alpha").to_dicts()
    [failed] = kb.trace("failed").to_dicts()

    assert (alpha["lines"], alpha["alive"], alpha["changed"], alpha["uncommitted"]) == (6, 5, 1, 0)
    assert [len(oid) for oid in alpha["commits"]] == [40]
    assert len(alpha["changed_by"]) == 1
    assert alpha["changed_by"][0].endswith(" Ada Example")
    assert (failed["is_error"], failed["uncommitted"]) == (True, 6)


def test_trace_of_a_session_and_of_a_turn_have_the_same_calls(kb: KnowledgeBase) -> None:
    session = kb.trace(session_of("right")).to_dicts()

    turn = kb.trace(session[0]["turn"]).to_dicts()

    assert session == turn
    assert (session[0]["lines"], session[0]["alive"], session[0]["uncommitted"]) == (6, 5, 1)


def test_attribution_knows_agents_people_and_both(kb: KnowledgeBase) -> None:
    files = {row["file"]: row for row in kb.attribution()}
    folders = {row["directory"]: row for row in kb.attribution(by="directory")}

    assert (files["src/right.py"]["agent"], files["src/right.py"]["mixed"]) == (5, 1)
    assert (files["src/left.py"]["agent_share"], files["src/human.py"]["human"]) == (100.0, 7)
    assert files["src/bot.py"]["unknown"] == 6
    assert folders["."]["lines"] == sum(row["lines"] for row in files.values())
    assert folders["src"]["lines"] == folders["."]["lines"] - files["lib/alpha.py"]["lines"] - 1


def test_attribution_of_authors_periods_and_reasons_adds_up(kb: KnowledgeBase) -> None:
    by = {name: kb.attribution(by=name).to_dicts() for name in ("author", "period", "reason", "file")}

    assert len({sum(row["lines"] for row in rows) for rows in by.values()}) == 1
    assert [row["period"] for row in by["period"]] == ["2026-01"]
    assert {row["reason"] for row in by["reason"]} >= {"written_text", "altered_text", "no_session", "bot"}


def test_a_story_has_prompts_before_the_commits_that_they_led_to(kb: KnowledgeBase) -> None:
    rows = kb.story("lib/alpha.py").to_dicts()

    assert [row["event"] for row in rows] == ["prompt", "commit", "prompt", "commit"]
    assert [row["text"] for row in rows if row["event"] == "commit"] == ["alpha", "rename"]
    assert [row["added"] for row in rows] == [6, 6, 1, 1]
