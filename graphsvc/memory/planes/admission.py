"""Admission: from the three files of a scope to a stream that can be trusted, or the reason why not.

A scope is stored as ``checkpoint.json`` (the state at the checkpoint), ``patches.jsonl`` (one change a line,
oldest first, blank lines allowed) and ``meta.json`` (version, revision and the boundaries of both). The
version is looked at before anything of the state is; a store of a retired version is translated in memory,
and a store is never written.

Source of the format: pi-state-flow, metadata versions 1 to 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import (
    LEGACY,
    Dialect,
    PlaneScope,
    refuse_retired_roots,
    select_planes,
    translate_root,
)
from graphsvc.memory.planes.history import Stream
from graphsvc.memory.planes.metadata import Evidence, Metadata, parse_metadata
from graphsvc.memory.planes.patching import apply_patch, check_record, check_state
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject, decode

__all__ = ["FILES", "Cohort", "Receipt", "ScopeFiles", "admit_cohort"]

FILES = ("checkpoint.json", "patches.jsonl", "meta.json")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The exact bytes that were read: their file, SHA-256 and number."""

    file: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class ScopeFiles:
    """The bytes of a scope's files; None for a file that is not there."""

    checkpoint: bytes | None
    patches: bytes | None
    meta: bytes | None

    def receipts(self) -> tuple[Receipt, ...]:
        """One receipt for every file that is there."""
        return tuple(
            Receipt(file, hashlib.sha256(data).hexdigest(), len(data))
            for file, data in zip(FILES, (self.checkpoint, self.patches, self.meta), strict=True)
            if data is not None
        )


@dataclass(frozen=True, slots=True)
class Cohort:
    """A scope as its files state it, in the present dialect.

    Attributes:
        scope: The scope.
        version: Metadata version of the files.
        source: Dialect of the files.
        stream: State and changes.
        receipts: What was read.
        owner_cwd: Working directory that the cwd scope belongs to; None for the others.
        evidence: See :class:`~graphsvc.memory.planes.metadata.Metadata`.
    """

    scope: PlaneScope
    version: int
    source: Dialect
    stream: Stream
    receipts: tuple[Receipt, ...]
    owner_cwd: str | None
    evidence: Mapping[str, Evidence | None]

    @property
    def watermark(self) -> tuple[int, str, tuple[str, ...]]:
        """Revision, newest boundary and digests of the files.

        The digests count because folding changes bytes without a revision, and because a restored backup can
        repeat a revision with other content.
        """
        digests = tuple(receipt.sha256 for receipt in self.receipts)
        return (self.stream.revision, self.stream.boundaries[-1].id, digests)


def admit_cohort(scope: PlaneScope, files: ScopeFiles, cwd: str | None = None) -> Cohort | None:
    """Read one scope.

    Args:
        scope: The scope.
        files: Its bytes.
        cwd: Working directory that a cwd scope must belong to; None for the other scopes.

    Returns:
        The scope, or None where it has never been written.

    Raises:
        Refused: The files break a rule; ``reason`` says which, ``where`` the file and line.
    """
    if (scope == "cwd") != (cwd is not None):
        raise ValueError("a working directory is given for the cwd scope, and for no other")
    if files.checkpoint is None and files.patches is None:
        return None
    if files.checkpoint is None or files.patches is None:
        missing = FILES[0] if files.checkpoint is None else FILES[1]
        raise Refused("it is not there but its counterpart is", reason=Reason.PARTIAL_COHORT, where=missing)
    meta = parse_metadata(files.meta)
    if cwd is not None:
        _check_owner(meta, cwd)
    stream = _read_stream(scope, files.checkpoint, files.patches, meta)
    return Cohort(scope, meta.version, meta.dialect, stream, files.receipts(), cwd, meta.evidence)


def _check_owner(meta: Metadata, cwd: str) -> None:
    if meta.owner is None:
        raise Refused(
            "it does not say whose working directory it is", reason=Reason.OWNER_MISSING, where="meta.json"
        )
    if meta.owner != {"cwd": cwd}:
        raise Refused(
            f"it belongs to {meta.owner!r:.200}, not to {cwd}",
            reason=Reason.OWNER_MISMATCH,
            where="meta.json",
        )


def _read_stream(scope: PlaneScope, checkpoint: bytes, patches: bytes, meta: Metadata) -> Stream:
    base = _planes(checkpoint, meta.dialect, "checkpoint.json")
    with _where("checkpoint.json"):
        check_state(base)
    records = [(where, _planes(line, meta.dialect, where)) for where, line in _lines(patches)]
    if len(records) != len(meta.patches):
        raise Refused(
            f"{len(records)} records stand against {len(meta.patches)} boundaries",
            reason=Reason.RECORD_COUNT,
            where="patches.jsonl",
        )
    revision = len(records) if meta.revision is None else meta.revision
    if revision < len(records):
        raise Refused(
            f"the revision {revision} is less than {len(records)} records",
            reason=Reason.REVISION,
            where="meta.json",
        )
    _replay(scope, base, records)
    tail = zip(meta.patches, (record for _, record in records), strict=True)
    return Stream(revision, meta.checkpoint, base, tuple(tail))


def _lines(data: bytes) -> Iterator[tuple[str, bytes]]:
    """The lines that are not blank, each with its place in the file."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip(b" \t\r"):
            yield f"patches.jsonl line {number}", line.removesuffix(b"\r")


def _planes(data: bytes, dialect: Dialect, where: str) -> JsonObject:
    root: Any = decode(data, where)
    with _where(where):
        if not isinstance(root, dict):
            raise Refused("it is no object", reason=Reason.PLANE_TYPE)
        if dialect is LEGACY:
            return select_planes(translate_root(root))
        refuse_retired_roots(root)
        return select_planes(root)


def _replay(scope: PlaneScope, base: JsonObject, records: Iterable[tuple[str, JsonObject]]) -> None:
    state = base
    for where, record in records:
        with _where(where):
            check_record(scope, record)
            state = apply_patch(state, record)
            check_state(state)


@contextmanager
def _where(where: str) -> Iterator[None]:
    """Say of a broken rule where it was broken."""
    try:
        yield
    except Refused as error:
        raise Refused(error.message, reason=error.reason, where=where, hint=error.hint) from None
