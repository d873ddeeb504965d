"""What a ``read`` result states about the file it read, and entries that withdraw such statements.

A statement that breaks a rule is none: it is skipped, as the software that writes it does.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphsvc.memory.trust.entries import Entry

__all__ = [
    "LEGACY_MODES",
    "Invalidation",
    "ReadBlock",
    "is_scope_key",
    "lexical_path",
    "parse_block",
    "parse_invalidation",
    "scope_key",
]

Mode = Literal["full", "unchanged", "unchanged_range", "diff", "baseline_fallback"]

ANCHORS = frozenset({"full", "baseline_fallback"})
"""Modes that show the content itself."""

DERIVED = frozenset({"unchanged", "unchanged_range", "diff"})
"""Modes that refer to content shown before."""

LEGACY_MODES: Mapping[str, Mode] = {"full_fallback": "baseline_fallback"}
"""Names that versions 0.1 of the software gave; for readers that want to honour them."""

_RANGE = re.compile("r:([0-9]+):([0-9]+)")
_MOST = 10**18
"""Lines or bytes beyond any file: larger numbers, which the host takes as well, count as this one."""
_REASONS = frozenset(
    {
        "no_base_hash",
        "hash_match",
        "base_object_missing",
        "range_slice_unchanged",
        "range_slice_changed",
        "diff_file_too_large_bytes",
        "diff_file_too_large_lines",
        "diff_unavailable_or_empty",
        "diff_not_useful",
        "diff_payload_truncated",
        "diff_emitted",
        "bypass_cache",
    }
)


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """What one read result states.

    Attributes:
        entry_id: Entry that carries it.
        path_key: Path as the tool resolved it; compared as it is.
        scope_key: ``full``, or ``r:<first>:<last>`` for a range of lines.
        mode: What was shown.
        served_hash: SHA-256 of the whole file when it was read.
        base_hash: SHA-256 of the file that the result is based on.
        total_lines: Lines of the whole file.
        first_line: First line that was asked for, from 1.
        last_line: Last one.
        size: Bytes of the whole file.
        shown_last: Last line that was really shown; before ``first_line`` where none was.
        shown_bytes: Bytes of text that the result consists of.
    """

    entry_id: str
    path_key: str
    scope_key: str
    mode: Mode
    served_hash: str
    base_hash: str | None
    total_lines: int
    first_line: int
    last_line: int
    size: int
    shown_last: int
    shown_bytes: int

    @property
    def is_anchor(self) -> bool:
        """Whether the result shows the content itself."""
        return self.mode in ANCHORS

    @property
    def saved_bytes(self) -> int:
        """Estimate of the bytes that the agent was spared; 0 where nothing was shown at all."""
        asked = min(1.0, (self.last_line - self.first_line + 1) / self.total_lines)
        base = max(1, int(self.size * asked + 0.5))
        return max(0, base - self.shown_bytes) if self.shown_bytes > 0 else 0


@dataclass(frozen=True, slots=True)
class Invalidation:
    """An entry that withdraws the trust in a path or in one range of its lines."""

    entry_id: str
    path_key: str
    scope_key: str


def is_scope_key(value: Any) -> bool:
    """Whether this is ``full`` or a range of lines; numbers may have leading zeros and any length.

    >>> is_scope_key("r:02:4"), is_scope_key("r:5:4"), is_scope_key("r:1:2\\n")
    (True, False, False)
    """
    if not isinstance(value, str):
        return False
    match = _RANGE.fullmatch(value)
    if match is None:
        return value == "full"
    first, last = (float(digits) for digits in match.groups())
    return 1 <= first <= last


def scope_key(total_lines: int, offset: int | None = None, limit: int | None = None) -> str:
    """The scope of a request, as the tool derives it.

    Args:
        total_lines: Lines of the file now.
        offset: First line, from 1.
        limit: Number of lines.

    >>> scope_key(4, 1, 9), scope_key(4, 2, 2)
    ('full', 'r:2:3')
    """
    first = 1 if offset is None else offset
    last = total_lines if limit is None else min(first + limit - 1, total_lines)
    return "full" if (first, last) == (1, total_lines) else f"r:{first}:{last}"


def lexical_path(path_key: str) -> str:
    """The path with its dot segments collapsed, to meet paths of other sources; links are not resolved.

    >>> lexical_path("/w/sub/../x.txt")
    '/w/x.txt'
    """
    return posixpath.normpath(path_key)


def parse_block(entry: Entry, aliases: Mapping[str, Mode] | None = None) -> ReadBlock | None:
    """What a read result states; None where the entry is none or its statement breaks a rule.

    Args:
        entry: Any entry.
        aliases: Further names of modes, for example :data:`LEGACY_MODES`.
    """
    message = entry.body.get("message")
    if entry.type != "message" or not isinstance(message, dict):
        return None
    details = message.get("details")
    if (
        message.get("role") != "toolResult"
        or message.get("toolName") != "read"
        or not isinstance(details, dict)
    ):
        return None
    meta = details.get("readcache")
    if not isinstance(meta, dict) or not _is_valid(meta, mode := _mode(meta, aliases or {})):
        return None
    first, last, total, size = (
        min(int(meta[name]), _MOST) for name in ("rangeStart", "rangeEnd", "totalLines", "bytes")
    )
    return ReadBlock(
        entry_id=entry.id,
        path_key=meta["pathKey"],
        scope_key=meta["scopeKey"],
        mode=mode,  # type: ignore[arg-type]  # _is_valid has compared it with the modes there are
        served_hash=meta["servedHash"],
        base_hash=meta.get("baseHash"),
        total_lines=total,
        first_line=first,
        last_line=last,
        size=size,
        shown_last=_shown_last(first, last, details.get("truncation")) if mode in ANCHORS else first - 1,
        shown_bytes=_text_bytes(message.get("content")),
    )


def _mode(meta: Mapping[str, Any], aliases: Mapping[str, Mode]) -> str | None:
    mode = meta.get("mode")
    return aliases.get(mode, mode) if isinstance(mode, str) else None


def _is_valid(meta: Mapping[str, Any], mode: str | None) -> bool:
    return (
        _integer(meta.get("v")) == 1
        and _is_filled(meta.get("pathKey"))
        and is_scope_key(meta.get("scopeKey"))
        and _is_filled(meta.get("servedHash"))
        and (_is_filled(meta.get("baseHash")) or (mode in ANCHORS and "baseHash" not in meta))
        and mode in ANCHORS | DERIVED
        and all(_is_at_least(meta.get(name), 1) for name in ("totalLines", "rangeStart", "rangeEnd"))
        and meta["rangeEnd"] >= meta["rangeStart"]
        and _is_at_least(meta.get("bytes"), 0)
        and ("debug" not in meta or _is_valid_debug(meta["debug"]))
    )


def _is_valid_debug(debug: Any) -> bool:
    return (
        isinstance(debug, dict)
        and isinstance(debug.get("reason"), str)
        and debug["reason"] in _REASONS
        and debug.get("scope") in ("full", "range")
        and all(isinstance(debug.get(name), bool) for name in ("baseHashFound", "diffAttempted"))
        and all(
            isinstance(debug.get(name, False), bool) for name in ("outsideRangeChanged", "baseObjectFound")
        )
        and all(_is_at_least(debug.get(name, 1), 1) for name in ("largestBytes", "maxLines"))
        and all(_is_at_least(debug.get(name, 0), 0) for name in ("diffBytes", "diffChangedLines"))
    )


def _is_filled(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _integer(value: Any) -> int | None:
    """The integer that a JSON number means to the host: 10.0 and 1e1 are 10, true and 1e999 are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if abs(value) <= sys.float_info.max and value == int(value) else None


def _is_at_least(value: Any, minimum: int) -> bool:
    integer = _integer(value)
    return integer is not None and integer >= minimum


def _shown_last(first: int, last: int, truncation: Any) -> int:
    """The last line that reached the agent: the host cuts long results and says after how many lines."""
    if not isinstance(truncation, dict) or truncation.get("truncated") is False:
        return last
    lines = _integer(truncation.get("outputLines"))
    return last if lines is None or lines < 0 else min(last, first + lines - 1)


def _text_bytes(content: Any) -> int:
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return sum(len(text.encode(errors="surrogatepass")) for text in texts if isinstance(text, str))


def parse_invalidation(entry: Entry) -> Invalidation | None:
    """The withdrawal that an entry states; None where it is none or breaks a rule."""
    data = entry.body.get("data")
    if entry.type != "custom" or entry.body.get("customType") != "pi-readcache" or not isinstance(data, dict):
        return None
    if (
        _integer(data.get("v")) != 1
        or data.get("kind") != "invalidate"
        or not _is_filled(data.get("pathKey"))
        or not is_scope_key(data.get("scopeKey"))
        or not _is_at_least(data.get("at"), 1)
    ):
        return None
    return Invalidation(entry.id, data["pathKey"], data["scopeKey"])
