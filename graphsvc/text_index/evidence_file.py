"""Copies of the text in evidence, as it is written there, packed so that a passage is read in a fraction of a
millisecond: canonical packs are large, because they are made to be small on disk and read in bulk.

A file is a run of zstd frames of a few passages each. It is derived, and sealed like the index beside it.
"""

from __future__ import annotations

import mmap
from collections import OrderedDict
from pathlib import Path
from types import TracebackType
from typing import Self

import zstandard

from graphsvc.errors import Corrupt
from graphsvc.text_index.passage import Place

__all__ = ["EvidenceReader", "EvidenceWriter"]

_FRAME_BYTES = 256 << 10
_LEVEL = 9
_KEPT_FRAMES = 256


class EvidenceWriter:
    """Writes evidence in the order given, the same bytes once.

    Args:
        path: The file, which must not exist; its name without ending is the shard in `Place`.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._shard = path.stem
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._numbers: dict[bytes, int] = {}
        self._open: list[bytes] = []
        self._size = 0
        self._at = 0
        self._places: list[Place] = []

    def add(self, evidence: bytes) -> int:
        """Add evidence; its place is the one of this number in what `finish` gives."""
        number = self._numbers.setdefault(evidence, len(self._numbers))
        if number == len(self._places) + len(self._open):
            self._open.append(evidence)
            self._size += len(evidence)
            if self._size >= _FRAME_BYTES:
                self._close_frame()
        return number

    def finish(self) -> list[Place]:
        """Close the file; the places of all that was added."""
        if self._open:
            self._close_frame()
        self._file.close()
        return self._places

    def _close_frame(self) -> None:
        data = self._compressor.compress(b"".join(self._open))
        self._file.write(data)
        start = 0
        for evidence in self._open:
            self._places.append(Place(self._shard, self._at, len(data), start, start + len(evidence)))
            start += len(evidence)
        self._at += len(data)
        self._open, self._size = [], 0


class EvidenceReader:
    """Reads evidence by its place, keeping the frames used last unpacked.

    Args:
        folder: The folder of the files.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, mmap.mmap] = {}
        self._frames: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, place: Place) -> bytes:
        """The bytes at a place.

        Raises:
            Corrupt: The file is damaged or missing.
        """
        name = (place.shard, place.frame_start)
        frame = self._frames.get(name)
        if frame is None:
            frame = self._unpack(place)
            self._frames[name] = frame
            if len(self._frames) > _KEPT_FRAMES:
                self._frames.popitem(last=False)
        else:
            self._frames.move_to_end(name)
        return frame[place.start : place.end]

    def _unpack(self, place: Place) -> bytes:
        try:
            data = self._file(place.shard)[place.frame_start : place.frame_start + place.frame_size]
            return zstandard.ZstdDecompressor().decompress(data)
        except (zstandard.ZstdError, OSError, ValueError) as error:
            raise Corrupt(f"{self._folder} cannot be read: {error}", hint="run `graphsvc index`") from error

    def _file(self, shard: str) -> mmap.mmap:
        if shard not in self._files:
            with (self._folder / f"{shard}.zst").open("rb") as file:
                self._files[shard] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._files[shard]

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files = {}
