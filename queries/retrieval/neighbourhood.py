"""The graph channel: what stands next to what a question names, and next to what is like it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from graphsvc.canonical import sql
from graphsvc.graph.reader import GraphReader
from graphsvc.ids import commit_id
from graphsvc.text_index.index import SCORE_UNIT, Hit
from graphsvc.text_index.passage import Passage

__all__ = ["callers_and_called", "changed_files", "neighbours"]

_SEEDS = 8
_LABELS = {"symbol": "neighbours_symbol", "file": "neighbours_file", "commit": "neighbours_commit"}
_NEIGHBOUR_POINTS = 2 * SCORE_UNIT
_CALL_SHARE = 5


def neighbours(graph: GraphReader, named: Iterable[Passage]) -> Counter[str]:
    """Points of what stands next to named symbols, files and commits, by what a passage is about.

    A neighbour of several of them has the points of each; where one has many neighbours they have fewer, because it
    says little to stand next to what everything stands next to.

    Args:
        graph: The graph of the generation that the passages are of.
        named: The passages; of further ones than the first eight of a kind the neighbours are left out.
    """
    points: Counter[str] = Counter()
    seeds: Counter[str] = Counter()
    for passage in named:
        seeds[passage.kind] += 1
        if passage.kind in _LABELS and seeds[passage.kind] <= _SEEDS:
            found = set(_next_to(graph, passage))
            for subject in found:
                points[subject] += _NEIGHBOUR_POINTS // (1 + len(found).bit_length())
    return points


def changed_files(graph: GraphReader, commits: Iterable[Hit]) -> Counter[str]:
    """Points of the files that commits changed, by the file's id: those of the commit, the fewer the more files it
    changed."""
    scores: dict[str, int] = {
        commit_id(hit.passage.repository, hit.passage.subject): hit.score
        for hit in commits
        if hit.passage.repository is not None
    }
    if not scores:
        return Counter()
    changed: dict[str, list[str]] = {}
    statement = sql.load("queries", "cypher/files_of_commits.cypher")
    for row in graph.rows(statement, {"ids": list(scores)}).items:
        changed.setdefault(str(row["commit"]), []).append(str(row["id"]))
    points: Counter[str] = Counter()
    for commit, files in changed.items():
        for subject in files:
            points[subject] += scores[commit] // (1 + len(files).bit_length())
    return points


def callers_and_called(graph: GraphReader, definitions: Iterable[Hit]) -> Counter[str]:
    """Points of the symbols that call definitions or are called by them: a part of those of the best of these."""
    scores = {hit.passage.subject: hit.score for hit in definitions}
    points: Counter[str] = Counter()
    if scores:
        statement = sql.load("queries", "cypher/calls_of_symbols.cypher")
        for row in graph.rows(statement, {"ids": list(scores)}).items:
            other = str(row["other"])
            points[other] = max(points[other], scores[str(row["id"])] // _CALL_SHARE)
    return points


def _next_to(graph: GraphReader, passage: Passage) -> Iterator[str]:
    identity: str = passage.subject
    if passage.kind == "commit" and passage.repository is not None:
        identity = commit_id(passage.repository, identity)
    statement = sql.load("queries", f"cypher/{_LABELS[passage.kind]}.cypher")
    return (str(row["id"]) for row in graph.rows(statement, {"id": identity}).items)
