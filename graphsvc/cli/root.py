"""The root command: options for all, commands loaded when they are called, errors as one line."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from graphsvc.errors import Cancelled, GraphsvcError
from graphsvc.location import find_store

if TYPE_CHECKING:
    from graphsvc.knowledge import KnowledgeBase

__all__ = ["Context", "main", "pass_context", "root"]

_COMMANDS = {
    "init": "store",
    "add": "store",
    "rebuild": "store",
    "status": "store",
    "verify": "store",
    "reset": "store",
    "sessions": "sessions",
    "session": "sessions",
    "checkpoint": "sessions",
    "symbol": "code",
    "callers": "code",
    "callees": "code",
    "history": "code",
    "why": "provenance",
    "evidence": "provenance",
    "query": "raw",
    "cypher": "raw",
    "sql": "raw",
}
"""Command name to the module of this package that defines it."""


@dataclass
class Context:
    """What the options before the command say."""

    store: Path | None
    debug: bool

    def folder(self) -> Path:
        """Folder of the store: ``--store``, else ``GRAPHSVC_STORE``, else the nearest one above."""
        named = self.store or (Path(value) if (value := os.environ.get("GRAPHSVC_STORE")) else None)
        return named if named is not None else find_store(Path.cwd())

    def open(self) -> KnowledgeBase:
        """The knowledge base that the command is about."""
        from graphsvc.knowledge import KnowledgeBase

        return KnowledgeBase.open(self.folder())


pass_context = click.make_pass_decorator(Context)


class _Lazy(click.Group):
    """A group that imports a command's module when the command is looked up."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"graphsvc.cli.{_COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the store; else GRAPHSVC_STORE, else the nearest .graphsvc at or above the working directory.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="graphsvc")
@click.pass_context
def root(ctx: click.Context, store: Path | None, debug: bool) -> None:
    """Ask a local store what it knows of code, its history, and the agent sessions that wrote it."""
    ctx.obj = Context(store, debug)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with the status of the error's class, 0 without one."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        status: Any = root.main(arguments, prog_name="graphsvc", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.exceptions.Exit as exit_:
        sys.exit(exit_.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_report(Cancelled("stopped")))
    except BrokenPipeError:
        # The reader of our output has gone, as `head` does; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except GraphsvcError as error:
        if debug:
            raise
        sys.exit(_report(error))


def _report(error: GraphsvcError) -> int:
    click.echo(f"graphsvc: {error.message}; {error.hint}", err=True)
    return error.exit_code
