"""The command that names the sessions of hosts as sources, and shows where there are some."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from graphsvc.cli.output import print_report, report_options
from graphsvc.cli.root import Context, pass_context

__all__ = ["add_sessions_command"]


@click.command("sessions")
@click.argument("host", required=False)
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--discover", is_flag=True, help="Only show where hosts keep sessions; add and read nothing.")
@click.option("--name", help="Name for people; the host's name unless given.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="COLUMN=FIELD",
    help="For the host jsonl: where records have a column, as in text=body.text; may be given several times.",
)
@report_options
@pass_context
def add_sessions_command(
    context: Context,
    host: str | None,
    path: Path | None,
    discover: bool,
    name: str | None,
    fields: tuple[str, ...],
    format_: str | None,
) -> None:
    """Add the sessions that HOST keeps on this machine, in PATH or where the host keeps them.

    HOST is claude-code, codex, gemini, pi, opencode, copilot, cursor, cline, droid or jsonl, which is lines of JSON
    objects of any other host. Their files are only read.

    \b
    Example:
      graphsvc add sessions --discover
      graphsvc add sessions claude-code
      graphsvc add sessions codex /backup/codex/sessions --name old-codex
      graphsvc add sessions jsonl logs --field text=body --field role=speaker
    """
    if discover:
        _discover(context, format_)
        return
    if host is None:
        raise click.UsageError("name a host, or give --discover")
    sources = context.open().add_sessions(host, path, name=name, fields=_fields(fields))
    columns = ("name", "loader", "locator")
    rows = [(source.name, source.loader, source.locator) for source in sources]
    document = {"sources": [dict(zip(columns, row, strict=True)) for row in rows]}
    print_report("add", document, [("sources for the next rebuild", columns, rows)], format_=format_)


def _fields(given: tuple[str, ...]) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for pair in given:
        column, sign, field = pair.partition("=")
        if not (column and sign and field):
            raise click.BadParameter(f"{pair!r} is not COLUMN=FIELD", param_hint="--field")
        fields.setdefault(column, []).append(field)
    return fields


def _discover(context: Context, format_: str | None) -> None:
    from loaders.sessions.registration import discover

    columns = ("host", "path", "transcripts", "newest")
    rows = [
        (
            found.host,
            found.path,
            found.transcripts,
            datetime.fromtimestamp(found.modified_at / 1_000_000, UTC) if found.modified_at else None,
        )
        for found in discover(Path.home())
    ]
    document = {"found": [dict(zip(columns, row, strict=True)) for row in rows]}
    print_report("discover", document, [("sessions on this machine", columns, rows)], format_=format_)
