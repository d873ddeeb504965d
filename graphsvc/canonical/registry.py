"""The ledger's registers: sources that are read, and graph generations that were published."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphsvc.canonical.sql import statement
from graphsvc.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    import duckdb

    from graphsvc.canonical.reader import Reader

__all__ = [
    "Generation",
    "Source",
    "add_text_index",
    "generations",
    "mark_processed",
    "publish",
    "register",
    "sources",
    "unregister",
]

_SOURCES = "SELECT source_id, loader, project_id, name, locator, options FROM source ORDER BY name, source_id"
_REGISTER = "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Source:
    """A registered source.

    Attributes:
        source_id: Identity, from what is read and never from where it lies.
        loader: Name of the module in ``loaders`` that reads it.
        project_id: Project that it belongs to.
        name: Name for people.
        locator: Where it lies on this machine, for example a repository's folder.
        options: The loader's own options.
    """

    source_id: str
    loader: str
    project_id: str
    name: str
    locator: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Generation:
    """A published graph generation; see the ledger's ``generation`` in `graphsvc.kinds`."""

    number: int
    root_digest: str
    watermark: str
    receipt: int
    projection_version: str
    schema_fingerprint: str
    engine: str
    folder: str
    seal: str
    file_size: int
    file_mtime: int
    labels: Mapping[str, Any]
    coverage: Mapping[str, Any]
    text_index: Mapping[str, Any]
    published_at: datetime


def sources(reader: Reader) -> list[Source]:
    """Registered sources by name."""
    return [
        Source(identity, loader, project, name, locator, options=json.loads(options))
        for identity, loader, project, name, locator, options in reader.rows(_SOURCES)
    ]


def register(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Register a source, or replace where one of the same identity lies and how it is read.

    Raises:
        InvalidInput: Its name or place is not Unicode text.
    """
    for text in (source.name, source.locator):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"{text!r} is not UTF-8", hint="give another name or path") from error
    options = json.dumps(dict(source.options), sort_keys=True)
    connection.execute("BEGIN")
    connection.execute("DELETE FROM source WHERE source_id = ?", [source.source_id])
    connection.execute(
        _REGISTER,
        [source.source_id, source.loader, source.project_id, source.name, source.locator, options],
    )
    connection.execute("COMMIT")


def unregister(connection: duckdb.DuckDBPyConnection, source_id: str) -> None:
    """Forget where a source lies; what was read from it stays."""
    connection.execute("DELETE FROM source WHERE source_id = ?", [source_id])


def mark_processed(connection: duckdb.DuckDBPyConnection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows to the log of processed sessions; columns as in the ledger's ``processed_session``."""
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO processed_session VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute("COMMIT")


def generations(reader: Reader) -> list[Generation]:
    """Published generations, newest first."""
    return [_generation(row) for row in reader.rows(statement("generations"))]


def add_text_index(connection: duckdb.DuckDBPyConnection, number: int, said: Mapping[str, Any]) -> None:
    """Tell of the text index that a published generation has now."""
    text = json.dumps(dict(said), sort_keys=True)
    connection.execute("UPDATE generation SET text_index = ? WHERE number = ?", [text, number])


def _generation(row: tuple[Any, ...]) -> Generation:
    fields = dict(zip(Generation.__dataclass_fields__, row, strict=True))
    return Generation(
        **fields
        | {
            "labels": json.loads(fields["labels"]),
            "coverage": json.loads(fields["coverage"]),
            "text_index": json.loads(fields["text_index"]),
            "published_at": fields["published_at"].replace(tzinfo=UTC),
        }
    )


def publish(
    connection: duckdb.DuckDBPyConnection, generation: Generation, *, expected_head: int | None
) -> None:
    """Make a verified generation the one that readers get: the linearization point of a rebuild.

    Raises:
        Conflict: Another generation was published since ``expected_head`` was read.
    """
    connection.execute("BEGIN")
    [(head,)] = connection.execute("SELECT max(number) FROM generation").fetchall()
    if head != expected_head:
        connection.execute("ROLLBACK")
        raise Conflict("another rebuild published first", expected=expected_head, actual=head)
    connection.execute(
        "INSERT INTO generation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            generation.number,
            generation.root_digest,
            generation.watermark,
            generation.receipt,
            generation.projection_version,
            generation.schema_fingerprint,
            generation.engine,
            generation.folder,
            generation.seal,
            generation.file_size,
            generation.file_mtime,
            json.dumps(dict(generation.labels), sort_keys=True),
            json.dumps(dict(generation.coverage), sort_keys=True),
            json.dumps(dict(generation.text_index), sort_keys=True),
            generation.published_at.astimezone(UTC).replace(tzinfo=None),
        ],
    )
    connection.execute("COMMIT")
