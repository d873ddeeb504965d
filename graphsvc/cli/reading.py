"""The command that shows a session: a table of its turns, its transcript for reading, or an export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphsvc.cli.output import print_answer, print_bytes, write_file
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import complete
from graphsvc.errors import NotFound

if TYPE_CHECKING:
    from graphsvc.knowledge import KnowledgeBase
    from queries.transcripts import Transcript

__all__ = ["session_command"]

_FORMATS = ("text", "markdown", "html", "jsonl", "table", "json", "csv", "parquet")
_DEPTH = 3


@click.command("session")
@click.argument("id", shell_complete=complete("session"))
@click.option("--turn", type=click.IntRange(min=0), help="Only that turn, with every tool call in full.")
@click.option("--raw", is_flag=True, help="The host's own bytes, as --format jsonl.")
@click.option("--full", is_flag=True, help="Unfold inputs and answers of tool calls.")
@click.option("--pager/--no-pager", default=None, help="Page the text; on a terminal unless said otherwise.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default=None,
    help="text, markdown, html: the transcript; jsonl: the host's own bytes; others: a table of turns. "
    "text on a terminal, else json, unless chosen here.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)
@pass_context
def session_command(
    context: Context,
    id: str,
    turn: int | None,
    raw: bool,
    full: bool,
    pager: bool | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Show session ID: what was asked, said and done, with its subagents; or export it.

    The beginning of an id is enough where no other session has it.

    \b
    Example:
      graphsvc session 53ea19c1
      graphsvc session 53ea19c1 --turn 2
      graphsvc session 53ea19c1 --format html --output session.html
      graphsvc session 53ea19c1 --format jsonl > session.jsonl
    """
    kb = context.open()
    to_terminal = output is None and sys.stdout.isatty()
    format_ = format_ or ("text" if to_terminal or turn is not None or full else "json")
    if raw or format_ == "jsonl":
        _write(kb.session_bytes(id), output)
    elif format_ in ("text", "markdown", "html"):
        data = _rendered(kb, id, format_, turn, full or turn is not None, to_terminal).encode(
            "utf-8", "replace"
        )
        if format_ == "text" and to_terminal and pager is not False:
            click.echo_via_pager(data.decode())
        else:
            _write(data, output)
    else:
        answer = kb.session(id)
        hide = {"turn", "ended_at"}
        if not any(row["is_abandoned"] for row in answer):
            hide.add("is_abandoned")
        print_answer(answer, format_=format_, output=output, hide=hide)


def _write(data: bytes, output: Path | None) -> None:
    if output is None:
        print_bytes(data)
    else:
        write_file(output, data)


def _rendered(
    kb: KnowledgeBase, name: str, format_: str, turn: int | None, is_full: bool, has_colours: bool
) -> str:
    from graphsvc.cli import rendering

    transcript = kb.transcript(name)
    if turn is not None:
        turns = [each for each in transcript.turns if each.ordinal == turn]
        if not turns:
            count = max((each.ordinal for each in transcript.turns), default=0)
            raise NotFound(f"session {transcript.session} has no turn {turn}", hint=f"it has {count} turns")
        transcript = rendering.with_turns(transcript, turns)
    nested: dict[str, Transcript] = {}
    _add_children(kb, transcript, nested, _DEPTH)
    return rendering.render(transcript, nested, format_, is_full=is_full, has_colours=has_colours)


def _add_children(
    kb: KnowledgeBase, transcript: Transcript, nested: dict[str, Transcript], depth: int
) -> None:
    """Read the subagents' sessions that the store has, down to a depth."""
    called = (key for turn in transcript.turns for call in turn.calls for key in call.children)
    for key in (*called, *transcript.children):
        if depth and key not in nested:
            try:
                nested[key] = kb.transcript(key)
            except NotFound:
                continue
            _add_children(kb, nested[key], nested, depth - 1)
