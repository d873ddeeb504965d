"""Commands about code: symbols, calls, and the history of files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from graphsvc.cli.output import output_options, print_answer
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import complete, locate

__all__ = ["callees_command", "callers_command", "history_command", "symbol_command"]

_F = TypeVar("_F", bound=Callable[..., Any])

# The name is the end of the qualified name, and the path stands in its own column.
_HIDDEN = frozenset({"id", "of", "qualified_name", "sites"})

_symbol_name = click.argument("name", shell_complete=complete("symbol"))


def _walk_options(command: _F) -> _F:
    """Options of commands that follow calls."""
    limit = click.IntRange(min=1)
    command = click.option("--limit", type=limit, default=200, show_default=True, help="Most rows to show.")(
        command
    )
    return click.option(
        "--depth",
        type=click.IntRange(1, 50),
        default=1,
        show_default=True,
        help="How many calls away to look.",
    )(command)


@click.command("symbol")
@_symbol_name
@output_options
@pass_context
def symbol_command(context: Context, name: str, format_: str | None, output: Path | None) -> None:
    """Show the symbols called NAME.

    NAME is a name (load), a name with what encloses it (Store.load), a qualified name or an id.

    \b
    Example:
      graphsvc symbol Store.load
    """
    hide = {"id", "qualified_name", "end_line"}
    print_answer(context.open().symbol(name), format_=format_, output=output, hide=hide)


@click.command("callers")
@_symbol_name
@_walk_options
@output_options
@pass_context
def callers_command(
    context: Context, name: str, depth: int, limit: int, format_: str | None, output: Path | None
) -> None:
    """Show what calls the symbols called NAME: near before far, sure before unsure.

    \b
    Example:
      graphsvc callers parse_amount
      graphsvc callers Store.load --depth 3 --format json
    """
    answer = context.open().callers(name, depth=depth, limit=limit)
    print_answer(answer, format_=format_, output=output, hide=_HIDDEN)


@click.command("callees")
@_symbol_name
@_walk_options
@output_options
@pass_context
def callees_command(
    context: Context, name: str, depth: int, limit: int, format_: str | None, output: Path | None
) -> None:
    """Show what the symbols called NAME call.

    \b
    Example:
      graphsvc callees main --depth 2
    """
    answer = context.open().callees(name, depth=depth, limit=limit)
    print_answer(answer, format_=format_, output=output, hide=_HIDDEN)


@click.command("history")
@click.argument("path")
@click.option(
    "--repository", metavar="NAME", help="Name of the source, where several repositories have the path."
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most commits to show."
)
@output_options
@pass_context
def history_command(
    context: Context, path: str, repository: str | None, limit: int, format_: str | None, output: Path | None
) -> None:
    """Show the commits that changed PATH, the newest first, back through its renames, with their sessions.

    PATH is relative to the working directory, or to the root of a repository.

    \b
    Example:
      graphsvc history src/parser.py
    """
    kb = context.open()
    place = locate(path, Path.cwd())
    name = repository or kb.name_of(place.work_tree)
    answer = kb.history(place.path, repository=name, limit=limit)
    print_answer(answer, format_=format_, output=output, hide={"checkpoints", "is_withdrawn"})
