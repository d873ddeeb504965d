"""Takes commits and tool calls apart into lines: each once, since neither ever changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical.batch import Span, frame_of
from graphsvc.git import decode
from graphsvc.kinds import DERIVED
from graphsvc.lines import is_prose, is_telling, line_key, normalized
from graphsvc.patches import FilePatch, Hunk, Patch
from graphsvc.written import Written, written_texts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Call", "call_tables", "commit_tables", "derived_frames"]

_PROSE = 16_000
"""Most characters of what is kept of a commit's prose."""

Rows = dict[str, list[tuple[Any, ...]]]
"""Rows of derived tables by the table's name."""


class Call(NamedTuple):
    """A tool call that may have written to files."""

    event_id: str
    session_key: str
    call_key: str
    occurred_at: Any
    evidence: Span


def call_tables(calls: Iterable[Call], data: Iterable[bytes]) -> Mapping[str, pl.DataFrame]:
    """Rows of ``written_call`` and ``written_line``.

    Args:
        calls: The calls.
        data: The bytes of each.
    """
    rows: Rows = {"written_call": [], "written_line": []}
    for call, block in zip(calls, data, strict=True):
        rows["written_call"].append(call[:4])
        rows["written_line"] += _written_lines(call, written_texts(block))
    return derived_frames(rows)


def _written_lines(call: Call, texts: Sequence[Written]) -> Iterator[tuple[Any, ...]]:
    seen: dict[tuple[str | None, int], tuple[Any, ...]] = {}
    ordinal = 0
    for written in texts:
        before = Counter(map(line_key, (written.replaced or "").splitlines()))
        is_edit = written.replaced is not None
        for line in written.text.splitlines():
            key = line_key(line)
            ordinal += 1
            is_new = before[key] <= 0
            before[key] -= 1
            place = (written.path, key)
            if key and (place not in seen or (is_new and not seen[place][6])):
                telling = is_telling(line)
                seen[place] = (
                    call.session_key,
                    call.call_key,
                    written.path,
                    ordinal,
                    key,
                    telling,
                    is_new,
                    is_edit,
                )
    yield from seen.values()


def commit_tables(repository_id: str, patches: Iterable[Patch]) -> Mapping[str, pl.DataFrame]:
    """Rows of ``commit_patch``, ``changed_lines``, ``added_line`` and ``commit_prose``.

    Args:
        repository_id: Repository of the commits.
        patches: A patch a parent, those of a commit one after the other.
    """
    rows: Rows = {"commit_patch": [], "changed_lines": [], "added_line": [], "commit_prose": []}
    for commit, group in groupby(patches, key=lambda patch: patch.commit_oid):
        against = list(group)
        for patch in against:
            parent = patch.parent_oid or ""
            rows["commit_patch"].append((repository_id, commit, parent, patch.problem))
            for file in patch.files:
                head = (repository_id, commit, parent, _path(file.path), _path(file.old_path), file.is_text)
                rows["changed_lines"] += [(*head, *numbers) for numbers in _numbers(file)]
        prose: list[str] = []
        for path, number, line in _added(against):
            rows["added_line"].append((repository_id, commit, path, number, line_key(line), is_telling(line)))
            if is_prose(path, line):
                prose.append(line.strip())
        if prose:
            rows["commit_prose"].append((repository_id, commit, "\n".join(prose)[:_PROSE]))
    return derived_frames(rows)


def _numbers(file: FilePatch) -> Iterator[tuple[Any, ...]]:
    for hunk in file.hunks:
        yield hunk.old_start, len(hunk.removed), hunk.new_start, len(hunk.added), _is_reflow(hunk)
    if not file.hunks:
        yield None, None, None, None, None


def _is_reflow(hunk: Hunk) -> bool:
    """Both sides say the same, but for white space and where lines end."""
    return bool(hunk.removed and hunk.added) and _run_together(hunk.removed) == _run_together(hunk.added)


def _run_together(lines: Iterable[bytes]) -> str:
    return "".join(normalized(decode(line)) for line in lines)


def _added(against: Sequence[Patch]) -> Iterator[tuple[str, int, str]]:
    """Path, number and text of each line that no parent has there; empty ones are left out."""
    first, *others = ({file.path: file for file in patch.files if file.path} for patch in against)
    for path, file in first.items():
        if not file.is_text or not all(path in other for other in others):
            continue
        elsewhere = [_numbers_added(other[path]) for other in others]
        for hunk in file.hunks:
            for number, line in enumerate(hunk.added, hunk.new_start):
                text = decode(line)
                if line_key(text) and all(number in added for added in elsewhere):
                    yield decode(path), number, text


def _numbers_added(file: FilePatch) -> set[int]:
    return {
        number for hunk in file.hunks for number in range(hunk.new_start, hunk.new_start + len(hunk.added))
    }


def _path(path: bytes | None) -> str | None:
    return None if path is None else decode(path)


def derived_frames(rows: Rows) -> dict[str, pl.DataFrame]:
    """Rows of derived tables as frames."""
    return {name: frame_of(table, DERIVED[name].columns) for name, table in rows.items()}
