"""Commands that lead to evidence."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from graphsvc.cli.output import output_options, print_answer, print_bytes, printable
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import locate, split_line

__all__ = ["evidence_command", "why_command"]


@click.command("why")
@click.argument("place", metavar="PATH:LINE")
@click.option(
    "--repository", metavar="NAME", help="Name of the source, where several repositories have the path."
)
@output_options
@pass_context
def why_command(
    context: Context, place: str, repository: str | None, format_: str | None, output: Path | None
) -> None:
    """Follow a line to the prompt that asked for it: line, commit, checkpoint, session, tool call, prompt.

    PATH is relative to the working directory, or to the root of a repository; LINE counts in the indexed commit,
    not in edits made since. Where the trail ends earlier, the coverage on standard error says why.

    \b
    Example:
      graphsvc why src/parser.py:42
      graphsvc why src/parser.py:42 --format json
    """
    path, line = split_line(place)
    kb = context.open()
    where = locate(path, Path.cwd())
    answer = kb.why(where.path, line, repository=repository or kb.name_of(where.work_tree))
    print_answer(answer, format_=format_, output=output)


@click.command("evidence")
@click.argument("span")
@pass_context
def evidence_command(context: Context, span: str) -> None:
    """Write the exact bytes of SPAN, as other commands give it: SEGMENT:START-END, or SEGMENT for all of it.

    On a terminal, characters that it would obey are shown as escapes; anywhere else the bytes are exact.

    \b
    Example:
      graphsvc evidence 3f1c0a9d5b7e:0-120
    """
    data = context.open().evidence(span)
    if sys.stdout.isatty():
        data = printable(data.decode("utf-8", "backslashreplace"), keep="\n\t").encode()
    print_bytes(data)
