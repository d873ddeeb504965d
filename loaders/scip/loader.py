"""Refresh of a source of SCIP: each document of the index is bound to the blob that it was made from.

An index does not say of which commit it was made. A document fits a blob where the names that it defines stand in the
blob's bytes at the places that it gives; of the blobs that the indexed snapshots hold under its path, the first that
fits is the one. A document that fits none is stale, counted, and says nothing.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import orjson

from graphsvc.canonical.batch import Batch, Span
from graphsvc.canonical.registry import Source
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Ambiguous, InvalidInput, NotFound, SourceUnavailable
from graphsvc.git import Repository
from graphsvc.ids import EventId, file_id, source_id
from loaders.base import Progress, SourceReport, silent
from loaders.resolution.model import Occurrence
from loaders.scip.reading import Document, is_document, read_document, read_tool, top_level

__all__ = ["MAX_INDEX", "add_scip", "refresh"]

MAX_INDEX = 1 << 30
"""Bytes of one index."""

_FITTING = 0.9  # of the names that a document defines; generated accessors have no text of their own
_LAST_NAME = re.compile(
    r"(?:(?P<quoted>`(?:[^`]|``)*`)|(?P<plain>[\w$+-]+?))(?:\([\w+-]*\)\.|[#./!]|(?:\d*:))$"
    r"|\((?P<parameter>[^()]+)\)$|\[(?P<type>[^\[\]]+)\]$"
)
_MARKED = re.compile(r"<(\w+)>(.*)")


def add_scip(
    store: CanonicalStore, path: Path, *, repository: str | None = None, name: str | None = None
) -> Source:
    """Register a SCIP index.

    Args:
        store: The store that is to read it.
        path: The index, for example ``index.scip``.
        repository: Name of the repository that it is of; the only one where none is given.
        name: Name for people; the repository's with the file's where none is given.

    Raises:
        SourceUnavailable: There is no such file.
        NotFound: No repository of that name is registered.
        Ambiguous: Several repositories are registered, and none is named.
        InvalidInput: The file is no SCIP index, or another source has that name.
    """
    path = Path(os.path.abspath(path))
    _check(path)
    of = _repository(store, repository)
    label = name or f"{of.name}/{path.name}"
    identity = source_id("scip", of.options["repository_id"], label)
    if any(source.name == label and source.source_id != identity for source in store.sources()):
        raise InvalidInput(f"a source is called {label!r} already", hint="choose another --name")
    options = {"repository_id": of.options["repository_id"], "repository": of.name}
    source = Source(identity, "scip", of.project_id, label, str(path), options)
    store.register(source)
    return source


def _check(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be read: {error.strerror}") from error
    try:
        next(iter(top_level(head)), None)
    except InvalidInput as error:
        # The head may end in the middle of a document, but not in the first few fields.
        if len(head) < 1 << 16 or not head.startswith(b"\x0a"):
            raise InvalidInput(f"{path} is no SCIP index: {error.message}") from error


def _repository(store: CanonicalStore, name: str | None) -> Source:
    found = [
        source for source in store.sources() if source.loader == "code" and "repository_id" in source.options
    ]
    named = [source for source in found if name in (None, source.name)]
    if not named:
        what = f"no repository is called {name!r}" if name else "no repository with a commit is registered"
        raise NotFound(
            what, hint="run `graphsvc add repo PATH` first, or see `graphsvc status` for the names"
        )
    if len(named) > 1:
        raise Ambiguous(
            f"the index may be of {', '.join(sorted(source.name for source in named))}",
            hint="say of which with --repo",
        )
    return named[0]


def refresh(source: Source, store: CanonicalStore, progress: Progress = silent) -> SourceReport:
    """Bring the store up to date with an index.

    Args:
        source: Its locator is the index.
        store: The store.
        progress: Told of the documents read.

    Returns:
        What was done; ``read`` counts ``documents`` and ``bytes``, ``skipped`` names of local variables
        (``local``) and files that no indexed snapshot holds (``not_indexed``), ``faults`` documents that are stale.

    Raises:
        SourceUnavailable: The index or the repository cannot be read.
        InvalidInput: The index is damaged, or too large.
    """
    begun, report = monotonic(), SourceReport(source)
    index = _read(Path(source.locator))
    held = _held(source, store)
    seen = hashlib.sha256(index + repr(sorted(held.items())).encode()).hexdigest()
    cursor = store.cursor(source.source_id)
    if cursor is None or cursor.content_digest != seen:
        batch = Batch(
            source.source_id,
            cursor,
            generation=cursor.generation if cursor else 1,
            position="scip",
            content_digest=seen,
        )
        with _open(source, store) as repository:
            step = _Step(batch, source, repository, held, report)
            stated = step.add(index, progress)
        _withdraw(batch, store, stated)
        report.admitted.update(store.admit(batch).counts)
    report.seconds = monotonic() - begun
    return report


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_INDEX:
            raise InvalidInput(f"{path} is larger than {MAX_INDEX} bytes", hint="index a part of the project")
        return path.read_bytes()
    except OSError as error:
        raise SourceUnavailable(f"{path} cannot be read: {error.strerror}") from error


def _held(source: Source, store: CanonicalStore) -> dict[str, list[str]]:
    """Blobs that the indexed snapshots of the repository hold, by path."""
    params = {"repository": source.options["repository_id"]}
    held: defaultdict[str, list[str]] = defaultdict(list)
    with store.read() as reader:
        for path, blob in reader.rows(load("loaders", "sql/scip_blobs.sql"), params):
            held[path].append(blob)
    return dict(held)


def _open(source: Source, store: CanonicalStore) -> Repository:
    repository = source.options["repository_id"]
    code = next(
        (s for s in store.sources() if s.loader == "code" and s.options.get("repository_id") == repository),
        None,
    )
    if code is None:
        raise SourceUnavailable(f"the repository of {source.name} is not registered any more")
    return Repository.open(Path(code.locator))


@dataclass
class _Step:
    """Turns the documents of an index into events."""

    batch: Batch
    source: Source
    repository: Repository
    held: Mapping[str, Sequence[str]]
    report: SourceReport

    def add(self, index: bytes, progress: Progress) -> set[EventId]:
        """Add the events of an index, and return those that it states."""
        parts = list(top_level(index))
        tool = next((read_tool(part.data) for part in parts if not is_document(part)), None)
        messages = [part.data for part in parts if is_document(part)]
        documents = [(message, document) for message in messages if (document := self._document(message))]
        folder = _folder(Counter(document.path for _, document in documents), self.held)
        stated: set[EventId] = set()
        for done, (message, document) in enumerate(documents):
            progress("documents", done, len(documents))
            event = self._add_document(message, document, folder, " ".join(tool or ()))
            stated |= {event} if event else set()
        self.report.read.update(documents=len(messages), bytes=len(index))
        return stated

    def _document(self, message: bytes) -> Document | None:
        try:
            return read_document(message)
        except InvalidInput as error:
            self._fault("damaged_document", self.source.name, error.message, message)
            return None

    def _fault(self, kind: str, location: str, detail: str, message: bytes) -> None:
        span = Span(self.batch.segment(message), 0, len(message)) if message else None
        self.batch.fault(kind, location, detail, span)
        self.report.faults[kind] += 1

    def _add_document(self, message: bytes, document: Document, folder: str, tool: str) -> EventId | None:
        path = folder + document.path
        self.report.skipped["local"] += document.local_count
        if path not in self.held:
            self.report.skipped["not_indexed"] += 1
            return None
        for blob, occurrences in self._fitting(document, self.held[path]):
            return self._state(message, document, path, blob, occurrences, tool)
        self._fault("stale_document", path, "the names that it defines are not where it says", message)
        return None

    def _fitting(
        self, document: Document, blobs: Sequence[str]
    ) -> Iterator[tuple[str, tuple[Occurrence, ...]]]:
        """The blobs that a document may have been made from, with its names in them."""
        with self.repository.batch() as objects:
            for blob, found in zip(blobs, objects.read(blobs), strict=True):
                if found is not None:
                    occurrences = document.occurrences(found.data)
                    if _fits(document, occurrences, found.data):
                        yield blob, occurrences

    def _state(
        self,
        message: bytes,
        document: Document,
        path: str,
        blob: str,
        occurrences: tuple[Occurrence, ...],
        tool: str,
    ) -> EventId:
        names = [one.symbol for one in occurrences] + [
            name for pair in document.implementations for name in pair
        ]
        symbols = {name: position for position, name in enumerate(dict.fromkeys(names))}
        repository = self.source.options["repository_id"]
        return self.batch.event(
            "scip_document",
            (self.source.source_id, path, blob, hashlib.sha256(message).hexdigest()),
            Span(self.batch.segment(message), 0, len(message)),
            subject=file_id(repository, path),
            repository_id=repository,
            path=path,
            blob_oid=blob,
            tool=tool,
            symbols=orjson.dumps(list(symbols)).decode(),
            occurrences=orjson.dumps(
                [[o.start, o.end, o.line, symbols[o.symbol], int(o.is_definition)] for o in occurrences]
            ).decode(),
            implementations=orjson.dumps(
                [[symbols[symbol], symbols[base]] for symbol, base in document.implementations]
            ).decode(),
        )


def _folder(paths: Counter[str], held: Mapping[str, Sequence[str]]) -> str:
    """The folder of the repository that was indexed: the one below which most of the documents are found.

    >>> _folder(Counter(["src/a.ts"]), {"web/src/a.ts": ["1"], "b.ts": ["2"]})
    'web/'
    """
    if not paths or any(path in held for path in paths):
        return ""
    folders = Counter(one[: -len(path)] for path in paths for one in held if one.endswith(f"/{path}"))
    return min(folders, key=lambda folder: (-folders[folder], len(folder), folder), default="")


def _fits(document: Document, occurrences: Sequence[Occurrence], data: bytes) -> bool:
    """Whether the names that a document defines stand in the bytes of a file where it says."""
    defined = [one for one in occurrences if one.is_definition]
    right = sum(
        data[one.start : one.end].decode("utf-8", "replace").strip("'\"`#@") == _last_name(one.symbol)
        for one in defined
    )
    stated = sum(name[4] for name in document.names)  # some may lie outside of the file
    return right >= _FITTING * stated if stated else bool(document.names)


def _last_name(symbol: str) -> str:
    """The name of what a symbol of an index denotes, as the source has it.

    >>> _last_name("npm q 1 src/`a.ts`/Cart#add().(item)"), _last_name("npm q 1 src/`a.ts`/Cart#`<get>total`().")
    ('item', 'total')
    >>> _last_name("npm q 1 src/`a.ts`/Cart#`<constructor>`()."), _last_name("npm q 1 src/`a.ts`/size0:")
    ('constructor', 'size')
    """
    found = _LAST_NAME.search(symbol)
    name = next((part for part in found.groups() if part), "") if found else ""
    name = name.strip("`").replace("``", "`").strip("#")
    marked = _MARKED.fullmatch(name)
    return (marked[2] or marked[1]) if marked else name


def _withdraw(batch: Batch, store: CanonicalStore, stated: set[EventId]) -> None:
    """Withdraw what an index that is another now said of the same blobs, and restore what it says again."""
    with store.read() as reader:
        known = reader.rows(load("loaders", "sql/scip_stated.sql"), {"source": batch.source_id})
    changes = [
        (event_id, "restored" if event_id in stated else "withdrawn", span)
        for event_id, is_withdrawn, *span in known
        if (event_id in stated) == is_withdrawn
    ]
    batch.generation += bool(changes)
    for event_id, state, span in changes:
        batch.event(
            "tombstone",
            (event_id, state, str(batch.generation)),
            Span(*span),
            subject=event_id,
            target_event_id=event_id,
            target_kind="scip_document",
            state=state,
            generation=batch.generation,
            reason="the index is another one now" if state == "withdrawn" else "the index says so again",
        )
