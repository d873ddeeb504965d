from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from graphsvc.canonical.batch import Span
from graphsvc.canonical.store import CanonicalStore
from graphsvc.git import Repository, hash_object
from graphsvc.knowledge import KnowledgeBase
from loaders.base import silent
from loaders.rebuild import loader_of
from loaders.repositories import add_repository
from queries.why import Step, Why, why
from tests.entire.checkpoints import BRANCH, checkpoint, session
from tests.queries import world
from tests.queries.talks import Talk
from tests.repositories import RepositoryBuilder

__all__ = ["Trails", "key", "session_of"]


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """A knowledge base of the project in `world`, for questions that change nothing."""
    return world.make(tmp_path_factory.mktemp("world"))


class Trails:
    """A repository with checkpoints, a store of it, and the trails from its lines."""

    def __init__(self, folder: Path) -> None:
        self.repository = RepositoryBuilder(folder / "repository")
        self.store = CanonicalStore.create(folder / "store")
        self.checkpoints: dict[str | bytes, bytes] = {}
        self.lost: list[str] = []

    def commit(self, files: Mapping[str | bytes, str | None], *names: str, message: str = "Change") -> str:
        """Commit files with a message that names the checkpoints of some names."""
        trailers = "".join(f"Entire-Checkpoint: {key(name)}\n" for name in names)
        return self.repository.commit(files, f"{message}\n\n{trailers}")

    def keep(self, name: str, *talks: Talk | bytes, **more: str) -> None:
        """Add the checkpoint of a name, with a session a talk; bytes are a transcript of the session of that name.

        Args:
            name: Name of the checkpoint.
            talks: Its sessions.
            more: What their metadata say besides.
        """
        folders = {}
        for index, talk in enumerate(talks):
            identity, data = (
                (session_of(name), talk) if isinstance(talk, bytes) else (talk.session, talk.bytes())
            )
            said = {"metadata.json": session(key(name), identity, **more)}
            folders[index] = said | ({"full.jsonl": data} if data else {})
        self.checkpoints |= checkpoint(key(name), folders)

    def lose(self, talk: Talk) -> None:
        """Have the transcript that was kept of a talk be missing, as in a clone with a filter."""
        self.lost.append(hash_object(talk.bytes()))

    def load(self) -> None:
        """Bring the store up to date with the history and the checkpoints."""
        self.repository.orphan_branch(BRANCH, self.checkpoints, "Checkpoint")
        while self.lost:
            self.repository.remove_object(self.lost.pop())
        for source in add_repository(self.store, self.repository.path):
            if source.loader != "code":
                loader_of(source).refresh(source, self.store, silent)

    def why(self, path: str, line: int, *, at: str = "HEAD") -> Why:
        """The trail from a line of a file, as the store has it now."""
        commit = self.repository.git("rev-parse", at)
        with self.store.read() as reader, Repository.open(self.repository.path) as opened:
            [(identity,)] = reader.rows("SELECT repository_id FROM repository")
            return why(reader, opened, repository_id=identity, commit=commit, path=path, line=line)

    def evidence(self, step: Step) -> bytes:
        """Bytes that a step rests on."""
        assert step.evidence is not None
        with self.store.read() as reader:
            return reader.spans([Span(*step.evidence)])[0]


def key(name: str) -> str:
    """Id of the checkpoint of a name."""
    return hashlib.sha256(name.encode()).hexdigest()[:12]


def session_of(name: str) -> str:
    """Id of the session of a name."""
    return str(uuid5(NAMESPACE_URL, name))
