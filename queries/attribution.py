"""Who wrote the lines of the indexed files: agents, people, or both, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.derived import LINKED
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput, NotFound
from queries.linked import is_linked, linking_notes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GROUPINGS", "attribution"]

GROUPINGS = ("file", "directory", "symbol", "author", "period", "reason", "line", "checkpoint")
"""What the lines can be counted by."""

_WHO = ("agent", "mixed", "human", "unknown")


def attribution(
    reader: Reader, *, by: str = "file", path: str | None = None, repository_id: str | None = None
) -> Table:
    """Who wrote the lines that are not empty, of HEAD where it is indexed, else of the first indexed reference.

    Args:
        reader: Reader of a store that has been linked.
        by: What to count by: ``file``, ``directory`` (every one above a file), ``symbol``, ``author`` (of the commit
            that wrote the line first), ``period`` (its month), ``reason``; ``line`` for a row a line; ``checkpoint``
            for what checkpoints recorded of commits beside what is known of the same commits.
        path: A file or folder; None for all.
        repository_id: The repository, None for all.

    Returns:
        The name of what is counted by, then lines, agent, mixed (an agent wrote it, and it was altered), human,
        unknown, and agent_share: percent of agent among agent, mixed and human, null where these are none; most lines
        first. By ``line``: path, line, who, reason, session, call, confidence (0 to 1), commit (that changed it last),
        author, in order. By ``checkpoint``: checkpoint, session, commits, recorded_lines, recorded_agent_lines,
        recorded_share (percent), lines, agent_lines, agent_share, difference (percentage points), why (of agreement or
        difference).

    Raises:
        NotFound: The store has not been linked, or no indexed file has the path.
        InvalidInput: There is no such grouping.
    """
    import polars as pl

    if by not in GROUPINGS:
        raise InvalidInput(
            f"lines cannot be counted by {by!r}", hint=f"count by one of {', '.join(GROUPINGS)}"
        )
    if not is_linked(reader):
        raise NotFound("who wrote what is not known yet", hint="run `graphsvc link`")
    notes = linking_notes(reader)
    parameters = {"repository": repository_id, "path": path}
    if by == "checkpoint":
        table = reader.table(
            sql.load("queries", "sql/attributed_checkpoints.sql"), {"repository": repository_id}
        )
        return Table(*table, notes)
    lines = reader.frame(sql.load("queries", "sql/attributed_lines.sql"), {**parameters, "linked": LINKED})
    if path is not None and lines.is_empty():
        raise NotFound(f"no indexed file is at {path}", hint="give the path from the repository's root")
    if by == "line":
        return _table(_lines(lines), notes)
    if by == "symbol":
        spans = reader.frame(sql.load("queries", "sql/symbol_spans.sql"), parameters)
        lines = lines.join(spans, on=["repository_id", "path"]).filter(
            pl.col("line").is_between(pl.col("first_line"), pl.col("last_line"))
        )
        return _table(_counted(lines, ["path", "symbol"]), notes)
    return _table(_counted(lines.with_columns(_grouping(by)).explode(by), [by]), notes)


def _grouping(by: str) -> pl.Expr:
    """What each line is counted by, as a list."""
    import polars as pl

    if by == "directory":
        parts = pl.col("path").str.split("/")
        above = pl.int_ranges(1, parts.list.len())
        folders = pl.struct(parts.alias("parts"), above.alias("above")).map_elements(
            lambda each: [".", *("/".join(each["parts"][:end]) for end in each["above"])],
            return_dtype=pl.List(pl.String),
        )
        return folders.alias(by)
    column = {"file": pl.col("path"), "author": pl.col("author"), "reason": pl.col("reason")}.get(
        by, pl.col("authored_at").dt.strftime("%Y-%m")
    )
    return pl.concat_list(column).alias(by)


def _counted(lines: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    import polars as pl

    counts = [(pl.col("who") == who).sum().cast(pl.Int64).alias(who) for who in _WHO]
    known = pl.col("agent") + pl.col("mixed") + pl.col("human")
    share = pl.when(known > 0).then((100 * pl.col("agent") / known).round(1))
    grouped = lines.group_by(keys).agg(pl.len().cast(pl.Int64).alias("lines"), *counts)
    return grouped.with_columns(share.alias("agent_share")).sort(
        ["lines", *keys], descending=[True, *(False for _ in keys)]
    )


def _lines(lines: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return lines.sort("repository_id", "path", "line").select(
        "path",
        "line",
        "who",
        "reason",
        pl.col("session_key").alias("session"),
        pl.col("call_key").alias("call"),
        (pl.col("confidence") / 1000).alias("confidence"),
        pl.col("last_oid").alias("commit"),
        "author",
    )


def _table(frame: pl.DataFrame, notes: tuple[str, ...]) -> Table:
    return Table(tuple(frame.columns), frame.rows(), notes)
