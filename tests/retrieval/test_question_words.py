"""Which words of a question weigh how much where definitions are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.repositories import RepositoryBuilder

_CODE = """
def striptags(value):
    return Markup(value).plain()


def strip(value):
    return value.trimmed()


def mark_tags(value):
    return value.marked()


def open_lock(path):
    return path.opened()


def read_ledger(path):
    return path.ledger()
"""


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder: Path = tmp_path_factory.mktemp("words")
    made = RepositoryBuilder(folder / "shop")
    made.commit({"shop.py": _CODE}, "Begin")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    kb.index()
    return kb


def names(kb: KnowledgeBase, question: str) -> list[str]:
    """Names of the definitions found, the best first."""
    return [str(row["text"]).split("(")[0].split()[-1] for row in kb.search(question, grain="symbol")]


def test_a_name_is_found_in_which_two_words_are_run_together(kb: KnowledgeBase) -> None:
    assert "striptags" in names(kb, "Strip all of the tags")
    assert "striptags" in names(kb, "tags to strip")
    assert "striptags" not in names(kb, "strip it")


def test_the_first_sentence_weighs_more_than_the_next(kb: KnowledgeBase) -> None:
    ledger, lock = "Read a whole ledger.", "Open a new lock."

    assert names(kb, f"{ledger} {lock}")[:2] == ["read_ledger", "open_lock"]
    assert names(kb, f"{lock} {ledger}")[:2] == ["open_lock", "read_ledger"]
