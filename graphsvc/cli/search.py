"""Commands that find things by what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from graphsvc.answers import PagedAnswer
from graphsvc.cli.output import output_options, print_answer, print_report, report_options
from graphsvc.cli.progress import progress
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Count, Time, complete

__all__ = ["brief_command", "expand_command", "index_command", "search_command", "summary_command"]

_SURFACES = ("sessions", "code", "commits", "memory")
_GRAINS = ("occurrence", "turn", "session", "symbol", "file")
_TEMPORAL = ("current", "as_of", "evolution", "forensic")
_HIDDEN = {"id", "turn", "copies", "points", "segment", "start_byte", "end_byte", "ranges", "availability"}
_EXPLAINED = _HIDDEN - {"points", "copies"}


@click.command("index")
@report_options
@pass_context
def index_command(context: Context, format_: str | None) -> None:
    """Make the text index that search needs, of the newest graph; only what is new is written.

    \b
    Example:
      graphsvc rebuild && graphsvc index
    """
    with progress() as report_progress:
        said = context.open().index(report_progress)
    columns = ("passages", "text_bytes", "index_bytes", "written", "digest")
    rows = [tuple(said[column] for column in columns)]
    print_report("index", dict(said), [("text index", columns, rows)], format_=format_)


@click.command("search")
@click.argument("text")
@click.option(
    "--in", "within", multiple=True, type=click.Choice(_SURFACES), help="Only there; may be repeated."
)
@click.option(
    "--exact",
    "mode",
    flag_value="exact",
    help="Every place where TEXT stands as it is, with its byte ranges.",
)
@click.option("--regex", "mode", flag_value="regex", help="Every match of the regular expression TEXT.")
@click.option("--identifier", "mode", flag_value="identifier", help="Only what is known by the name TEXT.")
@click.option(
    "--grain", type=click.Choice(_GRAINS), default="occurrence", show_default=True, help="What a row is."
)
@click.option(
    "--temporal",
    type=click.Choice(_TEMPORAL),
    default="current",
    show_default=True,
    help="What sources state now, as of --before, all versions the oldest first, or also what they no longer state.",
)
@click.option("--since", type=Time(), help="Not before then.")
@click.option("--before", type=Time(), help="Earlier than that.")
@click.option("--at", type=Time(), help="As things were then: --temporal as_of --before TIME.")
@click.option("--agent", help='Only sessions of that agent, for example "Claude Code".')
@click.option("--tool", help="Only calls of that tool and their results.")
@click.option(
    "--file", "path", metavar="PATH", help="Only what is about that file: a path, or its last names."
)
@click.option("--project", "repository", metavar="NAME", help="Only that source, by its name.")
@click.option("--limit", type=Count(), default=20, show_default=True, help="Most rows of a page.")
@click.option("--continue", "continuation", metavar="TOKEN", help="Go on after the page that gave TOKEN.")
@click.option("--budget", metavar="SIZE", help="Most text to give: 4000tokens or 64KB.")
@click.option("--explain", is_flag=True, help="Say what each channel gave, and what was left out.")
@output_options
@pass_context
def search_command(
    context: Context,
    /,
    text: str,
    within: Sequence[str],
    mode: str | None,
    temporal: str,
    before: datetime | None,
    at: datetime | None,
    explain: bool,
    format_: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Find prompts, answers, tool calls and results, commits, code and files by TEXT.

    A question is ranked; what has the whole TEXT in it, as it stands, comes first. The coverage says what each
    channel could not give whole, and how many rows are left; the token to go on with is the last thing it says.

    \b
    Example:
      graphsvc search "why do we retry uploads" --grain session
      graphsvc search "ErrNotFound" --exact --in code
      graphsvc search "race in the cache" --since 4w --tool Bash --explain
    """
    answer = context.open().search(
        text,
        mode=mode or "ranked",
        within=within,
        temporal=temporal if at is None else "as_of",
        before=before if at is None else at,
        **options,
    )
    hide = _EXPLAINED if explain else _HIDDEN
    print_answer(_told(answer, explain), format_=format_, output=output, hide=hide)


def _told(answer: PagedAnswer, explain: bool) -> PagedAnswer:
    """The answer with its trace, where that is asked for, and its continuation among its notes."""
    notes = (*answer.coverage.notes, *(answer.trace if explain else ()))
    if answer.continuation is not None:
        notes = (*notes, f"go on with --continue {answer.continuation}")
    return replace(answer, coverage=replace(answer.coverage, notes=notes))


@click.command("expand")
@click.argument("id", shell_complete=complete("session"))
@click.option("--project", "repository", metavar="NAME", help="Also what belongs to that private project.")
@output_options
@pass_context
def expand_command(
    context: Context, id: str, repository: str | None, format_: str | None, output: Path | None
) -> None:
    """Give back everything that session, turn or summary ID consists of, whole and in order.

    A piece that cannot be given keeps its place, with the reason.

    \b
    Example:
      graphsvc expand 53ea19c1 --format jsonl
    """
    hide = {"id", "turn", "segment", "start_byte", "end_byte"}
    answer = context.open().expand(id, repository=repository)
    print_answer(answer, format_=format_, output=output, hide=hide)


@click.command("summary")
@click.argument("session", shell_complete=complete("session"))
@click.option("--project", "repository", metavar="NAME", help="Also of that private project.")
@output_options
@pass_context
def summary_command(
    context: Context, session: str, repository: str | None, format_: str | None, output: Path | None
) -> None:
    """Give the sentences that say most of what SESSION was about, as they stand in it.

    The summary's id is among its notes; `graphsvc expand ID` gives back every source that it was made of.

    \b
    Example:
      graphsvc summary 53ea19c1
    """
    hide = {"id", "turn", "availability", "segment", "start_byte", "end_byte"}
    answer = context.open().summary(session, repository=repository)
    print_answer(answer, format_=format_, output=output, hide=hide)


@click.command("brief")
@click.argument("task")
@click.option("--project", "repository", metavar="NAME", help="Only that source, by its name.")
@click.option("--budget", default="4000tokens", show_default=True, metavar="SIZE", help="Most text to give.")
@output_options
@pass_context
def brief_command(
    context: Context, task: str, repository: str | None, budget: str, format_: str | None, output: Path | None
) -> None:
    """Make one bounded packet for TASK: symbols with their bodies, files, tests to run, past sessions, decisions in
    force, known failures and commits, each with its reason.

    \b
    Example:
      graphsvc brief "retry failed uploads" --budget 8000tokens --format markdown
    """
    hide = {"id", "session", "availability", "score", "segment", "start_byte", "end_byte"}
    answer = context.open().brief(task, repository=repository, budget=budget)
    print_answer(answer, format_=format_, output=output, hide=hide)
