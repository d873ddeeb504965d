"""Commands about code: symbols, calls, what a change touches, the shape of the code, and its history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from graphsvc.cli.output import output_options, print_answer, print_report, report_options
from graphsvc.cli.progress import progress
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Count, State, Time, complete, locate
from graphsvc.errors import NotFound

__all__ = [
    "callees_command",
    "callers_command",
    "cycles_command",
    "diff_command",
    "history_command",
    "hotspots_command",
    "impact_command",
    "outline_command",
    "symbol_command",
    "track_command",
    "unused_command",
]

_F = TypeVar("_F", bound=Callable[..., Any])

# The name is the end of the qualified name, and the path stands in its own column.
_HIDDEN = frozenset({"id", "of", "qualified_name", "sites"})

_symbol_name = click.argument("name", shell_complete=complete("symbol"))
_at = click.option(
    "--at",
    type=State(),
    metavar="STATE",
    help="State of the code: a revision as git takes it (v1.0, main~3), or a folder (., ../other) for the files of "
    "its work tree as they are. The indexed commits by default.",
)
_repository = click.option(
    "--repository", metavar="NAME", help="Name of the source, where it could be of several."
)
_beginning = click.option("--under", "beginning", metavar="PATH", default="", help="Only below this path.")


def _code_options(command: _F) -> _F:
    """Options of all commands about the code of a snapshot."""
    return _at(_repository(output_options(command)))


def _limit(default: int, what: str) -> Callable[[_F], _F]:
    return click.option(
        "--limit", type=Count(), default=default, show_default=True, help=f"Most {what} to show."
    )


def _walk_options(command: _F) -> _F:
    """Options of commands that follow calls."""
    tests = click.option(
        "--tests",
        type=click.Choice(["any", "none", "only"]),
        default="any",
        show_default=True,
        help="What of tests: give them too, do not enter them, or nothing else.",
    )
    depth = click.option(
        "--depth",
        type=click.IntRange(1, 50),
        default=1,
        show_default=True,
        help="How many calls away to look.",
    )
    paths = click.option("--paths", is_flag=True, help="Show the names between as well.")
    return depth(tests(paths(_limit(200, "rows")(command))))


@click.command("symbol")
@_symbol_name
@_code_options
@pass_context
def symbol_command(
    context: Context,
    name: str,
    at: str | Path | None,
    repository: str | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show the symbols called NAME.

    NAME is a name (load), a name with what encloses it (Store.load), a qualified name or an id.

    \b
    Example:
      graphsvc symbol Store.load
      graphsvc symbol Store.load --at v1.0
    """
    hide = {"id", "qualified_name", "end_line"}
    answer = context.open().symbol(name, at=at, repository=repository)
    print_answer(answer, format_=format_, output=output, hide=hide)


@click.command("callers")
@_symbol_name
@_walk_options
@_code_options
@pass_context
def callers_command(
    context: Context, /, name: str, paths: bool, format_: str | None, output: Path | None, **options: Any
) -> None:
    """Show what calls the symbols called NAME: near before far, sure before unsure.

    \b
    Example:
      graphsvc callers parse_amount
      graphsvc callers Store.load --depth 3 --paths --tests none
      graphsvc callers Store.load --at main~10 --format json
    """
    answer = context.open().callers(name, **options)
    print_answer(answer, format_=format_, output=output, hide=_hidden(paths))


@click.command("callees")
@_symbol_name
@_walk_options
@_code_options
@pass_context
def callees_command(
    context: Context, /, name: str, paths: bool, format_: str | None, output: Path | None, **options: Any
) -> None:
    """Show what the symbols called NAME call.

    \b
    Example:
      graphsvc callees main --depth 2
    """
    answer = context.open().callees(name, **options)
    print_answer(answer, format_=format_, output=output, hide=_hidden(paths))


def _hidden(paths: bool) -> frozenset[str]:
    return _HIDDEN | ({"name", "lines"} if paths else {"through"})


@click.command("impact")
@_symbol_name
@click.option(
    "--depth", type=click.IntRange(1, 50), default=3, show_default=True, help="How many calls away to look."
)
@_limit(25, "rows of each relation")
@_code_options
@pass_context
def impact_command(
    context: Context, /, name: str, format_: str | None, output: Path | None, **options: Any
) -> None:
    """Show what a change of NAME touches: code, tests, what changes along, and who worked on it last.

    NAME is a symbol, as for `graphsvc symbol`, or the path of a file from the root of its repository. Each row says
    by which rule it was found, and how sure that is.

    \b
    Example:
      graphsvc impact Store.load
      graphsvc impact src/store.py --depth 5
    """
    answer = context.open().impact(name, **options)
    print_answer(answer, format_=format_, output=output, hide={"id", "kind", "is_test"})


@click.command("outline")
@click.argument("path")
@_code_options
@pass_context
def outline_command(
    context: Context,
    /,
    path: str,
    repository: str | None,
    format_: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Show what the file at PATH defines, in source order.

    PATH is relative to the working directory, or to the root of a repository.

    \b
    Example:
      graphsvc outline src/parser.py
    """
    kb = context.open()
    place = locate(path, Path.cwd())
    name = repository or kb.name_of(place.work_tree)
    answer = kb.outline(place.path, repository=name, **options)
    hide = {"id", "name", "is_exported", "decorators"}
    print_answer(answer, format_=format_, output=output, hide=hide)


@click.command("unused")
@_beginning
@_limit(100, "rows")
@_code_options
@pass_context
def unused_command(context: Context, /, format_: str | None, output: Path | None, **options: Any) -> None:
    """Show functions, methods and types that nothing refers to: sure before unsure, long before short.

    Tests are left out, and so is what a runtime calls by its name. The column `doubt` says why one may be in use all
    the same.

    \b
    Example:
      graphsvc unused --under src/
    """
    answer = context.open().unused(**options)
    print_answer(answer, format_=format_, output=output, hide={"id", "qualified_name", "is_exported"})


@click.command("cycles")
@click.option(
    "--of",
    type=click.Choice(["imports", "calls"]),
    default="imports",
    show_default=True,
    help="Files that import each other, or symbols that call each other.",
)
@_limit(50, "cycles")
@_code_options
@pass_context
def cycles_command(context: Context, /, format_: str | None, output: Path | None, **options: Any) -> None:
    """Show files that import each other, or symbols that call each other, around a ring: the largest first.

    \b
    Example:
      graphsvc cycles --of calls
    """
    print_answer(context.open().cycles(**options), format_=format_, output=output, hide=set())


@click.command("hotspots")
@click.option("--since", type=Time(), help="Count changes from then on.")
@_beginning
@_limit(50, "files")
@_code_options
@pass_context
def hotspots_command(
    context: Context, /, since: datetime | None, format_: str | None, output: Path | None, **options: Any
) -> None:
    """Show code files that change often, are large, and are relied on by many others.

    The score is the number of commits times that of lines, in thousands.

    \b
    Example:
      graphsvc hotspots --since 12w --under src/
    """
    answer = context.open().hotspots(since=since, **options)
    print_answer(answer, format_=format_, output=output, hide={"authors"})


@click.command("diff")
@click.argument("before", type=State())
@click.argument("after", type=State())
@_repository
@_limit(500, "rows")
@output_options
@pass_context
def diff_command(
    context: Context,
    /,
    before: str | Path,
    after: str | Path,
    format_: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Show what became of the symbols of BEFORE in AFTER: removed, changed, renamed, moved and added ones.

    Both are states of the code: a revision as git takes it, or a folder (., ../other) for the files of its work tree
    as they are.

    \b
    Example:
      graphsvc diff v1.0 v1.1
      graphsvc diff HEAD .
    """
    answer = context.open().diff(before, after, **options)
    hide = {"id", "old_line", "is_text_changed", "signature", "old_signature"}
    print_answer(answer, format_=format_, output=output, hide=hide)


@click.command("track")
@_repository
@report_options
@pass_context
def track_command(context: Context, repository: str | None, format_: str | None) -> None:
    """Learn what each commit did to the symbols of the code, for `graphsvc history SYMBOL`.

    The first time takes about a minute for two thousand commits. From then on every rebuild tracks the commits that
    are new, and the graph has edges CHANGED_SYMBOL.

    \b
    Example:
      graphsvc track && graphsvc history Store.load
    """
    with progress() as report_progress:
        reports = [report.to_dict() for report in context.open().track_symbols(repository, report_progress)]
    counts = ("read", "admitted", "faults")
    rows = [(one["name"], *(one[count] for count in counts), one["seconds"]) for one in reports]
    print_report(
        "track", {"sources": reports}, [("tracked", ("name", *counts, "seconds"), rows)], format_=format_
    )


@click.command("history")
@click.argument("target")
@click.option(
    "--repository", metavar="NAME", help="Name of the source, where several repositories have the path."
)
@_limit(50, "commits")
@output_options
@pass_context
def history_command(
    context: Context,
    target: str,
    repository: str | None,
    limit: int,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show the commits that changed a file or a symbol, the newest first, with their sessions.

    TARGET is the path of a file, relative to the working directory or to the root of a repository: its history goes
    back through renames. Where no commit knows such a path, it is the name of a symbol, also of one that is gone: its
    history goes back through renames and moves, once `graphsvc track` has been run.

    \b
    Example:
      graphsvc history src/parser.py
      graphsvc history Parser.parse
    """
    kb = context.open()
    place = locate(target, Path.cwd())
    name = repository or kb.name_of(place.work_tree)
    try:
        answer = kb.history(place.path, repository=name, limit=limit)
    except NotFound:
        if "/" in target:
            raise
        answer = kb.symbol_history(target, repository=repository, limit=limit)
    hide = {"checkpoints", "is_withdrawn", "is_text_changed", "confidence"}
    print_answer(answer, format_=format_, output=output, hide=hide)
