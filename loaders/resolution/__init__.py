"""Resolution: where the references of a snapshot lead, without a compiler.

Each language that is resolved is a module here; what they take and give is in :mod:`loaders.resolution.model`. They are
imported when something is resolved: whoever finds that nothing is new asks for the version alone.
"""

from __future__ import annotations

import posixpath
import warnings
from collections.abc import Set
from functools import cache

from graphsvc.ids import symbol_id
from loaders.extraction import Symbol
from loaders.resolution.model import Gap, Link, Resolution, Snapshot, SymbolRow

__all__ = ["MANIFESTS", "RESOLUTION_VERSION", "family", "resolve"]

RESOLUTION_VERSION = 10
"""Raise it whenever a snapshot's resolution changes."""

MANIFESTS = frozenset(
    {"go.mod", "pyproject.toml", "setup.cfg", "package.json", "tsconfig.json", "jsconfig.json"}
)
"""Names of files that say how code is packaged."""

_REPEATABLE = ("init().", "_.", "_().")  # what Go lets a package declare any number of times


def family(path: str, language: str) -> str:
    """Which files a file is resolved together with: what others say never matters to it.

    >>> family("web/a.js", "javascript") == family("b.ts", "typescript"), family("README.md", "markdown")
    (True, 'README.md')
    """
    return _families().get(language, path)


@cache
def _families() -> dict[str, str]:
    """Languages that are resolved, each with the name of those that are resolved with it."""
    from loaders.resolution import nominal, typescript

    groups = (("go",), ("python",), tuple(typescript.LANGUAGES), *nominal.GROUPS)
    return {language: min(group) for group in groups for language in group}


def resolve(snapshot: Snapshot) -> Resolution:
    """Identities of all symbols of a snapshot, and where its references lead."""
    from loaders.resolution import go, nominal, python, typescript
    from loaders.resolution.indexes import overlay

    resolvers = (
        (frozenset({"go"}), go.resolve),
        (frozenset({"python"}), python.resolve),
        (typescript.LANGUAGES, typescript.resolve),
        (nominal.LANGUAGES, nominal.resolve),
    )
    resolved = frozenset().union(*(languages for languages, _ in resolvers))
    edges, imports, gaps = [], [], []
    links: list[Link] = []
    present = {extraction.language for extraction in snapshot.files.values()}
    for languages, resolver in resolvers:
        if present.isdisjoint(languages):
            continue
        try:
            found = resolver(snapshot)
        except MemoryError:  # says nothing of the code: its tables must not be kept without it
            raise
        except Exception as error:  # code that nobody thought of must not cost the rest of the snapshot
            said = (
                f"resolving {', '.join(sorted(present & languages))} failed: {type(error).__name__}: {error}"
            )
            warnings.warn(said, RuntimeWarning, stacklevel=2)
            gaps += _gaps(snapshot, languages, "failed")
            continue
        edges += found.edges
        imports += found.imports
        gaps += found.gaps
        links += found.links
    gaps += _gaps(snapshot, present - resolved, "unsupported")
    agreement: dict[tuple[str, str], int] = {}
    if snapshot.indexes:
        edges, gaps, more, agreement = overlay(snapshot, edges, gaps)
        links += more
    return Resolution(
        sorted(_symbols(snapshot)), sorted(edges), sorted(imports), sorted(gaps), sorted(links), agreement
    )


def _gaps(snapshot: Snapshot, languages: Set[str], reason: str) -> list[Gap]:
    """A gap for each reference of some languages."""
    return [
        Gap(path, reference.ordinal, reason)
        for path, extraction in snapshot.files.items()
        if extraction.language in languages
        for reference in extraction.references
    ]


def _symbols(snapshot: Snapshot) -> list[SymbolRow]:
    from loaders.resolution import go, python

    packages = go.packages(snapshot) | python.packages(snapshot)
    rows = []
    for path, extraction in snapshot.files.items():
        package = packages.get(path, path)
        for symbol in extraction.symbols:
            told_by = _disambiguator(extraction.language, path, symbol)
            identity = symbol_id(
                snapshot.repository, extraction.language, package, symbol.descriptor, told_by
            )
            rows.append(SymbolRow(path, symbol.ordinal, identity, package, told_by))
    return rows


def _disambiguator(language: str, path: str, symbol: Symbol) -> str:
    """What tells a symbol from its namesakes in the package.

    Files of a Go package that declare the same name are variants for several systems, and the symbol is one;
    but for the names that each file may declare for itself.
    """
    if language == "go" and symbol.descriptor.startswith(_REPEATABLE):
        return f"{posixpath.basename(path)}{symbol.disambiguator}"
    return symbol.disambiguator
