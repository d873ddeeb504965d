"""The bank's answers about checkpoints, against a reader of the branch that was written without the project."""

from pathlib import Path

from benchmarks.naive_checkpoints import read
from benchmarks.sessions import Claims, compare
from graphsvc.knowledge import KnowledgeBase
from tests.entire.checkpoints import FIRST, SECOND


def test_the_bank_agrees_with_a_naive_reader(kb: KnowledgeBase) -> None:
    claims = Claims()

    compare(claims, Path(kb.store.sources()[0].locator), kb.store)

    assert claims.failed == []
    assert claims.figures["sessions"] == 2
    assert claims.figures["sessions by tool compared"] == 4
    assert claims.figures["output tokens of all messages, each once"] == 5 + 3


def test_what_the_naive_reader_reads(kb: KnowledgeBase) -> None:
    found = read(Path(kb.store.sources()[0].locator))

    assert {key: list(session.prompts.values()) for key, session in found.items()} == {
        FIRST: ["Say hello"],
        SECOND: ["Try again", "And again"],
    }
    assert len(found[FIRST].commits) == 1
    assert found[SECOND].calls["inner"] == "Read"


def test_a_difference_is_told() -> None:
    claims = Claims()

    claims.same("turns", {"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4})
    claims.claim("sessions", 2, 3)

    assert claims.failed == ["turns: 2 differ, as [('b', 2, 3), ('c', None, 4)]", "sessions: 2 instead of 3"]
