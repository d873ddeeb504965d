"""What is read of a SCIP index, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import InvalidInput
from loaders.scip.reading import is_document, read_document, read_tool, top_level
from loaders.scip.wire import fields, packed
from tests.scip.indexes import definition, document, index, message, reference

values = st.one_of(st.integers(0, 2**63), st.binary(max_size=300))


@given(st.lists(st.tuples(st.integers(1, 2**20), values), max_size=8))
def test_a_message_reads_back(parts: list[tuple[int, int | bytes]]) -> None:
    data = message(*parts)
    found = list(fields(data))
    assert [
        (f.number, f.data if isinstance(value, bytes) else f.value)
        for f, (_, value) in zip(found, parts, strict=True)
    ] == parts
    assert all(data[field.start : field.end] == field.data for field in found if field.data)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(data: bytes) -> None:
    try:
        found = list(fields(data))
    except InvalidInput:
        return
    assert all(field.end <= len(data) for field in found)


@given(st.lists(st.tuples(st.integers(1, 500), values), min_size=1, max_size=5), st.data())
def test_a_message_that_is_cut_off_is_refused_or_ends_between_fields(
    parts: list[tuple[int, int | bytes]], data: st.DataObject
) -> None:
    whole = message(*parts)
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    try:
        found = list(fields(cut))
    except InvalidInput:
        return
    assert (
        message(
            *(
                (f.number, f.data if isinstance(v, bytes) else f.value)
                for f, (_, v) in zip(found, parts, strict=False)
            )
        )
        == cut
    )


def test_numbers_that_do_not_end_are_refused() -> None:
    with pytest.raises(InvalidInput):
        packed(b"\xff" * 20)
    with pytest.raises(InvalidInput):
        list(fields(b"\x0b"))  # a group, which no index has


def test_an_index_has_a_tool_and_documents() -> None:
    data = index(document("a.ts", [definition(0, 9, 12, "x a.ts/run()."), reference(1, 0, 3, "local 4")]))
    metadata, one = list(top_level(data))
    assert read_tool(metadata.data) == ("invented", "1.0")
    assert is_document(one)
    found = read_document(one.data)
    assert (found.path, found.encoding, found.local_count) == ("a.ts", 2, 1)
    assert found.names == ((0, 9, 12, "x a.ts/run().", True),)


@pytest.mark.parametrize(("encoding", "column"), [(1, 15), (2, 12), (3, 11), (0, 12)])
def test_columns_are_bytes_units_or_characters(encoding: int, column: int) -> None:
    source = 'x = "é😀-"; run()\n'.encode()
    name = definition(0, column, column + 3, "x run().")
    [found] = read_document(document("a.ts", [name], encoding=encoding)).occurrences(source)
    assert source[found.start : found.end] == b"run"


def test_names_outside_of_the_file_and_without_extent_are_left_out() -> None:
    names = [
        definition(9, 0, 3, "x a()."),
        definition(0, 50, 53, "x b()."),
        definition(0, 0, 0, "x c/"),
        definition(0, 0, 3, "x run()."),
    ]
    found = read_document(document("a.ts", names)).occurrences(b"run\n")
    assert [one.symbol for one in found] == ["x run()."]
