"""The tables of a property graph, derived from Arrow schemas, and the DDL that creates them.

A node table has a string column ``id``, its primary key. An edge table begins with the string columns
``source`` and ``target``, the keys of the nodes that it joins; every further column is a property. One edge
label may join several pairs of node labels: it then has one edge table for each pair, all with the same
properties, and each is loaded, digested and reported by itself.

>>> import pyarrow as pa
>>> person = NodeTable.from_arrow("Person", pa.schema({"id": pa.string(), "born": pa.int64()}))
>>> ends = pa.schema({"source": pa.string(), "target": pa.string()})
>>> knows = EdgeTable.from_arrow("KNOWS", "Person", "Person", ends)
>>> knows.name
'Person-KNOWS->Person'
>>> print("\\n".join(map(creation, GraphSchema((person,), (knows,)).by_label())))
CREATE NODE TABLE `Person`(`id` STRING, `born` INT64, PRIMARY KEY(`id`))
CREATE REL TABLE `KNOWS`(FROM `Person` TO `Person`)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from graphsvc.errors import InvalidInput

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Column", "ColumnType", "EdgeTable", "GraphSchema", "NodeTable", "Table", "creation", "quote"]

# A leading underscore is left to the engine, which keeps _id, _label, _src and _dst for itself.
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_RENAME_HINT = "name it with ASCII letters, digits and underscores, beginning with a letter"


class ColumnType(StrEnum):
    """The types that a column of the graph may have. Timestamps are microseconds since 1970 in UTC."""

    STRING = "string"
    INT64 = "int64"
    DOUBLE = "double"
    BOOL = "bool"
    TIMESTAMP = "timestamp[us]"
    STRINGS = "list<string>"

    @classmethod
    def of(cls, type_: pa.DataType) -> ColumnType | None:
        """The column type that holds values of an Arrow type without change, None where there is none.

        Encodings do not count: a dictionary of strings is a string, a large list is a list.

        >>> import pyarrow as pa
        >>> ColumnType.of(pa.dictionary(pa.int32(), pa.large_string()))
        <ColumnType.STRING: 'string'>
        >>> ColumnType.of(pa.int32()) is None
        True
        """
        import pyarrow.types as t

        if t.is_dictionary(type_):
            return cls.of(type_.value_type)
        if t.is_string(type_) or t.is_large_string(type_) or t.is_string_view(type_):
            return cls.STRING
        if t.is_int64(type_):
            return cls.INT64
        if t.is_float64(type_):
            return cls.DOUBLE
        if t.is_boolean(type_):
            return cls.BOOL
        if t.is_timestamp(type_) and type_.unit == "us":
            return cls.TIMESTAMP
        if (t.is_list(type_) or t.is_large_list(type_)) and cls.of(type_.value_type) is cls.STRING:
            return cls.STRINGS
        return None


_ENGINE_TYPES = {
    ColumnType.STRING: "STRING",
    ColumnType.INT64: "INT64",
    ColumnType.DOUBLE: "DOUBLE",
    ColumnType.BOOL: "BOOL",
    ColumnType.TIMESTAMP: "TIMESTAMP",
    ColumnType.STRINGS: "STRING[]",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the type of its values, each of which may be null."""

    name: str
    type: ColumnType


@dataclass(frozen=True, slots=True)
class NodeTable:
    """The nodes of one label.

    Args:
        label: The label.
        columns: All columns in the order of the file that is loaded; ``id`` is among them.

    Raises:
        InvalidInput: A name cannot be an identifier, a name occurs twice, or ``id`` is no string column.
    """

    label: str
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        _check_names(self.label, self.columns)
        if Column("id", ColumnType.STRING) not in self.columns:
            raise InvalidInput(
                f"node table {self.label} has no string column `id`",
                hint="select the node's key as a string column named id",
            )

    @classmethod
    def from_arrow(cls, label: str, schema: pa.Schema) -> NodeTable:
        """The node table that holds rows of an Arrow schema.

        Raises:
            InvalidInput: As above, or a column has a type that the graph cannot hold.
        """
        return cls(label, _columns(label, schema))

    @property
    def name(self) -> str:
        """What reports and digests call this table."""
        return self.label

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that rows are ordered by first."""
        return ("id",)


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """The edges of one label between one pair of node labels.

    Args:
        label: The label.
        from_label: Label of the nodes that ``source`` names.
        to_label: Label of the nodes that ``target`` names.
        columns: All columns in the order of the file that is loaded: ``source``, ``target``, properties.

    Raises:
        InvalidInput: A name cannot be an identifier, a name occurs twice, or the first two columns are not
            the strings ``source`` and ``target``.
    """

    label: str
    from_label: str
    to_label: str
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        _check_names(self.label, self.columns)
        ends = (Column("source", ColumnType.STRING), Column("target", ColumnType.STRING))
        if self.columns[:2] != ends:
            raise InvalidInput(
                f"edge table {self.name} does not begin with the string columns `source` and `target`",
                hint="select source and target first, both as strings",
            )

    @classmethod
    def from_arrow(cls, label: str, from_label: str, to_label: str, schema: pa.Schema) -> EdgeTable:
        """The edge table that holds rows of an Arrow schema.

        Raises:
            InvalidInput: As above, or a column has a type that the graph cannot hold.
        """
        return cls(label, from_label, to_label, _columns(label, schema))

    @property
    def name(self) -> str:
        """What reports and digests call this table: the label between the labels that it joins."""
        return f"{self.from_label}-{self.label}->{self.to_label}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that rows are ordered by first."""
        return ("source", "target")

    @property
    def properties(self) -> tuple[Column, ...]:
        """The columns that the edge itself carries."""
        return self.columns[2:]


Table = NodeTable | EdgeTable


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """All tables of a graph.

    Raises:
        InvalidInput: Two tables have one name, an edge joins a label that has no node table, or the tables
            of one edge label have different properties.
    """

    nodes: tuple[NodeTable, ...]
    edges: tuple[EdgeTable, ...]

    def __post_init__(self) -> None:
        # The engine takes labels that differ only in case for one.
        node_labels = [node.label.casefold() for node in self.nodes]
        edge_labels = {edge.label.casefold() for edge in self.edges}
        _check_unique(node_labels + sorted(edge_labels), "label")
        _check_unique([edge.name.casefold() for edge in self.edges], "edge table")
        known = {node.label for node in self.nodes}
        properties: dict[str, tuple[Column, ...]] = {}
        for edge in self.edges:
            for label in (edge.from_label, edge.to_label):
                if label not in known:
                    raise InvalidInput(
                        f"edge table {edge.name} joins {label}, which has no node table",
                        hint=f"add a node table {label}, or correct the label",
                    )
            if properties.setdefault(edge.label, edge.properties) != edge.properties:
                raise InvalidInput(
                    f"the edge tables of {edge.label} have different properties",
                    hint="give every table of one edge label the same columns in the same order",
                )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Node tables, then edge tables: the order in which they can be loaded."""
        return (*self.nodes, *self.edges)

    def by_label(self) -> list[list[Table]]:
        """The tables of each label, in the order in which they can be loaded."""
        labels: dict[str, list[Table]] = {}
        for table in self.tables:
            labels.setdefault(table.label, []).append(table)
        return list(labels.values())

    def to_dict(self) -> dict[str, Any]:
        """The schema as plain JSON values; :meth:`from_dict` is its inverse."""
        return {
            "nodes": [{"label": n.label, "columns": _to_pairs(n.columns)} for n in self.nodes],
            "edges": [
                {"label": e.label, "from": e.from_label, "to": e.to_label, "columns": _to_pairs(e.columns)}
                for e in self.edges
            ],
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> GraphSchema:
        """The schema that :meth:`to_dict` described."""
        return cls(
            tuple(NodeTable(n["label"], _from_pairs(n["columns"])) for n in value["nodes"]),
            tuple(
                EdgeTable(e["label"], e["from"], e["to"], _from_pairs(e["columns"])) for e in value["edges"]
            ),
        )


def quote(identifier: str) -> str:
    """An identifier as Cypher takes it, reserved word or not.

    The engine has no escape for a backtick inside of an identifier, so names are checked where they are
    declared (:class:`NodeTable`, :class:`EdgeTable`).

    >>> quote("Order")
    '`Order`'
    """
    return f"`{identifier}`"


def creation(tables: Sequence[Table]) -> str:
    """The statement that creates all tables of one label."""
    first = tables[0]
    if isinstance(first, NodeTable):
        return f"CREATE NODE TABLE {quote(first.label)}({_definitions(first.columns)}, PRIMARY KEY(`id`))"
    edges = [table for table in tables if isinstance(table, EdgeTable)]
    pairs = [f"FROM {quote(edge.from_label)} TO {quote(edge.to_label)}" for edge in edges]
    properties = [_definitions(first.properties)] if first.properties else []
    return f"CREATE REL TABLE {quote(first.label)}({', '.join(pairs + properties)})"


def _definitions(columns: Iterable[Column]) -> str:
    return ", ".join(f"{quote(column.name)} {_ENGINE_TYPES[column.type]}" for column in columns)


def _columns(label: str, schema: pa.Schema) -> tuple[Column, ...]:
    columns = []
    for field in schema:
        type_ = ColumnType.of(field.type)
        if type_ is None:
            allowed = ", ".join(ColumnType)
            raise InvalidInput(
                f"column `{field.name}` of {label} has type {field.type}, which the graph cannot hold",
                hint=f"cast it to one of {allowed}",
            )
        columns.append(Column(field.name, type_))
    return tuple(columns)


def _check_names(label: str, columns: tuple[Column, ...]) -> None:
    for name in (label, *(column.name for column in columns)):
        if not _IDENTIFIER.fullmatch(name):
            raise InvalidInput(f"{name!r} in {label} cannot be a name in the graph", hint=_RENAME_HINT)
    _check_unique([column.name.casefold() for column in columns], f"column of {label}")


def _check_unique(names: Iterable[str], what: str) -> None:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InvalidInput(f"{what} declared twice: {', '.join(twice)}", hint="give each its own name")


def _to_pairs(columns: Iterable[Column]) -> list[list[str]]:
    return [[column.name, column.type.value] for column in columns]


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[Column, ...]:
    return tuple(Column(name, ColumnType(type_)) for name, type_ in pairs)
