from __future__ import annotations

from graphsvc.errors import Corrupt
from graphsvc.knowledge import KnowledgeBase
from graphsvc.text_index.passage import Passage, text_digest
from queries.retrieval.hydration import hydrate
from queries.retrieval.ranking import Item
from tests.retrieval.test_engine import passage

_SAID = {"a": b"first text", "b": b"second text", "c": b"third text"}


def items() -> list[Item]:
    """Three rows, whose segments are their names."""
    return [
        Item(
            (2, 0, 0, name),
            passage(0, key=name, segment=name, texts=(0, len(said)), digest=text_digest(said.decode())),
            {},
        )
        for name, said in _SAID.items()
    ]


def said(one: Passage) -> bytes:
    """The text of a row."""
    return _SAID[one.key]


def test_what_cannot_be_read_keeps_its_place_and_says_why() -> None:
    def read(one: Passage) -> bytes:
        if one.key == "a":
            raise Corrupt("damaged")
        return said(one)

    rows = hydrate(items(), "text", read, lambda segments: set(segments) - {"b"})

    assert [(row.text, row.availability) for row in rows] == [
        (None, "corrupt"),
        (None, "retained_missing"),
        ("third text", "available"),
    ]


def test_text_that_is_not_what_was_indexed_is_corrupt() -> None:
    [row] = hydrate(items()[:1], "text", lambda one: b"fIrst text", set)

    assert row.availability == "corrupt"


def test_a_spent_budget_leaves_rows_without_text() -> None:
    rows = hydrate(items(), "text", said, set, budget=15)

    assert [(row.text, row.availability) for row in rows] == [
        ("first text", "available"),
        (None, "budget"),
        (None, "budget"),
    ]


def test_a_budget_is_visible_in_the_answer(kb: KnowledgeBase) -> None:
    whole, cut = kb.search("uploads"), kb.search("uploads", budget="10tokens")

    assert [row["id"] for row in cut] == [row["id"] for row in whole]
    assert any("budget of 10tokens" in note for note in cut.coverage.notes)


def test_copies_are_told_once_and_one_session_does_not_fill_the_answer() -> None:
    from queries.retrieval.channels import Candidates
    from queries.retrieval.ranking import rank
    from queries.retrieval.request import Request

    candidates = Candidates()
    for number in range(9):
        candidates.add("words", passage(number, texts=(0, 1), digest=f"{max(1, number):016}"), 100 - number)

    kept, excluded = rank(candidates, Request("x"))

    assert [item.copies for item in kept] == [2, 1, 1, 1, 1]
    assert [one.key for one in excluded] == ["key-0006", "key-0007", "key-0008"]
