"""A reader of the checkpoint branch that shares nothing with the project: what the bank's answers are compared with.

It runs git for the files of the branch and for commit messages, and reads them with the standard library. What it takes
for a session, a prompt, a tool call or a summary is written down here once more, from the formats' descriptions.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Session", "read"]

_BRANCH = "refs/heads/entire/checkpoints/v1"
_PATH = re.compile(r"(..)/(..........)/(\d+)/(metadata\.json|prompt\.txt|full\.jsonl(?:\.\d+)?)")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}-(?=.)")
_TRAILER = re.compile(r"^\s*Entire-Checkpoint:\s*([0-9a-f]{12})\s*$", re.MULTILINE)
_HOST_WROTE = re.compile(
    r"\s*(<(command-(name|message|args|contents)|local-command-(stdout|stderr|caveat)|bash-(input|stdout|stderr)"
    r"|task-notification|system-(reminder|notification)|user-(memory-input|prompt-submit-hook)|ide_\w+|session_context"
    r"|teammate-message)[\s>]|\[Request interrupted by user|Caveat: The messages below were generated"
    r"|This session is being continued from a previous conversation)"
)


@dataclass
class Session:
    """What the branch says of one session."""

    checkpoints: set[str] = field(default_factory=set)
    raw_ids: set[str] = field(default_factory=set)
    agents: set[str] = field(default_factory=set)
    branches: set[str] = field(default_factory=set)
    strategies: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    has_summary: bool = False
    commits: set[str] = field(default_factory=set)
    prompts: dict[str, str] = field(default_factory=dict)
    calls: dict[str, str] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    output_tokens: dict[str, int] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    @property
    def tools(self) -> set[str]:
        """Names of the tools that it called."""
        return set(self.calls.values())


def read(repository: Path) -> dict[str, Session]:
    """Sessions by their id without the date that may stand before it."""
    sessions: dict[str, Session] = defaultdict(Session)
    places: dict[tuple[str, str], str] = {}
    transcripts = []
    for path, data in _files(repository):
        found = _PATH.fullmatch(path)
        if found is None or data is None:
            continue
        checkpoint, index = found[1] + found[2], found[3]
        if found[4] == "metadata.json":
            places[checkpoint, index] = _metadata(sessions, checkpoint, json.loads(data))
        else:
            transcripts.append((checkpoint, index, path, data))
    seen: set[tuple[str, bytes]] = set()
    for checkpoint, index, path, data in sorted(transcripts, key=lambda each: each[2]):
        key = places[checkpoint, index]
        if path.endswith("prompt.txt"):
            prompts = data.decode("utf-8", "replace").split("\n\n---\n\n")
            sessions[key].words += [prompt for prompt in prompts if not _HOST_WROTE.match(prompt)]
            continue
        for record, digest in _records(data, key, seen):
            _record(sessions[key], record, digest)
    _commits(repository, sessions)
    return dict(sessions)


def _git(repository: Path, *arguments: str, given: bytes | None = None) -> bytes:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def _files(repository: Path) -> Iterator[tuple[str, bytes | None]]:
    """Files of the branch by path; None for one whose blob is not there."""
    entries = _git(repository, "ls-tree", "-r", "-z", _BRANCH).decode("utf-8", "replace").split("\0")
    wanted = [(entry.partition("\t")[2], entry.split()[2]) for entry in entries if entry]
    command = ["git", "-C", str(repository), "--no-replace-objects", "cat-file", "--batch"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment())
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for path, oid in wanted:
            process.stdin.write(f"{oid}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            if header[-1] == b"missing":
                yield path, None
            else:
                yield path, process.stdout.read(int(header[2]))
                process.stdout.read(1)
        process.stdin.close()


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1"}


def _metadata(sessions: dict[str, Session], checkpoint: str, said: dict[str, Any]) -> str:
    key = (
        _DATED.sub("", said["session_id"], count=1)
        if _DATED.match(said["session_id"])
        else said["session_id"]
    )
    session = sessions[key]
    session.checkpoints.add(checkpoint)
    session.raw_ids.add(said["session_id"])
    session.agents |= {said["agent"]} if said.get("agent") else set()
    session.branches |= {said["branch"]} if said.get("branch") else set()
    session.strategies.add(said["strategy"])
    session.files |= set(said.get("files_touched") or ())
    session.has_summary |= bool(said.get("summary"))
    return key


def _records(data: bytes, key: str, seen: set[tuple[str, bytes]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Records of a transcript that its session has not had yet, with a digest of the line."""
    text = data.decode("utf-8", "replace")
    if text.split("\n", 1)[0] == "{" and '"messages"' in text:
        for message in json.loads(text)["messages"]:
            yield {"gemini": message}, message["id"]
        return
    for line in data.split(b"\n"):
        digest = hashlib.blake2b(line, digest_size=16).digest()
        if not line.strip() or (key, digest) in seen:
            continue
        seen.add((key, digest))
        rest = line.decode("utf-8", "replace").strip()
        while rest:
            try:
                record, end = json.JSONDecoder(strict=False).raw_decode(rest)
            except ValueError:  # a line that was cut off
                break
            yield record, digest.hex() + str(len(rest))
            rest = rest[end:].strip()


def _record(session: Session, record: dict[str, Any], digest: str) -> None:
    if "gemini" in record:
        _gemini(session, record["gemini"])
        return
    message = record.get("message") or {}
    session.branches |= {record["gitBranch"]} if record.get("gitBranch") else set()
    session.words += [record[key] for key in ("summary", "aiTitle", "customTitle") if record.get(key)]
    if record.get("type") == "progress":
        message = ((record.get("data") or {}).get("message") or {}).get("message") or {}
        _called(session, message)
        return
    if message.get("role") == "assistant":
        _called(session, message)
        session.models |= {message["model"]} if message.get("model") else set()
    elif message.get("role") == "user" and not (record.get("isMeta") or record.get("isCompactSummary")):
        _prompt(session, message, str(record.get("uuid") or digest))


def _called(session: Session, message: dict[str, Any]) -> None:
    if message.get("role") == "assistant" and "usage" in message:
        session.output_tokens[message["id"]] = message["usage"]["output_tokens"]
    for block in message.get("content") or ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            session.calls.setdefault(block["id"], block["name"])
        elif isinstance(block, dict) and message.get("role") == "assistant":
            session.words.append(block.get("text") or block.get("thinking") or "")


def _prompt(session: Session, message: dict[str, Any], key: str) -> None:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if any(block["type"] == "tool_result" for block in blocks):
        return
    if not any(block["type"] == "text" for block in blocks):
        session.prompts[key] = ""  # of images alone
    typed = [
        block["text"] for block in blocks if block["type"] == "text" and not _HOST_WROTE.match(block["text"])
    ]
    if typed:
        session.prompts[key] = typed[0]
        session.words += typed


def _gemini(session: Session, message: dict[str, Any]) -> None:
    content = message["content"]
    text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
    if message["type"] == "user" and not _HOST_WROTE.match(text):
        session.prompts[message["id"]] = text
    if message["type"] in ("user", "gemini"):
        session.words.append(text)
    session.models |= {message["model"]} if message.get("model") else set()
    for thought in message.get("thoughts") or ():
        session.words.append(f"{thought.get('subject')}\n{thought.get('description')}")
    for call in message.get("toolCalls") or ():
        session.calls[call["id"]] = call["name"]
    if message.get("tokens"):
        session.output_tokens[message["id"]] = message["tokens"]["output"]


def _commits(repository: Path, sessions: dict[str, Session]) -> None:
    """Commits that name a checkpoint anywhere in their message, but for those of the checkpoints themselves."""
    by_checkpoint = defaultdict(list)
    for session in sessions.values():
        for checkpoint in session.checkpoints:
            by_checkpoint[checkpoint].append(session)
    log = _git(repository, "log", "--exclude=refs/heads/entire/*", "--all", "--format=%H%x00%B%x01")
    for entry in log.decode("utf-8", "replace").split("\x01"):
        commit, _, message = entry.strip().partition("\0")
        for checkpoint in _TRAILER.findall(message):
            for session in by_checkpoint[checkpoint]:
                session.commits.add(commit)
