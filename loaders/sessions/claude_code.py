"""Claude Code: a file a session below ``projects/<folder>``, and a file a subagent beside it or in ``subagents``."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("claude-code", "Claude Code", (".claude/projects",), matching(".jsonl", metadata=(".meta.json",)))
refresh = HOST.refresh
