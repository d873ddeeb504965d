"""What git objects and references state, as events with their evidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphsvc.canonical.batch import Batch, Span
from graphsvc.git import CommitChanges, GitObject, Peeled, Reference, TreeEntry, decode
from graphsvc.ids import commit_id, derive, file_id
from loaders.git.commits import Commit, find_trailers, parse_commit

__all__ = ["add_changes", "add_commit", "add_reference", "add_repository", "add_snapshot", "add_tree"]

_REFERENCE_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag", "refs/remotes/": "remote"}
_ENTRY_TYPES = {"100755": "executable", "120000": "symlink", "160000": "submodule"}


def add_repository(batch: Batch, repository_id: str, root: GitObject, object_format: str) -> None:
    """State that the repository exists; its root commit is the evidence."""
    batch.event(
        "repository",
        (repository_id,),
        _whole(batch, root.data),
        subject=repository_id,
        repository_id=repository_id,
        root_oid=root.oid,
        object_format=object_format,
    )


def add_reference(batch: Batch, repository_id: str, reference: Reference, peeled: Peeled) -> None:
    """State where a reference points; git's line for it is the evidence."""
    span = _whole(batch, reference.raw)
    batch.event(
        "reference",
        (repository_id, span.segment, peeled.type or "", peeled.commit_oid or ""),
        span,
        subject=derive("reference", repository_id, reference.name),
        repository_id=repository_id,
        name=reference.name,
        reference_kind=_reference_kind(reference.name),
        target_oid=reference.target_oid,
        target_type=peeled.type,
        commit_oid=peeled.commit_oid,
        symbolic_target=reference.symbolic_target,
    )


def _reference_kind(name: str) -> str:
    if name == "HEAD":
        return "head"
    return next((kind for prefix, kind in _REFERENCE_KINDS.items() if name.startswith(prefix)), "other")


def add_commit(batch: Batch, repository_id: str, stored: GitObject) -> Commit:
    """State what a commit object holds: itself, its parents and the trailers of its message."""
    commit = parse_commit(stored.data)
    segment = batch.segment(stored.data)
    common: dict[str, Any] = {
        "subject": commit_id(repository_id, stored.oid),
        "occurred_at": commit.committer.at,
        "repository_id": repository_id,
    }
    whole = Span(segment, 0, len(stored.data))
    batch.event(
        "commit",
        (repository_id, stored.oid),
        whole,
        **common,
        oid=stored.oid,
        tree_oid=commit.tree_oid,
        author_name=commit.author.name,
        author_email=commit.author.email,
        authored_at=commit.author.at,
        author_offset=commit.author.offset,
        committer_name=commit.committer.name,
        committer_email=commit.committer.email,
        committed_at=commit.committer.at,
        committer_offset=commit.committer.offset,
        title=commit.title,
        message=commit.text,
        encoding=commit.encoding,
        parent_count=len(commit.parents),
        is_signed=commit.is_signed,
    )
    common["commit_oid"] = stored.oid
    for position, (parent, start, end) in enumerate(commit.parents):
        key = (repository_id, stored.oid, str(position))
        span = Span(segment, start, end)
        batch.event("commit_parent", key, span, **common, parent_oid=parent, position=position)
    for position, trailer in enumerate(find_trailers(commit.message)):
        batch.event(
            "commit_trailer",
            (repository_id, stored.oid, str(position)),
            Span(segment, commit.message_start + trailer.start, commit.message_start + trailer.end),
            **common,
            key=trailer.key,
            value=decode(trailer.value, commit.encoding),
            position=position,
            in_final_block=trailer.in_final_block,
        )
    if commit.problems:
        batch.fault("malformed_commit", stored.oid, "; ".join(commit.problems), whole)
    return commit


def add_changes(batch: Batch, repository_id: str, changes: CommitChanges, commit: Commit) -> None:
    """State which files a commit changed; git's raw records are the evidence."""
    oid = changes.commit_oid
    segment = batch.segment(changes.raw) if changes.raw else None
    for position, change in enumerate(changes.changes):
        assert segment is not None
        path = decode(change.path)
        batch.event(
            "file_change",
            (repository_id, oid, str(position)),
            Span(segment, change.start, change.end),
            subject=file_id(repository_id, path),
            occurred_at=commit.committer.at,
            repository_id=repository_id,
            commit_oid=oid,
            status=change.status,
            path=path,
            old_path=None if change.old_path is None else decode(change.old_path),
            mode=change.mode,
            old_mode=change.old_mode,
            blob_oid=change.oid,
            old_blob_oid=change.old_oid,
            similarity=change.similarity,
            is_merge=len(commit.parents) > 1,
        )
    if changes.problem is not None:
        batch.fault("incomplete_changes", oid, changes.problem)


def add_snapshot(
    batch: Batch, repository_id: str, reference: Reference, commit_oid: str, tree_oid: str
) -> None:
    """State that the files of a commit are indexed because of a reference; git's line for that is the evidence."""
    span = _whole(batch, reference.raw)
    batch.event(
        "snapshot",
        (repository_id, span.segment, commit_oid),
        span,
        subject=commit_id(repository_id, commit_oid),
        repository_id=repository_id,
        reference=reference.name,
        commit_oid=commit_oid,
        tree_oid=tree_oid,
    )


def add_tree(batch: Batch, repository_id: str, tree_oid: str, entries: Iterable[TreeEntry]) -> None:
    """State what a root tree holds; each entry's line is a segment of its own, which later trees share."""
    for entry in entries:
        path = decode(entry.path)
        span = _whole(batch, entry.raw)
        batch.event(
            "tree_entry",
            (repository_id, tree_oid, span.segment),
            span,
            subject=file_id(repository_id, path),
            repository_id=repository_id,
            tree_oid=tree_oid,
            path=path,
            mode=entry.mode,
            entry_type=_ENTRY_TYPES.get(entry.mode, "file"),
            oid=entry.oid,
        )


def _whole(batch: Batch, data: bytes) -> Span:
    """Span of all of ``data``, as a segment of its own."""
    return Span(batch.segment(data), 0, len(data))
