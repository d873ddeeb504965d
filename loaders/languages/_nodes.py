"""Small questions to ask of a node, for all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def first_child(node: Node | None) -> Node | None:
    """The first named child; None where there is none, as in a broken file."""
    return node.named_child(0) if node is not None and node.named_child_count else None


def child_of_type(node: Node | None, *types: str) -> Node | None:
    """The first named child of one of these types, or None."""
    children = node.named_children if node is not None else ()
    return next((child for child in children if child.type in types), None)


def has_token(node: Node, *tokens: str) -> bool:
    """Whether one of the node's own children is one of these tokens, for example a modifier."""
    return any(child.type in tokens for child in node.children)
