"""A generation's copy of the text in evidence, as it is written there, packed so that a passage is read in a
fraction of a millisecond: canonical packs are large, because they are made to be small on disk and read in bulk.

The file is a run of zstd frames of a few passages each. It is derived, and sealed like the index beside it.
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

_FRAME_BYTES = 192 << 10
_LEVEL = 9
_KEPT_FRAMES = 256


class EvidenceWriter:
    """Writes evidence in the order given. A place is known once its frame is closed, so `add` gives a number
    and `places` the places of all numbers, at the end of each frame.

    Args:
        path: The file, which must not exist.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("xb")
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._open: list[bytes] = []
        self._size = 0
        self._at = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_full(self) -> bool:
        """Whether the open frame should be closed."""
        return self._size >= _FRAME_BYTES

    def add(self, evidence: bytes) -> None:
        """Put evidence into the open frame."""
        self._open.append(evidence)
        self._size += len(evidence)

    def close_frame(self) -> list[Place]:
        """Write the open frame; the places of what was added to it, in order."""
        data = self._compressor.compress(b"".join(self._open))
        self._file.write(data)
        places, start = [], 0
        for evidence in self._open:
            places.append(Place(self._at, len(data), start, start + len(evidence)))
            start += len(evidence)
        self._at += len(data)
        self._open, self._size = [], 0
        return places

    def close(self) -> None:
        """Close the file; what is in an open frame is lost."""
        self._file.close()


class EvidenceReader:
    """Reads evidence by its place, keeping the frames used last unpacked.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._name = str(path)
        with path.open("rb") as file:
            is_empty = path.stat().st_size == 0
            self._data = None if is_empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._frames: OrderedDict[int, bytes] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def read(self, place: Place) -> bytes:
        """The bytes at a place.

        Raises:
            Corrupt: The file is damaged.
        """
        frame = self._frames.get(place.frame_start)
        if frame is None:
            frame = self._unpack(place)
            self._frames[place.frame_start] = frame
            if len(self._frames) > _KEPT_FRAMES:
                self._frames.popitem(last=False)
        else:
            self._frames.move_to_end(place.frame_start)
        return frame[place.start : place.end]

    def _unpack(self, place: Place) -> bytes:
        data = (
            b""
            if self._data is None
            else self._data[place.frame_start : place.frame_start + place.frame_size]
        )
        try:
            return zstandard.ZstdDecompressor().decompress(data)
        except zstandard.ZstdError as error:
            raise Corrupt(f"{self._name} cannot be read: {error}", hint="run `graphsvc rebuild`") from error

    def close(self) -> None:
        """Close the file."""
        if self._data is not None:
            self._data.close()
