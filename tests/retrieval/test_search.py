from __future__ import annotations

from datetime import UTC, datetime

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.knowledge import KnowledgeBase
from tests.retrieval.library import TOPICS, session_of


def test_the_session_about_a_topic_comes_first(kb: KnowledgeBase) -> None:
    for topic in TOPICS:
        answer = kb.search(f"what did we do about {topic}?", grain="session")

        assert next(iter(answer))["session"] == session_of(topic)


def test_exact_hits_have_the_byte_ranges_of_every_occurrence(kb: KnowledgeBase) -> None:
    answer = kb.search("retry_upload", mode="exact", within=("code",))

    places = [f"{row['segment']}:{one}" for row in answer for one in row["ranges"]]
    assert len(places) == len(set(places)) == 3
    assert {kb.evidence(place) for place in places} == {b"retry_upload"}


def test_a_literal_with_quotes_is_found_in_json(kb: KnowledgeBase) -> None:
    [row] = kb.search('"caching thumbnails" — café', mode="exact")

    [place] = row["ranges"]
    assert kb.evidence(f"{row['segment']}:{place}").decode() == '\\"caching thumbnails\\" — café'
    assert row["kind"] == "prompt"


def test_exact_search_minds_case(kb: KnowledgeBase) -> None:
    assert kb.search("RETRY_UPLOAD", mode="exact").total == 0


def test_what_stands_as_it_is_comes_before_what_is_merely_alike(kb: KnowledgeBase) -> None:
    matches = [row["match"] for row in kb.search("retry_upload", limit=100)]

    assert matches == sorted(matches, key=["exact", "name", "words"].index)
    assert matches[0] == "exact"


def test_a_pattern_matches_in_evidence(kb: KnowledgeBase) -> None:
    answer = kb.search(r"TOPIC='lock\w+", mode="regex")

    [row] = [row for row in answer if row["kind"] == "tool_call"]
    assert [kb.evidence(f"{row['segment']}:{one}") for one in row["ranges"]] == [b"TOPIC='locking"]


def test_a_name_finds_what_is_known_by_it(kb: KnowledgeBase) -> None:
    names = {row["kind"] for row in kb.search("Ledger.append_entry", mode="identifier")}

    assert names == {"symbol"}


def test_a_session_is_known_by_the_files_that_its_tools_name(kb: KnowledgeBase) -> None:
    answer = kb.search("library/upload.py", mode="identifier", grain="session")

    assert {row["session"] for row in answer} == set(map(session_of, TOPICS))


def test_filters_narrow(kb: KnowledgeBase) -> None:
    assert {row["kind"] for row in kb.search("uploads", within=("commits",))} == {"commit"}
    assert {row["kind"] for row in kb.search("topic load test", tool="bash")} <= {"tool_call", "tool_result"}
    assert {row["path"] for row in kb.search("uploads", path="upload.py", within=("code",))} == {
        "library/upload.py"
    }
    early = kb.search("trouble", grain="session", before=datetime(2026, 1, 2, tzinfo=UTC))
    assert [row["session"] for row in early] == [session_of(TOPICS[0])]
    assert kb.search("trouble", agent="Nobody").total == 0


def test_each_grain_has_rows_of_its_own(kb: KnowledgeBase) -> None:
    assert {row["kind"] for row in kb.search("uploads", grain="turn")} == {"turn"}
    assert {row["kind"] for row in kb.search("retry upload", grain="symbol")} == {"symbol"}
    files = [row["path"] for row in kb.search("send a file again", grain="file")]
    assert files[0] == "library/upload.py"
    assert len(files) == len(set(files))


def test_versions_come_oldest_first_and_as_of_leaves_out_what_came_later(kb: KnowledgeBase) -> None:
    told = [row["occurred_at"] for row in kb.search("trouble", temporal="evolution", within=("sessions",))]

    assert told == sorted(told)
    assert kb.search("trouble", temporal="as_of", before=datetime(2025, 1, 1, tzinfo=UTC)).total == 0


def test_channels_say_what_they_gave(kb: KnowledgeBase) -> None:
    answer = kb.search("uploads")

    assert {sentence.split(":")[0] for sentence in answer.trace} >= {
        "words",
        "windows",
        "sessions",
        "literal",
    }


def test_a_blank_text_is_refused(kb: KnowledgeBase) -> None:
    with pytest.raises(InvalidInput):
        kb.search("  ")


@pytest.mark.parametrize(
    "wrong",
    [
        {"mode": "guess"},
        {"grain": "word"},
        {"temporal": "later"},
        {"within": ("attic",)},
        {"temporal": "as_of"},
        {"within": ("commits",), "grain": "symbol"},
        {"budget": "much"},
        {"mode": "regex", "text": "("},
    ],
)
def test_values_that_do_not_exist_are_refused(kb: KnowledgeBase, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        kb.search(**{"text": "uploads", **wrong})  # type: ignore[arg-type]


def test_an_unknown_source_is_named(kb: KnowledgeBase) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        kb.search("uploads", repository="nowhere")
