"""A question that says what to do asks for what does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.repositories import RepositoryBuilder

_CODE = '''
class HarbourTide:
    """The tide of a harbour: copy tide, harbour tide, level of the tide."""

    harbour = "tide"


HARBOUR_TIDE_COPY = ["copy", "tide", "harbour"]


def duplicate(tide, harbour):
    """A copy of the tide."""
    level = tide.level
    return harbour.with_level(level)
'''


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder: Path = tmp_path_factory.mktemp("actions")
    made = RepositoryBuilder(folder / "harbour")
    made.commit({"harbour.py": _CODE}, "Begin")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    kb.index()
    return kb


def points(kb: KnowledgeBase, question: str) -> dict[str, int]:
    """Points for the words of the question, by the first word of each definition."""
    rows = kb.search(question, grain="symbol")
    return {
        str(row["text"]).split()[0]: int(str(row["points"]).rpartition("words ")[2].split(",")[0])
        for row in rows
    }


def test_definitions_that_do_nothing_count_less_where_an_action_is_asked_for(kb: KnowledgeBase) -> None:
    thing, action = points(kb, "the tide of a harbour"), points(kb, "copy the tide of a harbour")
    ordered = points(kb, "Copies the tide of a harbour")

    assert action.keys() == ordered.keys() >= {"class", "def"}
    assert thing["class"] > thing["def"]
    # "copy" adds to what the class has, and it still has less.
    assert action["class"] < thing["class"]
    assert action["def"] > thing["def"]


def test_who_asks_for_a_thing_gets_the_thing(kb: KnowledgeBase) -> None:
    found = points(kb, "tide harbour copy")
    assert found["class"] > found["def"]
