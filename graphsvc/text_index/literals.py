r"""Text inside evidence: which bytes of it are text, what they say, and where a literal stands in them.

Evidence of a transcript is JSON, where one character can be written in several ways. A literal is found in every
one of them, and the range given is the range of the bytes as they are stored.

>>> evidence = b'{"type": "text", "text": "caf\\u00e9 \\"open\\""}'
>>> runs = json_runs(evidence)
>>> [evidence[a:b] for a, b in runs]
[b'caf\\u00e9 \\"open\\"']
>>> literal = Literal('\u00e9 "')
>>> [evidence[a:b] for a, b in literal.ranges(evidence, runs, is_json=True)]
[b'\\u00e9 \\"']
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

import orjson

__all__ = ["Literal", "Run", "decoded", "json_runs", "matches"]

Run = tuple[int, int]

_STRING = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?', re.DOTALL)
_UNIT = re.compile(
    rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*|.", re.DOTALL
)
_INSIDE_UNICODE = re.compile(rb"\\u[0-9a-fA-F]{0,3}\Z")
_OPAQUE_LENGTH = 2000
_OPAQUE = re.compile(rb"[A-Za-z0-9+/=_-]+")
_NOT_TEXT = frozenset(
    b"type id tool_use_id call_id callId role signature thoughtSignature encrypted_content media_type".split()
)
_SHORT_ESCAPES = {'"': b'\\\\"', "\\": rb"\\\\", "\n": rb"\\n", "\r": rb"\\r", "\t": rb"\\t",
                  "\b": rb"\\b", "\f": rb"\\f"}  # fmt: skip


def json_runs(evidence: bytes) -> list[Run]:
    """The contents of the strings in JSON that are text: no keys, no ids of the format, no opaque data."""
    runs, key = [], b""
    for found in _STRING.finditer(evidence):
        if found[2]:
            key = found[1]
        elif found[1] and key not in _NOT_TEXT and not _is_opaque(found[1]):
            runs.append(found.span(1))
    return runs


def _is_opaque(value: bytes) -> bool:
    """Whether it is an encoded file: long, without a space."""
    return len(value) >= _OPAQUE_LENGTH and _OPAQUE.fullmatch(value) is not None


def decoded(evidence: bytes, runs: Iterable[Run], *, is_json: bool) -> list[str]:
    """What the runs say; bytes that are no text become U+FFFD."""
    return [_decode(evidence[start:end], is_json) for start, end in runs]


def _decode(raw: bytes, is_json: bool) -> str:
    if not is_json or b"\\" not in raw:
        return raw.decode("utf-8", "replace")
    quoted = b'"' + raw + b'"'
    try:
        return str(orjson.loads(quoted))
    except orjson.JSONDecodeError:
        pass
    try:
        text = str(json.loads(quoted.decode("utf-8", "replace"), strict=False))
    except json.JSONDecodeError:
        return raw.decode("utf-8", "replace")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Literal:
    """A text to find as it stands, case and all.

    Args:
        text: The text; not empty.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = re.compile(re.escape(text.encode("utf-8", "surrogatepass")))
        self._json = re.compile(b"".join(map(_written, text)))

    def ranges(self, evidence: bytes, runs: Sequence[Run], *, is_json: bool) -> Iterator[Run]:
        """Byte ranges in ``evidence`` where it stands, in order, none overlapping another."""
        pattern = self._json if is_json else self._plain
        if pattern.search(evidence) is None:
            return
        for start, end in runs:
            at = start
            while found := pattern.search(evidence, at, end):
                if is_json and _is_inside_escape(evidence, start, found.start()):
                    at = found.start() + 1
                    continue
                yield found.span()
                at = found.end()


def _written(character: str) -> bytes:
    """Pattern of all ways in which JSON can write a character."""
    code = ord(character)
    units = [code] if code < 0x10000 else [0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF)]
    escaped = b"".join(b"\\\\u(?i:%04x)" % unit for unit in units)
    if character in _SHORT_ESCAPES:
        return b"(?:%s|%s)" % (_SHORT_ESCAPES[character], escaped)
    raw = re.escape(character.encode("utf-8", "surrogatepass"))
    if character == "/":
        return b"(?:/|\\\\/|%s)" % escaped
    if (character.isalnum() and character.isascii()) or character == " ":
        return raw
    return b"(?:%s|%s)" % (raw, escaped)


def _is_inside_escape(evidence: bytes, start: int, position: int) -> bool:
    """Whether a match begins in the middle of an escape, where its first character is not written."""
    before = evidence[start:position][-6:] if position - start < 6 else evidence[position - 6 : position]
    if partial := _INSIDE_UNICODE.search(before):
        return _is_escape(evidence, start, position - len(before) + partial.start())
    return (
        evidence[position - 1 : position] == b"\\"
        and position > start
        and _is_escape(evidence, start, position - 1)
    )


def _is_escape(evidence: bytes, start: int, backslash: int) -> bool:
    """Whether the backslash begins an escape, rather than being the second half of an escaped one."""
    first = backslash
    while first > start and evidence[first - 1] == 0x5C:
        first -= 1
    return (backslash - first) % 2 == 0


def matches(
    pattern: re.Pattern[str], evidence: bytes, runs: Iterable[Run], *, is_json: bool
) -> Iterator[Run]:
    """Byte ranges of the matches of a pattern in what each run says; empty matches are no matches.

    >>> evidence = b'{"text": "a\\\\nb1"}'
    >>> [evidence[a:b] for a, b in matches(re.compile(r"\\s\\w"), evidence, json_runs(evidence), is_json=True)]
    [b'\\\\nb']
    """
    for start, end in runs:
        raw = evidence[start:end]
        text = _decode(raw, is_json)
        starts: list[int] | None = None
        for found in pattern.finditer(text):
            if found.start() == found.end():
                continue
            if starts is None:
                starts = _character_starts(raw, is_json)
            if len(starts) != len(text) + 1:
                yield start, end  # bytes that are no text: no character has a place of its own
                break
            yield start + starts[found.start()], start + starts[found.end()]


def _character_starts(raw: bytes, is_json: bool) -> list[int]:
    """Where each character of the text begins in its bytes, and where the last one ends."""
    if not is_json and raw.isascii():
        return list(range(len(raw) + 1))
    if not is_json:
        return [i for i, byte in enumerate(raw) if byte & 0xC0 != 0x80] + [len(raw)]
    return [unit.start() for unit in _UNIT.finditer(raw)] + [len(raw)]
