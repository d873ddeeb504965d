"""Extraction of one source file: parsed with tree-sitter, and read in one iterative walk over the tree.

What the walk does at a node is said by the table of the language (:mod:`loaders.languages`). The result
depends on the bytes and the language alone, never on a path, so it can be stored per blob and used by every
snapshot that holds the blob.

>>> found = extract(b"class Cart:\\n    def total(self):\\n        return add(self.items)\\n", "python")
>>> [(s.kind, s.descriptor, s.line) for s in found.symbols]
[('class', 'Cart#', 1), ('method', 'Cart#total().', 2)]
>>> [(r.kind, r.name, r.enclosing) for r in found.references]
[('call', 'add', 1), ('read', 'items', 1)]
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from graphsvc.errors import BudgetExhausted, InvalidInput
from loaders.extraction import PARSE_SECONDS, Action, Extraction, Extractor, Language, Values
from loaders.languages import LANGUAGES

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

__all__ = ["extract"]

_ERROR_KIND = 65535  # tree-sitter's reserved symbol of ERROR nodes


def extract(
    data: bytes,
    language: str,
    *,
    seconds: float = PARSE_SECONDS,
    around: Sequence[tuple[int, int]] | None = None,
) -> Extraction:
    """Read one file, or a part of one.

    Args:
        data: Bytes of the file, in any encoding that extends ASCII; offsets count these bytes.
        language: Name of a language in :mod:`loaders.languages`.
        seconds: Time that the parser may take.
        around: Byte ranges; of the constructs at top level only those are read that overlap one of them. Descriptors
            and spans are those of the whole file, but overloads are told apart only from each other.

    Raises:
        InvalidInput: There is no such language.
        BudgetExhausted: The parser did not finish in time.
    """
    parser, actions, fields, table = _machinery(language, seconds)
    try:
        tree = parser.parse(table.prepare(data))
    except ValueError as error:
        parser.reset()
        raise BudgetExhausted(f"the {language} parser did not finish a file", limit=f"{seconds} s") from error
    extractor = Extractor(data, table.state())
    for start in [tree] if around is None else _overlapping(tree.root_node.children, around):
        extractor.walk(start, actions, fields)
    if table.finish and around is None:
        table.finish(extractor)
    return extractor.finish(language, has_error=tree.root_node.has_error)


def _overlapping(nodes: Iterable[Node], ranges: Sequence[tuple[int, int]]) -> list[Node]:
    return [
        node
        for node in nodes
        if any(start < node.end_byte and node.start_byte < max(end, start + 1) for start, end in ranges)
    ]


@cache
def _machinery(name: str, seconds: float) -> tuple[Parser, dict[int, Action], list[str | None], Language]:
    import tree_sitter

    language = LANGUAGES.get(name)
    if language is None:
        raise InvalidInput(f"there is no table for the language {name!r}", hint=f"one of {sorted(LANGUAGES)}")
    package, _, function = language.grammar.partition(":")
    grammar = tree_sitter.Language(getattr(importlib.import_module(package), function)())
    with warnings.catch_warnings():
        # Deprecated in favour of progress_callback, which is ignored for bytes and crashes for a reader.
        warnings.simplefilter("ignore", DeprecationWarning)
        parser = tree_sitter.Parser(grammar, timeout_micros=int(seconds * 1_000_000))
    fields = [None, *(grammar.field_name_for_id(number + 1) for number in range(grammar.field_count))]
    return parser, _by_kind_id(grammar, language), fields, language


def _by_kind_id(grammar: Any, language: Language) -> dict[int, Action]:
    """A language's table by the grammar's kind ids, which are cheaper to ask a node for than its type."""
    actions = {_ERROR_KIND: Action(Extractor.count_error, _forget, True)}
    for number in range(grammar.node_kind_count):
        kind = grammar.node_kind_for_id(number)
        enter = Extractor.note_comment if kind in language.comments else language.enter.get(kind)
        leave, descends = language.leave.get(kind), kind not in language.skip
        if grammar.node_kind_is_named(number) and (enter or leave or not descends):
            actions[number] = Action(enter, leave, descends)
    return actions


def _forget(x: Extractor, node: Node, values: Values) -> None:
    """What the parser could not place in a construct must not be taken for a part of the enclosing one."""
