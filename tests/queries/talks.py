"""Invented Claude Code transcripts, told record by record."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Self

from tests.entire.checkpoints import FIRST
from tests.transcripts.ingestion import jsonl

__all__ = ["START", "Talk"]

START = datetime(2026, 1, 1, tzinfo=UTC)


class Talk:
    """A transcript; every record comes a second after the one before.

    Args:
        session: The session's id.
        start: Time of the first record.
        cwd: Working directory.

    >>> Talk().prompt("Hello").bytes().count(b"Hello")
    1
    """

    def __init__(self, session: str = FIRST, *, start: datetime = START, cwd: str = "/p") -> None:
        self.session = session
        self.cwd = cwd
        self.records: list[dict[str, Any]] = []
        self._time = start

    def wait(self, seconds: int) -> Self:
        """Let time pass before the next record."""
        self._time += timedelta(seconds=seconds)
        return self

    def prompt(self, text: str) -> Self:
        """A person's prompt."""
        return self._add("user", {"role": "user", "content": text})

    def say(self, text: str, *, message: str = "msg_1", model: str = "model-1", **usage: int) -> Self:
        """A text of the model, with the token counts so far of the message that it belongs to."""
        return self._assistant({"type": "text", "text": text}, message, model, usage)

    def call(
        self,
        key: str,
        name: str,
        given: dict[str, Any],
        *,
        answer: str | None = "ok",
        failed: bool = False,
        seconds: int = 1,
    ) -> Self:
        """A tool call and its answer after some seconds, None for a call without one."""
        self._assistant(
            {"type": "tool_use", "id": key, "name": name, "input": given}, f"msg_{key}", "model-1", {}
        )
        if answer is None:
            return self
        self.wait(seconds - 1)
        block = {"type": "tool_result", "tool_use_id": key, "content": answer, "is_error": failed}
        return self._add("user", {"role": "user", "content": [block]})

    def write(self, key: str, path: str, text: str) -> Self:
        """A call that writes a whole file."""
        return self.call(key, "Write", {"file_path": path, "content": text})

    def edit(self, key: str, path: str, old: str, new: str) -> Self:
        """A call that replaces a text in a file."""
        return self.call(key, "Edit", {"file_path": path, "old_string": old, "new_string": new})

    def nested(self, key: str, name: str, given: dict[str, Any], *, parent: str) -> Self:
        """A call that a subagent makes, which the call ``parent`` runs."""
        block = {"type": "tool_use", "id": key, "name": name, "input": given}
        said = {"message": {"role": "assistant", "id": f"msg_{key}", "content": [block]}, "type": "assistant"}
        return self._add(
            "progress", None, data={"type": "agent_progress", "message": said}, parentToolUseID=parent
        )

    def bytes(self, first: int = 0) -> bytes:
        """The transcript from its record ``first`` on."""
        return jsonl(*self.records[first:])

    def _assistant(self, block: dict[str, Any], message: str, model: str, usage: dict[str, int]) -> Self:
        said = {"role": "assistant", "id": message, "model": model, "content": [block]}
        return self._add("assistant", {**said, "usage": usage} if usage else said)

    def _add(self, type_: str, message: dict[str, Any] | None, **more: Any) -> Self:
        record = {
            "type": type_,
            "uuid": f"{self.session[:8]}-{len(self.records)}",
            "sessionId": self.session,
            "cwd": self.cwd,
            "timestamp": self._time.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            **more,
        }
        self.records.append(record if message is None else {**record, "message": message})
        self._time += timedelta(seconds=1)
        return self
