"""Resolution: where the references of a snapshot lead, without a compiler."""

from __future__ import annotations

from graphsvc.ids import symbol_id
from loaders.resolution import go
from loaders.resolution.model import Gap, Resolution, Snapshot, SymbolRow

__all__ = ["MANIFESTS", "RESOLUTION_VERSION", "resolve"]

RESOLUTION_VERSION = 1
"""Raise it whenever a snapshot's resolution changes."""

MANIFESTS = frozenset({"go.mod"})
"""Names of files that say how code is packaged."""


def resolve(snapshot: Snapshot) -> Resolution:
    """Identities of all symbols of a snapshot, and where its references lead."""
    packages = go.packages(snapshot)
    symbols = [
        SymbolRow(
            path,
            symbol.ordinal,
            symbol_id(
                snapshot.repository,
                extraction.language,
                packages.get(path, path),
                symbol.descriptor,
                symbol.disambiguator,
            ),
            packages.get(path, path),
            symbol.disambiguator,
        )
        for path, extraction in snapshot.files.items()
        for symbol in extraction.symbols
    ]
    edges, imports, gaps = go.resolve(snapshot)
    gaps += [
        Gap(path, reference.ordinal, "unsupported")
        for path, extraction in snapshot.files.items()
        if extraction.language != "go"
        for reference in extraction.references
    ]
    return Resolution(sorted(symbols), sorted(edges), sorted(imports), sorted(gaps))
