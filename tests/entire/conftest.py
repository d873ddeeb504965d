from pathlib import Path

import pytest

from tests.entire.checkpoints import Bank


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """An empty repository and an empty store."""
    return Bank(tmp_path)
