"""Lines of text as provenance compares them: without white space, so that formatting does not matter."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

__all__ = ["LineKey", "is_telling", "line_key", "normalized"]

LineKey = int
"""A signed 64-bit digest of a line without its white space; 0 where nothing else is in it."""

_TELLING = 6
_TELLING_LETTERS = 4
_CACHED = 1 << 17


def normalized(line: str) -> str:
    """The line without any white space.

    >>> normalized("  x  =  f( 1 )\\t")
    'x=f(1)'
    """
    return "".join(line.split())


@lru_cache(maxsize=_CACHED)
def line_key(line: str) -> LineKey:
    """Key of a line: equal where lines differ in white space alone, and on every machine.

    >>> line_key("x = 1") == line_key("\\tx=1"), line_key("   ")
    (True, 0)
    """
    text = normalized(line)
    if not text:
        return 0
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) or 1


def is_telling(line: str) -> bool:
    """A line says enough to be recognized by itself: closing brackets and short words are in every file.

    >>> is_telling("}"), is_telling("else:"), is_telling("return total")
    (False, False, True)
    """
    text = normalized(line)
    return len(text) >= _TELLING and sum(map(str.isalnum, text)) >= _TELLING_LETTERS
