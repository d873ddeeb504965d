"""The files of a text index in its generation's folder, and what they are known by."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from graphsvc.graph.seal import Seal, boot_id, check, seal

__all__ = [
    "EVIDENCE_FOLDER", "FORMAT", "INDEX_FOLDER", "add_digests", "check_index", "check_shard", "link_files",
    "passages_digest", "read_shards", "seal_files", "write_shards",
]  # fmt: skip

FORMAT = "4"
"""Form of an index's files and of its entry in the ledger: an index of another form is as good as none."""

INDEX_FOLDER = "text"
"""Folder of the index in a generation's folder."""

EVIDENCE_FOLDER = "evidence"
"""Folder in it of the shards' copies of evidence."""

_CHECKED = "checked"
_SHARDS = "shards.json"
_MODULUS = 1 << 256


def seal_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Seals of the files of a finished shard, by their path in it; see `graphsvc.graph.seal.Seal`."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and _is_data(path))
    return {path.relative_to(folder).as_posix(): asdict(seal(path)) for path in found}


def write_shards(folder: Path, shards: Mapping[str, Any]) -> dict[str, Any]:
    """Write what an index consists of into its folder; the seal of that file, which goes into the ledger.

    Args:
        folder: The index's folder.
        shards: What is kept of each shard by its name, ``files`` with their seals among it.
    """
    path = folder / _SHARDS
    path.write_text(json.dumps(shards, sort_keys=True, separators=(",", ":")))
    return asdict(seal(path))


def read_shards(folder: Path, text_index: Mapping[str, Any]) -> dict[str, Any]:
    """What `write_shards` wrote.

    Args:
        folder: The index's folder.
        text_index: The index as the ledger has it.

    Raises:
        Corrupt: The file is not the one that was written.
    """
    path = folder / _SHARDS
    check(path, Seal(**text_index["shards"]), deep=True)
    shards: dict[str, Any] = json.loads(path.read_bytes())
    return shards


def check_shard(folder: Path, shard: Mapping[str, Any], *, deep: bool = True) -> None:
    """Check a shard's files against their seals: by size and time, and by hash where ``deep``.

    Raises:
        Corrupt: A file is missing or differs.
    """
    for name, fields in shard["files"].items():
        check(folder / name, Seal(**fields), deep=deep)


def check_index(folder: Path, text_index: Mapping[str, Any]) -> None:
    """Check an index against the ledger: by hash once for each start of the machine, else by size and time.

    Raises:
        Corrupt: A file is missing or differs.
    """
    note, boot = folder / _CHECKED, boot_id()
    current = f"{boot} {text_index['shards']['blake3']}"
    is_known = boot is not None and note.is_file() and note.read_text() == current
    for shard in read_shards(folder, text_index).values():
        check_shard(folder, shard, deep=not is_known)
    if boot is not None and not is_known:
        with suppress(OSError):  # on a medium that cannot be written every check hashes
            note.write_text(current)


def link_files(source: Path, target: Path, names: Iterable[str]) -> None:
    """Let files that never change be in a second folder too, as links where the file system has them."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source / name, target / name)
        except FileExistsError:
            continue
        except OSError:
            shutil.copy2(source / name, target / name)


def passages_digest(stored: Iterable[bytes]) -> tuple[int, str]:
    """Number and digest of passages as the index stores them, whatever their order: the sum of their SHA-256, so that
    digests of parts add up."""
    count, total = 0, 0
    for passage in stored:
        count += 1
        total += int.from_bytes(hashlib.sha256(passage).digest())
    return count, f"{total % _MODULUS:064x}"


def add_digests(digests: Iterable[str]) -> str:
    """The digest of all passages together of which the digests are given.

    >>> add_digests(["0" * 63 + "1", "f" * 64]) == "0" * 64
    True
    """
    return f"{sum(int(digest, 16) for digest in digests) % _MODULUS:064x}"


def _is_data(path: Path) -> bool:
    """Whether a file is part of a shard, rather than a lock or a list of the engine's."""
    return path.suffix not in {".lock", ".json"}
