"""From an index on disk to edges in the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import Ambiguous, InvalidInput, NotFound, SourceUnavailable
from graphsvc.knowledge import KnowledgeBase
from tests.repositories import RepositoryBuilder
from tests.scip.indexes import definition, document, index, reference

CART = "export class Cart { total() {} }\n"
MAIN = "import { Cart } from './cart';\nfunction run(cart: any) { cart.total(); }\n"
TOTAL = "scip-x npm shop 1.0 src/`cart.ts`/Cart#total()."


def shop_index(column: int = 20) -> bytes:
    """An index of the shop: where ``total`` is defined and called."""
    return index(
        document("src/cart.ts", [definition(0, column, column + 5, TOTAL), reference(0, 13, 17, "local 1")]),
        document("src/main.ts", [reference(1, 31, 36, TOTAL)]),
        document("src/gone.ts", [definition(0, 0, 4, "scip-x npm shop 1.0 src/`gone.ts`/gone().")]),
    )


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    """A store with the repository of a shop."""
    builder = RepositoryBuilder(tmp_path / "shop")
    builder.commit({"web/src/cart.ts": CART, "web/src/main.ts": MAIN}, "Add a shop\n")
    made = KnowledgeBase.init(tmp_path / "store")
    made.add_repository(builder.path)
    return made


def total_calls(kb: KnowledgeBase) -> list[tuple[str, str]]:
    """Callers of ``total`` in the graph, and the origin of each edge."""
    rows = kb.cypher(
        "MATCH (a:Symbol)-[e:CALLS]->(b:Symbol {name: 'total'}) RETURN a.name AS name, e.origin AS origin"
    ).rows
    return (
        [(row["name"], row["origin"]) for row in rows] if rows and isinstance(rows[0], dict) else list(rows)
    )


def test_an_index_of_a_folder_joins_the_files_of_the_repository(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "index.scip").write_bytes(shop_index())
    source = kb.add_scip(tmp_path / "index.scip")
    assert (source.name, source.loader) == ("shop/index.scip", "scip")
    [report] = [one for one in kb.rebuild().sources if one.source.loader == "scip"]
    assert report.read == {"documents": 3, "bytes": len(shop_index())}
    assert report.skipped == {"local": 1, "not_indexed": 1}
    assert total_calls(kb) == [("run", "scip")]
    assert kb.status().agreement == {"adds": 1}
    [again] = [one for one in kb.rebuild().sources if one.source.loader == "scip"]
    assert not again.admitted


def test_a_document_of_other_text_is_stale_and_says_nothing(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "index.scip").write_bytes(shop_index(column=2))
    kb.add_scip(tmp_path / "index.scip")
    [report] = [one for one in kb.rebuild().sources if one.source.loader == "scip"]
    assert report.faults == {"stale_document": 1}
    assert total_calls(kb) == []


def test_an_index_that_is_another_now_takes_back_what_it_said(kb: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "index.scip"
    file.write_bytes(shop_index())
    kb.add_scip(file)
    kb.rebuild()
    file.write_bytes(index(document("src/cart.ts", [definition(0, 20, 25, TOTAL)])))
    kb.rebuild()
    assert total_calls(kb) == []
    file.write_bytes(shop_index())
    kb.rebuild()
    assert total_calls(kb) == [("run", "scip")]


def test_a_damaged_index_is_reported_and_does_not_stop_the_rest(kb: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "index.scip"
    file.write_bytes(shop_index())
    kb.add_scip(file)
    file.write_bytes(shop_index()[:-7])
    report = kb.rebuild()
    assert list(report.unavailable) == ["shop/index.scip: scip"]
    assert {one.source.loader for one in report.sources} >= {"git", "code"}
    file.write_bytes(index(b"\x12\xff", document("src/cart.ts", [definition(0, 20, 25, TOTAL)])))
    [again] = [one for one in kb.rebuild().sources if one.source.loader == "scip"]
    assert again.faults == {"damaged_document": 1}
    assert again.admitted["scip_document"] == 1


def test_what_is_no_index_or_of_no_repository_is_refused(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable):
        kb.add_scip(tmp_path / "missing.scip")
    (tmp_path / "text.scip").write_text("this is no index at all, but some text\n" * 9)
    with pytest.raises(InvalidInput):
        kb.add_scip(tmp_path / "text.scip")
    (tmp_path / "index.scip").write_bytes(shop_index())
    with pytest.raises(NotFound):
        kb.add_scip(tmp_path / "index.scip", repository="unknown")
    other = RepositoryBuilder(tmp_path / "other")
    other.commit({"a.txt": "a"}, "Add a\n")
    kb.add_repository(other.path)
    with pytest.raises(Ambiguous):
        kb.add_scip(tmp_path / "index.scip")
    assert kb.add_scip(tmp_path / "index.scip", repository="shop").name == "shop/index.scip"
    with pytest.raises(InvalidInput):
        kb.add_scip(tmp_path / "index.scip", repository="other", name="shop/index.scip")
