"""The life of a file or symbol: commits, the sessions and prompts behind them, and what was remembered of it."""

from __future__ import annotations

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput, NotFound
from queries.linked import is_linked, linking_notes
from queries.subjects import Subject

__all__ = ["story"]


def story(reader: Reader, subject: Subject, *, limit: int = 100) -> Table:
    """A timeline, the oldest first.

    Args:
        reader: Reader of a store that has been linked.
        subject: A file, or a symbol of an indexed snapshot: of that, the commits that wrote what it consists of now.
        limit: Most commits to tell of: the newest.

    Returns:
        occurred_at, event (``commit``, ``prompt`` or ``fact``), subject (its id), text, who (author, or agent), added
        and removed (lines of the file or symbol in the commit; of a prompt, lines that it led to), origin and
        confidence (of what links a prompt to the commit), commit (that a prompt led to), segment, start_byte, end_byte.

    Raises:
        InvalidInput: The subject is no code.
        NotFound: The store has not been linked.
    """
    if subject.lines is None:
        raise InvalidInput(
            f"{subject.kind} {subject.key} has no story", hint="give a path or the name of a symbol"
        )
    if not is_linked(reader):
        raise NotFound("the lines of commits are not known yet", hint="run `graphsvc link`")
    lines = subject.lines
    is_symbol = subject.kind == "symbol"
    parameters = {
        "repository": lines.repository_id,
        "commit": lines.commit,
        "path": lines.path,
        "first": lines.first,
        "last": lines.last if is_symbol else 1 << 31,
        "is_symbol": is_symbol,
        "limit": limit,
    }
    columns, rows = reader.table(sql.load("queries", "sql/story.sql"), parameters)
    return Table(columns, rows, linking_notes(reader))
