"""Tables of a snapshot made from those of another one of the same repository.

Languages are resolved apart from each other, and so the rows of those whose files are the same are the same (`join`).
Where all files that differ say nothing new to resolution, nothing has to be resolved at all (`carry`): what resolution
reads of a file is its *shape*, which names it has, how they hang together, and what stands before what. An edited
comment, docstring or body without other names leaves the shape as it was, and so every reference of the snapshot leads
where it led before; only text and positions are other ones, and these are carried over. That costs what the files that
differ do, where resolving costs what their language does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from loaders.code_files import SourceFile
from loaders.code_graph import file_rows
from loaders.extraction import Extraction
from loaders.resolution import family, typescript

__all__ = ["Edited", "carry", "differing", "join", "stale_families"]

_Place = tuple[int, int, int]
"""First byte, end and line of something in a file."""


class Edited(NamedTuple):
    """A file that differs between two snapshots: what was extracted from it before and after, and its segment after."""

    path: str
    before: Extraction
    after: Extraction
    segment: str | None


def differing(
    before: Iterable[tuple[str, ...]], files: Sequence[SourceFile]
) -> dict[str, tuple[str, str]] | None:
    """Blobs before and after, by path, of the files that differ; None where files came, went or changed their role.

    Args:
        before: Path, blob, language and status of the files of the other snapshot.
        files: Files of the snapshot that is wanted.
    """
    known = dict(_roles(before))
    wanted = dict(_roles((file.path, file.blob_oid, file.language, file.status) for file in files))
    if known.keys() != wanted.keys():
        return None
    blobs = {
        path: (known[path, role], blob) for (path, role), blob in wanted.items() if known[path, role] != blob
    }
    packaging = {path for path, role in wanted if role == "manifest"}
    return None if packaging & blobs.keys() else blobs


def _roles(files: Iterable[Sequence[Any]]) -> Iterator[tuple[tuple[str, str], str]]:
    """Path and role of each file that resolution reads, with its blob."""
    for path, blob, language, status in files:
        if status in ("parsed", "partial"):
            yield (path, language), blob
        elif status == "manifest":
            yield (path, status), blob


def stale_families(before: Iterable[tuple[str, ...]], files: Sequence[SourceFile]) -> set[str] | None:
    """Families (`loaders.resolution.family`) of the files that differ; None where that is how code is packaged.

    Args:
        before: Path, blob, language and status of the files of the other snapshot.
        files: Files of the snapshot that is wanted.
    """
    known = dict(_roles(before))
    wanted = dict(_roles((file.path, file.blob_oid, file.language, file.status) for file in files))
    differing = {role for role, _ in known.items() ^ wanted.items()}
    if any(role == "manifest" for _, role in differing):
        return None
    return {family(path, language) for path, language in differing}


def join(
    tables: Mapping[str, pl.DataFrame], made: Mapping[str, pl.DataFrame], kept: Collection[str]
) -> dict[str, pl.DataFrame]:
    """The tables of a snapshot.

    Args:
        tables: Tables of another snapshot of the repository, without the statements of indexes.
        made: Tables of the snapshot that is wanted, of its other files alone, but for ``code_file``, which has all.
        kept: Paths of the files whose rows are those of the other snapshot.
    """
    is_kept = pl.col("path").is_in(list(kept))
    return {
        name: table if name == "code_file" else pl.concat([tables[name].filter(is_kept), table])
        for name, table in made.items()
    }


def carry(
    tables: Mapping[str, pl.DataFrame], repository: str, files: Sequence[SourceFile], edited: Sequence[Edited]
) -> dict[str, pl.DataFrame] | None:
    """The tables of a snapshot (`loaders.code_graph`); None where it has to be resolved.

    Args:
        tables: Tables of another snapshot of the repository, without the statements of indexes.
        repository: The repository.
        files: All files of the snapshot that is wanted.
        edited: Those whose extractions differ from the other snapshot's; both have the same files.
    """
    places: list[tuple[Any, ...]] = []
    for file in edited:
        moved = _moved(file.before, file.after)
        if moved is None:
            return None
        places += [(file.path, *old, *new, file.segment) for old, new in moved.items()]
    return {
        **{name: tables[name] for name in ("code_gap", "code_agreement")},
        **{name: _at(tables[name], places) for name in ("code_edge", "code_import", "code_unresolved")},
        "code_symbol": _symbols(tables["code_symbol"], edited),
        "code_file": pl.DataFrame(
            file_rows(repository, files), schema=tables["code_file"].schema, orient="row"
        ),
    }


def _moved(before: Extraction, after: Extraction) -> dict[_Place, _Place] | None:
    """Where each place that tables name went; None where the shape changed, or two places became one."""
    if _shape(before) != _shape(after):
        return None
    moved: dict[_Place, _Place] = {}
    begun: dict[tuple[int, int], tuple[int, int]] = {}  # what calls that lead nowhere are known by
    for old, new in zip(_places(before), _places(after), strict=True):
        if moved.setdefault(old, new) != new or begun.setdefault(old[::2], new[::2]) != new[::2]:
            return None
    return (
        moved if len(set(moved.values())) == len(moved) and len(set(begun.values())) == len(begun) else None
    )


def _places(extraction: Extraction) -> Iterator[_Place]:
    for reference in extraction.references:
        yield (*reference.span, reference.line)
    for binding in extraction.imports:
        yield (*binding.span, binding.line)
    for symbol in extraction.symbols:
        yield (*symbol.name_span, symbol.line)


def _shape(extraction: Extraction) -> tuple[Any, ...]:
    """All that resolution reads, with the order of positions in place of positions."""
    spans = [span for symbol in extraction.symbols for span in (symbol.span, symbol.name_span)]
    spans += [reference.span for reference in extraction.references]
    spans += [binding.span for binding in extraction.imports]
    offsets = [offset for span in spans for offset in span]
    # The facts of TypeScript tell a declaration by the byte where its name is.
    fixed = extraction.language in typescript.LANGUAGES
    order = {offset: offset if fixed else rank for rank, offset in enumerate(sorted(set(offsets)))}
    return (
        extraction.language,
        [order[offset] for offset in offsets],
        [
            (s.parent, s.kind, s.name, s.descriptor, s.disambiguator, s.signature, s.body is None, s.exported,
             s.decorators)
            for s in extraction.symbols
        ],
        [(r.kind, r.name, r.receiver, r.enclosing) for r in extraction.references],
        [(i.module, i.name, i.alias, i.level, i.star, i.enclosing) for i in extraction.imports],
        extraction.facts,
    )  # fmt: skip


def _at(table: pl.DataFrame, places: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    """The rows of a table, each where its place went."""
    known = (
        "path",
        "start_byte",
        "end_byte",
        "line",
        "new_start_byte",
        "new_end_byte",
        "new_line",
        "new_segment",
    )
    columns = [name for name in known if name.removeprefix("new_") in table.columns]
    keys = [name for name in columns if not name.startswith("new_")]
    schema = {name: table.schema[name.removeprefix("new_")] for name in columns}
    rows = [tuple(place[known.index(name)] for name in columns) for place in places]
    moved = pl.DataFrame(rows, schema=schema, orient="row").unique(keys)
    return _replaced(table, moved, keys)


def _symbols(table: pl.DataFrame, edited: Sequence[Edited]) -> pl.DataFrame:
    names = ("start_line", "end_line", "body_hash", "blank_hash", "segment", "start_byte", "end_byte")
    schema = {"path": pl.String, "ordinal": pl.Int64} | {f"new_{name}": table.schema[name] for name in names}
    rows = [
        (file.path, s.ordinal, s.start_line, s.end_line, s.body_hash, s.blank_hash, file.segment, *s.span)
        for file in edited
        for s in file.after.symbols
    ]
    return _replaced(table, pl.DataFrame(rows, schema=schema, orient="row"), ["path", "ordinal"])


def _replaced(table: pl.DataFrame, changes: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """The table with the columns ``new_NAME`` of the changes put in, and its rows in their order."""
    joined = table.join(changes, on=keys, how="left", maintain_order="left")
    given = [name.removeprefix("new_") for name in changes.columns if name.startswith("new_")]
    is_changed = pl.col(f"new_{given[0]}").is_not_null()
    return joined.with_columns(
        pl.when(is_changed).then(pl.col(f"new_{name}")).otherwise(pl.col(name)).alias(name) for name in given
    ).select(table.columns)
