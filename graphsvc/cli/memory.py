"""Commands that remember, recall and forget."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from graphsvc.cli.output import output_options, print_answer, print_report, report_options
from graphsvc.cli.root import Context, pass_context
from graphsvc.cli.values import Time, locate

if TYPE_CHECKING:
    from graphsvc.agent_memory import AgentMemory, RecallConditions
    from graphsvc.scopes import Scope, ScopeFilter

__all__ = [
    "ID_COLUMNS",
    "anchors_in",
    "forget_command",
    "recall_command",
    "remember_command",
    "scope_options",
]

ID_COLUMNS = {
    "project",
    "workspace",
    "anchors",
    "superseded_by",
    "contradicted_by",
    "valid_from",
    "valid_until",
}
"""Columns of facts that a table for people leaves out."""

_F = TypeVar("_F", bound=Callable[..., Any])
_LEVELS = ("global", "instance", "project", "workspace")


def scope_options(*levels: str) -> Callable[[_F], _F]:
    """Add the options that say which memory scope is meant."""

    def add(command: _F) -> _F:
        for option in (
            click.option("--workspace", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="PATH",
                         help="Directory whose scopes are meant, instead of the working directory."),
            click.option("--project", metavar="NAME", help="Source whose project is the scope."),
            click.option("--scope", "level", type=click.Choice(levels),
                         help="Level of the scope [project in a git repository, else workspace]."),
        ):  # fmt: skip
            command = option(command)
        return command

    return add


def anchors_in(folder: Path, anchors: tuple[str, ...]) -> list[str]:
    """Anchors with their paths from the root of the repository that ``folder`` is in."""
    return [
        f"file:{locate(text.removeprefix('file:'), folder).path}" if text.startswith("file:") else text
        for text in anchors
    ]


_anchor = click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="KIND:NAME",
    help="commit:OID, file:PATH, symbol:NAME, turn:ID or span:SEGMENT:START-END; may be given several times.",
)


@click.command("remember")
@click.argument("text")
@click.option(
    "--kind", default="fact", show_default=True, help="fact, preference, observation, or any other."
)
@scope_options(*_LEVELS)
@_anchor
@click.option("--supersedes", multiple=True, metavar="ID", help="Fact that no longer holds from now on.")
@click.option("--contradicts", multiple=True, metavar="ID", help="Fact that this one speaks against.")
@click.option("--from", "valid_from", type=Time(), help="From when it holds.")
@click.option("--until", "valid_until", type=Time(), help="From when it no longer holds.")
@click.option("--expires", type=Time(), help="From when it is no longer worth recalling, as in +30d.")
@click.option("--told-by", default="", help="Who or what says so.")
@output_options
@pass_context
def remember_command(
    context: Context,
    text: str,
    kind: str,
    level: Any,
    project: str | None,
    workspace: Path | None,
    anchors: tuple[str, ...],
    supersedes: tuple[str, ...],
    contradicts: tuple[str, ...],
    valid_from: datetime | None,
    valid_until: datetime | None,
    expires: datetime | None,
    told_by: str,
    format_: str | None,
    output: Path | None,
) -> None:
    """Remember TEXT, in the scope of the working directory's project unless another one is named.

    \b
    Example:
      graphsvc remember "deploys go out on Fridays" --kind observation
      graphsvc remember "parse_amount rounds half to even" --anchor symbol:parse_amount
    """
    memory = context.open().memory
    folder = workspace or Path.cwd()
    answer = memory.remember(
        text,
        scope=memory.scope(folder, level=level, project=project),
        kind=kind,
        told_by=told_by,
        anchors=anchors_in(folder, anchors),
        repository_id=memory.place(folder).repository_id,
        supersedes=supersedes,
        contradicts=contradicts,
        valid_from=valid_from,
        valid_until=valid_until,
        expires_at=expires,
    )
    print_answer(answer, format_=format_, output=output, hide=ID_COLUMNS)


@click.command("recall")
@click.argument("text", default="")
@scope_options(*_LEVELS, "all")
@click.option(
    "--with-ancestors", is_flag=True, help="Read the scopes around it as well, the innermost first."
)
@click.option(
    "--about", metavar="KIND:NAME", help="Facts about a thing, its files and its project; as --anchor."
)
@_anchor
@click.option("--kind", "kinds", multiple=True, help="Only facts of that kind; may be given several times.")
@click.option("--since", type=Time(), help="Only facts recorded then or later.")
@click.option("--until", type=Time(), help="Only facts recorded before.")
@click.option("--at", "valid_at", type=Time(), help="What held then [now].")
@click.option("--as-of", "known_at", type=Time(), help="What was on record then [all].")
@click.option("--with-superseded", is_flag=True, help="Also facts that no longer hold.")
@click.option(
    "--limit", type=click.IntRange(min=0), default=50, show_default=True, help="Most facts; 0 for all."
)
@output_options
@pass_context
def recall_command(
    context: Context,
    text: str,
    level: Any,
    project: str | None,
    workspace: Path | None,
    with_ancestors: bool,
    about: str | None,
    anchors: tuple[str, ...],
    kinds: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    valid_at: datetime | None,
    known_at: datetime | None,
    with_superseded: bool,
    limit: int,
    format_: str | None,
    output: Path | None,
) -> None:
    """Recall facts of exactly one scope whose words contain TEXT, the newest first.

    With --with-ancestors the scopes around it are read too, and an inner fact comes before an outer one; it never
    hides it. With --about, facts about a symbol come before those about its files, and these before those of the
    project and the scopes around it.

    \b
    Example:
      graphsvc recall deploy --with-ancestors
      graphsvc recall --scope workspace --with-ancestors --at 2026-01-31
      graphsvc recall --about symbol:parse_amount
    """
    memory = context.open().memory
    folder = workspace or Path.cwd()
    repository_id = memory.place(folder).repository_id
    conditions: RecallConditions = {
        "text": text,
        "kinds": kinds,
        "since": since,
        "until": until,
        "valid_at": valid_at,
        "known_at": known_at,
        "with_superseded": with_superseded,
    }
    if about is not None:
        if anchors:
            raise click.UsageError("give --about or --anchor, not both")
        [subject] = anchors_in(folder, (about,))
        scope = memory.scope(folder, level=None if level == "all" else level, project=project)
        answer = memory.about(subject, scope=scope, repository_id=repository_id, limit=limit, **conditions)
    else:
        answer = memory.recall(
            scopes=_scopes(memory, folder, level, project, with_ancestors),
            anchors=anchors_in(folder, anchors),
            repository_id=repository_id,
            limit=limit,
            **conditions,
        )
    print_answer(answer, format_=format_, output=output, hide=ID_COLUMNS)


def _scopes(
    memory: AgentMemory, folder: Path, level: Any, project: str | None, with_ancestors: bool
) -> ScopeFilter:
    from graphsvc.scopes import ALL, at

    if level == "all":
        return ALL
    scope: Scope = memory.scope(folder, level=level, project=project)
    return at(scope).with_ancestors() if with_ancestors else at(scope)


@click.command("forget")
@click.argument("id")
@click.option("--reason", default="", help="Why.")
@report_options
@pass_context
def forget_command(context: Context, id: str, reason: str, format_: str | None) -> None:
    """Take fact ID out of every recall from now on; it stays on record.

    \b
    Example:
      graphsvc forget fact_3f1c0a --reason "it was never true"
    """
    fact_id = context.open().memory.forget(id, reason=reason)
    rows = [(fact_id, reason)]
    print_report(
        "forget",
        {"fact": fact_id, "reason": reason},
        [("forgotten", ("fact", "reason"), rows)],
        format_=format_,
    )
