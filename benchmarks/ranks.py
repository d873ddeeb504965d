"""Figures of ranked answers against what should have been found, and the table that benchmarks print."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field

__all__ = ["Figure", "Ranks", "report"]


@dataclass
class Ranks:
    """Sums over questions."""

    questions: int = 0
    sums: Counter[str] = field(default_factory=Counter)

    def add(self, found: Sequence[str], gold: Collection[str]) -> None:
        """Count one question: what was found, best first, and what should have been."""
        first = next((place for place, name in enumerate(found) if name in gold), None)
        self.questions += 1
        if first is not None:
            for k in (1, 5, 10):
                self.sums[f"hit@{k}"] += first < k
            self.sums["MRR"] += 1 / (first + 1)  # type: ignore[assignment]
        self.sums["recall@10"] += len(set(found[:10]) & set(gold)) / len(set(gold))  # type: ignore[assignment]

    @classmethod
    def of_all(cls, parts: Iterable[Ranks]) -> Ranks:
        """What questions of several kinds give together."""
        whole = cls()
        for part in parts:
            whole.questions += part.questions
            whole.sums.update(part.sums)
        return whole

    def mean(self, name: str) -> float:
        """Mean of hit@1, hit@5, hit@10, MRR or recall@10."""
        return self.sums[name] / self.questions if self.questions else 0.0


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure, the baseline's in the same run, and the least or most that is good enough."""

    name: str
    value: float
    baseline: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the figure is good enough."""
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )


def report(figures: Iterable[Figure], *, as_json: bool) -> int:
    """Print figures; the exit status, 1 where one falls short."""
    figures = list(figures)
    if as_json:
        print(json.dumps([asdict(one) | {"holds": one.holds} for one in figures], indent=2))
    else:
        print(f"{'figure':44} {'value':>9} {'baseline':>9} {'bound':>10}")
        for one in figures:
            baseline = "" if one.baseline is None else f"{one.baseline:.3f}"
            bound = "" if one.at_least is None else f">= {one.at_least:g}"
            bound = bound if one.at_most is None else f"<= {one.at_most:g}"
            short = "" if one.holds else "  falls short"
            print(f"{one.name:44} {one.value:9.3f} {baseline:>9} {bound:>10}{short}")
    sys.stdout.flush()
    return int(not all(one.holds for one in figures))
