"""When the small row groups that writes leave behind are put together.

Each write leaves a row group of its own in the tables that it adds to. DuckDB would merge these whenever the file is
closed, and so read and write anew all packs of the store, in time and memory that grow with what was there before.
So that is done after many small batches only: large ones leave row groups that are worth having.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphsvc.canonical.sql import statement

if TYPE_CHECKING:
    import duckdb

__all__ = ["merge_after_small_batches"]

_BATCHES = 32
_BYTES = 32 << 20
"""Most bytes of so many batches that are small."""


def merge_after_small_batches(connection: duckdb.DuckDBPyConnection, receipt: int) -> None:
    """Have a writing connection merge small row groups when it closes, if it is time for that.

    Args:
        connection: The connection.
        receipt: Number of the receipt that it wrote.
    """
    if receipt % _BATCHES:
        return
    [(brought,)] = connection.execute(statement("brought"), {"after": receipt - _BATCHES}).fetchall()
    if brought < _BYTES:
        connection.execute("RESET max_vacuum_tasks")
