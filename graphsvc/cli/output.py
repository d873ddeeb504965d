"""How commands print: one printer for answers, which are rows, and one for reports, which are several tables.

Standard output carries data only. On a terminal that is a table for people; anywhere else, and wherever
``--format json`` is given, one JSON document with its version and the coverage. In the other formats the
coverage goes to standard error.
"""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from graphsvc.cli.fitting import fitted, short_ids
from graphsvc.errors import InvalidInput, SourceUnavailable

if TYPE_CHECKING:
    from graphsvc.answers import Answer

__all__ = [
    "FORMATS",
    "JSON_VERSION",
    "REPORT_FORMATS",
    "Section",
    "output_options",
    "print_answer",
    "print_bytes",
    "print_report",
    "printable",
    "report_options",
    "write_file",
]

JSON_VERSION = 1
"""Version of the JSON that commands print; it changes when a field is renamed, removed or means something else."""

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "parquet")
REPORT_FORMATS = ("table", "json", "markdown")

Rows = Sequence[Sequence[Any]]
Section = tuple[str, Sequence[str], Rows]
"""A table of a report: its title, its columns and its rows."""

_F = TypeVar("_F", bound=Callable[..., Any])
_CELL = 100
_PIPED_WIDTH = 160
_SHORT = 12
_SPAN = {"segment", "start_byte", "end_byte"}
_DEFAULT = "table on a terminal, else json, unless chosen here."


def output_options(command: _F) -> _F:
    """Add ``--format`` and ``--output`` to a command that prints an answer."""
    command = _output(command)
    return click.option("--format", "format_", type=click.Choice(FORMATS), default=None, help=_DEFAULT)(
        command
    )


def report_options(command: _F) -> _F:
    """Add ``--format`` to a command that prints a report."""
    return click.option(
        "--format", "format_", type=click.Choice(REPORT_FORMATS), default=None, help=_DEFAULT
    )(command)


_output = click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)


def print_answer(
    answer: Answer,
    *,
    format_: str | None,
    output: Path | None = None,
    hide: Iterable[str] = (),
    spare: Sequence[str] = (),
    for_people: Callable[[Answer, int], str] | None = None,
) -> None:
    """Print an answer in the format asked for, and its coverage.

    Args:
        answer: The answer.
        format_: One of `FORMATS`; None for a table on a terminal and JSON elsewhere.
        output: File to write to, None for standard output.
        hide: Columns that a table for people leaves out; all other formats have every column.
        spare: Columns that a table leaves out first where they have no room, the least missed first.
        for_people: What is shown in place of a table: text of the answer, in lines of so many characters.

    Raises:
        InvalidInput: Parquet is to go to a terminal.
        SourceUnavailable: The file cannot be written.
    """
    to_terminal = output is None and sys.stdout.isatty()
    format_ = format_ or ("table" if to_terminal else "json")
    if format_ == "parquet" and to_terminal:
        raise InvalidInput("Parquet is binary", hint="give --output FILE, or redirect standard output")
    if format_ == "table" and for_people:
        data = for_people(answer, _width()).encode("utf-8", "backslashreplace")
    elif format_ in _PEOPLE:
        columns, rows = _for_people(answer.columns, answer.rows, set(hide))
        data = _PEOPLE[format_](columns, rows, to_terminal, spare).encode("utf-8", "backslashreplace")
    else:
        data = _MACHINE[format_](answer)
    if output is None:
        print_bytes(data)
    else:
        write_file(output, data)
    if format_ != "json":
        click.echo("\n".join(answer.coverage.lines()), err=True)


def print_report(
    name: str, document: Mapping[str, Any], sections: Iterable[Section], *, format_: str | None
) -> None:
    """Print a report: as one JSON document, or as one table a section, empty ones left out.

    Args:
        name: What was asked, for example ``rebuild``.
        document: All of it as plain data.
        sections: Tables for people.
        format_: One of `REPORT_FORMATS`; None for tables on a terminal and JSON elsewhere.
    """
    to_terminal = sys.stdout.isatty()
    format_ = format_ or ("table" if to_terminal else "json")
    if format_ == "json":
        print_bytes(_document({"answer": name, **document}))
        return
    printed = []
    for title, columns, rows in sections:
        if rows:
            heading = f"## {title}\n\n" if format_ == "markdown" else f"{title}\n"
            printed.append(heading + _PEOPLE[format_](*_for_people(columns, rows, set()), to_terminal, ()))
    print_bytes("\n".join(printed).encode("utf-8", "backslashreplace"))


def print_bytes(data: bytes) -> None:
    """Write bytes to standard output, whatever its encoding.

    Raises:
        BrokenPipeError: Its reader has gone.
        SourceUnavailable: It cannot be written, as on a full disk.
    """
    stream = sys.stdout.buffer
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise SourceUnavailable(f"the answer cannot be written: {error.strerror}") from error


def write_file(path: Path, data: bytes) -> None:
    """Write bytes to a file.

    Raises:
        SourceUnavailable: It cannot be written.
    """
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be written: {error.strerror}") from error


# For machines: every column, exact values.


def _plain(value: Any) -> Any:
    """A value as JSON has it: times in ISO 8601 and UTC, bytes as text, numbers that are none as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return value.isoformat() + ("" if value.tzinfo else "Z")
        case bytes() | bytearray():
            return bytes(value).decode("utf-8", "backslashreplace")
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case date():
            return value.isoformat()
    return str(value)


def _document(value: Mapping[str, Any]) -> bytes:
    document = _plain({"graphsvc": JSON_VERSION, **value})
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _json(answer: Answer) -> bytes:
    return _document(
        {"answer": answer.name, "coverage": answer.coverage.to_dict(), "rows": answer.to_dicts()}
    )


def _jsonl(answer: Answer) -> bytes:
    lines = [json.dumps(_plain(row), ensure_ascii=False) + "\n" for row in answer]
    return "".join(lines).encode("utf-8", "backslashreplace")


def _csv(answer: Answer) -> bytes:
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows([_csv_cell(_plain(value)) for value in row] for row in answer.rows)
    return buffer.getvalue().encode("utf-8", "backslashreplace")


def _csv_cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value


def _parquet(answer: Answer) -> bytes:
    buffer = BytesIO()
    answer.frame.write_parquet(buffer)
    return buffer.getvalue()


_MACHINE: dict[str, Callable[[Answer], bytes]] = {
    "json": _json,
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
}


# For people: fewer columns, short ids, one line a cell, nothing that a terminal would obey.


def _for_people(columns: Sequence[str], rows: Rows, hide: set[str]) -> tuple[list[str], list[list[str]]]:
    """Columns and cells as people read them: a path with its line, evidence as a span that commands take."""
    has_spans, has_places = set(columns) >= _SPAN, {"path", "start_line"} <= set(columns)
    hidden = (
        hide
        | ({"start_byte", "end_byte"} if has_spans else set())
        | ({"start_line"} if has_places else set())
    )
    shown = [column for column in columns if column not in hidden]
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    titles = ["evidence" if has_spans and column == "segment" else column for column in shown]
    cells = [short_ids([_shown(column, record) for record in records]) for column in shown]
    return titles, [list(row) for row in zip(*cells, strict=True)]


def _shown(column: str, record: Mapping[str, Any]) -> str:
    value = record[column]
    if value is not None and column == "segment" and record.keys() >= _SPAN:
        return f"{str(value)[:_SHORT]}:{record['start_byte']}-{record['end_byte']}"
    if column == "path" and record.get("start_line") is not None:
        return f"{_cell(value)}:{record['start_line']}"
    return _cell(value)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S")
        case float():
            return f"{value:g}"
        case Mapping():
            text = ", ".join(f"{_cell(item)} {key}" for key, item in value.items())
        case list() | tuple():
            text = ", ".join(short_ids([_cell(item) for item in value]))
        case bytes():
            text = value.decode("utf-8", "backslashreplace")
        case _:
            text = str(value)
    text = printable(" ".join(text.split()))
    return text if len(text) <= _CELL else text[: _CELL - 1] + "…"


def printable(text: str, keep: str = "") -> str:
    r"""Text with characters that a terminal would obey, or hide, written as escapes.

    >>> printable("\x1b[31mred"), printable("two\nlines", keep="\n")
    ('\\x1b[31mred', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)


def _width() -> int:
    """Characters of a line: as ``COLUMNS`` or the terminal says."""
    return shutil.get_terminal_size((_PIPED_WIDTH, 0)).columns


def _markdown(
    columns: Sequence[str], rows: Sequence[Sequence[str]], to_terminal: bool, spare: Sequence[str]
) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def _table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], to_terminal: bool, spare: Sequence[str]
) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = _width()
    fit = fitted(columns, rows, width, spare)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for column, is_text in zip(fit.columns, fit.is_text, strict=True):
        table.add_column(column, overflow="fold", no_wrap=not is_text)
    for row in fit.rows:
        # As Text, because rich reads plain strings as markup.
        table.add_row(*(Text(cell) for cell in row))
    buffer = StringIO()
    Console(file=buffer, force_terminal=to_terminal, width=width, highlight=False).print(table)
    if fit.left_out:
        names = ", ".join(fit.left_out)
        click.echo(f"left out for lack of room: {names}; a wider window or --format json has them", err=True)
    return buffer.getvalue()


_PEOPLE: dict[str, Callable[[Sequence[str], Sequence[Sequence[str]], bool, Sequence[str]], str]] = {
    "markdown": _markdown,
    "table": _table,
}
