"""Commands about facts as they are kept: listing, history, checking, moving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from graphsvc.cli.memory import ID_COLUMNS, scope_options
from graphsvc.cli.output import output_options, print_answer, print_bytes
from graphsvc.cli.root import Context, pass_context

__all__ = ["facts_command", "verify_facts_command"]


@click.group("facts")
def facts_command() -> None:
    """List facts, and move them between stores.

    \b
    Example:
      graphsvc facts list
    """


@facts_command.command("list")
@output_options
@pass_context
def list_command(context: Context, format_: str | None, output: Path | None) -> None:
    """List every fact that was ever written, the oldest first, with what became of it.

    \b
    Example:
      graphsvc facts list --format csv > facts.csv
    """
    print_answer(context.open().memory.facts(), format_=format_, output=output, hide=ID_COLUMNS)


@facts_command.command("history")
@click.argument("id")
@output_options
@pass_context
def history_command(context: Context, id: str, format_: str | None, output: Path | None) -> None:
    """Show fact ID and every later word on it, in order.

    \b
    Example:
      graphsvc facts history fact_3f1c0a
    """
    print_answer(context.open().memory.history(id), format_=format_, output=output)


@facts_command.command("export")
@pass_context
def export_command(context: Context) -> None:
    """Write every record as a JSON line, for `graphsvc facts import` elsewhere.

    \b
    Example:
      graphsvc facts export > facts.jsonl
    """
    print_bytes(context.open().memory.export_facts())


@facts_command.command("import")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--from",
    "form",
    type=click.Choice(["facts", "markdown", "mem0", "graphiti"]),
    help="Format of the file, where its name and first line do not say.",
)
@scope_options("global", "instance", "project", "workspace")
@output_options
@pass_context
def import_command(
    context: Context,
    path: Path,
    form: str | None,
    level: Any,
    project: str | None,
    workspace: Path | None,
    format_: str | None,
    output: Path | None,
) -> None:
    """Take in facts from the file at PATH: an export, a CLAUDE.md or AGENTS.md, or lines of mem0 or Graphiti.

    Each fact is anchored to its bytes in the file, which is kept whole; a file that is imported again adds what is
    new in it. The scope is that of facts which state none.

    \b
    Example:
      graphsvc facts import CLAUDE.md
      graphsvc facts import memories.jsonl --from mem0 --scope global
    """
    memory = context.open().memory
    scope = memory.scope(workspace or Path.cwd(), level=level, project=project)
    name = path.name.encode("utf-8", "backslashreplace").decode()
    answer = memory.import_facts(path.read_bytes(), name, scope=scope, format_=form)
    print_answer(answer, format_=format_, output=output)


@click.command("verify-facts")
@output_options
@pass_context
def verify_facts_command(context: Context, format_: str | None, output: Path | None) -> None:
    """Check what every fact rests on against today's evidence: current, drifted, deleted or ambiguous.

    \b
    Example:
      graphsvc verify-facts --format json
    """
    print_answer(
        context.open().memory.verify_facts(),
        format_=format_,
        output=output,
        hide={"anchor", "digest", "found"},
    )
