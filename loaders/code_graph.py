"""The tables that code resolution gives, of one snapshot of one repository.

``code_symbol``
    One row a symbol: repository_id, path, ordinal, symbol_id, parent_id (null at top level), language, package,
    descriptor, disambiguator, kind, name, signature, start_line, end_line, is_exported, body_hash, blank_hash,
    decorators, and the definition's evidence (segment, start_byte, end_byte).
``code_edge``
    One row a resolved reference and target: kind (CALLS, REFERENCES, INHERITS), repository_id, path, source_id
    (the enclosing symbol, null at top level), target_id, origin, confidence, rank, line, and the reference's
    evidence.
``code_import``
    One row an import that leads to a file of the snapshot: repository_id, path, target_path, line, evidence.
``code_gap``
    One row a file and reason: repository_id, path, reason, reference_count.
``code_unresolved``
    One row a call that leads nowhere although it may lead to a symbol of the snapshot: repository_id, path, name,
    reason, source_id (the enclosing symbol, null at top level), line, start_byte.
``code_file``
    One row a file: repository_id, path, blob_oid, language, status, reason, error_count, line_count (of
    ``source_file``, see `graphsvc.kinds`), segment (of its bytes, null where the store does not have them).
``code_agreement``
    One row a file that a SCIP index is about, and outcome of comparing the two: repository_id, path, outcome,
    reference_count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from loaders.code_files import SourceFile
from loaders.resolution import resolve
from loaders.resolution.model import ORIGINS, Resolution, Snapshot

__all__ = ["SCHEMAS", "file_rows", "tables_of"]

_EVIDENCE = {"segment": pl.String, "start_byte": pl.Int64, "end_byte": pl.Int64}
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "code_symbol": {
        "repository_id": pl.String,
        "path": pl.String,
        "ordinal": pl.Int64,
        "symbol_id": pl.String,
        "parent_id": pl.String,
        "language": pl.String,
        "package": pl.String,
        "descriptor": pl.String,
        "disambiguator": pl.String,
        "kind": pl.String,
        "name": pl.String,
        "signature": pl.String,
        "start_line": pl.Int64,
        "end_line": pl.Int64,
        "is_exported": pl.Boolean,
        "body_hash": pl.String,
        "blank_hash": pl.String,
        "decorators": pl.List(pl.String),
        **_EVIDENCE,
    },
    "code_edge": {
        "kind": pl.String,
        "repository_id": pl.String,
        "path": pl.String,
        "source_id": pl.String,
        "target_id": pl.String,
        "origin": pl.String,
        "confidence": pl.Float64,
        "rank": pl.Int64,
        "line": pl.Int64,
        **_EVIDENCE,
    },
    "code_import": {
        "repository_id": pl.String,
        "path": pl.String,
        "target_path": pl.String,
        "line": pl.Int64,
        **_EVIDENCE,
    },
    "code_gap": {
        "repository_id": pl.String,
        "path": pl.String,
        "reason": pl.String,
        "reference_count": pl.Int64,
    },
    "code_agreement": {
        "repository_id": pl.String,
        "path": pl.String,
        "outcome": pl.String,
        "reference_count": pl.Int64,
    },
    "code_unresolved": {
        "repository_id": pl.String,
        "path": pl.String,
        "name": pl.String,
        "reason": pl.String,
        "source_id": pl.String,
        "line": pl.Int64,
        "start_byte": pl.Int64,
    },
    "code_file": {
        "repository_id": pl.String,
        "path": pl.String,
        "blob_oid": pl.String,
        "language": pl.String,
        "status": pl.String,
        "reason": pl.String,
        "error_count": pl.Int64,
        "line_count": pl.Int64,
        "segment": pl.String,
    },
}
"""Columns of each table."""

_OUTSIDE = frozenset({"builtin", "external"})
"""Reasons for which a reference cannot lead to a symbol of the snapshot."""

_Rows = dict[str, list[tuple[Any, ...]]]


def tables_of(snapshot: Snapshot, files: Sequence[SourceFile]) -> dict[str, pl.DataFrame]:
    """Resolve a snapshot and give the tables described above.

    Args:
        snapshot: The snapshot.
        files: All of its files, those that were not parsed included.
    """
    rows: _Rows = {name: [] for name in SCHEMAS}
    rows["code_file"] = file_rows(snapshot.repository, files)
    _collect(rows, snapshot, {file.path: file.segment for file in files}, resolve(snapshot))
    return {
        name: pl.DataFrame(rows[name], schema=schema, orient="row").unique(maintain_order=True)
        for name, schema in SCHEMAS.items()
    }


def file_rows(repository: str, files: Iterable[SourceFile]) -> list[tuple[Any, ...]]:
    """Rows of ``code_file``."""
    return [
        (
            repository,
            f.path,
            f.blob_oid,
            f.language,
            f.status,
            f.reason,
            f.error_count,
            f.line_count,
            f.segment,
        )
        for f in files
    ]


def _collect(
    rows: _Rows,
    snapshot: Snapshot,
    segments: Mapping[str, str | None],
    resolution: Resolution,
) -> None:
    """Add one snapshot's rows to the tables."""
    repository = snapshot.repository
    ids = {(row.path, row.ordinal): row for row in resolution.symbols}
    for path, extraction in snapshot.files.items():
        segment = segments[path]
        for symbol in extraction.symbols:
            row = ids[path, symbol.ordinal]
            parent = ids[path, symbol.parent].symbol_id if symbol.parent >= 0 else None
            rows["code_symbol"].append(
                (
                    repository,
                    path,
                    symbol.ordinal,
                    row.symbol_id,
                    parent,
                    extraction.language,
                    row.package,
                    symbol.descriptor,
                    symbol.disambiguator,
                    symbol.kind,
                    symbol.name,
                    symbol.signature,
                    symbol.start_line,
                    symbol.end_line,
                    symbol.exported,
                    symbol.body_hash,
                    symbol.blank_hash,
                    list(symbol.decorators),
                    segment,
                    *symbol.span,
                )
            )
    for edge in resolution.edges:
        reference = snapshot.files[edge.path].references[edge.reference]
        source = ids[edge.path, reference.enclosing].symbol_id if reference.enclosing >= 0 else None
        target = ids[edge.target_path, edge.target].symbol_id
        confidence = ORIGINS[edge.origin][0]
        rows["code_edge"].append(
            (
                edge.kind,
                repository,
                edge.path,
                source,
                target,
                edge.origin,
                confidence,
                edge.rank,
                reference.line,
                segments[edge.path],
                *reference.span,
            )
        )
    for link in resolution.links:
        rows["code_edge"].append(
            (
                link.kind,
                repository,
                link.path,
                ids[link.path, link.source].symbol_id if link.source >= 0 else None,
                ids[link.target_path, link.target].symbol_id,
                link.origin,
                ORIGINS[link.origin][0],
                0,
                link.line,
                segments[link.path],
                link.start,
                link.end,
            )
        )
    rows["code_agreement"].extend(
        (repository, path, outcome, count)
        for (path, outcome), count in sorted(resolution.agreement.items())
        if count
    )
    for found in resolution.imports:
        binding = snapshot.files[found.path].imports[found.binding]
        rows["code_import"].append(
            (
                repository,
                found.path,
                found.target_path,
                binding.line,
                segments[found.path],
                *binding.span,
            )
        )
    counted = Counter((gap.path, gap.reason) for gap in resolution.gaps)
    rows["code_gap"].extend(
        (repository, path, reason, count) for (path, reason), count in sorted(counted.items())
    )
    for gap in resolution.gaps:
        reference = snapshot.files[gap.path].references[gap.reference]
        if reference.kind == "call" and gap.reason not in _OUTSIDE:
            caller = ids[gap.path, reference.enclosing].symbol_id if reference.enclosing >= 0 else None
            rows["code_unresolved"].append(
                (
                    repository,
                    gap.path,
                    reference.name,
                    gap.reason,
                    caller,
                    reference.line,
                    reference.span.start,
                )
            )
