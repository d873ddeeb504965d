"""Why is this line here: from a line to the prompt that asked for it, with the evidence of each step.

The trail goes from the line to the commit that wrote it, to the checkpoints that the commit's message names and
the sessions that those recorded, or to a session that wrote the same text, to the tool call that did, to the prompt of
the turn that made the call. Where a step has no successor, the trail ends there and says why. A prompt of few words is
followed by what it is about: the text that it answers, and the last prompt before it that says more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, InvalidInput, NotFound, SourceUnavailable
from graphsvc.git import BlameLine, Repository, decode
from queries.captures import Capture, Checkpoint, captures, completeness, missing, named_checkpoints
from queries.linked import LinkedLine, SessionLink, is_linked, linked_line, no_session, session_links
from queries.writers import Call, Window, Writer, writer_of

__all__ = [
    "STEP_COLUMNS",
    "Step",
    "Why",
    "commit_step",
    "prompt_steps",
    "slash_command",
    "snapshot_of",
    "to_rows",
    "why",
]

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
_WORTH_TELLING = 0.2
"""Least confidence of an alternative that a note names."""
_OTHERS = 3
"""Most alternatives that a note names."""
_FEW_LETTERS = 24
"""A prompt of fewer letters and digits hardly explains a line."""


class Step(NamedTuple):
    """One step of a trail.

    Attributes:
        step: line, commit, checkpoint, session, tool_call, prompt, answering, earlier_prompt or slash_command.
        subject: Its own id: path and line, object id, checkpoint id, session id, call id, turn id; of a text that a
            prompt answers, the key of its record.
        text: What it says, in its own words; of a checkpoint, how it was made.
        occurred_at: When, in UTC; None where the source does not say. A session's is that of its first record.
        origin: The rule that leads to it from the step before: snapshot (the line as indexed), blame, moved (the
            commit wrote the line, which a later one moved or formatted), trailer, checkpoint, written_text,
            recorded_capture and edited_files (of a session: `graphsvc.kinds.DERIVED`), surrounding_lines,
            altered_text, same_text_elsewhere (a guess: the text was written to another file), turn, before_prompt.
        confidence: How sure that is, 0 to 1. A prompt is no surer than its tool call, nor is a session that only a
            guess leads to.
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
        steps: From the line towards the prompt, and what the prompt is about.
        ends: Why the trail ends before the prompt; None where it leads there.
        notes: What else a reader should know: alternatives, and ids that nothing has.
        call: The tool call that it leads to, if it does.
    """

    steps: list[Step] = field(default_factory=list)
    ends: str | None = None
    notes: list[str] = field(default_factory=list)
    call: Call | None = None

    @property
    def asked_at(self) -> datetime | None:
        """When the prompt of the call's turn was written; None where that is not known."""
        turn = self.call.turn_id if self.call else None
        return next(
            (step.occurred_at for step in self.steps if step.step == "prompt" and step.subject == turn), None
        )


def why(
    reader: Reader, repository: Repository, *, repository_id: str, commit: str, path: str, line: int
) -> Why:
    """Follow the trail from a line of a file, as it is in a commit.

    A store that has been linked knows where the line comes from; in another one it is looked for now, among the
    sessions that the commit's message leads to.

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
    place = linked_line(reader, repository_id, commit, path, line) if is_linked(reader) else None
    if place is None:
        return _by_blame(reader, repository, repository_id, commit, path, line)
    text = _line_text(reader, repository, repository_id, commit, path, line)
    return _by_links(
        reader, repository_id, place, Step("line", f"{path}:{line}", text, None, "snapshot", 1.0, None)
    )


def _by_links(reader: Reader, repository_id: str, place: LinkedLine, line: Step) -> Why:
    found = Why(steps=[line])
    for oid, origin in dict.fromkeys(((place.last.oid, "blame"), (place.origin.oid, "moved"))):
        if origin == "blame" or oid != place.last.oid:
            step, _ = commit_step(reader, repository_id, oid, origin)
            found.steps.append(step)
    if place.was_altered:
        found.notes.append("the line itself was changed after the call wrote what stands around it")
    _from_commit(found, reader, repository_id, place.written.oid, place.written.path, lambda _: place.writer)
    return found


def _by_blame(
    reader: Reader, repository: Repository, repository_id: str, commit: str, path: str, line: int
) -> Why:
    block = _blamed(repository, commit, path, line)
    target = next(blamed for blamed in block if blamed.line == line)
    text = decode(target.content)
    found = Why(steps=[Step("line", f"{path}:{line}", text, None, "snapshot", 1.0, None)])
    try:
        step, window = commit_step(reader, repository_id, target.commit_oid, "blame")
    except NotFound:
        author = decode(target.author_name)
        found.ends = (
            f"the store does not have commit {target.commit_oid[:12]} by {author}: run `graphsvc rebuild`"
        )
        return found
    found.steps.append(step)
    if target.is_boundary:
        found.notes.append("the clone is shallow: an older commit may have written the line")

    def writer_among(recorded: Sequence[Capture]) -> Writer | None:
        sessions = sorted({each.session for each in recorded if each.has_transcript})
        writer = writer_of(
            reader, sessions, repository_id=repository_id, block=block, target=target, window=window
        )
        if writer is None:
            return None
        return writer._replace(confidence=round(writer.confidence * completeness(recorded), 3))

    _from_commit(found, reader, repository_id, target.commit_oid, decode(target.original_path), writer_among)
    return found


def commit_step(reader: Reader, repository_id: str, oid: str, origin: str) -> tuple[Step, Window]:
    """The step of a commit, and when its changes were made.

    Raises:
        NotFound: The store does not have the commit.
    """
    rows = reader.rows(sql.load("queries", "sql/why_commit.sql"), {"repository": repository_id, "oid": oid})
    if not rows:
        raise NotFound(f"the store does not have commit {oid[:12]}", hint="run `graphsvc rebuild`")
    title, author, authored_at, committed_at, parent_at, *span = rows[0]
    step = Step("commit", oid, f"{title} ({author})", authored_at, origin, 1.0, Span(*span))
    return step, Window(parent_at, committed_at)


def _line_text(
    reader: Reader, repository: Repository, repository_id: str, commit: str, path: str, line: int
) -> str:
    """Text of a line of a snapshot.

    Raises:
        SourceUnavailable: The repository does not have the file's bytes.
    """
    parameters = {"repository": repository_id, "commit": commit, "path": path}
    rows = reader.rows(sql.load("queries", "sql/snapshot_blob.sql"), parameters)
    with repository.batch() as batch:
        blob = next(batch.read([row[0] for row in rows]), None)
    if blob is None:
        raise SourceUnavailable(f"the repository does not have the bytes of {path} in commit {commit[:12]}")
    return decode(blob.data.split(b"\n")[line - 1])


def _blamed(repository: Repository, commit: str, path: str, line: int) -> list[BlameLine]:
    """The line and its neighbours that the same commit wrote: together they are told apart better."""
    try:
        around = repository.blame(commit, path, max(1, line - _CONTEXT), line + _CONTEXT)
    except InvalidInput:
        around = []
    except NotFound as error:
        raise NotFound(
            f"the repository has no {path} in commit {commit[:12]}, which is the indexed one",
            hint="if its history has been rewritten since, run `graphsvc rebuild`",
        ) from error
    target = next((blamed for blamed in around if blamed.line == line), None)
    if target is None:
        raise InvalidInput(
            f"{path} has no line {line} in the indexed commit {commit[:12]}",
            hint="if HEAD has moved since, run `graphsvc rebuild`; else give the number of one of its lines",
        )
    return [blamed for blamed in around if blamed.commit_oid == target.commit_oid]


def _from_commit(
    found: Why,
    reader: Reader,
    repository_id: str,
    commit: str,
    path: str,
    writer_among: Callable[[Sequence[Capture]], Writer | None],
) -> None:
    """Go on from the commit that wrote a line: to a session that its message leads to, else to one by evidence."""
    named = named_checkpoints(reader, repository_id, commit)
    known = [checkpoint for checkpoint in named if checkpoint.is_known]
    unknown = [checkpoint.key for checkpoint in named if not checkpoint.is_known]
    if unknown:
        found.notes.append(f"the store has no checkpoint {', '.join(unknown)}, which the commit names")
    recorded = captures(reader, repository_id, [checkpoint.key for checkpoint in known]) if known else []
    writer = writer_among(recorded)
    links = session_links(reader, repository_id, commit) if is_linked(reader) else None
    sessions = {each.session for each in recorded}
    is_recorded = writer is None or writer.call.session_key in sessions
    if known:
        # What the message states is certain, and stays there when the text leads to another session.
        _add_capture(found, known, recorded, writer if is_recorded else None)
    if not known or not is_recorded:
        _add_linked_session(found, reader, repository_id, commit, links, writer, named)
    _add_alternatives(found, links or (), sessions)
    if writer is not None:
        _add_writer(found, reader, writer, path)


def _add_linked_session(
    found: Why,
    reader: Reader,
    repository_id: str,
    commit: str,
    links: Sequence[SessionLink] | None,
    writer: Writer | None,
    named: Sequence[Checkpoint],
) -> None:
    """The step of a session that nothing but evidence leads to: the writing call's, else the surest one."""
    if writer is not None:
        found.steps.append(_session_of(links or (), writer))
        found.ends = None
        return
    surest = next((link for link in links or () if link.is_sure), None)
    if surest is not None:
        found.steps.append(_session_step(surest, surest.confidence))
        found.ends = "no tool call of the session wrote the line"
        return
    found.ends = (
        "none of the checkpoints that the commit names is in the store"
        if named
        else "the commit's message names no checkpoint"
    )
    if links is not None:
        found.ends += f", and {no_session(reader, repository_id, commit)}"


def _session_of(links: Sequence[SessionLink], writer: Writer) -> Step:
    session = writer.call.session_key
    found = next((link for link in links if link.session == session), None)
    if found is not None:
        return _session_step(found, max(found.confidence, writer.confidence))
    text = "it wrote the line, and hardly more of the commit"
    return Step("session", session, text, None, writer.origin, writer.confidence, writer.call.evidence)


def _session_step(link: SessionLink, sureness: float) -> Step:
    text = (
        f"{link.agent or 'agent not recorded'}, {link.lines} of {link.of_lines} telling lines of the commit"
    )
    return Step("session", link.session, text, link.started_at, link.origin, sureness, link.span)


def _add_alternatives(found: Why, links: Sequence[SessionLink], recorded: set[str]) -> None:
    said = recorded | {step.subject for step in found.steps if step.step == "session"}
    others = [
        f"{each.session} ({each.origin}, {each.confidence:g})"
        for each in links
        if each.session not in said and each.confidence >= _WORTH_TELLING
    ]
    if others:
        found.notes.append(f"the commit may come from other sessions: {', '.join(others[:_OTHERS])}")


def _add_capture(
    found: Why, known: Sequence[Checkpoint], recorded: Sequence[Capture], writer: Writer | None
) -> None:
    """Steps of the session that has the writing call, else of the first one, and of its checkpoint."""
    capture = next(
        (each for each in recorded if writer is None or each.session == writer.call.session_key), None
    )
    checkpoint = next(each for each in known if capture is None or each.key == capture.checkpoint)
    others = [each.key for each in known if each.key != checkpoint.key]
    if others:
        found.notes.append(f"the commit also names checkpoint {', '.join(others)}")
    made = checkpoint.describe(len({each.session for each in recorded if each.checkpoint == checkpoint.key}))
    found.steps.append(
        Step("checkpoint", checkpoint.key, made, checkpoint.created_at, "trailer", 1.0, checkpoint.evidence)
    )
    if capture is None:
        found.ends = "the checkpoint recorded no session"
        return
    found.steps.append(
        Step(
            "session",
            capture.session,
            capture.agent or "agent not recorded",
            capture.started_at,
            "checkpoint",
            _session_sureness(recorded, writer),
            capture.evidence,
        )
    )
    lost = missing(recorded)
    if writer is not None and lost:
        found.notes.append(f"{lost}: what it has may have written the line instead")
    elif writer is None:
        found.ends = (
            f"{lost}, so whether the agent wrote this line is unknown"
            if lost
            else "no tool call of the recorded sessions wrote the line"
        )


def _session_sureness(recorded: Sequence[Capture], writer: Writer | None) -> float:
    """How sure it is that a line came out of the session that has the writing call, or the first one."""
    count = len({each.session for each in recorded})
    if writer is None:
        return round(1 / count, 4)
    if writer.is_guess:
        return min(round(1 / count, 4), writer.confidence)
    return 1.0 if count == 1 else round(completeness(recorded), 3)


def _add_writer(found: Why, reader: Reader, writer: Writer, path: str) -> None:
    call = found.call = writer.call
    if writer.is_guess:
        found.notes.append(f"the tool call wrote the same text, but not to {path}: it is a guess")
    if writer.others:
        found.notes.append(f"{writer.others} other tool calls wrote the same text")
    by = " in a subagent" if call.is_nested else ""
    found.steps.append(
        Step(
            "tool_call",
            call.call_key,
            f"{call.name}{by} {call.where}",
            call.occurred_at,
            writer.origin,
            writer.confidence,
            call.evidence,
        )
    )
    if call.turn_id is not None:
        found.steps += prompt_steps(reader, call.session_key, call.turn_id, writer.confidence)
    command = slash_command(reader, call.session_key, found.asked_at, call.occurred_at, writer.confidence)
    found.steps += command
    if call.turn_id is None and not command:
        found.ends = "the recorded transcript begins after the prompt that led to the call"


def prompt_steps(reader: Reader, session: str, turn: str, sureness: float) -> Iterator[Step]:
    """The prompt of a turn, and where that says little, what it is about."""
    [(prompt, started_at, *span)] = reader.rows(
        sql.load("queries", "sql/why_turn.sql"), {"session": session, "turn": turn}
    )
    yield Step("prompt", turn, prompt, started_at, "turn", sureness, Span(*span))
    if sum(map(str.isalnum, prompt)) < _FEW_LETTERS:
        parameters = {"session": session, "before": started_at, "letters": _FEW_LETTERS}
        for step, subject, text, at, *span in reader.rows(
            sql.load("queries", "sql/why_context.sql"), parameters
        ):
            yield Step(step, subject, text, at, "before_prompt", sureness, Span(*span))


def slash_command(
    reader: Reader, session: str, asked_at: datetime | None, called_at: datetime | None, sureness: float
) -> list[Step]:
    """The slash command that a person gave between the prompt of a turn and a call of it, if one was given."""
    times = {"session": session, "begun": asked_at, "at": called_at}
    rows = reader.rows(sql.load("queries", "sql/why_slash_command.sql"), times)
    return [
        Step(step, subject, text, at, "turn", sureness, Span(*span))
        for step, subject, text, at, *span in rows
    ]


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
