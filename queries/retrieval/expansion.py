"""Expansion: from a session or a turn back to every source that it consists of, whole and in order."""

from __future__ import annotations

from datetime import datetime, timedelta

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from graphsvc.published import PublishedText
from graphsvc.text_index.index import Filters
from graphsvc.text_index.passage import Passage
from queries.retrieval.hydration import retained_in, whole_text
from queries.sessions import find_session

__all__ = ["COLUMNS", "expand"]

_LAST = 1 << 62

COLUMNS = (
    "ordinal", "kind", "id", "turn", "occurred_at", "text", "availability", "segment", "start_byte", "end_byte"
)  # fmt: skip


def expand(text: PublishedText, reader: Reader, name: str) -> Table:
    """All pieces of evidence of a session or turn, in the order of its records, each with its whole text.

    Args:
        text: The text index of a published generation.
        reader: Reader of the canonical store.
        name: A session's id or a unique beginning of it, or a turn's id.

    Returns:
        The columns of `COLUMNS`. A piece that cannot be given keeps its ordinal, with the reason as its availability:
        withdrawn (given all the same), retained_missing or corrupt.

    Raises:
        NotFound: Nothing has that id.
        Ambiguous: Several ids begin so.
    """
    if name.startswith("turn_"):
        filters = Filters(grain="occurrence", turn=name, only_present=False)
    else:
        filters = Filters(grain="occurrence", sessions=(find_session(reader, name),), only_present=False)
    passages = [hit.passage for hit in text.index.matching(filters).hits]
    if not passages:
        raise NotFound(
            f"the generation has nothing of {name!r}", hint="run `graphsvc sessions` to see what it has"
        )
    places = _places(reader, {passage.session or "" for passage in passages})
    passages.sort(key=lambda one: (places.get(one.segment, _LAST), one.start, one.kind, one.key))
    retained = retained_in(reader, (passage.segment for passage in passages))
    return Table(
        COLUMNS, [_row(ordinal, one, text, retained) for ordinal, one in enumerate(passages, start=1)]
    )


def _places(reader: Reader, sessions: set[str]) -> dict[str, int]:
    """Where each segment of the sessions stands first among their records."""
    rows = reader.rows(sql.load("queries", "sql/expand_places.sql"), {"sessions": sorted(sessions)})
    return {str(segment): int(position) for segment, position in rows}


def _row(ordinal: int, passage: Passage, text: PublishedText, retained: set[str]) -> tuple[object, ...]:
    whole = whole_text(passage, text.read, retained)
    availability = "withdrawn" if whole.text is not None and not passage.is_present else whole.availability
    return (
        ordinal,
        passage.kind,
        passage.key,
        passage.turn,
        None
        if passage.occurred_at is None
        else datetime(1970, 1, 1) + timedelta(microseconds=passage.occurred_at),
        whole.text,
        availability,
        passage.segment,
        passage.start,
        passage.end,
    )
