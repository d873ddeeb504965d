"""What stands beside the state: a scope's ``meta.json``, a session's ``runtime.json`` and ``config.json``.

The version is decided here, before anything of the state is looked at.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import DIALECT_OF_VERSION, LEGACY, TARGET, Dialect
from graphsvc.memory.planes.history import MAX_LIMIT, MAX_POSITION, Boundary
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject, decode

__all__ = [
    "Evidence",
    "Metadata",
    "Mode",
    "Runtime",
    "parse_boundaries",
    "parse_metadata",
    "parse_mode",
    "parse_runtime",
]

Mode = Literal["active", "passive", "off"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an artifact was compiled from, by the word of the software that did.

    Attributes:
        compiler_revision: Revision of the compiler.
        source_hash: Digest of the source, ``sha256:`` and hexadecimal digits; None where size and time stand.
        size: Bytes of the source.
        modified_ns: Time of the source's last change in nanoseconds since 1970.
    """

    compiler_revision: str
    source_hash: str | None = None
    size: int | None = None
    modified_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Metadata:
    """A scope's metadata.

    Attributes:
        version: Format of the scope's files: 1, 2 or 3.
        revision: Number of changes that the scope ever had; None where a retired version does not say.
        checkpoint: Boundary of the checkpoint.
        patches: Boundaries of the tail, oldest first.
        owner: Whom the scope belongs to, as stated; None where it is not.
        evidence: By artifact path; None for an entry that cannot be interpreted, which harms no other.
    """

    version: int
    revision: int | None
    checkpoint: Boundary
    patches: tuple[Boundary, ...]
    owner: Any
    evidence: Mapping[str, Evidence | None]

    @property
    def dialect(self) -> Dialect:
        """The dialect that the version means."""
        return DIALECT_OF_VERSION[self.version]


def _refuse(reason: Reason, message: str, where: str) -> NoReturn:
    raise Refused(message, reason=reason, where=where)


def parse_metadata(data: bytes | None) -> Metadata:
    """Read ``meta.json``; None stands for a file that is not there.

    Raises:
        Refused: It is of no supported format or version, or its boundaries break a rule.
    """
    meta = None if data is None else decode(data, "meta.json")
    if not isinstance(meta, dict) or not meta.keys() & {"version", "temporal"}:
        _refuse(Reason.UNSUPPORTED_FORMAT, "it declares neither version nor boundaries", "meta.json")
    version = _integer(meta.get("version"))
    if version not in DIALECT_OF_VERSION:
        _refuse(
            Reason.UNSUPPORTED_VERSION, f"version {meta.get('version')!r:.40} is not 1, 2 or 3", "meta.json"
        )
    temporal: Any = meta.get("temporal")
    if not _is_temporal(temporal):
        _refuse(Reason.UNSUPPORTED_FORMAT, "it does not list the boundaries", "meta.json")
    checkpoint, *patches = parse_boundaries([temporal["checkpoint"], *temporal["patches"]], "meta.json")
    revision = _revision(temporal, version)
    return Metadata(version, revision, checkpoint, tuple(patches), meta.get("owner"), _evidence(meta))


def _is_temporal(value: Any) -> bool:
    return isinstance(value, dict) and "checkpoint" in value and isinstance(value.get("patches"), list)


def _revision(temporal: JsonObject, version: int) -> int | None:
    if "revision" not in temporal and DIALECT_OF_VERSION[version] is LEGACY:
        return None
    revision = _integer(temporal.get("revision"))
    if revision is None or not 0 <= revision <= MAX_POSITION:
        _refuse(Reason.REVISION, f"the revision {temporal.get('revision')!r:.40} is no count", "meta.json")
    return revision


def parse_boundaries(values: Iterable[Any], where: str) -> tuple[Boundary, ...]:
    """Boundaries in order: ids unique, positions rising, each the child of the one right before it.

    Raises:
        Refused: They are not.
    """
    boundaries = tuple(_boundary(value, where) for value in values)
    if len({boundary.id for boundary in boundaries}) < len(boundaries):
        _refuse(Reason.BOUNDARY_REPEATED, "two boundaries have the same id", where)
    for previous, boundary in itertools.pairwise(boundaries):
        if boundary.position <= previous.position:
            _refuse(Reason.BOUNDARY_ORDER, f"the boundary {boundary.id!r} is not after its precursor", where)
        if not boundary.follows(previous):
            _refuse(
                Reason.BOUNDARY_DISCONNECTED, f"{boundary.id!r} is not the child of {previous.id!r}", where
            )
    return boundaries


def _boundary(value: Any, where: str) -> Boundary:
    if not isinstance(value, dict) or value.keys() != {"id", "position", "parent"}:
        _refuse(Reason.BOUNDARY, "a boundary is an object of id, position and parent", where)
    position, parent = _integer(value["position"]), value["parent"]
    if not isinstance(value["id"], str) or position is None or not isinstance(parent, str | None):
        _refuse(Reason.BOUNDARY, f"the boundary {value!r:.200} is malformed", where)
    try:
        return Boundary(value["id"], position, parent)
    except Refused as error:
        _refuse(Reason.BOUNDARY, error.message, where)


def _integer(value: Any) -> int | None:
    """The integer that a number means: 1.0 is one, true is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        return None
    return int(value)


def _evidence(meta: JsonObject) -> dict[str, Evidence | None]:
    artifacts = meta.get("artifacts")
    if not isinstance(artifacts, dict):
        return {}
    return {path: _one_evidence(value) for path, value in artifacts.items()}


def _one_evidence(value: Any) -> Evidence | None:
    match value:
        case {"sourceFingerprint": {"size": size, "mtimeNs": modified}, "compilerRevision": str(revision)}:
            size, modified = _integer(size), _nanoseconds(modified)
            if size is None or modified is None:
                return None
            return Evidence(revision, size=size, modified_ns=modified)
        case {"sourceHash": str(digest), "compilerRevision": str(revision)}:
            return Evidence(revision, digest) if re.fullmatch("sha256:[0-9a-f]{64}", digest) else None
    return None


def _nanoseconds(value: Any) -> int | None:
    """Nanoseconds, which a writer may give as digits because its numbers are too short for them."""
    if isinstance(value, str):
        return int(value) if re.fullmatch("[0-9]{1,20}", value) else None
    return _integer(value)


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a session keeps of its own life.

    Attributes:
        cwd: Working directory of the session.
        session: The host's id of the session.
        lineage: Shared boundaries, oldest first.
    """

    cwd: str
    session: str
    lineage: tuple[Boundary, ...]


def parse_runtime(data: bytes) -> Runtime:
    """Read a session's ``runtime.json``.

    Raises:
        Refused: It is malformed, holds planes, or its lineage is not one unbroken line.
    """
    where = "runtime.json"
    match decode(data, where):
        case {
            "version": 1,
            "identity": {"cwd": str(cwd), "sessionId": str(session)},
            "lineage": [_, *_] as lineage,
            **others,
        }:
            pass
        case _:
            _refuse(Reason.RUNTIME, "it does not state version 1, an identity and a lineage", where)
    if others.keys() & {*LEGACY.planes, *TARGET.planes}:
        _refuse(Reason.RUNTIME, "it holds planes, which have files of their own", where)
    boundaries = parse_boundaries(lineage, where)
    if boundaries[-1].position - boundaries[0].position != len(boundaries) - 1:
        _refuse(Reason.BOUNDARY_DISCONNECTED, "the lineage has gaps", where)
    if len(boundaries) > MAX_LIMIT + 1:
        _refuse(Reason.RUNTIME, f"the lineage has more than {MAX_LIMIT + 1} boundaries", where)
    return Runtime(cwd, session, boundaries)


def parse_mode(data: bytes) -> Mode:
    """The mode that a session's ``config.json`` sets, in either of its two forms.

    >>> parse_mode(b'{"mode": "passive"}'), parse_mode(b'{"enabled": true}')
    ('passive', 'active')
    """
    match decode(data, "config.json"):
        case {"mode": "active", **others} | {"enabled": True, **others} if not others:
            return "active"
        case {"mode": "passive", **others} if not others:
            return "passive"
        case {"mode": "off", **others} | {"enabled": False, **others} if not others:
            return "off"
    _refuse(Reason.POLICY, "it is neither exactly a mode nor exactly an enabled flag", "config.json")
