"""Registering sessions of hosts as sources, and looking where hosts keep some."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Conflict, GraphsvcError, InvalidInput, NotFound
from graphsvc.ids import derive, source_id
from loaders.sessions.base import Host
from loaders.transcripts.generic import MAPPING

__all__ = ["HOSTS", "Discovery", "add_sessions", "discover"]

HOSTS: Mapping[str, str] = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "pi": "pi",
    "opencode": "opencode",
    "copilot": "copilot",
    "cursor": "cursor",
    "cline": "cline",
    "droid": "droid",
    "jsonl": "generic",
}
"""Module of each host by its name on the command line."""


class Discovery(NamedTuple):
    """A folder in which a host keeps sessions.

    Attributes:
        host: Name of the host.
        path: The folder.
        transcripts: How many transcripts it has, None where it cannot be looked at.
        modified_at: When the newest of them was changed, in UTC microseconds since 1970.
    """

    host: str
    path: str
    transcripts: int | None
    modified_at: int | None


def host_of(name: str) -> Host:
    """A host by its name on the command line.

    Raises:
        NotFound: There is none of that name.
    """
    if name not in HOSTS:
        raise NotFound(f"no host is called {name!r}", hint=f"hosts are: {', '.join(HOSTS)}")
    host: Host = importlib.import_module(f"loaders.sessions.{HOSTS[name]}").HOST
    return host


def discover(home: Path) -> Iterator[Discovery]:
    """The places below a home directory at which hosts keep sessions, where they are there.

    Only those places are looked at, nothing is read but the names of files, and nothing is registered.
    """
    for name in HOSTS:
        host = host_of(name)
        for place in host.places:
            path = home / place
            if path.is_dir():
                yield _discovered(host, path)


def _discovered(host: Host, path: Path) -> Discovery:
    try:
        found = [each for each in host.find(path) if each.role == "transcript"]
    except (GraphsvcError, OSError):
        return Discovery(host.name, str(path), None, None)
    newest = max((each.modified_at for each in found), default=None)
    return Discovery(host.name, str(path), len(found), newest)


def add_sessions(
    store: CanonicalStore,
    host_name: str,
    path: Path | None,
    *,
    home: Path,
    name: str | None = None,
    fields: Mapping[str, Sequence[str]] | None = None,
) -> list[Source]:
    """Register the sessions of a host, or that they have moved.

    Args:
        store: The store.
        host_name: Name of the host.
        path: Folder or file; every place of the host's below ``home`` that is there, where none is given.
        home: Home directory.
        name: Name for people, by which the source is known; the host's name, numbered for further places.
        fields: For ``jsonl``, fields of columns of `loaders.transcripts.generic.MAPPING` that differ.

    Raises:
        NotFound: There is no such host, or nothing at the place.
        InvalidInput: Fields are given for a host that has a format, or for a column that is none.
        Conflict: Another place has that name.
    """
    host = host_of(host_name)
    if fields and host.format_name is None:
        raise InvalidInput(f"{host_name} has a format of its own", hint="give fields for jsonl only")
    if unknown := sorted(set(fields or ()) - MAPPING.keys()):
        raise InvalidInput(f"there is no column {unknown[0]!r}", hint=f"columns are: {', '.join(MAPPING)}")
    paths = [path] if path else [home / place for place in host.places]
    there = [each.resolve() for each in paths if each.exists()]
    if not there:
        raise NotFound(
            f"no sessions of {host_name} in {paths[0] if paths else home}", hint="name their folder"
        )
    taken = {source.source_id: source for source in store.sources()}
    sources = []
    for number, folder in enumerate(there):
        label = name or host_name
        label = label if number == 0 else f"{label}-{number + 1}"
        source = Source(
            source_id("sessions", host_name, label),
            f"sessions.{HOSTS[host_name]}",
            derive("project", "sessions"),
            label,
            str(folder),
            {"fields": {key: list(value) for key, value in fields.items()}} if fields else {},
        )
        known = taken.get(source.source_id)
        if known and known.locator != source.locator and Path(known.locator).exists() and not name:
            raise Conflict(
                f"{label} is the name of {known.locator} already",
                expected=known.locator,
                actual=source.locator,
                hint="give it a name of its own by --name",
            )
        sources.append(source)
    store.register(*sources)
    return sources
