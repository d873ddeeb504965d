"""A small invented repository with the sessions of the agent that wrote most of it.

``python -m examples.sample DIR`` makes it in a folder that does not exist yet. It is called tally: a library that
adds up the entries of a ledger. Two sessions of a coding agent, in the transcript format of Claude Code, wrote
most of its lines by tool calls; a branch ``entire/checkpoints/v1`` holds them in Entire's layout, and the commits'
trailers name the checkpoints. People, dates and ids are fixed, so that every object id is the same anywhere.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.entire.checkpoints import BRANCH, checkpoint, session
from tests.repositories import ADA, BEN, FIRST_COMMIT, RepositoryBuilder
from tests.transcripts.ingestion import jsonl

__all__ = ["Agent", "build", "main"]

_HOME = "/home/ada/tally"
_MODEL = "claude-sonnet-4-5"

_MONEY = '''\
"""Amounts of money, in whole cents."""


def parse_amount(text):
    """Cents of an amount such as 12.50."""
    units, _, cents = text.strip().partition(".")
    return int(units) * 100 + int(cents or 0)


def show_amount(cents):
    """An amount as people write it."""
    return f"{cents // 100}.{cents % 100:02d}"
'''

_README = """\
# tally

Adds up the entries of a ledger.
"""

_LEDGER = '''\
"""Entries of a ledger: lines of date, account and amount."""

import csv

from tally.money import parse_amount


def read_entries(lines):
    """Account and cents of each entry."""
    for date, account, amount in csv.reader(lines):
        yield account, parse_amount(amount)


def total_by_account(lines):
    """Cents by account."""
    totals = {}
    for account, cents in read_entries(lines):
        totals[account] = totals.get(account, 0) + cents
    return totals
'''

_TEST = """\
from tally.ledger import total_by_account


def test_totals_are_kept_apart_by_account():
    lines = ["2026-01-01,rent,900.00", "2026-01-02,food,12.50", "2026-01-03,food,7.25"]

    assert total_by_account(lines) == {"rent": 90000, "food": 1975}
"""

_SEPARATOR_TEST = """\


def test_an_amount_may_have_a_thousands_separator():
    assert total_by_account(['2026-01-01,rent,"1,250.00"']) == {"rent": 125000}
"""

_COMMAND = '''\
"""Print the totals of a ledger, the largest first: python -m tally FILE"""

import sys

from tally.ledger import total_by_account
from tally.money import show_amount


def main(path):
    """Read the file and print a line for each account."""
    with open(path, encoding="utf-8", newline="") as file:
        totals = total_by_account(file)
    for account, cents in sorted(totals.items(), key=lambda item: -item[1]):
        print(f"{show_amount(cents):>12}  {account}")


if __name__ == "__main__":
    main(sys.argv[1])
'''


class Agent:
    """A session of an invented coding agent: what it writes lands in files, and every step in its transcript.

    Args:
        name: What its ids are derived from.
        files: The work tree, content by path; the agent changes it.
        now: Time of its first record; each further one comes two seconds later.
    """

    def __init__(self, name: str, files: dict[str | bytes, str], now: int) -> None:
        self.session_id = _derived(name)
        self.touched: dict[str | bytes, str] = {}
        self.prompts: list[str] = []
        self._files = files
        self._now = now
        self._records: list[dict[str, Any]] = []

    def wait_until(self, now: int) -> None:
        """Go on later."""
        self._now = now
        self.touched = {}

    def prompt(self, text: str) -> None:
        """A person asks for something."""
        self.prompts.append(text)
        self._add("user", {"content": text})

    def say(self, text: str) -> None:
        """The agent says something."""
        self._assistant({"type": "text", "text": text})

    def read(self, path: str) -> None:
        """Look at a file."""
        self._call("Read", {"file_path": f"{_HOME}/{path}"}, self._files[path])

    def write(self, path: str, text: str) -> None:
        """Write a whole file."""
        self._files[path] = self.touched[path] = text
        given = {"file_path": f"{_HOME}/{path}", "content": text}
        self._call("Write", given, f"File created successfully at: {_HOME}/{path}")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a piece of a file, which must be there once."""
        assert self._files[path].count(old) == 1
        self._files[path] = self.touched[path] = self._files[path].replace(old, new)
        given = {"file_path": f"{_HOME}/{path}", "old_string": old, "new_string": new}
        self._call("Edit", given, f"The file {_HOME}/{path} has been updated.")

    def run(self, command: str, output: str, *, fails: bool = False) -> None:
        """Run a command."""
        self._call("Bash", {"command": command}, output, is_error=fails)

    def token_usage(self) -> dict[str, int]:
        """Tokens of the session so far, as Entire records them."""
        usages = [r["message"]["usage"] for r in self._records if r["type"] == "assistant"]
        return {
            "input_tokens": sum(usage["input_tokens"] for usage in usages),
            "cache_creation_tokens": 0,
            "cache_read_tokens": sum(usage["cache_read_input_tokens"] for usage in usages),
            "output_tokens": sum(usage["output_tokens"] for usage in usages),
            "api_call_count": len(usages),
        }

    def transcript(self) -> bytes:
        """The session so far."""
        return jsonl(*self._records)

    def _call(self, name: str, given: Mapping[str, Any], output: str, *, is_error: bool = False) -> None:
        call = f"toolu_{self._id('call').replace('-', '')[:24]}"
        self._assistant({"type": "tool_use", "id": call, "name": name, "input": given})
        result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": is_error}
        self._add("user", {"content": [result]})

    def _assistant(self, block: Mapping[str, Any]) -> None:
        usage = {
            "input_tokens": 12,
            "cache_read_input_tokens": 4000,
            "output_tokens": 40 + len(str(block)) // 4,
        }
        message = f"msg_{self._id('message').replace('-', '')[:24]}"
        self._add("assistant", {"id": message, "model": _MODEL, "content": [block], "usage": usage})

    def _add(self, role: str, message: Mapping[str, Any]) -> None:
        record = {
            "parentUuid": self._records[-1]["uuid"] if self._records else None,
            "isSidechain": False,
            "cwd": _HOME,
            "sessionId": self.session_id,
            "version": "2.0.0",
            "gitBranch": "main",
            "type": role,
            "message": {"role": role, **message},
            "uuid": self._id("record"),
            "timestamp": datetime.fromtimestamp(self._now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        }
        self._records.append(record)
        self._now += 2

    def _id(self, what: str) -> str:
        """An id that depends on nothing but the session and the place in it."""
        return _derived(self.session_id, str(len(self._records)), what)


def _derived(*parts: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(("tally", *parts))))


class _Sample:
    """The repository while it is being made."""

    def __init__(self, folder: Path) -> None:
        self.repository = RepositoryBuilder(folder)
        self.files: dict[str | bytes, str] = {}
        self._checkpoints = ""

    def soon(self) -> int:
        """A time shortly before the next commit."""
        return FIRST_COMMIT + 60 * self.repository.commits - 45

    def commit(self, files: Mapping[str | bytes, str], message: str, author: str = ADA) -> None:
        """A commit by a person."""
        self.files |= files
        self.repository.commit(files, message, author=author)

    def commit_with(self, agent: Agent, title: str, key: str) -> None:
        """A commit of what an agent wrote since the last one, and the checkpoint that its trailer names."""
        created_at = datetime.fromtimestamp(self.soon(), UTC) + timedelta(seconds=40)
        touched = sorted(map(str, agent.touched))
        said = {
            "files_touched": touched,
            "branch": "main",
            "cli_version": "0.7.0",
            "token_usage": agent.token_usage(),
        }
        members = {
            "metadata.json": session(key, agent.session_id, created_at=created_at.isoformat(), **said),
            "full.jsonl": agent.transcript(),
            "prompt.txt": "\n\n---\n\n".join(agent.prompts).encode(),
        }
        self.commit(agent.touched, f"{title}\n\nEntire-Checkpoint: {key}\n")
        files = checkpoint(key, {0: members}, **said)
        message = f"Checkpoint: {key}\n\nEntire-Session: {agent.session_id}\n"
        parents = [self._checkpoints] if self._checkpoints else []
        self._checkpoints = self.repository.commit(files, message, branch=BRANCH, parents=parents)


def build(folder: Path) -> Path:
    """Make the sample repository, with a work tree.

    Args:
        folder: Where it is to be; must not exist.

    Returns:
        The folder.
    """
    sample = _Sample(folder)
    sample.commit(
        {"README.md": _README, "tally/__init__.py": "", "tally/money.py": _MONEY}, "Add amounts of money"
    )
    first = Agent("first session", sample.files, sample.soon())
    _add_ledger(first)
    sample.commit_with(first, "Total the entries of a ledger by account", "a1b2c3d4e5f6")
    usage = _README + "\nA ledger has a line for each entry: date, account, amount.\n"
    sample.commit({"README.md": usage}, "Describe the format of a ledger", author=BEN)
    first.wait_until(sample.soon())
    _accept_separators(first)
    sample.commit_with(first, "Accept thousands separators in amounts", "b2c3d4e5f6a1")
    second = Agent("second session", sample.files, sample.soon())
    _add_command(second, usage)
    sample.commit_with(second, "Print totals from the command line", "c3d4e5f6a1b2")
    sample.repository.checkout()
    return folder


def _add_ledger(agent: Agent) -> None:
    agent.prompt(
        "Read a ledger: lines of date, account and amount. I want a function that totals the entries by account,"
        " with a test."
    )
    agent.read("tally/money.py")
    agent.say("Amounts can be parsed already. I will read the lines with csv and add up cents.")
    agent.write("tally/ledger.py", _LEDGER)
    agent.write("tests/test_ledger.py", _TEST)
    agent.run("python -m pytest -q", "1 passed in 0.01s")
    agent.say("The totals are kept by account, and the test passes.")


def _accept_separators(agent: Agent) -> None:
    agent.prompt(
        "Amounts with a thousands separator, such as 1,250.00, make it crash. Please fix that at the root."
    )
    agent.edit("tests/test_ledger.py", _TEST[-60:], _TEST[-60:] + _SEPARATOR_TEST)
    failure = "ValueError: invalid literal for int() with base 10: '1,250'\n1 failed, 1 passed in 0.02s"
    agent.run("python -m pytest -q", failure, fails=True)
    agent.edit(
        "tally/money.py",
        '    units, _, cents = text.strip().partition(".")\n',
        '    units, _, cents = text.strip().replace(",", "").partition(".")\n',
    )
    agent.run("python -m pytest -q", "2 passed in 0.01s")
    agent.say("Separators are dropped where amounts are parsed, so that every caller gets it right.")


def _add_command(agent: Agent, readme: str) -> None:
    agent.prompt("Add a command, python -m tally FILE, that prints the totals, the largest first.")
    agent.read("tally/ledger.py")
    agent.write("tally/__main__.py", _COMMAND)
    last = readme.splitlines()[-1]
    agent.edit(
        "README.md", last, f"{last}\n\nRun `python -m tally FILE` to print the totals, the largest first."
    )
    agent.run("python -m tally ledger.csv", "      900.00  rent\n       19.75  food")
    agent.say("The command prints one line for each account.")


def main() -> None:
    """Make the sample repository in the folder that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m examples.sample DIR")
    folder = Path(sys.argv[1])
    if folder.exists():
        sys.exit(f"{folder} exists already: name a new folder")
    print(build(folder))


if __name__ == "__main__":
    main()
