"""Named queries count a thing once, however often the evidence has it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.entire.checkpoints import BRANCH, FIRST, SECOND, checkpoint, session
from tests.repositories import RepositoryBuilder

KEY = "aaaaaaaaaaaa"


def lines(agent: int, total: int, **more: Any) -> dict[str, Any]:
    return {"agent_lines": agent, "total_committed": total, **more}


def captured(folder: Path, *shares: dict[str, Any], **fields: Any) -> KnowledgeBase:
    """A store of one checkpoint of two agents' sessions, with what each recorded of the commit."""
    made = RepositoryBuilder(folder / "project")
    made.commit({"a.py": "pass\n"}, f"Change\n\nEntire-Checkpoint: {KEY}\n")
    agents = ((FIRST, "Claude Code"), (SECOND, "Gemini CLI"))
    folders: Mapping[int, Mapping[str, bytes]] = {
        index: {"metadata.json": session(KEY, name, agent=agent, initial_attribution=share)}
        for index, ((name, agent), share) in enumerate(zip(agents, shares, strict=True))
    }
    made.orphan_branch(BRANCH, checkpoint(KEY, folders, **fields), "Checkpoint")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(made.path)
    kb.rebuild()
    return kb


BOTH = "Claude Code, Gemini CLI"


@pytest.mark.parametrize(
    ("shares", "fields", "counted"),
    [
        ([lines(6, 8), lines(6, 8)], {}, (None, BOTH, 1, 2, 6, 8, 75.0)),
        ([lines(3, 8), lines(6, 8)], {}, (None, BOTH, 1, 2, 6, 8, 75.0)),
        ([lines(3, 3), lines(6, 8)], {}, (None, BOTH, 1, 2, 6, 8, 75.0)),
        (
            [lines(3, 3), lines(6, 8)],
            {"combined_attribution": lines(4, 8, metric_version=2)},
            (2, BOTH, 1, 2, 4, 8, 50.0),
        ),
    ],
    ids=["repeated", "most agent lines", "most committed lines", "combined"],
)
def test_the_share_of_a_checkpoint_counts_once(
    tmp_path: Path, shares: list[dict[str, Any]], fields: dict[str, Any], counted: tuple[Any, ...]
) -> None:
    kb = captured(tmp_path, *shares, **fields)

    assert kb.query("agent_share").rows == [(date(2026, 1, 1), *counted)]


def test_each_pair_of_changed_files_comes_once(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "project")
    names = [f"{letter}.txt" for letter in "abcdefgh"]
    for number in range(9):
        made.commit({name: str(number) for name in names[: 8 - number // 3]}, f"Change {number}")
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(made.path)
    kb.rebuild()

    pairs = kb.query("co_changed", {"limit": 100}).rows
    with_d = kb.query("co_changed", {"limit": 100, "path": "d.txt"}).rows

    assert sorted(row[:2] for row in pairs) == list(combinations(names, 2))
    assert sorted(row[:2] for row in with_d) == [("d.txt", name) for name in names if name != "d.txt"]
    assert {row[2] for row in pairs if "h.txt" in row} == {3}
