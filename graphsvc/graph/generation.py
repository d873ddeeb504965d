"""One generation of the graph: built, read back, found right and sealed, or not there at all.

A file that does not hold what it should is put aside, where it can be looked at and is never opened again,
and built once more, out of the same Parquet files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from graphsvc.graph.build import Loading, TableFiles, by_label
from graphsvc.graph.digest import LabelDigest
from graphsvc.graph.engine import DEFAULT
from graphsvc.graph.schema import GraphSchema
from graphsvc.graph.seal import Seal, seal
from graphsvc.graph.verify import Verifier

__all__ = ["Content", "Generation", "Load", "create", "load_written", "quarantine"]

_ATTEMPTS = 2


Load = Callable[[TableFiles], None]
"""Takes the tables of one label once their files are written; nodes come before the edges that join them."""


class Content(Protocol):
    """What a generation is to hold.

    Attributes:
        schema: The tables.
        files: For each table, by its name, the Parquet file with its rows (see `graphsvc.graph.build.build`).
        digests: The digest of each table.
    """

    @property
    def schema(self) -> GraphSchema: ...
    @property
    def files(self) -> Mapping[str, Path]: ...
    @property
    def digests(self) -> Sequence[LabelDigest]: ...


_Content = TypeVar("_Content", bound=Content)


@dataclass(frozen=True, slots=True)
class Generation:
    """A verified database file, ready to be published.

    Args:
        path: The file.
        seal: What the closed file is known by.
        rows: Rows by the name of the table.
        quarantined: The files that were built before and found wrong.
    """

    path: Path
    seal: Seal
    rows: Mapping[str, int]
    quarantined: tuple[Path, ...]


def create(
    path: Path, write: Callable[[Load], _Content], verifier: Verifier, *, engine: str = DEFAULT
) -> tuple[_Content, Generation]:
    """Build, verify and seal a database file.

    Args:
        path: Where the file is to be; there must be none.
        write: Writes the tables' files, tells of each label as soon as its tables are written, since they are loaded
            meanwhile, and gives all of them.
        verifier: Reads the file back.
        engine: Name of the engine.

    Returns:
        What was written, and the generation.

    Raises:
        InvalidInput: What was written does not fit together, or cannot be stored.
        SourceUnavailable: The engine could not build the file.
        DurabilityUncertain: The file could not be synced.
        Corrupt: The file twice did not hold what it should; the message names each table that differs.
    """
    quarantined: list[Path] = []
    while True:
        verifier.start()
        with Loading(path, engine=engine) as loading:
            content = write(loading.add)
            built = loading.finish(content.schema, content.files)
        report = verifier.verify(path, content.schema, content.digests)
        if report.ok:
            return content, Generation(path, seal(path), built.rows, tuple(quarantined))
        quarantined.append(quarantine(path))
        if len(quarantined) == _ATTEMPTS:
            report.require_ok()
        write = partial(load_written, content)


def load_written(content: _Content, load: Load) -> _Content:
    """Tell of files that are all written, as ``write`` of `create` does."""
    for tables in by_label(content.schema, content.files):
        load(tables)
    return content


def quarantine(path: Path) -> Path:
    """Puts a damaged file aside under the first free name beside it, and returns that."""
    number = 1
    while (aside := path.with_name(f"{path.name}.quarantined-{number}")).exists():
        number += 1
    os.replace(path, aside)
    return aside
