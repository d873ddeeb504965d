"""Files of lines: they go on where they were read to, and what left is marked and stays."""

from pathlib import Path

import pytest

from graphsvc.canonical.batch import Batch
from loaders.sessions import base
from tests.sessions.hosts import FIRST, SECOND, Machine, claude

FILE = f"-home-ada-tally/{FIRST}.jsonl"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "claude-code")


def test_nothing_new_is_no_work(machine: Machine) -> None:
    machine.write(FILE, claude(1), claude(2, "assistant"))
    machine.refresh()

    report = machine.refresh()

    assert dict(report.read) == {}
    assert dict(report.admitted) == {}


def test_a_file_that_grew_is_read_from_where_it_ended(machine: Machine) -> None:
    machine.write(FILE, claude(1), claude(2, "assistant"))
    machine.refresh()
    machine.append(FILE, claude(3))

    report = machine.refresh()

    assert report.read["lines_parsed"] == 1
    assert machine.rows("SELECT prompt FROM turn ORDER BY ordinal") == ["prompt 1", "prompt 3"]
    assert machine.rebuilt() == {FILE: (machine.root / FILE).read_bytes()}
    assert machine.rows("SELECT max(generation) FROM receipt") == [1]


def test_a_line_that_is_still_being_written_is_read_once_it_is_whole(machine: Machine) -> None:
    whole = machine.write(FILE, claude(1), claude(2)).read_bytes()
    machine.write(FILE, whole[:-20])
    report = machine.refresh()
    assert dict(report.faults) == {"malformed_line": 1}

    machine.write(FILE, whole)
    machine.refresh()

    assert machine.rows("SELECT prompt FROM turn WHERE is_present ORDER BY ordinal") == [
        "prompt 1",
        "prompt 2",
    ]
    assert machine.rows("SELECT fault_kind FROM fault ANTI JOIN withdrawn USING (event_id)") == []
    assert machine.rebuilt() == {FILE: whole}


def test_a_rewritten_file_is_a_new_generation_and_the_old_bytes_stay(machine: Machine) -> None:
    old = machine.write(FILE, claude(1), claude(2, "assistant")).read_bytes()
    machine.refresh()
    [before] = machine.rows("SELECT document_id FROM document")
    machine.write(FILE, claude(1), claude(5))

    machine.refresh()

    assert machine.rows("SELECT max(generation) FROM receipt") == [2]
    assert machine.rows("SELECT state, target_kind FROM tombstone") == [("withdrawn", "document")]
    assert machine.rows("SELECT prompt FROM turn WHERE is_present ORDER BY ordinal") == [
        "prompt 1",
        "prompt 5",
    ]
    with machine.kb.store.read() as reader:
        assert reader.document(before) == old


def test_a_truncated_file_that_grows_back_is_restored(machine: Machine) -> None:
    machine.write(FILE, claude(1))
    machine.refresh()
    machine.append(FILE, claude(2))
    whole = (machine.root / FILE).read_bytes()
    machine.refresh()
    machine.write(FILE, claude(1))
    machine.refresh()
    assert machine.rows("SELECT prompt FROM turn WHERE is_present") == ["prompt 1"]

    machine.write(FILE, whole)
    report = machine.refresh()

    assert machine.rows("SELECT prompt FROM turn WHERE is_present ORDER BY ordinal") == [
        "prompt 1",
        "prompt 2",
    ]
    assert report.read["lines_parsed"] == 0
    assert machine.rebuilt() == {FILE: whole}


def test_a_deleted_file_is_kept(machine: Machine) -> None:
    machine.write(FILE, claude(1), claude(2, "assistant"))
    machine.write("other.jsonl", claude(7, session=SECOND))
    machine.refresh()
    (machine.root / FILE).unlink()

    machine.refresh()

    assert machine.rows("SELECT state FROM tombstone") == ["kept"]
    found = {row["session"]: (row["turns"], row["is_kept"]) for row in machine.kb.sessions()}
    assert found == {FIRST: (1, True), SECOND: (1, False)}


def test_identical_records_are_told_apart_across_refreshes(machine: Machine, tmp_path: Path) -> None:
    mode = {"type": "mode", "mode": "plan", "sessionId": FIRST}
    machine.write(FILE, claude(1), mode)
    machine.refresh()
    machine.append(FILE, claude(2), mode)
    machine.refresh()
    at_once = Machine(tmp_path / "other", "claude-code")
    at_once.write(FILE, (machine.root / FILE).read_bytes())
    at_once.refresh()

    timeline = "SELECT entry_key, occurrence, entry_type, turn_id FROM timeline ORDER BY position"

    assert machine.rows("SELECT count(*) FROM timeline WHERE entry_type = 'mode'") == [2]
    assert machine.rows(timeline) == at_once.rows(timeline)


def test_a_large_file_is_read_in_chunks(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "CHUNK", 2000)
    data = machine.write(FILE, *(claude(number) for number in range(1, 41))).read_bytes()

    machine.refresh()

    sizes = machine.rows("SELECT byte_count FROM document ORDER BY chunk")
    assert max(sizes) <= 2000 + len(data) // 40
    assert len(sizes) > 5
    assert machine.rows("SELECT count(*) FROM turn") == [40]
    assert machine.rebuilt() == {FILE: data}


def test_no_batch_holds_more_of_a_file_than_a_bound(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "CHUNK", 5_000)
    monkeypatch.setattr(base, "FLUSH", 9_000)
    held: list[int] = []
    admit = base.Pipeline.admit

    def counting(pipeline: base.Pipeline, batch: Batch) -> None:
        held.append(batch.byte_count)
        admit(pipeline, batch)

    monkeypatch.setattr(base.Pipeline, "admit", counting)
    size = machine.write(FILE, *(claude(number) for number in range(1, 151))).stat().st_size

    machine.refresh()

    assert sum(held) > size
    assert max(held) < 9_000 + 5_000 + 1_000 < size / 2


def test_a_file_that_cannot_be_read_is_a_fault_and_stops_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write("a.jsonl", claude(1))
    machine.write("b.jsonl", claude(2, session=SECOND), b"x" * 600)
    monkeypatch.setattr(base, "CHUNK", 100)
    monkeypatch.setattr(base, "MAX_DOCUMENT", 500)

    report = machine.refresh()

    assert dict(report.faults) == {"unreadable_file": 1}
    assert machine.rows("SELECT location FROM fault") == ["b.jsonl"]
    assert machine.kb.count_sessions() == 2


def test_links_are_not_followed(machine: Machine, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(b'{"type":"user"}\n')
    (machine.root / "link.jsonl").symlink_to(secret)

    report = machine.refresh()

    assert dict(report.read) == {}


def test_one_session_more_costs_one_session(machine: Machine) -> None:
    for number in range(500):
        session = f"{number:08d}-1111-4111-8111-111111111111"
        machine.write(f"{session}.jsonl", claude(number + 1, session=session, uuid=f"s{number}"))
    assert machine.refresh().read["lines_parsed"] == 500
    machine.write(FILE, claude(1), claude(2))

    report = machine.refresh()

    assert report.read == {
        "files": 1,
        "bytes": (machine.root / FILE).stat().st_size,
        "lines": 2,
        "lines_parsed": 2,
    }
    assert report.admitted["document"] == 1
