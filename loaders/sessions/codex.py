"""Codex: a rollout a session and resume, by day; the first hosts kept all of them in one folder.

Above them lies a history of all prompts, which the rollouts have as well.
"""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host(
    "codex",
    "Codex",
    (".codex/sessions", ".codex/archived_sessions"),
    matching(".jsonl", ".json", metadata=("history.jsonl", "session_index.jsonl")),
)
refresh = HOST.refresh
