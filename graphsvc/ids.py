"""Opaque identities.

An identity is a prefix that names its type and 128 bits of SHA-256 over a domain-separated canonical key, as
text. The same thing gets the same identity in every store and on every machine, and two types never share
one. ``graphsvc/canonical/macros.sql`` computes the same digest inside SQL.

>>> repository_id("9d1dcfdaf1a6857c5f83dc27019c7600e1ffaff8")
'repository_0c0e5f896f0d8ae9312f36e08ce2fc96'
"""

from __future__ import annotations

import hashlib
from typing import NewType

__all__ = [
    "CheckpointId",
    "CommitId",
    "DocumentId",
    "EventId",
    "FileId",
    "ProjectId",
    "RepositoryId",
    "SegmentId",
    "SessionId",
    "SourceId",
    "SymbolId",
    "ToolCallId",
    "authored_planes_source_id",
    "checkpoint_id",
    "commit_id",
    "derive",
    "document_id",
    "facts_source_id",
    "file_id",
    "project_id",
    "read_trust_source_id",
    "repository_id",
    "segment_id",
    "session_id",
    "source_id",
    "symbol_id",
    "tool_call_id",
]

ProjectId = NewType("ProjectId", str)
RepositoryId = NewType("RepositoryId", str)
SourceId = NewType("SourceId", str)
CommitId = NewType("CommitId", str)
FileId = NewType("FileId", str)
SymbolId = NewType("SymbolId", str)
CheckpointId = NewType("CheckpointId", str)
SessionId = NewType("SessionId", str)
ToolCallId = NewType("ToolCallId", str)
DocumentId = NewType("DocumentId", str)
EventId = NewType("EventId", str)
SegmentId = NewType("SegmentId", str)


def derive(prefix: str, *parts: str) -> str:
    """Identity of type ``prefix`` for a canonical key.

    The key is the prefix and the parts joined by the unit separator U+001F; a part that contains the
    separator would be ambiguous only against a key with another number of parts, which no type has.

    >>> derive("file", "repository_1", "a.py") == derive("file", "repository_1", "a.py")
    True
    >>> derive("file", "repository_1", "a.py") == derive("commit", "repository_1", "a.py")
    False
    """
    key = "\x1f".join((prefix, *parts)).encode("utf-8", "surrogatepass")
    return f"{prefix}_{hashlib.sha256(key).hexdigest()[:32]}"


def segment_id(data: bytes | memoryview) -> SegmentId:
    """Content address of a segment: the SHA-256 of its uncompressed bytes, as 64 hexadecimal digits."""
    return SegmentId(hashlib.sha256(data).hexdigest())


def repository_id(root_oid: str) -> RepositoryId:
    """Repository by the root commit of its main line, so that clones and worktrees agree."""
    return RepositoryId(derive("repository", root_oid))


def project_id(repository: RepositoryId) -> ProjectId:
    """Project of a repository and all its worktrees."""
    return ProjectId(derive("project", repository))


def source_id(loader: str, *key: str) -> SourceId:
    """Source by the loader that reads it and what it reads; never by where that lies on disk."""
    return SourceId(derive("source", loader, *key))


def facts_source_id(store: str) -> SourceId:
    """Source of the facts that were remembered in a store."""
    return source_id("facts", store)


def authored_planes_source_id(store: str) -> SourceId:
    """Source of the patches of planes that were authored in a store."""
    return source_id("planes", "authored", store)


def read_trust_source_id(store: str) -> SourceId:
    """Source of what is derived in a store from the transcripts of the pi host."""
    return source_id("readtrust", store)


def commit_id(repository: str, oid: str) -> CommitId:
    """Commit by repository and object id."""
    return CommitId(derive("commit", repository, oid))


def file_id(repository: str, path: str) -> FileId:
    """File by repository and path from its root, as UTF-8 text with undecodable bytes as ``\\xNN``."""
    return FileId(derive("file", repository, path))


def symbol_id(repository: str, language: str, package: str, descriptor: str, disambiguator: str) -> SymbolId:
    """Symbol by repository, language, package or module, SCIP descriptor chain and disambiguator."""
    return SymbolId(derive("symbol", repository, language, package, descriptor, disambiguator))


def checkpoint_id(repository: str, checkpoint: str) -> CheckpointId:
    """Checkpoint by repository and the id that its commits name."""
    return CheckpointId(derive("checkpoint", repository, checkpoint))


def session_id(session: str) -> SessionId:
    """Agent session by its normalised id (the host's id without a date prefix)."""
    return SessionId(derive("session", session))


def tool_call_id(session: str, call: str) -> ToolCallId:
    """Tool call by session identity and the host's id of the call."""
    return ToolCallId(derive("toolcall", session, call))


def document_id(source: str, path: str, content: str) -> DocumentId:
    """One version of a source document: source, path inside it, and content digest or blob id."""
    return DocumentId(derive("document", source, path, content))
