"""Resolution of Java, C#, C, C++, Rust and Ruby by the names of types, for the certain cases.

What is certain: names of the same scope, package, namespace, module or included file; imports; members of ``this`` and
``self``; and members of what has a declared type, or is visibly made by a constructor. All else is a gap.

``paths``   texts of types and expressions
``places``  packages, namespaces, modules and files of each language
``names``   what names mean
"""

from __future__ import annotations

from collections.abc import Iterable

from loaders.extraction import Extraction
from loaders.resolution.model import Edge, FileImport, Gap, Resolved, Snapshot
from loaders.resolution.nominal.names import Names
from loaders.resolution.nominal.places import RULES

__all__ = ["GROUPS", "LANGUAGES", "resolve"]

LANGUAGES = frozenset(RULES)
GROUPS = (("java",), ("csharp",), ("ruby",), ("rust",), ("c", "cpp"))
"""Languages whose files are resolved together."""
_EDGE_KIND = {"call": "CALLS", "type": "REFERENCES", "inherit": "INHERITS"}


def resolve(snapshot: Snapshot) -> Resolved:
    """Edges, imports and gaps of the files of these languages."""
    edges: list[Edge] = []
    imports: list[FileImport] = []
    gaps: list[Gap] = []
    for group in GROUPS:
        files = {p: e for p, e in sorted(snapshot.files.items()) if e.language in group}
        if files:
            names = Names(RULES[group[-1]](files))
            for path, extraction in files.items():
                _resolve_file(names, path, extraction, edges, gaps)
                imports += _file_imports(names, path, extraction)
    return Resolved(edges, imports, gaps)


def _resolve_file(
    names: Names, path: str, extraction: Extraction, edges: list[Edge], gaps: list[Gap]
) -> None:
    for reference in extraction.references:
        if reference.kind == "call":
            found, reason = names.called(path, reference)
        else:
            found, reason = names.named_type(path, reference)
        for rank, (target, origin) in enumerate(found):
            edges.append(Edge(_EDGE_KIND[reference.kind], path, reference.ordinal, *target, origin, rank))
        if not found:
            gaps.append(Gap(path, reference.ordinal, reason))


def _file_imports(names: Names, path: str, extraction: Extraction) -> Iterable[FileImport]:
    """Files that an import leads to, by path or by the names that it takes."""
    for binding in extraction.imports:
        for target in sorted(names.imported_files(path, binding)):
            if target != path:
                yield FileImport(path, binding.ordinal, target)
