"""SQL: what ``CREATE`` makes, and the columns of tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages._nodes import child_of_type

if TYPE_CHECKING:
    from tree_sitter import Node


def _create(kind: str) -> Callable[[Extractor, Node], None]:
    def enter(x: Extractor, node: Node) -> None:
        reference = child_of_type(node, "object_reference", "identifier")
        name = reference.child_by_field_name("name") or reference if reference else None
        if name is not None:
            x.open_scope(x.define(kind, node, name))

    return enter


def _column(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.define("field", node, name)


TABLES = (
    Language(
        name="sql",
        grammar="tree_sitter_sql:language",
        extensions=(".sql",),
        enter={
            "create_table": _create("struct"),
            "create_view": _create("struct"),
            "create_materialized_view": _create("struct"),
            "create_function": _create("function"),
            "create_trigger": _create("function"),
            "create_type": _create("type"),
            "create_schema": _create("namespace"),
            "create_sequence": _create("variable"),
            "column_definition": _column,
        },
    ),
)
