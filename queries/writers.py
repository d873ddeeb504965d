"""Which tool call wrote a line: calls compared by the files that they name, what they wrote, and when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.git import BlameLine, decode
from graphsvc.written import Written, written_texts

__all__ = ["Call", "Window", "Writer", "to_call", "writer_of"]

_CLOCK_SKEW = timedelta(minutes=5)
_OWN, _SAME_NAME, _COMMAND, _ELSEWHERE = 1.0, 0.9, 0.7, 0.3
"""How sure a call is that wrote the file itself, one of the same name outside of the repository, one by a command that
names it, or something else."""
_TELLING = 8
"""Fewest characters, without space, of a line that is recognized outside of its own file."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that may have written the line."""

    session_key: str
    call_key: str
    name: str
    occurred_at: datetime | None
    position: int
    turn_id: str | None
    is_nested: bool
    command: str | None
    writes: bool
    paths: Sequence[str] | None
    evidence: Span

    @property
    def where(self) -> str:
        """The files that it wrote, else the beginning of its command."""
        return ", ".join(self.paths or ()) or (self.command or "")[:200]


class Window(NamedTuple):
    """When a commit's changes were probably made: between the parent's author time and its own time, both in UTC."""

    parent_at: datetime | None
    committed_at: datetime | None

    def is_too_late(self, call: Call) -> bool:
        """The call came after the commit, whatever the clocks."""
        ends, at = self.committed_at, call.occurred_at
        return ends is not None and at is not None and at > ends + _CLOCK_SKEW

    def has(self, call: Call) -> bool:
        """The call did not come before the parent, as far as the times are known."""
        begins, at = self.parent_at, call.occurred_at
        return begins is None or at is None or at >= begins - _CLOCK_SKEW


class Writer(NamedTuple):
    """The call that wrote a line.

    Attributes:
        call: The call.
        origin: written_text, or same_text_elsewhere where another file got the text: a guess. Linking knows besides
            surrounding_lines, of a line that says nothing by itself, and altered_text, of one that was changed since.
        confidence: How sure that is, 0 to 1.
        others: How many other calls wrote the same text.
    """

    call: Call
    origin: str
    confidence: float
    others: int

    @property
    def is_guess(self) -> bool:
        """Nothing but the text speaks for the call."""
        return self.origin == "same_text_elsewhere"


class _Match(NamedTuple):
    call: Call
    preference: tuple[bool, int, bool, bool, int]
    sureness: float


def writer_of(
    reader: Reader,
    sessions: Iterable[str],
    *,
    repository_id: str,
    block: list[BlameLine],
    target: BlameLine,
    window: Window,
) -> Writer | None:
    """The call of some sessions that wrote a line, None where no call has its text.

    Args:
        reader: Reader of the canonical store.
        sessions: Keys of the sessions.
        repository_id: Repository that the line is of.
        block: The line and its neighbours that the same commit wrote.
        target: The line.
        window: When the commit's changes were made.
    """
    path, wanted = decode(target.original_path), decode(target.content).strip()
    calls = [call for call in _calls(reader, sessions) if not window.is_too_late(call)]
    for sureness, candidates in _by_sureness(reader, calls, repository_id, path).items():
        if sureness == _ELSEWHERE:
            candidates = [call for call in candidates if _is_telling(wanted) and window.has(call)]
        matches = list(_matches(reader, candidates, block, wanted, window))
        if matches:
            best = max(matches, key=lambda match: match.preference)
            same = {m.call.call_key for m in matches if m.preference[0] == best.preference[0]}
            origin = "same_text_elsewhere" if sureness == _ELSEWHERE else "written_text"
            return Writer(best.call, origin, round(sureness * best.sureness, 3), len(same) - 1)
    return None


def _calls(reader: Reader, sessions: Iterable[str]) -> list[Call]:
    statement = sql.load("queries", "sql/why_calls.sql")
    return [to_call(*row) for session in sessions for row in reader.rows(statement, {"session": session})]


def to_call(*row: Any) -> Call:
    """The call of a row of ``sql/why_calls.sql``."""
    fields = dict(zip(Call.__dataclass_fields__, (*row[:-3], Span(*row[-3:])), strict=True))
    return Call(**fields)


def _by_sureness(reader: Reader, calls: list[Call], repository_id: str, path: str) -> dict[float, list[Call]]:
    """The calls by how well what they wrote agrees with a path, the surest first."""
    name = _name(path)
    namesakes: list[str] = []
    if any(_name(written) == name and not _is_at(written, path) for c in calls for written in c.paths or ()):
        parameters = {"repository": repository_id, "path": path, "name": name}
        namesakes = [row[0] for row in reader.rows(sql.load("queries", "sql/why_namesakes.sql"), parameters)]
    found: dict[float, list[Call]] = {_OWN: [], _SAME_NAME: [], _COMMAND: [], _ELSEWHERE: []}
    for call in calls:
        found[_path_sureness(call, path, namesakes)].append(call)
    return found


def _path_sureness(call: Call, path: str, namesakes: list[str]) -> float:
    written = call.paths or ()
    if any(_is_at(each, path) for each in written):
        return _OWN
    unplaced = (each for each in written if not any(_is_at(each, other) for other in namesakes))
    if any(_name(each) == _name(path) for each in unplaced):
        return _SAME_NAME
    names = re.compile(rf"(?<![\w.-]){re.escape(_name(path))}(?![\w-])")
    return _COMMAND if not written and names.search(call.command or "") else _ELSEWHERE


def _is_at(written: str, path: str) -> bool:
    """A recorded path may mean a path of the repository, in this clone or another."""
    return written == path or written.endswith("/" + path)


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _is_telling(line: str) -> bool:
    """A line says enough to be recognized anywhere: closing brackets and short words are in every file."""
    return len("".join(line.split())) >= _TELLING and any(map(str.isalnum, line))


def _matches(
    reader: Reader, calls: list[Call], block: list[BlameLine], wanted: str, window: Window
) -> Iterator[_Match]:
    """Calls whose text holds the line.

    Preferred is a call after which the text has the line more often than before; then the one that holds most of
    the block around it; then one made since the parent commit; then the last edit, or where only whole files were
    written, the first of them.
    """
    neighbours = {decode(blamed.content).strip() for blamed in block} - {""}
    for call, texts in _texts(reader, calls):
        for written in texts:
            lines = Counter(line.strip() for line in written.text.splitlines())
            if wanted not in lines:
                continue
            replaced = Counter(line.strip() for line in (written.replaced or "").splitlines())
            is_new = lines[wanted] > replaced[wanted]
            is_edit = is_new and written.replaced is not None
            common = len(neighbours & lines.keys())
            order = call.position if is_edit else -call.position
            share = (common or 1) / max(len(neighbours), 1)
            sureness = (0.5 + 0.5 * share) * (1.0 if is_new else 0.6)
            yield _Match(call, (is_new, common, window.has(call), is_edit, order), sureness)


def _texts(reader: Reader, calls: list[Call]) -> Iterator[tuple[Call, list[Written]]]:
    """What each call wrote; a command that names no file may have written any part of itself."""
    writing = [call for call in calls if call.writes]
    for call, data in zip(writing, reader.spans(call.evidence for call in writing), strict=True):
        yield call, written_texts(data) or ([Written(call.command, "")] if call.command else [])
    for call in calls:
        if not call.writes and call.command:
            yield call, [Written(call.command, "")]
