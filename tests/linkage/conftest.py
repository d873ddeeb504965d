from __future__ import annotations

import pytest

from tests.linkage import world as invented
from tests.queries.conftest import Trails

__all__ = ["world"]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Trails:
    """The project in `tests.linkage.world`, for questions that change nothing."""
    return invented.make(tmp_path_factory.mktemp("world"))
