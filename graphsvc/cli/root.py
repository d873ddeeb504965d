"""The root command: options for all, commands loaded when they are called, errors as one line."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from graphsvc.cli.output import printable
from graphsvc.errors import Ambiguous, Cancelled, GraphsvcError, SourceUnavailable
from graphsvc.knowledge import DEFAULT_WAIT, KnowledgeBase
from graphsvc.location import find_store

__all__ = ["Context", "main", "pass_context", "root"]

_COMMANDS = {
    "init": "store",
    "add": "store",
    "remove": "store",
    "rebuild": "store",
    "status": "store",
    "verify": "store",
    "reset": "store",
    "sessions": "sessions",
    "session": "reading",
    "checkpoint": "sessions",
    "index": "search",
    "search": "search",
    "expand": "search",
    "summary": "search",
    "brief": "search",
    "checkpoints": "sessions",
    "processed": "bank",
    "trajectories": "bank",
    "symbol": "code",
    "callers": "code",
    "callees": "code",
    "impact": "code",
    "outline": "code",
    "unused": "code",
    "cycles": "code",
    "hotspots": "code",
    "diff": "code",
    "track": "code",
    "history": "code",
    "remember": "memory",
    "recall": "memory",
    "forget": "memory",
    "facts": "facts",
    "verify-facts": "facts",
    "planes": "planes",
    "trust": "trust",
    "link": "provenance",
    "why": "provenance",
    "trace": "provenance",
    "story": "provenance",
    "attribution": "provenance",
    "evidence": "provenance",
    "query": "raw",
    "cypher": "raw",
    "sql": "raw",
}
"""Command name to the module of this package that defines it."""


_INTERRUPTED = "Query interrupted"
"""What DuckDB makes of a KeyboardInterrupt, as a RuntimeError."""

_CANDIDATES = 5
"""Most candidates that the line of an error names."""

_NO_READER = 141
"""Status of a command whose output nobody reads any more, as shells give it for a broken pipe."""

_SYSTEM_HINT = "check the path, its permissions and the space on the disk"


@dataclass(frozen=True, slots=True)
class Context:
    """What the options before the command say.

    Attributes:
        store: Folder of the store, where one is named.
        wait: Longest wait for a lock in seconds.
    """

    store: Path | None
    wait: float

    def named_folder(self) -> Path | None:
        """Folder that ``--store`` or ``GRAPHSVC_STORE`` names."""
        if self.store is None and (value := os.environ.get("GRAPHSVC_STORE")):
            return Path(value)
        return self.store

    def folder(self) -> Path:
        """Folder of the store: the named one, else the nearest one at or above the working directory."""
        return self.named_folder() or find_store(Path.cwd())

    def open(self) -> KnowledgeBase:
        """The knowledge base that the command is about."""
        return KnowledgeBase.open(self.folder(), wait=self.wait)


pass_context = click.make_pass_decorator(Context)


@contextmanager
def _while_read() -> Iterator[None]:
    """End quietly where the reader of the output has gone; click would tell of a fault of the program."""
    try:
        yield
    except BrokenPipeError:
        # Python flushes once more when it ends, which must not fail again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        raise click.exceptions.Exit(_NO_READER) from None


class _Lazy(click.Group):
    """A group that imports a command's module when the command is looked up."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """As click does; it also prints the help."""
        with _while_read():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the context names."""
        with _while_read():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"graphsvc.cli.{_COMMANDS[cmd_name]}")
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the store; else GRAPHSVC_STORE, else the nearest .graphsvc at or above the working directory.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=DEFAULT_WAIT,
    show_default=True,
    metavar="SECONDS",
    help="Longest wait for another process that is writing the store.",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.version_option(package_name="graphsvc")
@click.pass_context
def root(ctx: click.Context, store: Path | None, wait: float, debug: bool) -> None:
    """Ask a local store what it knows of code, its history, and the agent sessions that wrote it.

    \b
    Example:
      graphsvc init
      graphsvc add repo .
      graphsvc rebuild
      graphsvc why README.md:1
    """
    ctx.obj = Context(store, wait)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with the status of the error's class, 0 without one."""
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status: Any = root.main(arguments, prog_name="graphsvc", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(_report(Cancelled("stopped")))
    except GraphsvcError as error:
        if debug:
            raise
        sys.exit(_report(error))
    except OSError as error:
        if debug:
            raise
        where = f"{error.filename}: " if error.filename else ""
        sys.exit(_report(SourceUnavailable(f"{where}{error.strerror or error}", hint=_SYSTEM_HINT)))
    except Exception as error:
        if str(error) == _INTERRUPTED:
            sys.exit(_report(Cancelled("stopped")))
        if debug:
            raise
        sys.exit(_report(GraphsvcError(f"unexpected {type(error).__name__}: {error}")))


def _candidates(names: Sequence[str]) -> str:
    """The first few candidates, and how many there are besides.

    >>> _candidates(["a1", "a2"]), _candidates(list("abcdefg"))
    (' (a1, a2)', ' (a, b, c, d, e and 2 more)')
    """
    if not names:
        return ""
    more = len(names) - _CANDIDATES
    return f" ({', '.join(names[:_CANDIDATES])}{f' and {more} more' if more > 0 else ''})"


def _report(error: GraphsvcError) -> int:
    candidates = _candidates(error.candidates) if isinstance(error, Ambiguous) else ""
    line = " ".join(f"graphsvc: {error.message}{candidates}; {error.hint}".split())
    click.echo(printable(line), err=True)
    return error.exit_code
