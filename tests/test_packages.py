"""`import graphsvc` is cheap, and fails where a foreign module has taken the name of a package of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def imported(folder: Path, script: str = "import graphsvc") -> subprocess.CompletedProcess[str]:
    """Run a script in a folder whose modules come before ours."""
    path = f"import sys; sys.path[:0] = [{str(folder)!r}]; sys.path.append({str(ROOT)!r})"
    command = [sys.executable, "-c", f"{path}\n{script}"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["loaders.py", "queries.py", "queries/__init__.py"])
def test_a_foreign_module_is_named(tmp_path: Path, name: str) -> None:
    foreign = tmp_path / name
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("")

    result = imported(tmp_path)

    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {foreign} takes the place of graphsvc's own package")


def test_import_loads_no_engine(tmp_path: Path) -> None:
    heavy = {"duckdb", "polars", "kuzu", "click", "graphsvc.knowledge"}

    assert (
        imported(tmp_path, f"import graphsvc; print(sorted({heavy!r} & set(sys.modules)))").stdout == "[]\n"
    )
