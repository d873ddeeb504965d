"""An invented library with code, history and sessions about it, to search in."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from graphsvc.knowledge import KnowledgeBase
from tests.entire.checkpoints import BRANCH, checkpoint, session
from tests.queries.talks import START, Talk
from tests.repositories import RepositoryBuilder

__all__ = ["TOPICS", "make", "record", "repository", "session_of"]

TOPICS = ("retrying uploads", "caching thumbnails", "parsing dates", "locking the ledger", "naming exports")

_UPLOAD = '''"""Uploads."""


def retry_upload(path, attempts=3):
    """Send a file again until the server has it."""
    return path, attempts


class Ledger:
    """Entries, under one lock."""

    def append_entry(self, entry):
        return entry
'''
_TEST = "from library.upload import retry_upload\n\n\ndef test_retry():\n    assert retry_upload('a')\n"


def session_of(topic: str) -> str:
    """Id of the session about a topic."""
    return str(uuid5(NAMESPACE_URL, topic))


def _talk(number: int, topic: str) -> Talk:
    talk = Talk(session_of(topic), start=START + timedelta(days=number), cwd="/work")
    talk.prompt(f'We have trouble with {topic}.\nPlease look into "{topic}" — café first')
    talk.say(f"I will look at {topic} now", message="m1")
    talk.call(
        "read", "Read", {"file_path": "/home/ada/library/upload.py"}, answer=f"1\tabout {topic}\n2\tend"
    )
    talk.prompt(f"Does {topic} work under load?").say("It does: every one of 40 runs passed", message="m2")
    return talk.call(
        "test", "Bash", {"command": f"make test TOPIC='{topic}'"}, answer="Exit code 1", failed=True
    )


def record(made: RepositoryBuilder, *topics: str) -> None:
    """Make sessions about some topics all that the checkpoints have."""
    files: dict[str | bytes, bytes] = {}
    for topic in topics:
        number = TOPICS.index(topic)
        key = f"{number:012x}"
        recorded = {
            "metadata.json": session(key, session_of(topic)),
            "full.jsonl": _talk(number, topic).bytes(),
        }
        files |= checkpoint(key, {0: recorded})
    made.orphan_branch(BRANCH, files, "Checkpoint")


def repository(folder: Path) -> RepositoryBuilder:
    """The repository with its checkpoints."""
    made = RepositoryBuilder(folder)
    made.commit(
        {"library/__init__.py": "", "library/upload.py": _UPLOAD, "README.md": "# Library\n"}, "Begin"
    )
    made.commit({"tests/test_upload.py": _TEST}, "Test that uploads are retried")
    record(made, *TOPICS)
    return made


def make(folder: Path) -> KnowledgeBase:
    """A knowledge base of the library."""
    made = repository(folder / "library")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    kb.index()
    return kb
