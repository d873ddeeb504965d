"""A digest depends on the rows of a table and on nothing else."""

from __future__ import annotations

import hashlib
import math
import struct
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.errors import InvalidInput
from graphsvc.graph.digest import LabelDigest, label_digest, root_digest
from graphsvc.graph.schema import ColumnType, EdgeTable, NodeTable

SCHEMA = pa.schema(
    {
        "source": pa.string(),
        "target": pa.string(),
        "b": pa.bool_(),
        "d": pa.float64(),
        "i": pa.int64(),
        "l": pa.list_(pa.string()),
        "s": pa.string(),
        "t": pa.timestamp("us"),
    }
)
EDGES = EdgeTable.from_arrow("R", "A", "A", SCHEMA)

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.one_of(st.sampled_from(["", "a", "b", "\0", "é", "😀", "\uffff"]), st.text(max_size=5))
# Few ends, so that parallel edges and ties by the other columns are common.
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "source": st.sampled_from(["a", "b", "é", "\uffff", "😀"]),
            "target": st.sampled_from(["a", "b"]),
            "b": st.none() | st.booleans(),
            "d": st.none() | st.sampled_from([0.0, -0.0]) | st.floats(),
            "i": st.none() | INT64,
            "l": st.none() | st.lists(st.none() | TEXT, max_size=3),
            "s": st.none() | TEXT,
            "t": st.none() | INT64,
        }
    ),
    max_size=12,
)


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    columns = {name: [row[name] for row in rows] for name in SCHEMA.names}
    return pa.table({name: pa.array(columns[name], SCHEMA.field(name).type) for name in SCHEMA.names})


def framed(*pieces: bytes) -> bytes:
    return b"".join(struct.pack("<Q", len(piece)) + piece for piece in pieces)


def canonical(type_: ColumnType, value: Any) -> Any:
    if type_ is ColumnType.STRINGS and value is not None:
        return b"".join(b"-," if v is None else f"{len(v.encode())}:{v},".encode() for v in value)
    if type_ is ColumnType.STRING and value is not None:
        return value.encode()
    if type_ is ColumnType.DOUBLE and value == 0:
        return 0.0
    return value


def rank(value: Any) -> tuple[int, Any]:
    if value is None:
        return (0, 0)
    if isinstance(value, float) and math.isnan(value):
        return (2, 0)
    return (1, value)


def slow_digest(table: EdgeTable, rows: list[dict[str, Any]]) -> str:
    """The format as the documentation gives it, value by value."""
    types = {column.name: column.type for column in table.columns}
    plain = [{name: canonical(types[name], row[name]) for name in types} for row in rows]
    order = ["source", "target", *sorted(types.keys() - {"source", "target"})]
    plain.sort(key=lambda row: [rank(row[name]) for name in order])
    pieces = [b"graphsvc label digest 1", table.name.encode(), struct.pack("<Q", len(rows))]
    for name in sorted(types):
        values = [row[name] for row in plain]
        pieces += [name.encode(), types[name].value.encode(), bytes(value is None for value in values)]
        if types[name] in (ColumnType.STRING, ColumnType.STRINGS):
            texts = [value or b"" for value in values]
            pieces += [struct.pack(f"<{len(texts)}q", *map(len, texts)), b"".join(texts)]
        elif types[name] is ColumnType.BOOL:
            pieces.append(bytes(bool(value) for value in values))
        else:
            numbers = [float("nan") if value != value else value or 0 for value in values]
            kind = "d" if types[name] is ColumnType.DOUBLE else "q"
            pieces.append(struct.pack(f"<{len(numbers)}{kind}", *numbers))
    return hashlib.sha256(framed(*pieces)).hexdigest()


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_digest_is_the_documented_one(rows: list[dict[str, Any]]) -> None:
    assert label_digest(EDGES, table_of(rows)) == LabelDigest("A-R->A", len(rows), slow_digest(EDGES, rows))


@settings(max_examples=30, deadline=None)
@given(ROWS, st.randoms(use_true_random=False), st.integers(1, 5))
def test_order_chunks_and_encodings_do_not_count(rows: list[dict[str, Any]], random: Any, chunk: int) -> None:
    expected = label_digest(EDGES, table_of(rows))
    shuffled = table_of(random.sample(rows, len(rows)))
    names = random.sample(SCHEMA.names, len(SCHEMA.names))
    large = pa.schema({**dict(zip(SCHEMA.names, SCHEMA.types, strict=True)), "s": pa.large_string()})
    encoded = shuffled.set_column(6, "s", shuffled["s"].combine_chunks().dictionary_encode())
    zoned = shuffled.set_column(7, "t", shuffled["t"].cast(pa.timestamp("us", "UTC")))
    padded = pa.concat_tables([shuffled, shuffled]).slice(len(rows))

    for other in (
        shuffled.select(names),
        shuffled.cast(large),
        encoded,
        zoned,
        padded,
        pa.Table.from_batches(shuffled.to_batches(max_chunksize=chunk), SCHEMA),
        pl.DataFrame(pl.from_arrow(shuffled)),
    ):
        assert label_digest(EDGES, other) == expected


@settings(max_examples=50, deadline=None)
@given(ROWS, ROWS)
def test_other_rows_have_another_digest(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    def multiset(rows: list[dict[str, Any]]) -> list[str]:
        return sorted(repr([canonical(c.type, row[c.name]) for c in EDGES.columns]) for row in rows)

    same = label_digest(EDGES, table_of(one)) == label_digest(EDGES, table_of(other))

    assert same == (multiset(one) == multiset(other))


def test_values_cannot_move_between_cells() -> None:
    texts = [["a,", "b"], ["a", ",b"], ["1:a,", ""], [None, "-,"], ["", None]]
    rows = [pa.table({"id": ["k"], "x": [x], "y": [y]}, SCHEMA_OF_TEXTS) for x, y in texts]
    lists = [["a", "b"], ["ab"], ["a", "b", ""], ["a,1:b"], ["a", None, "b"], []]
    items = [pa.table({"id": ["k"], "x": [x]}, SCHEMA_OF_LISTS) for x in lists]

    digests = {label_digest(NodeTable.from_arrow("A", row.schema), row).digest for row in rows + items}

    assert len(digests) == len(texts) + len(lists)


SCHEMA_OF_TEXTS = pa.schema({"id": pa.string(), "x": pa.string(), "y": pa.string()})
SCHEMA_OF_LISTS = pa.schema({"id": pa.string(), "x": pa.list_(pa.string())})


def test_signs_of_zero_and_kinds_of_nan_do_not_count() -> None:
    odd_nan = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_0001))[0]
    rows = [pa.table({"id": ["a", "b"], "d": values}) for values in ([0.0, math.nan], [-0.0, odd_nan])]
    table = NodeTable.from_arrow("A", rows[0].schema)

    assert label_digest(table, rows[0]) == label_digest(table, rows[1])


def test_name_of_the_table_counts() -> None:
    rows = pa.table({"source": ["a"], "target": ["b"]})
    tables = [EdgeTable.from_arrow(*ends, rows.schema) for ends in (("R", "A", "B"), ("R", "B", "A"))]

    assert label_digest(tables[0], rows).digest != label_digest(tables[1], rows).digest


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"id": ["a"]}),
        pa.table({"id": ["a"], "n": [1], "extra": [1]}),
        pa.table({"id": ["a"], "n": ["1"]}),
        pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([1])], ["id", "n", "n"]),
    ],
)
def test_other_columns_than_declared_are_refused(rows: pa.Table) -> None:
    table = NodeTable.from_arrow("A", pa.schema({"id": pa.string(), "n": pa.int64()}))

    with pytest.raises(InvalidInput, match="rows of A have other columns"):
        label_digest(table, rows)


def test_root_digest_binds_everything() -> None:
    labels = [LabelDigest("A", 1, "aa"), LabelDigest("B", 2, "bb")]
    bound = {"schema_fingerprint": "s", "projection_version": "p", "evidence_digest": "e"}
    variants = [
        root_digest(labels, **bound),
        root_digest(labels[:1], **bound),
        root_digest([labels[0], LabelDigest("B", 3, "bb")], **bound),
        root_digest([labels[0], LabelDigest("B", 2, "bc")], **bound),
        *(root_digest(labels, **{**bound, name: "other"}) for name in bound),
        root_digest(labels, **{**bound, "schema_fingerprint": "sp", "projection_version": ""}),
    ]

    assert len(set(variants)) == len(variants)
    assert root_digest(labels[::-1], **bound) == variants[0]


def test_root_digest_refuses_one_table_twice() -> None:
    with pytest.raises(InvalidInput, match="A has two digests"):
        root_digest(
            [LabelDigest("A", 1, "aa")] * 2,
            schema_fingerprint="s",
            projection_version="p",
            evidence_digest="e",
        )
