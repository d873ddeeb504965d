"""Why something is as it is: lines, commits, checkpoints and facts, each back to the prompts behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import InvalidInput
from graphsvc.git import Repository
from graphsvc.ids import SegmentId
from queries.captures import Capture, captures, named_checkpoints
from queries.linked import SessionLink, is_linked, no_session, session_links
from queries.merges import merged_commits
from queries.subjects import Lines, Subject
from queries.why import Step, Why, commit_step, prompt_steps, slash_command, why

__all__ = ["explain"]

_GROUPS = 4
"""Most groups of lines whose trails are told."""
_PROMPTS = 5
"""Most prompts that are told of a commit."""
_ASKED = frozenset({"commit", "prompt", "earlier_prompt", "slash_command"})
"""Steps of a commit that a checkpoint tells of."""
_MERGED = 5
"""Most commits of a merge that are told."""


class _Origin(NamedTuple):
    """What lines of a file have in common that came about together."""

    commit: str
    call: str | None


def explain(reader: Reader, subject: Subject) -> Why:
    """The trail from a subject to the prompts behind it.

    Args:
        reader: Reader of the canonical store.
        subject: What is asked about.

    Returns:
        Of a single line, the steps of `queries.why.why`. Of more lines, a step ``lines`` for those that came about
        together, the newest first, with the trail of the first of them. Of a commit, its sessions and the prompts
        that most of it comes from; of a checkpoint, those of its commits; of a fact, what it rests on.

    Raises:
        InvalidInput: The file has fewer lines.
        SourceUnavailable: The repository is not where it was.
    """
    if subject.lines is not None:
        return _of_lines(reader, subject.lines)
    found = Why()
    if subject.kind == "commit":
        assert subject.repository_id is not None
        _add_commit(found, reader, subject.repository_id, subject.key)
    elif subject.kind == "checkpoint":
        _add_checkpoint(found, reader, subject)
    else:
        _add_fact(found, reader, subject.key)
    return found


def _of_lines(reader: Reader, lines: Lines) -> Why:
    place = {"repository_id": lines.repository_id, "commit": lines.commit, "path": lines.path}
    with Repository.open(lines.locator) as repository:
        if lines.first == lines.last:
            return why(reader, repository, **place, line=lines.first)
        groups = _groups(reader, repository, lines)
        whole = Why()
        for numbers in groups[:_GROUPS]:
            trail = why(reader, repository, **place, line=numbers[0])
            line, *rest = trail.steps
            said = f"{lines.path}:{_numbers(numbers)}"
            whole.steps += [line._replace(step="lines", subject=said), *rest]
            whole.notes += trail.notes
            whole.call = whole.call or trail.call
            if trail.ends:
                whole.notes.append(f"the trail of {said} ends: {trail.ends}")
    if len(groups) > _GROUPS:
        left = sum(map(len, groups[_GROUPS:]))
        whole.notes.append(
            f"{left} older lines of {len(groups) - _GROUPS} other origins are not told: ask for fewer lines"
        )
    return whole


def _groups(reader: Reader, repository: Repository, lines: Lines) -> list[list[int]]:
    """Numbers of the lines that came about together, the newest first.

    Raises:
        InvalidInput: The file has fewer lines.
    """
    last = lines.last if lines.last is not None else 1 << 31
    parameters = {
        "repository": lines.repository_id,
        "commit": lines.commit,
        "path": lines.path,
        "first": lines.first,
        "last": last,
    }
    rows = reader.rows(sql.load("queries", "sql/linked_lines.sql"), parameters) if is_linked(reader) else []
    if not rows:
        blamed = repository.blame(lines.commit, lines.path, lines.first, lines.last)
        rows = [(each.line, each.commit_oid, None, each.authored_at) for each in blamed]
    if not rows or (lines.last is not None and rows[-1][0] < lines.last):
        raise InvalidInput(
            f"{lines.path} has no line {lines.last or lines.first} in commit {lines.commit[:12]}"
        )
    groups: dict[_Origin, list[int]] = {}
    times = {}
    for number, commit, call, authored_at in rows:
        origin = _Origin(commit, call)
        groups.setdefault(origin, []).append(number)
        times[origin] = authored_at
    order = sorted(groups, key=lambda origin: (str(times[origin]), len(groups[origin])), reverse=True)
    return [groups[origin] for origin in order]


def _numbers(numbers: Sequence[int]) -> str:
    """Line numbers as ranges.

    >>> _numbers([3, 4, 5, 9])
    '3-5,9'
    """
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{first}-{last}" if first < last else str(first) for first, last in ranges)


def _add_commit(found: Why, reader: Reader, repository_id: str, commit: str) -> None:
    """A commit, the sessions that it comes from, and the prompts that most of its lines come from."""
    step, _ = commit_step(reader, repository_id, commit, "asked")
    found.steps.append(step)
    named = [each for each in named_checkpoints(reader, repository_id, commit) if each.is_known]
    recorded = captures(reader, repository_id, [each.key for each in named]) if named else []
    for each in named:
        made = each.describe(len({one.session for one in recorded if one.checkpoint == each.key}))
        found.steps.append(Step("checkpoint", each.key, made, each.created_at, "trailer", 1.0, each.evidence))
    is_known = is_linked(reader)
    links = session_links(reader, repository_id, commit) if is_known else []
    sessions = {step.subject: step for step in _sessions(recorded, links)}
    found.steps += sessions.values()
    for link in links:
        if link.session not in sessions:
            found.notes.append(
                f"session {link.session} may be where it comes from ({link.origin}, {link.confidence:g})"
            )
    merged = merged_commits(reader, repository_id, commit) if not sessions else []
    if merged:
        steps = (commit_step(reader, repository_id, oid, "merged")[0] for oid in merged[:_MERGED])
        found.steps += steps
        found.ends = f"it is a merge of {len(merged)} commits: ask for one of them"
    elif not sessions:
        found.ends = (
            no_session(reader, repository_id, commit) if is_known else "its message names no checkpoint"
        )
    elif is_known:
        _add_prompts(found, reader, repository_id, commit)


def _sessions(recorded: Sequence[Capture], links: Sequence[SessionLink]) -> Iterator[Step]:
    """The sessions that a commit's message leads to; where it leads to none, those that evidence is sure of."""
    by_session = {link.session: link for link in links}
    for capture in {each.session: each for each in reversed(recorded)}.values():
        text = _share(capture.agent, by_session.get(capture.session))
        yield Step("session", capture.session, text, capture.started_at, "checkpoint", 1.0, capture.evidence)
    for link in links:
        if not recorded and link.is_sure:
            text = _share(link.agent, link)
            yield Step(
                "session", link.session, text, link.started_at, link.origin, link.confidence, link.span
            )


def _share(agent: str | None, link: SessionLink | None) -> str:
    """The agent, and how much of a commit it wrote, where that is known."""
    said = agent or "agent not recorded"
    return said if link is None else f"{said}, {link.lines} of {link.of_lines} telling lines"


def _add_prompts(found: Why, reader: Reader, repository_id: str, commit: str) -> None:
    """The prompts that most of a commit's lines come from, those of most lines first."""
    parameters = {"repository": repository_id, "commit": commit, "most": _PROMPTS}
    rows = reader.rows(sql.load("queries", "sql/commit_prompts.sql"), parameters)
    for session, turn, lines, confidence, wrote_at, _ in rows:
        first, *about = prompt_steps(reader, session, turn, confidence / 1000)
        found.steps.append(first._replace(text=f"[{_counted(lines)}] {first.text}"))
        found.steps += (step for step in about if step.step == "earlier_prompt")
        found.steps += slash_command(reader, session, first.occurred_at, wrote_at, confidence / 1000)
    left = max((total for *_, total in rows), default=0) - sum(lines for _, _, lines, *_ in rows)
    if left:
        found.notes.append(f"prompts that led to {_counted(left)} are not told")
    if not rows:
        found.ends = "no tool call of its sessions wrote what it adds"


def _counted(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def _add_checkpoint(found: Why, reader: Reader, subject: Subject) -> None:
    rows = reader.rows(sql.load("queries", "sql/checkpoint_steps.sql"), {"checkpoint": subject.key})
    for step, key, text, at, origin, *span in rows:
        evidence = None if span[0] is None else Span(SegmentId(span[0]), span[1], span[2])
        if step != "commit":
            found.steps.append(Step(step, key, text, at, origin, 1.0, evidence))
    for step, key, *_ in rows:
        if step == "commit" and subject.repository_id is not None:
            trail = Why()
            _add_commit(trail, reader, subject.repository_id, key)
            found.steps += [each for each in trail.steps if each.step in _ASKED]
    kinds = {row[0] for row in rows}
    if "commit" not in kinds:
        found.ends = "no commit of the store names the checkpoint"
    elif "checkpoint" not in kinds:
        found.ends = "the store has no such checkpoint, only the commits that name it"


def _add_fact(found: Why, reader: Reader, fact: str) -> None:
    rows = reader.rows(sql.load("queries", "sql/fact_steps.sql"), {"fact": fact})
    for step, key, text, at, origin, *span in rows:
        evidence = None if span[0] is None else Span(SegmentId(span[0]), span[1], span[2])
        found.steps.append(Step(step, key, text or "", at, origin, 1.0, evidence))
    if not _has(found.steps, ("prompt", "commit", "file", "symbol", "span")):
        found.ends = "the fact names no evidence"


def _has(steps: Iterable[Step], kinds: Sequence[str]) -> bool:
    return any(step.step in kinds for step in steps)
