"""A rebuild that is killed leaves the generation before it served, and the next rebuild is right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.rebuild.conftest import Sample
from tests.rebuild.driver import POINTS
from tests.repositories import RepositoryBuilder

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def expected(built: Sample, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Root digest that the store has, and the one that a rebuild without interruption gives after the change."""
    import shutil

    folder = tmp_path_factory.mktemp("expected")
    copy = Sample(folder / "tally", folder / "store")
    shutil.copytree(built.repository, copy.repository, symlinks=True)
    shutil.copytree(built.store, copy.store)
    copy.open().add_repository(copy.repository)
    before = copy.root_digest()
    change(copy)
    copy.open().rebuild()
    return before, copy.root_digest()


def change(sample: Sample) -> None:
    """Something new for the git, the code and the checkpoint loader: a commit, and a checkpoint that is gone."""
    builder = RepositoryBuilder.existing(sample.repository)
    builder.commit({"tally/money.py": "def parse_amount(text):\n    return int(text)\n"}, "Simplify\n")
    key = "c3/d4e5f6a1b2/metadata.json"
    branch = "entire/checkpoints/v1"
    content = builder.git("show", f"{branch}:{key}").replace("0.7.0", "0.7.1")
    builder.commit({key: content}, "Update a checkpoint\n", branch=branch)


@pytest.mark.parametrize("point", POINTS)
def test_nothing_is_lost_and_nothing_half_done_is_served(
    sample: Sample, expected: tuple[str, str], point: str
) -> None:
    change(sample)
    command = [sys.executable, "-m", "tests.rebuild.driver", str(sample.store), point]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert killed.returncode == -9, killed.stderr.decode()

    before, after = expected
    served = after if point == "after publish 1" else before
    kb = KnowledgeBase.open(sample.store)
    assert kb.coverage().root_digest == served
    assert kb.cypher("MATCH (c:Commit) RETURN count(*) AS n").to_dicts() == [
        {"n": 5 if served == before else 6}
    ]

    kb.rebuild()
    assert sample.root_digest() == after
    with kb.store.read() as reader:
        [(events, lowest, highest)] = reader.rows("SELECT count(*), min(seq), max(seq) FROM event")
    assert (lowest, highest) == (1, events)
    folders = {path.name for path in (sample.store / "generations").iterdir()}
    assert folders == {generation.folder for generation in kb.store.generations()[:2]}
