"""Standard output belongs to answers: the database draws no progress there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from graphsvc.canonical.store import CanonicalStore

SETTING = "SELECT current_setting('enable_progress_bar')"


@pytest.mark.parametrize("opener", ["reading", "writing"])
def test_no_progress_is_drawn_even_in_an_interactive_python(tmp_path: Path, opener: str) -> None:
    store = CanonicalStore.create(tmp_path / "store")
    code = (
        f"from pathlib import Path; from graphsvc.canonical.connection import {opener}\n"
        f"with {opener}(Path({str(store.path)!r}), wait=5) as connection:\n"
        f"    print(connection.execute({SETTING!r}).fetchall())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert ran.stdout == "[(False,)]\n"
