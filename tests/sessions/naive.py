"""A reader of Claude Code's files that shares nothing with the project: what the bank's answers are compared with."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["Session", "read"]


class Session:
    """What the files of one session say."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.tools: dict[str, str] = {}
        self.files: set[str] = set()
        self.branches: set[str] = set()
        self.models: set[str] = set()
        self.output: dict[str, int] = {}
        self.times: list[str] = []
        self.words = ""


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        yield json.loads(line)


def read(root: Path) -> dict[str, Session]:
    """Sessions by the names of their files."""
    sessions: dict[str, Session] = defaultdict(Session)
    for path in sorted(root.rglob("*.jsonl")):
        session = sessions[path.stem]
        for record in _lines(path):
            session.times.append(record["timestamp"])
            session.branches.add(record["gitBranch"])
            message = record["message"]
            content = message["content"]
            if isinstance(content, str):
                session.prompts.append(content)
                session.words += content.lower() + "\n"
                continue
            if "model" in message:
                session.models.add(message["model"])
                session.output[message["id"]] = message["usage"]["output_tokens"]
            for block in content:
                session.words += block.get("text", "").lower() + "\n"
                if block["type"] == "tool_use":
                    session.tools[block["id"]] = block["name"]
                    session.files |= {block["input"][key] for key in ("file_path",) if key in block["input"]}
    return sessions
