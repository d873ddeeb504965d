"""Fixtures of the graph's tests.

``pytest tests/graph --graph-engine NAME`` runs all of them with another engine; a process can load only one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.graph.engine import DEFAULT, ENGINES

from .samples import Sample, make_sample


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--graph-engine", choices=ENGINES, default=DEFAULT, help="engine that the graph tests use"
    )


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> str:
    """Name of the engine under test."""
    return str(request.config.getoption("--graph-engine", default=DEFAULT))


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """The sample, its files in a folder whose name needs quoting."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    return make_sample(folder)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, engine: str) -> Path:
    """A database file of the sample, built once; tests must not change it."""
    folder = tmp_path_factory.mktemp("built")
    return make_sample(folder).build(folder / "graph.kuzu", engine)
