"""The knowledge base: the one façade that the command line and notebooks share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.answers import Answer, Coverage
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import NotFound
from graphsvc.location import STORE_FOLDER, find_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.registry import Generation, Source
    from graphsvc.graph.reader import GraphReader
    from loaders.base import Progress
    from loaders.rebuild import RebuildReport

__all__ = ["KnowledgeBase"]


class KnowledgeBase:
    """One store and all questions to it.

    Answers come as `Answer`: rows with their coverage, as a polars frame by ``.frame``. Evidence is read when
    a question is asked; the graph is the generation that was newest when it was first asked for, and stays
    that one until `reload` or the end of the process.
    """

    def __init__(self, store: CanonicalStore) -> None:
        self.store = store
        self._open: tuple[Generation, GraphReader] | None = None

    @classmethod
    def init(cls, folder: Path | None = None) -> KnowledgeBase:
        """Make an empty store.

        Args:
            folder: The store's folder; ``.graphsvc`` in the working directory where none is given.

        Raises:
            InvalidInput: The folder holds something already.
        """
        return cls(CanonicalStore.create(folder or Path.cwd() / STORE_FOLDER))

    @classmethod
    def open(cls, folder: Path | None = None) -> KnowledgeBase:
        """Open a store; the nearest one at or above the working directory where no folder is given.

        Raises:
            NotFound: There is none.
            ResetRequired: It has another format than this version reads.
        """
        return cls(CanonicalStore(folder or find_store(Path.cwd())))

    # Sources and the graph

    def add_repository(
        self, path: Path, *, references: Sequence[str] = ("HEAD",), name: str | None = None
    ) -> list[Source]:
        """Register a git repository: its history, its code and its agent checkpoints.

        Args:
            path: Work tree, bare repository or linked worktree.
            references: References whose files are indexed as code.
            name: Name for people; the folder's name where none is given.

        Returns:
            The sources that a rebuild reads from now on.

        Raises:
            NotFound: There is no repository, or it lacks one of the references.
        """
        from loaders.repositories import add_repository

        return add_repository(self.store, path, references=references, name=name)

    def rebuild(self, progress: Progress | None = None) -> RebuildReport:
        """Bring the store up to date with its sources and publish a verified graph of it.

        Raises:
            StoreBusy: Another rebuild is under way.
            Corrupt: The graph did not read back as what was projected; the one before is still served.
        """
        from loaders.base import silent
        from loaders.rebuild import rebuild

        report = rebuild(self.store, progress or silent)
        self.reload()
        return report

    def reload(self) -> None:
        """Let go of the open graph, so that the next question gets the newest generation."""
        if self._open is not None:
            self._open[1].close()
            self._open = None

    # Raw access

    def sql(self, statement: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Rows of a read-only SQL statement over the events and views of the canonical store."""
        return self._canonical("sql", statement, params or {})

    def cypher(self, statement: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Rows of a read-only Cypher statement over the published graph."""
        return self._graph("cypher", statement, params or {})

    def queries(self) -> Answer:
        """The named queries: name, language, question, parameters, columns."""
        from queries.named import named_queries

        rows = [
            (
                q.name,
                q.language,
                q.question,
                ", ".join(f"{k}={v}" for k, v in q.parameters.items()),
                q.columns,
            )
            for q in named_queries().values()
        ]
        return Answer(
            "queries", ("name", "language", "question", "parameters", "columns"), rows, self.coverage()
        )

    def query(self, name: str, params: Mapping[str, Any] | None = None) -> Answer:
        """Rows of a named query.

        Raises:
            NotFound: There is no query of that name.
            InvalidInput: It has no such parameter, or a value is of another type.
        """
        from queries.named import named_query

        query = named_query(name)
        run = self._graph if query.language == "cypher" else self._canonical
        return run(name, query.text, query.bind(params or {}))

    def coverage(self) -> Coverage:
        """What answers rest on now."""
        with self.store.read() as reader:
            return self._coverage(reader)

    # How questions reach the two stores

    def _canonical(self, name: str, statement: str, params: Mapping[str, Any]) -> Answer:
        with self.store.read() as reader:
            columns, rows = reader.table(statement, params)
            return Answer(name, columns, rows, self._coverage(reader))

    def _graph(self, name: str, statement: str, params: Mapping[str, Any]) -> Answer:
        generation, graph = self._published()
        columns, rows = graph.table(statement, params)
        with self.store.read() as reader:
            return Answer(name, columns, rows, _coverage(reader, generation))

    def _coverage(self, reader: Reader) -> Coverage:
        from graphsvc.canonical.registry import generations

        published = generations(reader)
        return _coverage(reader, published[0] if published else None)

    def _published(self) -> tuple[Generation, GraphReader]:
        """The generation that this knowledge base has open, opened at its first use.

        Raises:
            NotFound: No graph has been published yet.
            Corrupt: The file is not the one that was published.
        """
        if self._open is None:
            from graphsvc.graph.reader import GraphReader

            published = self.store.generations()
            if not published:
                raise NotFound("no graph has been published yet", hint="run `graphsvc rebuild`")
            folder = self.store.folder / "generations" / published[0].folder
            self._open = published[0], GraphReader.open(folder)
        return self._open


def _coverage(reader: Reader, generation: Generation | None) -> Coverage:
    from graphsvc.canonical.watermark import watermark

    if generation is None:
        return Coverage()
    return Coverage(
        generation=generation.number,
        root_digest=generation.root_digest,
        watermark=generation.watermark,
        is_current=watermark(reader).digest == generation.watermark,
        snapshots=generation.coverage["snapshots"],
        faults=generation.coverage["faults"],
        gaps=generation.coverage["gaps"],
    )
