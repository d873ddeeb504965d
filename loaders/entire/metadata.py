"""Entire's metadata files, as events.

Keys are read in snake case (``checkpoint_id``) and in camel case (``checkpointID``), whichever a file has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from graphsvc.canonical.batch import Batch, Span
from graphsvc.ids import checkpoint_id, session_id
from loaders.transcripts.values import integer, items, mapping, microseconds, number, text, texts

__all__ = ["Place", "add_checkpoint", "add_session", "normalised", "snake_case"]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}-(?=.)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKENS = ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens", "api_call_count")
_ATTRIBUTION = (
    "agent_lines",
    "human_added",
    "human_modified",
    "human_removed",
    "agent_removed",
    "total_committed",
    "total_lines_changed",
    "metric_version",
)


def normalised(raw: str) -> str:
    """Session id without the date that some versions put in front of it.

    >>> normalised("2026-01-12-53ea19c1-0000-4000-8000-000000000000")
    '53ea19c1-0000-4000-8000-000000000000'
    """
    return _DATE.sub("", raw, count=1)


def snake_case(value: Any) -> dict[str, Any]:
    """An object with its keys in snake case; empty for anything else.

    >>> snake_case({"sessionID": 1, "CLIVersion": 2, "files_touched": 3})
    {'session_id': 1, 'cli_version': 2, 'files_touched': 3}
    """
    return {_HUMP.sub("_", key).lower(): item for key, item in mapping(value).items()}


class Place(NamedTuple):
    """Where a metadata file belongs and lies.

    Attributes:
        repository_id: The repository.
        checkpoint_key: The checkpoint.
        session_index: Number of the session's folder; None for the checkpoint's own.
        session_key: Normalised session id; None for the checkpoint's own.
        span: The whole file.
    """

    repository_id: str
    checkpoint_key: str
    session_index: int | None
    session_key: str | None
    span: Span

    @property
    def key(self) -> tuple[str, ...]:
        """What makes a statement of the file unique within its kind."""
        index = "" if self.session_index is None else str(self.session_index)
        return self.repository_id, self.checkpoint_key, index, self.span.segment

    @property
    def subject(self) -> str:
        """The session, or the checkpoint."""
        if self.session_key is None:
            return checkpoint_id(self.repository_id, self.checkpoint_key)
        return session_id(self.session_key)


def add_checkpoint(batch: Batch, place: Place, value: Mapping[str, Any], layout: str) -> None:
    """Add what a checkpoint's root metadata says.

    Args:
        batch: Where events go.
        place: Where the file belongs.
        value: The file, decoded.
        layout: branch, reference or legacy.
    """
    said = snake_case(value)
    batch.event(
        "checkpoint",
        place.key,
        place.span,
        subject=place.subject,
        occurred_at=microseconds(said.get("created_at")),
        repository_id=place.repository_id,
        checkpoint_key=place.checkpoint_key,
        layout=layout,
        strategy=text(said.get("strategy")),
        branch=text(said.get("branch")),
        cli_version=text(said.get("cli_version")),
        checkpoints_count=_first_integer(said, "checkpoints_count", "steps_count"),
        files_touched=texts(said.get("files_touched")),
        listed_sessions=len(items(said.get("sessions"))),
        fields=list(value),
    )
    _add_lists(batch, place, said, "checkpoint")
    _add_attribution(batch, place, said.get("combined_attribution"))


def add_session(batch: Batch, place: Place, value: Mapping[str, Any]) -> None:
    """Add what a session's metadata says; arguments as in `add_checkpoint`."""
    said = snake_case(value)
    batch.event(
        "checkpoint_session",
        place.key,
        place.span,
        subject=place.subject,
        occurred_at=microseconds(said.get("created_at")),
        repository_id=place.repository_id,
        checkpoint_key=place.checkpoint_key,
        session_index=place.session_index,
        session_key=place.session_key,
        raw_session_id=text(said.get("session_id")),
        agent=text(said.get("agent")),
        agents=texts(said.get("agents")),
        strategy=text(said.get("strategy")),
        branch=text(said.get("branch")),
        cli_version=text(said.get("cli_version")),
        model=text(said.get("model")),
        session_kind=text(said.get("kind")),
        turn_id=text(said.get("turn_id")),
        transcript_start=_first_integer(said, "checkpoint_transcript_start", "transcript_lines_at_start"),
        transcript_identifier_at_start=text(said.get("transcript_identifier_at_start"))
        or text(said.get("transcript_uuid_at_start")),
        checkpoints_count=_first_integer(said, "checkpoints_count", "steps_count"),
        files_touched=texts(said.get("files_touched")),
        fields=list(value),
    )
    _add_lists(batch, place, said, "checkpoint_session")
    _add_attribution(batch, place, said.get("initial_attribution"))
    _add_summary(batch, place, said.get("summary"))


def _first_integer(said: Mapping[str, Any], *keys: str) -> int | None:
    """Value under the first of the keys, the newer name first, that has one."""
    return next((found for key in keys if (found := integer(said.get(key))) is not None), None)


def _add_lists(batch: Batch, place: Place, said: Mapping[str, Any], scope: str) -> None:
    """Files touched and token counts."""
    for position, path in enumerate(texts(said.get("files_touched")) or []):
        batch.event(
            "file_touch",
            (*place.key, str(position)),
            place.span,
            subject=place.subject,
            session_key=place.session_key,
            checkpoint_key=place.checkpoint_key,
            session_index=place.session_index,
            path=path,
            access="listed",
            origin="metadata",
        )
    used = snake_case(said.get("token_usage"))
    _add_tokens(batch, place, said.get("token_usage"), scope)
    _add_tokens(batch, place, used.get("subagent_tokens"), f"{scope}_subagents")


def _add_tokens(batch: Batch, place: Place, used: Any, scope: str) -> None:
    if type(used) is not dict:
        return
    said = snake_case(used)
    batch.event(
        "token_usage",
        (*place.key, scope),
        place.span,
        subject=place.subject,
        scope=scope,
        checkpoint_key=place.checkpoint_key,
        session_index=place.session_index,
        session_key=place.session_key,
        **{column: integer(said.get(column)) for column in _TOKENS},
    )


def _add_attribution(batch: Batch, place: Place, attribution: Any) -> None:
    if type(attribution) is not dict:
        return
    said = snake_case(attribution)
    batch.event(
        "attribution",
        place.key,
        place.span,
        subject=place.subject,
        occurred_at=microseconds(said.get("calculated_at")),
        checkpoint_key=place.checkpoint_key,
        session_index=place.session_index,
        session_key=place.session_key,
        agent_percentage=number(said.get("agent_percentage")),
        **{column: integer(said.get(column)) for column in _ATTRIBUTION},
    )


def _add_summary(batch: Batch, place: Place, summary: Any) -> None:
    if type(summary) is not dict:
        return
    said = snake_case(summary)
    learnings = said.get("learnings")
    batch.event(
        "session_summary",
        place.key,
        place.span,
        subject=place.subject,
        checkpoint_key=place.checkpoint_key,
        session_index=place.session_index,
        session_key=place.session_key,
        intent=text(said.get("intent")),
        outcome=text(said.get("outcome")),
        learnings=None if learnings is None else orjson.dumps(learnings).decode(),
        friction=texts(said.get("friction")),
        open_items=texts(said.get("open_items")),
    )
