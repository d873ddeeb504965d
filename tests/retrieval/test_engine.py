from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.errors import Corrupt
from graphsvc.text_index.engine import ShardWriter, assemble
from graphsvc.text_index.index import Filters, TextIndex
from graphsvc.text_index.passage import Passage, Place, Words, decode, encode
from graphsvc.text_index.words import has_long_word


def passage(number: int, **fields: Any) -> Passage:
    """A passage that differs from others by its number."""
    said: dict[str, Any] = {
        "grain": "occurrence", "kind": "prompt", "key": f"key-{number:04}", "subject": f"key-{number:04}",
        "session": "s", "turn": "t", "repository": None, "path": None, "title": "title", "agent": None, "tool": None,
        "occurred_at": number, "is_present": True, "segment": "0" * 64, "start": 0, "end": 1, "texts": (0, 1),
        "is_json": False, "digest": "0" * 16, "place": None,
    }  # fmt: skip
    return Passage(**said | fields)


def index(folder: Path, *written: tuple[Passage, Words]) -> TextIndex:
    """An index of passages."""
    writer = ShardWriter(folder)
    for one, words in written:
        writer.add(one, words)
    assemble(folder, [writer.finish()])
    return TextIndex(folder)


def keys(found: Any) -> list[str]:
    """Numbers of the passages that were found."""
    return sorted(hit.passage.key for hit in found.hits)


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(st.text("aAbΣİ_ .-0é²", max_size=12), min_size=1, max_size=8), data=st.data())
def test_no_passage_that_has_a_literal_is_missing(texts: list[str], data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from(texts))
    start = data.draw(st.integers(0, max(0, len(whole) - 1)))
    literal = whole[start : start + data.draw(st.integers(1, 6))] or "a"
    with TemporaryDirectory() as folder:
        made = index(Path(folder), *((passage(n), Words(text, text)) for n, text in enumerate(texts)))

        found = keys(made.containing(literal, Filters()))

    assert {f"key-{n:04}" for n, text in enumerate(texts) if literal in text} <= set(found)


@pytest.mark.parametrize(("literal", "candidates"), [("gent-a", ["key-0001"]), ("a-gent", ["key-0002"])])
def test_the_longer_word_at_an_edge_of_a_literal_decides_which_passages_are_read(
    tmp_path: Path, literal: str, candidates: list[str]
) -> None:
    texts = enumerate(("a b", "agent-alpha", "beta-gentle"))
    made = index(tmp_path, *((passage(n), Words(text, text)) for n, text in texts))

    assert keys(made.containing(literal, Filters())) == candidates


def test_a_word_counts_for_more_the_more_often_a_question_says_it(tmp_path: Path) -> None:
    said = enumerate(("lock of it", "cache of it"))
    made = index(tmp_path, *((passage(n), Words(text, text)) for n, text in said))

    once, thrice = (
        {hit.passage.key: hit.score for hit in made.ranked(question, Filters(), 9).hits}
        for question in ("cache lock", "cache, lock, lock and lock")
    )

    assert once["key-0000"] == once["key-0001"]
    assert once["key-0000"] < thrice["key-0000"] < 2 * once["key-0000"]
    assert once["key-0001"] == thrice["key-0001"]


def test_a_passage_with_a_word_too_long_for_the_index_is_always_a_candidate(tmp_path: Path) -> None:
    text = "a" * 70_000 + "needle"
    made = index(tmp_path, (passage(1), Words(text, "", has_long_word=has_long_word(text))))

    assert keys(made.containing("needle", Filters())) == ["key-0001"]


def test_endings_and_humps_do_not_hide_a_word(tmp_path: Path) -> None:
    made = index(tmp_path, (passage(1), Words("parseConfig", "parse Config")), (passage(2), Words("x", "x")))

    assert keys(made.ranked("configs parsing", Filters(), 10)) == ["key-0001"]


def test_filters_narrow_and_leave_scores_alone(tmp_path: Path) -> None:
    words = Words("one", "one")
    made = index(
        tmp_path,
        (passage(1, agent="Claude Code", path="a/b.py"), words._replace(repositories=("r1",))),
        (passage(2, tool="Bash", is_present=False), words),
        (passage(3, kind="commit"), words._replace(repositories=("r2", "r3"))),
    )

    assert keys(made.matching(Filters())) == ["key-0001", "key-0003"]
    assert keys(made.matching(Filters(only_present=False, tool="bash"))) == ["key-0002"]
    assert keys(made.matching(Filters(agent="claude code"))) == ["key-0001"]
    assert keys(made.matching(Filters(path="b.py"))) == ["key-0001"]
    assert keys(made.matching(Filters(path="b+py"))) == []
    assert keys(made.matching(Filters(kinds=("commit",)))) == ["key-0003"]
    assert keys(made.matching(Filters(repositories=("r1",), only_present=False))) == ["key-0001"]
    assert keys(made.matching(Filters(withheld=("r3",), only_present=False))) == ["key-0001", "key-0002"]
    for since, before, expected in ((2, 3, {2}), (2, None, {2, 3}), (None, 3, {1, 2})):
        found = keys(made.matching(Filters(since=since, before=before, only_present=False)))
        assert found == [f"key-{number:04}" for number in sorted(expected)]
    [alone] = made.ranked("one", Filters(kinds=("commit",)), 10).hits
    assert alone in made.ranked("one", Filters(), 10).hits


def test_a_path_weighs_twice_where_files_are_asked_for(tmp_path: Path) -> None:
    made = index(tmp_path, (passage(1, kind="file"), Words("x", "x", names=("src/cache.py",))))

    [alone] = made.ranked("cache", Filters(), 10).hits
    [asked_for] = made.ranked("cache", Filters(kinds=("symbol", "file")), 10).hits

    assert asked_for.score == pytest.approx(2 * alone.score, abs=1)


def test_a_passage_is_read_back_as_it_was() -> None:
    one = passage(7, place=Place("abc", 1, 2, 3, 4), texts=(1, 2, 5, 9), path="é")

    assert decode(encode(one)) == one


def test_a_folder_without_an_index_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{}")

    with pytest.raises(Corrupt):
        TextIndex(tmp_path)
