"""Why is this line here: from a line to the prompt that asked for it, with the evidence of each step.

The trail goes from the line to the commit that wrote it (git blame), to the checkpoints that the commit's message
names, to the sessions that those recorded, to the tool call whose written text holds the line, to the prompt of
the turn that made the call. Where a step has no successor, the trail ends there and says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, InvalidInput, NotFound
from graphsvc.git import BlameLine, Repository, decode
from queries.written import Written, written_texts

__all__ = ["STEP_COLUMNS", "Step", "Why", "snapshot_of", "to_rows", "why"]

STEP_COLUMNS = (
    "step",
    "subject",
    "text",
    "occurred_at",
    "origin",
    "confidence",
    "segment",
    "start_byte",
    "end_byte",
)
"""Columns of a trail as rows."""

_CONTEXT = 5
_CLOCK_SKEW = timedelta(minutes=5)


class Step(NamedTuple):
    """One step of a trail.

    Attributes:
        step: line, commit, checkpoint, session, tool_call or prompt.
        subject: Its own id: path and line, object id, checkpoint id, session id, call id, turn id.
        text: What it says, in its own words.
        occurred_at: When, in UTC; None where the source does not say.
        origin: The rule that leads to it from the step before: blame, trailer, checkpoint, written_text, turn.
        confidence: How sure that is, 0 to 1.
        evidence: Its exact bytes; None for the line, whose bytes are in the repository.
    """

    step: str
    subject: str
    text: str
    occurred_at: datetime | None
    origin: str
    confidence: float
    evidence: Span | None


@dataclass
class Why:
    """A trail.

    Attributes:
        steps: From the line towards the prompt.
        ends: Why the trail ends before the prompt; None where it leads there.
        notes: What else a reader should know: alternatives, and ids that nothing has.
    """

    steps: list[Step] = field(default_factory=list)
    ends: str | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Call:
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


def why(
    reader: Reader, repository: Repository, *, repository_id: str, commit: str, path: str, line: int
) -> Why:
    """Follow the trail from a line of a file, as it is in a commit.

    Args:
        reader: Reader of the canonical store.
        repository: The repository on disk.
        repository_id: Its identity in the store.
        commit: Object id of the commit in which the line is looked at.
        path: Path of the file from the root.
        line: Number of the line, from 1.

    Raises:
        NotFound: The commit has no such file.
        InvalidInput: The file has fewer lines.
    """
    found = Why()
    block = _blamed(repository, commit, path, line)
    target = next(blamed for blamed in block if blamed.line == line)
    author = decode(target.author_name)
    text = decode(target.content)
    found.steps.append(Step("line", f"{path}:{line}", text, None, "asked", 1.0, None))
    rows = reader.rows(
        sql.load("queries", "sql/why_commit.sql"), {"repository": repository_id, "oid": target.commit_oid}
    )
    if not rows:
        found.ends = (
            f"the store does not have commit {target.commit_oid[:12]} by {author}: run `graphsvc rebuild`"
        )
        return found
    title, author, authored_at, committed_at, *span = rows[0]
    found.steps.append(
        Step("commit", target.commit_oid, f"{title} ({author})", authored_at, "blame", 1.0, Span(*span))
    )
    if target.is_boundary:
        found.notes.append("the clone is shallow: an older commit may have written the line")
    _from_commit(found, reader, repository_id, block, target, committed_at)
    return found


def _blamed(repository: Repository, commit: str, path: str, line: int) -> list[BlameLine]:
    """The line and its neighbours that the same commit wrote: together they are told apart better."""
    end = line + _CONTEXT
    around = repository.blame(commit, path, max(1, line - _CONTEXT), end)
    target = next((blamed for blamed in around if blamed.line == line), None)
    if target is None:
        raise InvalidInput(f"{path} has fewer than {line} lines", hint="give the number of one of its lines")
    return [blamed for blamed in around if blamed.commit_oid == target.commit_oid]


def _from_commit(
    found: Why,
    reader: Reader,
    repository_id: str,
    block: list[BlameLine],
    target: BlameLine,
    committed_at: datetime | None,
) -> None:
    named = reader.rows(
        sql.load("queries", "sql/why_checkpoints.sql"),
        {"repository": repository_id, "oid": target.commit_oid},
    )
    if not named:
        found.ends = "the commit's message names no checkpoint"
        return
    unknown = [key for key, *_, is_known, _ in named if not is_known]
    known = {row[0]: row for row in named if row[4]}
    if unknown:
        found.notes.append(f"the store has no checkpoint {', '.join(unknown)}, which the commit names")
    if not known:
        found.ends = "none of the checkpoints that the commit names is in the store"
        return
    sessions = reader.rows(
        sql.load("queries", "sql/why_sessions.sql"), {"repository": repository_id, "checkpoints": list(known)}
    )
    readable = {row[1] for row in sessions if row[7]}
    calls = _calls(reader, sorted(readable)) if readable else []
    call, score, others = _writer(reader, calls, block, target, committed_at)
    session = next(
        (row for row in sessions if call is None or row[1] == call.session_key),
        sessions[0] if sessions else None,
    )
    if session is None:
        checkpoint, reason = next(iter(known)), "the checkpoint recorded no session"
    else:
        checkpoint, reason = session[0], "no transcript of the checkpoint's sessions can be read"
    _, *span, _, is_withdrawn = known[checkpoint]
    state = "withdrawn at its source" if is_withdrawn else "recorded"
    found.steps.append(Step("checkpoint", checkpoint, state, None, "trailer", 1.0, Span(*span)))
    if session is not None:
        _, key, agent, created_at, *span, _ = session
        shared = len({row[1] for row in sessions})
        found.steps.append(
            Step(
                "session",
                key,
                agent or "agent not recorded",
                created_at,
                "checkpoint",
                round(1 / shared, 4) if call is None else 1.0,
                Span(*span),
            )
        )
    if call is None:
        found.ends = reason if not readable else "no tool call of the recorded sessions wrote the line"
        return
    if others:
        found.notes.append(f"{others} other tool calls wrote the same text")
    _from_call(found, reader, call, score)


def _from_call(found: Why, reader: Reader, call: _Call, score: float) -> None:
    where = ", ".join(call.paths or ()) or (call.command or "")[:200]
    by = " in a subagent" if call.is_nested else ""
    found.steps.append(
        Step(
            "tool_call",
            call.call_key,
            f"{call.name}{by} {where}",
            call.occurred_at,
            "written_text",
            score,
            call.evidence,
        )
    )
    if call.turn_id is None:
        found.ends = "the recorded transcript begins after the prompt that led to the call"
        return
    [(prompt, started_at, *span)] = reader.rows(
        sql.load("queries", "sql/why_turn.sql"), {"session": call.session_key, "turn": call.turn_id}
    )
    found.steps.append(Step("prompt", call.turn_id, prompt, started_at, "turn", 1.0, Span(*span)))


def _calls(reader: Reader, sessions: list[str]) -> list[_Call]:
    statement = sql.load("queries", "sql/why_calls.sql")
    return [_call(*row) for session in sessions for row in reader.rows(statement, {"session": session})]


def _call(*row: Any) -> _Call:
    fields = dict(zip(_Call.__dataclass_fields__, (*row[:-3], Span(*row[-3:])), strict=True))
    return _Call(**fields)


def _writer(
    reader: Reader,
    calls: list[_Call],
    block: list[BlameLine],
    target: BlameLine,
    committed_at: datetime | None,
) -> tuple[_Call | None, float, int]:
    """The call that wrote the line, how sure that is, and how many others wrote the same text."""
    path = decode(target.original_path)
    latest = None if committed_at is None else committed_at + _CLOCK_SKEW
    by_sureness: dict[float, list[_Call]] = {1.0: [], 0.9: [], 0.7: []}
    for call in calls:
        if latest is None or call.occurred_at is None or call.occurred_at <= latest:
            by_sureness[_path_sureness(call, path)].append(call)
    for sureness, candidates in by_sureness.items():
        matches = list(_matches(reader, candidates, block, target))
        if matches:
            best = max(matches, key=lambda match: match.preference)
            same = {m.call.call_key for m in matches if m.preference[0] == best.preference[0]}
            return best.call, round(sureness * best.sureness, 3), len(same) - 1
    return None, 0.0, 0


def _path_sureness(call: _Call, path: str) -> float:
    """How well the files that a call wrote agree with a path: wholly, by name, or not at all."""
    paths = call.paths or ()
    if any(written == path or written.endswith("/" + path) for written in paths):
        return 1.0
    name = path.rsplit("/", 1)[-1]
    return 0.9 if any(written.rsplit("/", 1)[-1] == name for written in paths) else 0.7


class _Match(NamedTuple):
    call: _Call
    preference: tuple[bool, int, bool, int]
    sureness: float


def _matches(
    reader: Reader, calls: list[_Call], block: list[BlameLine], target: BlameLine
) -> Iterator[_Match]:
    """Calls whose text holds the line.

    Preferred is a call after which the text has the line more often than before; then the one that holds most of
    the block around it; then the last edit, or where only whole files were written, the first of them.
    """
    wanted = decode(target.content).strip()
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
            yield _Match(call, (is_new, common, is_edit, order), sureness)


def _texts(reader: Reader, calls: list[_Call]) -> Iterator[tuple[_Call, list[Written]]]:
    """What each call wrote; a command that names no file may have written any part of itself."""
    writing = [call for call in calls if call.writes]
    for call, data in zip(writing, reader.spans(call.evidence for call in writing), strict=True):
        yield call, written_texts(data) or ([Written(call.command, "")] if call.command else [])
    for call in calls:
        if not call.writes and call.command:
            yield call, [Written(call.command, "")]


def snapshot_of(reader: Reader, path: str, name: str | None = None) -> tuple[str, str, str]:
    """Where a path is to be looked at: repository identity, commit and locator of the indexed snapshot.

    Args:
        reader: Reader of the canonical store.
        path: Path from the repository's root.
        name: Name of the source, where several repositories have the path.

    Raises:
        NotFound: No indexed snapshot has the path.
        Ambiguous: Several repositories have it.
    """
    rows = reader.rows(sql.load("queries", "sql/snapshot_of.sql"), {"path": path, "name": name})
    if not rows:
        raise NotFound(
            f"no indexed snapshot has {path}",
            hint="give the path from the repository's root, or run `graphsvc rebuild`",
        )
    if len({row[0] for row in rows}) > 1:
        raise Ambiguous(
            f"several repositories have {path}",
            candidates=sorted({row[3] for row in rows}),
            hint="name one with --repository",
        )
    repository_id, commit, locator, *_ = rows[0]
    return repository_id, commit, locator


def to_rows(found: Why) -> list[tuple[Any, ...]]:
    """Steps as rows of `STEP_COLUMNS`."""
    return [(*step[:6], *(step.evidence or (None, None, None))) for step in found.steps]
