"""Files of derived tables give back what was written, or say that they are damaged."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from graphsvc.canonical.table_files import read_tables, reading_tables, write_tables
from graphsvc.errors import Corrupt, DurabilityUncertain

TABLES = {
    "one": pl.DataFrame(
        {
            "text": ["a", None, "héllo 😀"],
            "n": [1, None, -(2**63)],
            "at": [datetime(2026, 1, 1), None, datetime(1, 1, 1)],
            "all": [["x", None], [], None],
        }
    ),
    "none": pl.DataFrame(schema={"text": pl.String, "n": pl.Float64}),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "made" / "it's.tables"
    write_tables(path, TABLES)
    return path


def test_tables_come_back_and_nothing_lies_beside(file: Path) -> None:
    found = read_tables(file)

    assert list(found) == list(TABLES)
    for name, frame in TABLES.items():
        assert_frame_equal(found[name], frame)
    assert list(file.parent.iterdir()) == [file]


def test_equal_tables_give_equal_bytes(file: Path) -> None:
    before = file.read_bytes()

    write_tables(file, TABLES)

    assert file.read_bytes() == before


def test_questions_see_the_rows_of_all_files(file: Path) -> None:
    other = file.with_name("other.tables")
    write_tables(other, {**TABLES, "one": TABLES["one"].head(1)})

    with reading_tables([file, other]) as reader:
        assert reader.rows('SELECT count(*), count("text") FROM one') == [(4, 3)]
        assert reader.rows("SELECT count(*) FROM none") == [(0,)]


def test_damage_anywhere_is_found_before_it_is_read(file: Path) -> None:
    whole, rng = file.read_bytes(), random.Random(7)
    at_ends = [*range(80), *range(len(whole) - 250, len(whole))]  # where the archive's own headers are
    outcomes = set()
    for position in (*at_ends, *rng.sample(range(len(whole)), 200)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << rng.randrange(8)
        file.write_bytes(damaged)
        try:
            found = read_tables(file)
        except Corrupt:
            outcomes.add("corrupt")
            continue
        outcomes.add("whole")  # what was hit says nothing: a time, or flags
        for name, frame in TABLES.items():
            assert_frame_equal(found[name], frame)
    assert "corrupt" in outcomes


@pytest.mark.parametrize("data", [b"", b"PK", b"not an archive" * 99])
def test_what_is_no_such_file_is_corrupt(file: Path, data: bytes) -> None:
    file.write_bytes(data)

    with pytest.raises(Corrupt, match="cannot be read"), reading_tables([file]):
        pass


def test_a_missing_file_is_corrupt(tmp_path: Path) -> None:
    with pytest.raises(Corrupt, match="cannot be read"):
        read_tables(tmp_path / "gone.tables")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    with pytest.raises(DurabilityUncertain):
        write_tables(tmp_path / "file" / "x.tables", TABLES)
