"""An invented project with history, code and two recorded sessions, for questions about all of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from graphsvc.knowledge import KnowledgeBase
from tests.entire.checkpoints import BRANCH, FIRST, SECOND, checkpoint, session
from tests.queries.talks import START, Talk
from tests.repositories import BEN, RepositoryBuilder

__all__ = ["DANGLING", "KNOWN", "ORPHAN", "first", "make", "second"]

KNOWN, DANGLING, ORPHAN = "aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"

_STORE = """def load(name):
    return name


def save(name):
    return load(name)


def forgotten():
    return None
"""
_CLOCK = """import time

NOW = time.time()
"""
_MAIN = """from app.store import load, save


def run():
    save("a")
    save("b")
    return load("b")
"""


def first() -> Talk:
    """A session of one prompt: reads, two edits, and a command that fails once."""
    talk = Talk(FIRST, cwd="/home/ada").prompt("Say hello")
    talk.say("Sure", message="m1", input_tokens=10, output_tokens=1)
    talk.say("Now", message="m1", input_tokens=10, output_tokens=5)
    talk.call("read", "Read", {"file_path": "/home/ada/app/store.py"})
    talk.edit("edit", "/home/ada/app/store.py", "a", "b").edit("edit2", "/home/ada/app/main.py", "a", "b")
    talk.call("make", "Bash", {"command": "make test"}, answer="Exit code 2\nboom", failed=True)
    return talk.call("make2", "Bash", {"command": "make test"}, seconds=60)


def second() -> Talk:
    """A session of the next day, with a subagent, whose transcript ends in a damaged line."""
    talk = (
        Talk(SECOND, start=START + timedelta(days=1), cwd="/elsewhere")
        .prompt("Try again")
        .prompt("And again")
    )
    talk.say(
        "Hm", message="m2", model="model-2", input_tokens=7, output_tokens=3, cache_read_input_tokens=100
    )
    talk.call("task", "Task", {"prompt": "Look"}, answer=None)
    talk.nested("inner", "Read", {"file_path": "/elsewhere/README.txt"}, parent="task")
    talk.call("readme", "Read", {"file_path": "/elsewhere/README.txt"})
    return talk.call("make3", "Bash", {"command": "make test"}, answer="Exit code 1", failed=True)


def _repository(folder: Path) -> RepositoryBuilder:
    made = RepositoryBuilder(folder / "project")
    made.commit(
        {
            "app/__init__.py": "",
            "app/store.py": _STORE,
            "app/clock.py": _CLOCK,
            "app/main.py": _MAIN,
            "README.txt": "# Project\n",
        },
        "Begin",
    )
    for message, number, author in (
        (f"Greet\n\nEntire-Checkpoint: {KNOWN}\n", 1, "Ada Example <ada@example.org>"),
        (f"Fix\n\nEntire-Checkpoint: {DANGLING}\n", 2, BEN),
    ):
        files = {"app/store.py": f"{_STORE}# {number}\n", "app/main.py": f"{_MAIN}# {number}\n"}
        made.commit(files, message, author=author)
    made.commit({"README.txt": "# The project\n", "app/main.py": _MAIN}, "Tidy", author=BEN)
    shares = {"initial_attribution": {"agent_lines": 6, "total_committed": 8, "agent_percentage": 75}}
    files = checkpoint(
        KNOWN,
        {0: {"metadata.json": session(KNOWN, FIRST, **shares), "full.jsonl": first().bytes()}},
        branch="greet",
    ) | checkpoint(
        ORPHAN,
        {
            0: {
                "metadata.json": session(ORPHAN, SECOND, created_at="2026-01-02T01:00:00Z"),
                "full.jsonl": second().bytes() + b'{"type":"summary"}{"type":"summary"}\n{"type":\n',
            }
        },
    )
    made.orphan_branch(BRANCH, files, "Checkpoint")
    return made


def make(folder: Path) -> KnowledgeBase:
    """A knowledge base of the project, with its graph."""
    made = _repository(folder)
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    return kb
