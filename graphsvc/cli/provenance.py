"""Commands that lead from what there is to what was asked for, back again, and to the bytes that say so."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphsvc.cli.fitting import short_ids, short_words
from graphsvc.cli.output import (
    output_options,
    print_answer,
    print_bytes,
    print_report,
    printable,
    report_options,
)
from graphsvc.cli.progress import progress
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Count, locate, split_lines

if TYPE_CHECKING:
    from graphsvc.answers import Answer
    from graphsvc.knowledge import KnowledgeBase

__all__ = [
    "attribution_command",
    "evidence_command",
    "link_command",
    "story_command",
    "trace_command",
    "why_command",
]

_INDENT = 15
_NARROWEST = 20
_LINES = {
    "prompt": 4,
    "slash_command": 2,
    "answering": 2,
    "earlier_prompt": 2,
    "reasoning": 2,
    "fact": 2,
    "intent": 2,
}
"""Most lines that are shown of what a step says, where it is not one; JSON has all of it."""

_GROUPINGS = ("file", "directory", "symbol", "author", "period", "reason", "line", "checkpoint")

_repository = click.option(
    "--repository", metavar="NAME", help="Name of the source, where several repositories have the name."
)


@click.command("link")
@report_options
@pass_context
def link_command(context: Context, format_: str | None) -> None:
    """Find out which tool calls wrote what commits added, for why, trace, story and attribution.

    Commits and tool calls are taken apart once; later runs look at what is new. Nothing of a commit's message counts.

    \b
    Example:
      graphsvc rebuild && graphsvc link
    """
    with progress() as report_progress:
        report = context.open().link(report_progress).to_dict()
    columns = ("calls", "commits", "unknown", "links", "lines")
    sections = [
        ("linked", columns, [tuple(report[column] for column in columns)]),
        ("repositories that could not be read", ("source", "why"), list(report["unavailable"].items())),
    ]
    print_report("link", report, sections, format_=format_)


@click.command("why")
@click.argument("name", metavar="PATH[:LINE[-LINE]]|SYMBOL|COMMIT|CHECKPOINT|FACT")
@_repository
@click.option("--evidence", "with_evidence", is_flag=True, help="Show where the bytes of each step are.")
@output_options
@pass_context
def why_command(
    context: Context,
    name: str,
    repository: str | None,
    with_evidence: bool,
    format_: str | None,
    output: Path | None,
) -> None:
    """Follow something to the prompts that asked for it: line, commit, checkpoint, session, tool call, prompt.

    PATH is relative to the working directory, or to the root of a repository; LINE counts in the indexed commit,
    not in edits made since. A name may begin with its kind, as symbol:load or commit:3f1c0a9d. Where the trail ends
    earlier, the coverage on standard error says why. What surrounded the tool call follows: the reasoning shown, what
    had failed, the commands that checked it, and the facts and intents in force.

    \b
    Example:
      graphsvc why src/parser.py:42
      graphsvc why src/parser.py:40-60 --evidence
      graphsvc why Parser.parse
      graphsvc why 3f1c0a9d --format json
    """
    kb = context.open()
    path, first, last = split_lines(name)
    if first is None:
        known, source = _as_known(kb, name)
        answer = kb.why(known, repository=repository or source)
    else:
        where = locate(path, Path.cwd())
        answer = kb.why(where.path, first, last, repository=repository or kb.name_of(where.work_tree))
    print_answer(answer, format_=format_, output=output, for_people=_trail(with_evidence))


def _as_known(kb: KnowledgeBase, name: str) -> tuple[str, str | None]:
    """A file of the working directory by its path from the root, and its source's name; any other name as it is."""
    if not Path(name).is_file():
        return name, None
    where = locate(name, Path.cwd())
    return where.path, kb.name_of(where.work_tree)


def _trail(with_evidence: bool) -> Callable[[Answer, int], str]:
    """A trail as a line a step, of a prompt a few, with what leads to it in brackets."""

    def told(answer: Answer, width: int) -> str:
        return "".join(_told(step, width, with_evidence) for step in answer)

    return told


def _told(step: Mapping[str, Any], width: int, with_evidence: bool) -> str:
    when = f"{step['occurred_at']:%Y-%m-%d %H:%M}  " if step["occurred_at"] else ""
    sure = "" if step["confidence"] == 1 else f" {step['confidence']:g}"
    source = f"[{_short(str(step['subject']))}, {step['origin']}{sure}]"
    text = printable(" ".join(str(step["text"] or "").split()) or "(empty)")
    room = max(width - _INDENT, _NARROWEST)
    lines = textwrap.wrap(
        when + short_words(text, room // 2), room, max_lines=_LINES.get(step["step"], 1), placeholder=" …"
    )
    if len(lines) == 1 and len(lines[0]) + len(source) + 2 <= room:
        lines = [f"{lines[0]}  {source}"]
    else:
        lines.append(source)
    if with_evidence and step["segment"] is not None:
        lines.append(f"evidence {step['segment'][:12]}:{step['start_byte']}-{step['end_byte']}")
    head = f"{step['step']:<{_INDENT - 1}} "
    return "".join(f"{head if number == 0 else ' ' * len(head)}{line}\n" for number, line in enumerate(lines))


def _short(subject: str) -> str:
    """An id cut to a beginning that commands still take; names and paths as they are."""
    return printable(short_ids([subject])[0])


@click.command("trace")
@click.argument("name", metavar="SESSION|TURN|TOOLCALL")
@output_options
@pass_context
def trace_command(context: Context, name: str, format_: str | None, output: Path | None) -> None:
    """Show what became of what was written: alive, changed and by whom, reverted, or never committed.

    Lines count that say something by themselves. SESSION may be a beginning of the id.

    \b
    Example:
      graphsvc trace 53ea19c1
      graphsvc trace toolu_01AbC --format json
    """
    answer = context.open().trace(name)
    print_answer(answer, format_=format_, output=output, for_people=_fates)


def _fates(answer: Answer, width: int) -> str:
    """What became of each call's lines, as a line a call and file, and one for who changed them."""
    return "".join(_fate(row, width) for row in answer)


def _fate(row: Mapping[str, Any], width: int) -> str:
    when = f"{row['occurred_at']:%Y-%m-%d %H:%M}" if row["occurred_at"] else " " * 16
    told = ("alive", "changed", "reverted", "elsewhere", "uncommitted")
    counts = ", ".join(f"{row[name]} {name}" for name in told if row[name])
    failed = "failed, " if row["is_error"] else ""
    lines = "1 line" if row["lines"] == 1 else f"{row['lines']} lines"
    said = f"  {failed}{lines}: {counts}  [{_short(row['call'])}]"
    path = printable(row["path"] or "(no file named)")
    room = max(width - len(when) - 2 - len(said), _NARROWEST)
    shown = path if len(path) <= room else f"…{path[1 - room :]}"
    text = f"{when}  {shown}{said}\n"
    if row["changed_by"]:
        by = printable(", ".join(row["changed_by"]))
        text += (
            f"{' ' * 18}changed by {textwrap.shorten(by, max(width - 29, _NARROWEST), placeholder=' …')}\n"
        )
    return text


@click.command("story")
@click.argument("name", metavar="PATH|SYMBOL")
@_repository
@click.option("--limit", type=Count(), default=100, show_default=True, help="Most commits, the newest.")
@output_options
@pass_context
def story_command(
    context: Context, name: str, repository: str | None, limit: int, format_: str | None, output: Path | None
) -> None:
    """Tell the life of a file or symbol: its commits, the prompts that led to them, and what was remembered.

    Of a symbol, the commits count that wrote what it consists of now.

    \b
    Example:
      graphsvc story src/parser.py
      graphsvc story Parser.parse --format csv > parse.csv
    """
    kb = context.open()
    known, source = _as_known(kb, name)
    answer = kb.story(known, repository=repository or source, limit=limit)
    print_answer(answer, format_=format_, output=output, for_people=_timeline)


def _timeline(answer: Answer, width: int) -> str:
    """A timeline as a line an event; a prompt is indented above the commit that it led to."""
    return "".join(_event(event, width) for event in answer)


def _event(event: Mapping[str, Any], width: int) -> str:
    when = f"{event['occurred_at']:%Y-%m-%d %H:%M}" if event["occurred_at"] else " " * 16
    counts = "".join(
        f" {sign}{event[name]}" for sign, name in (("+", "added"), ("-", "removed")) if event[name]
    )
    source = f"[{_short(str(event['subject']))}, {printable(event['who'] or 'unknown')}{counts}]"
    lead = "  " if event["event"] == "prompt" else ""
    head = f"{when}  {lead}{event['event']} "
    text = printable(" ".join(str(event["text"] or "").split()))
    room = max(width - len(head) - len(source) - 2, _NARROWEST)
    return f"{head}{textwrap.shorten(text, room, placeholder=' …')}  {source}\n"


@click.command("attribution")
@click.argument("path", required=False)
@click.option(
    "--by", type=click.Choice(_GROUPINGS), default="file", show_default=True, help="What to count lines by."
)
@_repository
@output_options
@pass_context
def attribution_command(
    context: Context,
    path: str | None,
    by: str,
    repository: str | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Count who wrote the lines of the indexed commit, in PATH or everywhere: agents, people, both, or unknown.

    Empty lines do not count. --by checkpoint puts what checkpoints recorded beside what is known of their commits.

    \b
    Example:
      graphsvc attribution --by directory
      graphsvc attribution src/parser.py --by symbol
      graphsvc attribution --by line --format parquet --output lines.parquet
    """
    kb = context.open()
    if path is None:
        answer = kb.attribution(by=by, repository=repository)
    else:
        where = locate(path, Path.cwd())
        answer = kb.attribution(by=by, path=where.path, repository=repository or kb.name_of(where.work_tree))
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
