"""Writes the reference pages that are made from the code: cli.md from the commands' help, kinds.md from kinds.py.

``python docs/generate.py`` writes them; with ``--check`` it only says which are out of date, and fails.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from graphsvc import errors
from graphsvc.cli.root import root
from graphsvc.kinds import DERIVED, ENVELOPE, KINDS, LEDGER, Column, Kind

_FOLDER = Path(__file__).parent
_NOTE = "<!-- Made by docs/generate.py: change the code, then run `make docs`. -->\n"

_CLI = """
# Command line

{note}
Standard output carries data, and standard error everything else: coverage, progress, errors.

**Formats.** On a terminal, answers are tables for people: ids are cut to a beginning that commands still take, and
evidence is a span for `graphsvc evidence`. Anywhere else, and with `--format json`, a command prints one JSON document
whose field `graphsvc` is the version of its form; an answer has `answer`, `coverage` and `rows`. `jsonl` is one
object a line, `csv` has a header, `parquet` is binary; with these the coverage goes to standard error. Times are UTC.
`NO_COLOR` is honoured, and nothing but a terminal gets colours.

**Store.** The option `--store` names it, else the environment variable `GRAPHSVC_STORE`, else it is the nearest
`.graphsvc` at or above the working directory.

**Shell completion** knows the commands, and the names of symbols, sessions, checkpoints and queries in the store. Put
one of these where your shell starts:

```
eval "$(_GRAPHSVC_COMPLETE=bash_source graphsvc)"             # ~/.bashrc
eval "$(_GRAPHSVC_COMPLETE=zsh_source graphsvc)"              # ~/.zshrc
_GRAPHSVC_COMPLETE=fish_source graphsvc | source              # ~/.config/fish/config.fish
```

## Exit status

0 is success, also of an answer that is partial or cut off: its coverage says so. An error is one line on standard
error, with what to do next; `graphsvc --debug COMMAND` shows where it arose.

| status | error | what happened | can succeed later, unchanged |
| --- | --- | --- | --- |
{statuses}

## Commands

{commands}"""

_KINDS = """
# Tables of the canonical store

{note}
`graphsvc sql` reads these tables. Every event has the columns of the envelope and those of its kind; the view `event`
has the envelopes of all kinds, with a column `kind` first. Events are only ever added: the view `withdrawn` has the ids
of those that their source no longer states. Text is UTF-8, an evidence span counts bytes, times are UTC.

## Envelope

{envelope}
{kinds}
# Ledger

{ledger}
# Derived tables

`graphsvc link` makes them from evidence; before that, a store does not have them.

{derived}"""


def _commands(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    settings = command.context_settings if parent is None else {}
    context = click.Context(command, info_name=name, parent=parent, terminal_width=100, **settings)
    yield f"### {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from _commands(found, context, child)


def _errors(tree: type[errors.GraphsvcError]) -> Iterator[type[errors.GraphsvcError]]:
    yield tree
    for child in tree.__subclasses__():
        yield from _errors(child)


def _status(error: type[errors.GraphsvcError]) -> str:
    is_base = error is errors.GraphsvcError
    meaning = (
        "Something unexpected: a fault of graphsvc." if is_base else (error.__doc__ or "").splitlines()[0]
    )
    return f"| {error.exit_code} | {error.__name__} | {meaning} | {'yes' if error.retryable else 'no'} |"


def _columns(columns: Iterable[Column]) -> str:
    rows = [f"| {column.name} | {column.type.replace('_', ' ')} | {column.meaning} |\n" for column in columns]
    return "| column | type | meaning |\n| --- | --- | --- |\n" + "".join(rows)


def _tables(kinds: Iterable[Kind]) -> str:
    return "\n".join(f"## {kind.name}\n\n{kind.meaning}\n\n{_columns(kind.columns)}" for kind in kinds)


def pages() -> dict[str, str]:
    """Text of each page by the name of its file."""
    by_status = sorted(_errors(errors.GraphsvcError), key=lambda error: (error.exit_code, error.__name__))
    return {
        "cli.md": _CLI.format(
            note=_NOTE,
            statuses="\n".join(map(_status, by_status)),
            commands="\n".join(_commands(root, None, "graphsvc")),
        ).lstrip(),
        "kinds.md": _KINDS.format(
            note=_NOTE,
            envelope=_columns(ENVELOPE),
            kinds=_tables(KINDS.values()),
            ledger=_tables(LEDGER.values()),
            derived=_tables(DERIVED.values()),
        ).lstrip(),
    }


def main() -> None:
    """Write the pages, or check them."""
    wanted = {_FOLDER / name: text for name, text in pages().items()}
    if "--check" not in sys.argv[1:]:
        for path, text in wanted.items():
            path.write_text(text, encoding="utf-8")
        return
    stale = [
        path.name
        for path, text in wanted.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; run `make docs`")


if __name__ == "__main__":
    main()
