"""Sessions, their turns and checkpoints, of the invented project in `world` and of one that lost a transcript."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from graphsvc.errors import Ambiguous, NotFound
from graphsvc.knowledge import KnowledgeBase
from queries.sessions import session, sessions
from tests.entire.checkpoints import FIRST, SECOND
from tests.queries.conftest import Trails, session_of
from tests.queries.talks import Talk
from tests.queries.world import KNOWN, ORPHAN


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """A time in the project's January, as the store has it."""
    return datetime(2026, 1, day, hour, minute, second)


def test_all_sessions_newest_first(kb: KnowledgeBase) -> None:
    answer = kb.sessions()

    assert answer.columns == (
        "session",
        "agent",
        "branch",
        "started_at",
        "ended_at",
        "turns",
        "tool_calls",
        "checkpoints",
        "commits",
        "files",
        "first_prompt",
        "is_kept",
    )
    assert answer.rows == [
        (SECOND, "Claude Code", None, at(2), at(2, second=8), 2, 4, 1, 0, 1, "Try again", False),
        (FIRST, "Claude Code", None, at(1), at(1, minute=1, second=11), 1, 5, 1, 1, 1, "Say hello", False),
    ]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"since": datetime(2026, 1, 1, 0, 1, tzinfo=UTC)}, [SECOND, FIRST]),
        ({"since": datetime(2026, 1, 1, 0, 2, tzinfo=UTC)}, [SECOND]),
        ({"before": datetime(2026, 1, 2, tzinfo=UTC)}, [FIRST]),
        ({"agent": "claude code"}, [SECOND, FIRST]),
        ({"agent": "Codex"}, []),
        ({"branch": "greet"}, []),
        ({"limit": 1}, [SECOND]),
    ],
)
def test_filters(kb: KnowledgeBase, filters: dict[str, Any], found: list[str]) -> None:
    assert [row[0] for row in kb.sessions(**filters).rows] == found


def test_a_note_says_that_there_are_more(kb: KnowledgeBase) -> None:
    assert kb.sessions(limit=1).coverage.notes == ("showing the first 1: raise --limit for more",)
    assert kb.sessions(limit=2).coverage.notes == ()


def test_turns_of_a_session(kb: KnowledgeBase) -> None:
    answer = kb.session(SECOND[:8])

    assert answer.name == f"session {SECOND}"
    assert [row[1:9] for row in answer.rows] == [
        (1, at(2), at(2), 1, 0, 0, 0, "Try again"),
        (2, at(2, second=1), at(2, second=8), 10, 4, 1, 0, "And again"),
    ]
    assert [b"And again" in kb.evidence(f"{row[10]}:{row[11]}-{row[12]}") for row in answer.rows] == [
        False,
        True,
    ]


def test_sessions_of_a_checkpoint(kb: KnowledgeBase) -> None:
    answer = kb.checkpoint(ORPHAN)

    [row] = answer.rows
    assert dict(zip(answer.columns[:15], row[:15], strict=True)) == {
        "checkpoint": ORPHAN,
        "session_index": 0,
        "session": SECOND,
        "agent": "Claude Code",
        "branch": None,
        "created_at": at(2, 1),
        "strategy": "manual-commit",
        "files": 1,
        "input_tokens": None,
        "output_tokens": None,
        "intent": None,
        "commits": None,
        "documents": 2,
        "missing_documents": 0,
        "is_withdrawn": False,
    }


def test_commits_of_a_checkpoint(kb: KnowledgeBase) -> None:
    answer = kb.checkpoint(KNOWN)

    assert [len(row[answer.columns.index("commits")]) for row in answer.rows] == [1]


@pytest.mark.parametrize("name", ["33333333", "%"])
def test_unknown_names(kb: KnowledgeBase, name: str) -> None:
    with pytest.raises(NotFound):
        kb.session(name)
    with pytest.raises(NotFound):
        kb.checkpoint(name)


def test_an_ambiguous_name(kb: KnowledgeBase) -> None:
    with pytest.raises(Ambiguous):
        kb.session("")


@pytest.fixture(scope="module")
def shrunk(tmp_path_factory: pytest.TempPathFactory) -> Trails:
    """A session whose later transcript was withdrawn, and one that was withdrawn whole."""
    made = Trails(tmp_path_factory.mktemp("shrunk"))
    made.commit({"app.py": "a\n"})
    talk = Talk(session_of("kept")).prompt("One").say("Yes")
    made.keep("kept", talk.bytes())
    kept = dict(made.checkpoints)
    made.keep("longer", Talk(session_of("gone")).prompt("Gone"))
    made.keep("longest", talk.prompt("Two").say("No"))
    made.load()
    made.checkpoints = kept
    made.load()
    return made


def test_what_was_withdrawn_does_not_count(shrunk: Trails) -> None:
    with shrunk.store.read() as reader:
        rows = sessions(reader).rows

    assert [(row[0], row[3], row[4], row[5], row[10]) for row in rows] == [
        (session_of("kept"), at(1), at(1, second=1), 1, "One")
    ]


def test_withdrawn_turns_have_no_number(shrunk: Trails) -> None:
    with shrunk.store.read() as reader:
        key, table = session(reader, session_of("kept"))

    assert key == session_of("kept")
    assert [(row[1], row[8]) for row in table.rows] == [(1, "One"), (None, "Two")]
