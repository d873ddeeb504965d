"""The store's marker: what it is, read before anything else of it is opened."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphsvc.errors import DurabilityUncertain, ResetRequired

__all__ = ["FORMAT", "Marker", "read_marker", "write_marker"]

FORMAT = "graphsvc-store-1"
_NAME = "store.json"


@dataclass(frozen=True, slots=True)
class Marker:
    """Format, identity, schema and engine of a store."""

    format: str
    store_id: str
    schema_fingerprint: str
    engine: str

    @classmethod
    def new(cls, schema_fingerprint: str, engine: str) -> Marker:
        """Marker of a store that is about to be made."""
        return cls(FORMAT, f"store_{secrets.token_hex(16)}", schema_fingerprint, engine)


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def read_marker(folder: Path, *, schema_fingerprint: str) -> Marker:
    """Read and check the marker of the store in ``folder``.

    Raises:
        ResetRequired: It is absent, unreadable, has a key twice, or is of another format or schema.
    """
    path = folder / _NAME
    try:
        fields = json.loads(path.read_bytes(), object_pairs_hook=_single)
        marker = Marker(**fields)
    except FileNotFoundError:
        raise ResetRequired(f"{folder} has no {_NAME}: it is no store, or an unfinished one") from None
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ResetRequired(f"{path} cannot be read: {error}") from error
    if marker.format != FORMAT:
        raise ResetRequired(f"{path} is of format {marker.format!r}, this graphsvc reads {FORMAT!r}")
    if marker.schema_fingerprint != schema_fingerprint:
        raise ResetRequired(f"{folder} was made with other event kinds than this graphsvc has")
    return marker


def write_marker(folder: Path, marker: Marker) -> None:
    """Write the marker, synced and renamed into place, so that it is whole or absent.

    Raises:
        DurabilityUncertain: The disk did not confirm it.
    """
    path = folder / _NAME
    partial = folder / f"{_NAME}.{os.getpid()}.tmp"
    try:
        with partial.open("w", encoding="utf-8") as file:
            json.dump(asdict(marker), file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise DurabilityUncertain(f"{path} could not be written: {error}") from error
