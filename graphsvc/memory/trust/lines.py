"""Sets of line numbers, as ordered ranges that neither touch nor overlap, both ends included."""

from __future__ import annotations

__all__ = ["Lines", "covers", "intersect", "subtract", "unite"]

Lines = tuple[tuple[int, int], ...]


def unite(one: Lines, other: Lines) -> Lines:
    """Lines in either set.

    >>> unite(((1, 3),), ((4, 5), (9, 9)))
    ((1, 5), (9, 9))
    """
    result: list[tuple[int, int]] = []
    for first, last in sorted((*one, *other)):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], last))
        elif first <= last:
            result.append((first, last))
    return tuple(result)


def intersect(lines: Lines, first: int, last: int) -> Lines:
    """Lines of the set within a range.

    >>> intersect(((1, 5), (8, 9)), 4, 8)
    ((4, 5), (8, 8))
    """
    cut = ((max(start, first), min(end, last)) for start, end in lines)
    return tuple((start, end) for start, end in cut if start <= end)


def subtract(lines: Lines, first: int, last: int) -> Lines:
    """Lines of the set outside a range.

    >>> subtract(((1, 5),), 2, 3)
    ((1, 1), (4, 5))
    """
    pieces = (
        piece for start, end in lines for piece in ((start, min(end, first - 1)), (max(start, last + 1), end))
    )
    return tuple((start, end) for start, end in pieces if start <= end)


def covers(lines: Lines, first: int, last: int) -> bool:
    """Whether every line of a range is in the set."""
    return any(start <= first and last <= end for start, end in lines)
