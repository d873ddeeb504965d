"""Which format a transcript has, by its content: labels and file names lie."""

from __future__ import annotations

from typing import Any

from loaders.transcripts.recovery import recover

__all__ = ["sniff"]

_CLAUDE_TYPES = frozenset(
    {
        "ai-title",
        "assistant",
        "attachment",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "user",
    }
)
_DOCUMENTS = {
    "claude_export": (b'"loglines"', b'"type"'),
    "codex_document": (b'"session"', b'"items"'),
    "droid_settings": (b'"tokenUsage"', b'"inputTokens"'),
}
"""What stands in the opening of documents that are no array of messages."""

_WHOLE = {
    "claude_export": {"loglines"},
    "codex_document": {"session", "items"},
    "droid_settings": {"tokenUsage"},
}
"""Fields of the same where they stand on one line."""

_LINES_TRIED = 50
_OPENING = 4096


def sniff(data: bytes) -> str | None:
    """Name of the format: ``jsonl`` for lines of JSON objects that no known host writes, None for anything else.

    Args:
        data: The whole document.

    >>> sniff(b'{"type": "summary", "summary": "A talk"}')
    'claude'
    >>> sniff(b'{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {}}')
    'codex'
    >>> sniff(b"# notes") is None
    True
    """
    start = 0
    other = None
    for _ in range(_LINES_TRIED):
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        record = _first_object(line)
        if name := _of_record(record):
            return name
        other = "jsonl" if record else other
        start = end + 1
        if end < 0:
            break
    return _of_document(data[:_OPENING].lstrip()) or other


def _of_document(opening: bytes) -> str | None:
    """Format of a document that is one JSON value, by how it opens."""
    if opening.startswith(b"["):
        is_screen = b'"type"' in opening and (b'"say"' in opening or b'"ask"' in opening)
        return (
            "cline_screen"
            if is_screen
            else "cline"
            if b'"role"' in opening and b'"content"' in opening
            else None
        )
    if not opening.startswith(b"{"):
        return None
    for name, fields in _DOCUMENTS.items():
        if all(field in opening for field in fields):
            return name
    if b'"messages"' not in opening:
        return None
    if b'"agentId"' in opening and b'"latestRootBlobId"' in opening:
        return "cursor_chat"
    if b'"sessionId"' in opening:
        return "cline" if b'"version"' in opening or b'"role"' in opening else "gemini"
    if b'"composerId"' in opening:
        return "cursor_bubbles"
    return "opencode" if b'"info"' in opening else None


def _first_object(line: bytes) -> dict[str, Any]:
    pieces, _ = recover(line)
    return pieces[0].value if pieces else {}


def _of_record(record: dict[str, Any]) -> str | None:
    if "payload" in record and "type" in record:
        return "codex"
    if "record_type" in record or ("instructions" in record and "timestamp" in record):
        return "codex"
    if "v" in record and "agent" in record and "type" in record:
        return "compact"
    if name := next((name for name, fields in _WHOLE.items() if fields <= record.keys()), None):
        return name
    if type(record.get("messages")) is list:
        return _of_whole(record)
    if type(record.get("data")) is dict and "." in str(record.get("type")):
        return "copilot"
    if record.get("type") == "session" and "id" in record:
        return "pi"
    if record.get("type") == "session_start" and "id" in record:
        return "droid"
    if record.get("type") == "message" and "id" in record and type(record.get("message")) is dict:
        return "droid"
    if record.get("role") in ("user", "assistant") and "type" not in record and "message" in record:
        return "cursor"
    if "$set" in record or ("sessionId" in record and "startTime" in record and "type" not in record):
        return "gemini_lines"
    return "claude" if record.get("type") in _CLAUDE_TYPES or "parentUuid" in record else None


def _of_whole(record: dict[str, Any]) -> str | None:
    """Format of a whole session that stands on one line, by its messages."""
    if "latestRootBlobId" in record:
        return "cursor_chat"
    if "composerId" in record:
        return "cursor_bubbles"
    messages = [message for message in record["messages"] if type(message) is dict]
    if "info" in record or any("info" in message for message in messages):
        return "opencode"
    is_cline = any("role" in message for message in messages)
    return "cline" if is_cline else "gemini" if "sessionId" in record else None
