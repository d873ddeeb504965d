"""The pipeline of a search, from the frozen request to the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphsvc.answers import Table
from graphsvc.errors import ContinuationRejected
from graphsvc.published import PublishedText
from queries.retrieval.channels import Channel, gather
from queries.retrieval.continuation import Binding, open_token, sign
from queries.retrieval.hydration import Hydrated, Retained, hydrate
from queries.retrieval.ranking import RANKING_VERSION, Excluded, Item, Key, rank
from queries.retrieval.request import Budget, Request

__all__ = ["COLUMNS", "Page", "search"]

COLUMNS = (
    "rank", "kind", "id", "session", "turn", "path", "occurred_at", "text", "availability", "score", "match",
    "copies", "segment", "start_byte", "end_byte", "ranges", "points",
)  # fmt: skip
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of an answer.

    Attributes:
        table: Its rows, as `COLUMNS` has them.
        continuation: Token of the next page; None on the last.
        total: Rows of the whole answer.
        trace: How the answer came about: what became of each channel, the commits that speak for the
            page's sessions, and what caps left out of the whole answer.
    """

    table: Table
    continuation: str | None
    total: int
    trace: tuple[str, ...]


def search(
    text: PublishedText,
    retained: Retained,
    secret: bytes,
    request: Request,
    *,
    limit: int = 20,
    continuation: str | None = None,
    budget: Budget | None = None,
) -> Page:
    """Answer a request.

    Args:
        text: The text index of a published generation.
        retained: Gives those of some segments that the canonical store has.
        secret: The store's secret, which signs continuations.
        request: What is asked.
        limit: Most rows of a page.
        continuation: Token of the page before.
        budget: Most text that the page gives.

    Raises:
        ContinuationRejected: The token does not fit the request or the store.
        InvalidInput: The pattern is no regular expression, or the grain and the surfaces exclude each other.
    """
    binding = Binding(
        query=request.digest,
        filters=request.filter_digest,
        scope=request.scope_digest,
        generation=text.generation.number,
        watermark=text.generation.watermark,
        ranking=RANKING_VERSION,
        page_size=limit,
    )
    after = open_token(secret, continuation, binding) if continuation is not None else None
    candidates = gather(text, request)
    items, excluded = rank(candidates, request)
    first = 0 if after is None else _place_after(items, after)
    page = items[first : first + limit]
    rest = len(items) - first - len(page)
    token = sign(secret, binding, page[-1].key) if rest and page else None
    hydrated = hydrate(
        page,
        request.text,
        text.read,
        retained,
        budget=None if budget is None else budget.byte_count,
    )
    rows = [
        _row(first + place, item, filled)
        for place, (item, filled) in enumerate(zip(page, hydrated, strict=True), start=1)
    ]
    notes = tuple(_notes(request, candidates.channels, excluded, hydrated, budget, rest))
    trace = (
        *(channel.sentence() for channel in candidates.channels),
        *(
            f"session {item.passage.subject} produced commit {item.commit.subject}: {item.commit.title}"
            for item in page
            if item.commit is not None
        ),
        *(f"left out {one.key}: {one.rule}" for one in excluded),
    )
    return Page(Table(COLUMNS, rows, notes), token, len(items), trace)


def _place_after(items: list[Item], after: Key) -> int:
    """Where a page begins that follows the row with this sort key."""
    for place, item in enumerate(items, start=1):
        if item.key == after:
            return place
    raise ContinuationRejected("the answer has no row where the page before ended", binding="last")


def _row(place: int, item: Item, hydrated: Hydrated) -> tuple[object, ...]:
    passage = item.passage
    occurred_at = None
    if passage.occurred_at is not None:
        occurred_at = _EPOCH + timedelta(microseconds=passage.occurred_at)
    return (
        place,
        passage.kind,
        passage.subject,
        passage.session,
        passage.turn,
        passage.path,
        occurred_at,
        hydrated.text,
        hydrated.availability,
        -item.key[1],
        _match(item),
        item.copies,
        passage.segment,
        item.ranges[0][0] if item.ranges else passage.start,
        item.ranges[0][1] if item.ranges else passage.end,
        [f"{start}-{end}" for start, end in item.ranges],
        ", ".join(f"{channel} {points}" for channel, points in sorted(item.points.items())),
    )


def _match(item: Item) -> str:
    """How a row came into the answer: as exact, by its name, by its words, or by what it stands next to."""
    if item.is_exact:
        return "exact"
    if "identifier" in item.points:
        return "name"
    is_near = item.points.keys() <= {"graph", "file", "time"} and bool(item.points)
    return "graph" if is_near else "words"


def _notes(
    request: Request,
    channels: Iterable[Channel],
    excluded: list[Excluded],
    hydrated: list[Hydrated],
    budget: Budget | None,
    rest: int,
) -> Iterable[str]:
    """What the reader must know: what is capped, left out, unavailable, cut off, and how much is left."""
    yield from (channel.sentence() for channel in channels if channel.state != "whole")
    is_timed = request.since is not None or request.before is not None
    if is_timed and (not request.surfaces or "code" in request.surfaces):
        yield "what has no time of its own, as code, is left out by a time"
    if excluded:
        yield f"{len(excluded)} left out by caps a session: see them with --explain or --grain turn"
    for availability in ("retained_missing", "corrupt"):
        if count := sum(row.availability == availability for row in hydrated):
            yield f"{count} {availability}"
    if budget is not None and (cut := sum(row.availability == "budget" for row in hydrated)):
        yield f"the budget of {budget.written} leaves out the text of {cut} rows"
    if rest > 0:
        yield f"{rest} more rows"
