"""What became of symbols between two states of the files that define them: a pure comparison.

Most symbols keep their place: the same file, the same descriptor. Of those that do not, some were renamed or moved;
they are told by their text, by the type or file that they moved with, or by their signature, and only where one
symbol on either side fits: what is ambiguous is one removed and another added, and never a guess.

>>> def define(path, name, text):
...     head = (path, name + "().", "", "function", name, f"def {name}()")
...     return Definition(*head, text + name, text, 1, 9, 0, 99)
>>> old = [define("a.py", "load", "reads"), define("a.py", "save", "writes")]
>>> new = [define("a.py", "load", "reads twice"), define("b.py", "store", "writes")]
>>> [(change.change, change.old.name, change.new.name, change.origin) for change in compare(old, new)]
[('changed', 'load', 'load', 'same_place'), ('renamed', 'save', 'store', 'same_text')]
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

__all__ = ["ORIGINS", "Change", "Definition", "Key", "compare"]

ORIGINS = {
    "same_place": (1.0, "the file, perhaps renamed, defines it under the same descriptor"),
    "same_text": (0.95, "its text is that of one symbol that is gone, but for its own name"),
    "with_container": (0.9, "its type or module became the one that it is in now"),
    "with_file": (0.85, "most of its old file's symbols are in its new file now"),
    "same_signature": (0.7, "one symbol that is gone had the same descriptor and signature"),
}
"""Each rule that says that two definitions are of one symbol: (confidence, what it rests on)."""

_CONTAINERS = frozenset(
    [
        "class",
        "interface",
        "struct",
        "enum",
        "union",
        "trait",
        "type",
        "module",
        "namespace",
        "section",
        "annotation",
    ]
)
_TELLING_BYTES = 40
"""Length of a text from which on it tells a symbol from others: half of all fields read alike."""

Key = tuple[str, str, str]
"""Where a symbol is defined: path, descriptor chain, disambiguator."""


class Definition(NamedTuple):
    """A definition of a symbol; all but ``path`` is as for `loaders.extraction.Symbol`.

    Attributes:
        path: Path of the file.
        parent: Key of the symbol that encloses it, None at top level.
    """

    path: str
    descriptor: str
    disambiguator: str
    kind: str
    name: str
    signature: str
    body_hash: str
    blank_hash: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    parent: Key | None = None

    @property
    def key(self) -> Key:
        """Where it is defined."""
        return (self.path, self.descriptor, self.disambiguator)


class Change(NamedTuple):
    """What became of one symbol.

    Attributes:
        change: added, removed, changed (where it was), renamed (it has another name, perhaps elsewhere), or moved
            (the same name in another file or type).
        old, new: Its definitions; one of them is None where it was added or removed.
        origin: One of `ORIGINS`; None where it was added or removed.
    """

    change: str
    old: Definition | None
    new: Definition | None
    origin: str | None

    @property
    def is_signature_changed(self) -> bool:
        """Whether it is declared in another way now, its own name aside."""
        if self.old is None or self.new is None:
            return False
        return self.old.signature.replace(self.old.name, "") != self.new.signature.replace(self.new.name, "")

    @property
    def is_text_changed(self) -> bool:
        """Whether its definition reads another way now, its own name aside."""
        return self.old is not None and self.new is not None and self.old.blank_hash != self.new.blank_hash


def compare(
    old: Iterable[Definition], new: Iterable[Definition], renamed: Mapping[str, str] | None = None
) -> list[Change]:
    """What became of the symbols of some files.

    Args:
        old: Definitions before, of all files that differ.
        new: Definitions after.
        renamed: Path after by path before, of files that are known to have been renamed.

    Returns:
        One change a symbol that differs, in the order of the new definitions, then of those that are gone. A type
        is not listed for what became of its members.
    """
    matching = _Matching(old, new, renamed or {})
    matching.run()
    return _without_containers(matching.changes())


class _Matching:
    """The definitions that are not matched yet, and the pairs that are."""

    def __init__(
        self, old: Iterable[Definition], new: Iterable[Definition], renamed: Mapping[str, str]
    ) -> None:
        self._old = {definition.key: definition for definition in old}
        self._new = {definition.key: definition for definition in new}
        self._order = {key: place for place, key in enumerate(self._new)}
        self._gone = dict(self._old)
        self._fresh = dict(self._new)
        self._renamed = renamed
        self._pairs: dict[Key, tuple[Key, str]] = {}

    def run(self) -> None:
        """Apply the rules, the surest first."""
        self._match("same_place", self._place)
        self._match("same_place", lambda d: (*self._place(d)[:2], d.body_hash))
        self._match("same_place", lambda d: self._place(d)[:2])
        self._match("same_text", lambda d: (d.kind, d.blank_hash) if _is_telling(d) else None)
        self._match_members()
        moved = self._moved_files()
        self._match("with_file", lambda d: (moved.get(d.path, d.path), d.descriptor, d.kind))
        self._match_members()
        self._match(
            "same_signature", lambda d: (d.descriptor, d.kind, d.signature) if _is_telling(d) else None
        )
        self._match_members()

    def changes(self) -> Iterator[Change]:
        """All that differs."""
        for key in self._order:
            new = self._new[key]
            if key not in self._pairs:
                yield Change("added", None, new, None)
                continue
            old_key, origin = self._pairs[key]
            old = self._old[old_key]
            if old.name != new.name:
                yield Change("renamed", old, new, origin)
            elif (old.path, old.descriptor) != (new.path, new.descriptor):
                yield Change("moved", old, new, origin)
            elif old.body_hash != new.body_hash:
                yield Change("changed", old, new, origin)
        for definition in self._gone.values():
            yield Change("removed", definition, None, None)

    def _place(self, definition: Definition) -> Key:
        path = self._renamed.get(definition.path, definition.path)
        return (path, definition.descriptor, definition.disambiguator)

    def _match(self, origin: str, sign: Callable[[Definition], Hashable | None]) -> None:
        """Pair the definitions that alone have a sign, on either side; None is no sign."""
        gone = _singles(self._gone.values(), sign)
        for shown, new in _singles(self._fresh.values(), sign).items():
            if shown in gone:
                self._pair(gone[shown], new, origin)

    def _pair(self, old: Definition, new: Definition, origin: str) -> None:
        self._pairs[new.key] = (old.key, origin)
        del self._gone[old.key], self._fresh[new.key]

    def _match_members(self) -> None:
        """Pair the members of paired containers by name and kind, and their members in turn."""
        while True:
            became = {old: new for new, (old, _) in self._pairs.items() if old != new}
            before = len(self._pairs)

            def sign(definition: Definition, became: Mapping[Key, Key] = became) -> Hashable | None:
                parent = definition.parent
                return parent and (became.get(parent, parent), definition.name, definition.kind)

            self._match("with_container", sign)
            if len(self._pairs) == before:
                return

    def _moved_files(self) -> dict[str, str]:
        """For each path the one where most of its telling symbols are now, where they left for one alone."""
        votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for new, (old, origin) in self._pairs.items():
            if origin == "same_text" and old[0] != new[0]:
                votes[old[0]][new[0]] += 1
        stayed = Counter(old[0] for new, (old, _) in self._pairs.items() if old[0] == new[0])
        return {
            path: counted.most_common(1)[0][0]
            for path, counted in votes.items()
            if 2 * counted.most_common(1)[0][1] > counted.total() and counted.total() > stayed[path]
        }


def _singles(
    definitions: Iterable[Definition], sign: Callable[[Definition], Hashable | None]
) -> dict[Hashable, Definition]:
    found: dict[Hashable, list[Definition]] = {}
    for definition in definitions:
        shown = sign(definition)
        if shown is not None:
            found.setdefault(shown, []).append(definition)
    return {shown: group[0] for shown, group in found.items() if len(group) == 1}


def _is_telling(definition: Definition) -> bool:
    return definition.end_byte - definition.start_byte >= _TELLING_BYTES


def _without_containers(changes: Iterable[Change]) -> list[Change]:
    """The changes but for those of containers that a change of a member explains."""
    every = list(changes)
    explained = {
        definition.parent
        for change in every
        for definition in (change.old, change.new)
        if definition is not None
    }
    return [
        change
        for change in every
        if not (
            change.change == "changed"
            and change.new is not None
            and change.new.kind in _CONTAINERS
            and change.new.key in explained
            and not change.is_signature_changed
        )
    ]
