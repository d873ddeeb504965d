"""The files of a text index in its generation's folder, and what they are known by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graphsvc.errors import Corrupt
from graphsvc.graph.seal import Seal, check, check_once_per_boot, seal
from graphsvc.text_index.passage import Passage

__all__ = ["EVIDENCE_FILE", "INDEX_FOLDER", "check_files", "passages_digest", "seal_files"]

INDEX_FOLDER = "text"
"""Folder of the index in a generation's folder."""

EVIDENCE_FILE = "evidence.zst"
"""The copy of the evidence in that folder."""


def seal_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Seals of the files of a finished index, by name; see `graphsvc.graph.seal.Seal`."""
    return {path.name: asdict(seal(path)) for path in sorted(folder.iterdir()) if _is_data(path)}


def check_files(folder: Path, sealed: Mapping[str, Mapping[str, Any]], *, deep: bool = False) -> None:
    """Check every file of an index against its seal: by hash once for each start of the machine, or ``deep``.

    Raises:
        Corrupt: A file is missing or differs.
    """
    if not sealed:
        raise Corrupt(f"{folder} was published without files", hint="run `graphsvc rebuild`")
    for name, fields in sealed.items():
        expected = Seal(**fields)
        if deep:
            check(folder / name, expected, deep=True)
        else:
            check_once_per_boot(folder / name, expected)


def passages_digest(passages: Iterable[Passage]) -> tuple[int, str]:
    """Number and SHA-256 of the pieces of evidence among passages, whatever their order."""
    lines = sorted(
        f"{one.kind}\x1f{one.key}\x1f{one.segment}\x1f{one.start}\x1f{one.end}"
        for one in passages
        if one.grain == "occurrence"
    )
    return len(lines), hashlib.sha256("\x1e".join(lines).encode()).hexdigest()


def _is_data(path: Path) -> bool:
    """Whether a file is part of the index, rather than a lock or the note of an earlier check."""
    return path.suffix not in {".lock", ".checked"}
