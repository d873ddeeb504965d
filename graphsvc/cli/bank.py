"""Commands for pipelines that learn from sessions: trajectories, and what has been dealt with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
import orjson

from graphsvc.cli.output import output_options, print_answer, print_bytes, print_report, report_options
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.sessions import limit_option, session_filters
from graphsvc.cli.values import Count, complete

if TYPE_CHECKING:
    from queries.sessions import SessionFilters

__all__ = ["processed_command", "trajectories_command"]

_CONSUMER = "default"


@click.command("trajectories")
@session_filters
@click.option("--unprocessed", is_flag=True, help="As --unprocessed-by with the consumer of --consumer.")
@click.option("--mark", is_flag=True, help="Mark each as processed once it is written.")
@click.option("--consumer", default=_CONSUMER, show_default=True, help="Who deals with them.")
@click.option("--limit", type=Count(), help="Most to write.")
@click.option(
    "--parquet",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write trajectories.parquet and steps.parquet there instead of lines of JSON.",
)
@pass_context
def trajectories_command(
    context: Context,
    unprocessed: bool,
    mark: bool,
    consumer: str,
    limit: int | None,
    parquet: Path | None,
    **filters: Unpack[SessionFilters],
) -> None:
    """Write sessions as trajectories, the oldest first, one JSON object a line.

    A trajectory has id, task, steps (thought, action, observation, success, metadata), outcome with the rule that
    decided it, agent_id, total_tokens, timestamp, wall_time_seconds and metadata. An outcome is never guessed: where no
    rule decides, success is null.

    \b
    Example:
      graphsvc trajectories --unprocessed --mark > new.jsonl
      graphsvc trajectories --agent "Claude Code" --parquet out
    """
    kb = context.open()
    if unprocessed:
        filters["unprocessed_by"] = consumer
    done: dict[str, str | None] = {}
    made = kb.trajectories(limit=limit, **filters)
    if parquet is None:
        for each in made:
            print_bytes(orjson.dumps(each.to_dict()) + b"\n")
            done[each.id] = each.metadata["content_digest"]
    else:
        from queries.trajectories import frames

        kept = list(made)
        parquet.mkdir(parents=True, exist_ok=True)
        for name, frame in zip(("trajectories", "steps"), frames(kept), strict=True):
            frame.write_parquet(parquet / f"{name}.parquet")
        done = {each.id: each.metadata["content_digest"] for each in kept}
    if mark:
        kb.log_processed(done, consumer)
    click.echo(f"{len(done)} trajectories" + (", marked as processed" if mark else ""), err=True)


@click.group("processed")
def processed_command() -> None:
    """Remember which sessions a consumer has dealt with; one that has grown since is unprocessed again.

    \b
    Example:
      graphsvc processed log
    """


@processed_command.command("mark")
@click.argument("ids", nargs=-1, required=True, shell_complete=complete("session"))
@click.option("--consumer", default=_CONSUMER, show_default=True, help="Who has dealt with them.")
@report_options
@pass_context
def mark_command(context: Context, ids: tuple[str, ...], consumer: str, format_: str | None) -> None:
    """Mark sessions IDS as processed, as they are now.

    \b
    Example:
      graphsvc processed mark 53ea19c1 --consumer lessons
    """
    marked = context.open().mark_processed(ids, consumer=consumer)
    rows = [(session, consumer) for session in marked]
    document = {"consumer": consumer, "sessions": marked}
    print_report("processed", document, [("marked", ("session", "consumer"), rows)], format_=format_)


@processed_command.command("log")
@click.option("--consumer", help="Only what that consumer has dealt with.")
@limit_option
@output_options
@pass_context
def log_command(
    context: Context, consumer: str | None, limit: int, format_: str | None, output: Path | None
) -> None:
    """Show what consumers have dealt with, the newest first, and whether it has changed since.

    \b
    Example:
      graphsvc processed log --consumer lessons
    """
    answer = context.open().processing_log(consumer=consumer, limit=limit)
    print_answer(answer, format_=format_, output=output, hide={"content_digest"})
