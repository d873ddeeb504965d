"""Which columns of a table fit the width that there is, and how short its ids can be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Fitted", "fitted", "short_ids", "short_words"]

_ID = re.compile(r"(?:[a-z]+_)?[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGITS = 12
_GAP = 2
_TEXT = 30
"""Cells that are wider than that are text, which may be folded."""

_LEAST_TEXT = 24
"""Width that a column of text needs to be read."""

_NUMBER = re.compile(r"[-+0-9.e]*|yes|no|nan")


class Fitted(NamedTuple):
    """A table that fits, as far as it can.

    Attributes:
        columns: Titles.
        rows: Cells.
        is_text: For each column, whether its cells may be folded.
        left_out: Titles of the columns that had no room.
    """

    columns: list[str]
    rows: list[list[str]]
    is_text: list[bool]
    left_out: list[str]


def short_ids(cells: Sequence[str]) -> list[str]:
    """Ids of a column cut to beginnings of 12 digits, or as many more as tell them apart; other cells as they are.

    >>> short_ids(["turn_" + "0123456789abcdef" * 2, "main"])
    ['turn_0123456789ab', 'main']
    >>> short_ids(["0198c0de-aaaa-7000-8000-000000000001", "0198c0de-aaaa-7111-8000-000000000002"])
    ['0198c0de-aaaa-70', '0198c0de-aaaa-71']
    """
    ids = {cell for cell in cells if _ID.fullmatch(cell)}
    digits = _DIGITS
    while len({_beginning(each, digits) for each in ids}) < len(ids):
        digits += 1
    return [_beginning(cell, digits) if cell in ids else cell for cell in cells]


def short_words(text: str, width: int) -> str:
    """A text of which no word is wider than that: of longer ones, such as paths, the end is what tells them apart.

    >>> short_words("Edit /home/ada/src/parser/grammar/tokens.py", 20)
    'Edit …/grammar/tokens.py'
    """
    return " ".join(word if len(word) <= width else _end(word, width) for word in text.split(" "))


def _end(word: str, width: int) -> str:
    """The end of a word, from the beginning of a part of its path where it has parts."""
    end = word[-max(width - 1, 1) :]
    return "…" + end[max(end.find("/"), 0) :]


def _beginning(identity: str, digits: int) -> str:
    prefix, joint, rest = identity.rpartition("_")
    ends = (end for end in range(len(rest)) if end - rest.count("-", 0, end) == digits)
    return f"{prefix}{joint}{rest[: next(ends, len(rest))]}"


def fitted(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int, spare: Sequence[str] = ()
) -> Fitted:
    """Leave columns out until the rest fits: the spare ones, then numbers, then others, from the right.

    The first column stays, and so does the widest, which is what is read.

    Args:
        columns: Titles.
        rows: Cells.
        width: Characters of a line.
        spare: Titles of columns that are least missed, the least first.

    >>> fitted(["id", "text", "n"], [["1", "word " * 9, "2"]], 30)[0], fitted(["id", "n"], [], 30)[0]
    (['id', 'text'], ['id', 'n'])
    """
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    wanted = [max(map(len, (title, *column))) for title, column in zip(columns, cells, strict=True)]
    needed = [
        max(_LEAST_TEXT, len(title)) if most > _TEXT else most
        for title, most in zip(columns, wanted, strict=True)
    ]
    widest = wanted.index(max(wanted)) if wanted else 0
    places = [place for place in range(len(columns) - 1, 0, -1) if place != widest]
    places.sort(key=lambda place: not all(map(_NUMBER.fullmatch, cells[place])))
    first = [place for title in spare for place in places if columns[place] == title]
    kept = set(range(len(columns)))
    for place in dict.fromkeys((*first, *places)):
        if sum(needed[each] + _GAP for each in kept) - _GAP <= width:
            break
        kept.remove(place)
    shown = sorted(kept)
    return Fitted(
        [columns[place] for place in shown],
        [[row[place] for place in shown] for row in rows],
        [wanted[place] > _TEXT for place in shown],
        [title for place, title in enumerate(columns) if place not in kept],
    )
