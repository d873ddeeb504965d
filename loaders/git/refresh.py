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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from graphsvc.canonical.batch import Batch, Cursor, Span
from graphsvc.canonical.sql import load
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import GraphsvcError, SourceUnavailable
from graphsvc.git import Peeled, Reference, Repository
from graphsvc.ids import repository_id
from loaders.base import Progress, Source, SourceReport
from loaders.git.commits import parse_commit
from loaders.git.events import add_changes, add_commit, add_reference, add_repository, add_snapshot, add_tree
from loaders.git.identity import EXCLUDED, history, identify

__all__ = ["refresh"]

_VERSION = "1"
"""Part of the content digest: a loader that states other things reads everything again."""

_COMMITS_A_BATCH = 5000

_GAPS = ("missing_commit", "shallow_boundary")
_STANDING_FAULTS = (*_GAPS, "broken_reference", "missing_object", "missing_reference", "missing_tree")
"""Faults that pass once the repository is mended; all others are about bytes that never change."""

_REASONS = {
    "reference": "it moved or was deleted",
    "snapshot": "its reference moved or is not indexed any more",
    "fault": "the repository was mended",
    "commit": "no reference leads to it any more",
}


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
            refresh = _Refresh(source, store, repository, report, progress, cursor, references)
            refresh.run(digest)
    report.seconds = time.perf_counter() - begun
    return report


def _content_digest(source: Source, repository: Repository, references: Iterable[Reference]) -> str:
    """Digest of all that decides what a refresh would state."""
    options = json.dumps([_VERSION, dict(source.options)], sort_keys=True)
    lines = [options, *sorted(repository.shallow_commits()), *(repr(line) for *_, line in references)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _History:
    """Commits that references lead to.

    Attributes:
        commits: Those that may be new to the store, or all of them.
        is_whole: They are all of them.
        missing: Commits that are named but are not there.
    """

    commits: list[str]
    is_whole: bool
    missing: list[str] = field(default_factory=list)


class _Refresh:
    """One refresh of a repository in which something moved."""

    def __init__(
        self,
        source: Source,
        store: CanonicalStore,
        repository: Repository,
        report: SourceReport,
        progress: Progress,
        cursor: Cursor | None,
        references: list[Reference],
    ) -> None:
        self.source = source
        self.store = store
        self.repository = repository
        self.report = report
        self.progress = progress
        self.cursor = cursor
        self.references = references
        self.excluded = list(source.options.get("excluded", EXCLUDED))
        self.shallow = repository.shallow_commits()
        self.peeled = repository.peel(line.target_oid for line in references if line.target_oid)
        self.repository_id = ""
        self.batch = self._new_batch()

    def run(self, digest: str) -> None:
        root = self._root()
        if root is None:
            self.report.skipped["empty repository"] += 1
            return
        self.repository_id = repository_id(root)
        standing = self._query("standing", {"fault_kinds": list(_STANDING_FAULTS)})
        read = self._history(standing)
        listed = pl.DataFrame({"oid": read.commits}, schema={"oid": pl.String})
        known = self._query("known", listed=listed)
        self._read_commits(self._wanted(read, known, standing))
        self._state_repository(root)
        self._state_references()
        self._state_gaps(read)
        self._state_snapshots()
        left = self._left(listed, read) if read.is_whole else []
        self._change_presence(standing, known, left)
        self.batch.content_digest = digest
        self.batch.position = json.dumps({"excluded": self.excluded})
        self._admit()

    def _root(self) -> str | None:
        """Commit that the repository's identity is derived from; None while there is none."""
        root = self.source.options.get("root_oid")
        if root is None:
            identity = identify(self.repository, self.excluded)
            root = identity.root_oid if identity else None
        return root

    def _query(
        self, name: str, params: Mapping[str, Any] | None = None, **tables: pl.DataFrame
    ) -> pl.DataFrame:
        statement = load("loaders", f"sql/git_{name}.sql")
        with self.store.read() as reader:
            return reader.frame(statement, {"source": self.source.source_id, **(params or {})}, **tables)

    def _new_batch(self) -> Batch:
        batch = Batch(self.source.source_id, self.cursor)
        if self.cursor is not None:
            batch.generation = self.cursor.generation
            batch.position = self.cursor.position
            batch.content_digest = self.cursor.content_digest
        return batch

    def _admit(self) -> None:
        """Commit the batch and begin the next one."""
        receipt = self.store.admit(self.batch)
        self.report.admitted.update(receipt.counts)
        faults = self.batch.frames().get("fault")
        if faults is not None:
            self.report.faults.update(faults["fault_kind"].to_list())
        self.cursor = self.store.cursor(self.source.source_id)
        self.batch = self._new_batch()

    # What to read

    def _history(self, standing: pl.DataFrame) -> _History:
        """Commits to look at: those since the last refresh, unless something left or was cut off."""
        references = history(self.references, self.excluded)
        self.report.skipped["references without history"] += len(self.references) - len(references)
        tips = self._commits_of(line.target_oid for line in references)
        try:
            since = self._seen_tips(standing)
            if since is not None and not any(True for _ in self.repository.commits(since, tips)):
                return _History(list(self.repository.commits(tips, since)), is_whole=False)
            return _History(list(self.repository.commits(tips)), is_whole=True)
        except SourceUnavailable:
            return self._walk(tips)

    def _commits_of(self, oids: Iterable[str | None]) -> list[str]:
        ends = (self.peeled[oid].commit_oid for oid in oids if oid)
        return list(dict.fromkeys(commit for commit in ends if commit))

    def _seen_tips(self, standing: pl.DataFrame) -> list[str] | None:
        """Where the history that the store has wholly read ended; None where that does not tell what is new."""
        if self.cursor is None or self.cursor.position != json.dumps({"excluded": self.excluded}):
            return None
        present = standing.filter(~pl.col("is_withdrawn"))
        if self.shallow or not present.filter(pl.col("fault_kind").is_in(_GAPS)).is_empty():
            return None
        lines = present.filter(kind="reference").select("name", "symbolic_target", "commit_oid").rows()
        seen = history([Reference(name, oid, alias, b"") for name, alias, oid in lines], self.excluded)
        tips = list(dict.fromkeys(line.target_oid for line in seen if line.target_oid))
        return tips if all(self.repository.object_info(tips)) else None

    def _walk(self, tips: list[str]) -> _History:
        """All commits that can be reached although some are missing, which git itself refuses to list."""
        seen = dict.fromkeys(tips)
        missing: list[str] = []
        wave = tips
        with self.repository.batch() as batch:
            while wave:
                parents: dict[str, None] = {}
                for oid, found in zip(wave, batch.read(wave), strict=True):
                    if found is None or found.type != "commit":
                        missing.append(oid)
                    elif oid not in self.shallow:
                        parents.update((parent, None) for parent, _, _ in parse_commit(found.data).parents)
                wave = [oid for oid in parents if oid not in seen]
                seen.update(dict.fromkeys(wave))
        absent = set(missing)
        return _History([oid for oid in seen if oid not in absent], is_whole=True, missing=missing)

    def _wanted(self, read: _History, known: pl.DataFrame, standing: pl.DataFrame) -> list[str]:
        """Commits to read: new ones, and those whose changes were not known because the clone ended there."""
        cut_off = standing.filter(~pl.col("is_withdrawn"), fault_kind="shallow_boundary")["name"]
        have = set(known["oid"]) - (set(cut_off) - self.shallow)
        return [oid for oid in read.commits if oid not in have]

    def _read_commits(self, commits: list[str]) -> None:
        with self.repository.batch() as batch:
            for start in range(0, len(commits), _COMMITS_A_BATCH):
                if start:
                    self._admit()
                chunk = commits[start : start + _COMMITS_A_BATCH]
                parsed = {}
                for oid, stored in zip(chunk, batch.read(chunk), strict=True):
                    if stored is None:
                        raise SourceUnavailable(f"commit {oid} vanished while it was being read")
                    parsed[oid] = add_commit(self.batch, self.repository_id, stored)
                    self.report.read["bytes"] += len(stored.data)
                for changes in self.repository.changes(oid for oid in chunk if oid not in self.shallow):
                    add_changes(self.batch, self.repository_id, changes, parsed[changes.commit_oid])
                    self.report.read["changes"] += len(changes.changes)
                self.report.read["commits"] += len(chunk)
                self.progress("commits", start + len(chunk), len(commits))

    # What to state

    def _state_repository(self, root: str) -> None:
        if self.cursor is not None and self.cursor.content_digest:
            return
        with self.repository.batch() as batch:
            [found] = batch.read([root])
        if found is None:
            raise SourceUnavailable(f"{self.source.locator} has lost its root commit {root}")
        add_repository(self.batch, self.repository_id, found, self.repository.object_format)

    def _state_references(self) -> None:
        for reference in self.references:
            if reference.target_oid is None:
                self.batch.fault("broken_reference", reference.name, "git cannot read it")
                continue
            peeled = self.peeled[reference.target_oid]
            add_reference(self.batch, self.repository_id, reference, peeled)
            if peeled.type is None:
                self.batch.fault(
                    "missing_object",
                    reference.name,
                    f"it points at {reference.target_oid}, which is not there",
                )
        self.report.read["references"] += len(self.references)

    def _state_gaps(self, read: _History) -> None:
        for oid in read.missing:
            self.batch.fault("missing_commit", oid, "the repository names it but does not have it")
        for oid in sorted(self.shallow.intersection(read.commits)):
            detail = "the clone is shallow and ends here: what the commit changed is unknown"
            self.batch.fault("shallow_boundary", oid, detail)

    def _state_snapshots(self) -> None:
        known = set(self._query("trees")["tree_oid"])
        for name in self.source.options.get("references", ["HEAD"]):
            reference = self._indexed(name)
            commit = (
                self.peeled[reference.target_oid].commit_oid if reference and reference.target_oid else None
            )
            if reference is None or commit is None:
                self.batch.fault(
                    "missing_reference", name, "it leads to no commit, so its files are not indexed"
                )
                continue
            tree = self._tree_of(commit)
            add_snapshot(self.batch, self.repository_id, reference, commit, tree)
            if tree not in known:
                known.add(tree)
                self._state_tree(tree)

    def _indexed(self, name: str) -> Reference | None:
        """The reference that a full or short name means, or a stand-in for a commit id."""
        by_name = {reference.name: reference for reference in self.references}
        for full in (name, f"refs/{name}", f"refs/heads/{name}", f"refs/tags/{name}", f"refs/remotes/{name}"):
            if full in by_name:
                return by_name[full]
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

    # What is no longer, or is again

    def _left(self, listed: pl.DataFrame, read: _History) -> list[str]:
        """Events of commits that no reference leads to any more."""
        ends = pl.DataFrame({"oid": [*self.shallow, *read.missing]}, schema={"oid": pl.String})
        return self._query("left", listed=listed, boundary=ends)["event_id"].to_list()

    def _change_presence(self, standing: pl.DataFrame, known: pl.DataFrame, left: list[str]) -> None:
        """Withdraw what the store has and the repository does not state, and restore the reverse."""
        stated = self._stated()
        was_present = standing.filter(~pl.col("is_withdrawn"), ~pl.col("event_id").is_in(stated))
        is_back = standing.filter(pl.col("is_withdrawn"), pl.col("event_id").is_in(stated))
        withdrawn = [*was_present.select("event_id", "kind").rows(), *((event, "commit") for event in left)]
        restored = [
            *is_back.select("event_id", "kind").rows(),
            *((event, "commit") for event in known.filter("is_withdrawn")["event_id"]),
        ]
        if left:
            self.batch.generation += 1
        self._add_tombstones(withdrawn, "withdrawn")
        self._add_tombstones(restored, "restored")

    def _stated(self) -> list[str]:
        """Events of the batch that say how the repository is now."""
        frames = self.batch.frames()
        events = [frames[kind]["event_id"] for kind in ("reference", "snapshot") if kind in frames]
        if "fault" in frames:
            events.append(frames["fault"].filter(pl.col("fault_kind").is_in(_STANDING_FAULTS))["event_id"])
        return pl.concat(events).to_list() if events else []

    def _add_tombstones(self, targets: list[tuple[str, str]], state: str) -> None:
        """State that events left or came back; the list of references as it is now is the evidence."""
        if not targets:
            return
        frame = pl.DataFrame({"event_id": [event for event, _ in targets]})
        earlier = dict(self._query("tombstones", target=frame).rows())
        listing = b"\n".join(reference.raw for reference in self.references)
        span = Span(self.batch.segment(listing), 0, len(listing))
        for event, kind in targets:
            self.batch.event(
                "tombstone",
                (self.source.source_id, event, str(earlier.get(event, 0))),
                span,
                subject=event,
                target_event_id=event,
                target_kind=kind,
                state=state,
                generation=self.batch.generation,
                reason=_REASONS[kind] if state == "withdrawn" else "it came back",
            )
