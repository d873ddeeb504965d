"""The table of Markdown."""

from __future__ import annotations

from tests.languages.table import read

SHOP = "Intro\n\n# One\ntext\n\n## Two\n```\n# no heading\n```\n# Three\n\nUnder\n-----\n"


def test_markdown_headings_are_nested_sections() -> None:
    found = read("markdown", SHOP)
    assert [(s.kind, s.name, s.parent, s.start_line, s.end_line) for s in found.symbols] == [
        ("section", "One", -1, 3, 10),
        ("section", "Two", 0, 6, 10),
        ("section", "Three", -1, 10, 14),
        ("section", "Under", 2, 12, 14),
    ]
