"""A plain BM25 over words in lower case: the baseline that search is measured against in the same run."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping

__all__ = ["Bm25"]

_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75


class Bm25:
    """An index of documents by name.

    >>> Bm25({"a": "the cat sat", "b": "the dog ran"}).ranked("a cat")
    ['a']
    """

    def __init__(self, documents: Mapping[str, str]) -> None:
        self._counts = {name: Counter(_words(text)) for name, text in documents.items()}
        self._lengths = {name: sum(counts.values()) for name, counts in self._counts.items()}
        self._mean = sum(self._lengths.values()) / max(1, len(documents)) or 1.0
        self._holders: dict[str, list[str]] = {}
        for name, counts in self._counts.items():
            for word in counts:
                self._holders.setdefault(word, []).append(name)

    def ranked(self, question: str) -> list[str]:
        """Names of all documents that have a word of the question, best first."""
        scores: Counter[str] = Counter()
        for word in set(_words(question)):
            holders = self._holders.get(word, ())
            rarity = math.log(1 + (len(self._counts) - len(holders) + 0.5) / (len(holders) + 0.5))
            for name in holders:
                count = self._counts[name][word]
                damped = count + _K1 * (1 - _B + _B * self._lengths[name] / self._mean)
                scores[name] += rarity * count * (_K1 + 1) / damped  # type: ignore[assignment]
        return sorted(scores, key=lambda name: (-scores[name], name))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
