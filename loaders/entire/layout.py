"""Where Entire keeps what: references, and the paths of a checkpoint's files.

Three layouts are read. *branch*: ``<2>/<10>/`` below the root of ``entire/checkpoints/v1`` with a folder a session.
*reference*: one reference a checkpoint, ``refs/entire/checkpoints/<last two of the id>/<id>``, with the checkpoint at
the root. *legacy*: branch ``entire/sessions``, or a checkpoint of that form, where the latest session lies flat
beside the checkpoint's metadata and earlier ones in numbered folders. Where a checkpoint is found in more than one of
them, the newest layout counts: reference, branch, legacy.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphsvc.git import Reference, Repository, TreeEntry, decode
from loaders.entire.trees import read_trees

__all__ = ["CHECKPOINT_BRANCH", "LEGACY_BRANCH", "File", "Tip", "find_files", "find_tips"]

CHECKPOINT_BRANCH = "entire/checkpoints/v1"
LEGACY_BRANCH = "entire/sessions"

_OWN_REFERENCE = re.compile(r"refs/entire/checkpoints/([^/]+)/([^/]+)")
_SHARD = 2
_CHECKPOINT_PATH = re.compile(r"([^/]{2})/([^/]+)/(.+)", re.DOTALL)
_SESSION_PATH = re.compile(r"(0|[1-9][0-9]{0,8})/(.+)", re.DOTALL)
_TASK_PATH = re.compile(r"tasks/([^/]+)/(.+)", re.DOTALL)
_CHUNK = re.compile(r"full\.jsonl\.([0-9]{1,9})")
_SUBAGENT = re.compile(r"agent-[^/]*\.jsonl")
_ROLES = {
    "metadata.json": "metadata",
    "full.jsonl": "transcript",
    "full.log": "transcript",
    "transcript.jsonl": "compact_transcript",
    "prompt.txt": "prompt",
    "context.md": "context",
    "content_hash.txt": "content_hash",
}


class Tip(NamedTuple):
    """A reference that holds checkpoints.

    Attributes:
        name: Full name.
        oid: Commit that it points at.
        layout: branch, reference or legacy.
        checkpoint_key: The one checkpoint that it holds, None where it holds many.
        prefix: What the paths of its documents begin with, so that they are unique in the source.
    """

    name: str
    oid: str
    layout: str
    checkpoint_key: str | None
    prefix: str


@dataclass(frozen=True, slots=True)
class File:
    """A file of a checkpoint.

    Attributes:
        path: Path inside the source.
        oid: Its blob.
        evidence: The line of the tree that names it: mode, type, object id, path.
        layout: branch, reference or legacy.
        checkpoint_key: The checkpoint.
        session_index: Number of the session's folder, None for the checkpoint's own files.
        task: Call that started the subagent whose file it is, else None.
        role: What it is.
        chunk: 0 for the first file of a transcript.
        is_root: It lies beside the checkpoint's metadata, in no session's folder.
    """

    path: str
    oid: str
    evidence: bytes
    layout: str
    checkpoint_key: str
    session_index: int | None
    task: str | None
    role: str
    chunk: int
    is_root: bool


def find_tips(references: Iterable[Reference], branch: str, skipped: Counter[str]) -> list[Tip]:
    """References that hold checkpoints, newest layout first.

    A branch that the repository does not have itself is taken from a remote-tracking reference. References below
    ``refs/entire/checkpoints/`` whose shard does not end their id (other experiments leave such) are skipped.

    Args:
        references: The repository's references.
        branch: Short name of the checkpoint branch.
        skipped: Counts what is left out, per reason.
    """
    oids = {each.name: each.target_oid for each in references if each.target_oid and not each.symbolic_target}
    tips = []
    for name, oid in sorted(oids.items()):
        if own := _OWN_REFERENCE.fullmatch(name):
            shard, key = own.groups()
            if len(shard) == _SHARD and key.endswith(shard):
                tips.append(Tip(name, oid, "reference", key, f"{name}:"))
            else:
                skipped["reference of another form"] += 1
    for short, layout, prefix in ((branch, "branch", ""), (LEGACY_BRANCH, "legacy", f"{LEGACY_BRANCH}:")):
        if found := _branch(oids, short):
            tips.append(Tip(found, oids[found], layout, None, prefix))
    return tips


def _branch(names: Iterable[str], short: str) -> str | None:
    own = f"refs/heads/{short}"
    tracking = re.compile(rf"refs/remotes/[^/]+/{re.escape(short)}")
    found = [name for name in names if name == own or tracking.fullmatch(name)]
    return min(found, key=lambda name: (name != own, "/origin/" not in name, name), default=None)


def find_files(repository: Repository, tips: Sequence[Tip], skipped: Counter[str]) -> list[File]:
    """Files of all checkpoints, each checkpoint from the first of ``tips`` that has it, by path.

    The trees themselves are listed; what a checkpoint's metadata says of its files is not trusted.

    Args:
        repository: The repository.
        tips: What `find_tips` found.
        skipped: Counts what is left out, per reason.

    Raises:
        SourceUnavailable: A commit or tree is missing.
    """
    trees = read_trees(repository, [tip.oid for tip in tips])
    files: list[File] = []
    taken: set[str] = set()
    for tip, entries in zip(tips, trees, strict=True):
        checkpoints = _by_checkpoint(tip, entries, skipped)
        if older := checkpoints.keys() & taken:
            skipped["checkpoint of an older layout"] += len(older)
        for key in checkpoints.keys() - taken:
            files += _files(tip, key, checkpoints[key])
        taken |= checkpoints.keys()
    return sorted(files, key=lambda file: file.path)


def _by_checkpoint(
    tip: Tip, entries: Iterable[TreeEntry], skipped: Counter[str]
) -> dict[str, list[tuple[str, TreeEntry]]]:
    """Entries of a tree with their paths inside their checkpoint."""
    checkpoints: dict[str, list[tuple[str, TreeEntry]]] = {}
    for entry in entries:
        path = decode(entry.path)
        key: str | None = tip.checkpoint_key
        if key is None and (found := _CHECKPOINT_PATH.fullmatch(path)):
            key, path = found[1] + found[2], found[3]
        if key is None:
            skipped["path outside a checkpoint"] += 1
        elif entry.type != "blob":
            skipped["submodule"] += 1
        else:
            checkpoints.setdefault(key, []).append((path, entry))
    return checkpoints


def _files(tip: Tip, key: str, members: list[tuple[str, TreeEntry]]) -> Iterator[File]:
    is_flat = any(_role(path)[0] == "transcript" for path, _ in members)
    for path, entry in members:
        session = _SESSION_PATH.fullmatch(path)
        within = session[2] if session else path
        task = _TASK_PATH.fullmatch(within)
        role, chunk = _role(within)
        yield File(
            path=tip.prefix + decode(entry.path),
            oid=entry.oid,
            evidence=entry.raw + b"\n",
            layout="legacy" if is_flat else tip.layout,
            checkpoint_key=key,
            session_index=int(session[1]) if session else 0 if is_flat else None,
            task=task[1] if task else None,
            role=role,
            chunk=chunk,
            is_root=session is None,
        )


def _role(within: str) -> tuple[str, int]:
    """Role and chunk of a file by its path inside its session's or checkpoint's folder."""
    if task := _TASK_PATH.fullmatch(within):
        return ("task_transcript" if _SUBAGENT.fullmatch(task[2]) else "task"), 0
    if within.startswith("assets/"):
        return "asset", 0
    chunk = _CHUNK.fullmatch(within)
    return ("transcript", int(chunk[1])) if chunk else (_ROLES.get(within, "other"), 0)
