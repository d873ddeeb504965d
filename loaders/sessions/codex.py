"""Codex: a rollout a session and resume, by day; the first hosts kept all of them in one folder."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("codex", "Codex", (".codex/sessions", ".codex/archived_sessions"), matching(".jsonl"))
refresh = HOST.refresh
