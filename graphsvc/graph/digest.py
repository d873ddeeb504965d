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
    import polars as pl
    import pyarrow as pa

__all__ = ["LabelDigest", "label_digest", "root_digest"]

_LABEL_FORMAT = b"graphsvc label digest 1"
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
    for piece in (_LABEL_FORMAT, table.name.encode(), struct.pack("<Q", checked.num_rows)):
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


def _canonical(table: Table, rows: pa.Table) -> pl.DataFrame:
    """The rows in order, each value in the one form that is hashed."""
    import polars as pl

    # Polars panics when it evaluates lists that come in chunks.
    frame = pl.DataFrame(pl.from_arrow(rows)).rechunk()
    frame = frame.select(_canonical_values(column) for column in table.columns).sort(table.keys)
    # Most tables have no two rows with one key: ordering by every column would double the time for nothing.
    same_key = pl.all_horizontal(pl.col(key).eq_missing(pl.col(key).shift()) for key in table.keys)
    if frame.select(same_key.any()).item():
        others = sorted(set(frame.columns) - set(table.keys))
        frame = frame.sort([*table.keys, *others])
    return frame


def _canonical_values(column: Column) -> pl.Expr:
    import polars as pl

    values = pl.col(column.name)
    if column.type is ColumnType.STRING:
        return values.cast(pl.String)
    if column.type is ColumnType.STRINGS:
        item = pl.element().cast(pl.String)
        netstring = pl.format("{}:{},", item.str.len_bytes(), item).fill_null("-,")
        return values.list.eval(netstring).list.join("")
    if column.type is ColumnType.DOUBLE:
        one_zero = pl.when(values == 0).then(0.0).otherwise(values)
        return one_zero.fill_nan(float("nan")).alias(column.name)
    if column.type is ColumnType.TIMESTAMP:
        return values.dt.replace_time_zone(None).cast(pl.Int64)
    return values


def _buffers(values: pl.Series) -> Iterator[bytes | memoryview]:
    import polars as pl

    yield _fixed(values.is_null().cast(pl.UInt8))
    if values.dtype == pl.String:
        filled = values.fill_null("")
        yield _fixed(filled.str.len_bytes().cast(pl.Int64))
        yield _text(filled)
    elif values.dtype == pl.Boolean:
        yield _fixed(values.fill_null(False).cast(pl.UInt8))
    else:
        yield _fixed(values.fill_null(0))


def _fixed(values: pl.Series) -> memoryview:
    """The data buffer of values of one fixed width, none of which is null."""
    array = values.to_arrow()
    width = array.type.bit_width // 8
    data = array.buffers()[1] or b""
    return memoryview(data)[array.offset * width : (array.offset + len(array)) * width]


def _text(values: pl.Series) -> memoryview:
    """The UTF-8 data of strings, none of which is null, without gaps."""
    import polars as pl

    array = values.to_arrow(compat_level=pl.CompatLevel.oldest())
    _, offsets, data = array.buffers()
    first, last = (struct.unpack_from("<q", offsets, 8 * (array.offset + i))[0] for i in (0, len(array)))
    return memoryview(data or b"")[first:last]
