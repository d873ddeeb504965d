"""Vectors as parameters, from the folder that GRAPHSVC_VECTORS names.

A test that takes one of the names in ``CASES`` runs once for every case.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

VECTORS = Path(os.environ.get("GRAPHSVC_VECTORS", Path(__file__).parents[1] / "vectors"))


def _load(name: str) -> object:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def _scopes(kind: str) -> list[tuple[str, dict]]:
    document = _load("scopes.json")
    kinds = {case["kind"] for case in document["cases"]}
    assert kinds <= {"chain", "recall"}, f"no test runs scope cases of the kinds {kinds}"
    cases = [case for case in document["cases"] if case["kind"] == kind]
    return [(case["id"], {**case, "items": document["corpora"].get(case.get("corpus"))}) for case in cases]


def _random_scopes() -> list[tuple[str, dict]]:
    return [(str(number), case) for number, case in enumerate(_load("scopes.json")["random"])]


def _stateflow() -> list[tuple[str, dict]]:
    return [(f"{case['kind']}-{case['name']}", case) for case in _load("stateflow.json")["cases"]]


def _readcache() -> list[tuple[str, dict]]:
    return [(case["name"], case) for case in _load("readcache.json")]


CASES = {
    "chain_case": lambda: _scopes("chain"),
    "recall_case": lambda: _scopes("recall"),
    "random_recall_case": _random_scopes,
    "stateflow_case": _stateflow,
    "readcache_case": _readcache,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for fixture in CASES.keys() & set(metafunc.fixturenames):
        cases = CASES[fixture]()
        metafunc.parametrize(fixture, [case for _, case in cases], ids=[name for name, _ in cases])
