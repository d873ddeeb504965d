"""Expansion: from a session or a turn back to every source that it consists of, whole and in order."""

from __future__ import annotations

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import NotFound
from graphsvc.published import PublishedText
from graphsvc.text_index.engine import Filters
from graphsvc.text_index.passage import Passage
from queries.retrieval.hydration import whole_text
from queries.sessions import session_key

__all__ = ["COLUMNS", "expand"]

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
        filters = Filters(grain="occurrence", sessions=(session_key(reader, name),), only_present=False)
    passages = [hit.passage for hit in text.index.matching(filters).hits]
    if not passages:
        raise NotFound(f"the generation has nothing of {name!r}", hint="run `graphsvc sessions` to see what it has")
    places = _places(reader, {passage.session or "" for passage in passages})
    passages.sort(key=lambda one: (places.get(one.segment, _LAST), one.start, one.kind, one.key))
    retained = {passage.segment for passage in passages} & places.keys()
    rows = [
        (ordinal, one.kind, one.key, one.turn, one.time, *_filled(text, one, retained), one.segment, one.start, one.end)
        for ordinal, one in enumerate(passages, start=1)
    ]
    return Table(COLUMNS, rows)
