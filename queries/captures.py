"""What a commit's checkpoints recorded, and what is missing of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader

__all__ = ["Capture", "Checkpoint", "captures", "completeness", "missing", "named_checkpoints"]

_DOUBT = 0.3
"""What a claim loses where all transcripts are missing; less where some are."""


class Checkpoint(NamedTuple):
    """A checkpoint that a commit names; strategy and branch are as recorded, its evidence is the trailer."""

    key: str
    strategy: str | None
    branch: str | None
    created_at: datetime | None
    is_known: bool
    is_withdrawn: bool
    evidence: Span

    def describe(self, sessions: int) -> str:
        """How it was made, and of how many sessions."""
        by = self.strategy or "strategy not recorded"
        on = f" on branch {self.branch}" if self.branch else ""
        count = "1 session" if sessions == 1 else f"{sessions} sessions"
        return f"{by}{on}, {count}" + (", withdrawn at its source" if self.is_withdrawn else "")


class Capture(NamedTuple):
    """A session as a checkpoint recorded it; its evidence is the metadata.

    Attributes:
        checkpoint: Key of the checkpoint.
        session: Key of the session.
        agent: As recorded.
        started_at: Time of the session's first record, in UTC.
        has_transcript: The store has a transcript of the session, from this checkpoint or elsewhere.
        is_missing: Neither this checkpoint nor the session's host has its transcript.
        evidence: Bytes of the session's metadata.
    """

    checkpoint: str
    session: str
    agent: str | None
    started_at: datetime | None
    has_transcript: bool
    is_missing: bool
    evidence: Span


def named_checkpoints(reader: Reader, repository_id: str, commit: str) -> list[Checkpoint]:
    """The checkpoints that a commit's message names, in its order, whether the store has them or not."""
    rows = reader.rows(
        sql.load("queries", "sql/why_checkpoints.sql"), {"repository": repository_id, "oid": commit}
    )
    return [Checkpoint._make((*row[:-3], Span(*row[-3:]))) for row in rows]


def captures(reader: Reader, repository_id: str, checkpoints: list[str]) -> list[Capture]:
    """The sessions that some checkpoints recorded, those with a transcript first."""
    rows = reader.rows(
        sql.load("queries", "sql/why_sessions.sql"),
        {"repository": repository_id, "checkpoints": checkpoints},
    )
    return [Capture._make((*row[:-3], Span(*row[-3:]))) for row in rows]


def missing(recorded: Sequence[Capture]) -> str | None:
    """Which checkpoints lack transcripts, and of how many sessions; None where none does."""
    lost = [each for each in recorded if each.is_missing]
    if not lost:
        return None
    keys = ", ".join(dict.fromkeys(each.checkpoint for each in lost))
    return f"the transcript of checkpoint {keys} is missing ({len(lost)} of {len(recorded)})"


def completeness(recorded: Sequence[Capture]) -> float:
    """What missing transcripts leave of a claim: 1 where none is missing."""
    return 1 - _DOUBT * sum(each.is_missing for each in recorded) / max(len(recorded), 1)
