"""Vectors as parameters, from the folder that GRAPHSVC_VECTORS names.

A test that takes one of the names in ``CASES`` runs once for every case of the files that belong to it, for
example ``scopes.json`` and ``scopes-more.json``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(os.environ.get("GRAPHSVC_VECTORS") or Path(__file__).parents[1] / "vectors")

Cases = Iterator[tuple[str, dict]]


def _documents(name: str) -> Iterator[Any]:
    for path in sorted(VECTORS.glob(f"{name}*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def _scopes(kind: str) -> Cases:
    for document in _documents("scopes"):
        for case in document["cases"]:
            assert case["kind"] in ("chain", "recall"), f"no test runs scope cases of the kind {case['kind']}"
            if case["kind"] == kind:
                yield case["id"], {**case, "items": document["corpora"].get(case.get("corpus"))}


def _random_scopes() -> Cases:
    for document in _documents("scopes"):
        for number, case in enumerate(document["random"]):
            yield str(number), case


def _stateflow() -> Cases:
    for document in _documents("stateflow"):
        for case in document["cases"]:
            yield f"{case['kind']}-{case['name']}", case


def _readcache() -> Cases:
    for document in _documents("readcache"):
        for case in document:
            yield case["name"], case


CASES = {
    "chain_case": lambda: _scopes("chain"),
    "recall_case": lambda: _scopes("recall"),
    "random_recall_case": _random_scopes,
    "stateflow_case": _stateflow,
    "readcache_case": _readcache,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in CASES.keys() & set(metafunc.fixturenames):
        cases = list(CASES[fixture]())
        assert cases, f"no vectors for {fixture} in {VECTORS}"
        metafunc.parametrize(fixture, [case for _, case in cases], ids=[name for name, _ in cases])
