"""Expansion: from a session, a turn or a summary back to every source that it consists of, whole and in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from graphsvc.published import PublishedText
from graphsvc.text_index.index import Filters
from graphsvc.text_index.passage import Passage
from queries.retrieval.hydration import Hydrated, retained_in, whole_text
from queries.retrieval.scope import AccessScope
from queries.retrieval.summary import Source, extracts, summary_id
from queries.sessions import find_session

__all__ = ["COLUMNS", "expand", "summarise"]

_LAST = 1 << 62
_EPOCH = datetime(1970, 1, 1)

COLUMNS = (
    "ordinal", "kind", "id", "turn", "occurred_at", "text", "availability", "segment", "start_byte", "end_byte"
)  # fmt: skip


def expand(text: PublishedText, reader: Reader, scope: AccessScope, name: str) -> Table:
    """All pieces of evidence of a session, turn or summary, in the order of its records, each with its whole text.

    Args:
        text: The text index of a published generation.
        reader: Reader of the canonical store.
        scope: What may be read.
        name: A session's id or a unique beginning of it, a turn's id, or a summary's id.

    Returns:
        The columns of `COLUMNS`. A piece that cannot be given keeps its ordinal, with the reason as its availability:
        withdrawn (given all the same), denied, retained_missing or corrupt. A note says what a summary did not see.

    Raises:
        NotFound: Nothing has that id.
        Ambiguous: Several ids begin so.
    """
    session, _, horizon = name.partition("@")
    pieces = _pieces(text, reader, scope, session)
    rows = [_row(ordinal, passage, whole) for ordinal, (passage, whole) in enumerate(pieces, start=1)]
    notes = tuple(_unavailable(whole for _, whole in pieces))
    if horizon and not _identity(pieces).endswith(f"@{horizon}"):
        notes = ("the summary is stale: these are the sources as they are now", *notes)
    return Table(COLUMNS, rows, notes)


def summarise(text: PublishedText, reader: Reader, scope: AccessScope, name: str) -> Table:
    """The sentences that say most of what a session was about; see `queries.retrieval.summary`.

    Args:
        text: The text index of a published generation.
        reader: Reader of the canonical store.
        scope: What may be read.
        name: A session's id or a unique beginning of it.

    Returns:
        The columns of `COLUMNS`, a row a sentence, with the bytes in which it stands. Notes give the summary's id,
        which `expand` takes, how far it reaches, and how many sources it could not see.

    Raises:
        NotFound: No session has that id.
        Ambiguous: Several ids begin so.
    """
    pieces = _pieces(text, reader, scope, name)
    sources = [Source(passage, whole.text) for passage, whole in pieces]
    rows = [
        (
            ordinal,
            one.passage.kind,
            one.passage.key,
            one.passage.turn,
            _time(one.passage),
            one.text,
            "available",
            one.passage.segment,
            one.start,
            one.end,
        )
        for ordinal, one in enumerate(extracts(sources, text.read), start=1)
    ]
    last = max((one for passage, _ in pieces if (one := _time(passage)) is not None), default=None)
    until = "" if last is None else f" up to {last:%Y-%m-%d %H:%M:%S}"
    notes = (f"summary {_identity(pieces)} of {len(pieces)} sources{until}",)
    return Table(COLUMNS, rows, (*notes, *_unavailable(whole for _, whole in pieces)))


_Piece = tuple[Passage, Hydrated]


def _pieces(text: PublishedText, reader: Reader, scope: AccessScope, name: str) -> list[_Piece]:
    """All pieces of evidence of a session or turn, in order, with their texts."""
    if name.startswith("turn_"):
        wanted = Filters(turn=name, only_present=False)
    else:
        wanted = Filters(sessions=(find_session(reader, name),), only_present=False)
    passages = [hit.passage for hit in text.index.matching(wanted).hits]
    if not passages:
        raise NotFound(
            f"the generation has nothing of {name!r}", hint="run `graphsvc sessions` to see what it has"
        )
    allowed = replace(wanted, repositories=scope.repositories, withheld=scope.withheld)
    readable = {hit.passage.key for hit in text.index.matching(allowed).hits}
    places = _places(reader, {passage.session or "" for passage in passages})
    passages.sort(key=lambda one: (places.get(one.segment, _LAST), one.start, one.kind, one.key))
    retained = retained_in(reader, (passage.segment for passage in passages))
    denied = Hydrated(None, "denied")
    return [
        (one, whole_text(one, text.read, retained) if one.key in readable else denied) for one in passages
    ]


def _identity(pieces: list[_Piece]) -> str:
    session = pieces[0][0].session or ""
    return summary_id(session, (Source(passage, None) for passage, _ in pieces))


def _unavailable(pieces: Iterable[Hydrated]) -> Iterable[str]:
    """A sentence for each reason for which sources cannot be given."""
    reasons = Counter(piece.availability for piece in pieces if piece.text is None)
    return (f"{count} sources are not given: {reason}" for reason, count in sorted(reasons.items()))


def _places(reader: Reader, sessions: set[str]) -> dict[str, int]:
    """Where each segment of the sessions stands first among their records."""
    rows = reader.rows(sql.load("queries", "sql/expand_places.sql"), {"sessions": sorted(sessions)})
    return {str(segment): int(position) for segment, position in rows}


def _row(ordinal: int, passage: Passage, whole: Hydrated) -> tuple[object, ...]:
    availability = "withdrawn" if whole.text is not None and not passage.is_present else whole.availability
    return (
        ordinal,
        passage.kind,
        passage.key,
        passage.turn,
        _time(passage),
        whole.text,
        availability,
        passage.segment,
        passage.start,
        passage.end,
    )


def _time(passage: Passage) -> datetime | None:
    return None if passage.occurred_at is None else _EPOCH + timedelta(microseconds=passage.occurred_at)
