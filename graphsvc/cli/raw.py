"""Commands that run queries: named ones, Cypher and SQL."""

from __future__ import annotations

from pathlib import Path

import click

from graphsvc.cli.output import output_options, print_answer
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import complete
from graphsvc.errors import InvalidInput

__all__ = ["cypher_command", "query_command", "sql_command"]


def _parameters(pairs: tuple[str, ...]) -> dict[str, str]:
    split = [pair.partition("=") for pair in pairs]
    if wrong := [pair for pair, (_, equals, _) in zip(pairs, split, strict=True) if not equals]:
        raise InvalidInput(f"parameter {wrong[0]!r} is not NAME=VALUE", hint="write --param limit=20")
    return {name: value for name, _, value in split}


_param = click.option(
    "--param", "-p", "params", multiple=True, metavar="NAME=VALUE", help="Value of a parameter."
)


@click.command("query")
@click.argument("name", required=False, shell_complete=complete("query"))
@_param
@output_options
@pass_context
def query_command(
    context: Context, name: str | None, params: tuple[str, ...], format_: str | None, output: Path | None
) -> None:
    """Run the query called NAME, or list all queries when none is named.

    \b
    Example:
      graphsvc query
      graphsvc query top_tools --param limit=5
    """
    kb = context.open()
    answer = kb.queries() if name is None else kb.query(name, _parameters(params))
    print_answer(answer, format_=format_, output=output)


@click.command("cypher")
@click.argument("statement")
@_param
@output_options
@pass_context
def cypher_command(
    context: Context, statement: str, params: tuple[str, ...], format_: str | None, output: Path | None
) -> None:
    """Run a read-only Cypher STATEMENT on the published graph.

    \b
    Example:
      graphsvc cypher 'MATCH (s:Session) RETURN s.agent, count(*) AS sessions'
    """
    print_answer(context.open().cypher(statement, _parameters(params)), format_=format_, output=output)


@click.command("sql")
@click.argument("statement")
@_param
@output_options
@pass_context
def sql_command(
    context: Context, statement: str, params: tuple[str, ...], format_: str | None, output: Path | None
) -> None:
    """Run a read-only SQL STATEMENT on the canonical events; docs/kinds.md has their tables.

    \b
    Example:
      graphsvc sql 'SELECT name, count(*) AS calls FROM tool_call GROUP BY name ORDER BY calls DESC'
    """
    print_answer(context.open().sql(statement, _parameters(params)), format_=format_, output=output)
