"""Makes the text index of a generation from canonical evidence, and reads it back before searches may use it.

It costs more than the graph does, and not everyone searches: so it is a step of its own after a rebuild.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.watermark import watermark
from graphsvc.durability import sync
from graphsvc.errors import Corrupt, NotFound, Stale
from graphsvc.ids import SegmentId
from graphsvc.text_index.engine import IndexWriter, TextIndex, version
from graphsvc.text_index.evidence_file import EvidenceWriter
from graphsvc.text_index.files import EVIDENCE_FILE, INDEX_FOLDER, passages_digest, seal_files
from graphsvc.text_index.literals import decoded, json_runs
from graphsvc.text_index.passage import Passage, Words, spans, text_digest
from graphsvc.text_index.words import day_words, has_long_word, split_names
from loaders.base import Progress, silent
from loaders.projection.project import prepare
from loaders.snapshots import code_tables

__all__ = ["RULES", "index"]

RULES = "passages-1"
"""Version of everything that decides what the index holds but is not SQL."""

_PACKAGE = "loaders.passages"
_UNRANKED = frozenset({"tool_result"})
"""Kinds that are found by whole words alone: three quarters of all text, and what says least."""

_TITLE = 80
_EPOCH = datetime(1970, 1, 1)


class _Row(NamedTuple):
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


def index(store: CanonicalStore, progress: Progress = silent) -> Mapping[str, Any]:
    """Make the text index of the newest generation, unless it has one by these rules.

    Args:
        store: The store.
        progress: Told of batches of sessions.

    Returns:
        What the ledger keeps of it: engine, rules, passages (of evidence), digest of these, text_bytes, and files
        with their seals.

    Raises:
        NotFound: No generation has been published.
        Stale: The store holds newer evidence than the generation.
        StoreBusy: A rebuild is under way.
        Corrupt: The index does not hold what was written.
    """
    with exclusive(store.folder, "rebuild", wait=store.wait):
        published = store.generations()
        if not published:
            raise NotFound("no graph has been published yet", hint="run `graphsvc rebuild`")
        head, rules = published[0], _passage_rules()
        if (head.text_index.get("engine"), head.text_index.get("rules")) == (version(), rules):
            return head.text_index
        folder = store.folder / "generations" / head.folder
        unfinished = folder / f"{INDEX_FOLDER}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        with store.read() as reader:
            if watermark(reader).digest != head.watermark:
                raise Stale("the store holds newer evidence than its graph")
            prepare(reader, code_tables(store, reader, progress))
            said = _build(reader, unfinished, progress) | {"rules": rules}
        shutil.rmtree(folder / INDEX_FOLDER, ignore_errors=True)
        unfinished.rename(folder / INDEX_FOLDER)
        sync(folder)
        store.add_text_index(head.number, said)
        return said


def _passage_rules() -> str:
    """Digest of all that decides what the index holds."""
    digest = hashlib.sha256(RULES.encode())
    for name, text in _statements():
        digest.update(f"\x1e{name}\x1f{text}".encode())
    return digest.hexdigest()


def _statements() -> Iterator[tuple[str, str]]:
    """Name and text of each SQL file of passages, by name."""
    for path in sorted(files(_PACKAGE).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".sql"):
            yield path.name, path.read_text(encoding="utf-8")


def _build(reader: Reader, folder: Path, progress: Progress) -> dict[str, Any]:
    """Write the index of all that the store's evidence says, and read it back.

    Args:
        reader: A reader that has the projection's temporary tables.
        folder: A folder that does not exist yet.
        progress: Told of batches of sessions.

    Returns:
        What the ledger keeps of it: engine, passages (of evidence), digest of these, text_bytes, and files with
        their seals.

    Raises:
        Corrupt: The index does not hold what was written.
    """
    folder.mkdir()
    with EvidenceWriter(folder / EVIDENCE_FILE) as evidence:
        builder = _Builder(IndexWriter(folder), evidence)
        for rows in _batches(reader, progress):
            builder.add(rows, _evidence(reader, rows))
        builder.finish()
    count, digest = passages_digest(TextIndex(folder).passages())
    written, expected = passages_digest(builder.written)
    if digest != expected:
        raise Corrupt(
            f"the text index has {count} passages of digest {digest}, written were {written} of {expected}"
        )
    return {
        "engine": version(),
        "passages": count,
        "digest": digest,
        "text_bytes": builder.text_bytes,
        "files": seal_files(folder),
    }


def _batches(reader: Reader, progress: Progress) -> Iterator[list[_Row]]:
    """All rows, a batch of whole sessions at a time, in an order that evidence alone decides."""
    union = " UNION ALL ".join(f"({text})" for _, text in _statements())
    reader.run(f"CREATE TEMP TABLE passage AS {union}")
    reader.run(f"CREATE TEMP TABLE passage_batch AS {sql.load('loaders', 'sql/passage_batches.sql')}")
    batches = [batch for (batch,) in reader.rows("SELECT DISTINCT batch FROM passage_batch ORDER BY batch")]
    for done, batch in enumerate(batches):
        progress("text index", done, len(batches))
        yield [
            _Row(*row) for row in reader.rows(sql.load("loaders", "sql/passage_rows.sql"), {"batch": batch})
        ]


def _evidence(reader: Reader, rows: list[_Row]) -> list[bytes]:
    return reader.spans(Span(SegmentId(row.segment), row.start, row.end) for row in rows)


@dataclass
class _Builder:
    """Turns rows into passages, and what was said in a turn or session into passages of their own."""

    index: IndexWriter
    evidence: EvidenceWriter
    written: list[Passage] = field(default_factory=list)
    text_bytes: int = 0
    _pending: list[tuple[Passage, Words]] = field(default_factory=list)

    def add(self, rows: list[_Row], evidence: list[bytes]) -> None:
        """Add a batch of whole sessions."""
        for session, group in groupby(zip(rows, evidence, strict=True), key=lambda pair: pair[0].session):
            members = []
            for row, data in group:
                passage, words = _passage(row, data)
                self.text_bytes += len(words.text.encode())
                self._put(passage, words, b"".join(data[start:end] for start, end in spans(passage)))
                members.append((row, passage, words))
            if session is not None:
                for passage, words in (*_turns(members), *_session(session, members)):
                    self.index.add(passage, words)

    def finish(self) -> None:
        """Write what is left."""
        self._close_frame()
        self.index.finish()

    def _put(self, passage: Passage, words: Words, written: bytes) -> None:
        self.evidence.add(written)
        self._pending.append((passage, words))
        if self.evidence.is_full:
            self._close_frame()

    def _close_frame(self) -> None:
        places = self.evidence.close_frame()
        for (passage, words), place in zip(self._pending, places, strict=True):
            placed = replace(passage, place=place)
            self.index.add(placed, words)
            self.written.append(placed)
        self._pending = []


_Member = tuple[_Row, Passage, Words]


def _passage(row: _Row, data: bytes) -> tuple[Passage, Words]:
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
        title=" ".join(row.title.split())[:_TITLE],
        agent=row.agent,
        tool=row.tool,
        occurred_at=None
        if row.occurred_at is None
        else (row.occurred_at - _EPOCH) // timedelta(microseconds=1),
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
        ranked="" if row.kind in _UNRANKED else split_names(text),
        names=tuple(name for name in row.names if name),
        dates=day_words(passage.occurred_at),
        has_long_word=has_long_word(text),
    )
    return passage, words


def _is_json(data: bytes) -> bool:
    """Whether evidence of a session is a record; a prompt in a file of its own is not."""
    if data[:1] not in (b"{", b"[", b'"'):
        return False
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return data[:1] == b"{"
    return True


def _runs(row: _Row, data: bytes, is_json: bool) -> list[tuple[int, int]]:
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


def _turns(members: list[_Member]) -> Iterator[tuple[Passage, Words]]:
    """A passage for each turn: what was said in it, after what was said last before it."""
    spoken = sorted(
        (member for member in members if member[0].is_spoken and member[0].turn),
        key=lambda member: (member[0].position, member[0].start, member[0].key),
    )
    said: dict[str, list[_Member]] = {}
    before: dict[str, str] = {}
    last = ""
    for row, passage, words in spoken:
        assert row.turn is not None
        before.setdefault(row.turn, last)
        said.setdefault(row.turn, []).append((row, passage, words))
        last = words.ranked
    for turn, group in sorted(said.items()):
        first = next((passage for row, passage, _ in group if row.kind == "prompt"), group[0][1])
        yield _whole(first, "turn", turn, [before[turn]], group, _paths(members, turn))


def _session(session: str, members: list[_Member]) -> Iterator[tuple[Passage, Words]]:
    """A passage for the session, where anything was said in it."""
    spoken = [member for member in members if member[0].is_spoken] or [
        member for member in members if member[0].kind == "recorded"
    ]
    if spoken:
        first = min(
            spoken,
            key=lambda member: (
                member[0].kind != "prompt",
                member[0].position,
                member[0].start,
                member[0].key,
            ),
        )
        yield _whole(first[1], "session", session, [], spoken, _paths(members, None))


def _whole(
    first: Passage, grain: str, key: str, context: list[str], group: list[_Member], paths: Iterable[str]
) -> tuple[Passage, Words]:
    passage = replace(
        first,
        grain=grain,
        kind=grain,
        key=key,
        subject=key,
        turn=first.turn if grain == "turn" else None,
        is_present=any(member[1].is_present for member in group),
        place=None,
    )
    ranked = "\n".join([*context, *(words.ranked for _, _, words in group)])
    days = " ".join(dict.fromkeys(day for _, _, words in group for day in words.dates.split()))
    return passage, Words("", ranked, tuple(paths), days)


def _paths(members: list[_Member], turn: str | None) -> list[str]:
    """The last two names of each path that the turn's tool calls name; of all turns for None."""
    paths = {
        "/".join(row.path.split("/")[-2:])
        for row, _, _ in members
        if row.kind == "tool_call" and row.path and (turn is None or row.turn == turn)
    }
    return sorted(paths)
