"""Digests of a table's content that no engine, scan order or memory layout can change.

Two tables have one digest exactly when they hold the same rows, as a multiset, in the same columns. Rows are
put in order by their key columns and then by all other columns; strings are compared by their UTF-8 bytes and
null comes before every value, NaN after every number. Each column then becomes a few buffers:

- one byte a row, 1 where the value is null;
- for a string, the length of each value in bytes as int64, then the UTF-8 data of all values together;
- for a list of strings, the same, each list written as netstrings (``3:abc,`` for an item, ``-,`` for null);
- for a bool one byte a row, for a double, an int64 or a timestamp eight: little-endian, IEEE 754,
  microseconds since 1970 in UTC. Every NaN is the one quiet NaN, and -0.0 is 0.0.

The digest is SHA-256 over the version of this format, the name of the table, the number of rows and, per
column in the order of names, its name, type and buffers; before each piece stands its length, as uint64.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from graphsvc.errors import InvalidInput
from graphsvc.graph.schema import Column, ColumnType, Table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LABEL_FORMAT", "LabelDigest", "label_digest", "root_digest"]

LABEL_FORMAT = "graphsvc label digest 1"
"""Version of the digest of a table."""

_ROOT_FORMAT = b"graphsvc root digest 1"
_TEXTS = frozenset({ColumnType.STRING, ColumnType.STRINGS})
_NOTHING = {type_: (b"",) * (3 if type_ in _TEXTS else 2) for type_ in ColumnType}
"""The buffers of a column without rows."""


@dataclass(frozen=True, slots=True)
class LabelDigest:
    """The content of one table.

    Args:
        label: Name of the table: the label of nodes, or ``From-LABEL->To`` for edges.
        rows: Number of rows.
        digest: SHA-256 of the content, 64 hexadecimal digits.
    """

    label: str
    rows: int
    digest: str


def label_digest(table: Table, rows: Any) -> LabelDigest:
    """The digest of the rows of one table.

    Args:
        table: The declaration of the table.
        rows: An Arrow table, or anything that offers the Arrow C stream (a polars frame), with exactly the
            declared columns in any order.

    Raises:
        InvalidInput: The columns are not the declared ones, or have other types.

    >>> import pyarrow as pa
    >>> from graphsvc.graph.schema import NodeTable
    >>> rows = pa.table({"id": ["b", "a"], "line": [2, 1]})
    >>> table = NodeTable.from_arrow("Symbol", rows.schema)
    >>> label_digest(table, rows) == label_digest(table, rows.take([1, 0]))
    True
    """
    checked = _checked(table, rows)
    # Half of the tables of a small graph are empty, and frames of nothing cost as much as small ones.
    frame = _canonical(table, checked) if checked.num_rows else None
    digest = hashlib.sha256()
    for piece in (LABEL_FORMAT.encode(), table.name.encode(), struct.pack("<Q", checked.num_rows)):
        _update(digest, piece)
    for column in sorted(table.columns, key=lambda column: column.name):
        _update(digest, column.name.encode())
        _update(digest, column.type.value.encode())
        for buffer in _NOTHING[column.type] if frame is None else _buffers(frame[column.name]):
            _update(digest, buffer)
    return LabelDigest(table.name, checked.num_rows, digest.hexdigest())


def root_digest(
    labels: Iterable[LabelDigest], *, schema_fingerprint: str, projection_version: str, evidence_digest: str
) -> str:
    """The digest of a whole graph and of what it was projected from.

    Args:
        labels: One digest for each table, in any order.
        schema_fingerprint: Fingerprint of the declarations of the canonical events.
        projection_version: Version of the rules that project events into tables.
        evidence_digest: Digest of the canonical events that were projected.

    Returns:
        64 hexadecimal digits.

    Raises:
        InvalidInput: A table occurs twice.

    >>> one = [LabelDigest("A", 1, "00"), LabelDigest("B", 0, "11")]
    >>> bound = {"schema_fingerprint": "s", "projection_version": "1", "evidence_digest": "e"}
    >>> root_digest(one, **bound) == root_digest(reversed(one), **bound)
    True
    """
    ordered = sorted(labels, key=lambda label: label.label)
    for before, after in pairwise(ordered):
        if before.label == after.label:
            raise InvalidInput(f"table {after.label} has two digests", hint="pass one digest for each table")
    digest = hashlib.sha256()
    for text in (schema_fingerprint, projection_version, evidence_digest):
        _update(digest, text.encode())
    for label in ordered:
        _update(digest, label.label.encode())
        _update(digest, struct.pack("<Q", label.rows))
        _update(digest, label.digest.encode())
    return hashlib.sha256(_ROOT_FORMAT + digest.digest()).hexdigest()


def _update(digest: hashlib._Hash, piece: bytes | memoryview) -> None:
    digest.update(struct.pack("<Q", len(piece)))
    digest.update(piece)


def _checked(table: Table, rows: Any) -> pa.Table:
    """The rows as an Arrow table, if they have the declared columns."""
    import pyarrow as pa

    arrow = rows if isinstance(rows, pa.Table) else pa.table(rows)
    declared = {column.name: column.type for column in table.columns}
    found = {field.name: ColumnType.of(field.type) for field in arrow.schema}
    if found != declared or len(arrow.schema) != len(declared):
        raise InvalidInput(
            f"rows of {table.name} have other columns than declared: {', '.join(map(str, arrow.schema))}",
            hint="give exactly: " + ", ".join(f"{name}: {type_}" for name, type_ in declared.items()),
        )
    return arrow


def _canonical(table: Table, rows: pa.Table) -> pa.Table:
    """The rows in order, each value in the one form that is hashed."""
    import pyarrow as pa

    columns = {column.name: _canonical_values(column, rows[column.name]) for column in table.columns}
    found = pa.table(columns).combine_chunks()
    ordered = found.take(_order(found, list(table.keys)))
    # Most tables have no two rows with one key: ordering by every column would double the time for nothing.
    if _has_equal_neighbours(ordered, table.keys):
        others = sorted(set(found.column_names) - set(table.keys))
        ordered = found.take(_order(found, [*table.keys, *others]))
    return ordered.combine_chunks()


def _order(rows: pa.Table, columns: list[str]) -> pa.Array:
    """Positions of the rows in the order of some columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys: dict[str, pa.ChunkedArray] = {}
    for name in columns:
        if rows[name].null_count:
            keys[f"{name} is there"] = pc.is_valid(rows[name])  # Arrow puts null after every value
        keys[name] = rows[name]
    return pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys])


def _has_equal_neighbours(rows: pa.Table, columns: Iterable[str]) -> bool:
    """Whether some row has the same values in all of these columns as the one before it."""
    import pyarrow.compute as pc

    same = None
    for name in columns:
        before, after = rows[name].slice(0, len(rows) - 1), rows[name].slice(1)
        both_null = pc.and_(pc.is_null(before), pc.is_null(after))
        equal = pc.or_(pc.fill_null(pc.equal(before, after), False), both_null)
        same = equal if same is None else pc.and_(same, equal)
    return same is not None and pc.any(same).as_py() is True


def _canonical_values(column: Column, values: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.type is ColumnType.STRING:
        return values.cast(pa.large_string())
    if column.type is ColumnType.STRINGS:
        return pa.chunked_array([_netstrings(chunk) for chunk in values.chunks], pa.large_string())
    if column.type is ColumnType.DOUBLE:
        one_zero = pc.if_else(pc.equal(values, 0.0), 0.0, values)
        return pc.if_else(pc.is_nan(one_zero), float("nan"), one_zero)
    if column.type is ColumnType.TIMESTAMP:
        return values.cast(pa.timestamp("us")).cast(pa.int64())
    return values


def _netstrings(lists: pa.Array) -> pa.Array:
    """Each list as one string; null stays null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    items = pc.list_flatten(lists).cast(pa.large_string())
    lengths = pc.binary_length(items).cast(pa.large_string())
    nothing, colon, comma = (pa.scalar(text, pa.large_string()) for text in ("", ":", ","))
    written = pc.binary_join_element_wise(lengths, colon, items, comma, nothing)
    ends = pc.cumulative_sum(pc.fill_null(pc.list_value_length(lists), 0).cast(pa.int64()))
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    joined = pc.binary_join(pa.LargeListArray.from_arrays(offsets, pc.fill_null(written, "-,")), nothing)
    return pc.if_else(pc.is_null(lists), pa.scalar(None, pa.large_string()), joined)


def _buffers(values: pa.ChunkedArray) -> Iterator[bytes | memoryview]:
    import pyarrow as pa
    import pyarrow.compute as pc

    yield _fixed(pc.is_null(values).cast(pa.uint8()))
    if pa.types.is_large_string(values.type):
        filled = pc.fill_null(values, "")
        yield _fixed(pc.binary_length(filled).cast(pa.int64()))
        yield _text(filled)
    elif pa.types.is_boolean(values.type):
        yield _fixed(pc.fill_null(values, False).cast(pa.uint8()))
    else:
        yield _fixed(pc.fill_null(values, 0))


def _fixed(values: pa.ChunkedArray) -> memoryview:
    """The data buffer of values of one fixed width, none of which is null."""
    array = _whole(values)
    width = array.type.bit_width // 8
    data = array.buffers()[1] or b""
    return memoryview(data)[array.offset * width : (array.offset + len(array)) * width]


def _text(values: pa.ChunkedArray) -> memoryview:
    """The UTF-8 data of strings, none of which is null, without gaps."""
    array = _whole(values)
    _, offsets, data = array.buffers()
    first, last = (struct.unpack_from("<q", offsets, 8 * (array.offset + i))[0] for i in (0, len(array)))
    return memoryview(data or b"")[first:last]


def _whole(values: pa.ChunkedArray) -> pa.Array:
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
