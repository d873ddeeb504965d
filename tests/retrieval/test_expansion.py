from __future__ import annotations

import json

import pytest

from graphsvc.errors import NotFound
from graphsvc.knowledge import KnowledgeBase
from tests.retrieval.library import TOPICS, session_of


def test_a_session_expands_to_all_that_was_said_and_done_in_order(kb: KnowledgeBase) -> None:
    rows = list(kb.expand(session_of(TOPICS[0])))

    assert [row["kind"] for row in rows] == [
        "prompt", "answer", "tool_call", "tool_result", "prompt", "answer", "tool_call", "tool_result",
    ]  # fmt: skip
    assert rows[1]["text"] == f"I will look at {TOPICS[0]} now"
    assert {row["availability"] for row in rows} == {"available"}


def test_a_turn_expands_to_its_part(kb: KnowledgeBase) -> None:
    whole = list(kb.expand(session_of(TOPICS[0])))

    turn = list(kb.expand(str(whole[-1]["turn"])))

    assert [row["text"] for row in turn] == [row["text"] for row in whole[4:]]


def test_an_unknown_id_is_not_found(kb: KnowledgeBase) -> None:
    for name in ("turn_0", "nothing"):
        with pytest.raises(NotFound):
            kb.expand(name)


def test_a_brief_has_code_tests_sessions_and_commits_within_its_budget(kb: KnowledgeBase) -> None:
    rows = list(kb.brief("retry uploads under load"))

    assert {row["section"] for row in rows} == {
        "symbols", "files", "tests to run", "past work", "what was said", "known failures", "commits",
    }  # fmt: skip
    [body] = [str(row["text"]) for row in rows if str(row["text"]).startswith("def retry_upload")]
    assert body.endswith("return path, attempts")
    assert {row["path"] for row in rows if row["section"] == "tests to run"} == {"tests/test_upload.py"}
    assert all(row["reason"] and row["segment"] for row in rows)
    assert list(kb.brief("retry uploads under load")) == rows


def test_a_small_brief_says_what_it_leaves_out(kb: KnowledgeBase) -> None:
    answer = kb.brief("retry uploads under load", budget="200bytes")

    assert sum(len(str(row["text"]).encode()) for row in answer) <= 200
    assert any("leaves out" in note for note in answer.coverage.notes)


def test_a_summary_is_of_sentences_that_stand_in_the_session(kb: KnowledgeBase) -> None:
    session = session_of(TOPICS[0])

    summary = kb.summary(session)

    places = [f"{row['segment']}:{row['start_byte']}-{row['end_byte']}" for row in summary]
    said = [json.loads(f'"{kb.evidence(place).decode()}"') for place in places]
    assert said == [row["text"] for row in summary]
    assert next(iter(summary))["text"] == f"We have trouble with {TOPICS[0]}."
    assert kb.summary(session).rows == summary.rows


def test_a_summary_expands_to_its_sources_and_tells_when_they_have_changed(kb: KnowledgeBase) -> None:
    session = session_of(TOPICS[0])
    [identity] = [
        note.split()[1] for note in kb.summary(session).coverage.notes if note.startswith("summary")
    ]

    sources, later = kb.expand(identity), kb.expand(f"{session}@{'0' * 16}")

    assert sources.rows == later.rows == kb.expand(session).rows
    assert not any("stale" in note for note in sources.coverage.notes)
    assert any("stale" in note for note in later.coverage.notes)
