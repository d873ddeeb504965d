"""Which session a transcript is of, by its first records and, where those do not say, by its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from loaders.entire.metadata import normalised
from loaders.transcripts.claude import subagent_key
from loaders.transcripts.generic import MAPPING, Fields, lookup
from loaders.transcripts.values import items, mapping, text

__all__ = ["Identity", "identify"]

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Identity(NamedTuple):
    """The session of a transcript.

    Attributes:
        session_key: Normalised id.
        raw_id: Id as the host writes it.
        cwd: Working directory, where the first records state it.
        parent_key: Session that started it or that it goes on from.
        relation: ``subagent``, ``fork`` or ``continues``; None without a parent.
        call_key: Tool call of the parent that started it, where that is stated.
    """

    session_key: str
    raw_id: str
    cwd: str | None = None
    parent_key: str | None = None
    relation: str | None = None
    call_key: str | None = None


def identify(
    format_name: str | None, path: str, records: Sequence[dict[str, Any]], fields: Fields = MAPPING
) -> Identity:
    """The session of a transcript.

    Args:
        format_name: Format of the transcript.
        path: Its path inside the source.
        records: Its first records.
        fields: Where records of the format ``generic`` have their columns.
    """
    place = PurePosixPath(path)
    first = records[0] if records else {}
    match format_name:
        case "claude":
            return _claude(place, records)
        case "claude_export":
            return _claude(place, [mapping(record) for record in items(first.get("loglines"))])
        case "codex" | "codex_document":
            return _codex(place, mapping(first.get("session")) or first)
        case "droid" | "droid_settings":
            return _droid(place, first)
        case "cursor_chat":
            return _named(text(first.get("agentId")) or place.parent.name)
        case "pi":
            return _pi(place, first)
        case "gemini" | "gemini_lines":
            return _gemini(place, first)
        case "copilot":
            return _copilot(place, mapping(first.get("data")))
        case "opencode":
            return _opencode(place, first)
        case "cursor" | "cursor_bubbles":
            return _cursor(place, first)
        case "cline" | "cline_screen":
            return _named(place.parent.name or place.stem)
        case _:
            return _named(text(lookup(first, fields["session"])) or place.stem)


def _named(raw: str, **more: str | None) -> Identity:
    return Identity(normalised(raw), raw, **more)


def _first(records: Sequence[dict[str, Any]], field: str) -> str | None:
    return next((found for record in records if (found := text(record.get(field)))), None)


def _uuid_in(name: str) -> str:
    found = _UUID.findall(name)
    return found[-1] if found else name


def _claude(place: PurePosixPath, records: Sequence[dict[str, Any]]) -> Identity:
    """The file is called after the session; a subagent's states the session of the person in every record."""
    said, cwd = _first(records, "sessionId"), _first(records, "cwd")
    if not place.stem.startswith("agent-"):
        is_named = _UUID.fullmatch(place.stem) or said is None
        return _named(place.stem if is_named else str(said), cwd=cwd)
    agent_id = _first(records, "agentId") or place.stem.removeprefix("agent-")
    parent = said or (place.parent.parent.name if place.parent.name == "subagents" else "")
    if not parent:
        return _named(place.stem, cwd=cwd)
    parent = normalised(parent)
    return Identity(subagent_key(agent_id, parent), agent_id, cwd, parent, "subagent")


def _codex(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    said = mapping(first.get("payload", first))
    raw = text(said.get("id")) or text(said.get("session_id")) or _uuid_in(place.stem)
    spawn = mapping(mapping(mapping(said.get("source")).get("subagent")).get("thread_spawn"))
    parent, relation = text(spawn.get("parent_thread_id")), "subagent"
    if parent is None:
        parent, relation = text(said.get("forked_from_id")), "fork"
    return _child(raw, text(said.get("cwd")), parent, relation)


def _child(raw: str, cwd: str | None, parent: str | None, relation: str) -> Identity:
    if not parent or parent == raw:
        return _named(raw, cwd=cwd)
    return _named(raw, cwd=cwd, parent_key=normalised(parent), relation=relation)


def _pi(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    raw = text(first.get("id")) or _uuid_in(place.stem)
    parent = text(first.get("parentSession"))
    return _child(
        raw, text(first.get("cwd")), _uuid_in(PurePosixPath(parent).stem) if parent else None, "fork"
    )


def _gemini(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    raw = text(first.get("sessionId")) or place.stem
    parent = place.parent.name if first.get("kind") == "subagent" else None
    return _child(raw, None, parent, "subagent")


def _copilot(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    raw = text(first.get("sessionId")) or _uuid_in(place.parent.name or place.stem)
    return _named(raw, cwd=text(mapping(first.get("context")).get("cwd")))


def _opencode(place: PurePosixPath, document: dict[str, Any]) -> Identity:
    messages = items(document.get("messages"))
    info = mapping(document.get("info")) or mapping(mapping(messages[0] if messages else None).get("info"))
    raw = text(info.get("id")) or place.stem
    cwd, parent, fork = (text(info.get(name)) for name in ("directory", "parentID", "forkSessionID"))
    return _child(raw, cwd, parent or fork, "subagent" if parent else "fork")


def _droid(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    is_header = first.get("type") == "session_start"
    raw = text(first.get("id")) if is_header else None
    parent = text(first.get("callingSessionId")) if is_header else None
    return _child(raw or place.name.partition(".")[0], text(first.get("cwd")), parent, "subagent")


def _cursor(place: PurePosixPath, first: dict[str, Any]) -> Identity:
    raw = text(first.get("composerId")) or place.stem
    parent = place.parent.parent.name if place.parent.name == "subagents" else None
    return _child(raw, None, parent, "subagent")
