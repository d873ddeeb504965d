"""Work is proportional to what is new."""

from __future__ import annotations

from pathlib import Path

from tests.rebuild.conftest import Sample
from tests.repositories import RepositoryBuilder


def work(sample: Sample) -> dict[str, int]:
    done: dict[str, int] = {}
    for report in sample.open().rebuild().sources:
        for name, count in report.read.items():
            if count:
                done[name] = done.get(name, 0) + count
    return done


def test_a_rebuild_with_nothing_new_reads_nothing_and_publishes_nothing(sample: Sample) -> None:
    sample.open().rebuild()
    report = sample.open().rebuild()

    assert [dict(source.read) for source in report.sources] == [{}, {}, {}]
    assert [dict(source.admitted) for source in report.sources] == [{}, {}, {}]
    assert not report.generation.is_new


def test_one_changed_file_is_one_blob_to_parse(sample: Sample) -> None:
    with_commit(sample.repository, {"tally/money.py": "def parse_amount(text):\n    return int(text)\n"})
    done = work(sample)

    assert done["commits"] == 1
    assert done["files_parsed"] == 1
    assert "lines_parsed" not in done


def test_a_file_that_moves_is_not_parsed_again(sample: Sample) -> None:
    text = (sample.repository / "tally" / "money.py").read_text()
    with_commit(sample.repository, {"tally/money.py": None, "tally/amounts.py": text})

    assert "files_parsed" not in work(sample)


def with_commit(repository: Path, files: dict[str | bytes, str | None]) -> None:
    RepositoryBuilder.existing(repository).commit(files, "Change files\n")
