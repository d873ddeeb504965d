"""Every command has help with an example, and the reference pages are those of the code."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from graphsvc.cli.root import root
from tests.cli.conftest import ROOT, environment


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            assert found is not None
            yield from commands(found, f"{name} {child}")


ALL = dict(commands(root, "graphsvc"))


@pytest.mark.parametrize("name", ALL)
def test_help_has_an_example_and_says_what_each_option_does(name: str) -> None:
    command = ALL[name]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]

    assert command.help is not None
    assert re.search(rf"\x08\n +Example:\n.*{name}", command.help, re.DOTALL)
    assert [option.name for option in options if not option.help] == []


def test_reference_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_line_starts_without_engines() -> None:
    """What `graphsvc --help` imports decides how every command feels."""
    heavy = {"duckdb", "polars", "pyarrow", "kuzu", "tree_sitter", "rich", "filelock"}
    script = f"import sys, graphsvc.cli; print(sorted({heavy!r} & set(sys.modules)))"

    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[]\n"
