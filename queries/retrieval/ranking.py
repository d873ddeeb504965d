"""Ranking: points of the channels become one total order, in integers, and caps that say what they left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from graphsvc.text_index.index import SCORE_UNIT, Hit
from graphsvc.text_index.literals import Run
from graphsvc.text_index.passage import Passage
from queries.retrieval.channels import Candidates
from queries.retrieval.request import Request

__all__ = ["RANKING_VERSION", "Excluded", "Item", "Key", "rank"]

RANKING_VERSION = "6"
"""Changes with everything that can change the order of an answer: continuations are bound to it."""

_EXACT, _NAMED, _RANKED = 0, 1, 2
_UNDATED = 1
_WINDOW_SHARE, _SESSION_SHARE, _FILE_SHARE = (1, 2), (1, 3), (1, 5)
"""What the window, session or file around a piece of evidence adds to its points, as fractions of theirs."""

_NAME_POINTS = 4 * SCORE_UNIT
_ALONE = 4
"""Part of its points that evidence gives a session of which neither words nor turns matched."""

_COMMIT_SHARE = (1, 2)
"""How much what a session's commits say counts, beside what was said in it, as a fraction."""

_BEHIND = 6 * SCORE_UNIT
"""How far behind the best a session is that counts half as much."""

_WHOLE = 1 << 20

_PER_SESSION = 5
"""Most pieces of evidence of one session in a ranked answer: the rest are found by its turns."""

Key = tuple[int, int, int, str]
"""Sort key: class (exact, named, ranked), points negated, time negated, identity."""


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the answer before its evidence is read.

    Attributes:
        key: Its place in the order.
        passage: What it is.
        points: Points by channel, in 1/1024.
        ranges: Where the text stands, as offsets in the segment; for a rolled-up row, of its first exact place.
        copies: Proven copies that collapsed into it, itself included.
        commit: The commit that adds to a session's points.
    """

    key: Key
    passage: Passage
    points: dict[str, int]
    ranges: tuple[Run, ...] = ()
    copies: int = 1
    commit: Passage | None = None

    @property
    def is_exact(self) -> bool:
        """What was looked for stands in it as it is."""
        return self.key[0] == _EXACT


@dataclass(frozen=True, slots=True)
class Excluded:
    """A candidate that a rule left out, and the rule."""

    key: str
    rule: str


def rank(candidates: Candidates, request: Request) -> tuple[list[Item], list[Excluded]]:
    """All rows in their order, and what caps left out."""
    is_whole = request.grain in ("turn", "session")
    items = _rolled_up(candidates, request) if is_whole else list(_occurrences(candidates))
    if request.temporal == "evolution":
        return sorted(items, key=_by_time), []
    items.sort(key=lambda item: item.key)
    if request.grain == "file":
        items = sorted(_files(items), key=lambda item: item.key)
    if request.mode != "ranked" or request.grain != "occurrence":
        return items, []
    return _capped(_collapsed(items))


def _by_time(item: Item) -> tuple[bool, int, str]:
    return item.passage.occurred_at is None, item.passage.occurred_at or 0, item.key[3]


def _key(exact: int, points: int, passage: Passage) -> Key:
    time = _UNDATED if passage.occurred_at is None else -passage.occurred_at
    return exact, -points, time, passage.key


def _class(candidates: Candidates, key: str) -> int:
    if key in candidates.ranges:
        return _EXACT
    is_named = candidates.asks_by_name and "identifier" in candidates.points[key]
    return _NAMED if is_named else _RANKED


def _occurrences(candidates: Candidates) -> Iterator[Item]:
    for key, passage in candidates.passages.items():
        points = dict(candidates.points[key])
        if "identifier" in points:
            points["identifier"] = _NAME_POINTS
        if (window := candidates.windows.get(key)) is not None:
            points["window"] = _share(window, _WINDOW_SHARE)
        if (session := candidates.sessions.get(passage.session or "")) is not None:
            points["session"] = _share(session, _SESSION_SHARE)
        if (file := candidates.files.get((passage.repository, passage.path))) is not None:
            points["file"] = _share(file, _FILE_SHARE)
        exact = _class(candidates, key)
        yield Item(
            _key(exact, sum(points.values()), passage), passage, points, candidates.ranges.get(key, ())
        )


def _share(hit: Hit, share: tuple[int, int]) -> int:
    return hit.score * share[0] // share[1]


def _rolled_up(candidates: Candidates, request: Request) -> list[Item]:
    """Turns or sessions: a session's own points, those of the best window and the best tool call in it, and the class
    of what is in them."""
    windows = _best_windows(candidates, request)
    own = {key: hit for key, hit in candidates.sessions.items() if request.grain == "session"}
    best: dict[str, Item] = {}
    done: dict[str, int] = {}
    for item in _occurrences(candidates):
        whole = item.passage.turn if request.grain == "turn" else item.passage.session
        if whole and (whole not in best or item.key < best[whole].key):
            best[whole] = item
        if whole and item.passage.kind == "tool_call":
            done[whole] = max(item.points.get("words", 0), done.get(whole, 0))
    wanted = best.keys() if request.is_narrowed else best.keys() | own.keys() | windows.keys()
    items = [
        _whole(key, own.get(key), windows.get(key), best.get(key), done.get(key, 0), request)
        for key in sorted(wanted)
    ]
    commits = {key: hit for key, hit in candidates.commits.items() if not request.is_narrowed or key in best}
    return _with_commits(items, commits)


def _with_commits(items: list[Item], commits: Mapping[str, Hit]) -> list[Item]:
    """Sessions with the points that the best of their commits adds.

    The two do not add up as they are: a session says much and a commit little, so their points differ in size, and
    what tells is how far each is behind the best of its kind. That gives a share of 1 for the best and of a half for
    what is `_BEHIND` it; the shares add up, and the sum is told as the points of a session with such a share.
    """
    for key in sorted(commits.keys() - {item.passage.subject for item in items}):
        passage = _passage(key, commits[key], None, "session")
        items.append(Item(_key(_RANKED, 0, passage), passage, {}))
    best = max((sum(item.points.values()) for item in items), default=0)
    best_commit = max((hit.score for hit in commits.values()), default=0)
    lifted = []
    for item in items:
        hit, points = commits.get(item.passage.subject), sum(item.points.values())
        if hit is not None:
            share = _share_of(best - points) if points else 0
            share += _share_of(best_commit - hit.score) * _COMMIT_SHARE[0] // _COMMIT_SHARE[1]
            total = max(best + _BEHIND - _WHOLE * _BEHIND // share, points, hit.score // _ALONE)
            item = replace(
                item,
                points=item.points | {"commits": total - points},
                key=_key(item.key[0], total, item.passage),
                commit=hit.passage,
            )
        lifted.append(item)
    return lifted


def _share_of(behind: int) -> int:
    """The share of what is so many points behind the best."""
    return _WHOLE * _BEHIND // (_BEHIND + behind)


def _best_windows(candidates: Candidates, request: Request) -> dict[str, Hit]:
    """The best window of each turn or session."""
    best: dict[str, Hit] = {}
    for hit in sorted(candidates.windows.values(), key=lambda hit: (-hit.score, hit.passage.key)):
        whole = hit.passage.turn if request.grain == "turn" else hit.passage.session
        if whole:
            best.setdefault(whole, hit)
    return best


def _whole(
    key: str, own: Hit | None, window: Hit | None, inside: Item | None, done: int, request: Request
) -> Item:
    """A turn or session; its evidence is the best piece in it, where one is among the candidates."""
    points = {}
    if own is not None:
        points["own"] = own.score
    if window is not None:
        points["best window"] = window.score
    if done:
        points["best tool call"] = done
    if inside is not None and request.grain == "turn" and "session" in inside.points:
        points["session"] = inside.points["session"]
    if inside is not None and not points:
        points["evidence"] = inside.points.get("words", 0) // _ALONE
    passage = _passage(key, own or window, inside, request.grain)
    is_exact = inside is not None and inside.is_exact
    order = _key(_EXACT if is_exact else _RANKED, sum(points.values()), passage)
    return Item(order, passage, points, inside.ranges if inside is not None else ())


def _passage(key: str, own: Hit | None, inside: Item | None, grain: str) -> Passage:
    if inside is None:
        assert own is not None
        return replace(own.passage, grain=grain, kind=grain, key=key, subject=key)
    if own is None:
        return replace(inside.passage, grain=grain, kind=grain, key=key, subject=key)
    found = inside.passage
    return replace(
        own.passage,
        grain=grain,
        kind=grain,
        key=key,
        subject=key,
        segment=found.segment,
        start=found.start,
        end=found.end,
        texts=found.texts,
        is_json=found.is_json,
        digest=found.digest,
        place=found.place,
    )


def _files(items: Iterable[Item]) -> Iterator[Item]:
    """Files, each with the points of the best definition in it; the items come in order."""
    symbols: dict[tuple[str | None, str | None], int] = {}
    items = list(items)
    for item in items:
        if item.passage.kind == "symbol":
            symbols.setdefault((item.passage.repository, item.passage.path), sum(item.points.values()))
    for item in items:
        if item.passage.kind == "file":
            best = symbols.get((item.passage.repository, item.passage.path), 0)
            points = item.points | ({"best symbol": best} if best else {})
            yield replace(item, points=points, key=_key(item.key[0], sum(points.values()), item.passage))


def _collapsed(items: Iterable[Item]) -> list[Item]:
    """Items in order, copies folded into the first: the same text in the same session, said once and told twice."""
    kept: dict[tuple[str | None, str], Item] = {}
    for item in items:
        passage = item.passage
        place = passage.session or f"{passage.repository}:{passage.key}"
        same = (place, passage.digest)
        if passage.texts and same in kept:
            kept[same] = replace(kept[same], copies=kept[same].copies + 1)
        else:
            kept[same if passage.texts else (place, passage.key)] = item
    return list(kept.values())


def _capped(items: Iterable[Item]) -> tuple[list[Item], list[Excluded]]:
    """At most so many pieces of evidence of one session, exact ones always."""
    given: Counter[str] = Counter()
    kept, excluded = [], []
    for item in items:
        session = item.passage.session
        if session is None or item.is_exact or given[session] < _PER_SESSION:
            kept.append(item)
            given[session or ""] += 1
        else:
            excluded.append(Excluded(item.passage.key, f"more than {_PER_SESSION} of session {session}"))
    return kept, excluded
