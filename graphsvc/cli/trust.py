"""The command about reads that can be trusted."""

from __future__ import annotations

from pathlib import Path

import click

from graphsvc.cli.output import output_options, print_answer
from graphsvc.cli.root import Context, pass_context

__all__ = ["trust_command"]


@click.command("trust")
@click.argument("session")
@click.argument("path", required=False)
@click.option("--leaf", metavar="ID", help="Entry to look from [the one that the host goes on from].")
@click.option(
    "--strict",
    "is_strict",
    is_flag=True,
    help="Take no trust from reads that a later edit of the context replaced.",
)
@output_options
@pass_context
def trust_command(
    context: Context,
    session: str,
    path: str | None,
    leaf: str | None,
    is_strict: bool,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show which of its reads SESSION can still trust, and whether the files have changed since.

    With PATH, only files whose path ends with it. The beginning of a session's id is enough.

    \b
    Example:
      graphsvc trust 019a4c src/parser.py
    """
    answer = context.open().trust(session, path=path, leaf=leaf, is_strict=is_strict)
    print_answer(answer, format_=format_, output=output)
