"""Plane stores of the pi host, read from disk and never written.

A store is a folder: the files of the global scope, a folder per working directory with the files of its cwd
scope, and in that a folder per session with the files of its session scope, its ``runtime.json`` and its
``config.json``. Whatever breaks a rule is kept with its bytes and the reason, and does not stop the rest.

No symbolic link is followed, at any level below the store's own path, and only regular files are opened, so
that a store cannot lead the reader to files of others.

Source of the format: pi-state-flow.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from graphsvc.errors import Refused, SourceUnavailable
from graphsvc.memory.planes.admission import FILES, Cohort, Receipt, ScopeFiles, admit_cohort
from graphsvc.memory.planes.composition import compose
from graphsvc.memory.planes.dialect import PlaneScope
from graphsvc.memory.planes.history import DEFAULT_LIMIT, History
from graphsvc.memory.planes.metadata import Mode, Runtime, parse_metadata, parse_mode, parse_runtime
from graphsvc.memory.planes.reasons import Reason

__all__ = [
    "MAX_FILE",
    "CwdFolder",
    "PlaneStore",
    "ScopeFolder",
    "SessionFolder",
    "cwd_key",
    "is_plain",
    "read_store",
]

MAX_FILE = 64 * 1024 * 1024
"""Bytes of one file of a store."""

_ATTEMPTS = 3
_OLDER_FORMAT = "state.json"
_CWD_NAME = re.compile("--.*--", re.DOTALL)
_SESSION_NAME = re.compile("[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ScopeFolder:
    """One scope as it was found.

    Attributes:
        scope: The scope.
        location: Folder, relative to the store; empty for the global scope.
        files: Bytes of the files that are there, by name.
        cohort: The scope; None where it was never written; the reason where it was refused.
    """

    scope: PlaneScope
    location: str
    files: Mapping[str, bytes]
    cohort: Cohort | Refused | None

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """What was read, whether it was admitted or not."""
        return _scope_files(self.files).receipts()


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """One session.

    Attributes:
        scope: Its scope.
        runtime: Its lineage; None where there is none; the reason where it was refused.
        mode: Its mode, likewise.
        files: Bytes of the files that state these two, by name.
    """

    scope: ScopeFolder
    runtime: Runtime | Refused | None
    mode: Mode | Refused | None
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class CwdFolder:
    """One working directory: its scope, and its sessions by the name of their folder."""

    scope: ScopeFolder
    sessions: Mapping[str, SessionFolder]


@dataclass(frozen=True, slots=True)
class PlaneStore:
    """A store.

    Attributes:
        scope: The global scope.
        cwds: Working directories by the name of their folder.
    """

    scope: ScopeFolder
    cwds: Mapping[str, CwdFolder]

    def refusals(self) -> Iterator[tuple[str, Refused]]:
        """Everything that was refused, with its place in the store."""
        for folder in self.scopes():
            if isinstance(folder.cohort, Refused):
                yield folder.location, folder.cohort
        for cwd in self.cwds.values():
            for session in cwd.sessions.values():
                for item in (session.runtime, session.mode):
                    if isinstance(item, Refused):
                        yield session.scope.location, item

    def scopes(self) -> Iterator[ScopeFolder]:
        """Every scope, outer ones first."""
        yield self.scope
        for cwd in self.cwds.values():
            yield cwd.scope
            yield from (session.scope for session in cwd.sessions.values())

    def history(self, cwd: str, session: str, limit: int = DEFAULT_LIMIT) -> History:
        """The planes as one session sees them.

        Args:
            cwd: Name of the working directory's folder.
            session: Name of the session's folder.
            limit: Number of boundaries to keep readable before the head.

        Raises:
            Refused: One of its files was refused, or they do not fit each other.
        """
        folder = self.cwds[cwd]
        runtime = _usable(folder.sessions[session].runtime)
        if runtime is None:
            raise Refused("the session states no lineage", reason=Reason.RUNTIME, where="runtime.json")
        scopes = (self.scope, folder.scope, folder.sessions[session].scope)
        cohorts = {item.scope: cohort for item in scopes if (cohort := _usable(item.cohort)) is not None}
        owner = cohorts["cwd"].owner_cwd if "cwd" in cohorts else runtime.cwd
        if owner != runtime.cwd or cwd_key(runtime.cwd) != cwd:
            raise Refused(
                f"the session works in {runtime.cwd}, the folder is of another directory",
                reason=Reason.OWNER_MISMATCH,
                where="runtime.json",
            )
        return compose(cohorts, runtime.lineage, limit)


def _usable(item: T | Refused) -> T:
    if isinstance(item, Refused):
        raise item
    return item


def cwd_key(cwd: str) -> str:
    """Name of a working directory's folder. Several directories can share one; the metadata tells.

    >>> cwd_key("/home/me/shop")
    '--home-me-shop--'
    """
    return "--" + re.sub(r"[/\\:]", "-", cwd.removeprefix("/")) + "--"


def read_store(root: Path) -> PlaneStore:
    """Read a whole store.

    Raises:
        SourceUnavailable: The folder is not there, or cannot be read.
        Refused: The store's own path is a symbolic link or no folder.
    """
    try:
        with _folder(str(root), None) as store:
            scope = _read_scope(store, "global", "", lambda files: admit_cohort("global", files))
            names = [name for name in _folder_names(store) if _CWD_NAME.fullmatch(name)]
            return PlaneStore(scope, {name: _read_cwd(store, name) for name in names})
    except OSError as error:
        raise SourceUnavailable(f"the plane store {root} cannot be read: {error.strerror}") from error


def _read_cwd(store: int, name: str) -> CwdFolder:
    try:
        _check_name(name)
        with _folder(name, store) as folder:
            scope = _read_scope(folder, "cwd", name, lambda files: _admit_cwd(files, name))
            sessions = {key: _read_session(folder, name, key) for key in _folder_names(folder)}
            return CwdFolder(scope, sessions)
    except Refused as error:
        return CwdFolder(ScopeFolder("cwd", name, {}, error), {})


def _admit_cwd(files: ScopeFiles, name: str) -> Cohort | None:
    expected = f"the directory of {name}"
    try:
        owner = parse_metadata(files.meta).owner
    except Refused:
        owner = None  # admission will say why
    match owner:
        case {"cwd": str(cwd)} if is_plain(cwd) and cwd_key(cwd) == name:
            expected = cwd
    return admit_cohort("cwd", files, expected)


def is_plain(path: str) -> bool:
    """Whether a path is absolute and has no segment that leads elsewhere."""
    module = posixpath if path.startswith("/") else ntpath
    return module.isabs(path) and module.normpath(path) == path and "\0" not in path


def _read_session(parent: int, cwd: str, name: str) -> SessionFolder:
    location = f"{cwd}/{name}"
    try:
        _check_name(name, _SESSION_NAME)
        with _folder(name, parent) as folder:
            scope = _read_scope(folder, "session", location, lambda files: admit_cohort("session", files))
            files: dict[str, bytes] = {}
            runtime = _outcome(lambda: _parsed(folder, "runtime.json", parse_runtime, files))
            mode = _outcome(lambda: _parsed(folder, "config.json", parse_mode, files))
            return SessionFolder(scope, runtime, mode, files)
    except Refused as error:
        return SessionFolder(ScopeFolder("session", location, {}, error), None, None, {})


def _check_name(name: str, pattern: re.Pattern[str] = _CWD_NAME) -> None:
    if not pattern.fullmatch(name) or any("\ud800" <= character <= "\udfff" for character in name):
        raise Refused(f"no folder of a store is called {name!r}", reason=Reason.UNSAFE_NAME)


def _parsed(folder: int, name: str, parse: Callable[[bytes], T], files: dict[str, bytes]) -> T | None:
    data = _read_file(folder, name)
    if data is None:
        return None
    files[name] = data
    return parse(data)


def _outcome(action: Callable[[], T]) -> T | Refused:
    try:
        return action()
    except Refused as error:
        return error


def _read_scope(
    folder: int, scope: PlaneScope, location: str, admit: Callable[[ScopeFiles], Cohort | None]
) -> ScopeFolder:
    files: dict[str, bytes] = {}

    def cohort() -> Cohort | None:
        if _exists(folder, _OLDER_FORMAT):
            raise Refused("the scope is of an older format", reason=Reason.OLDER_FORMAT, where=_OLDER_FORMAT)
        files.update(_read_together(folder))
        return admit(_scope_files(files))

    outcome = _outcome(cohort)
    return ScopeFolder(scope, location, files, outcome)


def _scope_files(files: Mapping[str, bytes]) -> ScopeFiles:
    return ScopeFiles(*(files.get(name) for name in FILES))


def _read_together(folder: int) -> dict[str, bytes]:
    """The three files of a scope as they were at one moment, whoever writes them meanwhile."""
    for _ in range(_ATTEMPTS):
        before = [_identity(folder, name) for name in FILES]
        found = {name: data for name in FILES if (data := _read_file(folder, name)) is not None}
        if before == [_identity(folder, name) for name in FILES]:
            return found
    raise Refused(
        "the files change while they are read", reason=Reason.KEEPS_CHANGING, hint="read the store again"
    )


def _identity(folder: int, name: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _exists(folder: int, name: str) -> bool:
    return _identity(folder, name) is not None


def _read_file(folder: int, name: str) -> bytes | None:
    """The bytes of a regular file; None where there is none."""
    try:
        # Without O_NONBLOCK a named pipe would hold the reader for as long as nobody writes to it.
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(
            f"it is no readable file: {error.strerror}", reason=Reason.NOT_A_REGULAR_FILE, where=name
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Refused("it is no regular file", reason=Reason.NOT_A_REGULAR_FILE, where=name)
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MAX_FILE + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_FILE:
        raise Refused(f"it has more than {MAX_FILE} bytes", reason=Reason.FILE_TOO_LARGE, where=name)
    return data


@contextmanager
def _folder(name: str, parent: int | None) -> Iterator[int]:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Refused(
            f"{name!r} is no readable folder: {error.strerror}", reason=Reason.NOT_A_REGULAR_FILE
        ) from error
    try:
        yield handle
    finally:
        os.close(handle)


def _folder_names(folder: int) -> list[str]:
    """Names of folders, and of links to folders, which :func:`_folder` will refuse."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir())
