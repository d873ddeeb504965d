"""Summaries: the sentences that say most of what a session was about, as they stand in it.

A summary is made of its sources alone, by arithmetic on counts of words: the same sources give the same summary. It is
known by its session and a digest of its sources, and never replaces them: each sentence has its place, and `expand`
gives every source back.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from graphsvc.text_index.literals import Literal
from graphsvc.text_index.passage import Passage
from graphsvc.text_index.words import content_words
from queries.retrieval.channels import standing

__all__ = ["Extract", "Source", "extracts", "summary_id"]

_SPOKEN = frozenset({"prompt", "answer"})
_SENTENCES = 7
_SHORTEST, _LONGEST = 4, 60
_COMMON = 20
_UNIT = 1024


class Source(NamedTuple):
    """A piece of evidence of a session, in order: its passage, and its text as far as that can be given."""

    passage: Passage
    text: str | None


class Extract(NamedTuple):
    """A sentence, the passage that it stands in, and its place in the passage's segment."""

    passage: Passage
    text: str
    start: int
    end: int


def summary_id(session: str, sources: Iterable[Source]) -> str:
    """What a summary of these sources is known by: the session, and a digest of which sources there were.

    It does not depend on which of them can be read today.
    """
    keys = "\x1f".join(sorted(source.passage.key for source in sources))
    return f"{session}@{hashlib.sha256(keys.encode()).hexdigest()[:16]}"


def extracts(sources: Sequence[Source], read: Callable[[Passage], bytes]) -> list[Extract]:
    """The sentences of a summary, in the order of their sources.

    Args:
        sources: All pieces of evidence of a session, in order.
        read: Gives the text of a passage as its evidence writes it.
    """
    sentences = [
        (place, sentence)
        for place, source in enumerate(sources)
        if source.text and source.passage.kind in _SPOKEN and source.passage.is_present
        for sentence in _sentences(source.text)
    ]
    counts = Counter(word for _, sentence in sentences for word in set(content_words(sentence)))
    chosen = sorted(_chosen(sentences, counts))
    return [
        extract
        for place, _, sentence in chosen
        if (extract := _placed(sources[place].passage, sentence, read)) is not None
    ]


def _sentences(text: str) -> Iterator[str]:
    """Sentences of a text that are long enough to say something and short enough to be one.

    >>> list(_sentences("Yes. The cache is stale after a rename, so I clear it.\\nDone"))
    ['The cache is stale after a rename, so I clear it.']
    """
    for line in text.splitlines():
        for sentence in re.split(r"(?<=[.!?])\s+", line.strip()):
            if _SHORTEST <= len(sentence.split()) <= _LONGEST:
                yield sentence


def _chosen(sentences: list[tuple[int, str]], counts: Counter[str]) -> Iterator[tuple[int, int, str]]:
    """The first sentence, which is what was asked for, and those that have most of the words that return, each of which
    says something that the ones before did not: place of the source, number of the sentence, sentence."""
    scored = []
    for number, (place, sentence) in enumerate(sentences):
        words = set(content_words(sentence))
        score = sum(min(counts[word], _COMMON) for word in words) * _UNIT // (len(words) + 8)
        scored.append((number != 0, -score, number, place, sentence, words))
    said: set[str] = set()
    taken = 0
    for _, _, number, place, sentence, words in sorted(scored, key=lambda one: one[:3]):
        if taken < _SENTENCES and len(words - said) * 2 > len(words):
            said |= words
            taken += 1
            yield place, number, sentence


def _placed(passage: Passage, sentence: str, read: Callable[[Passage], bytes]) -> Extract | None:
    """The sentence where it stands first."""
    found = standing(Literal(sentence), passage, read(passage))
    return Extract(passage, sentence, *found[0]) if found else None
