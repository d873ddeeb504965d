"""The documents that a source of checkpoints should have, from its files and the sessions that they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graphsvc.ids import derive, document_id
from loaders.entire.layout import File

__all__ = ["Document", "SessionPlace", "documents", "session_place"]


class SessionPlace(NamedTuple):
    """Where a file that names a session lies: checkpoint, folder, and the subagent's call for a task."""

    checkpoint_key: str
    session_index: int | None
    task: str | None


def session_place(file: File) -> SessionPlace:
    """Place whose session a metadata or task file names."""
    return SessionPlace(file.checkpoint_key, file.session_index, file.task)


@dataclass(frozen=True, slots=True)
class Document:
    """A version of a file, with all that its ``document`` event depends on.

    Attributes:
        file: The file.
        document_id: Identity of its bytes at its path.
        session_key: Normalised id of the session that it belongs to.
        role: Its role; ``fallback_transcript`` for a compact transcript that is read in place of the full one.
        problem: Why there are no bytes of it, a kind of fault; None where there are.
    """

    file: File
    document_id: str
    session_key: str | None
    role: str
    problem: str | None

    @property
    def event_key(self) -> tuple[str, ...]:
        """Key of its event: the same file under another session, role or state is another statement."""
        return self.document_id, self.session_key or "", self.role, self.problem or ""

    @property
    def event_id(self) -> str:
        """Identity of its event."""
        return derive("event", "document", *self.event_key)


def documents(
    source_id: str,
    files: Sequence[File],
    sessions: Mapping[SessionPlace, str],
    is_readable: Callable[[File], bool],
) -> list[Document]:
    """The documents that ``files`` should be.

    Args:
        source_id: The source.
        files: All files of all checkpoints.
        sessions: Normalised ids of the sessions that metadata and task files name.
        is_readable: Whether the repository has a file's bytes.
    """
    full = {
        (file.checkpoint_key, file.session_index)
        for file in files
        if file.role == "transcript" and is_readable(file)
    }
    first: dict[str, str] = {}
    for place, session in sorted(sessions.items(), key=lambda item: (item[0].session_index or 0, item[1])):
        first.setdefault(place.checkpoint_key, session)
    planned = []
    for file in files:
        role = file.role
        if role == "compact_transcript" and (file.checkpoint_key, file.session_index) not in full:
            role = "fallback_transcript"
        identity = document_id(source_id, file.path, file.oid)
        session_key = _session_of(file, sessions, first)
        problem = None if is_readable(file) else "missing_blob"
        planned.append(Document(file, identity, session_key, role, problem))
    return planned


def _session_of(file: File, sessions: Mapping[SessionPlace, str], first: Mapping[str, str]) -> str | None:
    """Session of a file; where no metadata names one, the folder stands for it."""
    named = sessions.get(session_place(file))
    if named is None and file.session_index is not None:
        folder = SessionPlace(file.checkpoint_key, file.session_index, None)
        named = sessions.get(folder, f"{file.checkpoint_key}/{file.session_index}")
    if named is None and file.task is not None:
        named = first.get(file.checkpoint_key, file.checkpoint_key)
    return named
