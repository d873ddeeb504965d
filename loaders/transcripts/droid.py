"""Droid sessions: one JSON object a line, the first about the session, messages in the form of Anthropic's API.

How many tokens the session took stands in a document of its own beside it, as totals so far.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts import claude
from loaders.transcripts.records import Sink
from loaders.transcripts.values import integer, mapping, text

__all__ = ["parse", "parse_settings"]


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one line."""
    message = mapping(value.get("message"))
    role = text(message.get("role"))
    is_message = value.get("type") == "message" and role is not None
    claude.parse(
        {
            **value,
            "type": role if is_message else value.get("type"),
            "uuid": value.get("id") if is_message else None,
            "parentUuid": value.get("parentId"),
            "isMeta": value.get("visibility") == "llm_only",
        },
        sink,
    )
    title = text(value.get("sessionTitle")) or text(value.get("title"))
    if value.get("type") == "session_start" and title:
        sink.message(0, role="system", channel="title", origin="model", text=title)
    elif value.get("type") == "compaction_state" and (summary := text(value.get("summaryText"))):
        sink.message(0, role="system", channel="summary", origin="model", text=summary)


def parse_settings(value: dict[str, Any], sink: Sink) -> None:
    """Add the token counts of a session's settings."""
    used = value.get("tokenUsage")
    if type(used) is dict:
        sink.token_usage(
            scope="running_total",
            message_key=None,
            model=text(value.get("model")),
            input_tokens=integer(used.get("inputTokens")),
            output_tokens=integer(used.get("outputTokens")),
            cache_creation_tokens=integer(used.get("cacheCreationTokens")),
            cache_read_tokens=integer(used.get("cacheReadTokens")),
        )
