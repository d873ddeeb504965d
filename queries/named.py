"""Named queries: SQL and Cypher files in ``queries/catalogue`` that people can read, run and add to.

A file begins with a header::

    -- Question: which tools do agents use most?
    -- Parameters: since = null (a day or time in UTC), limit = 20
    -- Columns: name, calls, failed
    -- Notes: what else a reader of the answer should know

``.sql`` files run on the canonical events and their views, ``.cypher`` files (header marks ``//``) on the
published graph. A parameter has a default, whose type its values take; ``null`` means text that may be left out.
What stands in brackets is for people; a file without parameters or notes says ``none`` or leaves the line out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from graphsvc.canonical.sql import header
from graphsvc.errors import InvalidInput, NotFound

__all__ = ["NamedQuery", "named_queries", "named_query"]

_FIELDS = frozenset({"Question", "Parameters", "Columns", "Notes"})
_ASSIGNMENT = re.compile(r"(\w+) = ('[^']*'|[-+.\w]+)")


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """One file of the catalogue.

    Attributes:
        name: The file's name without its ending.
        language: ``sql`` or ``cypher``.
        question: What it answers, from the header.
        parameters: Default value of each parameter.
        columns: What a row holds, from the header.
        notes: What else a reader of the answer should know, from the header.
        text: The whole file.
    """

    name: str
    language: str
    question: str
    parameters: Mapping[str, Any]
    columns: str
    notes: str
    text: str

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values of all parameters: those given, as the type of their default, else the defaults.

        Raises:
            InvalidInput: There is no such parameter, or a value has another type.
        """
        if unknown := sorted(set(given) - set(self.parameters)):
            known = ", ".join(self.parameters) or "none"
            raise InvalidInput(f"query {self.name} has no parameter {unknown[0]}", hint=f"it has: {known}")
        return {
            name: _as_type(name, given.get(name, default), default)
            for name, default in self.parameters.items()
        }


def _as_type(name: str, value: Any, default: Any) -> Any:
    if default is None or value is None or isinstance(value, type(default)):
        return value
    try:
        return type(default)(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"parameter {name} is {value!r}", hint=f"give a value like {default!r}") from None


def _default(text: str) -> Any:
    """Value of a default: a number, quoted text or null.

    >>> _default("20"), _default("0.5"), _default("'main'"), _default("null")
    (20, 0.5, 'main', None)
    """
    text = text.strip()
    if text == "null":
        return None
    if text.startswith("'"):
        return text.strip("'")
    return float(text) if "." in text else int(text)


def _parse(name: str, language: str, text: str) -> NamedQuery:
    fields: dict[str, str] = {}
    key = ""
    for line in header(text).splitlines():
        start, colon, rest = line.partition(": ")
        if colon and start in _FIELDS:
            key, line = start, rest
        fields[key] = f"{fields[key]} {line}" if key in fields else line
    parameters = {k: _default(v) for k, v in _ASSIGNMENT.findall(fields.get("Parameters", ""))}
    return NamedQuery(
        name,
        language,
        question=fields.get("Question", ""),
        parameters=parameters,
        columns=fields.get("Columns", ""),
        notes=fields.get("Notes", ""),
        text=text,
    )


@cache
def named_queries() -> Mapping[str, NamedQuery]:
    """All named queries by name."""
    found = {}
    for path in sorted(files("queries").joinpath("catalogue").iterdir(), key=lambda path: path.name):
        name, _, language = path.name.rpartition(".")
        if language in {"sql", "cypher"}:
            found[name] = _parse(name, language, path.read_text(encoding="utf-8"))
    return found


def named_query(name: str) -> NamedQuery:
    """One named query.

    Raises:
        NotFound: There is none of that name.
    """
    try:
        return named_queries()[name]
    except KeyError:
        raise NotFound(f"there is no query {name!r}", hint="run `graphsvc query` to list them") from None
