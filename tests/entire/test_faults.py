"""Bad input is counted and kept, and never stops the rest."""

import json

import pytest

from graphsvc.errors import SourceUnavailable
from graphsvc.git import hash_object
from tests.entire.checkpoints import FIRST, Bank, checkpoint, session, talk
from tests.transcripts.ingestion import jsonl

KEY = "a1b2c3d4e5f6"
PATH = f"{KEY[:2]}/{KEY[2:]}"
FAULTS = (
    "SELECT fault_kind, location, is_recovered FROM fault ANTI JOIN withdrawn USING (event_id) ORDER BY ALL"
)


def lose(bank: Bank, data: bytes) -> None:
    """Lose a blob, as in a clone with a filter."""
    bank.repository.remove_object(hash_object(data))


def test_a_missing_blob_is_a_document_without_bytes_and_a_fault(bank: Bank) -> None:
    data = talk("a")
    bank.put(checkpoint(KEY, {0: {"metadata.json": session(KEY), "full.jsonl": data}}))
    lose(bank, data)

    report = bank.refresh()

    assert report.faults == {"missing_blob": 1}
    assert bank.rows(FAULTS) == [("missing_blob", f"{PATH}/0/full.jsonl", False)]
    assert bank.rows(
        "SELECT content_id, byte_count, line_count, format, session_key FROM document WHERE is_missing"
    ) == [(hash_object(data), None, None, None, FIRST)]


def test_a_missing_blob_is_read_once_it_is_there(bank: Bank) -> None:
    data = talk("a")
    bank.put(checkpoint(KEY, {0: {"metadata.json": session(KEY), "full.jsonl": data}}))
    lose(bank, data)
    bank.refresh()
    assert bank.refresh().read == {}
    bank.repository.object("blob", data)

    report = bank.refresh()

    assert report.read == {"blobs": 1, "bytes": len(data), "lines": 2, "lines_parsed": 2}
    assert bank.rows(FAULTS) == []
    assert bank.rows("SELECT is_missing FROM present_document WHERE role = 'transcript'") == [False]


def test_a_damaged_blob_is_not_tried_again_until_the_tip_moves(bank: Bank) -> None:
    data = talk(*map(str, range(50)))
    files = checkpoint(KEY, {0: {"metadata.json": session(KEY), "full.jsonl": data}})
    bank.put(files)
    loose = bank.repository.object_path(hash_object(data))
    loose.chmod(0o644)
    packed = bytearray(loose.read_bytes())
    packed[-20] ^= 0xFF
    loose.write_bytes(packed)

    report = bank.refresh()

    assert report.faults == {"damaged_blob": 1}
    assert bank.rows("SELECT path FROM document WHERE is_missing") == [f"{PATH}/0/full.jsonl"]
    assert bank.refresh().faults == {}
    loose.unlink()
    bank.repository.object("blob", data)
    bank.load({**files, "00/0000000000/metadata.json": session(KEY)})
    assert bank.rows(FAULTS) == []
    assert bank.rows("SELECT count(*) FROM entry") == [100]


COMPACT = jsonl(
    {"v": 1, "agent": "claude-code", "type": "user", "ts": None, "content": [{"text": "compact a"}]}
)


def test_the_compact_transcript_stands_in_for_one_that_cannot_be_read(bank: Bank) -> None:
    full = talk("a")
    folder = {"metadata.json": session(KEY), "full.jsonl": full, "transcript.jsonl": COMPACT}
    bank.put(checkpoint(KEY, {0: folder, 1: folder | {"full.jsonl": talk("b")}}))
    lose(bank, full)

    bank.refresh()

    assert bank.rows("SELECT session_index, role FROM document WHERE format = 'compact' ORDER BY 1") == [
        (0, "fallback_transcript"),
        (1, "compact_transcript"),
    ]
    assert bank.rows("SELECT text FROM message WHERE role = 'user' ORDER BY text") == ["b", "compact a"]


def test_a_compact_transcript_steps_back_when_the_full_one_arrives(bank: Bank) -> None:
    full = talk("a")
    folder = {"metadata.json": session(KEY), "full.jsonl": full, "transcript.jsonl": COMPACT}
    bank.put(checkpoint(KEY, {0: folder}))
    lose(bank, full)
    bank.refresh()
    bank.repository.object("blob", full)

    bank.refresh()

    assert bank.rows("SELECT role FROM present_document WHERE path LIKE '%.jsonl' ORDER BY 1") == [
        "compact_transcript",
        "transcript",
    ]
    assert bank.rows(
        "SELECT text FROM prompt JOIN timeline USING (session_key, entry_key) WHERE is_present"
    ) == ["a"]


def test_joined_and_cut_lines(bank: Bank) -> None:
    joined = talk("a").replace(b"\n", b"", 1)
    data = talk("z") + joined + b'{"type":"user","cut'

    report = bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY), "full.jsonl": data}}))

    assert report.faults == {"joined_records": 1, "malformed_line": 1}
    assert bank.rows(FAULTS) == [
        ("joined_records", f"{PATH}/0/full.jsonl:3", True),
        ("malformed_line", f"{PATH}/0/full.jsonl:4", False),
    ]
    assert bank.rows("SELECT count(*) FROM entry") == [4]
    assert bank.rebuilt()[f"{PATH}/0/full.jsonl"] == hash_object(data)


@pytest.mark.parametrize("data", [b"{", b"", b"[]", b"\xff"])
def test_malformed_metadata(bank: Bank, data: bytes) -> None:
    report = bank.load(checkpoint(KEY, {0: {"metadata.json": data, "full.jsonl": talk("a")}}))

    assert report.faults == {"malformed_metadata": 1}
    assert bank.rows(FAULTS) == [("malformed_metadata", f"{PATH}/0/metadata.json", False)]
    assert bank.rows("SELECT DISTINCT session_key FROM entry") == [f"{KEY}/0"]


def test_a_label_that_lies(bank: Bank) -> None:
    gemini = json.dumps(
        {"sessionId": FIRST, "messages": [{"id": "1", "type": "user", "content": "hi"}]}, indent=2
    ).encode()

    bank.load(
        checkpoint(
            KEY,
            {
                0: {"metadata.json": session(KEY, agent="Gemini CLI"), "full.jsonl": talk("a")},
                1: {"metadata.json": session(KEY, agent="Claude Code"), "full.jsonl": gemini},
            },
        )
    )

    assert bank.rows(
        "SELECT s.agent, d.format FROM document AS d JOIN checkpoint_session AS s"
        " USING (checkpoint_key, session_index) WHERE role = 'transcript' ORDER BY ALL"
    ) == [("Claude Code", "gemini"), ("Gemini CLI", "claude")]


def test_documents_of_unknown_format_are_kept_and_counted(bank: Bank) -> None:
    folder = {"metadata.json": session(KEY), "full.jsonl": b"no JSON at all\n", "context.md": b""}

    report = bank.load(checkpoint(KEY, {0: folder}))

    assert report.skipped == {"transcript of unknown format": 1}
    assert bank.rebuilt()[f"{PATH}/0/full.jsonl"] == hash_object(b"no JSON at all\n")


def test_odd_bytes_rebuild_exactly(bank: Bank) -> None:
    odd = {
        "full.jsonl": talk("a").replace(b"\n", b"\r\n") + b"\n\n\x00\n",
        "context.md": b"",
        "prompt.txt": b"\n\n---\n\n\n\n---\n\nlast\xff",
        "content_hash.txt": b"sha256:00",
    }

    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY), **odd}}))

    rebuilt = bank.rebuilt()
    assert {name: rebuilt[f"{PATH}/0/{name}"] for name in odd if odd[name]} == {
        name: hash_object(data) for name, data in odd.items() if data
    }
    assert bank.rows("SELECT byte_count, line_count FROM document WHERE role = 'context'") == [(0, 0)]


def test_a_missing_tree_is_no_empty_source(bank: Bank) -> None:
    bank.load(checkpoint(KEY, {0: {"metadata.json": session(KEY)}}))
    bank.put(checkpoint("bbbbbbbbbbbb", {0: {"metadata.json": session("bbbbbbbbbbbb")}}))
    bank.repository.remove_object(bank.repository.git("rev-parse", "entire/checkpoints/v1^{tree}"))

    with pytest.raises(SourceUnavailable, match="missing"):
        bank.refresh()

    assert bank.rows("SELECT count(*) FROM present_checkpoint") == [1]
