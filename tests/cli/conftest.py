"""A store of the sample repository, built once, and the command line as its users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

import graphsvc
from examples.sample import build
from graphsvc.cli import main

ROOT = Path(__file__).parents[2]


@dataclass
class Result:
    """What a command did."""

    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.stdout)
        return found


Run = Callable[..., Result]


@dataclass
class Sample:
    """The sample repository and its store, neither of which a test changes."""

    repository: Path
    store: Path
    session: str
    prompt: str


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Sample:
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent  # all workers of a run share one store
    repository, store = shared / "sample" / "tally", shared / "sample" / "store"
    with FileLock(shared / "sample.lock"):
        if not store.exists():
            build(repository)
            kb = graphsvc.init(store)
            kb.add_repository(repository)
            kb.rebuild()
            kb.link()
            kb.index()
    newest = graphsvc.open(store).sessions().to_dicts()[0]
    return Sample(repository, store, newest["session"], newest["first_prompt"])


def environment(**more: str) -> dict[str, str]:
    inherited = {
        name: value for name, value in os.environ.items() if name not in {"GRAPHSVC_STORE", "NO_COLOR"}
    }
    return inherited | {"PYTHONPATH": str(ROOT), "COLUMNS": "120"} | more


@pytest.fixture
def run(sample: Sample, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, its output captured; on the sample's store unless another is named."""
    monkeypatch.delenv("GRAPHSVC_STORE", raising=False)

    def run_(*arguments: str, store: Path | None = sample.store, cwd: Path = sample.repository) -> Result:
        monkeypatch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main([*(() if store is None else ("--store", str(store))), *arguments])
        output, errors = capfdbinary.readouterr()
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, output, errors.decode())

    return run_


@pytest.fixture(scope="session")
def launch(sample: Sample) -> Run:
    """As `run`, in a process of its own, with an environment of its own."""

    def launch_(
        *arguments: str, store: Path | None = sample.store, cwd: Path = sample.repository, **env: str
    ) -> Result:
        named = () if store is None else ("--store", str(store))
        command = [sys.executable, "-m", "graphsvc", *named, *arguments]
        done = subprocess.run(
            command, cwd=cwd, env=environment(**env), capture_output=True, timeout=120, check=False
        )
        return Result(done.returncode, done.stdout, done.stderr.decode())

    return launch_
