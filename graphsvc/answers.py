"""Answers: rows with the coverage that they rest on."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Answer", "Coverage", "PagedAnswer", "Table"]

_HTML_ROWS = 50
_HTML_CELL = 300


@dataclass(frozen=True, slots=True)
class Coverage:
    """What an answer rests on, so that its reader can tell "none" from "not looked at".

    Attributes:
        generation: Number of the graph generation, None before the first.
        root_digest: Digest of that graph.
        watermark: Digest of the evidence that the generation was built from.
        is_current: There is such a graph, and the store holds no newer evidence.
        snapshots: Commit that is indexed, per repository and reference.
        faults: Input that could not be used, counted by kind.
        gaps: Edges left out because an end is unknown, counted by table.
        unresolved: References of code that lead nowhere, counted by reason (`loaders.resolution.model.GAPS`).
        edits: Calls that wrote a file, counted by what became of tracing them to symbols (`loaders.edits`).
        notes: Sentences on what is stale, partial, withheld or cut off in this very answer.
    """

    generation: int | None = None
    root_digest: str | None = None
    watermark: str | None = None
    is_current: bool = True
    snapshots: Mapping[str, str] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    gaps: Mapping[str, int] = field(default_factory=dict)
    unresolved: Mapping[str, int] = field(default_factory=dict)
    edits: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The coverage as plain data."""
        return {
            "generation": self.generation,
            "root_digest": self.root_digest,
            "watermark": self.watermark,
            "is_current": self.is_current,
            "snapshots": dict(self.snapshots),
            "faults": dict(self.faults),
            "gaps": dict(self.gaps),
            "unresolved": dict(self.unresolved),
            "edits": dict(self.edits),
            "notes": list(self.notes),
        }

    def sentence(self) -> str:
        """The coverage in a line for people.

        >>> Coverage(generation=3, root_digest="ab" * 32, faults={"missing_blob": 2}, notes=("cut off",)).sentence()
        'generation 3 (abababababab); faults: 2 missing_blob; cut off'
        """
        return "; ".join(self.lines())

    def lines(self) -> list[str]:
        """What the answer rests on, in a line, then each note in a line of its own."""
        return [self._ground(), *self.notes]

    def _ground(self) -> str:
        parts = ["no graph yet"]
        if self.generation is not None:
            parts = [f"generation {self.generation} ({(self.root_digest or '')[:12]})"]
        parts += [f"{name} at {commit[:12]}" for name, commit in self.snapshots.items()]
        if self.generation is not None and not self.is_current:
            parts.append("the graph is older than the evidence in the store: run `graphsvc rebuild`")
        if self.faults:
            counted = ", ".join(f"{count} {kind}" for kind, count in sorted(self.faults.items()))
            parts.append(f"faults: {counted}")
        return "; ".join(parts)


class Table(NamedTuple):
    """Rows as a question gives them: the columns' names, the rows, and what a reader should know besides."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Answer:
    """Rows and the coverage that they rest on.

    Attributes:
        name: What was asked, for example ``callers``.
        columns: Names of the columns.
        rows: One tuple a row.
        coverage: What the answer rests on.

    >>> answer = Answer("sessions", ("key", "turns"), [("s1", 3)], Coverage(generation=1))
    >>> len(answer), answer.to_dicts()
    (1, [{'key': 's1', 'turns': 3}])
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    coverage: Coverage

    def __repr__(self) -> str:
        """What it is, in a line.

        >>> Answer("sessions", ("key", "turns"), [("s1", 3)], Coverage(generation=1, root_digest="ab" * 32))
        <Answer sessions: 1 row of 2 columns; generation 1 (abababababab)>
        """
        rows = f"{len(self)} row{'' if len(self) == 1 else 's'} of {len(self.columns)} columns"
        return f"<Answer {self.name}: {rows}; {self.coverage.sentence()}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Rows as dictionaries."""
        return list(self)

    @property
    def frame(self) -> pl.DataFrame:
        """Rows as a polars frame; a column of values that polars has no type for holds their text."""
        import polars as pl

        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.columns)
        series = map(_series, self.columns, columns)
        return pl.DataFrame(list(series))

    def _repr_html_(self) -> str:
        shown = f"showing {min(len(self), _HTML_ROWS)} of {len(self)} rows"
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_html_cell(value)}</td>" for value in row) + "</tr>"
            for row in self.rows[:_HTML_ROWS]
        )
        return (
            f"<table><caption>{html.escape(self.name)}: {shown}<br><small>{self._html_coverage()}</small></caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _html_coverage(self) -> str:
        """The coverage's sentence, in bold where the reader must not rely on the answer being whole."""
        sentence = html.escape(self.coverage.sentence())
        is_whole = self.coverage.is_current and not self.coverage.notes
        return sentence if is_whole else f"<b>{sentence}</b>"


@dataclass(frozen=True)
class PagedAnswer(Answer):
    """One page of a longer answer.

    Attributes:
        continuation: Token that asks for the next page; None on the last.
        total: Rows of the whole answer.
        trace: How the answer came about, a sentence a step.
    """

    continuation: str | None = None
    total: int = 0
    trace: tuple[str, ...] = ()


def _series(name: str, values: Sequence[Any]) -> pl.Series:
    import polars as pl

    try:
        series = pl.Series(name, values, strict=True)
        if series.dtype != pl.Object:
            return series
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    return pl.Series(name, [None if value is None else str(value) for value in values], dtype=pl.String)


def _html_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_html_cell, value))
    text = str(value)
    shown = text if len(text) <= _HTML_CELL else f"{text[:_HTML_CELL]}…"
    return html.escape(shown)
