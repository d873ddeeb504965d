"""An index that grows with its store: what is written, what is served meanwhile, and what it holds in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from graphsvc.answers import PagedAnswer
from graphsvc.errors import Corrupt, NotFound
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import newest_with_text
from graphsvc.text_index.files import INDEX_FOLDER
from tests.retrieval.library import TOPICS, record, repository

_GONE = "caching thumbnails"


@dataclass
class Growth:
    """What a store said while it grew."""

    kb: KnowledgeBase
    said: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    answers: dict[str, PagedAnswer] = field(default_factory=dict)


@pytest.fixture(scope="module")
def growth(tmp_path_factory: pytest.TempPathFactory) -> Growth:
    """A store that sees three sessions, then all, in another order than usual, and then one less."""
    from loaders.base import silent
    from loaders.rebuild import loader_of

    folder = tmp_path_factory.mktemp("growth")
    made = repository(folder / "library")
    record(made, *TOPICS[2:])
    kb = KnowledgeBase.init(folder / "store")
    for source in reversed(kb.add_repository(made.path)):  # sessions before the history that they belong to
        loader_of(source).refresh(source, kb.store, silent)
    grown = Growth(kb)
    kb.rebuild()
    grown.said["first"] = kb.index()
    grown.said["again"] = kb.index()
    record(made, *TOPICS)
    kb.rebuild()
    grown.answers["behind"] = kb.search(TOPICS[0])
    grown.said["second"] = kb.index()
    for text in ("uploads", "what about the ledger", "make test", "retry_upload"):
        grown.answers[text] = kb.search(text, within=("sessions", "code", "commits"), limit=100)
    [old] = kb.memory.remember("Thumbnails are kept for ten days")
    kb.memory.remember("Thumbnails are kept for ninety days", supersedes=[str(old["fact"])])
    record(made, *(topic for topic in TOPICS if topic != _GONE))
    kb.rebuild()
    kb.index()
    return grown


def test_an_index_of_the_same_is_not_written_again(growth: Growth) -> None:
    assert growth.said["first"]["written"] > 1
    assert growth.said["again"] == {**growth.said["first"], "written": 0}


def test_only_shards_of_what_is_new_are_written(growth: Growth) -> None:
    first, second = growth.said["first"], growth.said["second"]

    assert 0 < second["written"] < first["written"]
    assert second["passages"] > first["passages"]


def test_a_search_uses_the_index_that_there_is_and_says_that_it_is_behind(growth: Growth) -> None:
    behind = growth.answers["behind"]

    assert not behind.coverage.is_current
    assert any("graphsvc index" in note for note in behind.coverage.notes)
    assert behind.total > 0
    assert all(row["match"] != "exact" for row in behind)


def test_a_store_that_grew_answers_as_one_that_was_made_at_once(growth: Growth, kb: KnowledgeBase) -> None:
    for text in ("uploads", "what about the ledger", "make test", "retry_upload"):
        at_once = kb.search(text, within=("sessions", "code", "commits"), limit=100)

        assert growth.answers[text].rows == at_once.rows
        assert at_once.rows


@pytest.mark.parametrize(
    ("text", "surface", "now", "ever"),
    [(_GONE, "sessions", 0, 5), ("Thumbnails are kept", "memory", 1, 2)],
)
def test_what_no_longer_holds_is_found_by_a_forensic_search_alone(
    growth: Growth, text: str, surface: str, now: int, ever: int
) -> None:
    found = [
        growth.kb.search(text, mode="exact", within=(surface,), temporal=temporal).total
        for temporal in ("current", "forensic")
    ]

    assert found == [now, ever]


def test_facts_as_of_a_time_are_those_that_held_then(growth: Growth) -> None:
    told = growth.kb.search("Thumbnails are kept", temporal="forensic", within=("memory",), mode="exact")
    times = sorted(row["occurred_at"] for row in told)

    between = growth.kb.search("Thumbnails are kept", temporal="as_of", before=times[1], within=("memory",))
    versions = growth.kb.search("Thumbnails are kept", temporal="evolution", within=("memory",))

    assert [row["occurred_at"] for row in between] == times[:1]
    assert [row["occurred_at"] for row in versions] == times


def test_a_brief_has_the_facts_in_force(growth: Growth) -> None:
    said = [row["text"] for row in growth.kb.brief("caching thumbnails") if row["section"] == "decisions"]

    assert said == ["Thumbnails are kept for ninety days"]


def test_a_private_project_is_withheld_unless_it_is_named(growth: Growth) -> None:
    kb = growth.kb
    [locator] = {source.locator for source in kb.store.sources() if source.locator}
    session = next(iter(kb.search("uploads", grain="session")))["session"]
    kb.add_repository(Path(locator), is_private=True)
    try:
        withheld = kb.search("uploads", within=("sessions", "code", "commits"))
        named = kb.search("uploads", repository="library")
        pieces = kb.expand(session)
    finally:
        kb.add_repository(Path(locator))

    assert withheld.total == 0
    assert any("--project library" in note for note in withheld.coverage.notes)
    assert named.total > 0
    assert {row["availability"] for row in pieces} == {"denied"}
    assert {row["text"] for row in pieces} == {None}
    assert any("denied" in note for note in pieces.coverage.notes)
    assert {row["availability"] for row in kb.expand(session)} == {"available"}


def test_a_damaged_shard_is_noticed_and_written_again(growth: Growth) -> None:
    kb = growth.kb
    head = kb.store.generations()[0]
    folder = kb.store.folder / "generations" / head.folder / INDEX_FOLDER
    kb.reload()
    path = max((folder / "occurrence").glob("*.idx"), key=lambda path: path.stat().st_size)
    whole = path.read_bytes()
    path.unlink()  # it may be a link to the file of another generation
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))

    verified = kb.verify(deep=False)
    said = kb.index()

    with pytest.raises(Corrupt) as raised:
        verified.require_ok()
    assert f"text index {head.number}" in raised.value.message
    assert "graphsvc index" in raised.value.hint
    assert said["written"] == 1
    assert said["digest"] == head.text_index["digest"]
    kb.verify().require_ok()


def test_a_store_without_an_index_says_how_to_make_one(growth: Growth) -> None:
    unindexed = [replace(one, text_index={}) for one in growth.kb.store.generations()]

    with pytest.raises(NotFound) as raised:
        newest_with_text(unindexed)
    assert "graphsvc index" in raised.value.hint
