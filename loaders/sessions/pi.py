"""pi: a file a session, in a folder a working directory."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("pi", "Pi", (".pi/agent/sessions",), matching(".jsonl"))
refresh = HOST.refresh
