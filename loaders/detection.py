"""Which language a file is in, and whether it is worth reading.

>>> language_of("cmd/tool", b"#!/usr/bin/env python3\\n")
'python'
>>> skip_reason("web/node_modules/a/index.js", b"var a;\\n")
'vendored'
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from loaders.extraction import Language
from loaders.resolution import MANIFESTS

__all__ = [
    "HEAD_BYTES",
    "MAX_BYTES",
    "SKIP_REASONS",
    "Fate",
    "count_lines",
    "fate",
    "fate_unread",
    "language_of",
    "skip_reason",
]

MAX_BYTES = 1 << 20
"""Files above this size are not parsed."""

HEAD_BYTES = 8000
"""How much of a file is looked at, as git does to tell binary files."""

SKIP_REASONS = {
    "too_large": "it is larger than the byte cap",
    "vendored": "a folder of its path holds code of other projects",
    "binary": "zero bytes abound in its head",
    "minified": "its lines are too long to be written by hand",
    "generated": "its name or head says that a program wrote it",
}
"""Each reason for which a file is not parsed, and what it means."""

_VENDORED = re.compile(
    r"(?:^|/)(?:_?vendor|vendored|third[_-]?party|node_modules|bower_components|site-packages|Godeps)/"
)
_GENERATED_NAME = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.gw)?\.go|\.pb\.(?:cc|h)|\.g\.cs|\.designer\.cs)\Z", re.I
)
_MINIFIED_NAME = re.compile(r"[.-]min\.(?:js|mjs|cjs|css)\Z", re.I)
_GENERATED = re.compile(
    rb"^\W*(?:Code generated .* DO NOT EDIT|.*@generated\b|"
    rb".*\bgenerated\b.*\bdo not (?:edit|modify)|.*\bdo not (?:edit|modify)\b.*\bgenerated\b)",
    re.I | re.M,
)
_GENERATED_HEAD = 2000
_MINIFIED_BYTES, _MINIFIED_LINE = 8000, 500
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?:\S*/)?([\w.+-]+)")


def language_of(path: str, head: bytes) -> str | None:
    """Name of the language of a file, or None where no table reads it.

    Args:
        path: Path of the file; only its last element matters.
        head: The first bytes of the file; its ``#!`` line decides where the name does not.
    """
    name = posixpath.basename(path)
    extension = posixpath.splitext(name)[1].lower()
    candidates = _by_name().get(name) or _by_name().get(extension) or ()
    for language in candidates:
        if language.marks is not None and language.marks.search(head):
            return language.name
    for language in candidates:
        if language.marks is None:
            return language.name
    return None if extension else _by_interpreter(head)


def _by_interpreter(head: bytes) -> str | None:
    found = _SHEBANG.match(head)
    program = found[1].decode("ascii", "replace").rstrip("0123456789.") if found else ""
    return next((language.name for language in _languages() if program in language.interpreters), None)


def _languages() -> Iterator[Language]:
    from loaders.languages import LANGUAGES

    yield from LANGUAGES.values()


@cache
def _by_name() -> dict[str, tuple[Language, ...]]:
    names: dict[str, tuple[Language, ...]] = {}
    for language in _languages():
        for name in (*language.extensions, *language.filenames):
            names[name] = (*names.get(name, ()), language)
    return names


def skip_reason(path: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> str | None:
    """Why a file is not to be parsed, one of :data:`SKIP_REASONS`; None where it is.

    Args:
        path: Path from the root of the repository.
        data: Bytes of the file.
        max_bytes: Size above which a file is too large.
    """
    if len(data) > max_bytes:
        return "too_large"
    if _VENDORED.search(path):
        return "vendored"
    head = data[:HEAD_BYTES]
    if head.count(0) * 100 > len(head):  # a stray zero byte is a fault of a text, not a sign of a binary
        return "binary"
    long_lines = len(data) > _MINIFIED_BYTES and len(data) > _MINIFIED_LINE * (data.count(b"\n") + 1)
    if long_lines or _MINIFIED_NAME.search(path):
        return "minified"
    if _GENERATED_NAME.search(path) or _GENERATED.search(data[:_GENERATED_HEAD]):
        return "generated"
    return None


class Fate(NamedTuple):
    """What is done with a file.

    Attributes:
        status: ``parsed`` where it is to be parsed, ``manifest`` where its bytes are kept, or ``skipped``.
        language: Name of its language, None where no table reads it.
        reason: Why it is skipped: one of :data:`SKIP_REASONS`, or ``no_language``.
    """

    status: str
    language: str | None
    reason: str | None = None


def fate_unread(path: str, size: int | None) -> Fate | None:
    """What is done with a file, where its path and size (in bytes) say so; None where its bytes must be looked at.

    >>> fate_unread("logo.png", 9000), fate_unread("cart.py", 900)
    (Fate(status='skipped', language=None, reason='no_language'), None)
    """
    name = posixpath.basename(path)
    if name in MANIFESTS:
        return None
    language = language_of(path, b"")
    if language is None and "." in name[1:]:
        return Fate("skipped", None, "no_language")
    reason = skip_reason(path, b"") or ("too_large" if (size or 0) > MAX_BYTES else None)
    return Fate("skipped", language, reason) if reason else None


def fate(path: str, data: bytes) -> Fate:
    """What is done with a file that `fate_unread` leaves open, by its bytes."""
    language = language_of(path, data)
    if posixpath.basename(path) in MANIFESTS:
        return Fate("manifest", language)
    if language is None:
        return Fate("skipped", None, "no_language")
    reason = skip_reason(path, data)
    return Fate("skipped", language, reason) if reason else Fate("parsed", language)


def count_lines(data: bytes) -> int:
    r"""Number of lines, the last one terminated or not.

    >>> count_lines(b""), count_lines(b"a"), count_lines(b"a\n"), count_lines(b"a\nb")
    (0, 1, 1, 2)
    """
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
