"""Readers keep the generation that they opened; a second rebuild is told who is at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import StoreBusy
from graphsvc.knowledge import KnowledgeBase
from tests.rebuild.conftest import Sample
from tests.repositories import RepositoryBuilder

ROOT = Path(__file__).parents[2]
COUNT = "MATCH (c:Commit) RETURN count(*) AS n"


def commits(kb: KnowledgeBase) -> int:
    [row] = kb.cypher(COUNT).to_dicts()
    return int(row["n"])


def rebuild_elsewhere(store: Path) -> None:
    code = (
        "from pathlib import Path; from graphsvc.knowledge import KnowledgeBase\n"
        f"KnowledgeBase.open(Path({str(store)!r})).rebuild()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_an_open_reader_sees_the_old_generation_until_it_reopens(sample: Sample) -> None:
    reader = sample.open()
    before = commits(reader)
    builder = RepositoryBuilder.existing(sample.repository)
    for number in range(3):
        builder.commit({"notes.txt": str(number)}, f"Note {number}\n")
        rebuild_elsewhere(sample.store)

    assert commits(reader) == before
    assert not reader.coverage().is_current or reader.coverage().generation == 4
    reader.reload()
    assert commits(reader) == before + 3


def test_old_generations_are_removed_unless_a_reader_holds_them(sample: Sample) -> None:
    reader = sample.open()
    commits(reader)
    builder = RepositoryBuilder.existing(sample.repository)
    for number in range(3):
        builder.commit({"notes.txt": str(number)}, f"Note {number}\n")
        sample.open().rebuild()
    numbers = sorted(int(path.name.split("-")[0]) for path in (sample.store / "generations").iterdir())
    assert numbers == [1, 3, 4]

    reader.reload()
    builder.commit({"notes.txt": "last"}, "Last note\n")
    sample.open().rebuild()
    numbers = sorted(int(path.name.split("-")[0]) for path in (sample.store / "generations").iterdir())
    assert numbers == [4, 5]


def test_a_second_rebuild_is_told_the_process_that_is_at_work(sample: Sample) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from graphsvc.canonical.lock import exclusive\n"
            f"with exclusive(Path({str(sample.store)!r}), 'rebuild', wait=5):\n"
            "    print('held', flush=True); sys.stdin.read()",
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        with pytest.raises(StoreBusy) as caught:
            KnowledgeBase(CanonicalStore(sample.store, wait=0.2)).rebuild()
    finally:
        holder.communicate(timeout=30)

    assert caught.value.pid == holder.pid


def test_a_lock_is_free_again_when_its_holder_is_killed(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from graphsvc.canonical.lock import exclusive\n"
            f"with exclusive(Path({str(tmp_path)!r}), 'write', wait=5):\n"
            "    print('held', flush=True); sys.stdin.read()",
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    holder.kill()
    holder.communicate(timeout=30)

    with exclusive(tmp_path, "write", wait=0.2):
        assert (tmp_path / "write.pid").read_text() == str(os.getpid())


def test_readers_of_events_do_not_block_a_rebuild(sample: Sample) -> None:
    reader = sample.open()
    assert len(reader.sql("SELECT oid FROM commit")) == 5
    RepositoryBuilder.existing(sample.repository).commit({"notes.txt": "x"}, "Note\n")
    rebuild_elsewhere(sample.store)

    assert len(reader.sql("SELECT oid FROM commit")) == 6
