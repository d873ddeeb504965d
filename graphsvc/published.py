"""The published graph: the newest verified generation, held open for as long as its reader likes."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import Corrupt, NotFound

if TYPE_CHECKING:
    from graphsvc.canonical.registry import Generation
    from graphsvc.graph.reader import GraphReader

__all__ = ["GRAPH_FILE", "PublishedGraph"]

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
        for _ in range(_ATTEMPTS):
            try:
                return cls._open(store)
            except (FileNotFoundError, NotADirectoryError) as error:
                missing = error  # maybe retired by a rebuild between our look at the ledger and our lease
        raise Corrupt(
            "the folder of the published graph is missing", hint="run `graphsvc rebuild`"
        ) from missing

    @classmethod
    def _open(cls, store: CanonicalStore) -> PublishedGraph:
        from graphsvc.graph.leases import lease
        from graphsvc.graph.reader import GraphReader
        from graphsvc.graph.seal import Seal, check_once_per_boot

        published = store.generations()
        if not published:
            raise NotFound("no graph has been published yet", hint="run `graphsvc rebuild`")
        head = published[0]
        folder = store.folder / "generations" / head.folder
        with ExitStack() as resources:
            resources.enter_context(lease(folder))
            check_once_per_boot(folder / GRAPH_FILE, Seal(head.file_size, head.file_mtime, head.seal))
            reader = resources.enter_context(GraphReader.open(folder / GRAPH_FILE))
            return cls(head, reader, resources.pop_all())

    def close(self) -> None:
        """Let go of the generation."""
        self._resources.close()
