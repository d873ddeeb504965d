from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphsvc.errors import Corrupt
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.passage import Passage
from queries.retrieval.neighbourhood import neighbours
from tests.retrieval.library import TOPICS, session_of


def test_files_that_a_commit_like_the_question_changed_are_found(kb: KnowledgeBase) -> None:
    rows = list(kb.search("Test that uploads are retried", grain="file"))

    assert rows[0]["path"] == "tests/test_upload.py"
    assert "graph" in str(rows[0]["points"])


def test_what_stands_next_to_a_named_symbol_is_found(kb: KnowledgeBase) -> None:
    [called] = [row["id"] for row in kb.symbol("retry_upload")]
    [caller] = [row["id"] for row in kb.symbol("test_retry")]
    published = PublishedText.open(kb.store)
    try:
        passages = [one for one in published.index.passages() if one.subject == called]
        points = neighbours(published.graph, passages)
    finally:
        published.close()

    assert points[str(caller)] > 0
    assert points[str(called)] == 0


def test_a_channel_that_fails_is_unavailable_and_the_answer_says_so(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Corrupt("the graph is damaged")

    monkeypatch.setattr("queries.retrieval.channels.neighbours", fail)

    answer = kb.search("retry_upload")

    assert answer.total > 0
    assert "graph: unavailable (the graph is damaged)" in answer.coverage.notes


@pytest.mark.parametrize(
    ("mode", "text"), [("exact", "uploads"), ("regex", "uploads?"), ("ranked", "uploads")]
)
def test_evidence_that_cannot_be_read_is_counted_and_keeps_its_row(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, mode: str, text: str
) -> None:
    whole = kb.search(text, mode=mode, limit=100)
    lost = next(iter(whole))["segment"]
    read = PublishedText.read

    def damaged(published: PublishedText, passage: Passage) -> bytes:
        if passage.segment == lost:
            raise Corrupt("damaged")
        return read(published, passage)

    monkeypatch.setattr(PublishedText, "read", damaged)

    answer = kb.search(text, mode=mode, limit=100)

    assert any("cannot be read" in note for note in answer.coverage.notes)
    if mode == "ranked":
        assert {row["availability"] for row in answer if row["segment"] == lost} == {"corrupt"}


def test_sessions_belong_to_the_project_that_they_worked_in(kb: KnowledgeBase) -> None:
    everywhere = kb.search("trouble", grain="session")

    assert kb.search("trouble", grain="session", repository="library").rows == everywhere.rows
    assert len(everywhere) == len(TOPICS)


def test_a_question_for_what_is_latest_prefers_it(kb: KnowledgeBase) -> None:
    rows = list(kb.search("the latest of all the trouble", within=("sessions",)))

    assert rows[0]["session"] == session_of(TOPICS[-1])
    assert "time" in str(rows[0]["points"])


def test_a_day_in_digits_is_a_day_in_words(kb: KnowledgeBase) -> None:
    rows = list(kb.search("what happened on 2026-01-03", within=("sessions",), grain="session"))

    assert rows[0]["session"] == session_of(TOPICS[2])


def test_a_time_leaves_out_what_has_none_and_says_so(kb: KnowledgeBase) -> None:
    answer = kb.search("retry_upload", since=datetime(2020, 1, 1, tzinfo=UTC))

    assert not {"symbol", "file"} & {row["kind"] for row in answer}
    assert any("left out by a time" in note for note in answer.coverage.notes)


def test_a_session_is_found_by_what_its_tools_were_asked_to_do(kb: KnowledgeBase) -> None:
    rows = list(kb.search("make test TOPIC parsing", grain="session"))

    assert rows[0]["session"] == session_of("parsing dates")
    assert "best tool call" in str(rows[0]["points"])
