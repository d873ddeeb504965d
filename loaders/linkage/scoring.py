"""How sure it is that a commit's changes come out of a session: evidence as points, points as a probability.

The points are hundredths of log odds, from a logistic regression over half of the commits of a real project whose
messages name their checkpoints; the names were what it learnt to tell, and never an input. `benchmarks.why` measures
on the other half how well the figures hold. There are two columns: for sessions that checkpoints recorded, and for
those of which there is nothing but the transcript.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CALIBRATED", "MENTIONED", "SIGNS", "calibrated", "scored"]

MENTIONED = 50
"""Least confidence, in thousandths, of a session that is kept as an alternative."""

_HOUR = 3600

CALIBRATED = (
    (300, 700, 600, 680),
    (700, 900, 820, 890),
)
"""Isotonic regression over the same project's 649 commits: where points give from so many thousandths up to so many,
the share that is true rises from the third figure to the fourth. Points alone are too modest there."""


class _Sign(NamedTuple):
    """A piece of evidence: when it is there, as SQL over ``link_evidence``, and its points."""

    name: str
    holds: str
    recorded: int
    transcript: int


SIGNS = (
    _Sign("base", "true", -106, 65),
    _Sign("text_any", "text_share > 0", -11, -50),
    _Sign("text_some", "text_share >= 100", 71, 46),
    _Sign("text_third", "text_share >= 300", 45, 118),
    _Sign("text_most", "text_share >= 600", 14, 40),
    _Sign("text_much", "text_share >= 100 AND text_weight >= 200", 92, 120),
    # Too few commits to learn it from, where most have a checkpoint: four of five of these came from the session.
    _Sign(
        "text_nearly_all_uncaptured",
        "text_share >= 900 AND text_weight >= 200 AND capture_gap IS NULL AND silence IS NOT NULL",
        160,
        0,
    ),
    _Sign("capture_in_ten_minutes", "capture_gap <= 600", 150, 0),
    _Sign("capture_in_a_minute", "capture_gap <= 60", 342, 0),
    _Sign("capture_in_seconds", "capture_gap <= 15", 131, 0),
    _Sign("capture_lists_a_file", "capture_gap <= 600 AND capture_files > 0", 43, 0),
    _Sign("capture_lists_half", "capture_gap <= 600 AND capture_files >= 500", 21, 0),
    _Sign("active_that_day", f"silence <= {24 * _HOUR}", -194, -347),
    _Sign("active_in_six_hours", f"silence <= {6 * _HOUR}", 56, 103),
    _Sign("active_in_an_hour", f"silence <= {_HOUR}", 80, 104),
    _Sign("active_now", "silence <= 300", -194, -1),
    _Sign("edited_a_file", "edited_files > 0", 90, 108),
    _Sign("edited_half", "edited_files >= 500", 14, 18),
    _Sign("edited_half_lately", "edited_lately >= 500", -28, 3),
    _Sign("read_half", "read_files >= 500", 69, 92),
    _Sign("same_author", "author_share >= 500", -16, -71),
    _Sign("other_author", "author_share < 100", -230, -321),
    _Sign("another_wrote_more", "other_share >= 300 AND other_share > text_share", -84, -207),
    _Sign("another_captured_nearer", "other_gap <= 60 AND other_gap < coalesce(capture_gap, 601)", -262, 0),
)


def scored(evidence: pl.DataFrame) -> pl.DataFrame:
    """Evidence with columns ``confidence`` (thousandths), ``origin`` and ``evidence`` (what was measured).

    Args:
        evidence: Rows of ``link_evidence``; see ``sql/evidence.sql``.

    Returns:
        The rows that are worth mentioning.
    """
    import polars as pl

    points = pl.lit(0)
    for sign in SIGNS:
        holds = pl.sql_expr(sign.holds).fill_null(False)
        worth = pl.when("is_recorded").then(sign.recorded).otherwise(sign.transcript)
        points = points + pl.when(holds).then(worth).otherwise(0)
    odds = (points / 100).exp()
    confidence = calibrated((1000 * odds / (1 + odds)).round().cast(pl.Int64))
    rows = evidence.with_columns(confidence=confidence, origin=_origin(), evidence=_measures())
    return rows.filter(pl.col("confidence") >= MENTIONED)


def calibrated(confidence: pl.Expr) -> pl.Expr:
    """The share that was true of what the points were so sure of, in thousandths; order stays.

    >>> import polars as pl
    >>> points = pl.Series("c", [299, 300, 500, 700, 899, 950]).to_frame()
    >>> points.select(calibrated(pl.col("c"))).to_series().to_list()
    [299, 600, 640, 820, 889, 950]
    """
    import polars as pl

    result = confidence
    for start, end, least, most in CALIBRATED:
        inside = (confidence >= start) & (confidence < end)
        result = (
            pl.when(inside)
            .then(least + (confidence - start) * (most - least) // (end - start))
            .otherwise(result)
        )
    return result


def _origin() -> pl.Expr:
    """The evidence that says most."""
    import polars as pl

    return (
        pl.when(pl.col("text_share") >= 100)
        .then(pl.lit("written_text"))
        .when(pl.col("capture_gap").is_not_null())
        .then(pl.lit("recorded_capture"))
        .when(pl.col("edited_files") > 0)
        .then(pl.lit("edited_files"))
        .otherwise(pl.lit("activity"))
    )


def _measures() -> pl.Expr:
    """What was measured, one text a measure that is there."""
    import polars as pl

    names = (
        "text_share",
        "capture_gap",
        "capture_files",
        "silence",
        "edited_files",
        "read_files",
        "author_share",
    )
    told = [pl.concat_str([pl.lit(f"{name}="), pl.col(name).cast(pl.String)]) for name in names]
    return pl.concat_list(told).list.drop_nulls()
