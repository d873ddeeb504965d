"""Lines of text as provenance compares them: without white space, so that formatting does not matter."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

__all__ = ["LineKey", "is_prose", "is_telling", "line_key", "normalized"]

LineKey = int
"""A signed 64-bit digest of a line without its white space; 0 where nothing else is in it."""

_TELLING = 6
_TELLING_LETTERS = 4
_CACHED = 1 << 17
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
_COMMENT = re.compile(r"\s*(//|#(?!(include|define|if|endif|else)\b)|/\*|\*|--|;)")


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


def is_prose(path: str, line: str) -> bool:
    """A line of a file is for people to read: a comment that fills it, or part of a document, and says something.

    >>> is_prose("a.go", "\t// Lines end with LF."), is_prose("a.go", "x := 1"), is_prose("README.md", "Read me")
    (True, False, True)
    >>> is_prose("a.c", "#include <stdio.h>"), is_prose("a.py", "# ----------")
    (False, False)
    """
    is_readable = path.lower().endswith(_DOCUMENTS) or _COMMENT.match(line) is not None
    return is_readable and is_telling(line)
