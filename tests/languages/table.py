"""What the table tests of all languages share."""

from __future__ import annotations

from loaders.extraction import Extraction
from loaders.parsing import extract


def read(language: str, source: str) -> Extraction:
    """The extraction of a piece of source that must parse without errors."""
    found = extract(source.encode(), language)
    assert found.errors == 0
    return found


def symbols(language: str, source: str) -> list[str]:
    """Each symbol as ``kind descriptor``, in source order."""
    return [f"{s.kind} {s.descriptor}{s.overload or ''}" for s in read(language, source).symbols]


def references(language: str, source: str) -> list[str]:
    """Each reference as ``kind receiver.name < enclosing symbol``, in source order."""
    found = read(language, source)
    ordered = sorted(found.references, key=lambda r: (r.span.start, r.kind))
    return [
        f"{r.kind} {r.receiver + '.' if r.receiver else ''}{r.name}"
        + (f" < {found.symbols[r.enclosing].descriptor}" if r.enclosing >= 0 else "")
        for r in ordered
    ]


def imports(language: str, source: str) -> list[tuple[str, str, str, int, bool]]:
    """Each import binding as (module, name, alias, level, star)."""
    return [(i.module, i.name, i.alias, i.level, i.star) for i in read(language, source).imports]
