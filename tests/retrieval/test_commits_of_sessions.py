"""Sessions are found by the commits that they produced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.sample import build
from graphsvc.canonical import sql
from graphsvc.knowledge import KnowledgeBase
from graphsvc.text_index.index import Hit
from loaders import text_index
from queries.retrieval.channels import Candidates
from queries.retrieval.ranking import rank
from queries.retrieval.request import Request
from tests.entire.checkpoints import BRANCH, FIRST, SECOND, checkpoint, session, talk
from tests.repositories import RepositoryBuilder
from tests.retrieval.test_engine import passage

_KEYS = {FIRST: "a" * 12, SECOND: "b" * 12}
_UNLINKED = "run `graphsvc link`, then `graphsvc index`"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """A store of two sessions, each with a commit whose message leads to it and says what the session does not."""
    folder = tmp_path_factory.mktemp("produced")
    made = RepositoryBuilder(folder / "harbour")
    made.commit({"tide.py": "def tide():\n    return 1\n"}, "Begin")
    for name, title, body in (
        (FIRST, "Print the tide tables", "Ferries wait for the dredger in the north channel."),
        (SECOND, "Rename the buoys", "Pilots know them by their colours."),
    ):
        message = f"{title}\n\n{body}\n\nEntire-Checkpoint: {_KEYS[name]}\n"
        made.commit({"tide.py": f"def tide():\n    return {len(title)}\n"}, message)
    files: dict[str | bytes, bytes] = {}
    for name, key in _KEYS.items():
        one = {"metadata.json": session(key, name), "full.jsonl": talk("Go on", session=name)}
        files |= checkpoint(key, {0: one})
    made.orphan_branch(BRANCH, files, "Checkpoint")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    kb.index()
    return kb


@pytest.mark.parametrize(
    ("question", "expected"), [("the dredger in the north channel", FIRST), ("colours for pilots", SECOND)]
)
def test_a_session_is_found_by_what_only_its_commit_says(
    kb: KnowledgeBase, question: str, expected: str
) -> None:
    answer = kb.search(question, grain="session")

    assert [row["session"] for row in answer][:1] == [expected]
    assert "commits" in str(next(iter(answer))["points"])
    titles = {FIRST: "Print the tide tables", SECOND: "Rename the buoys"}
    [said] = [line for line in answer.trace if line.startswith(f"session {expected} produced commit ")]
    assert said.endswith(f": {titles[expected]}")


def test_who_asks_for_turns_gets_no_commits(kb: KnowledgeBase) -> None:
    answer = kb.search("the dredger in the north channel", grain="turn", within=("sessions",))
    assert list(answer) == []
    assert not any("commits" in line for line in answer.trace)


def test_an_answer_says_that_commits_are_not_linked(kb: KnowledgeBase) -> None:
    assert any(_UNLINKED in line for line in kb.search("dredger", grain="session").trace)


def test_links_that_were_found_count_as_those_that_are_stated(tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(build(tmp_path / "tally"))
    kb.rebuild()
    before = kb.index()
    kb.link()

    def found(*, is_linked: bool) -> Iterator[str]:
        assert is_linked
        yield sql.load("loaders", "sql/links_found.sql")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_index, "_links", found)
        linked = kb.index()
        again = kb.index()
    kb.reload()
    answer = kb.search("accept separators", grain="session")

    assert (before["linked"], again["written"]) == (None, 0)
    assert linked["linked"]
    assert any(line.endswith(": Accept thousands separators in amounts") for line in answer.trace)
    assert not any(_UNLINKED in line for line in answer.trace)


def test_a_session_of_which_nothing_else_is_alike_has_its_commit_to_show(kb: KnowledgeBase) -> None:
    [row] = kb.search("dredger", grain="session")

    assert (row["availability"], row["text"]) == ("available", "Print the tide tables")
    assert int(str(row["score"])) > 0


def _session(key: str, score: int) -> Hit:
    return Hit(score, passage(1, key=key, subject=key, session=key, grain="session", kind="session"))


def test_what_a_session_says_counts_twice_as_much_as_what_its_commit_says() -> None:
    candidates = Candidates(
        sessions={key: _session(key, score) for key, score in (("a", 9000), ("b", 8000), ("c", 2000))}
    )
    candidates.commits = {key: _session(key, score) for key, score in (("b", 900), ("c", 10), ("d", 700))}

    items, excluded = rank(candidates, Request("x", grain="session"))

    points = {item.passage.subject: -item.key[1] for item in items}
    assert [item.passage.subject for item in items] == ["b", "a", "c", "d"]
    assert points["a"] == 9000  # without a commit, points stay
    assert points["b"] > 9000
    assert 2000 < points["c"] < 9000
    assert points["d"] > 0
    assert all(sum(item.points.values()) == points[item.passage.subject] for item in items)
    assert not excluded


def test_an_answer_says_that_newer_evidence_is_not_linked(tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.link()
    kb.add_repository(build(tmp_path / "tally"))
    kb.rebuild()
    kb.index()
    behind = "not those of newer evidence: run `graphsvc link`, then `graphsvc index`"
    before = kb.search("accept separators", grain="session").trace
    kb.link()
    kb.index()
    kb.reload()
    after = kb.search("accept separators", grain="session").trace

    assert any(behind in line for line in before)
    assert not any(behind in line for line in after)


def test_an_answer_says_that_a_filter_leaves_out_who_is_known_by_a_commit_alone(kb: KnowledgeBase) -> None:
    answer = kb.search("the dredger in the north channel", grain="session", tool="Write")

    assert list(answer) == []
    assert any("something else passes the filters" in line for line in answer.trace)
