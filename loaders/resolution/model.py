"""What resolution takes and gives.

A :class:`Snapshot` maps the paths of one snapshot of one repository to what was extracted from their blobs;
a :class:`Resolution` holds edges between their symbols and the references that lead nowhere, as plain tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from loaders.extraction import Extraction

__all__ = ["GAPS", "ORIGINS", "Edge", "FileImport", "Gap", "Resolution", "Snapshot", "SymbolRow"]

ORIGINS: Mapping[str, tuple[float, str]] = {
    "lexical_scope": (1.0, "the name is bound in the same file, in an enclosing scope"),
    "package_scope": (1.0, "the name is bound in another file of the same package"),
    "import": (0.99, "the name came through an import, re-exports followed"),
    "receiver_type": (0.99, "a member of the type that the receiver is known to have"),
    "inherited_member": (0.98, "a member that the receiver's type inherits or embeds"),
    "assigned_value": (0.95, "a value that assignments, arguments or returns carry to the expression"),
    "alternative": (0.4, "one of several functions that may be what is called"),
    "interface_dispatch": (0.7, "a method of a type that implements the interface the receiver has"),
}
"""Each rule that makes an edge: (confidence, what it rests on)."""

GAPS: Mapping[str, str] = {
    "builtin": "a name of the language itself",
    "external": "it leads out of the snapshot, to a library",
    "dynamic": "the callee is computed: a parameter, an element of a container, a result",
    "unknown_receiver": "nothing is known about the type of the receiver",
    "unknown_member": "the type of the receiver is known, but not such a member",
    "unknown_name": "no scope in reach binds the name",
    "unsupported": "references of this language are not resolved",
}
"""Each reason for which a reference leads nowhere, and what it means."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of one repository.

    Attributes:
        repository: Repository identity.
        files: Path from the root, with ``/``, to what was extracted from the file.
        manifests: Path of each file that says how code is packaged (``go.mod``) to its bytes.
    """

    repository: str
    files: Mapping[str, Extraction]
    manifests: Mapping[str, bytes] = field(default_factory=dict)


class SymbolRow(NamedTuple):
    """A symbol of the snapshot with its identity.

    Attributes:
        path, ordinal: The file, and the symbol's ordinal in its extraction.
        symbol_id: Identity, equal in every snapshot that has the symbol.
        package: Package or module that it belongs to; the path where the language has none.
        disambiguator: What tells it from symbols of the same package and descriptor; mostly empty.
    """

    path: str
    ordinal: int
    symbol_id: str
    package: str
    disambiguator: str


class Edge(NamedTuple):
    """A reference that leads to a symbol.

    Attributes:
        kind: CALLS, REFERENCES or INHERITS.
        path, reference: The file, and the ordinal of the reference in its extraction.
        target_path, target: File and ordinal of the symbol that it leads to.
        origin: One of :data:`ORIGINS`.
        rank: 0 for the best target of the reference; equal evidence ranks by path and ordinal.
    """

    kind: str
    path: str
    reference: int
    target_path: str
    target: int
    origin: str
    rank: int


class FileImport(NamedTuple):
    """A file that imports another file of the snapshot, by the ordinal of the import binding."""

    path: str
    binding: int
    target_path: str


class Gap(NamedTuple):
    """A reference that leads to no symbol of the snapshot, and why: one of :data:`GAPS`."""

    path: str
    reference: int
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """All that was resolved; each list is sorted."""

    symbols: list[SymbolRow]
    edges: list[Edge]
    imports: list[FileImport]
    gaps: list[Gap]
