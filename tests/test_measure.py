"""The time of a stage inside of another counts once."""

from __future__ import annotations

import pytest

from loaders import measure
from loaders.measure import Stages


def test_inner_stages_do_not_count_for_the_outer(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 13.0, 20.0, 24.0, 30.0, 100.0, 101.0])
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(clock))
    stages = Stages()

    with stages.stage("outer"):
        with stages.stage("first"):
            pass
        with stages.stage("second"):
            pass
    with stages.stage("after"):
        pass

    assert [(stage.name, stage.seconds) for stage in stages.finished] == [
        ("first", 3.0),
        ("second", 4.0),
        ("outer", 23.0),
        ("after", 1.0),
    ]
