"""Prompts that checkpoints recorded of transcripts that are lost or go back less far."""

from __future__ import annotations

import pytest

from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.passage import Passage
from tests.entire.checkpoints import BRANCH, FIRST, SECOND, checkpoint, session, talk
from tests.repositories import RepositoryBuilder

_LOST = "Why does the harbour gauge drift at night?"
_KEPT = "Print the tide tables"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """A store of two sessions: of the first, two checkpoints recorded a prompt that its transcript does not have."""
    folder = tmp_path_factory.mktemp("recorded")
    made = RepositoryBuilder(folder / "harbour")
    made.commit({"tide.py": "def tide():\n    return 1\n"}, "Begin")
    files: dict[str | bytes, bytes] = {}
    for key, earlier in (("a" * 12, ""), ("b" * 12, "Start\n\n---\n\n")):
        first = {
            "metadata.json": session(key, FIRST),
            "full.jsonl": talk(_KEPT, session=FIRST),
            "prompt.txt": f"{earlier}{_LOST}\n\n---\n\n{_KEPT}".encode(),
        }
        second = {
            "metadata.json": session(key, SECOND),
            "full.jsonl": talk("Rename the buoys", session=SECOND),
        }
        files |= checkpoint(key, {0: first, 1: second})
    made.orphan_branch(BRANCH, files, "Checkpoint")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    kb.index()
    return kb


def _passages(kb: KnowledgeBase, grain: str) -> list[Passage]:
    published = PublishedText.open(kb.store)
    try:
        return [one for one in published.index.passages() if one.grain == grain and one.session == FIRST]
    finally:
        published.close()


def test_a_session_is_found_by_a_prompt_that_only_a_checkpoint_recorded(kb: KnowledgeBase) -> None:
    rows = list(kb.search("the gauge drifts at night", grain="session"))

    assert [row["session"] for row in rows] == [FIRST]
    assert {"own", "best window"} <= {said.rsplit(" ", 1)[0] for said in str(rows[0]["points"]).split(", ")}


def test_what_the_transcript_has_and_what_two_checkpoints_recorded_counts_once(kb: KnowledgeBase) -> None:
    found = {
        kind: [one for one in _passages(kb, "occurrence") if one.kind == kind]
        for kind in ("prompt", "recorded")
    }
    assert len(found["prompt"]) == 1
    assert len(found["recorded"]) > 2

    windows = _passages(kb, "window")

    transcript = [one for one in _passages(kb, "occurrence") if one.kind in ("prompt", "answer")]
    only_recorded = {one.key for one in windows} - {one.key for one in transcript}
    assert len(windows) == len(transcript) + len(only_recorded)
    assert len(only_recorded) == 2  # "Start" and the lost one


def test_a_session_begins_for_people_with_the_first_prompt_of_its_transcript(kb: KnowledgeBase) -> None:
    [whole] = _passages(kb, "session")

    assert whole.title == _KEPT
