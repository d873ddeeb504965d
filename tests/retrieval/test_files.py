from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import Corrupt
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.evidence_file import EvidenceReader, EvidenceWriter
from graphsvc.text_index.files import check_files, passages_digest, seal_files


def test_evidence_is_read_back_from_its_place(tmp_path: Path) -> None:
    path = tmp_path / "evidence"
    said = [b"one", b"", b"x" * 300_000, b"two"]
    writer, places = EvidenceWriter(path), []
    for one in said:
        writer.add(one)
        if writer.is_full:
            places += writer.close_frame()
    places += writer.close_frame()
    writer.close()

    with EvidenceReader(path) as reader:
        assert [reader.read(place) for place in places] == said


def test_a_damaged_frame_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "evidence"
    writer = EvidenceWriter(path)
    writer.add(b"one" * 100)
    [place] = writer.close_frame()
    writer.close()
    data = bytearray(path.read_bytes())
    data[:4] = b"none"
    path.write_bytes(data)

    with EvidenceReader(path) as reader, pytest.raises(Corrupt):
        reader.read(place)


def test_a_file_that_differs_from_its_seal_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "index").write_bytes(b"data")
    sealed = seal_files(tmp_path)
    check_files(tmp_path, sealed, deep=True)
    (tmp_path / "index").write_bytes(b"dAta")

    with pytest.raises(Corrupt):
        check_files(tmp_path, sealed, deep=True)


def test_a_generation_holds_the_passages_that_the_ledger_says(kb: KnowledgeBase) -> None:
    published = PublishedText.open(kb.store)
    try:
        count, digest = passages_digest(published.index.passages())
    finally:
        published.close()

    said = published.generation.text_index
    assert (count, digest) == (said["passages"], said["digest"])
    assert count > 0
