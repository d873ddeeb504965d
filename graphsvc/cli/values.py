"""Values that people type: times, lines of files, and names that the shell completes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from graphsvc.cli.root import Context
from graphsvc.errors import GraphsvcError, InvalidInput
from graphsvc.location import find_work_tree

if TYPE_CHECKING:
    from graphsvc.knowledge import KnowledgeBase

__all__ = ["Count", "Place", "State", "Time", "complete", "locate", "split_lines"]

_DISTANCE = re.compile(r"(\+?)([0-9]{1,6})([hdw])")
_LINES = re.compile(r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?", re.DOTALL)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


class Count(click.IntRange):
    """How many rows are wanted, at least one; more than the store can count to is as good as all.

    >>> Count().convert("99999999999999999999", None, None)
    4611686018427387904
    """

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A number that a statement can have as its parameter; a usage error for anything else."""
        return min(super().convert(value, param, ctx), 2**62)


class Time(click.ParamType[datetime]):
    """A time in UTC: an ISO 8601 date or time, or so many hours, days or weeks ago, or from now with a plus.

    >>> Time().convert("2026-01-31T10:00+02:00", None, None)
    datetime.datetime(2026, 1, 31, 8, 0)
    """

    name = "time"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What ``--help`` shows."""
        return "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """A naive time in UTC, as the store has them; a usage error for anything else."""
        if isinstance(value, datetime):
            return value
        try:
            if distance := _DISTANCE.fullmatch(value):
                sign, number, unit = distance.groups()
                away = timedelta(**{_UNITS[unit]: int(number)})
                return datetime.now(UTC).replace(tzinfo=None) + (away if sign else -away)
            time = datetime.fromisoformat(value)
            return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time
        except (ValueError, OverflowError):
            return self.fail(
                f"{value!r} is no time: write 2026-01-31, 2026-01-31T10:00+02:00, 12h, 7d or 2w (ago), or +7d",
                param,
                ctx,
            )


class State(click.ParamType[str | Path]):
    """A state of code: a folder where it begins as a path does, else a revision, which git lets begin otherwise.

    >>> State().convert("../other", None, None), State().convert("v1.0", None, None)
    (PosixPath('../other'), 'v1.0')
    """

    name = "state"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | Path:
        """The folder or the revision."""
        return Path(value).expanduser() if str(value).startswith((".", "/", "~")) else str(value)


def split_lines(name: str) -> tuple[str, int | None, int | None]:
    r"""Path and line numbers of ``PATH:LINE`` or ``PATH:LINE-LINE``, whatever colons the path has; else the name alone.

    Raises:
        InvalidInput: The lines do not begin at 1 or later, or end before they begin.

    >>> split_lines("a:b.py:12"), split_lines(r"C:\src\a.py:3-5"), split_lines("Store::load")
    (('a:b.py', 12, 12), ('C:\\src\\a.py', 3, 5), ('Store::load', None, None))
    """
    found = _LINES.fullmatch(name)
    if found is None:
        return name, None, None
    path, first, last = found[1], int(found[2]), int(found[3] or found[2])
    if not 0 < first <= last:
        raise InvalidInput(
            f"{name!r} has no lines", hint="write line numbers from 1, as in README.md:1 or README.md:1-9"
        )
    return path, first, last


class Place(NamedTuple):
    """A path from the root of a repository, and the root of its work tree, where that is known."""

    path: str
    work_tree: Path | None


def locate(given: str, folder: Path) -> Place:
    """What a path means that was typed in ``folder``.

    In a work tree a path is relative to the working directory, as for git; where nothing is there but something
    is at that path from the root, it is taken from the root; where nothing is at either, it may be of another
    repository. Outside of every work tree only a path from a repository's root makes sense.

    Args:
        given: The path as typed.
        folder: The working directory.

    Raises:
        InvalidInput: An absolute path, or one with ``.`` or ``..``, leads to no work tree.
    """
    path = Path(given)
    # The folder is resolved and the file is not: a symbolic link is a file of its repository too.
    full = Path(os.path.normpath(folder / path))
    full = full.parent.resolve() / full.name
    work_tree = find_work_tree(full.parent)
    is_explicit = path.is_absolute() or given.replace("\\", "/").split("/")[0] in {".", ".."}
    if work_tree is None:
        if is_explicit:
            raise InvalidInput(f"{full} is in no git repository", hint="give a path inside a work tree")
        return Place(path.as_posix(), None)
    inside = full.relative_to(work_tree).as_posix()
    if is_explicit or os.path.lexists(full):
        return Place(inside, work_tree)
    return Place(path.as_posix(), work_tree) if os.path.lexists(work_tree / path) else Place(inside, None)


def complete(what: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Completion with what the store has; ``what`` as for `KnowledgeBase.names`, or ``query``."""

    def items(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        options = ctx.find_root().params
        context = Context(options.get("store"), wait=0.0)
        try:
            return [CompletionItem(name) for name in _names(context.open(), what, incomplete)]
        except GraphsvcError:
            return []  # a shell that waits for a completion has no place for an error

    return items


def _names(kb: KnowledgeBase, what: str, prefix: str) -> list[str]:
    if what == "query":
        return [name for row in kb.queries() if (name := str(row["name"])).startswith(prefix)]
    return kb.names(what, prefix)
