"""Is search exact, does it page exactly, how long does it take, and how large is its index?

``python -m benchmarks.search_latency --store PATH [--literals N] [--questions N] [--json]``

Literals are cut at random out of the evidence, and their occurrences compared with a scan of all texts; questions are
prompts and commit titles of the store. Times are wall clock, warm and in one process, but for the command line.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ranks import Figure, report
from graphsvc.canonical.batch import Span
from graphsvc.ids import SegmentId
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.literals import decoded
from graphsvc.text_index.passage import spans

__all__ = ["main"]

_SEED = 7
_BETWEEN = "\0"
_QUESTIONS = """
SELECT title AS text FROM present_commit
UNION ALL SELECT left(text, 120) FROM message WHERE channel = 'prompt' AND origin = 'typed'
ORDER BY sha256(text) LIMIT $limit
"""


def _texts(kb: KnowledgeBase) -> list[str]:
    """What every string of present evidence says, read from the canonical store; each place once."""
    published = PublishedText.open(kb.store)
    passages = [one for one in published.index.passages() if one.grain == "occurrence" and one.is_present]
    published.close()
    said: dict[tuple[str, int, int], str] = {}
    with kb.store.read() as reader:
        evidence = reader.spans(Span(SegmentId(one.segment), one.start, one.end) for one in passages)
    for one, data in zip(passages, evidence, strict=True):
        if one.kind == "symbol":
            continue  # its file says the same
        for start, end in spans(one):
            [text] = decoded(data, [(start, end)], is_json=one.is_json)
            said[one.segment, one.start + start, one.start + end] = text
    return sorted(said.values())


def _literals(texts: list[str], count: int) -> Iterator[str]:
    """Random pieces of 4 to 40 characters of random texts."""
    rng = random.Random(_SEED)
    while count:
        text, length = rng.choice(texts), rng.randint(4, 40)
        start = rng.randrange(max(1, len(text) - length + 1))
        literal = text[start : start + length]
        if len(literal) == length and literal.strip() and _BETWEEN not in literal:
            count -= 1
            yield literal


def _inexact(kb: KnowledgeBase, texts: list[str], count: int) -> int:
    """Literals whose occurrences are not those that a scan of all evidence counts."""
    wrong, whole = 0, _BETWEEN.join(texts)
    for literal in _literals(texts, count):
        answer = kb.search(literal, mode="exact", limit=1_000_000)
        places = {f"{row['segment']}:{place}" for row in answer for place in row["ranges"]}
        wrong += len(places) != whole.count(literal)
    return wrong


def _pages_differ(kb: KnowledgeBase, questions: list[str], size: int = 50) -> int:
    """Questions whose pages together are not the whole answer."""
    wrong = 0
    for question in questions:
        whole = kb.search(question, limit=100_000).rows
        rows: list[tuple[object, ...]] = []
        token = None
        while True:
            page = kb.search(question, limit=size, continuation=token)
            rows += page.rows
            if (token := page.continuation) is None:
                break
        wrong += rows != whole
    return wrong


def _answered_otherwise(kb: KnowledgeBase, other: KnowledgeBase, questions: list[str]) -> int:
    """Questions to which two stores give different rows or totals."""
    wrong = 0
    for question in questions:
        ours, theirs = kb.search(question), other.search(question)
        wrong += (ours.rows, ours.total) != (theirs.rows, theirs.total)
    return wrong


def _times(kb: KnowledgeBase, questions: list[str]) -> list[float]:
    """Milliseconds of each question, in order of length."""
    times = []
    for question in questions:
        begun = time.perf_counter()
        kb.search(question)
        times.append(1000 * (time.perf_counter() - begun))
    return sorted(times)


def _late_page(kb: KnowledgeBase, question: str, number: int = 50) -> float:
    """Time of a late page by that of the first one."""
    begun = time.perf_counter()
    page = kb.search(question, limit=5)
    first = time.perf_counter() - begun
    for _ in range(number - 1):
        if page.continuation is None:
            break
        begun = time.perf_counter()
        page = kb.search(question, limit=5, continuation=page.continuation)
    return (time.perf_counter() - begun) / first


def _command(store: Path, question: str) -> float:
    """Milliseconds of the command line, the best of three."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "graphsvc", "--store", str(store), "search", question, "--format", "json"],
            check=True,
            capture_output=True,
        )
        times.append(1000 * (time.perf_counter() - begun))
    return min(times)


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True)
    parser.add_argument("--other", type=Path, help="a store of the same that was built in another order")
    parser.add_argument("--literals", type=int, default=500)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    kb = KnowledgeBase.open(options.store)
    with kb.store.read() as reader:
        questions = [str(text) for (text,) in reader.rows(_QUESTIONS, {"limit": options.questions})]
    questions = [question for question in questions if question.strip()]
    _times(kb, questions[:10])
    times = _times(kb, questions)
    said = kb.store.generations()[0].text_index
    figures = [
        Figure("warm, ms: median", times[len(times) // 2], at_most=60),
        Figure("warm, ms: 95 of 100", times[len(times) * 95 // 100], at_most=200),
        Figure("command line, ms", _command(options.store, questions[0]), at_most=600),
        Figure("page 50 by page 1", _late_page(kb, "error in the test"), at_most=2),
        Figure("index by text", said["index_bytes"] / said["text_bytes"], at_most=0.5),
        Figure(
            "literals found elsewhere than by a scan",
            _inexact(kb, _texts(kb), options.literals),
            at_most=0,
        ),
        Figure("questions that page otherwise", _pages_differ(kb, questions), at_most=0),
    ]
    if options.other is not None:
        other = KnowledgeBase.open(options.other)
        differing = _answered_otherwise(kb, other, questions)
        figures.append(Figure("questions that a store of other order differs in", differing, at_most=0))
    return report(figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
