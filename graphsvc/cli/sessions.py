"""Commands about agent sessions and checkpoints."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from graphsvc.cli.output import output_options, print_answer
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Time, complete

__all__ = ["checkpoint_command", "session_command", "sessions_command"]


@click.command("sessions")
@click.option("--since", type=Time(), help="Only sessions that were still going on then, or began later.")
@click.option("--before", type=Time(), help="Only sessions that began before then.")
@click.option("--agent", help='Only sessions of that agent, for example "Claude Code".')
@click.option("--branch", help="Only sessions recorded on that branch.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Most sessions to show."
)
@output_options
@pass_context
def sessions_command(
    context: Context,
    since: datetime | None,
    before: datetime | None,
    agent: str | None,
    branch: str | None,
    limit: int,
    format_: str | None,
    output: Path | None,
) -> None:
    """List agent sessions, the newest first.

    A TIME is 2026-01-31, 2026-01-31T10:00+02:00, 12h, 7d or 2w; without a zone it is UTC.

    \b
    Example:
      graphsvc sessions --since 7d --limit 10
      graphsvc sessions --agent "Claude Code" --format csv > sessions.csv
    """
    answer = context.open().sessions(since=since, before=before, agent=agent, branch=branch, limit=limit)
    print_answer(answer, format_=format_, output=output, hide={"ended_at"})


@click.command("session")
@click.argument("id", shell_complete=complete("session"))
@output_options
@pass_context
def session_command(context: Context, id: str, format_: str | None, output: Path | None) -> None:
    """Show the turns of session ID: each prompt, and what was done until the next one.

    The beginning of an id is enough where no other session has it.

    \b
    Example:
      graphsvc session 53ea19c1
    """
    print_answer(context.open().session(id), format_=format_, output=output, hide={"turn", "ended_at"})


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
