from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pytest

from graphsvc.errors import Corrupt
from graphsvc.graph.reader import Rows
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.evidence_file import EvidenceReader
from graphsvc.text_index.index import Hit
from graphsvc.text_index.passage import Passage, Place
from queries.retrieval.neighbourhood import callers_and_called, changed_files, neighbours
from tests.retrieval.library import TOPICS, session_of
from tests.retrieval.test_engine import passage

if TYPE_CHECKING:
    from graphsvc.graph.reader import GraphReader


def test_files_that_a_commit_like_the_question_changed_are_found(kb: KnowledgeBase) -> None:
    rows = list(kb.search("Test that uploads are retried", grain="file"))

    assert rows[0]["path"] == "tests/test_upload.py"
    assert "graph" in str(rows[0]["points"])


def test_files_of_many_commits_are_looked_up_at_once_and_weigh_less_the_more_a_commit_changed() -> None:
    asked: list[list[str]] = []

    class Graph:
        def rows(self, statement: str, parameters: dict[str, list[str]]) -> Rows:
            asked.append(parameters["ids"])
            few, many = parameters["ids"]
            rows = [(few, "a"), *((many, name) for name in "abcdefg")]
            return Rows(("commit", "id"), tuple({"commit": one, "id": name} for one, name in rows), False)

    commits = [
        Hit(100, _commit("few")),
        Hit(100, _commit("many")),
        Hit(100, _commit("none", repository=None)),
    ]

    points = changed_files(cast("GraphReader", Graph()), commits)

    assert len(asked) == 1
    assert points == {"a": 100 // 2 + 100 // 4} | dict.fromkeys("bcdefg", 100 // 4)
    assert changed_files(cast("GraphReader", Graph()), commits[2:]) == {}


def _commit(oid: str, repository: str | None = "repo_1") -> Passage:
    return passage(1, kind="commit", subject=oid, repository=repository)


def test_as_many_files_are_candidates_as_definitions(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("queries.retrieval.channels.POOL", 1)

    answer = kb.search("send a file again", grain="file")

    assert {"words of symbol", "words of file"} <= {sentence.split(":")[0] for sentence in answer.trace}
    [first] = [row for row in answer if row["rank"] == 1]
    assert {"best symbol", "words"} <= {said.rsplit(" ", 1)[0] for said in str(first["points"]).split(", ")}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what appends entries under one lock, unlike retry_upload", "Ledger"),
        ("where is retry_upload?", "retry_upload"),
        ("retry_upload", "retry_upload"),
    ],
)
def test_a_name_comes_first_where_a_question_says_nothing_else(
    kb: KnowledgeBase, question: str, first: str
) -> None:
    rows = list(kb.search(question, grain="symbol"))

    [named] = [str(row["id"]) for row in kb.symbol("retry_upload")]
    [described] = [str(row["id"]) for row in kb.symbol("Ledger")]
    assert rows[0]["id"] == {"Ledger": described, "retry_upload": named}[first]
    assert {row["match"] for row in rows if row["id"] == named} <= {"exact", "name"}


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


def test_what_calls_a_definition_like_the_question_or_is_called_by_it_is_found(kb: KnowledgeBase) -> None:
    [caller] = [row["id"] for row in kb.symbol("test_retry")]

    rows = {row["id"]: row for row in kb.search("Send a file until the server has it", grain="symbol")}

    assert rows[caller]["match"] == "graph"
    assert str(rows[caller]["points"]).startswith("graph ")


def test_a_caller_has_a_part_of_the_points_of_the_best_that_it_calls() -> None:
    class Graph:
        def rows(self, statement: str, parameters: dict[str, list[str]]) -> Rows:
            assert parameters["ids"] == ["good", "fair"]
            rows = [("good", "caller"), ("fair", "caller"), ("fair", "good")]
            return Rows(("id", "other"), tuple({"id": one, "other": other} for one, other in rows), False)

    alike = [Hit(100, passage(1, kind="symbol", subject="good")), Hit(50, passage(2, subject="fair"))]

    assert callers_and_called(cast("GraphReader", Graph()), alike) == {"caller": 20, "good": 10}
    assert callers_and_called(cast("GraphReader", Graph()), []) == {}


def test_a_definition_is_more_likely_in_a_file_that_is_like_the_question(kb: KnowledgeBase) -> None:
    [row, *_] = kb.search("append entries under one lock", grain="symbol")

    points = dict(said.rsplit(" ", 1) for said in str(row["points"]).split(", "))
    assert row["path"] == "library/upload.py"
    assert 0 < int(points["file"]) < int(points["words"])


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


def test_a_search_unpacks_each_frame_of_evidence_once_to_match_and_once_to_show(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked: list[str] = []
    unpack = EvidenceReader._unpack

    def counted(reader: EvidenceReader, place: Place) -> bytes:
        unpacked.append(f"{place.shard}:{place.frame_start}")
        return unpack(reader, place)

    monkeypatch.setattr("graphsvc.text_index.evidence_file._KEPT_FRAMES", 1)
    monkeypatch.setattr(EvidenceReader, "_unpack", counted)
    kb.reload()

    answer = kb.search("e", mode="exact", limit=10_000)

    assert len(set(unpacked)) > 1
    assert len(unpacked) <= 2 * len(set(unpacked))
    assert len(answer) > 2 * len(set(unpacked))
