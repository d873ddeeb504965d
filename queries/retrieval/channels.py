"""Channels: where candidates come from. Each says whether it gave all that it has, its best, or nothing and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from graphsvc.errors import Corrupt, GraphsvcError, InvalidInput
from graphsvc.published import PublishedText
from graphsvc.text_index.index import SCORE_UNIT, Filters, Found, Hit, TextIndex
from graphsvc.text_index.literals import Literal, Run, matches
from graphsvc.text_index.passage import Passage, in_order_of_place, runs, spans
from graphsvc.text_index.words import asks_for_action, asks_for_recent, consists_of_names, identifiers
from queries.retrieval.neighbourhood import callers_and_called, changed_files, neighbours
from queries.retrieval.request import Request

__all__ = ["POOL", "Candidates", "Channel", "Read", "gather", "standing"]

POOL = 300
"""Most candidates of a ranked channel."""

_WINDOWS = 1000
"""Most windows where sessions are asked for: each session should have its best one among them."""

_COMMITS = 100
"""Most commits whose files are candidates."""

_CALLING = 100
"""Most definitions of which those that they call or are called by are candidates."""

_RECENT = 8 * SCORE_UNIT
"""Points of the newest candidate of a question for what is recent."""

_VERIFIED = 200
"""Most candidates whose bytes a ranked search reads to see whether the literal stands in them."""

_SHARE_OF_OTHERS = (7, 10)
"""How much definitions that do nothing count where the question asks for what does something, as a fraction."""

_UNLINKED = "only those whose message names a session: run `graphsvc link`, then `graphsvc index`"
_LINKED_BEHIND = "not those of newer evidence: run `graphsvc link`, then `graphsvc index`"
_NARROWED = "only of sessions in which something else passes the filters"

Read = Callable[[Passage], bytes]
"""Gives the text of a passage as its evidence writes it."""


@dataclass(frozen=True, slots=True)
class Channel:
    """What became of a channel.

    Attributes:
        name: literal, regex, identifier, words, windows, sessions, commits, files, graph or time.
        state: ``whole``, ``capped`` at its best candidates, ``partial``, or ``unavailable``.
        given: Candidates that it gave.
        total: Candidates that it has, where that is known.
        reason: Why it is not whole.
    """

    name: str
    state: OneOf["whole", "capped", "partial", "unavailable"]
    given: int
    total: int
    reason: str = ""

    def sentence(self) -> str:
        """The channel in a few words, where it is not whole."""
        said = f"best {self.given} of {self.total}" if self.state == "capped" else self.state
        return f"{self.name}: {said}{f' ({self.reason})' if self.reason else ''}"


@dataclass
class Candidates:
    """What the channels gave.

    Attributes:
        passages: Pieces of evidence by key.
        points: For each of them the points of each channel, in the engine's unit.
        ranges: Where the text stands in each, as offsets in the segment.
        windows: Points of messages with those beside them, by the message's key, and their passages.
        sessions: Points of sessions by key, and the sessions' passages.
        commits: For each session, where sessions are asked for, the commit that it produced that is most like the
            question.
        files: Points of files by repository and path, where definitions are asked for, and the files' passages.
        channels: What became of each channel.
        asks_by_name: The question asks for what bears its names.
    """

    passages: dict[str, Passage] = field(default_factory=dict)
    points: dict[str, dict[str, int]] = field(default_factory=dict)
    ranges: dict[str, tuple[Run, ...]] = field(default_factory=dict)
    windows: dict[str, Hit] = field(default_factory=dict)
    sessions: dict[str, Hit] = field(default_factory=dict)
    commits: dict[str, Hit] = field(default_factory=dict)
    files: dict[tuple[str | None, str | None], Hit] = field(default_factory=dict)
    channels: list[Channel] = field(default_factory=list)
    asks_by_name: bool = False

    def add(self, channel: str, passage: Passage, points: int) -> None:
        """Count a channel's points for a piece of evidence."""
        self.passages.setdefault(passage.key, passage)
        own = self.points.setdefault(passage.key, {})
        own[channel] = max(points, own.get(channel, 0))

    def note(self, name: str, found: Found, *, unreadable: int = 0) -> None:
        """Record a channel that ran, and how many of its candidates have bytes that cannot be read."""
        given = len(found.hits) - unreadable
        state: OneOf["whole", "capped"] = "whole" if given == found.total else "capped"
        reason = f"{unreadable} cannot be read" if unreadable else ""
        self.channels.append(Channel(name, state, given, found.total, reason))


def gather(text: PublishedText, request: Request) -> Candidates:
    """Candidates of all channels of the request's mode."""
    index, read = text.index, text.read
    candidates = Candidates(asks_by_name=request.mode == "identifier" or consists_of_names(request.text))
    if request.mode == "exact":
        _exact(candidates, index, read, request)
    elif request.mode == "regex":
        _regex(candidates, index, read, request)
    elif request.mode == "identifier":
        _identifier(candidates, index, request, [request.text.strip()])
    else:
        _words(candidates, index, request)
        _commits(candidates, text, request)
        _identifier(candidates, index, request, identifiers(request.text))
        _literal(candidates, index, read, request)
        _graph(candidates, text, request)
        _time(candidates, request)
    return candidates


def standing(literal: Literal, passage: Passage, text: bytes) -> tuple[Run, ...]:
    """Where a literal stands in a passage, as offsets in its segment."""
    said = runs(passage)
    return _placed(passage, said, literal.ranges(text, said, is_json=passage.is_json))


def _placed(passage: Passage, said: Sequence[Run], found: Iterable[Run]) -> tuple[Run, ...]:
    """Runs of a passage's text, which consists of those said, as offsets in its segment."""
    written, at = spans(passage), 0
    placed = []
    for start, end in found:
        while start >= said[at][1]:
            at += 1
        shift = passage.start + written[at][0] - said[at][0]
        placed.append((start + shift, end + shift))
    return tuple(placed)


def _words(candidates: Candidates, index: TextIndex, request: Request) -> None:
    """Ranked text: the pieces of evidence, and the windows, sessions and files that they are part of; where files are
    asked for, as many of them as of definitions, of which there are more."""
    by_kind = (
        [(kind,) for kind in request.filters.kinds] if request.grain == "file" else [request.filters.kinds]
    )
    for kinds in by_kind:
        found = index.ranked(request.text, replace(request.filters, kinds=kinds), POOL)
        others = _not_callable(index, request, found)
        for hit in found.hits:
            share = _SHARE_OF_OTHERS if hit.passage.key in others else (1, 1)
            candidates.add("words", hit.passage, hit.score * share[0] // share[1])
        candidates.note(" of ".join(("words", *kinds)) if request.grain == "file" else "words", found)
    if request.grain == "symbol":
        found = index.ranked(request.text, replace(request.filters, kinds=("file",)), POOL)
        candidates.files = {(hit.passage.repository, hit.passage.path): hit for hit in found.hits}
        candidates.note("files", found)
    if not _is_conversational(request):
        return
    for name, grain, scores in (
        ("windows", "window", candidates.windows),
        ("sessions", "session", candidates.sessions),
    ):
        pool = _WINDOWS if grain == "window" and request.grain == "session" else POOL
        found = index.ranked(request.text, _around(request, grain), pool)
        scores.update((hit.passage.key, hit) for hit in found.hits)
        candidates.note(name, found)


def _not_callable(index: TextIndex, request: Request, found: Found) -> set[str]:
    """Where the question asks for what does something, the definitions found that do nothing: classes, constants."""
    if request.grain != "symbol" or not found.hits or not asks_for_action(request.text):
        return set()
    subjects = tuple(hit.passage.subject for hit in found.hits)
    callables = index.matching(Filters(subjects=subjects, only_callable=True))
    return {hit.passage.key for hit in found.hits} - {hit.passage.key for hit in callables.hits}


def _commits(candidates: Candidates, text: PublishedText, request: Request) -> None:
    """Where sessions are asked for, the commits that they produced: these are short where sessions are long, and say it
    in the words of those who look for it later."""
    if request.grain != "session":
        return
    found = text.index.ranked(request.text, _around(request, "window", "commit"), POOL)
    for hit in found.hits:
        if hit.passage.session is not None:
            candidates.commits.setdefault(hit.passage.session, hit)
    reasons = [*_missing_links(text), *([_NARROWED] if request.is_narrowed and found.hits else [])]
    if reasons:
        candidates.channels.append(
            Channel("commits", "partial", len(found.hits), found.total, "; ".join(reasons))
        )
    else:
        candidates.note("commits", found)


def _missing_links(text: PublishedText) -> Iterator[str]:
    """Why an index with commits does not know all sessions that these come from."""
    said = text.generation.text_index
    is_unlinked = said.get("linked") is None
    if (is_unlinked or said.get("is_linked_behind")) and text.index.matching(
        Filters(kinds=("commit",)), 1
    ).hits:
        yield _UNLINKED if is_unlinked else _LINKED_BEHIND


def _around(request: Request, grain: str, kind: str | None = None) -> Filters:
    """Filters for windows and sessions: of the request's own only those that hold for all that is in one."""
    return Filters(
        grain=grain,
        kinds=(kind or grain,),
        agent=request.agent,
        repositories=request.repositories,
        withheld=request.withheld,
        only_present=request.temporal == "current",
    )


def _is_conversational(request: Request) -> bool:
    """Whether turns and sessions have a say: they have none in an answer of code or commits alone."""
    return request.grain not in ("symbol", "file") and (
        not request.surfaces or bool({"sessions", "memory"} & set(request.surfaces))
    )


def _identifier(candidates: Candidates, index: TextIndex, request: Request, names: list[str]) -> None:
    """What is known by a name of the question; a turn or session by the files that its tools name."""
    if not names:
        return
    found = index.named(names, request.filters, POOL)
    for hit in found.hits:
        candidates.add("identifier", hit.passage, hit.score)
    candidates.note("identifier", found)
    if request.grain in ("turn", "session"):
        grain = "window" if request.grain == "turn" else "session"
        whole = candidates.windows if request.grain == "turn" else candidates.sessions
        for hit in index.named(names, _around(request, grain), POOL).hits:
            whole.setdefault(hit.passage.key, hit)


def _graph(candidates: Candidates, text: PublishedText, request: Request) -> None:
    """What stands next to what the question names; for files, also those that commits like the question changed, and
    for definitions, those that call or are called by what is like the question."""
    named = [
        candidates.passages[key]
        for key, points in sorted(candidates.points.items())
        if "identifier" in points
    ]
    commits: list[Hit] = []
    if request.grain == "file":
        only_commits = replace(request.filters, kinds=("commit",), path=None)
        commits = text.index.ranked(request.text, only_commits, _COMMITS).hits
    alike = _best_definitions(candidates) if request.grain == "symbol" else []
    if not named and not commits and not alike:
        return
    try:
        points = neighbours(text.graph, named) + changed_files(text.graph, commits)
        points += callers_and_called(text.graph, alike)
    except GraphsvcError as error:
        candidates.channels.append(Channel("graph", "unavailable", 0, 0, error.message))
        return
    best = sorted(points, key=lambda subject: (-points[subject], subject))[:POOL]
    found = text.index.matching(replace(request.filters, subjects=tuple(best))) if best else Found([], 0)
    for hit in found.hits:
        candidates.add("graph", hit.passage, points[hit.passage.subject])
    candidates.note("graph", found)


def _best_definitions(candidates: Candidates) -> list[Hit]:
    """The definitions whose words are most like the question."""
    hits = [
        Hit(points["words"], candidates.passages[key])
        for key, points in candidates.points.items()
        if "words" in points
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.passage.key))[:_CALLING]


def _time(candidates: Candidates, request: Request) -> None:
    """Where a question asks for what is recent, the candidates by their time."""
    if not asks_for_recent(request.text):
        return
    dated = [one for one in candidates.passages.values() if one.occurred_at is not None]
    dated.sort(key=lambda one: (one.occurred_at or 0, one.key))
    for place, passage in enumerate(dated, start=1):
        candidates.add("time", passage, _RECENT * place // len(dated))
    candidates.note("time", Found([Hit(0, passage) for passage in dated], len(dated)))


def _literal(candidates: Candidates, index: TextIndex, read: Read, request: Request) -> None:
    """Places where the whole question stands as it is."""
    literal, unreadable = Literal(request.text.strip()), 0
    found = index.containing(literal.text, request.filters, _VERIFIED)
    for hit in found.hits:
        try:
            ranges = standing(literal, hit.passage, read(hit.passage))
        except Corrupt:
            ranges, unreadable = (), unreadable + 1
        if ranges:
            candidates.add("literal", hit.passage, 0)
            candidates.ranges[hit.passage.key] = ranges
    candidates.note("literal", found, unreadable=unreadable)


def _exact(candidates: Candidates, index: TextIndex, read: Read, request: Request) -> None:
    """Every place where the text stands as it is."""
    literal = Literal(request.text)
    found = index.containing(literal.text, request.filters)
    _each(candidates, "literal", found, lambda passage: standing(literal, passage, read(passage)))


def _regex(candidates: Candidates, index: TextIndex, read: Read, request: Request) -> None:
    """Every match of a pattern, in one string of the evidence each."""
    try:
        pattern = re.compile(request.text)
    except re.error as error:
        raise InvalidInput(f"{request.text!r} is no regular expression: {error}") from error
    found = index.matching(request.filters)

    def ranges(passage: Passage) -> tuple[Run, ...]:
        said = runs(passage)
        return _placed(passage, said, matches(pattern, read(passage), said, is_json=passage.is_json))

    _each(candidates, "regex", found, ranges)


def _each(
    candidates: Candidates, channel: str, found: Found, ranges_of: Callable[[Passage], tuple[Run, ...]]
) -> None:
    """Add the passages that have ranges; one that a smaller passage of the same segment has too is the same place."""
    unreadable = 0
    segments: dict[str, list[Passage]] = {}
    for passage in in_order_of_place(hit.passage for hit in found.hits):
        segments.setdefault(passage.segment, []).append(passage)
    for passages in segments.values():
        seen: set[Run] = set()
        for passage in sorted(passages, key=lambda one: (one.end - one.start, one.kind, one.key)):
            try:
                ranges = tuple(run for run in ranges_of(passage) if run not in seen)
            except Corrupt:
                ranges, unreadable = (), unreadable + 1
            if ranges:
                seen.update(ranges)
                candidates.add(channel, passage, 0)
                candidates.ranges[passage.key] = ranges
    candidates.note(channel, found, unreadable=unreadable)
