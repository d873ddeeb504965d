"""A generation is verified and sealed, or it is not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from graphsvc.errors import Corrupt
from graphsvc.graph import generation
from graphsvc.graph.generation import create, quarantine
from graphsvc.graph.seal import check
from graphsvc.graph.verify import verify

from .samples import Sample


def test_generation_is_verified_and_sealed(sample: Sample, tmp_path: Path, engine: str) -> None:
    made = create(tmp_path / "graph.kuzu", sample.schema, sample.files, sample.digests, engine=engine)

    assert check(made.path, made.seal, deep=True)
    assert verify(made.path, sample.schema, sample.digests, engine=engine).ok
    assert made.rows["Symbol-CALLS->Symbol"] == 5
    assert made.quarantined == ()


def test_file_that_is_wrong_twice_is_put_aside_and_reported(
    sample: Sample, tmp_path: Path, engine: str
) -> None:
    first, *others = sample.digests
    wrong = replace(first, digest="00")

    with pytest.raises(Corrupt, match=f"expected 5 rows with digest 00, found 5 with {first.digest}"):
        create(tmp_path / "graph.kuzu", sample.schema, sample.files, [wrong, *others], engine=engine)

    left = sorted(path.name for path in tmp_path.glob("graph.kuzu*"))
    assert left == ["graph.kuzu.quarantined-1", "graph.kuzu.quarantined-2"]


def test_file_that_is_wrong_once_is_built_again(
    sample: Sample, tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = generation.build
    seen: list[Path] = []

    def flip_the_first(path: Path, *arguments: object, **options: object) -> object:
        report = build(path, *arguments, **options)
        if not seen:
            path.write_bytes(path.read_bytes()[:-4096])
        seen.append(path)
        return report

    monkeypatch.setattr(generation, "build", flip_the_first)

    made = create(tmp_path / "graph.kuzu", sample.schema, sample.files, sample.digests, engine=engine)

    assert made.quarantined == (tmp_path / "graph.kuzu.quarantined-1",)
    assert check(made.path, made.seal, deep=True)


def test_quarantine_never_overwrites(tmp_path: Path) -> None:
    for content in ("one", "two"):
        (tmp_path / "g").write_text(content)
        quarantine(tmp_path / "g")

    assert (tmp_path / "g.quarantined-1").read_text() == "one"
    assert (tmp_path / "g.quarantined-2").read_text() == "two"
