"""Bringing the store up to date with a git repository: only commits that it does not have are read.

What changes as a repository lives (references, snapshots, faults that can be mended) is stated anew at each
refresh that finds something moved; what the store had and the repository no longer states is withdrawn, and
restored if it comes back. Commits never change: they are read once, and withdrawn when no reference leads to
them any more. So what is present in the store does not depend on the states that it has seen before.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphsvc.canonical.batch import Batch, Cursor
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import GraphsvcError, SourceUnavailable
from graphsvc.git import Peeled, Reference, Repository
from graphsvc.ids import repository_id
from loaders.base import Progress, Source, SourceReport
from loaders.git.commits import parse_commit
from loaders.git.events import add_changes, add_commit, add_reference, add_repository, add_snapshot, add_tree
from loaders.git.identity import excluded_names, history, identify
from loaders.git.presence import GAPS, Change, changes_of_state, read_standing, tombstones
from loaders.git.walk import History, read_history

if TYPE_CHECKING:
    import polars as pl

__all__ = ["refresh"]

_VERSION = "1"
"""Part of the content digest: a loader that states other things looks at everything again."""

_COMMITS_A_BATCH = 5000


def refresh(source: Source, store: CanonicalStore, progress: Progress) -> SourceReport:
    """Read what is new in a repository; nothing is read where no reference has moved.

    Args:
        source: The repository; see `loaders.git` for its options.
        store: The store.
        progress: Told of the stages ``commits`` and ``files``.

    Raises:
        NotFound: The repository is not where it was.
        SourceUnavailable: It cannot be read.
        Conflict: Another process refreshed the source meanwhile.
    """
    begun = time.perf_counter()
    report = SourceReport(source)
    with Repository.open(source.locator) as repository:
        references = repository.references()
        digest = _content_digest(source, repository, references)
        cursor = store.cursor(source.source_id)
        if cursor is None or cursor.content_digest != digest:
            _Refresh(source, store, repository, references, cursor, report, progress).run(digest)
    report.seconds = time.perf_counter() - begun
    return report


def _content_digest(source: Source, repository: Repository, references: Iterable[Reference]) -> str:
    """Digest of all that decides what a refresh would state."""
    options = json.dumps([_VERSION, dict(source.options)], sort_keys=True)
    lines = [options, *sorted(repository.shallow_commits()), *(repr(line.raw) for line in references)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Stored:
    """What the store has of the source: the root commit that names the repository, standing statements, and root
    trees whose files it has."""

    root_oid: str | None
    standing: pl.DataFrame
    trees: frozenset[str]


class _Refresh:
    """One refresh of a repository in which something moved."""

    def __init__(
        self,
        source: Source,
        store: CanonicalStore,
        repository: Repository,
        references: list[Reference],
        cursor: Cursor | None,
        report: SourceReport,
        progress: Progress,
    ) -> None:
        self.source = source
        self.store = store
        self.repository = repository
        self.references = references
        self.cursor = cursor
        self.report = report
        self.progress = progress
        self.excluded = excluded_names(source.options)
        self.position = json.dumps({"excluded": self.excluded})
        self.shallow = repository.shallow_commits()
        self.peeled = repository.peel(line.target_oid for line in references if line.target_oid)
        self.batch = self._new_batch()
        self.repository_id = ""

    def run(self, digest: str) -> None:
        """Read and admit all that moved, up to the state that ``digest`` is of."""
        stored = self._stored()
        root = self._root(stored)
        if root is None:
            self.report.skipped["empty repository"] += 1
            return
        self.repository_id = repository_id(root)
        read = read_history(self.repository, self._tips(), self._tips_before(stored.standing))
        known, left = self._compare(read)
        self._read_commits(self._wanted(read, known, stored.standing))
        self._state_repository(root)
        self._state_references()
        self._state_gaps(read)
        self._state_snapshots(stored.trees)
        self._state_changes([*changes_of_state(stored.standing, self.batch), *left, *_returned(known)])
        self.batch.content_digest = digest
        self.batch.position = self.position
        self._admit()

    def _root(self, stored: _Stored) -> str | None:
        """Commit that the repository's identity is derived from, once and for all; None while there is none."""
        root: str | None = self.source.options.get("root_oid", stored.root_oid)
        if root is None:
            identity = identify(self.repository, self.excluded)
            root = identity.root_oid if identity else None
        return root

    def _new_batch(self) -> Batch:
        batch = Batch(self.source.source_id, self.cursor)
        if self.cursor is not None:
            batch.generation = self.cursor.generation
            batch.position = self.cursor.position
            batch.content_digest = self.cursor.content_digest
        return batch

    def _admit(self) -> None:
        self.report.admitted.update(self.store.admit(self.batch).counts)
        faults = self.batch.frames().get("fault")
        if faults is not None:
            self.report.faults.update(faults["fault_kind"].to_list())

    # What the store has

    def _stored(self) -> _Stored:
        params = {"source": self.source.source_id}
        with self.store.read() as reader:
            roots = reader.rows(load("loaders", "sql/git_root.sql"), params)
            standing = read_standing(reader, self.source.source_id)
            trees = reader.rows(load("loaders", "sql/git_trees.sql"), params)
        return _Stored(roots[0][0] if roots else None, standing, frozenset(tree for (tree,) in trees))

    def _tips_before(self, standing: pl.DataFrame) -> list[str] | None:
        """Where the history that the store has wholly read ended; None where that does not tell what is new."""
        import polars as pl

        present = standing.filter(~pl.col("is_withdrawn"))
        has_gaps = not present.filter(pl.col("fault_kind").is_in(GAPS)).is_empty()
        if self.shallow or has_gaps or self.cursor is None or self.cursor.position != self.position:
            return None
        rows = present.filter(kind="reference").select("name", "commit_oid", "symbolic_target").rows()
        before = history([Reference(name, oid, alias, b"") for name, oid, alias in rows], self.excluded)
        return list(dict.fromkeys(line.target_oid for line in before if line.target_oid))

    def _compare(self, read: History) -> tuple[pl.DataFrame, list[Change]]:
        """Commits that the store has already, as in ``sql/git_known.sql``, and those that left the history."""
        params = {"source": self.source.source_id}
        listed = _oids(read.commits)
        with self.store.read() as reader:
            known = reader.frame(load("loaders", "sql/git_known.sql"), params, listed=listed)
            if not read.is_whole:
                return known, []
            ends = _oids([*self.shallow, *read.missing])
            left = reader.frame(load("loaders", "sql/git_left.sql"), params, listed=listed, boundary=ends)
        return known, [(event, "commit", "withdrawn") for event in left["event_id"]]

    # What to read

    def _tips(self) -> list[str]:
        """Commits that references with a history lead to."""
        references = history(self.references, self.excluded)
        self.report.skipped["references without history"] += len(self.references) - len(references)
        ends = [self._peel(line).commit_oid for line in references]
        return list(dict.fromkeys(commit for commit in ends if commit))

    def _peel(self, reference: Reference) -> Peeled:
        return self.peeled[reference.target_oid] if reference.target_oid else Peeled(None, None)

    def _wanted(self, read: History, known: pl.DataFrame, standing: pl.DataFrame) -> list[str]:
        """Commits to read: new ones, and those whose changes were not known because the clone ended there."""
        import polars as pl

        cut_off = standing.filter(~pl.col("is_withdrawn"), fault_kind="shallow_boundary")["name"]
        have = set(known["oid"]) - (set(cut_off) - self.shallow)
        return [oid for oid in read.commits if oid not in have]

    def _read_commits(self, commits: list[str]) -> None:
        for start in range(0, len(commits), _COMMITS_A_BATCH):
            if start:
                self._admit()
                self.cursor = self.store.cursor(self.source.source_id)
                self.batch = self._new_batch()
            self._read_chunk(commits[start : start + _COMMITS_A_BATCH])
            self.progress("commits", min(start + _COMMITS_A_BATCH, len(commits)), len(commits))

    def _read_chunk(self, commits: list[str]) -> None:
        parsed = {}
        with self.repository.batch() as batch:
            for oid, stored in zip(commits, batch.read(commits), strict=True):
                if stored is None:
                    raise SourceUnavailable(f"commit {oid} vanished while it was being read")
                parsed[oid] = add_commit(self.batch, self.repository_id, stored)
                self.report.read["bytes"] += len(stored.data)
        for changes in self.repository.changes(oid for oid in commits if oid not in self.shallow):
            add_changes(self.batch, self.repository_id, changes, parsed[changes.commit_oid])
            self.report.read["changes"] += len(changes.changes)
        self.report.read["commits"] += len(commits)

    # What to state

    def _state_repository(self, root: str) -> None:
        if self.cursor is not None and self.cursor.content_digest:
            return
        with self.repository.batch() as batch:
            [found] = batch.read([root])
        if found is None:
            raise SourceUnavailable(f"{self.source.locator} does not have its root commit {root}")
        add_repository(self.batch, self.repository_id, found, self.repository.object_format)

    def _state_references(self) -> None:
        for reference in self.references:
            if reference.target_oid is None:
                self.batch.fault("broken_reference", reference.name, "git cannot read it")
                continue
            peeled = self._peel(reference)
            add_reference(self.batch, self.repository_id, reference, peeled)
            if peeled.type is None:
                detail = f"it points at {reference.target_oid}, which is not there"
                self.batch.fault("missing_object", reference.name, detail)
        self.report.read["references"] += len(self.references)

    def _state_gaps(self, read: History) -> None:
        for oid in read.missing:
            self.batch.fault("missing_commit", oid, "the repository names it but does not have it")
        for oid in sorted(self.shallow.intersection(read.commits)):
            detail = "the clone is shallow and ends here: what the commit changed is unknown"
            self.batch.fault("shallow_boundary", oid, detail)

    def _state_snapshots(self, trees: frozenset[str]) -> None:
        stated = set(trees)
        for name in self.source.options.get("references", ["HEAD"]):
            reference = self._indexed(name)
            commit = self._peel(reference).commit_oid if reference else None
            if reference is None or commit is None:
                detail = "it leads to no commit, so no files are indexed for it"
                self.batch.fault("missing_reference", name, detail)
                continue
            tree = self._tree_of(commit)
            add_snapshot(self.batch, self.repository_id, reference, commit, tree)
            if tree not in stated:
                stated.add(tree)
                self._state_tree(tree)

    def _indexed(self, name: str) -> Reference | None:
        """The reference that a full or short name means, or a stand-in for a commit id."""
        by_name = {reference.name: reference for reference in self.references}
        for beginning in ("", "refs/", "refs/heads/", "refs/tags/", "refs/remotes/"):
            if beginning + name in by_name:
                return by_name[beginning + name]
        try:
            self.peeled |= self.repository.peel([name])
        except GraphsvcError:
            return None
        return Reference(name, name, None, f"{name}\t{name}\t".encode())

    def _tree_of(self, commit: str) -> str:
        with self.repository.batch() as batch:
            [found] = batch.read([commit])
        tree = parse_commit(found.data).tree_oid if found else None
        if tree is None:
            raise SourceUnavailable(f"commit {commit} cannot be read")
        return tree

    def _state_tree(self, tree: str) -> None:
        try:
            entries = list(self.repository.tree(tree))
        except GraphsvcError as error:
            self.batch.fault("missing_tree", tree, f"its files are unknown: {error.message}")
            return
        add_tree(self.batch, self.repository_id, tree, entries)
        self.report.read["tree_entries"] += len(entries)
        self.progress("files", len(entries), len(entries))

    def _state_changes(self, changes: list[Change]) -> None:
        if not changes:
            return
        if any(kind == "commit" and state == "withdrawn" for _, kind, state in changes):
            self.batch.generation += 1
        with self.store.read() as reader:
            tombstones(self.batch, reader, changes, self.references)


def _returned(known: pl.DataFrame) -> list[Change]:
    """Commits that had left the history and are part of it again."""
    return [(event, "commit", "restored") for event in known.filter("is_withdrawn")["event_id"]]


def _oids(commits: Iterable[str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({"oid": list(commits)}, schema={"oid": pl.String})
