from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import Corrupt
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.evidence_file import EvidenceReader, EvidenceWriter
from graphsvc.text_index.files import check_shard, passages_digest, seal_files


def test_evidence_is_read_back_from_its_place_and_kept_once(tmp_path: Path) -> None:
    said = [b"one", b"", b"x" * 300_000, b"two", b"one"]
    writer = EvidenceWriter(tmp_path / "shard.zst")
    numbers = [writer.add(one) for one in said]
    places = writer.finish()

    assert numbers == [0, 1, 2, 3, 0]
    with EvidenceReader(tmp_path) as reader:
        assert [reader.read(places[number]) for number in numbers] == said


def test_damaged_or_missing_evidence_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "shard.zst"
    writer = EvidenceWriter(path)
    writer.add(b"one" * 100)
    [place] = writer.finish()
    data = bytearray(path.read_bytes())
    data[:4] = b"none"
    path.write_bytes(data)

    with EvidenceReader(tmp_path) as reader:
        for lost in (place, place._replace(shard="other")):
            with pytest.raises(Corrupt):
                reader.read(lost)


def test_a_file_that_differs_from_its_seal_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(b"data")
    shard = {"files": seal_files(tmp_path)}
    check_shard(tmp_path, shard)
    (tmp_path / "index").write_bytes(b"dAta")

    with pytest.raises(Corrupt):
        check_shard(tmp_path, shard)


def test_a_generation_holds_the_passages_that_the_ledger_says(kb: KnowledgeBase) -> None:
    published = PublishedText.open(kb.store)
    try:
        count, digest = passages_digest(published.index.stored())
    finally:
        published.close()

    said = published.generation.text_index
    assert (count, digest) == (said["passages"], said["digest"])
    assert count > 0
