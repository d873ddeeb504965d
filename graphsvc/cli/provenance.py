"""Commands that lead to evidence."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphsvc.cli.output import output_options, print_answer, print_bytes, printable
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import locate, split_line

if TYPE_CHECKING:
    from graphsvc.answers import Answer

__all__ = ["evidence_command", "why_command"]

_INDENT = 12
_NARROWEST = 20
_TEXT = 600
"""Most characters that are shown of what a step says; its evidence has all of them."""


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
    not in edits made since. Where the trail ends earlier, the coverage on standard error says why. A prompt of few
    words is followed by the text that it answers and by the last prompt before it that says more.

    \b
    Example:
      graphsvc why src/parser.py:42
      graphsvc why src/parser.py:42 --format json
    """
    path, line = split_line(place)
    kb = context.open()
    where = locate(path, Path.cwd())
    answer = kb.why(where.path, line, repository=repository or kb.name_of(where.work_tree))
    print_answer(answer, format_=format_, output=output, for_people=_trail)


def _trail(answer: Answer, width: int) -> str:
    """A trail as one block a step: what it is and when, what it says, and what it rests on."""
    return "\n".join(_block(step, width) for step in answer)


def _block(step: Mapping[str, Any], width: int) -> str:
    when = f"  {step['occurred_at']:%Y-%m-%d %H:%M:%S}" if step["occurred_at"] else ""
    head = f"{step['step']:<{_INDENT}}{printable(str(step['subject']))}{when}\n"
    body = list(_wrapped(str(step["text"] or ""), width - _INDENT))
    if step["segment"] is not None:
        span = f"{step['segment'][:_INDENT]}:{step['start_byte']}-{step['end_byte']}"
        body.append(f"by {step['origin']}, confidence {step['confidence']:g}, evidence {span}")
    return head + "".join(" " * _INDENT + line + "\n" for line in body)


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of a text, cut to its beginning where it is long."""
    text = text.strip("\n")
    shown = text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"
    for line in printable(shown, keep="\n\t").expandtabs(4).splitlines():
        yield from textwrap.wrap(line, max(width, _NARROWEST), drop_whitespace=False) or [""]


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
