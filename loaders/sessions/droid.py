"""Droid: a file a session, in a folder a working directory, and beside it one with its settings and token counts."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("droid", "Droid", (".factory/sessions",), matching(".jsonl", usage=(".settings.json",)))
refresh = HOST.refresh
