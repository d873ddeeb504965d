"""Symbols keep their identity, and no two share one."""

from __future__ import annotations

from tests.resolution.snapshots import resolution


def test_a_symbol_keeps_its_identity_when_lines_move_or_bodies_change() -> None:
    before = resolution({"a.py": "def f():\n    return 1\n\nclass A:\n    def f(self): pass\n"})
    after = resolution(
        {"a.py": "import os\n\n\nclass A:\n    def f(self): return 2\n\ndef f():\n    return 3\n"}
    )
    assert {row.symbol_id for row in before.symbols} == {row.symbol_id for row in after.symbols}


def test_namesakes_in_one_module_have_identities_of_their_own() -> None:
    source = "if x:\n    def f(): pass\nelse:\n    def f(): pass\nf = lambda: 1\ng = lambda: 1\n"
    rows = resolution({"a.py": source}).symbols
    assert len({row.symbol_id for row in rows}) == len(rows)


def test_a_module_keeps_its_identity_when_its_source_root_moves() -> None:
    flat = resolution({"shop/__init__.py": "", "shop/a.py": "def f(): pass\n"})
    nested = resolution({"src/shop/__init__.py": "", "src/shop/a.py": "def f(): pass\n"})
    assert [row.symbol_id for row in flat.symbols] == [row.symbol_id for row in nested.symbols]


def test_each_reference_leads_somewhere_or_says_why_not() -> None:
    files = {"a.py": "import os\nclass A(B): pass\ndef f(x: A): x.go(); os.x(); f(1)\n", "b.go": "package b"}
    found = resolution(files)
    led = {(edge.path, edge.reference) for edge in found.edges}
    lost = {(gap.path, gap.reference) for gap in found.gaps}
    assert not led & lost
    assert led | lost == {("a.py", ordinal) for ordinal in range(5)}
