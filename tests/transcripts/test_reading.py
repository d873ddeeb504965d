"""Documents rebuild byte for byte, and the same record makes the same events wherever it is met."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transcripts.ingestion import Ingestion, jsonl


def user(uuid: str, text: str) -> dict:
    return {"type": "user", "uuid": uuid, "sessionId": "s", "message": {"role": "user", "content": text}}


MODE = {"type": "mode", "mode": "plan"}


@pytest.mark.parametrize(
    "tail",
    [
        b"",
        b"\n",
        b"\n\n\n",
        b'{"type":"mode"}',
        b'{"type":"mode"}\r\n{"type":"mode"}\r\n',
        b"\x00\x01\xff not JSON\n",
        b'{"type":"user","cut',
    ],
)
def test_documents_rebuild_exactly(tail: bytes) -> None:
    data = jsonl(user("1", "hällo"), MODE) + tail
    ingestion = Ingestion()

    ingestion.read(data)

    assert ingestion.rebuilt() == data


def test_a_line_has_the_same_segment_with_and_without_its_newline() -> None:
    data = jsonl(user("1", "hello"))
    ingestion = Ingestion()

    ingestion.read(data.removesuffix(b"\n"), path="early")
    ingestion.read(data, path="late")

    assert list(ingestion.batch.segments) == [hashlib.sha256(data).hexdigest()]
    assert ingestion.rebuilt("early") == data.removesuffix(b"\n")
    assert ingestion.rebuilt("late") == data


def test_a_record_that_its_session_has_had_is_not_parsed_again() -> None:
    ingestion = Ingestion()
    first = ingestion.read(jsonl(user("1", "a"), MODE), path="early")

    second = ingestion.read(jsonl(user("1", "a"), MODE, user("2", "b")), path="late")

    assert (first.lines, first.lines_parsed) == (2, 2)
    assert (second.lines, second.lines_parsed) == (3, 1)
    assert ingestion.rows("message", "text") == ["a", "b"]


def test_identical_records_of_a_document_are_told_apart_by_occurrence() -> None:
    ingestion = Ingestion()

    ingestion.read(jsonl(MODE, user("1", "a"), MODE, MODE))
    ingestion.read(jsonl(MODE, MODE), path="other")

    modes = [row for row in ingestion.rows("entry", "entry_type", "occurrence") if row[0] == "mode"]
    assert modes == [("mode", 0), ("mode", 1), ("mode", 2)]


def test_the_same_record_in_two_sessions_is_two_statements() -> None:
    ingestion = Ingestion()

    ingestion.read(jsonl(user("1", "a")), path="a", session="session-1")
    ingestion.read(jsonl(user("1", "a")), path="b", session="session-2")

    assert ingestion.rows("message", "session_key", "text") == [("session-1", "a"), ("session-2", "a")]
    assert len(ingestion.batch.segments) == 1


def test_evidence_of_a_record_is_its_line_without_the_newline() -> None:
    data = jsonl(user("1", "é"))
    ingestion = Ingestion()

    ingestion.read(data.replace(b"\n", b"\r\n"))

    assert ingestion.evidence("entry") == [data.removesuffix(b"\n")]


RECORDS = st.lists(
    st.one_of(
        st.just(jsonl(MODE)),
        st.integers(0, 5).map(lambda number: jsonl(user(str(number), f"say {number}"))),
        st.just(jsonl(user("7", "x")).removesuffix(b"\n") + jsonl(user("8", "y"))),
        st.just(b"\n"),
        st.just(b"broken\n"),
    ),
    min_size=1,
    max_size=12,
).map(lambda lines: [jsonl(user("0", "first")), *lines])


@settings(deadline=None)
@given(RECORDS, st.data())
def test_growing_copies_in_any_order_give_the_same_events(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(lines)
    ends = data.draw(st.lists(st.integers(1, len(lines)), max_size=5))
    copies = {f"copy {end}": b"".join(lines[:end]) for end in ends} | {
        f"cut {end}": b"".join(lines[:end]).removesuffix(b"\n") for end in ends
    }
    copies["whole"] = whole
    order = data.draw(st.permutations(sorted(copies)))
    alone, mixed = Ingestion(), Ingestion()
    alone.read(whole, path="whole")

    for path in order:
        mixed.read(copies[path], path=path)

    assert mixed.event_ids() == alone.event_ids()
    assert {path: mixed.rebuilt(path) for path in copies} == copies
    assert set(mixed.batch.segments) == set(alone.batch.segments)
