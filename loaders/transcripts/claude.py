"""Claude Code transcripts: one JSON object a line, with ``type``, mostly ``uuid`` and ``message``.

A message of the API is written in several lines with the same ``message.id``, each with the usage so far. A
subagent's messages lie inside ``progress`` lines of the type ``agent_progress``, or in a transcript of its own.
"""

from __future__ import annotations

from typing import Any

from loaders.transcripts.authorship import origin
from loaders.transcripts.records import Sink
from loaders.transcripts.values import flag, integer, items, joined_text, mapping, microseconds, text

__all__ = ["parse", "subagent_key"]

_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
_COMPACTIONS = frozenset({"system/compact_boundary", "compaction_state"})
_TYPED_BY = {"progress": "data", "attachment": "attachment"}


def subagent_key(agent_id: str, session_key: str) -> str:
    """Key of a subagent's session; subagents of subagents belong to the session of the person.

    >>> subagent_key("a1", "s1"), subagent_key("a2", "agent-a1@s1")
    ('agent-a1@s1', 'agent-a2@s1')
    """
    return f"agent-{agent_id}@{session_key.rpartition('@')[2]}"


def parse(value: dict[str, Any], sink: Sink) -> None:
    """Add the events of one record."""
    message = mapping(value.get("message"))
    blocks = _blocks(message.get("content"))
    block_types = [block.get("type") for block in blocks]
    entry_type = _entry_type(value)
    role = text(message.get("role")) or ("system" if value.get("type") == "system" else None)
    is_summary = value.get("isCompactSummary") is True
    sink.entry(
        text(value.get("uuid")),
        microseconds(value.get("timestamp")),
        entry_type=entry_type,
        parent_key=text(value.get("parentUuid")),
        message_key=text(message.get("id")),
        role=role,
        model=text(message.get("model")),
        cwd=text(value.get("cwd")),
        git_branch=text(value.get("gitBranch")),
        agent_version=text(value.get("version")),
        is_sidechain=flag(value.get("isSidechain")),
        is_meta=flag(value.get("isMeta")),
        is_compaction=is_summary or entry_type in _COMPACTIONS,
        thinking_count=block_types.count("thinking") + block_types.count("redacted_thinking"),
        image_count=block_types.count("image"),
    )
    if role == "assistant":
        _usage(message, sink, "entry")
        _assistant(blocks, sink, None)
    elif role == "user":
        _user(value, blocks, sink)
    elif entry_type == "progress/agent_progress":
        _nested(value, sink)
    elif entry_type == "summary" and (summary := text(value.get("summary"))):
        sink.message(0, role="system", channel="summary", origin="model", text=summary)
    elif entry_type in _TITLES and (title := text(value.get(_TITLES[entry_type]))):
        author = "model" if entry_type == "ai-title" else "typed"
        sink.message(0, role="system", channel="title", origin=author, text=title)
    elif entry_type == "attachment/queued_command":
        _queued(mapping(value.get("attachment")), sink)


def _entry_type(value: dict[str, Any]) -> str:
    type_ = text(value.get("type")) or text(value.get("role")) or "unknown"
    within = _TYPED_BY.get(type_)
    subtype = mapping(value.get(within)).get("type") if within else value.get("subtype")
    return f"{type_}/{subtype}" if type(subtype) is str else type_


def _blocks(content: Any) -> list[dict[str, Any]]:
    if type(content) is str:
        return [{"type": "text", "text": content}]
    return [block if type(block) is dict else {"type": "text", "text": block} for block in items(content)]


def _usage(message: dict[str, Any], sink: Sink, scope: str) -> None:
    usage = message.get("usage")
    if type(usage) is dict:
        sink.token_usage(
            scope=scope,
            message_key=text(message.get("id")),
            model=text(message.get("model")),
            input_tokens=integer(usage.get("input_tokens")),
            output_tokens=integer(usage.get("output_tokens")),
            cache_creation_tokens=integer(usage.get("cache_creation_input_tokens")),
            cache_read_tokens=integer(usage.get("cache_read_input_tokens")),
        )


def _assistant(blocks: list[dict[str, Any]], sink: Sink, parent_call: str | None) -> None:
    for index, block in enumerate(blocks):
        match block.get("type"):
            case "text" | "thinking" as channel:
                if written := text(block.get(channel)):
                    sink.message(
                        index,
                        role="assistant",
                        channel=channel,
                        origin="model",
                        text=written,
                        is_nested=parent_call is not None,
                    )
            case "tool_use" | "server_tool_use":
                sink.tool_call(
                    index,
                    block,
                    call_key=text(block.get("id")),
                    name=text(block.get("name")) or "",
                    given=block.get("input"),
                    parent_call=parent_call,
                )


def _user(value: dict[str, Any], blocks: list[dict[str, Any]], sink: Sink) -> None:
    """A record of the user's role is a prompt unless it answers tools, is a subagent's or the host's own."""
    answers = _results(blocks, sink, is_nested=False)
    _spawned(value, answers, sink)
    is_summary = value.get("isCompactSummary") is True
    is_prompt = not (answers or is_summary or sink.is_nested or value.get("isMeta") is True)
    channel = "prompt" if is_prompt else "summary" if is_summary else "text"
    written = [
        (index, block.get("text")) for index, block in enumerate(blocks) if block.get("type") == "text"
    ]
    if is_prompt and not written and blocks:
        written = [(0, "")]
    for index, said in written:
        if type(said) is str:
            author = origin(said) if is_prompt else "injected"
            sink.message(index, role="user", channel=channel, origin=author, text=said)


def _queued(attachment: dict[str, Any], sink: Sink) -> None:
    """A prompt that was typed while the model was at work, or a notification that came meanwhile."""
    written = joined_text(attachment.get("prompt"))
    is_typed = attachment.get("commandMode") in (None, "prompt")
    if written and not sink.is_nested:
        author = origin(written) if is_typed else "injected"
        sink.message(0, role="user", channel="prompt", origin=author, text=written)


def _spawned(value: dict[str, Any], answers: list[dict[str, Any]], sink: Sink) -> None:
    """The answer of a call that ran a subagent names it."""
    agent_id = text(mapping(value.get("toolUseResult")).get("agentId"))
    if agent_id and len(answers) == 1:
        child = subagent_key(agent_id, sink.session_key)
        sink.link(child_key=child, relation="subagent", call_key=text(answers[0].get("tool_use_id")))


def _results(blocks: list[dict[str, Any]], sink: Sink, *, is_nested: bool) -> list[dict[str, Any]]:
    found = [(index, block) for index, block in enumerate(blocks) if block.get("type") == "tool_result"]
    for index, block in found:
        sink.tool_result(
            index,
            block,
            call_key=text(block.get("tool_use_id")),
            text=joined_text(block.get("content")),
            is_error=flag(block.get("is_error")),
            is_nested=is_nested,
        )
    return [block for _, block in found]


def _nested(value: dict[str, Any], sink: Sink) -> None:
    """A subagent's message, reported by the call that runs it."""
    parent_call = text(value.get("parentToolUseID")) or text(value.get("toolUseID")) or ""
    message = mapping(mapping(mapping(value.get("data")).get("message")).get("message"))
    blocks = _blocks(message.get("content"))
    if message.get("role") == "assistant":
        _usage(message, sink, "nested_entry")
        _assistant(blocks, sink, parent_call)
        return
    _results(blocks, sink, is_nested=True)
    for index, block in enumerate(blocks):
        if block.get("type") == "text" and (written := text(block.get("text"))):
            sink.message(index, role="user", channel="text", origin="injected", text=written, is_nested=True)
