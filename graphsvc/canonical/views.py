"""The views and macros of ``views.sql`` and ``macros.sql``, made only where a statement uses them.

Making all of them costs more than most questions do, so a connection gets those that a statement names, and
those that they are made of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from graphsvc.canonical import sql

__all__ = ["Reading", "definition_of", "needed", "reading_of"]

_START = re.compile(r"^CREATE OR REPLACE TEMP (?:VIEW|MACRO) (\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"--.*")


class _Definition(NamedTuple):
    """The statement that makes a view or macro, and the others that it is made of."""

    statement: str
    uses: frozenset[str]


@cache
def _definitions() -> Mapping[str, _Definition]:
    """All definitions by name."""
    statements: dict[str, str] = {}
    for name in ("macros.sql", "views.sql"):
        text = sql.load("graphsvc.canonical", name)
        starts = list(_START.finditer(text))
        for found, following in zip(
            starts, [*(start.start() for start in starts[1:]), len(text)], strict=True
        ):
            statement, _, _ = text[found.start() : following].partition(";\n")
            statements[found[1]] = statement
    return {
        name: _Definition(statement, frozenset(_WORD.findall(statement)) & statements.keys() - {name})
        for name, statement in statements.items()
    }


def needed(statement: str, made: set[str]) -> Iterator[str]:
    """Statements to run before ``statement``: what makes the views and macros that it uses, each after its parts.

    Args:
        statement: SQL that is about to run.
        made: Names that the connection has already; those of the statements given are added.

    >>> made = set()
    >>> [text.split()[5] for text in needed("SELECT * FROM present_document", made)]
    ['withdrawn', 'present_document']
    >>> sorted(made), list(needed("SELECT * FROM withdrawn", made))
    (['present_document', 'withdrawn'], [])
    """
    definitions = _definitions()
    for name in sorted(set(_WORD.findall(statement)) & definitions.keys() - made):
        if name not in made:
            made.add(name)
            yield from needed(definitions[name].statement, made)
            yield definitions[name].statement


class Reading(NamedTuple):
    """What a statement reads.

    Attributes:
        names: All names in it and in the views and macros that it is made of, those of columns included.
        text: The statement, and the definitions of these views and macros.
    """

    names: frozenset[str]
    text: str


def reading_of(statement: str, ends: Collection[str] = ()) -> Reading:
    """What a statement reads, through views and macros.

    Args:
        statement: SQL.
        ends: Views that are not looked into.

    >>> sorted(reading_of("FROM present_document").names & {"document", "tombstone", "part"})
    ['document', 'tombstone']
    >>> "tombstone" in reading_of("FROM present_document", ends={"withdrawn"}).names
    False
    """
    definitions = _definitions()
    names: set[str] = set()
    texts, left = {"": statement}, [statement]
    while left:
        found = set(_WORD.findall(_COMMENT.sub("", left.pop())))
        names |= found
        for name in found & definitions.keys() - texts.keys() - set(ends):
            texts[name] = definitions[name].statement
            left.append(texts[name])
    return Reading(frozenset(names), "\x1e".join(texts[name] for name in sorted(texts)))


def definition_of(view: str) -> str:
    """The statement that makes a view or macro."""
    return _definitions()[view].statement
