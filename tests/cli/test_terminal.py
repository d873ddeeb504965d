"""What a terminal gets: tables with colours, names to complete, and progress of long work."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

from graphsvc.cli.progress import Bars, Lines
from tests.cli.conftest import Run, Sample, environment


def on_terminal(*arguments: str, store: Path) -> str:
    """Output of a command whose standard output is a terminal."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "graphsvc", "--store", str(store), *arguments]
    with subprocess.Popen(
        command, env=environment(TERM="xterm"), stdout=terminal, stderr=subprocess.DEVNULL
    ) as process:
        os.close(terminal)
        output = b""
        while True:
            try:
                output += os.read(controller, 4096)
            except OSError:  # the other side is closed
                break
    os.close(controller)
    assert process.returncode == 0
    return output.decode()


def test_a_terminal_gets_a_table(sample: Sample) -> None:
    output = on_terminal("symbol", "parse_amount", store=sample.store)

    assert "tally/money.py:4" in output
    assert "\x1b[" in output
    assert not output.startswith("{")


def test_evidence_cannot_command_a_terminal(sample: Sample, run: Run) -> None:
    document = (
        "SELECT part.segment FROM part JOIN document USING (document_id) WHERE path LIKE 'b2/%prompt.txt'"
    )
    segment = run("sql", document).document["rows"][0]["segment"]

    output = on_terminal("evidence", segment, store=sample.store)

    assert output.startswith("Read a ledger: ")
    assert "\x1b" not in output


def test_the_shell_completes_names_that_the_store_has(launch: Run, sample: Sample) -> None:
    def completed(*words: str) -> list[str]:
        typed = " ".join(["graphsvc", "--store", str(sample.store), *words])
        position = str(len(typed.split()) - 1)
        typed_there = {"_GRAPHSVC_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": position}
        return [line.partition(",")[2] for line in launch(store=None, **typed_there).text.splitlines()]

    assert completed("callers", "par") == ["parse_amount"]
    assert completed("session", sample.session[:4]) == [sample.session]
    assert completed("checkpoint", "a1") == ["a1b2c3d4e5f6"]
    assert completed("query", "top_t") == ["top_tools"]
    assert completed("reb") == ["rebuild"]


def test_completion_outside_of_a_store_is_silent(launch: Run, tmp_path: Path) -> None:
    typed = {"_GRAPHSVC_COMPLETE": "bash_complete", "COMP_WORDS": "graphsvc callers par", "COMP_CWORD": "2"}

    result = launch(store=None, cwd=tmp_path, **typed)

    assert (result.text.strip(), result.stderr) == ("", "")


def test_bars_appear_only_after_a_second() -> None:
    display, now = Mock(), [0.0]
    bars = Bars(lambda: display, clock=lambda: now[0])

    bars.report("read", 1, 10)
    assert display.mock_calls == []

    now[0] = 1.5
    bars.report("read", 2, 10)
    bars.report("build", 0, None)
    bars.close()

    assert [call[0] for call in display.mock_calls] == [
        "start",
        "add_task",
        "update",
        "stop_task",
        "add_task",
        "update",
        "stop",
    ]


def test_off_a_terminal_a_long_stage_is_one_line() -> None:
    now = [0.0]
    lines: list[str] = []
    shown = Lines(lines.append, clock=lambda: now[0])

    for stage, done, time in (
        ("quick", 0, 0.0),
        ("read", 0, 2.0),
        ("read", 1, 4.0),
        ("read", 3, 8.0),
        ("read", 8, 16.0),
        ("build", 0, 20.0),
    ):
        now[0] = time
        shown.report(stage, done, 10)
    now[0] = 32.0
    shown.close()

    assert lines == ["read: 3 of 10 after 6 s", "build: done in 12 s"]
