"""What resolution takes and gives.

A :class:`Snapshot` maps the paths of one snapshot of one repository to what was extracted from their blobs;
a :class:`Resolution` holds edges between their symbols and the references that lead nowhere, as plain tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from loaders.extraction import Extraction

__all__ = [
    "GAPS",
    "ORIGINS",
    "OUTCOMES",
    "Edge",
    "FileImport",
    "Gap",
    "IndexDocument",
    "Link",
    "Occurrence",
    "Resolution",
    "Resolved",
    "Snapshot",
    "SymbolRow",
]

ORIGINS: Mapping[str, tuple[float, str]] = {
    "lexical_scope": (1.0, "the name is bound in the same file, in an enclosing scope"),
    "package_scope": (1.0, "the name is bound in another file of the same package"),
    "import": (0.99, "the name came through an import, re-exports followed"),
    "receiver_type": (0.99, "a member of the type that the receiver is known to have"),
    "inherited_member": (0.98, "a member that the receiver's type inherits or embeds"),
    "assigned_value": (0.95, "a value that assignments, arguments or returns carry to the expression"),
    "decorated": (
        0.9,
        "the function or class that is named, around which its decorators put something",
    ),
    "scip": (1.0, "an index that a compiler or language server made says so"),
    "method_set": (0.98, "a type that has all methods of the interface"),
    "alternative": (0.4, "one of several functions that may be what is called"),
    "interface_dispatch": (
        0.7,
        "a method of a type that implements the interface, or extends the class, of the receiver",
    ),
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
    "failed": "resolving the references of this language raised an error",
}
"""Each reason for which a reference leads nowhere, and what it means."""


OUTCOMES: Mapping[str, str] = {
    "agrees": "index and resolution name the same target",
    "adds": "the index names a target where resolution had none",
    "reads": "the index names a use that is neither a call nor a type nor a base",
    "other_overload": "the index names another declaration of the same name in the same file",
    "constructor": "one of them names a class, the other its constructor; both are kept",
    "holder": "the index names a variable or field, resolution the function that it holds; both are kept",
    "same_name": "the index names a symbol of the same name in another file, as a re-export or an override",
    "other_symbol": "the index names a symbol of another name",
    "outside": "the index says that it leads out of what it indexed; resolution is kept",
    "silent": "the index does not mention a reference that resolution follows; resolution is kept",
}
"""How what an index says of a reference compares with resolution, and what it means."""


class Occurrence(NamedTuple):
    """A name in a file that an index tells of.

    Attributes:
        start, end: Bytes of the name in the file.
        line: Line of it, from 1.
        symbol: The index's name for what it means.
        is_definition: Whether it is defined here.
    """

    start: int
    end: int
    line: int
    symbol: str
    is_definition: bool


class IndexDocument(NamedTuple):
    """What an index says of one file of the snapshot.

    Attributes:
        path: The file.
        occurrences: Names in it.
        implementations: (symbol, what it implements or extends), by the index's names.
    """

    path: str
    occurrences: tuple[Occurrence, ...]
    implementations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot of one repository.

    Attributes:
        repository: Repository identity.
        files: Path from the root, with ``/``, to what was extracted from the file.
        manifests: Path of each file that says how code is packaged (``go.mod``) to its bytes.
        indexes: What indexes from outside say of the files as they are here.
    """

    repository: str
    files: Mapping[str, Extraction]
    manifests: Mapping[str, bytes] = field(default_factory=dict)
    indexes: Sequence[IndexDocument] = ()


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


class Link(NamedTuple):
    """A relation of symbols that no reference of the extraction states.

    Attributes:
        kind: REFERENCES or INHERITS.
        path, source: The file, and the symbol that it starts from; -1 for the file's top level.
        start, end, line: Its evidence in that file: bytes, and line from 1.
        target_path, target: File and ordinal of the symbol that it leads to.
        origin: One of :data:`ORIGINS`.
    """

    kind: str
    path: str
    source: int
    start: int
    end: int
    line: int
    target_path: str
    target: int
    origin: str


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


class Resolved(NamedTuple):
    """What was resolved of the files of some languages."""

    edges: list[Edge]
    imports: list[FileImport]
    gaps: list[Gap]
    links: Sequence[Link] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """All that was resolved; each list is sorted.

    Attributes:
        agreement: Path and one of :data:`OUTCOMES` to the number of references.
    """

    symbols: list[SymbolRow]
    edges: list[Edge]
    imports: list[FileImport]
    gaps: list[Gap]
    links: list[Link] = field(default_factory=list)
    agreement: Mapping[tuple[str, str], int] = field(default_factory=dict)
