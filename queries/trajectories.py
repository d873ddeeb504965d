"""Sessions as trajectories, for pipelines that learn from them: a task, steps, and an outcome with its rule.

The fields are called as in the public types of cognitive-core. The outcome is never guessed: the first of these rules
that says something decides, and where none does, ``success`` is null.

1. ``summary``: the recorded summary's outcome has words of success, or of failure, and not both.
2. ``tests``: the last test command after the last written file passed, or failed.
3. ``commits``: a commit names a checkpoint of the session, after whose last written file no command failed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from queries.transcripts import Call, Transcript, transcript

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NO_TOKENS",
    "Outcome",
    "Step",
    "Task",
    "Tokens",
    "Trajectory",
    "frames",
    "session_tokens",
    "trajectory",
]

_DOMAINS = {
    "c": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "web",
    "go": "go",
    "html": "web",
    "java": "java",
    "js": "javascript",
    "json": "configuration",
    "jsx": "javascript",
    "kt": "kotlin",
    "md": "documentation",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "rst": "documentation",
    "sh": "shell",
    "sql": "sql",
    "swift": "swift",
    "toml": "configuration",
    "ts": "typescript",
    "tsx": "typescript",
    "yaml": "configuration",
    "yml": "configuration",
}
_TEST = re.compile(
    r"\b(?:pytest|tox|nox|unittest|jest|vitest|mocha|rspec|phpunit|ctest|gotestsum"
    r"|go\s+test|cargo\s+(?:nextest|test)|(?:npm|pnpm|yarn|bun|make|mise|gradle|mvn|dotnet|swift|mix)\s+(?:run\s+)?test)\b"
)
_SUCCESS = re.compile(
    r"\b(?:succe\w+|complete[sd]?|fixed|implemented|added|resolved|merged|works|passing|passed|done)\b", re.I
)
_FAILURE = re.compile(
    r"\b(?:fail\w*|unsuccessful\w*|incomplete|abandon\w*|abort\w*|blocked|reverted|broken|could not|couldn't|unable"
    r"|unresolved|not (?:yet )?(?:complete[sd]?|fixed|implemented|resolved|working|done))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked.

    Attributes:
        description: The recorded summary's intent, else the first typed prompt that the session did not take back, if
            there is one; None where there is no prompt.
        domain: What most of the touched files are written in, None without files.
        origin: ``summary`` or ``prompt``, where the description is from.
    """

    description: str | None
    domain: str | None
    origin: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """One tool call.

    Attributes:
        thought: What the model said and thought since the call before.
        action: The tool's name and its input.
        observation: Text of the answer, None without one.
        success: False where it failed, None where nothing says so.
        metadata: Id of the call, turn, time, seconds until the answer, file, evidence span, whether a subagent made it,
            and whether the session went on from before it.
    """

    thought: str
    action: dict[str, Any]
    observation: str | None
    success: bool | None
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it.

    Attributes:
        success: None where no rule decides.
        rule: ``summary``, ``tests`` or ``commits``; ``unknown`` where none of them decides.
        description: The recorded summary's outcome, or what the rule went by.
    """

    success: bool | None
    rule: str
    description: str | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A session.

    Attributes:
        id: The session's normalised id.
        task: What was asked.
        steps: One a tool call, in order.
        outcome: What came of it.
        agent_id: The agent.
        total_tokens: Tokens read and written, each message counted once; those read from a cache are not in it.
        timestamp: When it began, ISO 8601 in UTC.
        wall_time_seconds: From its first record to its last.
        metadata: Branch, models, files, checkpoints, commits, tokens by kind, content digest, ...
    """

    id: str
    task: Task
    steps: Sequence[Step]
    outcome: Outcome
    agent_id: str | None
    total_tokens: int | None
    timestamp: str | None
    wall_time_seconds: float | None
    metadata: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The trajectory as plain data."""
        return asdict(self)


class Tokens(NamedTuple):
    """Tokens of a session; columns of ``session_tokens.sql``, None where no record counts them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_tokens: int | None = None
    cache_read_tokens: int | None = None


NO_TOKENS = Tokens()
"""Of a session whose records count none."""


def session_tokens(reader: Reader, sessions: Iterable[str]) -> dict[str, Tokens]:
    """Tokens of sessions by normalised id. It looks at all sessions, since a message may be copied into several: ask
    once for many."""
    rows = reader.rows(sql.load("queries", "sql/session_tokens.sql"), {"sessions": list(sessions)})
    return {session: Tokens(*counts) for session, *counts in rows}


def trajectory(
    reader: Reader, session: str, *, content_digest: str | None = None, tokens: Tokens = NO_TOKENS
) -> Trajectory:
    """The trajectory of a session.

    Args:
        reader: Reader of the canonical store.
        session: Its normalised id.
        content_digest: Digest of what it holds, to be kept in the metadata.
        tokens: What `session_tokens` gives for it.
    """
    read = transcript(reader, session)
    head, steps = read.head, list(_steps(read))
    used = [tokens.input_tokens, tokens.output_tokens, tokens.cache_creation_tokens]
    is_timed = head.started_at is not None and head.ended_at is not None
    return Trajectory(
        id=session,
        task=_task(read),
        steps=steps,
        outcome=_outcome(read),
        agent_id=head.agent,
        total_tokens=sum(count or 0 for count in used) if any(c is not None for c in used) else None,
        timestamp=head.started_at.isoformat() + "Z" if head.started_at else None,
        wall_time_seconds=(head.ended_at - head.started_at).total_seconds() if is_timed else None,  # type: ignore[operator]
        metadata={
            "source": "graphsvc",
            "session_id": session,
            "content_digest": content_digest,
            "branch": head.branch,
            "models": list(head.models or ()),
            "files": list(head.files or ()),
            "checkpoints": list(head.checkpoints or ()),
            "commits": list(head.commits or ()),
            "repositories": list(head.repositories or ()),
            "turns": sum(turn.ordinal > 0 for turn in read.turns),
            "compactions": head.compactions,
            "tokens": tokens._asdict(),
        },
    )


def _task(read: Transcript) -> Task:
    domain = _domain(
        read.head.files or [call.path for turn in read.turns for call in turn.calls if call.path]
    )
    if read.head.intent:
        return Task(read.head.intent, domain, "summary")
    asked = sorted((turn for turn in read.turns if turn.prompt), key=lambda turn: turn.is_abandoned)
    prompt = asked[0].prompt if asked else None
    return Task(prompt, domain, "prompt" if prompt else None)


def _domain(paths: Iterable[str]) -> str | None:
    """What most files are written in; of equals the first by name.

    >>> _domain(["a.py", "b.go", "c.py"]), _domain(["Makefile"]), _domain([])
    ('python', 'other', None)
    """
    endings = (PurePosixPath(path.replace("\\", "/")).suffix.lstrip(".").lower() for path in paths)
    counted = Counter(_DOMAINS.get(ending, "other") for ending in endings)
    return min(counted, key=lambda name: (-counted[name], name), default=None)


def _steps(read: Transcript) -> Iterable[Step]:
    for turn in read.turns:
        thoughts: list[str] = []
        for item in turn.items:
            if isinstance(item, Call):
                yield _step(item, "\n\n".join(thoughts), turn.ordinal)
                thoughts = []
            elif item.role == "assistant" and item.text:
                thoughts.append(item.text)


def _step(call: Call, thought: str, turn: int) -> Step:
    failed = call.failed
    return Step(
        thought=thought,
        action={"tool": call.name, "input": call.given},
        observation=call.answer,
        success=None if failed is None else not failed,
        metadata={
            "call_id": call.call_key,
            "turn": turn,
            "timestamp": call.occurred_at.isoformat() + "Z" if call.occurred_at else None,
            "seconds": call.seconds,
            "path": call.path,
            "is_nested": call.is_nested,
            "is_abandoned": call.is_abandoned,
            "sessions": list(call.children),
            "span": f"{call.span.segment}:{call.span.start}-{call.span.end}",
        },
    )


def _outcome(read: Transcript) -> Outcome:
    said = read.head.outcome
    if said:
        succeeded, failed = bool(_SUCCESS.search(said)), bool(_FAILURE.search(said))
        if succeeded != failed:
            return Outcome(succeeded, "summary", said)
    calls = [call for turn in read.turns for call in turn.calls if not call.is_abandoned]
    written = max((number for number, call in enumerate(calls) if call.writes), default=-1)
    commands = [call for call in calls[written + 1 :] if call.command and call.failed is not None]
    tests = [call for call in commands if _TEST.search(call.command or "")]
    if tests:
        return Outcome(not tests[-1].failed, "tests", tests[-1].command)
    if read.head.commits and not (commands and commands[-1].failed):
        return Outcome(True, "commits", ", ".join(read.head.commits))
    return Outcome(None, "unknown", said)


def frames(trajectories: Iterable[Trajectory]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Trajectories as two frames.

    Returns:
        One row a trajectory: id, agent_id, task, domain, success, rule, steps, total_tokens, timestamp,
        wall_time_seconds, metadata (JSON). One row a step: id, ordinal, thought, tool, input (JSON), observation,
        success, metadata (JSON).
    """
    import orjson
    import polars as pl

    rows, steps = [], []
    for each in trajectories:
        metadata = orjson.dumps(each.metadata).decode()
        task, outcome = each.task, each.outcome
        rows.append(
            (
                each.id,
                each.agent_id,
                task.description,
                task.domain,
                outcome.success,
                outcome.rule,
                len(each.steps),
                each.total_tokens,
                each.timestamp,
                each.wall_time_seconds,
                metadata,
            )
        )
        for ordinal, step in enumerate(each.steps):
            given, more = (orjson.dumps(value).decode() for value in (step.action["input"], step.metadata))
            tool = step.action["tool"]
            steps.append((each.id, ordinal, step.thought, tool, given, step.observation, step.success, more))
    text, flag, count = pl.String, pl.Boolean, pl.Int64
    return (
        pl.DataFrame(
            rows,
            schema={
                "id": text,
                "agent_id": text,
                "task": text,
                "domain": text,
                "success": flag,
                "rule": text,
                "steps": count,
                "total_tokens": count,
                "timestamp": text,
                "wall_time_seconds": pl.Float64,
                "metadata": text,
            },
            orient="row",
        ),
        pl.DataFrame(
            steps,
            schema={
                "id": text,
                "ordinal": count,
                "thought": text,
                "tool": text,
                "input": text,
                "observation": text,
                "success": flag,
                "metadata": text,
            },
            orient="row",
        ),
    )
