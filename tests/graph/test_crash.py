"""A build that is killed at any point leaves nothing that looks like a graph, and the next one is right."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graphsvc.errors import NotFound
from graphsvc.graph.build import unfinished
from graphsvc.graph.reader import GraphReader
from graphsvc.graph.verify import verify

from .samples import Sample

# Builds in a process that kills itself before or after its n-th statement, or before a sync.
BUILDER = """
import json, os, signal, sys
from pathlib import Path
from graphsvc.graph import build
from graphsvc.graph.engine import Connection
from graphsvc.graph.schema import GraphSchema

job = json.loads(sys.argv[1])
run, sync = Connection.run, build.sync
events = []

def happens(*event):
    if list(event) == job["point"]:
        os.kill(os.getpid(), signal.SIGKILL)

def run_or_die(self, cypher):
    word = cypher.split()[0]
    number = events.count(word)
    events.append(word)
    happens("before", word, number)
    result = run(self, cypher)
    happens("after", word, number)
    return result

def sync_or_die(path):
    happens("sync", path.name)
    sync(path)

Connection.run, build.sync = run_or_die, sync_or_die
files = {name: Path(file) for name, file in job["files"].items()}
build.build(Path(job["path"]), GraphSchema.from_dict(job["schema"]), files, engine=job["engine"])
"""

UNFINISHED = [
    ["before", "CREATE", 0],
    ["after", "CREATE", 5],
    ["before", "COPY", 0],
    ["after", "COPY", 0],
    ["after", "COPY", 3],
    ["after", "COPY", 5],
    ["before", "CHECKPOINT", 0],
    ["after", "CHECKPOINT", 0],
    ["sync", "graph.kuzu.building"],
]


def build_until(point: list[object], sample: Sample, path: Path, engine: str) -> int:
    """Exit status of a build that kills itself at a point."""
    job = {
        "point": point,
        "path": str(path),
        "schema": sample.schema.to_dict(),
        "files": {name: str(file) for name, file in sample.files.items()},
        "engine": engine,
    }
    return subprocess.run([sys.executable, "-c", BUILDER, json.dumps(job)], check=False).returncode


@pytest.mark.parametrize("point", UNFINISHED, ids=str)
def test_killed_build_is_no_graph_and_can_be_repeated(
    sample: Sample, tmp_path: Path, engine: str, point: list[object]
) -> None:
    path = tmp_path / "graph.kuzu"

    assert build_until(point, sample, path, engine) == -signal.SIGKILL
    assert list(tmp_path.glob("graph.kuzu*")), "the build was killed before it began"
    with pytest.raises(NotFound):
        GraphReader.open(path, engine=engine)

    sample.build(path, engine)

    assert [found.name for found in tmp_path.glob("graph.kuzu*")] == ["graph.kuzu"]
    assert verify(path, sample.schema, sample.digests, engine=engine).ok


def test_build_that_is_killed_once_it_has_its_name_is_complete(
    sample: Sample, tmp_path: Path, engine: str
) -> None:
    path = tmp_path / "graph.kuzu"

    assert build_until(["sync", tmp_path.name], sample, path, engine) == -signal.SIGKILL

    assert not unfinished(path).exists()
    assert verify(path, sample.schema, sample.digests, engine=engine).ok


def test_builder_of_these_tests_finishes_when_nothing_kills_it(
    sample: Sample, tmp_path: Path, engine: str
) -> None:
    assert build_until([], sample, tmp_path / "graph.kuzu", engine) == 0
