"""Exact bytes of an evidence span, named as people and other commands write it."""

from __future__ import annotations

import re

from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, InvalidInput, NotFound
from graphsvc.ids import SegmentId

__all__ = ["evidence"]

_SPAN = re.compile(r"([0-9a-f]{6,64})(?::([0-9]{1,18})-([0-9]{1,18}))?")
_FIND = "SELECT segment, byte_count FROM segment WHERE starts_with(segment, $prefix) ORDER BY segment LIMIT 6"


def evidence(reader: Reader, span: str) -> bytes:
    """Bytes of ``SEGMENT:START-END``, or of a whole ``SEGMENT``; a unique beginning of the segment's id is enough.

    Raises:
        InvalidInput: It is not of that form, or lies outside the segment.
        NotFound: The store has no such segment.
        Ambiguous: Several segments begin so.
    """
    form = _SPAN.fullmatch(span)
    if form is None:
        raise InvalidInput(f"{span!r} is not an evidence span", hint="write SEGMENT:START-END")
    prefix, start, end = form.groups()
    found = reader.rows(_FIND, {"prefix": prefix})
    if not found:
        raise NotFound(f"the store has no segment {prefix}")
    if len(found) > 1:
        raise Ambiguous(f"several segments begin with {prefix}", candidates=[row[0] for row in found[:5]])
    [(segment, size)] = found
    first, last = (0, size) if start is None else (int(start), int(end))
    if not first <= last <= size:
        raise InvalidInput(f"{first}-{last} lies outside the segment", hint=f"it has {size} bytes")
    return reader.spans([Span(SegmentId(segment), first, last)])[0]
