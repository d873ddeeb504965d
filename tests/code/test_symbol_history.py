"""What each commit did to symbols, and the history of one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import NotFound
from graphsvc.knowledge import KnowledgeBase
from loaders.base import silent
from loaders.git import refresh as refresh_git
from tests.code.conftest import Shop
from tests.code.sources import refresh
from tests.repositories import RepositoryBuilder


def changes_of(kb: KnowledgeBase, commit: str) -> set[tuple[str, ...]]:
    statement = "SELECT change, path, name FROM present_symbol_change WHERE commit_oid = $commit"
    return set(kb.sql(statement, {"commit": commit}).rows)


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "repository")


@pytest.fixture
def kb(builder: RepositoryBuilder, tmp_path: Path) -> KnowledgeBase:
    """A store of the repository, which has a first commit."""
    builder.commit({"a.py": "def one():\n    return 1\n"}, "Add one")
    made = KnowledgeBase.init(tmp_path / "store")
    made.add_repository(builder.path, name="r")
    refresh(made)
    return made


def test_history_goes_back_through_a_move_and_a_rename(shop: Shop) -> None:
    answer = shop.kb.symbol_history("to_cents")

    assert [(row["change"], row["name"], row["path"], row["old_name"]) for row in answer] == [
        ("moved", "to_cents", "shop/money.py", "to_cents"),
        ("renamed", "to_cents", "shop/prices.py", "rounded"),
        ("added", "rounded", "shop/prices.py", None),
    ]
    assert [row["commit"] for row in answer] == shop.commits[::-1]
    assert [row["author"] for row in answer] == ["Ada Example", "Ben Example", "Ada Example"]


def test_the_evidence_of_a_change_is_the_record_of_the_files_change(shop: Shop) -> None:
    row = shop.kb.symbol_history("to_cents").to_dicts()[0]

    record = shop.kb.evidence(f"{row['segment']}:{row['start_byte']}-{row['end_byte']}")
    assert record.endswith(b"shop/money.py")


def test_the_history_of_a_symbol_that_is_gone(shop: Shop) -> None:
    answer = shop.kb.symbol_history("rounded")

    assert [row["change"] for row in answer] == ["added"]
    assert "no indexed symbol is called rounded: these are past ones" in answer.coverage.notes
    with pytest.raises(NotFound, match="no tracked commit"):
        shop.kb.symbol_history("never")


def test_a_history_that_is_not_traced_says_so(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    with pytest.raises(NotFound, match="not known yet") as failed:
        kb.symbol_history("one")
    assert failed.value.hint == "run `graphsvc track`"
    assert kb.impact("one").to_dicts()[-1]["origin"] == "file_change"

    kb.track_symbols()
    assert [row["change"] for row in kb.symbol_history("one")] == ["added"]


def test_a_trace_reads_only_new_commits(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    [first] = kb.track_symbols()
    [again] = kb.track_symbols()
    oid = builder.commit({"a.py": "def one():\n    return 2\n"}, "Change one")
    tracked = refresh(kb)["symbol_history"]

    assert (first.read["commits"], first.read["blobs"]) == (1, 1)
    assert not again.read
    assert (tracked.read["commits"], tracked.read["blobs"], tracked.admitted["symbol_change"]) == (1, 2, 1)
    assert changes_of(kb, oid) == {("changed", "a.py", "one")}


def test_commits_that_are_not_traced_are_told_of(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    kb.track_symbols()
    builder.commit({"a.py": "def one():\n    return 2\n"}, "Change one")
    [source] = [source for source in kb.store.sources() if source.loader == "git"]
    refresh_git(source, kb.store, silent)

    assert "1 commits are not tracked yet: run `graphsvc track`" in kb.symbol_history("one").coverage.notes


def test_a_repository_that_moved_is_traced_where_it_lies(
    kb: KnowledgeBase, builder: RepositoryBuilder
) -> None:
    kb.track_symbols()
    moved = builder.path.rename(builder.path.with_name("moved"))
    kb.add_repository(moved, name="r")

    assert {source.loader: source.locator for source in kb.store.sources()} == dict.fromkeys(
        ("git", "code", "entire", "symbol_history"), str(moved)
    )
    with pytest.raises(NotFound, match="no repository is called 'other'"):
        kb.track_symbols("other")


def test_a_merge_did_only_what_no_parent_had(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    base = builder.git("rev-parse", "main")
    ours = builder.commit({"a.py": "def one():\n    return 1\n\n\ndef ours():\n    return 3\n"}, "Add ours")
    theirs = builder.commit(
        {"a.py": "def one():\n    return 1\n\n\ndef theirs():\n    return 4\n"},
        "Add theirs",
        branch="side",
        parents=[base],
    )
    both = "def one():\n    return 1\n\n\ndef ours():\n    return 3\n\n\ndef theirs():\n    return 4\n"
    merge = builder.commit(
        {"a.py": both + "\n\ndef glue():\n    return 5\n"}, "Merge", parents=[ours, theirs]
    )
    refresh(kb)
    kb.track_symbols()

    assert changes_of(kb, merge) == {("added", "a.py", "glue")}
    assert changes_of(kb, theirs) == {("added", "a.py", "theirs")}


def test_a_commit_that_left_history_leaves_the_history_of_symbols(
    kb: KnowledgeBase, builder: RepositoryBuilder
) -> None:
    base = builder.git("rev-parse", "main")
    builder.commit({"a.py": "def one():\n    return 2\n"}, "Change one")
    refresh(kb)
    kb.track_symbols()
    assert [row["change"] for row in kb.symbol_history("one")] == ["changed", "added"]

    builder.commit({"a.py": "def one():\n    return 3\n"}, "Change it otherwise", parents=[base])
    refresh(kb)
    assert [row["title"] for row in kb.symbol_history("one")] == ["Change it otherwise", "Add one"]


def test_the_graph_has_what_commits_changed(shop: Shop) -> None:
    rows = shop.kb.cypher(
        "MATCH (c:Commit)-[e:CHANGED_SYMBOL]->(s:Symbol {name: 'to_cents'}) "
        "RETURN c.oid AS oid, e.change AS change, e.name AS name ORDER BY c.committed_at"
    ).rows

    assert rows == [
        (shop.commits[0], "added", "rounded"),
        (shop.commits[1], "renamed", "to_cents"),
        (shop.commits[2], "moved", "to_cents"),
    ]


def test_a_file_that_cannot_be_parsed_is_counted(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    oid = builder.commit({"a.py": "def one():\n    return 2\n", "b.py": "x = 1\n"}, "Change one")
    refresh(kb)
    builder.remove_object(builder.git("rev-parse", f"{oid}:b.py"))
    [report] = kb.track_symbols()

    assert report.faults == {"missing_blob": 1}
    assert changes_of(kb, oid) == {("changed", "a.py", "one")}
    statement = "SELECT file_count, unknown_count FROM tracked_commit WHERE commit_oid = $oid"
    assert kb.sql(statement, {"oid": oid}).rows == [(1, 1)]


def test_symbols_that_change_together(kb: KnowledgeBase, builder: RepositoryBuilder) -> None:
    for number in range(2, 6):
        builder.commit(
            {
                "a.py": f"def one():\n    return {number}\n",
                "b.py": f"def two():\n    return {number}\n",
                "c.py": "def three():\n    return 3\n",
            },
            f"Change to {number}",
        )
    refresh(kb)
    kb.track_symbols()

    along = [row for row in kb.impact("one").to_dicts() if row["relation"] == "co_change"]
    assert [(row["kind"], row["name"], row["detail"], row["confidence"]) for row in along] == [
        ("function", "two", "4 of 5 commits", 0.8),
        ("file", "b.py", "4 of 5 commits", 0.8),
    ]
    assert kb.query("co_changed_symbols", {"path": "b.py"}).rows == [
        ("b.py", "two().", "a.py", "one().", 4, 1.0)
    ]
    assert [row[:5] for row in kb.query("most_changed_symbols").rows] == [
        ("a.py", "one().", "function", 5, 0),
        ("b.py", "two().", "function", 4, 0),
        ("c.py", "three().", "function", 1, 0),
    ]
