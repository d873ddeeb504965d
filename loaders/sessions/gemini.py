"""Gemini CLI: a session a file below ``tmp/<project>/chats``, whole documents and since 2026 lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from loaders.sessions.base import Host
from loaders.sessions.files import Found, find_files

__all__ = ["HOST", "refresh"]


def _find(root: Path) -> Iterator[Found]:
    for path, inside in find_files(root):
        is_chat = "chats" in path.parts or path.name.startswith("session-")
        if is_chat and path.suffix in (".json", ".jsonl"):
            yield Found.of_file(path, inside)


HOST = Host("gemini", "Gemini CLI", (".gemini/tmp",), _find)
refresh = HOST.refresh
