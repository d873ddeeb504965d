"""The grammar of the shell, as far as it tells commands apart: POSIX Shell Command Language, sections 2.2 to 2.10.

Nothing is expanded. Arithmetic is not known, and of a command substitution in double quotes only one without quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["Simple", "simple_commands"]

_TOKEN = re.compile(
    r"""(?P<blank>(?:[ \t\r]|\\\n)+)
    | (?P<comment>\#[^\n]*)
    | (?P<here>\d*<<(?!<)-?)
    | (?P<redirection>(?:\d+|&)?(?:>>|>\||>&|<>|<<<|<&|>|<))
    | (?P<operator>&&|\|\||;;|\|&|[;|&()\n])
    | (?P<word>(?>(?:\\.|'[^']*'|\$'(?:\\.|[^'\\])*'|"(?:\\.|\$\([^()"'<]*\)|\$(?!\()|[^"\\$])*"
        |`[^`]*`|\#|[^\s'"`\\;|&()<>\#])+))""",
    re.VERBOSE | re.DOTALL,
)
_SPECIAL = re.compile(r"[\\'\"$`*?\[{]")
_QUOTED = re.compile(r"\\\n|\\(.)|'([^']*)'|\"((?:\\.|[^\"\\])*)\"", re.DOTALL)
_ESCAPED = re.compile(r"\\([\"\\$`])|\\\n", re.DOTALL)
_DYNAMIC = re.compile(r"\\.|'[^']*'|(?P<dynamic>[$`])", re.DOTALL)
_PATTERN = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?P<pattern>[*?\[{])", re.DOTALL)


@dataclass(slots=True)
class Simple:
    """A simple command: its words without quotes, None for one that is not known, and the files of redirections."""

    words: list[str | None] = field(default_factory=list)
    redirected: list[tuple[str | None, str]] = field(default_factory=list)


def simple_commands(command: str) -> Iterator[Simple | str]:
    """Simple commands, and the parentheses around them.

    What follows a quote without its end, or one around a substitution with quotes of its own, is left out.
    """
    simple, position = Simple(), 0
    here: list[tuple[str, bool]] = []
    pending = ""
    while position < len(command):
        found = _TOKEN.match(command, position)
        if found is None:
            return
        kind, token, position = found.lastgroup, found[0], found.end()
        if kind == "here":
            pending = token
        elif kind == "redirection":
            pending = token.lstrip("0123456789&") if token != "&>" else ">"
        elif kind == "word" and pending.endswith(("<<", "<<-")) and pending != "<<<":
            here.append((_unquoted(token), pending.endswith("-")))
            pending = ""
        elif kind == "word" and pending:
            _redirect(simple, pending, token)
            pending = ""
        elif kind == "word":
            simple.words.append(_word(token))
        elif kind == "operator":
            pending = ""
            yield simple
            simple = Simple()
            if token == "\n" and here:
                position = _after_documents(command, position, here)
                here = []
            elif token in "()":
                yield token
    yield simple


def _redirect(simple: Simple, sign: str, token: str) -> None:
    if sign == "<<<" or (sign in (">&", "<&") and token.rstrip("-").isdigit()):
        return
    simple.redirected.append((_word(token), "read" if sign == "<" else "write"))


def _after_documents(command: str, position: int, here: Iterable[tuple[str, bool]]) -> int:
    """Where the command goes on after here-documents, which begin at ``position``."""
    for end, is_indented in here:
        indent = r"\t*" if is_indented else ""
        closing = re.compile(rf"^{indent}{re.escape(end)}$\n?", re.MULTILINE)
        found = closing.search(command, position)
        position = found.end() if found else len(command)
    return position


def _word(token: str) -> str | None:
    """The word without its quotes, None where the shell would put something else in its place."""
    if not _SPECIAL.search(token):
        return token
    if any(found["dynamic"] for found in _DYNAMIC.finditer(token)):
        return None
    if any(found["pattern"] for found in _PATTERN.finditer(token)):
        return None
    return _unquoted(token)


def _unquoted(token: str) -> str:
    if not any(mark in token for mark in "\\'\""):
        return token

    def plain(found: re.Match[str]) -> str:
        escaped, single, double = found.groups()
        if double is not None:
            return _ESCAPED.sub(lambda inner: inner[1] or "", double)
        return escaped or single or ""

    return _QUOTED.sub(plain, token)
