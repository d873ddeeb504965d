"""What the knowledge base answers about code: of the indexed commits, of others, or of a work tree as it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.answers import Table
from graphsvc.errors import Ambiguous, Corrupt, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from graphsvc.answers import Answer
    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.registry import Source
    from graphsvc.canonical.store import CanonicalStore

__all__ = ["At", "CodeQuestions"]

At = str | Path | None
"""The state of the code that is asked about: a revision as git takes it (``v1.0``, ``main~3``, the beginning of a
commit's id), a folder in a work tree for its files as they lie there, or None for the commits that are indexed."""


class CodeQuestions:
    """Questions about code, for `graphsvc.knowledge.KnowledgeBase` to inherit.

    All of them take ``at``, see `At`, and ``repository``, the name of a source, where a revision may be of several.
    They raise `NotFound` where there is no such revision or nothing of the name that is asked about, `Ambiguous`
    where it is not clear which repository is meant, and `SourceUnavailable` where it is not where it was.
    """

    store: CanonicalStore

    def answer(self, name: str, table: Table) -> Answer:
        """A table with what it rests on now."""
        raise NotImplementedError

    def symbol(self, name: str, *, at: At = None, repository: str | None = None) -> Answer:
        """Symbols of a name; see `queries.code.symbols`."""
        from queries.code import symbols

        return self._ask_code("symbol", at, repository, lambda reader: symbols(reader, name))

    def callers(self, name: str, *, at: At = None, repository: str | None = None, **options: Any) -> Answer:
        """What calls the symbols of a name; options and columns as for `queries.code.callers`."""
        from queries.code import callers

        return self._ask_code("callers", at, repository, lambda reader: callers(reader, name, **options))

    def callees(self, name: str, *, at: At = None, repository: str | None = None, **options: Any) -> Answer:
        """What the symbols of a name call; options and columns as for `queries.code.callees`."""
        from queries.code import callees

        return self._ask_code("callees", at, repository, lambda reader: callees(reader, name, **options))

    def impact(
        self, name: str, *, depth: int = 3, limit: int = 25, at: At = None, repository: str | None = None
    ) -> Answer:
        """What a change of a symbol or file touches, each row with its origin; see `queries.impact`.

        Args:
            name: A name as for `symbol`, or a path from the repository's root.
            depth: Most calls, or steps of inheritance, between it and what is found.
            limit: Most rows of each relation.
            at: State of the code.
            repository: Name of the source.

        Returns:
            relation (one of `queries.impact.RELATIONS`), depth, id, name, kind, path, start_line, is_test, origin,
            confidence, detail, segment, start_byte, end_byte.
        """
        from queries.history import places
        from queries.impact import code_impact, history_impact, target

        def ask(reader: Reader) -> Table:
            of = target(reader, name)
            code = code_impact(reader, of, depth=depth, limit=limit)
            with self.store.read() as store:
                defined = [] if of.is_file else places(reader, of.ids)
                past = history_impact(store, of, defined, limit=limit)
            return Table(code.columns, [*code.rows, *past.rows], (*of.notes, *code.notes, *past.notes))

        return self._ask_code("impact", at, repository, ask)

    def outline(self, path: str, *, at: At = None, repository: str | None = None) -> Answer:
        """What a file defines, in source order; see `queries.structure.outline`."""
        from queries.structure import outline

        return self._ask_code("outline", at, repository, lambda reader: outline(reader, path))

    def unused(self, *, at: At = None, repository: str | None = None, **options: Any) -> Answer:
        """What nothing refers to; options and columns as for `queries.structure.unused`."""
        from queries.structure import unused

        return self._ask_code("unused", at, repository, lambda reader: unused(reader, **options))

    def cycles(self, *, at: At = None, repository: str | None = None, **options: Any) -> Answer:
        """Rings of imports or calls; options and columns as for `queries.structure.cycles`."""
        from queries.structure import cycles

        return self._ask_code("cycles", at, repository, lambda reader: cycles(reader, **options))

    def hotspots(
        self,
        *,
        since: datetime | None = None,
        at: At = None,
        repository: str | None = None,
        **options: Any,
    ) -> Answer:
        """Files where work gathers, by changes since a time in UTC; as for `queries.structure.hotspots`."""
        from queries.structure import file_changes, hotspots

        with self.store.read() as store:
            change = file_changes(store, since)
        return self._ask_code("hotspots", at, repository, lambda reader: hotspots(reader, change, **options))

    def symbol_history(self, name: str, *, repository: str | None = None, limit: int = 50) -> Answer:
        """What commits did to the symbols of a name, back through renames; see `queries.history.symbol_history`.

        Args:
            name: A name as for `symbol`, also of a symbol that is gone.
            repository: Name of the source.
            limit: Most rows to give.

        Raises:
            NotFound: The history of symbols is not tracked, or has none of that name.
        """
        from queries.code import symbols
        from queries.history import places, symbol_history

        def ask(reader: Reader) -> Table:
            try:
                defined = places(reader, [row[0] for row in symbols(reader, name).rows])
            except NotFound:
                defined = []
            with self.store.read() as store:
                return symbol_history(store, name, defined, limit=limit)

        return self._ask_code("history", None, repository, ask)

    def diff(self, before: At, after: At, *, repository: str | None = None, limit: int = 500) -> Answer:
        """What became of the symbols of one state of the code in another; see `queries.snapshot_diff.diff`.

        Args:
            before: The one state; None for the indexed commits.
            after: The other.
            repository: Name of the source, where a revision may be of several.
            limit: Most rows to give.
        """
        from queries.snapshot_diff import diff

        def ask(old: Reader) -> Table:
            return self._code_table(after, repository, lambda new: diff(old, new, limit=limit))

        return self.answer("diff", self._code_table(before, repository, ask))

    def _ask_code(self, name: str, at: At, repository: str | None, ask: Callable[[Reader], Table]) -> Answer:
        """The answer of the tables of a snapshot."""
        table = self._code_table(at, repository, ask)
        note = () if at is None else (f"of the code at {at}",)
        return self.answer(name, table._replace(notes=(*note, *table.notes)))

    def _code_table(self, at: At, repository: str | None, ask: Callable[[Reader], Table]) -> Table:
        """What is asked of the tables of a snapshot; where these turn out to be damaged, they are made anew once."""
        from graphsvc.canonical.table_files import reading_tables
        from queries.code import prepare

        paths = self._snapshot_files(at, repository)
        try:
            with reading_tables(paths) as reader:
                prepare(reader)
                return ask(reader)
        except Corrupt:
            for path in paths:
                path.unlink(missing_ok=True)
        with reading_tables(self._snapshot_files(at, repository)) as reader:
            prepare(reader)
            return ask(reader)

    def _snapshot_files(self, at: At, repository: str | None) -> Sequence[Path]:
        """Files with the tables of what is asked about."""
        from graphsvc.location import find_work_tree
        from loaders.snapshots import indexed_snapshots, snapshot_at, snapshot_of_work_tree

        if isinstance(at, Path):
            work_tree = find_work_tree(at)
            if work_tree is None:
                raise NotFound(f"{at} is in no git work tree", hint="name a folder inside one")
            return [snapshot_of_work_tree(self.store, self._source_of(work_tree), work_tree)]
        if at is not None:
            return [snapshot_at(self.store, self._repository(repository), at)]
        wanted = self._repository(repository).options["repository_id"] if repository is not None else None
        paths = indexed_snapshots(self.store, wanted)
        if not paths:
            raise NotFound(
                "no code is indexed yet", hint="run `graphsvc add repo PATH`, then `graphsvc rebuild`"
            )
        return paths

    def _repositories(self) -> list[Source]:
        return [
            source
            for source in self.store.sources()
            if source.loader == "git" and "repository_id" in source.options
        ]

    def _repository(self, name: str | None) -> Source:
        """The repository of a name, or the only one."""
        found = [source for source in self._repositories() if name in (None, source.name)]
        if not found:
            missing = "no repository is registered" if name is None else f"no repository is called {name!r}"
            raise NotFound(missing, hint="run `graphsvc status` to see the sources")
        if len(found) > 1:
            raise Ambiguous(
                "the revision may be of several repositories",
                candidates=sorted(source.name for source in found),
                hint="name one with --repository",
            )
        return found[0]

    def _source_of(self, work_tree: Path) -> Source:
        """The registered repository that a work tree is of, linked ones and clones included."""
        from graphsvc.git import Repository
        from loaders.git import identify

        with Repository.open(work_tree) as opened:
            identity = identify(opened)
        for source in self._repositories():
            if identity is not None and source.options["repository_id"] == identity.repository_id:
                return source
        raise NotFound(f"the repository at {work_tree} is not registered", hint="run `graphsvc add repo`")
