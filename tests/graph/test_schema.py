"""Tables are derived from Arrow schemas, and what the graph cannot hold is refused with its name."""

from __future__ import annotations

import pyarrow as pa
import pytest

from graphsvc.errors import InvalidInput
from graphsvc.graph.schema import ColumnType, EdgeTable, GraphSchema, NodeTable, creation

KEY = pa.schema({"id": pa.string()})
ENDS = pa.schema({"source": pa.string(), "target": pa.string()})


def edge(label: str, from_label: str, to_label: str, **columns: pa.DataType) -> EdgeTable:
    return EdgeTable.from_arrow(label, from_label, to_label, pa.schema([*ENDS, *columns.items()]))


def test_ddl_quotes_names_and_joins_the_pairs_of_one_edge_label() -> None:
    order = NodeTable.from_arrow("Order", pa.schema({"id": pa.string(), "match": pa.list_(pa.string())}))
    file = NodeTable.from_arrow("File", pa.schema({"at": pa.timestamp("us"), "id": pa.large_string()}))
    pairs = (edge("IN", "Order", "File", all=pa.bool_()), edge("IN", "File", "File", all=pa.bool_()))

    assert [creation(tables) for tables in GraphSchema((order, file), pairs).by_label()] == [
        "CREATE NODE TABLE `Order`(`id` STRING, `match` STRING[], PRIMARY KEY(`id`))",
        "CREATE NODE TABLE `File`(`at` TIMESTAMP, `id` STRING, PRIMARY KEY(`id`))",
        "CREATE REL TABLE `IN`(FROM `Order` TO `File`, FROM `File` TO `File`, `all` BOOL)",
    ]


def test_schema_survives_json() -> None:
    schema = GraphSchema((NodeTable.from_arrow("A", KEY),), (edge("R", "A", "A", w=pa.float64()),))

    assert GraphSchema.from_dict(schema.to_dict()) == schema


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (pa.string_view(), ColumnType.STRING),
        (pa.dictionary(pa.int8(), pa.string()), ColumnType.STRING),
        (pa.large_list(pa.large_string()), ColumnType.STRINGS),
        (pa.timestamp("us", "UTC"), ColumnType.TIMESTAMP),
        (pa.timestamp("ns"), None),
        (pa.int32(), None),
        (pa.list_(pa.int64()), None),
        (pa.null(), None),
    ],
)
def test_only_types_that_come_back_unchanged_are_allowed(
    type_: pa.DataType, expected: ColumnType | None
) -> None:
    assert ColumnType.of(type_) is expected


def test_unsupported_type_names_column_and_table() -> None:
    with pytest.raises(InvalidInput, match=r"column `n` of A has type int32") as caught:
        NodeTable.from_arrow("A", pa.schema({"id": pa.string(), "n": pa.int32()}))

    assert "int64" in caught.value.hint


@pytest.mark.parametrize("label", ["", "a b", "x`y", "_hidden", "1st", "naïve", "A;"])
def test_name_that_cannot_be_quoted_safely_is_refused(label: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be a name"):
        NodeTable.from_arrow(label, KEY)


def test_node_needs_a_string_key() -> None:
    with pytest.raises(InvalidInput, match="no string column `id`"):
        NodeTable.from_arrow("A", pa.schema({"id": pa.int64()}))


def test_edge_begins_with_its_ends() -> None:
    swapped = pa.schema({"target": pa.string(), "source": pa.string()})

    with pytest.raises(InvalidInput, match="A-R->A does not begin with"):
        EdgeTable.from_arrow("R", "A", "A", swapped)


def test_columns_that_differ_only_in_case_are_refused() -> None:
    with pytest.raises(InvalidInput, match="column of A declared twice: name"):
        NodeTable.from_arrow("A", pa.schema({"id": pa.string(), "name": pa.string(), "Name": pa.string()}))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ((edge("R", "A", "B"),), "joins B, which has no node table"),
        ((edge("R", "A", "A"), edge("R", "A", "A")), "edge table declared twice"),
        ((edge("a", "A", "A"),), "label declared twice: a"),
        ((edge("R", "A", "A"), edge("R", "A", "C", w=pa.int64())), "tables of R have different properties"),
    ],
)
def test_tables_must_fit_together(edges: tuple[EdgeTable, ...], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        GraphSchema((NodeTable.from_arrow("A", KEY), NodeTable.from_arrow("C", KEY)), edges)
