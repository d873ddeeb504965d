"""What indexes from outside add to resolution, and where they contradict it.

An index joins by place: the definition of its symbol lies at the bytes of a symbol's name, and each of its occurrences
at the bytes of a reference's name. What it says of a reference replaces what resolution found, because a compiler or
language server knows more; what it does not know stays. How the two compare is counted by file
(:data:`loaders.resolution.model.OUTCOMES`).
"""

from __future__ import annotations

import bisect
from collections import Counter, defaultdict
from typing import NamedTuple

from loaders.resolution.model import Edge, Gap, IndexDocument, Link, Occurrence, Snapshot

__all__ = ["overlay"]

Target = tuple[str, int]
_EDGE_KIND = {"call": "CALLS", "type": "REFERENCES", "inherit": "INHERITS", "read": "REFERENCES"}
_ORIGIN = "scip"
_BOTH = frozenset({"constructor", "holder"})
_HOLDERS = frozenset({"variable", "constant", "field", "property"})
_METHODS = frozenset({"function", "method", "constructor", "property", "field"})


class Overlaid(NamedTuple):
    """Edges and gaps with what the indexes say, links that only they state, and how they compare."""

    edges: list[Edge]
    gaps: list[Gap]
    links: list[Link]
    agreement: dict[tuple[str, str], int]


def overlay(snapshot: Snapshot, edges: list[Edge], gaps: list[Gap]) -> Overlaid:
    """Lay the indexes of a snapshot over what was resolved of it."""
    return _Overlay(snapshot, edges).apply(edges, gaps)


class _Overlay:
    def __init__(self, snapshot: Snapshot, edges: list[Edge]) -> None:
        self._snapshot = snapshot
        self._targets: defaultdict[str, list[Target]] = defaultdict(list)
        self._edges: defaultdict[tuple[str, int], list[Edge]] = defaultdict(list)
        for edge in edges:
            self._edges[edge.path, edge.reference].append(edge)
        self._made: dict[tuple[str, int], list[Edge]] = {}
        self._links: dict[Link, None] = {}
        self._agreement: Counter[tuple[str, str]] = Counter()
        self._starts: dict[str, list[tuple[int, int]]] = {}

    def apply(self, edges: list[Edge], gaps: list[Gap]) -> Overlaid:
        documents = [document for document in self._snapshot.indexes if document.path in self._snapshot.files]
        for document in documents:
            self._define(document)
        for document in documents:
            self._compare(document)
            self._relate(document)
        kept = [edge for edge in edges if (edge.path, edge.reference) not in self._made]
        left = [gap for gap in gaps if (gap.path, gap.reference) not in self._made]
        added = [edge for made in self._made.values() for edge in made]
        return Overlaid(kept + added, left, list(self._links), dict(self._agreement))

    def _define(self, document: IndexDocument) -> None:
        """Find the symbol that each definition of the index is."""
        symbols = self._snapshot.files[document.path].symbols
        by_name = {symbol.name_span.start: symbol.ordinal for symbol in reversed(symbols) if symbol.name}
        for occurrence in document.occurrences:
            target = by_name.get(occurrence.start)
            if occurrence.is_definition and target is not None:
                self._targets[occurrence.symbol].append((document.path, target))

    def _compare(self, document: IndexDocument) -> None:
        path = document.path
        references = self._snapshot.files[path].references
        by_name: defaultdict[int, list[int]] = defaultdict(list)
        for reference in references:
            if reference.kind != "special":
                by_name[reference.span.end - len(reference.name.encode())].append(reference.ordinal)
        told: defaultdict[int, list[list[Target]]] = defaultdict(list)
        for occurrence in document.occurrences:
            if occurrence.is_definition:
                continue
            targets = self._targets.get(occurrence.symbol, [])
            if targets and not by_name.get(occurrence.start):
                self._read(path, occurrence, targets)
            for ordinal in by_name.get(occurrence.start, ()):
                told[ordinal].append(targets)
        for ordinal, meanings in told.items():
            self._refer(path, ordinal, meanings)
        silent = sum(
            r.kind != "special" and (path, r.ordinal) in self._edges and r.ordinal not in told
            for r in references
        )
        self._agreement[path, "silent"] += silent

    def _refer(self, path: str, ordinal: int, meanings: list[list[Target]]) -> None:
        """Let what the index says of a reference replace what resolution found.

        Where it says several things of one place, as of a type and a value of one name, those count that resolution
        found too.
        """
        found = self._edges.get((path, ordinal), [])
        mine = {(edge.target_path, edge.target) for edge in found}
        agreed = [targets for targets in meanings if mine.intersection(targets)]
        targets = [target for targets in agreed or meanings for target in targets]
        if not targets:
            self._agreement[path, "outside"] += bool(found)
            return
        outcome = self._outcome(found, targets)
        self._agreement[path, outcome] += 1
        kind = _EDGE_KIND[self._snapshot.files[path].references[ordinal].kind]
        named = sorted(set(targets))
        self._made[path, ordinal] = [
            Edge(kind, path, ordinal, *target, _ORIGIN, rank) for rank, target in enumerate(named)
        ]
        if outcome in _BOTH:
            kept = (edge for edge in found if (edge.target_path, edge.target) not in named)
            self._made[path, ordinal] += [edge._replace(rank=edge.rank + len(named)) for edge in kept]

    def _outcome(self, found: list[Edge], targets: list[Target]) -> str:
        """How the targets of an index compare with those of resolution."""
        mine = [(edge.target_path, edge.target) for edge in found]
        if not mine:
            return "adds"
        if set(mine) & set(targets):
            return "agrees"
        if any(self._is_constructor(one, other) for one in mine for other in targets):
            return "constructor"
        if all(self._kind(target) in _HOLDERS for target in targets):
            return "holder"
        names = {self._name(target) for target in targets}
        if not any(self._name(one) in names for one in mine):
            return "other_symbol"
        same_file = any(one[0] == other[0] for one in mine for other in targets)
        return "other_overload" if same_file else "same_name"

    def _name(self, target: Target) -> str:
        return self._snapshot.files[target[0]].symbols[target[1]].name

    def _kind(self, target: Target) -> str:
        return self._snapshot.files[target[0]].symbols[target[1]].kind

    def _is_constructor(self, one: Target, other: Target) -> bool:
        if one[0] != other[0]:
            return False
        symbols = self._snapshot.files[one[0]].symbols
        return symbols[one[1]].parent == other[1] or symbols[other[1]].parent == one[1]

    def _read(self, path: str, occurrence: Occurrence, targets: list[Target]) -> None:
        """A use that the extraction does not record: it refers from the innermost symbol around it."""
        source = self._enclosing(path, occurrence.start)
        for target in targets:
            if target != (path, source):
                place = (occurrence.start, occurrence.end, occurrence.line)
                self._links[Link("REFERENCES", path, source, *place, *target, _ORIGIN)] = None
        self._agreement[path, "reads"] += 1

    def _enclosing(self, path: str, offset: int) -> int:
        """The innermost symbol whose text holds an offset, or -1."""
        symbols = self._snapshot.files[path].symbols
        if path not in self._starts:
            self._starts[path] = sorted((symbol.span.start, symbol.ordinal) for symbol in symbols)
        before = bisect.bisect_right(self._starts[path], (offset, len(symbols))) - 1
        symbol = self._starts[path][before][1] if before >= 0 else -1
        while symbol >= 0 and symbols[symbol].span.end <= offset:
            symbol = symbols[symbol].parent
        return symbol

    def _relate(self, document: IndexDocument) -> None:
        """Let types inherit; methods that override others are known by their types."""
        for symbol, base in document.implementations:
            for path, source in self._targets.get(symbol, ()):
                definition = self._snapshot.files[path].symbols[source]
                if definition.kind in _METHODS:
                    continue
                place = (*definition.name_span, definition.line)
                for target in self._targets.get(base, ()):
                    self._links[Link("INHERITS", path, source, *place, *target, _ORIGIN)] = None
