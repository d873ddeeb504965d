"""Whatever the bytes, extraction gives an answer, and offsets stay exact."""

from __future__ import annotations

import importlib
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.errors import BudgetExhausted
from loaders.extraction import Extraction
from loaders.languages import LANGUAGES
from loaders.parsing import extract

NEVER_WRONG = {"markdown"}
"""Languages in which every text is well formed."""

SLOW_PARSERS = {"bash", "sql"}
"""Languages whose grammars take more than linear time for nested brackets; the time limit ends that."""


def sample(language: str) -> bytes:
    """The sample that the table test of a language uses."""
    names = {"tsx": "typescript"}
    module = importlib.import_module(f"tests.languages.test_{names.get(language, language)}")
    text: str = module.SHOP
    return text.encode()


def check(data: bytes, found: Extraction) -> None:
    """The invariants of any extraction."""
    for symbol in found.symbols:
        start, end = symbol.span
        assert 0 <= start <= symbol.name_span.start <= symbol.name_span.end <= end <= len(data)
        assert data[slice(*symbol.name_span)].decode("utf-8", "backslashreplace") == symbol.name
        assert -1 <= symbol.parent < symbol.ordinal
        assert symbol.start_line == data.count(b"\n", 0, start) + 1
        assert symbol.line == data.count(b"\n", 0, symbol.name_span.start) + 1
    for reference in found.references:
        assert 0 <= reference.span.start <= reference.span.end <= len(data)
        assert -1 <= reference.enclosing < len(found.symbols)
    keys = [(symbol.descriptor, symbol.disambiguator) for symbol in found.symbols]
    assert len(set(keys)) == len(keys)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("as it is", lambda data: data),
        ("empty", lambda data: b""),
        ("byte order mark", lambda data: b"\xef\xbb\xbf" + data),
        ("carriage returns", lambda data: data.replace(b"\n", b"\r\n")),
        ("zero bytes", lambda data: data.replace(b" ", b" \0", 3)),
        ("not UTF-8", lambda data: data.replace(b"Cart", b"Cart\xe9\xff")),
        ("twice", lambda data: data + b"\n" + data),
        ("one line", lambda data: data.replace(b"\n", b" ")),
        ("brackets", lambda data: b"(" * 2000 + data),
    ],
)
def test_offsets_are_exact(language: str, name: str, change: object) -> None:
    assert callable(change)
    data = change(sample(language))
    check(data, extract(data, language))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_a_cut_file_is_partial_and_says_so(language: str) -> None:
    whole = sample(language)
    for cut in range(0, len(whole), 7):
        check(whole[:cut], extract(whole[:cut], language))
    assert language in NEVER_WRONG or extract(whole + b"\n)(", language).errors > 0


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_deep_nesting_is_walked_without_recursion(language: str) -> None:
    data = b"a = f" + b"(a" * 5000 + b")" * 5000 + b"\nb" + b".c()" * 5000
    try:
        check(data, extract(data, language, seconds=1.0))
    except BudgetExhausted:
        assert language in SLOW_PARSERS


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_random_edits(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(LANGUAGES)))
    source = sample(language)
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(len(source), start + 80)))
    insert = data.draw(st.one_of(st.binary(max_size=8), st.sampled_from([b"(", b"}", b"\n\n", b'"', b"*"])))
    changed = source[:start] + insert + source[end:]
    check(changed, extract(changed, language))
