"""A refresh reads what is new, withdraws what left, and does not depend on what was seen before."""

from pathlib import Path

import pytest

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import StoreBusy
from graphsvc.kinds import KINDS
from tests.entire.checkpoints import FIRST, SECOND, Bank, checkpoint, session, talk

ONE, TWO, THREE = "111111111111", "222222222222", "333333333333"


def folder(key: str, *texts: str, session_id: str = FIRST, **fields: object) -> dict[str, bytes]:
    return {
        "metadata.json": session(key, session_id, **fields),
        "full.jsonl": talk(*texts, session=session_id),
    }


OLD = {
    **checkpoint(ONE, {0: folder(ONE, "a")}),
    **checkpoint(TWO, {0: folder(TWO, "a", "b"), 1: folder(TWO, "x", session_id=SECOND)}),
}
NEW = {
    **checkpoint(TWO, {0: folder(TWO, "a", "b", "c", branch="main")}),
    **checkpoint(THREE, {0: folder(THREE, "a", "b", "c", "d"), 1: folder(THREE, "y", session_id=SECOND)}),
}


def test_nothing_new_reads_nothing(bank: Bank) -> None:
    bank.load(OLD)
    receipts = bank.rows("SELECT count(*) FROM receipt")

    report = bank.refresh()

    assert (report.read, report.admitted, report.faults) == ({}, {}, {})
    assert bank.rows("SELECT count(*) FROM receipt") == receipts


def test_growth_is_read_in_proportion(bank: Bank) -> None:
    bank.load(checkpoint(ONE, {0: folder(ONE, "a", "b", "c")}))
    grown = folder(TWO, "a", "b", "c", "d")

    report = bank.load({**checkpoint(ONE, {0: folder(ONE, "a", "b", "c")}), **checkpoint(TWO, {0: grown})})

    assert report.read["blobs"] == 3
    assert (report.read["lines"], report.read["lines_parsed"]) == (8, 2)
    assert report.admitted["entry"] == 2


def test_a_growing_transcript_is_stored_once(bank: Bank) -> None:
    texts = [str(number) for number in range(10)]
    files: dict[str | bytes, bytes] = {}
    for number in range(1, 11):
        key = f"{number:012x}"
        files |= checkpoint(key, {0: folder(key, *texts[:number])})

    bank.load(files)

    stored = bank.rows(
        "SELECT sum(byte_count) FROM segment SEMI JOIN (SELECT part.segment FROM part"
        " JOIN document USING (document_id) WHERE role = 'transcript') USING (segment)"
    )
    assert stored == [len(talk(*texts))]
    assert bank.rows("SELECT count(*) FROM entry") == [20]


@pytest.mark.parametrize("history", [[NEW, OLD], [OLD, {}]])
def test_what_was_seen_before_makes_no_difference_but_what_was_withdrawn(
    bank: Bank, tmp_path: Path, history: list[dict[str | bytes, bytes]]
) -> None:
    fresh = Bank(tmp_path / "fresh")
    fresh.load(NEW)
    for files in history:
        bank.load(files)

    bank.load(NEW)

    derived = ("entry", "message", "tool_call", "tool_result", "token_usage", "tombstone")
    want, have = fresh.content(*KINDS), bank.content(*KINDS)
    assert {kind: have[kind] for kind in KINDS if kind not in derived} == {
        kind: want[kind] for kind in KINDS if kind not in derived
    }
    assert all(have[kind] >= want[kind] for kind in derived)
    timeline = "SELECT session_key, entry_key, position, turn_id FROM timeline WHERE is_present ORDER BY ALL"
    assert bank.rows(timeline) == fresh.rows(timeline)
    assert bank.rebuilt() == fresh.rebuilt()


def test_what_left_is_withdrawn_in_a_new_generation_and_stays_readable(bank: Bank) -> None:
    bank.load(OLD)

    report = bank.load(NEW)

    assert bank.rows("SELECT DISTINCT generation FROM tombstone") == [2]
    assert report.admitted["tombstone"] == bank.rows("SELECT count(*) FROM withdrawn")[0]
    assert bank.rows("SELECT checkpoint_key FROM present_checkpoint ORDER BY 1") == [TWO, THREE]
    assert bank.rows("SELECT DISTINCT checkpoint_key FROM checkpoint ORDER BY 1") == [ONE, TWO, THREE]
    assert bank.rows(
        "SELECT text, is_present FROM turn JOIN prompt p USING (session_key, entry_key) ORDER BY 1"
    ) == [
        ("a", True),
        ("b", True),
        ("c", True),
        ("d", True),
        ("x", False),
        ("y", True),
    ]


def test_what_returns_is_restored_without_being_read(bank: Bank) -> None:
    bank.load(OLD)
    bank.load({})

    report = bank.load(OLD)

    assert report.read == {}
    assert report.admitted == {
        "tombstone": bank.rows("SELECT count(*) FROM tombstone WHERE state = 'withdrawn'")[0]
    }
    assert bank.rows("SELECT count(*) FROM withdrawn") == [0]


def test_another_session_for_the_same_transcript(bank: Bank, tmp_path: Path) -> None:
    transcript = talk("a")
    bank.load(checkpoint(ONE, {0: {"metadata.json": session(ONE, FIRST), "full.jsonl": transcript}}))
    corrected = checkpoint(ONE, {0: {"metadata.json": session(ONE, SECOND), "full.jsonl": transcript}})
    fresh = Bank(tmp_path / "fresh")
    fresh.load(corrected)

    bank.load(corrected)

    assert bank.content("document") == fresh.content("document")
    assert bank.rows("SELECT DISTINCT session_key FROM timeline WHERE is_present") == [SECOND]


def test_faults_come_and_go_with_their_documents(bank: Bank) -> None:
    joined = talk("a").replace(b"\n", b"", 1)
    present = "SELECT location FROM fault ANTI JOIN withdrawn USING (event_id) ORDER BY 1"
    bank.load(checkpoint(ONE, {0: folder(ONE) | {"full.jsonl": joined}}))

    bank.load(checkpoint(ONE, {0: folder(ONE) | {"full.jsonl": joined + talk("b")}}))
    assert bank.rows(present) == [f"{ONE[:2]}/{ONE[2:]}/0/full.jsonl:1"]
    assert bank.rows("SELECT count(*) FROM fault") == [2]

    bank.load(checkpoint(ONE, {0: folder(ONE, "a")}))
    assert bank.rows(present) == []


def test_a_refresh_cut_short_is_taken_up_again(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    bank.load(checkpoint(ONE, {0: folder(ONE, "a")}))
    bank.put(NEW)
    admit, calls = CanonicalStore.admit, []

    def fail_at_the_end(store, batch):  # type: ignore[no-untyped-def]
        calls.append(batch)
        if len(calls) == 2:
            raise StoreBusy("held")
        return admit(store, batch)

    with monkeypatch.context() as patch:
        patch.setattr(CanonicalStore, "admit", fail_at_the_end)
        with pytest.raises(StoreBusy):
            bank.refresh()
    assert bank.rows("SELECT position FROM cursor") == ["reading"]

    report = bank.refresh()

    assert report.read == {}
    assert bank.rows("SELECT checkpoint_key FROM present_checkpoint ORDER BY 1") == [TWO, THREE]
    assert bank.refresh().admitted == {}


def test_progress_is_told(bank: Bank) -> None:
    from graphsvc.canonical.registry import Source
    from loaders.entire import refresh

    bank.put(OLD)
    told: list[tuple[str, int, int | None]] = []
    source = Source("s", "entire", "p", "n", str(bank.repository.path), bank.options)

    refresh(source, bank.store, lambda *step: told.append(step))

    assert told == [("checkpoints", done, len(OLD)) for done in range(1, len(OLD) + 1)]
