"""A pi session as a tree of entries.

The reader takes exactly what the host takes and skips what the host skips, but counts it: a replay of other
entries than the host's would trust what the host does not. A session file is only ever read.

>>> lines = ['{"type":"session","version":3,"id":"s1","cwd":"/w"}',
...          '{"type":"message","id":"a","parentId":null}', 'broken',
...          '{"type":"label","id":"b","parentId":"a"}', '{"type":"message","id":"c","parentId":"a"}']
>>> tree = parse_session("\\n".join(lines).encode())
>>> tree.leaves, [entry.id for entry in tree.branch("c").entries], [fault.line for fault in tree.faults]
(('b', 'c'), ['a', 'c'], [3])
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NoReturn

from graphsvc.errors import Refused

__all__ = ["Branch", "Entry", "EntryTree", "LineFault", "parse_session"]

_SPACE = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What ECMAScript trims: white space, line ends and the byte order mark."""
_ESCAPED_SURROGATE = "\\ud"


LineFaultReason = Literal["not_json", "not_an_object", "no_id"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a session.

    Attributes:
        id: Identity within the session file; ``v1:<line>`` in files of version 1, which have none.
        parent_id: Entry that it follows; None for a root.
        type: ``message``, ``compaction``, ``custom``, ...; empty where none is stated.
        line: Line in the file, from 1.
        start: Offset of the line's first byte.
        end: Offset behind its last byte, without the line end.
        body: The whole entry.
    """

    id: str
    parent_id: str | None
    type: str
    line: int
    start: int
    end: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LineFault:
    """A line that is no entry: its number, the offsets of its bytes, and why."""

    line: int
    start: int
    end: int
    reason: LineFaultReason


@dataclass(frozen=True, slots=True)
class Branch:
    """The entries from a root to a leaf.

    Attributes:
        entries: In order, the leaf last.
        cut: Why the branch does not begin at a root: the parent of its first entry is missing, or the chain
            of parents runs in a circle.
    """

    entries: tuple[Entry, ...]
    cut: Literal["missing_parent", "cycle"] | None


@dataclass(frozen=True)
class EntryTree:
    """A session.

    Attributes:
        session: The host's id of the session.
        cwd: Working directory; None in old files.
        entries: In file order.
        faults: Lines that are no entry.
        by_id: Entries by id; of several with one id, the last.
    """

    session: str
    cwd: str | None
    entries: tuple[Entry, ...]
    faults: tuple[LineFault, ...]
    by_id: Mapping[str, Entry]

    @property
    def current(self) -> str | None:
        """The entry that the host goes on from after loading: the last of the file, on whatever branch."""
        return self.entries[-1].id if self.entries else None

    @property
    def leaves(self) -> tuple[str, ...]:
        """Entries that no other one follows, in file order."""
        parents = {entry.parent_id for entry in self.by_id.values()}
        return tuple(entry_id for entry_id in self.by_id if entry_id not in parents)

    def branch(self, leaf: str | None) -> Branch:
        """The branch that ends at this entry; empty for None and for an id that is not there."""
        chain: dict[str, Entry] = {}
        following = leaf
        while following is not None and following in self.by_id and following not in chain:
            chain[following] = self.by_id[following]
            following = chain[following].parent_id
        cut: Literal["missing_parent", "cycle"] | None = None
        if chain and following is not None:
            cut = "cycle" if following in chain else "missing_parent"
        return Branch(tuple(reversed(chain.values())), cut)


def parse_session(data: bytes) -> EntryTree:
    """Read a session file.

    Raises:
        Refused: The first line that is JSON is not the header of a session; the host takes such a file for
            empty, and overwrites it.
    """
    faults: list[LineFault] = []
    lines = _values(data, faults)
    first = next(lines, None)
    header: Any = None if first is None else first.value
    if not _is_header(header):
        raise Refused("the file does not begin with the header of a session", reason="no_session_header")
    version = header.get("version", 1)
    is_linear = isinstance(version, (int, float)) and version < 2
    entries = tuple(_linear(lines, faults) if is_linear else _linked(lines, faults))
    cwd = header.get("cwd")
    return EntryTree(
        session=header["id"],
        cwd=cwd if isinstance(cwd, str) else None,
        entries=entries,
        faults=tuple(sorted(faults, key=lambda fault: fault.line)),
        by_id={entry.id: entry for entry in entries},
    )


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and isinstance(value.get("id"), str)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    start: int
    end: int
    value: Any

    def entry(self, entry_id: str, parent_id: Any) -> Entry:
        type_ = self.value.get("type")
        return Entry(
            id=entry_id,
            parent_id=parent_id if isinstance(parent_id, str) else None,
            type=type_ if isinstance(type_, str) else "",
            line=self.number,
            start=self.start,
            end=self.end,
            body=self.value,
        )

    def fault(self, reason: LineFaultReason) -> LineFault:
        return LineFault(self.number, self.start, self.end, reason)


def _values(data: bytes, faults: list[LineFault]) -> Iterator[_Line]:
    """Every line that is JSON; the others become faults."""
    for line in _texts(data):
        try:
            value = _parse(line.value)
            if _ESCAPED_SURROGATE in line.value.lower():
                value = _well_formed(value)
        except (ValueError, RecursionError):
            faults.append(line.fault("not_json"))
        else:
            yield replace(line, value=value)


def _texts(data: bytes) -> Iterator[_Line]:
    """Every line that is not blank, as text; the host trims the file, not its lines."""
    found: list[_Line] = []
    start = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        text = line.decode(errors="replace")
        if text.strip(_SPACE):
            found.append(_Line(number, start, start + len(line), text))
        start += len(line) + 1
    if found:
        found[0] = replace(found[0], value=found[0].value.lstrip(_SPACE))
        found[-1] = replace(found[-1], value=found[-1].value.rstrip(_SPACE))
    return iter(found)


def _well_formed(value: Any) -> Any:
    """The value with halves of surrogate pairs replaced, as they are when the host writes them out."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_well_formed(item) for item in value]
    if isinstance(value, dict):
        return {_well_formed(key): _well_formed(item) for key, item in value.items()}
    return value


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # Python refuses to make an integer of more than some thousand digits; the host makes it a double.
        return json.loads(text, parse_constant=_refuse_constant, parse_int=float)


def _objects(lines: Iterator[_Line], faults: list[LineFault]) -> Iterator[_Line]:
    """Every line that is an object and no further header."""
    for line in lines:
        if not isinstance(line.value, dict):
            faults.append(line.fault("not_an_object"))
        elif line.value.get("type") != "session":
            yield line


def _linear(lines: Iterator[_Line], faults: list[LineFault]) -> Iterator[Entry]:
    """Entries of version 1: each follows the one before it."""
    previous = None
    for line in _objects(lines, faults):
        entry_id = f"v1:{line.number}"
        yield line.entry(entry_id, previous)
        previous = entry_id


def _linked(lines: Iterator[_Line], faults: list[LineFault]) -> Iterator[Entry]:
    """Entries of later versions: each states its id and its parent."""
    for line in _objects(lines, faults):
        entry_id = line.value.get("id")
        if isinstance(entry_id, str):
            yield line.entry(entry_id, line.value.get("parentId"))
        else:
            faults.append(line.fault("no_id"))
