"""Commands about planes."""

from __future__ import annotations

import json
import ntpath
import posixpath
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from graphsvc.cli.output import (
    Section,
    output_options,
    print_answer,
    print_bytes,
    print_report,
    report_options,
)
from graphsvc.cli.root import Context, pass_context

__all__ = ["planes_command"]

_F = TypeVar("_F", bound=Callable[..., Any])


@click.group("planes")
def planes_command() -> None:
    """Read the planes that an agent keeps of its work, and author patches of them here.

    \b
    Example:
      graphsvc planes show cwd.intents
    """


def _cwd_option(command: _F) -> _F:
    return click.option(
        "--cwd", metavar="PATH", help="Working directory of the planes [the work tree, else this directory]."
    )(command)


def _session_option(command: _F) -> _F:
    return click.option(
        "--session", default="default", show_default=True, help="Session, by the beginning of its id."
    )(command)


def _source_option(command: _F) -> _F:
    return click.option(
        "--source",
        default="authored",
        show_default=True,
        metavar="NAME",
        help="Plane store of a host, by the name of its source; or what was authored here.",
    )(command)


def _working_directory(cwd: str | None) -> str:
    from graphsvc.agent_planes import working_directory

    # What is absolute may be of another machine; what is relative is meant from here.
    if cwd and (posixpath.isabs(cwd) or ntpath.isabs(cwd)):
        return cwd
    return working_directory(Path(cwd or "."))


def _print_json(value: Any) -> None:
    print_bytes(json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n")


@planes_command.command("show")
@click.argument("path", default="effective")
@_source_option
@_cwd_option
@_session_option
@click.option(
    "--projection",
    type=click.Choice(["value", "keys", "patch"]),
    default="value",
    show_default=True,
    help="The value, its outline, or what the transition there changed.",
)
@pass_context
def show_command(
    context: Context, path: str, source: str, cwd: str | None, session: str, projection: str
) -> None:
    """Show what PATH leads to, as JSON: effective, global, cwd or session, then planes and keys.

    \b
    Example:
      graphsvc planes show
      graphsvc planes show 'session[1].tactics.next' --source state-flow --session s1
    """
    value = context.open().planes.show(
        path, cwd=_working_directory(cwd), source=source, session=session, projection=projection
    )
    _print_json(value)


@planes_command.command("at")
@click.argument("offset", type=int)
@_source_option
@_cwd_option
@_session_option
@pass_context
def at_command(context: Context, offset: int, source: str, cwd: str | None, session: str) -> None:
    """Show all scopes, and what was in effect, OFFSET transitions before the head, as JSON.

    \b
    Example:
      graphsvc planes at 1
    """
    _print_json(context.open().planes.at(offset, cwd=_working_directory(cwd), source=source, session=session))


@planes_command.command("history")
@_source_option
@_cwd_option
@_session_option
@output_options
@pass_context
def history_command(
    context: Context, source: str, cwd: str | None, session: str, format_: str | None, output: Path | None
) -> None:
    """List the transitions that are still readable, the newest first.

    \b
    Example:
      graphsvc planes history --format json
    """
    answer = context.open().planes.history(cwd=_working_directory(cwd), source=source, session=session)
    print_answer(answer, format_=format_, output=output)


@planes_command.command("check")
@click.option("--source", metavar="NAME", help="Only this plane store.")
@output_options
@pass_context
def check_command(context: Context, source: str | None, format_: str | None, output: Path | None) -> None:
    """List every scope of the plane stores: admitted, or refused and why.

    \b
    Example:
      graphsvc planes check
    """
    print_answer(context.open().planes.check(source=source), format_=format_, output=output)


@planes_command.command("patch")
@click.argument("file", type=click.File("rb"), default="-")
@_cwd_option
@_session_option
@click.option("--expected-head", metavar="ID", help="Refuse unless this is the head.")
@report_options
@pass_context
def patch_command(
    context: Context,
    file: BinaryIO,
    cwd: str | None,
    session: str,
    expected_head: str | None,
    format_: str | None,
) -> None:
    """Author the patch in FILE, or on standard input: a JSON object of patches by scope, all of it or nothing.

    It is kept in this store. The stores of hosts are never written.

    \b
    Example:
      graphsvc planes patch patch.json
      echo '{"cwd": {"intents": {"ship": "release 2.0"}}}' | graphsvc planes patch
    """
    from graphsvc.memory.strict_json import decode

    patches = decode(file.read(), file.name)
    report = context.open().planes.patch(
        patches, cwd=_working_directory(cwd), session=session, expected_head=expected_head
    )
    changed = [(scope, json.dumps(record, ensure_ascii=False)) for scope, record in report["records"].items()]
    sections: list[Section] = [
        ("head", ("boundary", "changed"), [(report["head"], report["is_changed"])]),
        ("net changes", ("scope", "record"), changed),
        ("cleared with their intents", ("path",), [(path,) for path in report["cleared"]]),
        ("deleted in vain", ("path", "not there"), [tuple(item.values()) for item in report["missing"]]),
    ]
    print_report("planes patch", report, sections, format_=format_)
