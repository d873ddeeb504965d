"""Any commit and any work tree can be asked about, and what is the same in both is read once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from graphsvc.errors import Ambiguous, NotFound
from graphsvc.knowledge import KnowledgeBase
from loaders import snapshots
from loaders.snapshots import FOLDER
from tests.code.conftest import FIRST, Shop
from tests.code.sources import refresh
from tests.repositories import RepositoryBuilder

QUESTIONS = ("symbol", "callers", "callees")


def snapshot_files(kb: KnowledgeBase) -> set[str]:
    return {path.name for path in (kb.store.folder / FOLDER).glob("*.tables")}


def parsed_blobs(kb: KnowledgeBase) -> int:
    """Blobs that were parsed besides those of the indexed commits."""
    file = kb.store.folder / FOLDER / "extractions.sqlite"
    if not file.exists():
        return 0
    with sqlite3.connect(file) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM extraction")
    return int(count)


@pytest.fixture
def small(tmp_path: Path) -> tuple[RepositoryBuilder, KnowledgeBase]:
    """A repository of two commits, of which the second is indexed and nothing is tracked."""
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.commit({"a.py": "def one(): pass\n", "b.py": "from a import one\none()\n"}, "Add one")
    builder.git("tag", "v1")
    builder.commit({"a.py": "def one(): pass\ndef two(): one()\n"}, "Add two")
    builder.checkout()
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(builder.path, name="small")
    refresh(kb)
    kb.symbol("one")  # makes the tables of the indexed commit
    return builder, kb


def test_a_past_commit_answers_as_if_it_were_indexed(shop: Shop, tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(shop.builder.path, references=["v1"])
    refresh(kb)

    for question in QUESTIONS:
        for name in ("rounded", "checkout", "Price.total"):
            there = getattr(shop.kb, question)(name, at="v1").to_dicts()
            here = getattr(kb, question)(name).to_dicts()
            for row in (*there, *here):
                del row["segment"]  # only what is indexed has its bytes in the store
            assert there == here
    assert shop.kb.outline("shop/prices.py", at="v1").to_dicts()[-2]["name"] == "rounded"


def test_only_blobs_that_nobody_has_seen_are_parsed(small: tuple[RepositoryBuilder, KnowledgeBase]) -> None:
    builder, kb = small

    assert [row["name"] for row in kb.symbol("one", at="v1")] == ["one"]
    assert parsed_blobs(kb) == 1  # a.py as it was: b.py is the same in the indexed commit
    with pytest.raises(NotFound):
        kb.symbol("two", at="v1")
    before = snapshot_files(kb)
    kb.callers("one", at="HEAD~1")
    kb.callers("one", at=builder.git("rev-parse", "main"))
    assert (parsed_blobs(kb), snapshot_files(kb)) == (1, before)


def test_a_work_tree_counts_as_it_lies_there(small: tuple[RepositoryBuilder, KnowledgeBase]) -> None:
    builder, kb = small
    before = snapshot_files(kb)
    assert [row["name"] for row in kb.symbol("two", at=builder.path)] == ["two"]
    assert snapshot_files(kb) == before  # nothing differs from the indexed commit

    (builder.path / ".gitignore").write_text("ignored.py\n")
    (builder.path / "ignored.py").write_text("def hidden(): pass\n")
    (builder.path / "new.py").write_text("from a import two\n\ndef three(): two()\n")
    (builder.path / "b.py").unlink()
    folder = builder.path / "deep"
    folder.mkdir()
    assert [row["name"] for row in kb.callers("two", at=folder)] == ["three"]
    assert kb.callers("one", at=builder.path).to_dicts()[0]["name"] == "two"
    with pytest.raises(NotFound):
        kb.symbol("hidden", at=builder.path)
    assert [row["name"] for row in kb.callers("one")] == ["two", "b.py"]


def test_a_linked_work_tree_has_a_state_of_its_own(
    small: tuple[RepositoryBuilder, KnowledgeBase], tmp_path: Path
) -> None:
    builder, kb = small
    builder.git("worktree", "add", "-q", str(tmp_path / "linked"), "v1")
    (tmp_path / "linked" / "a.py").write_text("def one(): pass\ndef other(): one()\n")

    assert {row["name"] for row in kb.callers("one", at=tmp_path / "linked")} == {"other", "b.py"}
    rows = kb.diff(builder.path, tmp_path / "linked").to_dicts()
    assert {(row["change"], row["name"]) for row in rows} == {("renamed", "other")} or {
        (row["change"], row["name"]) for row in rows
    } == {("removed", "two"), ("added", "other")}
    with pytest.raises(NotFound, match="is in no git work tree"):
        kb.symbol("one", at=Path("/"))


def test_a_repository_that_is_not_registered_is_not_asked(shop: Shop, tmp_path: Path) -> None:
    other = RepositoryBuilder(tmp_path / "other")
    other.commit({"a.py": "def one(): pass\n"}, "Add one")
    other.checkout()

    with pytest.raises(NotFound, match="is not registered"):
        shop.kb.symbol("one", at=other.path)


def test_damaged_tables_are_made_again(small: tuple[RepositoryBuilder, KnowledgeBase]) -> None:
    _, kb = small
    expected = kb.callers("one").rows
    for path in (kb.store.folder / FOLDER).iterdir():
        path.write_bytes(b"not a database" * 1000)

    assert kb.callers("one").rows == expected
    assert [row["name"] for row in kb.symbol("one", at="v1")] == ["one"]


def test_several_commits_can_be_indexed_at_once(small: tuple[RepositoryBuilder, KnowledgeBase]) -> None:
    builder, kb = small
    builder.git("checkout", "-q", "-b", "side", "v1")
    builder.commit({"c.py": "from a import one\none()\n"}, "Add c", branch="side")
    kb.add_repository(builder.path, name="small", references=["main", "side", "v1"])
    refresh(kb)

    assert {row["path"] for row in kb.callers("one")} == {"a.py", "b.py", "c.py"}
    assert {row["path"] for row in kb.callers("one", at="side")} == {"b.py", "c.py"}
    assert {row["path"] for row in kb.callers("one", at="v1")} == {"b.py"}
    assert parsed_blobs(kb) == 0


def test_a_diff_tells_what_became_of_each_symbol(shop: Shop) -> None:
    rows = {(row["change"], row["name"]): row for row in shop.kb.diff("v1", "HEAD")}

    assert set(rows) >= {("renamed", "to_cents"), ("changed", "checkout"), ("changed", "pay")}
    renamed = rows["renamed", "to_cents"]
    assert (renamed["old_name"], renamed["old_path"], renamed["path"]) == (
        "rounded",
        "shop/prices.py",
        "shop/money.py",
    )
    assert (rows["changed", "pay"]["is_signature_changed"], rows["changed", "pay"]["old_signature"]) == (
        True,
        "def pay(amount):",
    )
    assert shop.kb.diff("v1", "v1").rows == []


def test_a_diff_is_the_other_way_round_from_the_other_side(shop: Shop) -> None:
    forth, back = shop.kb.diff("v1", "HEAD").to_dicts(), shop.kb.diff("HEAD", "v1").to_dicts()

    assert len(forth) == len(back)
    assert {row["name"] for row in back if row["change"] == "renamed"} == {"rounded"}


def test_a_diff_says_what_was_not_compared(small: tuple[RepositoryBuilder, KnowledgeBase]) -> None:
    builder, kb = small
    builder.commit({"logo.png": b"\0\1", "x_pb2.py": FIRST["shop/model_pb2.py"]}, "Add a picture")

    notes = kb.diff("v1", "main").coverage.notes
    assert "1 files that differ were not parsed: no_language" in notes
    assert "1 files that differ were not parsed: generated" in notes


def test_which_repository_a_revision_is_of_must_be_clear(shop: Shop, tmp_path: Path) -> None:
    other = RepositoryBuilder(tmp_path / "other")
    other.commit({"a.py": "def one(): pass\n"}, "Add one")
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(other.path)
    kb.add_repository(shop.builder.path)

    with pytest.raises(Ambiguous):
        kb.diff("main", "main")


def test_code_that_another_version_has_read_is_no_empty_answer(
    small: tuple[RepositoryBuilder, KnowledgeBase], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, kb = small
    monkeypatch.setattr(snapshots, "EXTRACTOR", "graphsvc-next")

    with pytest.raises(NotFound, match="read by another version") as caught:
        kb.symbol("one")

    assert "graphsvc rebuild" in caught.value.hint
    assert kb.symbol("one", at="v1").rows
