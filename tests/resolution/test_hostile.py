"""Sources that nobody writes are resolved like others: nothing nests so deep that resolution gives up."""

from __future__ import annotations

import pytest

from loaders.parsing import extract
from loaders.resolution import python, resolve
from loaders.resolution.model import Snapshot

DEEP = 2000
HEIRS = 1500
"""More than Python's stack holds; the order of resolution costs the square of it."""

SOURCES = {
    "chain.go": "package a\nfunc f() {\n x := a" + ".b()" * DEEP + "\n}\n",
    "calls.go": "package a\nfunc f() {" + "g(" * DEEP + ")" * DEEP + "}\n",
    "pointers.go": "package a\ntype T " + "*" * DEEP + "int\n",
    "structs.go": "package a\ntype T " + "struct{a " * DEEP + "int" + "}" * DEEP + "\n",
    "aliases.go": "package a\n"
    + "".join(f"type T{n} T{n + 1}\n" for n in range(DEEP))
    + "func f(t T0) { t.M() }\n",
    "values.go": "package a\n"
    + "".join(f"var x{n} = x{n + 1}\n" for n in range(DEEP))
    + "func f() { x0.M() }\n",
    "chain.py": "x = a" + ".b()" * DEEP + "\n",
    "lists.py": "x = " + "[" * DEEP + "]" * DEEP + "\n",
    "lambdas.py": "x = " + "lambda: " * DEEP + "1\n",
    "annotation.py": "def f(x: " + "List[" * DEEP + "int" + "]" * DEEP + "): pass\n",
    "union.py": "def f(x: " + " | ".join(f"T{n}" for n in range(DEEP)) + "): pass\n",
    "heirs.py": "".join(f"class C{n}(C{n + 1}): pass\n" for n in range(HEIRS)) + "C0().m()\n",
}


@pytest.mark.parametrize("path", SOURCES)
def test_deep_sources_are_resolved(path: str) -> None:
    language = {"go": "go", "py": "python"}[path.rpartition(".")[2]]
    extraction = extract(SOURCES[path].encode(), language, seconds=60)
    found = resolve(Snapshot("repository", {path: extraction}))

    assert len(found.symbols) == len(extraction.symbols)
    led = {edge.reference for edge in found.edges} | {gap.reference for gap in found.gaps}
    assert led == {reference.ordinal for reference in extraction.references if reference.kind != "special"}


def test_a_resolver_that_raises_costs_its_own_language_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(snapshot: Snapshot) -> None:
        raise TypeError("nobody thought of this")

    monkeypatch.setattr(python, "resolve", fail)
    files = {
        "a.py": extract(b"def f(): g()\n", "python"),
        "a.go": extract(b"package a\nfunc f() { g() }\nfunc g() {}\n", "go"),
    }

    with pytest.warns(RuntimeWarning, match="resolving python failed: TypeError: nobody thought of this"):
        found = resolve(Snapshot("repository", files))

    assert [(gap.path, gap.reason) for gap in found.gaps] == [("a.py", "failed")]
    assert [edge.path for edge in found.edges] == ["a.go"]
    assert len(found.symbols) == 3


def test_a_lack_of_memory_is_no_fault_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(snapshot: Snapshot) -> None:
        raise MemoryError

    monkeypatch.setattr(python, "resolve", fail)

    with pytest.raises(MemoryError):
        resolve(Snapshot("repository", {"a.py": extract(b"def f(): g()\n", "python")}))
