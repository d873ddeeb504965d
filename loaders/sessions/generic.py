"""Any other host: files of lines of JSON objects, one file a session, read by the mapping of the source."""

from loaders.sessions.base import Host
from loaders.sessions.files import matching

__all__ = ["HOST", "refresh"]

HOST = Host("jsonl", "jsonl", (), matching(".jsonl", ".ndjson"), format_name="generic")
refresh = HOST.refresh
