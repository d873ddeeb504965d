"""What is published: the newest verified generation, held open for as long as its reader likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Corrupt, NotFound

if TYPE_CHECKING:
    from graphsvc.canonical.registry import Generation
    from graphsvc.graph.reader import GraphReader
    from graphsvc.text_index.evidence_file import EvidenceReader
    from graphsvc.text_index.index import TextIndex
    from graphsvc.text_index.passage import Passage

__all__ = ["GRAPH_FILE", "PublishedGraph", "PublishedText", "newest_with_text"]

GRAPH_FILE = "graph.kuzu"
"""Name of the engine's file in a generation's folder."""

_ATTEMPTS = 3


class PublishedGraph:
    """One generation, leased so that no rebuild removes it, sealed, and open for reading.

    Attributes:
        generation: Its entry in the ledger.
        reader: Its reader.
    """

    def __init__(self, generation: Generation, reader: GraphReader, resources: ExitStack) -> None:
        self.generation = generation
        self.reader = reader
        self._resources = resources

    @classmethod
    def open(cls, store: CanonicalStore) -> PublishedGraph:
        """Open the newest generation.

        Raises:
            NotFound: None has been published.
            Corrupt: The file is not the one that was published.
        """
        return _newest(store, cls._open, lambda published: published[0])

    @classmethod
    def _open(cls, head: Generation, folder: Path, resources: ExitStack) -> PublishedGraph:
        from graphsvc.graph.reader import GraphReader
        from graphsvc.graph.seal import Seal, check_once_per_boot

        check_once_per_boot(folder / GRAPH_FILE, Seal(head.file_size, head.file_mtime, head.seal))
        reader = resources.enter_context(GraphReader.open(folder / GRAPH_FILE))
        return cls(head, reader, resources.pop_all())

    def close(self) -> None:
        """Let go of the generation."""
        self._resources.close()


class PublishedText:
    """The text index of one generation, leased and sealed like its graph.

    Attributes:
        generation: The generation's entry in the ledger.
        index: The index.
    """

    def __init__(
        self,
        generation: Generation,
        index: TextIndex,
        evidence: EvidenceReader,
        graph_file: Path,
        resources: ExitStack,
    ) -> None:
        self.generation = generation
        self.index = index
        self._evidence = evidence
        self._graph_file = graph_file
        self._graph: GraphReader | None = None
        self._resources = resources

    @classmethod
    def open(cls, store: CanonicalStore) -> PublishedText:
        """Open that of the newest generation that has one.

        Raises:
            NotFound: None has one.
            Corrupt: A file is not the one that was published.
        """
        return _newest(store, cls._open, newest_with_text)

    @classmethod
    def _open(cls, head: Generation, folder: Path, resources: ExitStack) -> PublishedText:
        from graphsvc.text_index.evidence_file import EvidenceReader
        from graphsvc.text_index.files import EVIDENCE_FOLDER, INDEX_FOLDER, check_index
        from graphsvc.text_index.index import TextIndex

        files = folder / INDEX_FOLDER
        check_index(files, head.text_index)
        evidence = resources.enter_context(EvidenceReader(files / EVIDENCE_FOLDER))
        return cls(head, TextIndex(files), evidence, folder / GRAPH_FILE, resources.pop_all())

    @property
    def graph(self) -> GraphReader:
        """The graph of the same generation, opened when it is first asked for.

        Raises:
            Corrupt: It is not the one that was published.
        """
        from graphsvc.graph.reader import GraphReader
        from graphsvc.graph.seal import Seal, check_once_per_boot

        if self._graph is None:
            sealed = Seal(self.generation.file_size, self.generation.file_mtime, self.generation.seal)
            check_once_per_boot(self._graph_file, sealed)
            self._graph = self._resources.enter_context(GraphReader.open(self._graph_file))
        return self._graph

    def read(self, passage: Passage) -> bytes:
        """The text of a passage as its evidence writes it; empty where it has none of its own.

        Raises:
            Corrupt: The copy of the evidence is damaged.
        """
        return b"" if passage.place is None else self._evidence.read(passage.place)

    def close(self) -> None:
        """Let go of the generation."""
        self._resources.close()


_T = TypeVar("_T")


def newest_with_text(published: Sequence[Generation]) -> Generation:
    """The newest generation that has a text index that can be read.

    Raises:
        NotFound: None has one.
    """
    from graphsvc.text_index.files import FORMAT

    for generation in published:
        if generation.text_index.get("format") == FORMAT:
            return generation
    raise NotFound(
        f"generation {published[0].number} has no text index yet", hint="run `graphsvc index` to make it"
    )


def _newest(
    store: CanonicalStore,
    open_: Callable[[Generation, Path, ExitStack], _T],
    choose: Callable[[Sequence[Generation]], Generation],
) -> _T:
    """Open something of a generation, chosen among all with the newest first, under a lease on its folder."""
    for _ in range(_ATTEMPTS):
        try:
            return _leased(store, open_, choose)
        except (FileNotFoundError, NotADirectoryError) as error:
            missing = error  # maybe retired by a rebuild between our look at the ledger and our lease
    raise Corrupt("the folder of the published graph is missing", hint="run `graphsvc rebuild`") from missing


def _leased(
    store: CanonicalStore,
    open_: Callable[[Generation, Path, ExitStack], _T],
    choose: Callable[[Sequence[Generation]], Generation],
) -> _T:
    from graphsvc.graph.leases import lease

    published = store.generations()
    if not published:
        raise NotFound("no graph has been published yet", hint="run `graphsvc rebuild`")
    head = choose(published)
    folder = store.folder / "generations" / head.folder
    with ExitStack() as resources:
        resources.enter_context(lease(folder))
        return open_(head, folder, resources)
