from __future__ import annotations

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.retrieval import library


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """A knowledge base of the library, for questions that change nothing."""
    return library.make(tmp_path_factory.mktemp("library"))
