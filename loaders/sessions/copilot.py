"""Copilot CLI: ``events.jsonl`` in a folder a session, or a file a session."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("copilot", "Copilot CLI", (".copilot/session-state",), matching(".jsonl"))
refresh = HOST.refresh
