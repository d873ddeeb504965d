"""Where nothing says anything new to resolution, the tables of a snapshot are those of the one before, moved along."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from graphsvc.knowledge import KnowledgeBase
from loaders import code_graph, extractions, resolution, snapshots
from loaders.base import silent
from loaders.resolution.model import Resolution, Snapshot
from loaders.snapshots import FOLDER, IndexedCode
from tests.code.sources import refresh
from tests.repositories import File, RepositoryBuilder

Files = Mapping[str | bytes, str | bytes | File | None]

PRICES = '''class Price:
    """What it costs."""

    def total(self):
        return rounded(self.amount)


def rounded(n):
    return str(n)
'''
CART = """from prices import Price, rounded


def checkout():
    return Price().total(), rounded(1), missing().more()
"""
FILES: dict[str | bytes, str] = {
    "prices.py": PRICES,
    "cart.py": CART,
    "go.mod": "module example.org/shop\n",
    "shop.go": "package shop\n\ntype Payer interface{ Pay(n int) int }\n\ntype Card struct{}\n\n"
    "func (c Card) Pay(n int) int { return fee(n) }\n\nfunc fee(n int) int { return n + 1 }\n",
    "web.ts": "export class View { draw(): number { return twice(2); } }\nfunction twice(n: number) { return n; }\n",
    "Shop.java": "class Shop { int sum() { return one(); } int one() { return 1; } }\n",
    "README.md": "# Shop\n\nWords.\n",
}


class Work:
    """What was resolved and read while it was watched."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.resolved = 0
        self.blobs: set[str] = set()
        resolve, read = resolution.resolve, extractions.read_extractions

        def resolve_one(snapshot: Snapshot) -> Resolution:
            self.resolved += 1
            return resolve(snapshot)

        def read_some(reader: Any, repository: str, blobs: Any) -> Any:
            wanted = list(blobs)
            self.blobs.update(wanted)
            return read(reader, repository, wanted)

        monkeypatch.setattr(code_graph, "resolve", resolve_one)
        monkeypatch.setattr(snapshots, "read_extractions", read_some)


def tables(kb: KnowledgeBase) -> dict[str, list[tuple[Any, ...]]]:
    with kb.store.read() as reader:
        made = IndexedCode(kb.store, reader, silent).tables
    return {name: sorted(frame.rows(), key=repr) for name, frame in made.items()}


@dataclass
class Shop:
    """A repository and its store, of which each test goes on from the state that the one before left."""

    builder: RepositoryBuilder
    kb: KnowledgeBase

    def become(self, files: Files) -> None:
        """Commit the shop with some files as given."""
        present = set(self.builder.git("ls-tree", "-r", "--name-only", "main").split())
        wanted = {**FILES, **files}
        self.builder.commit({**dict.fromkeys(present - wanted.keys()), **wanted}, "Edit")
        refresh(self.kb)

    def resolved_anew(self) -> dict[str, list[tuple[Any, ...]]]:
        """The tables, without anything that was made before."""
        shutil.rmtree(self.kb.store.folder / FOLDER)
        return tables(self.kb)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder = tmp_path_factory.mktemp("shop")
    builder = RepositoryBuilder(folder / "repository")
    builder.commit(dict(FILES), "Open")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(builder.path, name="shop")
    refresh(kb)
    tables(kb)
    return Shop(builder, kb)


UNCHANGED_SHAPE: dict[str, Files] = {
    "comment above": {"prices.py": "# All of it.\n\n" + PRICES},
    "comment below": {"cart.py": CART + "# The end.\n"},
    "docstring": {"prices.py": PRICES.replace("What it costs.", "What\n    it costs.")},
    "literal": {"cart.py": CART.replace("rounded(1)", "rounded(2)")},
    "go moved down": {"shop.go": FILES["shop.go"].replace("type Payer", "// Who pays.\n\ntype Payer")},
    "script below": {"web.ts": FILES["web.ts"] + "// The end.\n"},
    "java": {"Shop.java": "// A shop.\n" + FILES["Shop.java"]},
    "words": {"README.md": "Hello.\n\n" + FILES["README.md"]},
    "several": {"prices.py": "\n" + PRICES, "cart.py": "\n" + CART},
    "not parsed": {"logo.bin": "\0"},
}
CHANGED_SHAPE: dict[str, Files] = {
    "call": {"cart.py": CART + "checkout()\n"},
    "other call": {"cart.py": CART.replace("rounded(1)", "Price(1)")},
    "decorator": {"prices.py": PRICES.replace("    def", "    @property\n    def")},
    "file": {"more.py": "def rounded(n): pass\n"},
    "file gone": {"prices.py": None},
    "script moved down": {"web.ts": "// A view.\n" + FILES["web.ts"]},
    "call on the next line": {"cart.py": CART.replace("missing().more()", "missing()\\\n        .more()")},
    "packaging": {"go.mod": "module example.org/store\n"},
    "syntax": {"cart.py": CART + "def half(:\n"},
}


@pytest.mark.parametrize("files", UNCHANGED_SHAPE.values(), ids=UNCHANGED_SHAPE.keys())
def test_what_says_nothing_new_is_not_resolved(
    shop: Shop, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.become(files)
    work = Work(monkeypatch)
    carried = tables(shop.kb)
    edited = set(shop.builder.git("diff", "--name-only", "main~", "main").split()) & FILES.keys()

    assert work.resolved == 0
    assert len(work.blobs) == 2 * len(edited)  # each as it was, and as it is
    assert carried == shop.resolved_anew()


@pytest.mark.parametrize("files", CHANGED_SHAPE.values(), ids=CHANGED_SHAPE.keys())
def test_what_may_lead_elsewhere_is_resolved(
    shop: Shop, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.become(files)
    work = Work(monkeypatch)
    resolved = tables(shop.kb)

    assert work.resolved == 1
    assert resolved == shop.resolved_anew()


ONE_LANGUAGE: dict[str, tuple[Files, set[str]]] = {
    "heading": ({"README.md": "# Shop\n\n## Hours\n"}, {"README.md"}),
    "go": ({"shop.go": FILES["shop.go"] + "\nfunc more() int { return fee(1) }\n"}, {"shop.go"}),
    "python": ({"cart.py": CART + "checkout()\n"}, {"cart.py", "prices.py"}),
    "java": ({"Till.java": "class Till { Shop shop; }\n"}, {"Shop.java", "Till.java"}),
    "script gone": ({"web.ts": None}, set()),
    "other language": ({"web.ts": None, "web.py": "import cart\n"}, {"cart.py", "prices.py", "web.py"}),
}


@pytest.mark.parametrize(("files", "read"), ONE_LANGUAGE.values(), ids=ONE_LANGUAGE.keys())
def test_languages_without_a_file_that_differs_are_not_resolved(
    shop: Shop, files: Files, read: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.become({})
    tables(shop.kb)
    before = _blobs(shop, "main")
    shop.become(files)
    work = Work(monkeypatch)
    resolved = tables(shop.kb)
    after = _blobs(shop, "main")

    assert work.resolved == 1
    # To see whether the names are the same as before, the files that differ are read as they were, too.
    assert work.blobs == {after[path] for path in read} | {
        before[path]
        for path in read & before.keys()
        if before.keys() == after.keys() and before[path] != after[path]
    }
    assert resolved == shop.resolved_anew()


def _blobs(shop: Shop, commit: str) -> dict[str, str]:
    lines = shop.builder.git("ls-tree", "-r", commit).splitlines()
    return {line.split("\t")[1]: line.split()[2] for line in lines}


@pytest.mark.parametrize("content", ["", "1 other-rules\nx.duckdb", "\ud800", None])
def test_a_note_that_leads_nowhere_costs_no_more_than_time(
    shop: Shop, content: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.become({})
    shop.resolved_anew()
    [note] = (shop.kb.store.folder / FOLDER).glob("latest-*")
    if content is None:
        [made] = (shop.kb.store.folder / FOLDER).glob("*.tables")
        made.write_bytes(b"damaged")
    else:
        note.write_text(content, errors="surrogatepass")
    shop.become({"cart.py": CART + "# The end.\n"})
    work = Work(monkeypatch)

    assert tables(shop.kb)["code_symbol"]
    assert work.resolved == 1
