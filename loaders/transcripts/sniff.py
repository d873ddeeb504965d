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
    opening = data[:_OPENING].lstrip()
    is_gemini = opening.startswith(b"{") and b'"sessionId"' in opening and b'"messages"' in opening
    return "gemini" if is_gemini else other


def _first_object(line: bytes) -> dict[str, Any]:
    pieces, _ = recover(line)
    return pieces[0].value if pieces else {}


def _of_record(record: dict[str, Any]) -> str | None:
    if "payload" in record and "type" in record:
        return "codex"
    if "v" in record and "agent" in record and "type" in record:
        return "compact"
    if "sessionId" in record and type(record.get("messages")) is list:
        return "gemini"
    return "claude" if record.get("type") in _CLAUDE_TYPES or "parentUuid" in record else None
