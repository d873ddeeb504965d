"""Commands about agent sessions and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import click

from graphsvc.cli.output import output_options, print_answer, print_bytes
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Count, Time, complete

if TYPE_CHECKING:
    from queries.sessions import SessionFilters

__all__ = [
    "checkpoint_command",
    "checkpoints_command",
    "limit_option",
    "session_filters",
    "sessions_command",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def session_filters(command: _F) -> _F:
    """Add the options that narrow sessions down; the command gets them as keywords of `KnowledgeBase.sessions`."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command


_FILTERS = (
    click.option("--since", type=Time(), help="Only sessions that were still going on then, or began later."),
    click.option("--before", type=Time(), help="Only sessions that began before then."),
    click.option(
        "--agent",
        help="Only sessions of the agents whose name begins so, whatever its case, for example claude.",
    ),
    click.option("--branch", help="Only sessions recorded on that branch."),
    click.option(
        "--strategy", help="Only sessions whose checkpoints were made so, for example manual-commit."
    ),
    click.option("--model", help="Only sessions in which a model answered whose name begins so."),
    click.option("--file", help="Only sessions that touched that file: a path, or the end of one."),
    click.option("--tool", help="Only sessions that called that tool, for example Bash."),
    click.option(
        "--summary/--no-summary",
        "has_summary",
        default=None,
        help="Only sessions with, or without, a summary.",
    ),
    click.option("--text", help="Only sessions in which a person or a model wrote that."),
    click.option("--checkpoint", help="Only sessions of the checkpoints whose id begins so."),
    click.option("--commit", help="Only sessions of the checkpoints that a commit names whose id begins so."),
    click.option(
        "--unprocessed-by",
        metavar="CONSUMER",
        help="Only sessions that the consumer has not dealt with as they are now.",
    ),
)

limit_option = click.option("--limit", type=Count(), default=50, show_default=True, help="Most rows to show.")


@click.command("sessions")
@session_filters
@click.option(
    "--sort",
    type=click.Choice(["newest", "oldest"]),
    default="newest",
    show_default=True,
    help="What comes first.",
)
@click.option("--count", is_flag=True, help="Print only how many there are.")
@limit_option
@output_options
@pass_context
def sessions_command(
    context: Context,
    sort: str,
    count: bool,
    limit: int,
    format_: str | None,
    output: Path | None,
    **filters: Unpack[SessionFilters],
) -> None:
    """List agent sessions, the newest first.

    A TIME is 2026-01-31, 2026-01-31T10:00+02:00, 12h, 7d or 2w; without a zone it is UTC.

    \b
    Example:
      graphsvc sessions --since 7d --limit 10
      graphsvc sessions --agent "Claude Code" --format csv > sessions.csv
      graphsvc sessions --file src/auth.py --tool Edit --count
    """
    kb = context.open()
    if count:
        print_bytes(f"{kb.count_sessions(**filters)}\n".encode())
        return
    answer = kb.sessions(sort=sort, limit=limit, **filters)
    spare = ("files", "checkpoints", "commits", "tool_calls", "branch", "turns")
    print_answer(answer, format_=format_, output=output, hide={"ended_at", "is_kept"}, spare=spare)


@click.command("checkpoints")
@click.option("--since", type=Time(), help="Only checkpoints made then or later.")
@click.option("--before", type=Time(), help="Only checkpoints made before then.")
@click.option("--branch", help="Only checkpoints of that branch.")
@limit_option
@output_options
@pass_context
def checkpoints_command(
    context: Context,
    since: datetime | None,
    before: datetime | None,
    branch: str | None,
    limit: int,
    format_: str | None,
    output: Path | None,
) -> None:
    """List checkpoints, the newest first, from their metadata alone.

    \b
    Example:
      graphsvc checkpoints --since 7d
    """
    answer = context.open().checkpoints(since=since, before=before, branch=branch, limit=limit)
    print_answer(answer, format_=format_, output=output, hide={"strategy", "repository_id"})


@click.command("checkpoint")
@click.argument("id", shell_complete=complete("checkpoint"))
@output_options
@pass_context
def checkpoint_command(context: Context, id: str, format_: str | None, output: Path | None) -> None:
    """Show the sessions of checkpoint ID and the commits that name it.

    The beginning of an id is enough where no other checkpoint has it.

    \b
    Example:
      graphsvc checkpoint a1b2c3
    """
    hide = {"strategy", "intent", "documents", "missing_documents"}
    print_answer(context.open().checkpoint(id), format_=format_, output=output, hide=hide)
