"""A store of the sample repository, built once and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from examples.sample import build
from graphsvc.knowledge import KnowledgeBase


class Sample(NamedTuple):
    """A repository and a store that is up to date with it."""

    repository: Path
    store: Path

    def open(self) -> KnowledgeBase:
        return KnowledgeBase.open(self.store)

    def root_digest(self) -> str:
        return self.open().store.generations()[0].root_digest


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = tmp_path_factory.mktemp("built")
    repository = build(folder / "tally")
    kb = KnowledgeBase.init(folder / "store")
    kb.add_repository(repository)
    kb.rebuild()
    return Sample(repository, folder / "store")


@pytest.fixture
def sample(built: Sample, tmp_path: Path) -> Sample:
    repository, store = tmp_path / "tally", tmp_path / "store"
    shutil.copytree(built.repository, repository, symlinks=True)
    shutil.copytree(built.store, store)
    copy = Sample(repository, store)
    copy.open().add_repository(repository)
    return copy


@pytest.fixture
def empty(built: Sample, tmp_path: Path) -> Sample:
    """A store that has the repository registered and nothing read."""
    kb = KnowledgeBase.init(tmp_path / "empty")
    kb.add_repository(built.repository)
    return Sample(built.repository, tmp_path / "empty")
