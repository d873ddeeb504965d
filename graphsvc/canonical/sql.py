"""SQL kept in files of its own, so that people can read and run it.

A file begins with a header: comment lines that say its purpose, its parameters and its columns.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from graphsvc.errors import NotFound

__all__ = ["header", "load", "statement"]


@cache
def load(package: str, name: str) -> str:
    """Text of a file of a package, for example ``load("graphsvc.canonical", "macros.sql")``.

    Raises:
        NotFound: The package has no such file.
    """
    path = files(package).joinpath(name)
    if not path.is_file():
        raise NotFound(f"{package} has no file {name}", hint="reinstall graphsvc: a part of it is missing")
    return path.read_text(encoding="utf-8")


def statement(name: str) -> str:
    """Text of one of the canonical store's own statements, ``statements/NAME.sql``."""
    return load("graphsvc.canonical", f"statements/{name}.sql")


def header(text: str) -> str:
    """The comment lines that a SQL or Cypher file begins with, without their comment marks.

    >>> header("-- Purpose: all commits.\\n-- Columns: oid\\nSELECT oid FROM commit;")
    'Purpose: all commits.\\nColumns: oid'
    """
    lines = []
    for line in text.splitlines():
        if not line.startswith(("--", "//")):
            break
        lines.append(line[2:].strip())
    return "\n".join(lines)
