"""What a Cypher statement may do, judged before the engine sees it.

The engine refuses to change a graph that is open read-only. It does not refuse to write and read other files
(``COPY ... TO``, ``EXPORT DATABASE``, ``LOAD FROM``), to load code (``INSTALL``, ``LOAD``, ``ATTACH``), to
change its own settings (``CALL threads = 8``) or to leave a transaction open, and it takes a parameter
without a value for null, which can turn a filter into none. So a statement must begin as a query does, calls
only functions that read, and gets exactly the parameters that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from graphsvc.errors import Denied, InvalidInput

__all__ = ["check_parameters", "check_reads_only"]

# Comments end at either line ending, so that no line that the engine may read is taken for a comment.
_TOKEN = re.compile(
    r"""
    (?P<blank>      \s+ | //[^\r\n]* | /\*.*?\*/ )
  | (?P<string>     '(?:\\.|[^'\\])*' | "(?:\\.|[^"\\])*" )
  | (?P<identifier> `[^`]*` )
  | (?P<parameter>  \$(?: \w+ | `[^`]*` ) )
  | (?P<word>       [^\W\d]\w* )
  | (?P<sign>       . )
    """,
    re.VERBOSE | re.DOTALL,
)

_OPENINGS = frozenset({"MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL"})
_PREFIXES = frozenset({"EXPLAIN", "PROFILE", "LOGICAL"})
_READING_FUNCTIONS = frozenset(
    {
        "CATALOG_VERSION",
        "CURRENT_SETTING",
        "DB_VERSION",
        "SHOW_CONNECTION",
        "SHOW_FUNCTIONS",
        "SHOW_INDEXES",
        "SHOW_TABLES",
        "STATS_INFO",
        "STORAGE_INFO",
        "TABLE_INFO",
    }
)

_HINT = (
    "read the graph with MATCH ... RETURN; save answers with --format, change the graph by `graphsvc rebuild`"
)


class _Token(NamedTuple):
    kind: str
    text: str


def check_reads_only(cypher: str) -> None:
    """Passes one statement that does nothing but read the graph.

    Raises:
        InvalidInput: There is no statement, or more than one, or it is no Unicode text.
        Denied: It begins with something else than a query does, reads another file or calls a function that
            is not known to do nothing but read.

    >>> check_reads_only("MATCH (n) RETURN n.load")
    >>> check_reads_only("COPY (MATCH (n) RETURN n.id) TO 'ids.csv'")
    Traceback (most recent call last):
    ...
    graphsvc.errors.Denied: COPY does more than read the graph
    """
    try:
        cypher.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("the statement is not UTF-8", hint="write it in Unicode text") from error
    tokens = list(_tokens(cypher))
    while tokens and tokens[-1].text == ";":
        tokens.pop()
    if not tokens:
        raise InvalidInput("the statement is empty", hint="give a Cypher query: MATCH ... RETURN ...")
    if any(token == _Token("sign", ";") for token in tokens):
        raise InvalidInput("more than one statement was given", hint="run one statement at a time")
    words = [token.text.upper() for token in tokens]
    opening = next((word for word in words if word not in _PREFIXES), words[0])
    if opening not in _OPENINGS:
        raise Denied(f"{opening} does more than read the graph", hint=_HINT)
    _check_clauses(tokens)


def check_parameters(cypher: str, given: Iterable[str]) -> None:
    """Passes a statement that names exactly the given parameters.

    Raises:
        InvalidInput: A parameter has no value, or a value no parameter.

    >>> check_parameters("MATCH (n {id: $id}) RETURN n", ["id"])
    """
    named = {token.text.strip("$`") for token in _tokens(cypher) if token.kind == "parameter"}
    given = set(given)
    if named - given:
        missing = ", ".join(f"${name}" for name in sorted(named - given))
        raise InvalidInput(f"no value is given for {missing}", hint="give every parameter a value")
    if given - named:
        extra = ", ".join(sorted(given - named))
        raise InvalidInput(
            f"the statement has no parameter {extra}", hint="write $name where the value belongs"
        )


def _tokens(cypher: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(cypher):
        if match.lastgroup != "blank":
            yield _Token(str(match.lastgroup), match.group())


def _check_clauses(tokens: list[_Token]) -> None:
    """Refuses the clauses that reach beyond the graph, wherever in the statement they stand."""
    end = _Token("sign", "")
    padded = [end, *tokens, end, end]
    for before, token, after, second in zip(padded, tokens, padded[2:], padded[3:], strict=False):
        words = [part.text.upper() for part in (token, after, second)]
        if token.kind == "word" and (words[:2] == ["LOAD", "FROM"] or words == ["LOAD", "WITH", "HEADERS"]):
            raise Denied("LOAD FROM reads another file than the graph", hint=_HINT)
        is_call = token.kind == "word" and words[0] == "CALL" and before.text not in (".", ":")
        reads = words[2] == "(" and words[1].strip("`") in _READING_FUNCTIONS
        if is_call and words[2] in ("(", "=") and not reads:
            raise Denied(f"CALL {after.text} is not known to do nothing but read the graph", hint=_HINT)
