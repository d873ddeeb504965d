"""Vectors as parameters, from the folder that GRAPHSVC_VECTORS names.

A test that takes one of the names in ``CASES`` runs once for every case of the files that belong to it, for
example ``scopes.json`` and ``scopes-more.json``; where the folder has none, for those of this project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OWN = Path(__file__).parents[1] / "vectors"
VECTORS = Path(os.environ.get("GRAPHSVC_VECTORS") or OWN)

Cases = Iterator[tuple[str, dict]]


def _documents(folder: Path, name: str) -> Iterator[Any]:
    for path in sorted(folder.glob(f"{name}*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def _scopes(folder: Path, kind: str) -> Cases:
    for document in _documents(folder, "scopes"):
        for case in document.get("cases", ()):
            assert case["kind"] in ("chain", "recall"), f"no test runs scope cases of the kind {case['kind']}"
            if case["kind"] == kind:
                yield case["id"], {**case, "items": document.get("corpora", {}).get(case.get("corpus"))}


def _random_scopes(folder: Path) -> Cases:
    for document in _documents(folder, "scopes"):
        for number, case in enumerate(document.get("random", ())):
            yield str(number), case


def _stateflow(folder: Path) -> Cases:
    for document in _documents(folder, "stateflow"):
        for case in document["cases"]:
            yield f"{case['kind']}-{case['name']}", case


def _readcache(folder: Path) -> Cases:
    for document in _documents(folder, "readcache"):
        for case in document:
            yield case["name"], case


CASES = {
    "chain_case": lambda folder: _scopes(folder, "chain"),
    "recall_case": lambda folder: _scopes(folder, "recall"),
    "random_recall_case": _random_scopes,
    "stateflow_case": _stateflow,
    "readcache_case": _readcache,
}


def cases_of(fixture: str) -> list[tuple[str, dict]]:
    """Names and contents of the cases that a fixture stands for."""
    assert VECTORS.is_dir(), f"GRAPHSVC_VECTORS names no folder: {VECTORS}"
    return list(CASES[fixture](VECTORS)) or list(CASES[fixture](OWN))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in CASES.keys() & set(metafunc.fixturenames):
        cases = cases_of(fixture)
        metafunc.parametrize(fixture, [case for _, case in cases], ids=[name for name, _ in cases])
