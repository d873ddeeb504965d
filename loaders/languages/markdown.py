"""Markdown: each heading opens a section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages._nodes import child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node


def _section(x: Extractor, node: Node) -> None:
    heading = child_of_type(node, "atx_heading")
    name = heading.child_by_field_name("heading_content") if heading else None
    if name is not None:
        x.open_scope(x.define("section", node, name))


def _underlined(x: Extractor, node: Node) -> None:
    """The grammar opens no section at an underlined heading: it is recorded without what follows."""
    name = child_of_type(node.child_by_field_name("heading_content"), "inline")
    if name is not None:
        x.define("section", node, name)


TABLES = (
    Language(
        name="markdown",
        grammar="tree_sitter_markdown:language",
        extensions=(".md", ".markdown"),
        skip=frozenset({"inline", "fenced_code_block", "paragraph"}),
        comments=frozenset(),
        enter={"section": _section, "setext_heading": _underlined},
    ),
)
