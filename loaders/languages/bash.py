"""Shell: functions, exported and fixed variables, sourced files and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loaders.extraction import Extractor, Language
from loaders.languages._nodes import first_child, has_token

if TYPE_CHECKING:
    from tree_sitter import Node


def _function(x: Extractor, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        x.open_scope(x.define("function", node, name, body=node.child_by_field_name("body")))


def _declaration(x: Extractor, node: Node) -> None:
    """``export`` and ``readonly`` outside functions."""
    if x.scope >= 0 or not has_token(node, "export", "readonly"):
        return
    kind = "constant" if has_token(node, "readonly") else "variable"
    for assignment in node.named_children:
        name = assignment.child_by_field_name("name")
        if name is not None:
            x.define(kind, node, name, exported=has_token(node, "export"))


def _command(x: Extractor, node: Node) -> None:
    name, argument = first_child(node.child_by_field_name("name")), node.child_by_field_name("argument")
    if name is None or name.type != "word":
        return
    if x.text(name) in ("source", "."):
        if argument is not None:
            x.bind_import(node, x.text(argument).strip("'\""), level=1, star=True)
    else:
        x.refer("call", name, name)


TABLES = (
    Language(
        name="bash",
        grammar="tree_sitter_bash:language",
        extensions=(".sh", ".bash"),
        interpreters=("sh", "bash", "dash", "ksh", "zsh"),
        enter={"function_definition": _function, "declaration_command": _declaration, "command": _command},
    ),
)
