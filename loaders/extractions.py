"""How extractions are stored: as events, and back.

What `loaders.extraction` finds in a blob becomes the kinds ``symbol``, ``symbol_reference``, ``import_binding`` and
``binding_facts``; resolution gets the same extraction back from them, so that no blob is parsed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Batch
from graphsvc.canonical.batch import Span as Evidence
from graphsvc.canonical.reader import Reader
from loaders.extraction import EXTRACTOR_VERSION, Extraction, Import, Reference, Span, Symbol

if TYPE_CHECKING:
    import polars as pl

__all__ = ["EXTRACTOR", "add_extraction", "read_extractions"]

EXTRACTOR = f"graphsvc-{EXTRACTOR_VERSION}"
"""Name and version under which extractions are stored."""

_T = TypeVar("_T")


def add_extraction(
    batch: Batch, repository_id: str, blob_oid: str, blob: Evidence, extraction: Extraction
) -> None:
    """Add the events of one blob.

    Args:
        batch: Where they go.
        repository_id: Repository that has the blob.
        blob_oid: The blob.
        blob: All of its bytes.
        extraction: What was found in it.
    """
    language = extraction.language
    common: dict[str, Any] = {
        "repository_id": repository_id,
        "blob_oid": blob_oid,
        "language": language,
        "extractor": EXTRACTOR,
    }
    identity = (repository_id, EXTRACTOR, blob_oid, language)

    def add(kind: str, ordinal: int, span: tuple[int, int], **columns: Any) -> None:
        evidence = Evidence(blob.segment, *span)
        batch.event(
            kind,
            (*identity, str(ordinal)),
            evidence,
            subject=blob_oid,
            ordinal=ordinal,
            **common,
            **columns,
        )

    facts = orjson.dumps(extraction.facts).decode()
    batch.event(
        "binding_facts",
        identity,
        blob,
        subject=blob_oid,
        error_count=extraction.errors,
        facts=facts,
        **common,
    )
    for symbol in extraction.symbols:
        body, doc = symbol.body or (None, None), symbol.doc or (None, None)
        add(
            "symbol",
            symbol.ordinal,
            symbol.span,
            parent_ordinal=symbol.parent,
            symbol_kind=symbol.kind,
            name=symbol.name,
            descriptor=symbol.descriptor,
            overload=symbol.overload,
            disambiguator=symbol.disambiguator,
            signature=symbol.signature,
            name_start=symbol.name_span.start,
            name_end=symbol.name_span.end,
            body_start=body[0],
            body_end=body[1],
            doc_start=doc[0],
            doc_end=doc[1],
            start_line=symbol.start_line,
            name_line=symbol.line,
            end_line=symbol.end_line,
            body_hash=symbol.body_hash,
            blank_hash=symbol.blank_hash,
            is_exported=symbol.exported,
            decorators=list(symbol.decorators),
        )
    for reference in extraction.references:
        add(
            "symbol_reference",
            reference.ordinal,
            reference.span,
            scope_ordinal=reference.enclosing,
            reference_kind=reference.kind,
            name=reference.name,
            receiver=reference.receiver,
            line=reference.line,
        )
    for binding in extraction.imports:
        add(
            "import_binding",
            binding.ordinal,
            binding.span,
            scope_ordinal=binding.enclosing,
            module=binding.module,
            imported_name=binding.name,
            local_name=binding.alias,
            level=binding.level,
            is_star=binding.star,
            line=binding.line,
        )


def read_extractions(
    reader: Reader, repository_id: str, blobs: Iterable[str]
) -> dict[tuple[str, str], Extraction]:
    """What was extracted from blobs that the store knows, by blob and language.

    Args:
        reader: Reader of the canonical store.
        repository_id: Repository that has the blobs.
        blobs: Their ids; one that was not extracted is left out.
    """
    import polars as pl

    params = {"repository": repository_id, "extractor": EXTRACTOR}
    wanted = pl.DataFrame({"blob_oid": sorted(set(blobs))}, schema={"blob_oid": pl.String})

    def frame(name: str) -> pl.DataFrame:
        return reader.frame(sql.load("loaders", f"sql/code_{name}.sql"), params, wanted=wanted)

    symbols = _grouped(frame("symbols"), _symbols)
    references = _grouped(frame("references"), _references)
    imports = _grouped(frame("imports"), _imports)
    return {
        (blob, language): Extraction(
            language=language,
            symbols=symbols.get((blob, language), ()),
            references=references.get((blob, language), ()),
            imports=imports.get((blob, language), ()),
            facts=orjson.loads(facts),
            errors=errors,
        )
        for blob, language, facts, errors in frame("facts").rows()
    }


def _grouped(
    rows: pl.DataFrame, records: Callable[..., Iterator[_T]]
) -> dict[tuple[str, str], tuple[_T, ...]]:
    """The records of each blob and language, of which the rows lie together."""
    counted = rows.group_by("blob_oid", "language", maintain_order=True).len()
    made = records(*(column.to_list() for column in rows.drop("blob_oid", "language")))
    return {(blob, language): tuple(islice(made, count)) for blob, language, count in counted.rows()}


_Column = list[Any]


def _symbols(
    ordinal: _Column, parent: _Column, kind: _Column, name: _Column, descriptor: _Column, overload: _Column,
    disambiguator: _Column, signature: _Column, start: _Column, end: _Column, name_start: _Column, name_end: _Column,
    body_start: _Column, body_end: _Column, doc_start: _Column, doc_end: _Column, start_line: _Column, line: _Column,
    end_line: _Column, body_hash: _Column, blank_hash: _Column, exported: _Column, decorators: _Column,
) -> Iterator[Symbol]:  # fmt: skip
    return map(
        Symbol, ordinal, parent, kind, name, descriptor, overload, disambiguator, signature, map(Span, start, end),
        map(Span, name_start, name_end), map(_span, body_start, body_end), map(_span, doc_start, doc_end), start_line,
        line, end_line, body_hash, blank_hash, exported, map(tuple, decorators),
    )  # fmt: skip


def _span(start: int | None, end: int | None) -> Span | None:
    return None if start is None or end is None else Span(start, end)


def _references(
    ordinal: _Column, kind: _Column, name: _Column, receiver: _Column, start: _Column, end: _Column, line: _Column,
    enclosing: _Column,
) -> Iterator[Reference]:  # fmt: skip
    return map(Reference, ordinal, kind, name, receiver, map(Span, start, end), line, enclosing)


def _imports(
    ordinal: _Column, module: _Column, name: _Column, alias: _Column, level: _Column, star: _Column, start: _Column,
    end: _Column, line: _Column, enclosing: _Column,
) -> Iterator[Import]:  # fmt: skip
    return map(Import, ordinal, module, name, alias, level, star, map(Span, start, end), line, enclosing)
