"""Where the lines of a snapshot come from: the history's changes, played again from its beginning.

Every line carries two marks: the commit that changed it last, as a blame gives it, and the commit that wrote it
first, before it was moved, indented or broken elsewhere. All snapshots and all files are followed in one pass, and
what is read are numbers of lines and digests: no object of the repository.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Change", "History", "Mark", "Removal", "Replayed", "Run", "origins", "removals", "runs"]

_BLOCK = 3
"""Fewest telling lines that are taken for moved when they turn up elsewhere in the same commit."""


class Mark(NamedTuple):
    """A line as a commit added it: the commit, the path in it, and the line's number, from 1."""

    commit: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Change:
    """Lines of a file that took the place of others; no numbers where it only moved or went.

    Attributes:
        path: Path in the commit, None where the file is gone.
        old_path: Path in the parent, None where there was none.
        is_text: Its lines are known.
        numbers: First old line, old lines, first new line, new lines, as git counts them; None without any.
        is_reflow: Both sides say the same but for white space and line ends.
    """

    path: str | None
    old_path: str | None
    is_text: bool
    numbers: tuple[int, int, int, int] | None
    is_reflow: bool


@dataclass(frozen=True)
class History:
    """What a replay needs to know.

    Attributes:
        parents: Parents of each commit, in order.
        changes: Changes by commit and parent, the parent empty for a commit without one; a commit and parent whose
            changes are not known are missing.
        keys: Digest of each telling line that a commit added, by commit and path, then by number.
    """

    parents: Mapping[str, Sequence[str]]
    changes: Mapping[tuple[str, str], Sequence[Change]]
    keys: Mapping[tuple[str, str], Mapping[int, int]]


class _Line(NamedTuple):
    """Where a line was changed last, and where it was written first."""

    last: Mark
    first: Mark


_Files = dict[str, list[_Line]]


class Run(NamedTuple):
    """Consecutive lines that come from consecutive lines: the first one's number, how many, and both marks of it."""

    first_line: int
    length: int
    last: Mark
    origin: Mark


class Removal(NamedTuple):
    """Consecutive lines that one commit took away: the first one's mark, how many, and that commit."""

    first: Mark
    length: int
    removed_by: str


@dataclass(frozen=True)
class Replayed:
    """What a replay found.

    Attributes:
        files: Lines of the files of each snapshot with their marks, by path; a file whose history is not whole is
            left out.
        removed: The commit that took a line away first, by the line's mark; lines of the snapshots are not in it.
    """

    files: Mapping[str, _Files]
    removed: Mapping[Mark, str]


def origins(history: History, snapshots: Iterable[str]) -> Replayed:
    """Follow all lines of some commits back to where they come from, and those that are gone to where they went.

    Args:
        history: The history that leads to the commits.
        snapshots: The commits.
    """
    wanted = set(snapshots)
    order = _oldest_first(history.parents, wanted)
    uses: dict[str, int] = defaultdict(int)
    for commit in order:
        for parent in history.parents.get(commit, ()):
            uses[parent] += 1
    states: dict[str, _Files] = {}
    found: dict[str, _Files] = {}
    removed: dict[Mark, str] = {}
    for commit in order:
        parents = [parent for parent in history.parents.get(commit, ()) if parent in states]
        states[commit] = _after(history, commit, parents, states, removed)
        if commit in wanted:
            found[commit] = states[commit]
        for parent in parents:
            uses[parent] -= 1
            if not uses[parent]:
                del states[parent]
    for files in found.values():
        for lines in files.values():
            for line in lines:
                removed.pop(line.first, None)
                removed.pop(line.last, None)
    return Replayed(found, removed)


def _oldest_first(parents: Mapping[str, Sequence[str]], tips: set[str]) -> list[str]:
    """The commits that lead to the tips, each after its parents."""
    order: list[str] = []
    seen: set[str] = set()
    stack = [(tip, False) for tip in sorted(tips)]
    while stack:
        commit, is_ready = stack.pop()
        if is_ready:
            order.append(commit)
        elif commit not in seen:
            seen.add(commit)
            stack.append((commit, True))
            stack += [(parent, False) for parent in parents.get(commit, ())]
    return order


def _after(
    history: History,
    commit: str,
    parents: Sequence[str],
    states: Mapping[str, _Files],
    removed: dict[Mark, str],
) -> _Files:
    """The files of a commit, from those of its parents; what it takes away is added to ``removed``."""
    first = parents[0] if parents else ""
    changes = history.changes.get((commit, first))
    if changes is None:
        return {}
    step = _Step(history.keys, commit)
    files = step.apply(states.get(first, {}), changes)
    for parent in parents[1:]:
        other = history.changes.get((commit, parent))
        if other is not None:
            step.fill(files, states[parent], other)
    step.finish(files, len(parents) > 1)
    for mark in step.gone(files):
        removed.setdefault(mark, commit)
    return files


@dataclass
class _Step:
    """One commit's changes to files.

    Attributes:
        keys: As in `History`.
        commit: The commit.
        added: Numbers of the lines that no parent explained yet, by path.
        blocks: What took the place of what: path, numbers of the new lines, the old lines, and whether both sides say
            the same.
        dropped: Lines of files that are gone.
    """

    keys: Mapping[tuple[str, str], Mapping[int, int]]
    commit: str
    added: dict[str, set[int]] = field(default_factory=dict)
    blocks: list[tuple[str, range, list[_Line], bool]] = field(default_factory=list)
    dropped: list[_Line] = field(default_factory=list)

    def apply(self, before: _Files, changes: Sequence[Change]) -> _Files:
        """The files after changes of those before; added lines are marked as this commit's."""
        files = dict(before)
        for change in changes:
            if change.old_path is not None and change.old_path != change.path:
                files.pop(change.old_path, None)
        for (path, old_path), group in _by_file(changes).items():
            if path is None:
                self.dropped += before.get(old_path or "", ())
                continue
            old = before.get(old_path, []) if old_path is not None else []
            lines = self._changed(path, old, group) if all(change.is_text for change in group) else None
            if lines is None or (old_path is not None and old_path not in before):
                files.pop(path, None)
            else:
                files[path] = lines
        return files

    def _changed(self, path: str, old: Sequence[_Line], group: Sequence[Change]) -> list[_Line] | None:
        """Lines of a file after its changes; None where these do not fit the lines before."""
        lines: list[_Line] = []
        at = 0
        for change in group:
            if change.numbers is None:
                continue
            old_start, old_count, new_start, new_count = change.numbers
            until = old_start - 1 if old_count else old_start
            if not at <= until <= until + old_count <= len(old):
                return None
            lines += old[at:until]
            new = range(new_start, new_start + new_count)
            if new_count and len(lines) != new_start - 1:
                return None
            lines += [_Line(mark, mark) for mark in (Mark(self.commit, path, line) for line in new)]
            self.added.setdefault(path, set()).update(new)
            self.blocks.append((path, new, list(old[until : until + old_count]), change.is_reflow))
            at = until + old_count
        return lines + list(old[at:])

    def fill(self, files: _Files, other: _Files, changes: Sequence[Change]) -> None:
        """Give lines that another parent has their marks from there."""
        by_file = {path: (old, group) for (path, old), group in _by_file(changes).items()}
        for path, missing in self.added.items():
            old_path, group = by_file.get(path, (path, []))
            there = _Step(self.keys, self.commit)
            old = other.get(old_path) if old_path is not None else None
            lines = there._changed(path, old, group) if old is not None else None
            if lines is None or path not in files or len(lines) != len(files[path]):
                continue
            new = there.added.get(path, set())
            for number in list(missing - new):
                files[path][number - 1] = lines[number - 1]
                missing.discard(number)

    def finish(self, files: _Files, is_merge: bool) -> None:
        """Let lines that were only moved or formatted keep the mark of where they were written first."""
        removed: dict[int, list[_Line]] = defaultdict(list)
        for path, new, old, is_reflow in self.blocks:
            if path not in files or is_merge:
                continue
            if is_reflow:
                self._reflow(files[path], new, old)
            else:
                self._in_place(files[path], path, new, old)
            for line in old:
                if (key := self._key(line.first)) is not None:
                    removed[key].append(line)
        if removed and not is_merge:
            for path, new, _, _ in self.blocks:
                if path in files:
                    self._moved(files[path], path, new, removed)

    def gone(self, files: _Files) -> Iterator[Mark]:
        """Marks of the lines that were taken away and did not turn up again in what took their place."""
        kept = {
            files[path][number - 1].first
            for path, new, _, _ in self.blocks
            if path in files
            for number in new
        }
        for line in (*self.dropped, *(line for _, _, old, _ in self.blocks for line in old)):
            if line.first not in kept:
                yield line.first

    def _key(self, mark: Mark) -> int | None:
        return self.keys.get((mark.commit, mark.path), {}).get(mark.line)

    def _reflow(self, lines: list[_Line], new: range, old: Sequence[_Line]) -> None:
        for place, number in enumerate(new):
            source = old[place * len(old) // len(new)]
            lines[number - 1] = _Line(lines[number - 1].last, source.first)

    def _in_place(self, lines: list[_Line], path: str, new: range, old: list[_Line]) -> None:
        """Lines that stand where the same words stood before: only white space was changed."""
        waiting = [(self._key(line.first), line) for line in old]
        for number in new:
            key = self._key(Mark(self.commit, path, number))
            place = next(
                (at for at, (other, _) in enumerate(waiting) if key is not None and other == key), None
            )
            if place is not None:
                lines[number - 1] = _Line(lines[number - 1].last, waiting[place][1].first)
                del waiting[: place + 1]

    def _moved(self, lines: list[_Line], path: str, new: range, removed: Mapping[int, list[_Line]]) -> None:
        """Blocks of lines that were removed elsewhere by the same commit."""
        block: list[tuple[int, _Line]] = []
        for number in (*new, new.stop):
            mark = Mark(self.commit, path, number)
            key = self._key(mark) if number in new else None
            if number in new and key is None:
                continue  # a line that says nothing by itself neither makes nor breaks a block
            sources = removed.get(key, []) if key is not None else []
            is_own = number in new and lines[number - 1].first == mark
            if sources and is_own:
                block.append((number, sources[0]))
                continue
            if len(block) >= _BLOCK:
                for moved, source in block:
                    lines[moved - 1] = _Line(lines[moved - 1].last, source.first)
            block = []


def _by_file(changes: Iterable[Change]) -> dict[tuple[str | None, str | None], list[Change]]:
    groups: dict[tuple[str | None, str | None], list[Change]] = {}
    for change in changes:
        groups.setdefault((change.path, change.old_path), []).append(change)
    return groups


def runs(lines: Sequence[_Line]) -> Iterator[Run]:
    """Lines as runs of consecutive ones."""
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or not _follows(lines[at - 1], lines[at]):
            yield Run(start + 1, at - start, lines[start].last, lines[start].first)
            start = at


def _follows(line: _Line, after: _Line) -> bool:
    return all((one.commit, one.path, one.line + 1) == two for one, two in zip(line, after, strict=True))


def removals(removed: Mapping[Mark, str]) -> Iterator[Removal]:
    """Lines that were taken away as runs of consecutive ones."""
    start: Mark | None = None
    count = 0
    for mark in sorted(removed):
        if (
            start is not None
            and mark == (start.commit, start.path, start.line + count)
            and removed[mark] == removed[start]
        ):
            count += 1
            continue
        if start is not None:
            yield Removal(start, count, removed[start])
        start, count = mark, 1
    if start is not None:
        yield Removal(start, count, removed[start])
