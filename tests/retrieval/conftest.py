from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphsvc.knowledge import KnowledgeBase
from tests.retrieval import library


@pytest.fixture(scope="session", autouse=True)
def small_shards() -> Iterator[None]:
    """Shards so small that the library has several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loaders.text_index.SHARD_BYTES", 4000)
        yield


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory, small_shards: None) -> KnowledgeBase:
    """A knowledge base of the library, for questions that change nothing."""
    return library.make(tmp_path_factory.mktemp("library"))
