"""How commands print: one decorator and one printer for everything that has rows.

Standard output carries data only; the coverage of an answer goes with it in JSON, and to standard error in the
other formats.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from graphsvc.answers import Answer
from graphsvc.errors import InvalidInput

__all__ = ["FORMATS", "JSON_VERSION", "output_options", "print_answer", "print_json"]

JSON_VERSION = 1
"""Version of the JSON that commands print; it changes when a field is renamed, removed or means something else."""

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "parquet")
_F = TypeVar("_F", bound=Callable[..., Any])
_CELL = 80


def output_options(command: _F) -> _F:
    """Add ``--format`` and ``--output`` to a command that prints rows."""
    command = click.option(
        "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file instead."
    )(command)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(FORMATS),
        default=None,
        help="table on a terminal, else jsonl, unless chosen here.",
    )(command)


def print_json(value: Any) -> None:
    """Print one JSON document with the version of its form."""
    document = {"graphsvc": JSON_VERSION, **value}
    click.echo(json.dumps(document, default=_plain, indent=2, ensure_ascii=False))


def print_answer(answer: Answer, *, format_: str | None, output: Path | None = None) -> None:
    """Print an answer in the format asked for.

    Raises:
        InvalidInput: Parquet is to go to a terminal.
    """
    format_ = format_ or ("table" if sys.stdout.isatty() and output is None else "jsonl")
    if format_ == "parquet":
        if output is None:
            raise InvalidInput("Parquet is binary", hint="give --output FILE")
        answer.frame.write_parquet(output)
    else:
        text = "".join(_RENDERERS[format_](answer))
        if output is None:
            click.echo(text, nl=False)
        else:
            output.write_text(text, encoding="utf-8")
    if format_ != "json":
        click.echo(answer.coverage.sentence(), err=True)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def _json(answer: Answer) -> Iterable[str]:
    document = {
        "graphsvc": JSON_VERSION,
        "answer": answer.name,
        "coverage": answer.coverage.to_dict(),
        "rows": answer.to_dicts(),
    }
    yield json.dumps(document, default=_plain, indent=2, ensure_ascii=False) + "\n"


def _jsonl(answer: Answer) -> Iterable[str]:
    for row in answer:
        yield json.dumps(row, default=_plain, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_cell, value))
    return str(value)


def _csv(answer: Answer) -> Iterable[str]:
    lines: list[str] = []

    class Sink:
        def write(self, line: str) -> None:
            lines.append(line)

    writer = csv.writer(Sink(), lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows([_cell(value) for value in row] for row in answer.rows)
    return lines


def _one_line(value: Any) -> str:
    text = " ".join(_cell(value).split())
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def _markdown(answer: Answer) -> Iterable[str]:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"

    yield line(answer.columns)
    yield line("---" for _ in answer.columns)
    for row in answer.rows:
        yield line(map(_one_line, row))


def _table(answer: Answer) -> Iterable[str]:
    from io import StringIO

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in answer.columns:
        table.add_column(column, overflow="fold")
    for row in answer.rows:
        table.add_row(*map(_one_line, row))
    buffer = StringIO()
    console = Console(
        file=buffer, force_terminal=sys.stdout.isatty(), width=None if sys.stdout.isatty() else 160
    )
    console.print(table)
    yield buffer.getvalue()


_RENDERERS: dict[str, Callable[[Answer], Iterable[str]]] = {
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "markdown": _markdown,
    "table": _table,
}
