"""Writes a shard of the text index: rows of the passages' SQL files become passages, and what was said in a session
becomes passages of its messages with those beside them, and of the session as a whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Corrupt
from graphsvc.ids import SegmentId
from graphsvc.text_index.engine import ShardWriter, assemble
from graphsvc.text_index.evidence_file import EvidenceWriter
from graphsvc.text_index.files import EVIDENCE_FOLDER, link_files, passages_digest, seal_files
from graphsvc.text_index.index import TextIndex
from graphsvc.text_index.literals import decoded, json_runs
from graphsvc.text_index.passage import Passage, Words, spans, text_digest
from graphsvc.text_index.words import day_words, has_long_word, split_names
from loaders.base import Progress

__all__ = ["RULES", "Row", "Shard", "made", "write_shard"]

RULES = "passages-4"
"""Version of everything that decides what a shard holds but is not SQL."""

_UNRANKED = frozenset({"tool_result"})
"""Kinds that are found by whole words alone: three quarters of all text, and what says least."""

_PRODUCED = "produced"
"""Kind of the rows that are commits of a session; what they say is evidence by itself elsewhere."""

_AT_ONCE = 4
"""Shards that are read together."""

_TITLE = 80
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_NO_SEGMENT, _NO_DIGEST = "0" * 64, "0" * 16


class Row(NamedTuple):
    """A row of the SQL files."""

    kind: str
    key: str
    subject: str
    session: str | None
    turn: str | None
    repository: str | None
    path: str | None
    title: str
    agent: str | None
    tool: str | None
    names: list[str | None]
    occurred_at: datetime | None
    is_present: bool
    segment: str
    start: int
    end: int
    form: str
    text: str | None
    is_spoken: bool
    position: int
    ended_at: datetime | None
    is_failed: bool
    is_callable: bool
    repositories: list[str]


_SEGMENT, _START, _END = (Row._fields.index(name) for name in ("segment", "start", "end"))

_Piece = tuple[Row, bytes]


class _Member(NamedTuple):
    """A row, its passage without its place, its words, and the number of its text in the evidence file."""

    row: Row
    passage: Passage
    words: Words
    number: int


class Shard(NamedTuple):
    """A shard as it should be: its name, which is a digest of what it holds, and its units in order."""

    name: str
    units: Sequence[str]


def made(
    reader: Reader, folder: Path, shards: Sequence[Shard], progress: Progress
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Write shards, several at a time, because they share packs of the store.

    Args:
        reader: A reader that has the table ``passage``.
        folder: The index's folder.
        shards: The shards.
        progress: Told of shards.

    Yields:
        Each shard's name, and what the ledger keeps of it; see `write_shard`.
    """
    for first in range(0, len(shards), _AT_ONCE):
        some = shards[first : first + _AT_ONCE]
        units = [unit for shard in some for unit in shard.units]
        stated = reader.rows(sql.load("loaders", "sql/passage_rows.sql"), {"units": units})
        data = reader.spans(Span(SegmentId(row[_SEGMENT]), row[_START], row[_END]) for row in stated)
        pieces: dict[str, list[_Piece]] = {}
        for (*row, unit), piece in zip(stated, data, strict=True):
            pieces.setdefault(unit, []).append((Row(*row), piece))
        for done, shard in enumerate(some, start=first):
            progress("text index", done, len(shards))
            own = folder / shard.name
            own.mkdir()
            said = write_shard(own, shard.name, [piece for unit in shard.units for piece in pieces.pop(unit)])
            link_files(own, folder, said["files"])
            shutil.rmtree(own)
            yield shard.name, said


def write_shard(folder: Path, name: str, pieces: Sequence[_Piece]) -> dict[str, Any]:
    """Write a shard and read it back.

    Args:
        folder: An empty folder.
        name: The shard's name.
        pieces: Rows of whole units, each with its evidence.

    Returns:
        What the ledger keeps of it: passages (all of them), digest of these, evidence (pieces of it), text_bytes of
        their text, segments of the engine a grain, and files with their seals.

    Raises:
        Corrupt: The shard does not hold what was written.
    """
    (folder / EVIDENCE_FOLDER).mkdir()
    evidence = EvidenceWriter(folder / EVIDENCE_FOLDER / f"{name}.zst")
    members = [_member(row, data, evidence) for row, data in pieces if row.kind != _PRODUCED]
    places = evidence.finish()
    index = ShardWriter(folder)
    for one in members:
        index.add(replace(one.passage, place=places[one.number]), one.words)
    for passage, words in _of_sessions(members):
        index.add(passage, words)
    for row, data in pieces:
        if row.kind == _PRODUCED:
            index.add(*_produced(row, data))
    segments = index.finish()
    assemble(folder, [segments])
    expected, found = passages_digest(index.stored), passages_digest(TextIndex(folder).stored())
    if found != expected:
        raise Corrupt(f"shard {name} has {found[0]} passages of digest {found[1]}, written were {expected}")
    return {
        "passages": found[0],
        "digest": found[1],
        "evidence": len(members),
        "text_bytes": sum(len(one.words.text.encode()) for one in members),
        "segments": segments,
        "files": seal_files(folder),
    }


def _member(row: Row, data: bytes, evidence: EvidenceWriter) -> _Member:
    """A row's passage, and the words that it is found by, its text put on disk."""
    passage, words = _stated(row, data)
    text = b"".join(data[start:end] for start, end in spans(passage))
    return _Member(row, passage, words, evidence.add(text))


def _produced(row: Row, data: bytes) -> tuple[Passage, Words]:
    """A commit as a window of the session that produced it."""
    passage, words = _stated(row, data)
    return (
        replace(_bare(passage), grain="window", kind="commit", title=_title(row)),
        words._replace(text="", ranked=f"{words.ranked}\n{split_names(row.text or '')}", has_long_word=False),
    )


def _stated(row: Row, data: bytes) -> tuple[Passage, Words]:
    """A row's passage, and the words that it is found by."""
    is_json = row.form == "json" and _is_json(data)
    runs = _runs(row, data, is_json)
    text = "\n".join(decoded(data, runs, is_json=is_json))
    passage = Passage(
        grain="occurrence",
        kind=row.kind,
        key=row.key,
        subject=row.subject,
        session=row.session,
        turn=row.turn,
        repository=row.repository,
        path=row.path,
        title="" if text else _title(row),
        agent=row.agent,
        tool=row.tool,
        occurred_at=_microseconds(row.occurred_at),
        is_present=row.is_present,
        segment=row.segment,
        start=row.start,
        end=row.end,
        texts=tuple(offset for run in runs for offset in run),
        is_json=is_json,
        digest=text_digest(text),
        place=None,
    )
    words = Words(
        text=text,
        ranked="" if row.kind in _UNRANKED else f"{split_names(text)}\n{_day(row.occurred_at)}",
        names=tuple(name for name in row.names if name),
        repositories=tuple(row.repositories),
        has_long_word=has_long_word(text),
        ended_at=_microseconds(row.ended_at),
        is_failed=row.is_failed,
        is_callable=row.is_callable,
    )
    return passage, words


def _microseconds(time: datetime | None) -> int | None:
    return None if time is None else (time - _EPOCH) // _MICROSECOND


def _title(row: Row) -> str:
    return " ".join(row.title.split())[:_TITLE]


def _day(time: datetime | None) -> str:
    return "" if time is None else _words_of_day(time.toordinal())


@lru_cache(maxsize=4096)
def _words_of_day(ordinal: int) -> str:
    return day_words((datetime.fromordinal(ordinal) - _EPOCH) // _MICROSECOND)


def _is_json(data: bytes) -> bool:
    """Whether evidence of a session is a record; a prompt in a file of its own is not."""
    if data[:1] == b"{":
        return True
    if data[:1] not in (b"[", b'"'):
        return False
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True


def _runs(row: Row, data: bytes, is_json: bool) -> list[tuple[int, int]]:
    """Which bytes of the evidence are text."""
    if row.form == "none":
        return []
    if row.form == "commit":
        return [(data.find(b"\n\n") + 2, len(data))]
    if not is_json:
        return [(0, len(data))]
    return json_runs(data) if row.text is None else _said(data, row.text)


def _said(record: bytes, text: str) -> list[tuple[int, int]]:
    """The strings of a record that hold a message, whose text an event states."""
    runs = json_runs(record)
    said = [
        run
        for run, string in zip(runs, decoded(record, runs, is_json=True), strict=True)
        if _is_in(string, text)
    ]
    return said or runs


def _is_in(string: str, text: str) -> bool:
    """Whether a string of a record is the text of its message, or a large part of it."""
    return string == text or (
        bool(string) and (text in string or (len(string) > len(text) // 8 and string in text))
    )


def _of_sessions(members: Iterable[_Member]) -> Iterator[tuple[Passage, Words]]:
    """Windows and sessions, of members that stand in order of their sessions."""
    for session, group in groupby(members, key=lambda member: member.row.session):
        if session is not None:
            own = list(group)
            yield from _windows(own)
            yield from _session(session, own)


def _spoken(members: Iterable[_Member]) -> list[_Member]:
    """What was said, in order."""
    return sorted(
        (member for member in members if member.row.is_spoken),
        key=lambda member: (member.row.position, member.row.start, member.row.key),
    )


def _only_recorded(members: Iterable[_Member]) -> list[_Member]:
    """Prompts that checkpoints recorded and no transcript has, each once: what is left where a transcript is lost or
    goes back less far."""
    members = list(members)
    known = {_bare_text(member) for member in members if member.row.kind != "recorded"}
    recorded = sorted(
        (member for member in members if member.row.kind == "recorded"),
        key=lambda member: (not member.row.is_present, member.row.segment, member.row.start, member.row.key),
    )
    lost: dict[str, _Member] = {}
    for member in recorded:
        if (text := _bare_text(member)) not in known:
            lost.setdefault(text, member)
    return list(lost.values())


def _bare_text(member: _Member) -> str:
    return (member.row.text or "").strip()


def _windows(members: list[_Member]) -> Iterator[tuple[Passage, Words]]:
    """Each message with the one before and the one after it; what is only recorded alone, since nobody knows what stood
    beside it. The first of a turn has the names of the files that the turn's tools used."""
    spoken = _spoken(members)
    paths = _paths(members)
    beside = [(member, spoken[max(0, place - 1) : place + 2]) for place, member in enumerate(spoken)]
    beside += [(member, [member]) for member in _only_recorded(members)]
    for member, near in beside:
        around = "\n".join(one.words.ranked for one in near)
        names = tuple(sorted(paths.pop(member.row.turn, ())))
        yield (
            replace(
                _bare(member.passage), grain="window", kind="window", subject=member.passage.key,
                segment=_NO_SEGMENT, start=0, end=0,
            ),
            Words("", around, names, repositories=member.words.repositories),
        )  # fmt: skip


def _bare(passage: Passage) -> Passage:
    """The passage without text of its own."""
    return replace(passage, texts=(), digest=_NO_DIGEST, place=None)


def _session(session: str, members: list[_Member]) -> Iterator[tuple[Passage, Words]]:
    """A passage for the session, where anything was said in it."""
    spoken = _spoken(members) + _only_recorded(members)
    if not spoken:
        return
    first = next((member for member in spoken if member.row.kind == "prompt"), spoken[0])
    title = _title(first.row)
    days = dict.fromkeys(_day(member.row.occurred_at) for member in spoken)
    said = (member.words.ranked for member in spoken)
    yield (
        replace(
            _bare(first.passage),
            grain="session",
            kind="session",
            key=session,
            subject=session,
            turn=None,
            title=title,
            is_present=any(member.passage.is_present for member in spoken),
        ),
        Words(
            "",
            "\n".join((*said, *days)),
            tuple(sorted({name for names in _paths(members).values() for name in names})),
            "\n".join(member.words.ranked for member in members if member.row.kind == "tool_call"),
            first.words.repositories,
        ),
    )


def _paths(members: list[_Member]) -> dict[str | None, set[str]]:
    """The last two names of each path that tool calls name, by turn."""
    paths: dict[str | None, set[str]] = {}
    for member in members:
        if member.row.kind == "tool_call" and member.row.path:
            paths.setdefault(member.row.turn, set()).add("/".join(member.row.path.split("/")[-2:]))
    return paths
