"""What a generation covers, and what it knows to be missing: stored with it, shown with every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphsvc.canonical import sql
from loaders.projection.inputs import Inputs

__all__ = ["of"]


def of(inputs: Inputs, gaps: Mapping[str, int]) -> dict[str, Any]:
    """Coverage of the evidence that ``inputs`` see, once it has been projected.

    Args:
        inputs: Reader of the canonical store and of the code tables.
        gaps: Edges left out because an end is unknown, by edge table.

    Returns:
        ``snapshots`` (commit by source name and reference), ``faults`` (count by kind), ``gaps``,
        ``unresolved`` (references of code that lead nowhere, count by reason), ``agreement`` (how SCIP indexes compare
        with resolution, count by outcome), ``edits`` (files that tool
        calls wrote, count by what became of tracing them to symbols).
    """
    snapshots = inputs.rows(sql.load("loaders", "sql/coverage_snapshots.sql"))
    faults = inputs.rows(sql.load("loaders", "sql/coverage_faults.sql"))
    unresolved = inputs.rows(sql.load("loaders", "sql/coverage_unresolved.sql"))
    agreement = inputs.rows(sql.load("loaders", "sql/coverage_agreement.sql"))
    return {
        "snapshots": {f"{name} {reference}": commit for name, reference, commit in snapshots},
        "faults": dict(faults),
        "gaps": dict(gaps),
        "unresolved": dict(unresolved),
        "agreement": dict(agreement),
        "edits": dict(inputs.rows(sql.load("loaders", "sql/coverage_edits.sql"))),
    }
