"""Questions about the code of the indexed commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import Ambiguous, InvalidInput, NotFound
from graphsvc.knowledge import KnowledgeBase
from queries.impact import RELATIONS
from tests.code.conftest import Shop
from tests.code.sources import refresh
from tests.repositories import RepositoryBuilder


def test_callers_come_with_the_way_to_them(shop: Shop) -> None:
    rows = shop.kb.callers("to_cents", depth=3).to_dicts()

    found = {(row["depth"], row["name"], row["through"]) for row in rows}
    assert (1, "checkout", "to_cents < checkout") in found
    assert (2, "test_checkout", "to_cents < checkout < test_checkout") in found
    assert (2, "main.py", "to_cents < checkout < main.py") in found
    assert [row["depth"] for row in rows] == sorted(row["depth"] for row in rows)


def test_callees_go_the_other_way(shop: Shop) -> None:
    rows = shop.kb.callees("test_checkout", depth=2).to_dicts()

    assert [(row["depth"], row["through"]) for row in rows] == [
        (1, "test_checkout > checkout"),
        (2, "test_checkout > checkout > pay"),
        (2, "test_checkout > checkout > to_cents"),
    ]


def test_tests_can_be_left_out_or_be_all(shop: Shop) -> None:
    none = shop.kb.callers("to_cents", depth=3, tests="none").to_dicts()
    only = shop.kb.callers("to_cents", depth=3, tests="only").to_dicts()

    assert not any(row["is_test"] for row in none)
    assert [(row["name"], row["through"]) for row in only] == [
        ("test_checkout", "to_cents < checkout < test_checkout")
    ]
    with pytest.raises(InvalidInput, match="tests cannot be 'some'"):
        shop.kb.callers("to_cents", tests="some")


def test_a_walk_is_cut_off_visibly(shop: Shop) -> None:
    answer = shop.kb.callers("to_cents", depth=3, limit=2)

    assert len(answer) == 2
    assert "showing the first 2: raise --limit for more" in answer.coverage.notes


def test_calls_that_lead_nowhere_are_told_of(shop: Shop, tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.commit({"a.py": "def save(): pass\n\n\ndef use(x):\n    x.save()\n"}, "Add both")
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(builder.path)
    refresh(kb)

    answer = kb.callers("save")
    assert answer.rows == []
    assert "1 calls by that name lead nowhere and may be more of them: a.py:5" in answer.coverage.notes
    assert any(
        note.startswith("1 references of a.py lead nowhere") for note in kb.symbol("save").coverage.notes
    )
    with pytest.raises(NotFound, match="no indexed symbol is called 'nothing'"):
        shop.kb.callers("nothing")


def test_impact_has_each_relation_with_its_origin(shop: Shop) -> None:
    answer = shop.kb.impact("to_cents")
    rows = answer.to_dicts()

    assert {row["relation"] for row in rows} >= {"caller", "test", "importer", "person"}
    assert all(row["origin"] and row["confidence"] > 0 for row in rows)
    order = list(RELATIONS)
    assert [order.index(row["relation"]) for row in rows] == sorted(
        order.index(row["relation"]) for row in rows
    )
    [test] = [row for row in rows if row["relation"] == "test"]
    assert (test["name"], test["depth"], test["detail"]) == ("test_checkout", 2, "by way of checkout().")
    people = [row for row in rows if row["relation"] == "person"]
    assert {(row["name"], row["origin"]) for row in people} == {
        ("Ada Example", "symbol_change"),
        ("Ben Example", "symbol_change"),
    }


def test_impact_of_a_type_has_its_heirs_and_of_a_method_what_overrides_it(shop: Shop) -> None:
    heirs = [row for row in shop.kb.impact("Price").to_dicts() if row["relation"] == "subclass"]
    methods = [row for row in shop.kb.impact("Price.total").to_dicts() if row["relation"] == "overrider"]

    assert [(row["name"], row["path"]) for row in heirs] == [("Reduced", "shop/prices.py")]
    assert [(row["name"], row["detail"]) for row in methods] == [("total", "of Reduced")]


def test_impact_of_a_file_is_that_of_all_its_symbols(shop: Shop) -> None:
    rows = shop.kb.impact("shop/cart.py").to_dicts()

    assert ("caller", "main.py") in {(row["relation"], row["name"]) for row in rows}
    assert not any(row["path"] == "shop/cart.py" and row["relation"] == "caller" for row in rows)
    with pytest.raises(NotFound, match="no indexed symbol or file"):
        shop.kb.impact("shop/none.py")


def test_impact_says_where_it_was_cut_off(shop: Shop) -> None:
    answer = shop.kb.impact("to_cents", limit=1)

    assert any(note.startswith("1 of ") and "rows of caller" in note for note in answer.coverage.notes)


def test_outline_is_in_source_order_with_its_nesting(shop: Shop) -> None:
    rows = shop.kb.outline("shop/prices.py").to_dicts()

    assert [(row["depth"], row["kind"], row["name"]) for row in rows] == [
        (0, "class", "Price"),
        (1, "method", "total"),
        (0, "class", "Reduced"),
        (1, "method", "total"),
        (0, "function", "_forgotten"),
    ]


def test_outline_tells_of_what_could_not_be_read(shop: Shop) -> None:
    answer = shop.kb.outline("shop/broken.py")

    assert answer.rows[0][answer.columns.index("name")] == "whole"
    assert any("syntax errors" in note for note in answer.coverage.notes)
    with pytest.raises(NotFound, match=r"shop/model_pb2\.py was not parsed: generated"):
        shop.kb.outline("shop/model_pb2.py")
    with pytest.raises(NotFound, match="no indexed file is called"):
        shop.kb.outline("prices.py")


def test_unused_code_with_the_doubt_about_it(shop: Shop) -> None:
    rows = shop.kb.unused().to_dicts()

    [forgotten] = [row for row in rows if row["name"] == "_forgotten"]
    assert (forgotten["confidence"], forgotten["doubt"]) == (0.9, None)
    assert rows[0] == forgotten
    assert not {"checkout", "to_cents", "test_checkout"} & {row["name"] for row in rows}
    assert shop.kb.unused(beginning="tests/").rows == []


def test_cycles_of_calls_with_a_way_around(shop: Shop) -> None:
    [row] = shop.kb.cycles(of="calls").to_dicts()

    assert row["members"] == 2
    assert row["ring"] == "shop.cart checkout().:7 > shop.cart pay().:11"
    assert shop.kb.cycles().rows == []
    with pytest.raises(InvalidInput, match="cycles cannot be of 'love'"):
        shop.kb.cycles(of="love")


def test_hotspots_join_changes_with_code(shop: Shop) -> None:
    rows = {row["path"]: row for row in shop.kb.hotspots()}

    prices = rows["shop/prices.py"]
    assert (prices["commits"], prices["authors"], prices["symbols"]) == (3, 2, 5)
    assert prices["used_by"] == 1
    assert next(iter(rows)) in {"shop/prices.py", "shop/cart.py"}


def test_a_state_needs_a_repository_that_is_there(shop: Shop) -> None:
    with pytest.raises(NotFound, match="has no commit 'v9'"):
        shop.kb.symbol("checkout", at="v9")
    with pytest.raises(NotFound, match="no repository is called 'other'"):
        shop.kb.symbol("checkout", at="v1", repository="other")
    with pytest.raises(NotFound):
        shop.kb.symbol("checkout", at="--all")


def test_several_repositories_need_a_name(shop: Shop, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("two")
    other = RepositoryBuilder(folder / "other")
    other.commit({"a.py": "def a(): pass\n"}, "Add a")
    kb = KnowledgeBase.init(folder / "store")
    with pytest.raises(NotFound, match="no code is indexed yet"):
        kb.symbol("a")
    kb.add_repository(other.path)
    kb.add_repository(shop.builder.path, name="shop")
    with pytest.raises(Ambiguous, match="several repositories"):
        kb.symbol("a", at="main")
    assert [row["name"] for row in kb.symbol("a", at="main", repository="other")] == ["a"]


def test_unused_code_doubts_what_is_reached_by_other_ways(tmp_path: Path) -> None:
    """A value that is passed on is followed in Python and not in Go; a base from outside may call its heir."""
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.commit(
        {
            "go.mod": "module shop\n",
            "main.go": "package main\nfunc handle() {}\nfunc main() { serve(handle) }\nfunc serve(f func()) { f() }\n",
            "a.py": "def _handle(): pass\ndef _gone(): pass\nserve(_handle)\n",
            "b.py": "from textwrap import TextWrapper\nclass _Own(TextWrapper):\n    def _wrap(self): pass\n_Own()\n",
        },
        "Serve",
    )
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(builder.path, name="shop")
    refresh(kb)

    rows = {row["name"]: (row["confidence"], row["doubt"]) for row in kb.unused().to_dicts()}

    assert rows == {
        "_gone": (0.9, None),
        "handle": (0.6, "it may be passed on as a value"),
        "_wrap": (0.3, "what its type inherits from may call it"),
    }
