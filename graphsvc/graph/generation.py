"""One generation of the graph: built, read back, found right and sealed, or not there at all.

A file that does not hold what it should is put aside, where it can be looked at and is never opened again,
and built once more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from graphsvc.graph.build import build
from graphsvc.graph.digest import LabelDigest
from graphsvc.graph.engine import DEFAULT
from graphsvc.graph.schema import GraphSchema
from graphsvc.graph.seal import Seal, seal
from graphsvc.graph.verify import Verifier

__all__ = ["Generation", "create", "quarantine"]

_ATTEMPTS = 2


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
    path: Path,
    schema: GraphSchema,
    files: Mapping[str, Path],
    expected: Iterable[LabelDigest],
    *,
    engine: str = DEFAULT,
) -> Generation:
    """Builds, verifies and seals a database file.

    Args:
        path: Where the file is to be; there must be none.
        schema: The tables.
        files: For each table, by its name, the Parquet file with its rows (see :func:`build`).
        expected: The digest of each table.
        engine: Name of the engine.

    Raises:
        InvalidInput: What was given does not fit together, or cannot be stored.
        SourceUnavailable: The engine could not build the file.
        DurabilityUncertain: The file could not be synced.
        Corrupt: The file twice did not hold what it should; the message names each table that differs.
    """
    expected = tuple(expected)
    quarantined: list[Path] = []
    while True:
        with Verifier(engine) as verifier:
            built = build(path, schema, files, engine=engine)
            report = verifier.verify(path, schema, expected)
        if report.ok:
            return Generation(path, seal(path), built.rows, tuple(quarantined))
        quarantined.append(quarantine(path))
        if len(quarantined) == _ATTEMPTS:
            report.require_ok()


def quarantine(path: Path) -> Path:
    """Puts a damaged file aside under the first free name beside it, and returns that."""
    number = 1
    while (aside := path.with_name(f"{path.name}.quarantined-{number}")).exists():
        number += 1
    os.replace(path, aside)
    return aside
