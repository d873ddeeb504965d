"""Hydration: evidence is read after the page is fixed, and what cannot be read keeps its place with a reason."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from graphsvc.canonical.reader import Reader
from graphsvc.errors import Corrupt
from graphsvc.text_index.literals import decoded
from graphsvc.text_index.passage import Passage, in_order_of_place, runs, text_digest
from graphsvc.text_index.words import question_words
from queries.retrieval.ranking import Item

__all__ = ["Hydrated", "Retained", "excerpt", "hydrate", "retained_in", "whole_text"]

Retained = Callable[[Iterable[str]], set[str]]
"""Gives those of some segments that the canonical store has."""

_RETAINED = "SELECT segment FROM segment WHERE segment IN (SELECT unnest($segments))"

_AROUND = 160
"""Characters that an excerpt shows."""


@dataclass(frozen=True, slots=True)
class Hydrated:
    """A row's text.

    Attributes:
        text: An excerpt around what was looked for; None where it is not available or the budget is spent.
        availability: available, retained_missing, corrupt, or budget.
    """

    text: str | None
    availability: str


def retained_in(reader: Reader, segments: Iterable[str]) -> set[str]:
    """Those of some segments that the store has."""
    return {str(segment) for (segment,) in reader.rows(_RETAINED, {"segments": sorted(set(segments))})}


def hydrate(
    items: Sequence[Item],
    question: str,
    read: Callable[[Passage], bytes],
    retained: Retained,
    *,
    budget: int | None = None,
) -> list[Hydrated]:
    """Texts of the rows of a page, one a row and in their order.

    Args:
        items: The rows.
        question: What was looked for.
        read: Gives the text of a passage as its evidence writes it.
        retained: Those of some segments that the canonical store has.
        budget: Most bytes of text in all; None for no limit.
    """
    known = retained({item.passage.segment for item in items})
    passages = {item.passage.key: item.passage for item in items}
    texts = {one.key: _one(one, question, read, known) for one in in_order_of_place(passages.values())}
    left = budget
    rows = []
    for item in items:
        row = texts[item.passage.key]
        if row.text is not None and left is not None:
            size = len(row.text.encode())
            if size > left:
                row = Hydrated(None, "budget")
            left = max(0, left - size)
        rows.append(row)
    return rows


def _one(passage: Passage, question: str, read: Callable[[Passage], bytes], known: set[str]) -> Hydrated:
    whole = whole_text(passage, read, known)
    if whole.text is None:
        return whole
    return Hydrated(excerpt(whole.text, question) if whole.text else passage.title, "available")


def whole_text(passage: Passage, read: Callable[[Passage], bytes], known: Container[str]) -> Hydrated:
    """All that a passage says, or why it cannot be given.

    Args:
        passage: The passage.
        read: Gives the text of a passage as its evidence writes it.
        known: Segments that the canonical store has.
    """
    if passage.segment not in known:
        return Hydrated(None, "retained_missing")
    try:
        written = read(passage)
    except Corrupt:
        return Hydrated(None, "corrupt")
    text = "\n".join(decoded(written, runs(passage), is_json=passage.is_json))
    if passage.grain == "occurrence" and text_digest(text) != passage.digest:
        return Hydrated(None, "corrupt")
    return Hydrated(text, "available")


def excerpt(text: str, question: str) -> str:
    """The text around the question, else around the first of its longest words, on one line."""
    lowered = text.lower()
    words = sorted(question_words(question), key=len, reverse=True)
    places = (lowered.find(word) for word in (question.lower(), *words))
    at = next((place for place in places if place >= 0), 0)
    start = max(0, at - _AROUND // 4)
    if start:
        start = max(start, text.find(" ", start, at) + 1)
    return " ".join(text[start : start + _AROUND].split())
