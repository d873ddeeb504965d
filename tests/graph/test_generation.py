"""A generation is verified and sealed, or it is not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from graphsvc.errors import Corrupt, InvalidInput
from graphsvc.graph import build as building
from graphsvc.graph.build import by_label
from graphsvc.graph.digest import LabelDigest
from graphsvc.graph.generation import Load, create, load_written, quarantine
from graphsvc.graph.schema import GraphSchema
from graphsvc.graph.seal import check
from graphsvc.graph.verify import Verifier, verify

from .samples import Sample


@dataclass(frozen=True)
class Wrong:
    """A sample with digests that are not its own."""

    schema: GraphSchema
    files: dict[str, Path]
    digests: tuple[LabelDigest, ...]


@pytest.fixture
def verifier(engine: str) -> Iterator[Verifier]:
    with Verifier(engine) as verifier:
        yield verifier


def test_generation_is_verified_and_sealed(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str
) -> None:
    written, made = create(tmp_path / "graph.kuzu", partial(load_written, sample), verifier, engine=engine)

    assert written is sample
    assert check(made.path, made.seal, deep=True)
    assert verify(made.path, sample.schema, sample.digests, engine=engine).ok
    assert made.rows["Symbol-CALLS->Symbol"] == 5
    assert made.quarantined == ()


def test_tables_are_loaded_while_later_ones_are_written(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str
) -> None:
    """Each file is there only once it is told of; the first load may begin before the last file exists."""
    waiting = {path: path.rename(path.with_suffix(".later")) for path in sample.files.values()}

    def write(load: Load) -> Sample:
        for tables in by_label(sample.schema, sample.files):
            for _, file in tables:
                waiting[file].rename(file)
            load(tables)
        return sample

    _, made = create(tmp_path / "graph.kuzu", write, verifier, engine=engine)

    assert sum(made.rows.values()) == sum(rows.num_rows for rows in sample.tables.values())


def test_what_cannot_be_loaded_is_told_and_leaves_nothing(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str
) -> None:
    def write(load: Load) -> Sample:
        load(by_label(sample.schema, sample.files)[-1])  # its nodes are not there
        return sample

    with pytest.raises((InvalidInput, Corrupt)):
        create(tmp_path / "graph.kuzu", write, verifier, engine=engine)

    assert not list(tmp_path.glob("graph.kuzu*"))


def test_writing_that_fails_leaves_nothing(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str
) -> None:
    def write(load: Load) -> Sample:
        load(by_label(sample.schema, sample.files)[0])
        raise InvalidInput("this cannot be projected", hint="project something else")

    with pytest.raises(InvalidInput, match="cannot be projected"):
        create(tmp_path / "graph.kuzu", write, verifier, engine=engine)

    assert not list(tmp_path.glob("graph.kuzu*"))


def test_file_that_is_wrong_twice_is_put_aside_and_reported(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str
) -> None:
    first, *others = sample.digests
    wrong = Wrong(sample.schema, sample.files, (replace(first, digest="00"), *others))

    with pytest.raises(Corrupt, match=f"expected 5 rows with digest 00, found 5 with {first.digest}"):
        create(tmp_path / "graph.kuzu", partial(load_written, wrong), verifier, engine=engine)

    left = sorted(path.name for path in tmp_path.glob("graph.kuzu*"))
    assert left == ["graph.kuzu.quarantined-1", "graph.kuzu.quarantined-2"]


def test_file_that_is_wrong_once_is_built_again_from_what_was_written(
    sample: Sample, tmp_path: Path, verifier: Verifier, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_in_place = building._put_in_place
    seen: list[Path] = []
    writes: list[Sample] = []

    def cut_the_first(built: Path, path: Path) -> None:
        put_in_place(built, path)
        if not seen:
            path.write_bytes(path.read_bytes()[:-4096])
        seen.append(path)

    def write(load: Load) -> Sample:
        writes.append(sample)
        return load_written(sample, load)

    monkeypatch.setattr(building, "_put_in_place", cut_the_first)

    _, made = create(tmp_path / "graph.kuzu", write, verifier, engine=engine)

    assert (len(seen), len(writes)) == (2, 1)
    assert made.quarantined == (tmp_path / "graph.kuzu.quarantined-1",)
    assert check(made.path, made.seal, deep=True)


def test_quarantine_never_overwrites(tmp_path: Path) -> None:
    for content in ("one", "two"):
        (tmp_path / "g").write_text(content)
        quarantine(tmp_path / "g")

    assert (tmp_path / "g.quarantined-1").read_text() == "one"
    assert (tmp_path / "g.quarantined-2").read_text() == "two"
