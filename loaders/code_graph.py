"""The tables that code resolution gives the projection.

``code_symbol``
    One row a symbol of an indexed snapshot: repository_id, path, ordinal, symbol_id, parent_id (null at top level),
    language, package, descriptor, kind, name, signature, start_line, end_line, is_exported, body_hash, and the
    definition's evidence (segment, start_byte, end_byte).
``code_edge``
    One row a resolved reference and target: kind (CALLS, REFERENCES, INHERITS), repository_id, path, source_id
    (the enclosing symbol, null at top level), target_id, origin, confidence, rank, line, and the reference's
    evidence.
``code_import``
    One row an import that leads to a file of the snapshot: repository_id, path, target_path, line, evidence.
``code_gap``
    One row a file and reason: repository_id, path, reason, reference_count.
``code_agreement``
    One row a file that a SCIP index is about, and outcome of comparing the two: repository_id, path, outcome,
    reference_count.

Where several snapshots of one repository are indexed, the graph holds the union.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span as Evidence
from graphsvc.canonical.reader import Reader
from loaders.base import Progress
from loaders.extractions import EXTRACTOR, read_extractions
from loaders.indexes import read_indexes
from loaders.resolution import resolve
from loaders.resolution.model import ORIGINS, Resolution, Snapshot

__all__ = ["code_tables"]

_EVIDENCE = {"segment": pl.String, "start_byte": pl.Int64, "end_byte": pl.Int64}
_SYMBOL = {
    "repository_id": pl.String,
    "path": pl.String,
    "ordinal": pl.Int64,
    "symbol_id": pl.String,
    "parent_id": pl.String,
    "language": pl.String,
    "package": pl.String,
    "descriptor": pl.String,
    "kind": pl.String,
    "name": pl.String,
    "signature": pl.String,
    "start_line": pl.Int64,
    "end_line": pl.Int64,
    "is_exported": pl.Boolean,
    "body_hash": pl.String,
    **_EVIDENCE,
}
_EDGE = {
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
}
_IMPORT = {
    "repository_id": pl.String,
    "path": pl.String,
    "target_path": pl.String,
    "line": pl.Int64,
    **_EVIDENCE,
}
_AGREEMENT = {
    "repository_id": pl.String,
    "path": pl.String,
    "outcome": pl.String,
    "reference_count": pl.Int64,
}
_GAP = {
    "repository_id": pl.String,
    "path": pl.String,
    "reason": pl.String,
    "reference_count": pl.Int64,
}


def code_tables(reader: Reader, progress: Progress) -> dict[str, pl.DataFrame]:
    """Resolve every indexed snapshot and give the tables described above."""
    rows: dict[str, list[tuple[Any, ...]]] = {
        "code_symbol": [],
        "code_edge": [],
        "code_import": [],
        "code_gap": [],
        "code_agreement": [],
    }
    snapshots = reader.rows(sql.load("loaders", "sql/code_snapshots.sql"))
    for done, (repository, commit) in enumerate(snapshots):
        progress("resolve", done, len(snapshots))
        params = {"repository": repository, "commit": commit, "extractor": EXTRACTOR}
        files = reader.rows(sql.load("loaders", "sql/code_snapshot_files.sql"), params)
        extractions = read_extractions(reader, params)
        snapshot = Snapshot(
            repository,
            {path: extractions[blob, language] for path, blob, language, _ in files},
            _manifests(reader, params),
            read_indexes(reader, params),
        )
        segments = {path: segment for path, _, _, segment in files}
        _collect(rows, snapshot, segments, resolve(snapshot))
    schemas = {
        "code_symbol": _SYMBOL,
        "code_edge": _EDGE,
        "code_import": _IMPORT,
        "code_gap": _GAP,
        "code_agreement": _AGREEMENT,
    }
    return {
        name: pl.DataFrame(rows[name], schema=schema, orient="row").unique(maintain_order=True)
        for name, schema in schemas.items()
    }


def _collect(
    rows: Mapping[str, list[tuple[Any, ...]]],
    snapshot: Snapshot,
    segments: Mapping[str, str],
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
                    symbol.kind,
                    symbol.name,
                    symbol.signature,
                    symbol.start_line,
                    symbol.end_line,
                    symbol.exported,
                    symbol.body_hash,
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


def _manifests(reader: Reader, params: Mapping[str, Any]) -> dict[str, bytes]:
    """Files of the snapshot that say how its code is packaged, by path."""
    rows = reader.rows(sql.load("loaders", "sql/code_manifests.sql"), params)
    spans = [Evidence(segment, start, end) for _, segment, start, end in rows]
    return dict(zip((row[0] for row in rows), reader.spans(spans), strict=True))
