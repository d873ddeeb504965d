"""From an index on disk to edges in the graph."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphsvc.errors import Ambiguous, InvalidInput, NotFound, SourceUnavailable
from graphsvc.knowledge import KnowledgeBase
from loaders.base import SourceReport, silent
from loaders.rebuild import loader_of
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


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the repository of a shop, whose history and code are read; tests work on copies of it."""
    folder = tmp_path_factory.mktemp("shop")
    builder = RepositoryBuilder(folder / "shop")
    builder.commit({"web/src/cart.ts": CART, "web/src/main.ts": MAIN}, "Add a shop\n")
    made = KnowledgeBase.init(folder / "store")
    for source in made.add_repository(builder.path):
        if source.loader in ("git", "code"):
            loader_of(source).refresh(source, made.store, silent)
    return folder / "store"


@pytest.fixture
def kb(shop: Path, tmp_path: Path) -> KnowledgeBase:
    """A copy of the shop's store."""
    shutil.copytree(shop, tmp_path / "store")
    return KnowledgeBase.open(tmp_path / "store")


def refresh(kb: KnowledgeBase) -> SourceReport:
    """Read the one index again."""
    [source] = [one for one in kb.store.sources() if one.loader == "scip"]
    return loader_of(source).refresh(source, kb.store, silent)


def stated(kb: KnowledgeBase) -> list[str]:
    """Paths of the documents that the index states now."""
    with kb.store.read() as reader:
        return [path for (path,) in reader.rows("SELECT path FROM present_scip_document ORDER BY path")]


def test_an_index_of_a_folder_joins_the_files_of_the_repository(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "index.scip").write_bytes(shop_index())
    source = kb.add_scip(tmp_path / "index.scip")
    assert (source.name, source.loader) == ("shop/index.scip", "scip")
    [report] = [one for one in kb.rebuild().sources if one.source.loader == "scip"]
    assert report.read == {"documents": 3, "bytes": len(shop_index())}
    assert report.skipped == {"local": 1, "not_indexed": 1}
    question = "MATCH (a:Symbol)-[e:CALLS]->(b:Symbol {name: 'total'}) RETURN a.name, e.origin"
    assert kb.cypher(question).rows == [("run", "scip")]
    assert kb.status().agreement == {"adds": 1}
    assert not refresh(kb).admitted


def test_a_document_of_other_text_is_stale_and_says_nothing(kb: KnowledgeBase, tmp_path: Path) -> None:
    (tmp_path / "index.scip").write_bytes(shop_index(column=2))
    kb.add_scip(tmp_path / "index.scip")
    assert refresh(kb).faults == {"stale_document": 1}
    assert stated(kb) == ["web/src/main.ts"]


def test_an_index_that_is_another_now_takes_back_what_it_said(kb: KnowledgeBase, tmp_path: Path) -> None:
    file = tmp_path / "index.scip"
    for content, paths in (
        (shop_index(), ["web/src/cart.ts", "web/src/main.ts"]),
        (index(document("src/cart.ts", [definition(0, 20, 25, TOTAL)])), ["web/src/cart.ts"]),
        (shop_index(), ["web/src/cart.ts", "web/src/main.ts"]),
    ):
        file.write_bytes(content)
        kb.add_scip(file)
        refresh(kb)
        assert stated(kb) == paths


def test_a_damaged_index_is_refused_and_a_damaged_document_is_a_fault(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    file = tmp_path / "index.scip"
    file.write_bytes(shop_index())
    kb.add_scip(file)
    file.write_bytes(shop_index()[:-7])
    with pytest.raises(InvalidInput):
        refresh(kb)
    file.write_bytes(index(b"\x12\xff", document("src/cart.ts", [definition(0, 20, 25, TOTAL)])))
    report = refresh(kb)
    assert (report.faults, report.admitted["scip_document"]) == ({"damaged_document": 1}, 1)
    file.unlink()
    with pytest.raises(SourceUnavailable):
        refresh(kb)


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
