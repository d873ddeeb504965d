from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from graphsvc.text_index.literals import Literal, decoded, json_runs, matches

_ALPHABET = 'ab"\\/\n\t<é😀u00e9 {'
_TEXTS = st.text(_ALPHABET, max_size=24)


@given(text=_TEXTS, data=st.data(), ascii_only=st.booleans())
def test_every_occurrence_in_json_is_found_as_written(
    text: str, data: st.DataObject, ascii_only: bool
) -> None:
    evidence = json.dumps({"key": text}, ensure_ascii=ascii_only).encode()
    runs = json_runs(evidence)
    start = data.draw(st.integers(0, max(0, len(text) - 1)))
    literal = text[start : start + 3] or "a"

    found = list(Literal(literal).ranges(evidence, runs, is_json=True))

    assert len(found) == text.count(literal)
    assert [decoded(evidence, [one], is_json=True) for one in found] == [[literal]] * len(found)


@given(text=_TEXTS)
def test_what_json_says_is_read_back(text: str) -> None:
    for ascii_only in (True, False):
        evidence = json.dumps([text, {"k": [text]}], ensure_ascii=ascii_only).encode()

        strings = decoded(evidence, json_runs(evidence), is_json=True)

        assert strings == [one for one in (text, text) if one]


def test_keys_ids_and_opaque_data_are_no_text() -> None:
    evidence = json.dumps(
        {"type": "image", "id": "abc", "data": "QUJD" * 1000, "text": "seen", "signature": "xyz"}
    ).encode()

    assert decoded(evidence, json_runs(evidence), is_json=True) == ["seen"]


@given(text=_TEXTS, ascii_only=st.booleans(), is_json=st.booleans())
def test_a_pattern_matches_the_bytes_that_say_what_it_matches(
    text: str, ascii_only: bool, is_json: bool
) -> None:
    evidence = json.dumps(text, ensure_ascii=ascii_only).encode() if is_json else text.encode()
    runs = json_runs(evidence) if is_json else [(0, len(evidence))]
    pattern = re.compile(r"[ab]+|é.?|\n")

    found = [
        decoded(evidence, [run], is_json=is_json)[0]
        for run in matches(pattern, evidence, runs, is_json=is_json)
    ]

    assert found == pattern.findall(text)


def test_half_a_character_becomes_a_replacement() -> None:
    evidence = b'{"text": "\\ud83d broken"}'

    assert decoded(evidence, json_runs(evidence), is_json=True) == ["\ufffd broken"]
