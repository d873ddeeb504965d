"""The vectors of planes, each kind by the function that it is about."""

import re

import pytest

from graphsvc.errors import Refused
from graphsvc.memory.planes.dialect import LEGACY, TARGET, translate_locator, translate_root, translate_text
from graphsvc.memory.planes.ownership import owned_path
from graphsvc.memory.planes.patching import apply_patch
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.planes.staging import stage
from graphsvc.memory.strict_json import canonical, is_same

REASONS = {
    "out of bounds": Reason.INDEX_OUT_OF_RANGE,
    "Unknown State Flow patch key": Reason.UNKNOWN_PLANE,
    "Unknown State Flow transition scope": Reason.UNKNOWN_SCOPE,
    "cannot contain null": Reason.NULL_STORED,
    "collision": Reason.ROOT_COLLISION,
}


def path_or_none(path):
    return None if path is None else {"plane": path.plane, "keys": list(path.keys)}


def run_stage(dialect):
    def run(given):
        staged = stage(given["states"], given["patches"], dialect)
        return {
            "next": staged.states,
            "record": [[scope, record] for scope, record in staged.records.items()],
            "cascades": {
                scope: [path_or_none(path) for path in paths] for scope, paths in staged.cascades.items()
            },
            "missing": [[hint.path, hint.unavailable] for hint in staged.missing],
        }

    return run


RUN = {
    "apply": lambda given: apply_patch(given["state"], given["patch"]),
    "stageTarget": run_stage(TARGET),
    "stage0254": run_stage(LEGACY),
    "ownedRef": lambda given: path_or_none(owned_path(given["scope"], given["ref"])),
    "migrateLocator": translate_locator,
    "migrateText": translate_text,
    "migrateRoot": translate_root,
    "canonicalJson": canonical,
}


def test_stateflow_vectors(stateflow_case):
    assert stateflow_case["kind"] in RUN, f"no test runs cases of the kind {stateflow_case['kind']}"
    run = RUN[stateflow_case["kind"]]

    if "error" in stateflow_case:
        expected = [reason for words, reason in REASONS.items() if re.search(words, stateflow_case["error"])]
        with pytest.raises(Refused) as caught:
            run(stateflow_case["input"])
        assert caught.value.reason in (expected or Reason)
    else:
        assert is_same(run(stateflow_case["input"]), stateflow_case["ok"])
