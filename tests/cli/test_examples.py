"""The analysis example runs and shows what is in the store."""

from __future__ import annotations

import runpy
import sys

import pytest

from tests.cli.conftest import ROOT, Sample


def test_the_analysis_shows_its_frames(
    sample: Sample, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["analysis", str(sample.store)])

    shown = runpy.run_path(str(ROOT / "examples" / "analysis.py"), run_name="__main__")

    assert shown["sessions"].frame["commits"].to_list() == [1, 2]
    assert shown["tokens"].frame["output"].to_list() == [1625]
    assert shown["written"].frame["path"][0] == "tests/test_ledger.py"
    assert '{"parentUuid":null' in capsys.readouterr().out
