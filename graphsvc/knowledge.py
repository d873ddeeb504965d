"""The knowledge base: the one façade that the command line and notebooks share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from graphsvc.answers import Answer, Coverage, PagedAnswer, Table
from graphsvc.canonical.store import DEFAULT_WAIT, CanonicalStore
from graphsvc.code_questions import CodeQuestions
from graphsvc.errors import NotFound
from graphsvc.location import STORE_FOLDER, find_store, store_in
from graphsvc.standing import StandingOf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphsvc.agent_memory import AgentMemory
    from graphsvc.agent_planes import AgentPlanes
    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.registry import Generation, Source
    from graphsvc.canonical.reset import ResetReport
    from graphsvc.graph.reader import GraphReader
    from graphsvc.published import PublishedGraph, PublishedText
    from graphsvc.status import Status
    from graphsvc.verification import Verification
    from loaders.base import Progress, SourceReport
    from loaders.linkage import LinkReport
    from loaders.rebuild import RebuildReport
    from loaders.sessions.registration import Discovery
    from queries.sessions import SessionFilters
    from queries.trajectories import Trajectory
    from queries.transcripts import Transcript

__all__ = ["DEFAULT_WAIT", "KnowledgeBase", "reset"]

# As the graph's reader allows for Cypher.
_MAX_ROWS = 100_000
_SECONDS = 30.0


class KnowledgeBase(CodeQuestions):
    """One store and all questions to it.

    Answers come as `Answer`: rows with their coverage, as a polars frame by ``.frame``. Evidence is read when
    a question is asked; the graph is the generation that was newest when it was first asked for, and stays
    that one until `reload` or the end of the process.
    """

    def __init__(self, store: CanonicalStore) -> None:
        self.store = store
        self._published: PublishedGraph | None = None
        self._text: PublishedText | None = None
        self._standing = StandingOf(store)

    @classmethod
    def init(cls, folder: Path | None = None, *, wait: float = DEFAULT_WAIT) -> KnowledgeBase:
        """Make an empty store.

        Args:
            folder: The store's folder; ``.graphsvc`` in the working directory where none is given.
            wait: Longest wait for another process in seconds, now and in later calls.

        Raises:
            InvalidInput: The folder holds something already.
        """
        return cls(CanonicalStore.create(folder or Path.cwd() / STORE_FOLDER, wait=wait))

    @classmethod
    def open(cls, folder: Path | None = None, *, wait: float = DEFAULT_WAIT) -> KnowledgeBase:
        """Open a store.

        Args:
            folder: The store's folder, or the folder that its ``.graphsvc`` lies in; the nearest store at or
                above the working directory where none is given.
            wait: Longest wait for another process in seconds, in later calls.

        Raises:
            NotFound: There is none.
            ResetRequired: It has another format than this version reads.
        """
        return cls(CanonicalStore(store_in(folder) if folder else find_store(Path.cwd()), wait=wait))

    # Sources and the graph

    def add_repository(
        self,
        path: Path,
        *,
        references: Sequence[str] = ("HEAD",),
        name: str | None = None,
        checkpoint_branch: str | None = None,
        is_private: bool = False,
    ) -> list[Source]:
        """Register a git repository: its history, its code and its agent checkpoints.

        Args:
            path: Work tree, bare repository or linked worktree.
            references: References whose files are indexed as code.
            name: Name for people; the folder's name where none is given.
            checkpoint_branch: Branch of the agent checkpoints, where it is not ``entire/checkpoints/v1``.
            is_private: Searches read it only where they name it.

        Returns:
            The sources that a rebuild reads from now on.

        Raises:
            NotFound: There is no repository, or it lacks one of the references.
        """
        from loaders.repositories import add_repository

        return add_repository(
            self.store,
            path,
            references=references,
            name=name,
            checkpoint_branch=checkpoint_branch,
            is_private=is_private,
        )

    def remove(self, name: str) -> list[Source]:
        """Read the sources of this name no more; what the store has of them stays.

        Returns:
            The sources that were registered under the name.

        Raises:
            NotFound: There is none.
        """
        registered = self.store.sources()
        named = [source for source in registered if source.name == name]
        if not named:
            names = ", ".join(sorted({source.name for source in registered})) or "none"
            raise NotFound(f"there is no source {name!r}", hint=f"the sources are: {names}")
        for source in named:
            self.store.unregister(source.source_id)
        return named

    def add_sessions(
        self,
        host: str,
        path: Path | None = None,
        *,
        name: str | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
    ) -> list[Source]:
        """Register the sessions that a host keeps on this machine; see `loaders.sessions.registration`.

        Args:
            host: Name of the host, for example ``claude-code``.
            path: Folder or file; where the host keeps them, where none is given.
            name: Name for people; the host's name where none is given.
            fields: For ``jsonl``, the fields of columns that differ from the usual.

        Returns:
            The sources that a rebuild reads from now on.

        Raises:
            NotFound: There is no such host, or nothing at the place.
            Conflict: Another place has that name.
        """
        from loaders.sessions.registration import add_sessions

        return add_sessions(self.store, host, path, home=Path.home(), name=name, fields=fields)

    def add_edits(self) -> Source:
        """Have rebuilds from now on trace which symbols tool calls edited; see `loaders.edits`."""
        from loaders.edits import add_edits

        return add_edits(self.store)

    def discover_sessions(self) -> Iterator[Discovery]:
        """Where hosts keep sessions on this machine; registers and reads nothing."""
        from loaders.sessions.registration import discover

        return discover(Path.home())

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

    def track_symbols(
        self, repository: str | None = None, progress: Progress | None = None
    ) -> list[SourceReport]:
        """Learn what each commit did to symbols, now and in every rebuild from now on; see `loaders.symbol_history`.

        Args:
            repository: Name of the source; None for all repositories.
            progress: Called with the stage, the commits done and the commits in all.

        Raises:
            NotFound: There is no such repository.
            StoreBusy: A rebuild is under way.
        """
        from loaders.base import silent
        from loaders.symbol_history import track

        return track(self.store, repository, progress or silent)

    def reload(self) -> None:
        """Let go of the open graph, so that the next question gets the newest generation."""
        if self._published is not None:
            self._published.close()
            self._published = None
        if self._text is not None:
            self._text.close()
            self._text = None

    def status(self) -> Status:
        """What the store has of each source, and whether its graph is current."""
        from graphsvc.status import status

        return status(self.store, self.coverage())

    def verify(self, *, deep: bool = True, progress: Progress | None = None) -> Verification:
        """Check that the store's bytes are what was written; see `graphsvc.verification.verify`.

        Args:
            deep: Also hash every segment, read the graph back from both ends of every edge, and project it once more.
            progress: Called with the check, the units done and the units in all, where that is known.
        """
        from graphsvc.verification import Rules, verify
        from loaders.base import silent
        from loaders.code_rules import CODE_RULES
        from loaders.generation import projected_anew
        from loaders.projection.project import evidence_digest, projection_version

        told = progress or silent
        rules = Rules(
            projection_version(CODE_RULES),
            evidence_digest,
            lambda reader: projected_anew(self.store, reader, told),
        )
        return verify(self.store, deep=deep, rules=rules, progress=told)

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

    # Sessions and checkpoints

    def sessions(self, *, sort: str = "newest", limit: int = 50, **filters: Unpack[SessionFilters]) -> Answer:
        """Agent sessions; arguments and columns as for `queries.sessions.sessions`."""
        from queries.sessions import sessions

        with self.store.read() as reader:
            table = sessions(reader, sort=sort, limit=limit, **filters)
            return self._answer("sessions", table, reader)

    def count_sessions(self, **filters: Unpack[SessionFilters]) -> int:
        """How many sessions there are; arguments as for `queries.sessions.sessions`."""
        from queries.sessions import session_count

        with self.store.read() as reader:
            return session_count(reader, **filters)

    def checkpoints(
        self,
        *,
        since: datetime | None = None,
        before: datetime | None = None,
        branch: str | None = None,
        limit: int = 50,
    ) -> Answer:
        """Checkpoints from their metadata alone; arguments and columns as for `queries.sessions.checkpoints`."""
        from queries.sessions import checkpoints

        with self.store.read() as reader:
            table = checkpoints(reader, since=since, before=before, branch=branch, limit=limit)
            return self._answer("checkpoints", table, reader)

    def mark_processed(
        self, names: Iterable[str], *, consumer: str = "default", note: Mapping[str, Any] | None = None
    ) -> list[str]:
        """Remember that a consumer has dealt with sessions as they are now; one that grows is unprocessed again.

        Args:
            names: Ids of sessions, or unique beginnings of them.
            consumer: Who dealt with them.
            note: Whatever the consumer wants to remember, as plain data.

        Returns:
            Normalised ids of the sessions.

        Raises:
            NotFound: No session has one of the ids.
            Ambiguous: Several ids begin so.
        """
        from queries.sessions import find_session, session_keys

        with self.store.read() as reader:
            digests = session_keys(reader, session=[find_session(reader, name) for name in names])
        self.log_processed(digests, consumer, note)
        return list(digests)

    def log_processed(
        self, digests: Mapping[str, str | None], consumer: str, note: Mapping[str, Any] | None = None
    ) -> None:
        """As `mark_processed`, of sessions by normalised id with the digest of what was dealt with of each."""
        now = datetime.now(UTC).replace(tzinfo=None)
        text = json.dumps(dict(note or {}), sort_keys=True)
        rows = [(key, consumer, digest, now, text) for key, digest in digests.items() if digest]
        self.store.mark_processed(rows)

    def processing_log(self, *, consumer: str | None = None, limit: int = 50) -> Answer:
        """What consumers have dealt with; columns as for `queries.sessions.processing_log`."""
        from queries.sessions import processing_log

        with self.store.read() as reader:
            return self._answer("processed", processing_log(reader, consumer=consumer, limit=limit), reader)

    def trajectories(
        self, *, sort: str = "oldest", limit: int | None = None, **filters: Unpack[SessionFilters]
    ) -> Iterator[Trajectory]:
        """Sessions as trajectories, one read at a time; see `queries.trajectories`.

        Args:
            sort: ``newest`` or ``oldest`` first.
            limit: Most to give.
            filters: See `queries.sessions.SessionFilters`.
        """
        from queries.sessions import session_keys
        from queries.trajectories import NO_TOKENS, session_tokens, trajectory

        with self.store.read() as reader:
            digests = session_keys(reader, sort=sort, limit=limit, **filters)
            tokens = session_tokens(reader, digests)
        for key, digest in digests.items():
            with self.store.read() as reader:
                used = tokens.get(key, NO_TOKENS)
                yield trajectory(reader, key, content_digest=digest, tokens=used)

    def transcript(self, name: str) -> Transcript:
        """A session for reading: its turns with all that was said and done; see `queries.transcripts`.

        Raises:
            NotFound: No session has that id.
            Ambiguous: Several ids begin so.
        """
        from queries.sessions import find_session
        from queries.transcripts import transcript

        with self.store.read() as reader:
            return transcript(reader, find_session(reader, name))

    def session_bytes(self, name: str) -> bytes:
        """The transcripts of a session that are in force, byte for byte, one after the other.

        Raises:
            NotFound: No session has that id, or the store has no transcript of it.
            Ambiguous: Several ids begin so.
        """
        from queries.sessions import find_session
        from queries.transcripts import source_bytes

        with self.store.read() as reader:
            return source_bytes(reader, find_session(reader, name))

    def session(self, name: str) -> Answer:
        """The turns of a session, by its id, normalised or as recorded, or a unique beginning of it.

        Raises:
            NotFound: No session has that id.
            Ambiguous: Several ids begin so.
        """
        from queries.sessions import session

        with self.store.read() as reader:
            key, table = session(reader, name)
            return self._answer(f"session {key}", table, reader)

    def checkpoint(self, name: str) -> Answer:
        """The sessions of a checkpoint and the commits that name it, by its id or a unique beginning of it.

        Raises:
            NotFound: No checkpoint has that id.
            Ambiguous: Several ids begin so.
        """
        from queries.sessions import checkpoint

        with self.store.read() as reader:
            key, table = checkpoint(reader, name)
            return self._answer(f"checkpoint {key}", table, reader)

    # Code

    def history(self, path: str, *, repository: str | None = None, limit: int = 50) -> Answer:
        """The commits that changed a file, back through its renames; see `queries.history.history`.

        Args:
            path: Path from the repository's root.
            repository: Name of the source; None for every repository that has the path.
            limit: Most rows to give.

        Raises:
            NotFound: No commit of the store has the path, or no source has that name.
        """
        from queries.history import history

        with self.store.read() as reader:
            repository_id = _repository_id(reader, repository)
            table = history(reader, path, repository_id=repository_id, limit=limit)
            return self._answer("history", table, reader)

    # Memory

    @property
    def memory(self) -> AgentMemory:
        """What was asked to be remembered; see `graphsvc.agent_memory`."""
        from graphsvc.agent_memory import AgentMemory

        return AgentMemory(self.store, lambda: self._graph_in_use.reader, self.answer)

    @property
    def planes(self) -> AgentPlanes:
        """Planes that hosts keep, and those that are authored here; see `graphsvc.agent_planes`."""
        from graphsvc.agent_planes import AgentPlanes

        return AgentPlanes(self.store, self.answer)

    def add_planes(self, path: Path, *, name: str | None = None) -> Source:
        """Register a plane store of the pi host; see `loaders.planes.loader.add_planes`."""
        from loaders.planes import add_planes

        return add_planes(self.store, path, name=name)

    def add_scip(self, path: Path, *, repository: str | None = None, name: str | None = None) -> Source:
        """Register a SCIP index of a repository; see `loaders.scip.loader.add_scip`."""
        from loaders.scip import add_scip

        return add_scip(self.store, path, repository=repository, name=name)

    def trust(
        self, session: str, *, path: str | None = None, leaf: str | None = None, is_strict: bool = False
    ) -> Answer:
        """Which reads of a session can still be trusted; arguments, columns and errors as for `queries.trust.trust`."""
        from queries.trust import trust

        with self.store.read() as reader:
            key, table = trust(reader, session, path=path, leaf=leaf, is_strict=is_strict)
            return self._answer(f"trust {key}", table, reader)

    # Search

    def index(self, progress: Progress | None = None) -> Mapping[str, Any]:
        """Make the text index of the newest generation, which `search` needs; see `loaders.text_index.index`."""
        from loaders.base import silent
        from loaders.text_index import index

        said = index(self.store, progress or silent)
        self.reload()
        return said

    def search(
        self,
        text: str,
        *,
        mode: str = "ranked",
        within: Sequence[str] = (),
        grain: str = "occurrence",
        temporal: str = "current",
        since: datetime | None = None,
        before: datetime | None = None,
        agent: str | None = None,
        tool: str | None = None,
        path: str | None = None,
        repository: str | None = None,
        limit: int = 20,
        continuation: str | None = None,
        budget: str | None = None,
    ) -> PagedAnswer:
        """Find prompts, answers, tool calls and results, commits, code and files by what they say.

        Args:
            text: A question, a literal, a pattern or a name; see ``mode``.
            mode: ``ranked``, ``exact``, ``regex`` or ``identifier``; see `queries.retrieval.request.Request`.
            within: ``sessions``, ``code``, ``commits``, ``memory``; none for all.
            grain: What a row is: ``occurrence``, ``turn``, ``session``, ``symbol`` or ``file``.
            temporal: ``current``, ``as_of``, ``evolution`` or ``forensic``.
            since: Not before that time (UTC).
            before: Earlier than that time (UTC).
            agent: Agent, as recorded.
            tool: Tool, as recorded.
            path: A path, or its last names.
            repository: Name of a source; None for every repository of the store.
            limit: Most rows of the page.
            continuation: Token of the page before.
            budget: Most text to give, for example ``4000tokens`` or ``64KB``.

        Returns:
            The columns of `queries.retrieval.search.COLUMNS`.

        Raises:
            ContinuationRejected: The token was made for another answer.
            InvalidInput: An argument has no such value.
            NotFound: No graph has been published, or no source has that name.
        """
        from queries.retrieval.request import Budget, request
        from queries.retrieval.scope import access_scope
        from queries.retrieval.search import search

        used, standing = self._text_in_use, self._standing.now()
        scope = access_scope(standing.sources, [repository] if repository is not None else [])
        asked = request(
            text,
            mode=mode,
            surfaces=within,
            grain=grain,
            temporal=temporal,
            since=since,
            before=before,
            agent=agent,
            tool=tool,
            path=path,
            repositories=scope.repositories,
            withheld=scope.withheld,
        )
        page = search(
            used,
            self._retained,
            self.store.secret(),
            asked,
            limit=limit,
            continuation=continuation,
            budget=None if budget is None else Budget.read(budget),
        )
        answer = _answer("search", page.table, self._text_coverage(scope.notes))
        return PagedAnswer(
            answer.name,
            answer.columns,
            answer.rows,
            answer.coverage,
            page.continuation,
            page.total,
            page.trace,
        )

    def expand(self, name: str, *, repository: str | None = None) -> Answer:
        """Everything that a session, turn or summary consists of, in order and whole; see
        `queries.retrieval.expansion`.

        Args:
            name: A session's id or a unique beginning of it, a turn's id, or a summary's id.
            repository: Name of a source, which a private one must be read by.

        Raises:
            NotFound: Nothing has that id.
            Ambiguous: Several ids begin so.
        """
        from queries.retrieval.expansion import expand
        from queries.retrieval.scope import access_scope

        with self.store.read() as reader:
            scope = access_scope(self._standing.now().sources, [repository] if repository is not None else [])
            table = expand(self._text_in_use, reader, scope, name)
            return _answer("expand", table, self._text_coverage(scope.notes))

    def summary(self, name: str, *, repository: str | None = None) -> Answer:
        """The sentences that say most of what a session was about; see `queries.retrieval.expansion.summarise`.

        Args:
            name: A session's id or a unique beginning of it.
            repository: Name of a source, which a private one must be read by.

        Raises:
            NotFound: No session has that id.
            Ambiguous: Several ids begin so.
        """
        from queries.retrieval.expansion import summarise
        from queries.retrieval.scope import access_scope

        with self.store.read() as reader:
            scope = access_scope(self._standing.now().sources, [repository] if repository is not None else [])
            table = summarise(self._text_in_use, reader, scope, name)
            return _answer("summary", table, self._text_coverage(scope.notes))

    def brief(self, task: str, *, repository: str | None = None, budget: str = "4000tokens") -> Answer:
        """One bounded packet for a task: code, tests, past work, decisions, failures; see `queries.retrieval.brief`.

        Args:
            task: What is to be done, in a sentence.
            repository: Name of a source; None for every repository of the store.
            budget: Most text to give.

        Raises:
            InvalidInput: The task is blank, or the budget is none.
            NotFound: No generation has a text index, or no source has that name.
        """
        from queries.retrieval.brief import brief
        from queries.retrieval.request import Budget
        from queries.retrieval.scope import access_scope

        scope = access_scope(self._standing.now().sources, [repository] if repository is not None else [])
        table = brief(self._text_in_use, self._retained, scope, task, Budget.read(budget))
        return _answer("brief", table, self._text_coverage(scope.notes))

    # Provenance

    def link(self, progress: Progress | None = None) -> LinkReport:
        """Find out which tool calls wrote what commits added, for `why` and its like; see `loaders.linkage`."""
        from loaders.base import silent
        from loaders.linkage import link

        return link(self.store, progress or silent)

    def why(
        self, name: str, line: int | None = None, last: int | None = None, *, repository: str | None = None
    ) -> Answer:
        """Why something is as it is: the steps from it to the prompts that asked for it; see `queries.explanation`.

        Args:
            name: Path from the repository's root, in an indexed snapshot. Without a line, also a symbol, or a commit,
                checkpoint or fact by its id or a unique beginning of it; see `queries.subjects.subject`.
            line: Number of a line, from 1.
            last: Number of the last of several lines.
            repository: Name of the source, where several repositories have the name.

        Returns:
            step, subject, text, occurred_at, origin, confidence, segment, start_byte, end_byte. Where the trail
            ends before a prompt, the coverage's notes say why. A prompt of few words is followed by what it is about,
            as steps ``answering`` and ``earlier_prompt``; ``slash_command`` is one that the person gave after the
            prompt and before the call. Steps ``reasoning``, ``tried`` and ``verified`` are what
            surrounded the tool call, ``fact`` and ``intent`` what was in force when it was made.

        Raises:
            NotFound: Nothing has that name.
            Ambiguous: Several things have it.
            InvalidInput: The file has fewer lines in the indexed commit.
            SourceUnavailable: The repository is not where it was.
        """
        from queries.circumstances import circumstances
        from queries.explanation import explain
        from queries.in_force import in_force
        from queries.linked import linking_notes
        from queries.subjects import subject, subject_of_lines
        from queries.why import STEP_COLUMNS, snapshot_of, to_rows

        with self.store.read() as reader:
            if line is None:
                asked = subject(reader, name, repository)
            else:
                asked = subject_of_lines(name, *snapshot_of(reader, name, repository), line, last or line)
            found = explain(reader, asked)
            if found.call is not None:
                found.steps += circumstances(reader, found.call, found.asked_at)
            if asked.lines is not None:
                found.steps += in_force(
                    reader,
                    found,
                    repository_id=asked.lines.repository_id,
                    work_tree=asked.lines.locator,
                    store_id=self.store.marker.store_id,
                )
            notes = (*((f"the trail ends: {found.ends}",) if found.ends else ()), *found.notes)
            notes = (*notes, *linking_notes(reader))
            return self._answer("why", Table(STEP_COLUMNS, to_rows(found), notes), reader)

    def trace(self, name: str) -> Answer:
        """What became of what a session, a turn or a tool call wrote; see `queries.trace.trace`.

        Args:
            name: A session's id or a unique beginning of it, a turn's id, or a tool call's id.

        Raises:
            NotFound: Nothing that wrote to files has that name, or the store has not been linked.
            Ambiguous: Several ids begin so.
        """
        from queries.trace import trace

        with self.store.read() as reader:
            what, table = trace(reader, name)
            return self._answer(f"trace {what}", table, reader)

    def story(self, name: str, *, repository: str | None = None, limit: int = 100) -> Answer:
        """The life of a file or symbol through commits, prompts and facts; see `queries.story.story`.

        Args:
            name: Path from the repository's root, or a symbol.
            repository: Name of the source, where several repositories have the name.
            limit: Most commits to tell of: the newest.

        Raises:
            NotFound: Nothing has that name, or the store has not been linked.
            Ambiguous: Several things have it.
            InvalidInput: It is no code.
        """
        from queries.story import story
        from queries.subjects import subject

        with self.store.read() as reader:
            table = story(reader, subject(reader, name, repository), limit=limit)
            return self._answer("story", table, reader)

    def attribution(
        self, *, by: str = "file", path: str | None = None, repository: str | None = None
    ) -> Answer:
        """Who wrote the lines of the indexed snapshots; see `queries.attribution.attribution`.

        Args:
            by: ``file``, ``directory``, ``symbol``, ``author``, ``period``, ``reason``, ``line`` or ``checkpoint``.
            path: A file or folder from the repository's root; None for all.
            repository: Name of the source; None for all.

        Raises:
            NotFound: The store has not been linked, or no indexed file has the path.
            InvalidInput: There is no such grouping.
        """
        from queries.attribution import attribution

        with self.store.read() as reader:
            repository_id = _repository_id(reader, repository)
            table = attribution(reader, by=by, path=path, repository_id=repository_id)
            return self._answer("attribution", table, reader)

    def evidence(self, span: str) -> bytes:
        """Exact bytes of an evidence span.

        Args:
            span: ``SEGMENT:START-END``, or ``SEGMENT`` for a whole segment; a unique beginning of the segment's
                id is enough.

        Raises:
            InvalidInput: It is not of that form, or lies outside the segment.
            NotFound: The store has no such segment.
            Ambiguous: Several segments begin so.
        """
        from queries.evidence import evidence

        with self.store.read() as reader:
            return evidence(reader, span)

    def name_of(self, work_tree: Path | None) -> str | None:
        """Name of the source that lies in this work tree; None where none does."""
        if work_tree is None:
            return None
        folder = str(work_tree.resolve())
        return next((source.name for source in self.store.sources() if source.locator == folder), None)

    def names(self, what: str, prefix: str) -> list[str]:
        """Names that begin with ``prefix``, for completion; ``what`` as for `queries.names.names`."""
        from queries.names import GRAPH, names

        if what in GRAPH:
            return names(what, prefix, self._graph_in_use.reader)
        with self.store.read() as reader:
            return names(what, prefix, reader)

    # How questions reach the two stores

    def answer(self, name: str, table: Table) -> Answer:
        """A table with what it rests on now."""
        return _answer(name, table, self.coverage())

    def _canonical(self, name: str, statement: str, params: Mapping[str, Any]) -> Answer:
        with self.store.read() as reader:
            columns, rows = reader.statement(statement, params, max_rows=_MAX_ROWS + 1, seconds=_SECONDS)
            notes = (f"cut off after {_MAX_ROWS} rows: add a LIMIT",) if len(rows) > _MAX_ROWS else ()
            return self._answer(name, Table(columns, rows[:_MAX_ROWS], notes), reader)

    def _graph(self, name: str, statement: str, params: Mapping[str, Any]) -> Answer:
        from queries.graph import table

        return self._asked(name, lambda graph: table(graph, statement, params))

    def _asked(self, name: str, ask: Callable[[GraphReader], Table]) -> Answer:
        """The answer of the open graph, with the coverage of the generation that it comes from."""
        graph = self._graph_in_use
        table = ask(graph.reader)
        with self.store.read() as reader:
            return _answer(name, table, _coverage(reader, graph.generation))

    def _answer(self, name: str, table: Table, reader: Reader) -> Answer:
        return _answer(name, table, self._coverage(reader))

    def _coverage(self, reader: Reader) -> Coverage:
        from graphsvc.canonical.registry import generations

        published = generations(reader)
        return _coverage(reader, published[0] if published else None)

    @property
    def _graph_in_use(self) -> PublishedGraph:
        if self._published is None:
            from graphsvc.published import PublishedGraph

            self._published = PublishedGraph.open(self.store)
        return self._published

    @property
    def _text_in_use(self) -> PublishedText:
        if self._text is None:
            from graphsvc.published import PublishedText

            self._text = PublishedText.open(self.store)
        return self._text

    def _retained(self, segments: Iterable[str]) -> set[str]:
        """Those of some segments that the store has. Evidence leaves it by a batch alone, which moves its watermark: at
        the watermark of the index all of it is there."""
        from queries.retrieval.hydration import retained_in

        if self._standing.now().watermark == self._text_in_use.generation.watermark:
            return set(segments)
        with self.store.read() as reader:
            return retained_in(reader, segments)

    def _text_coverage(self, notes: Sequence[str] = ()) -> Coverage:
        """What answers of the text index rest on; a note says where it is behind the graph."""
        generation, standing = self._text_in_use.generation, self._standing.now()
        covered = _coverage_of(generation, standing.watermark)
        if standing.newest != generation.number:
            behind = f"the text index is of generation {generation.number}, the newest is {standing.newest}"
            notes = (f"{behind}: run `graphsvc index`", *notes)
        return replace(covered, notes=(*covered.notes, *notes))


def reset(folder: Path, *, keep: bool = True, wait: float = DEFAULT_WAIT) -> ResetReport:
    """Recreate a store, empty, whatever state it is in; see `graphsvc.canonical.reset`."""
    from graphsvc.canonical.reset import reset

    return reset(folder, keep=keep, wait=wait)


def _repository_id(reader: Reader, name: str | None) -> str | None:
    """Identity of the repository that a source's name means."""
    from graphsvc.canonical.registry import sources

    if name is None:
        return None
    for source in sources(reader):
        if source.name == name and "repository_id" in source.options:
            return str(source.options["repository_id"])
    raise NotFound(f"no source is called {name!r}")


def _answer(name: str, table: Table, coverage: Coverage) -> Answer:
    covered = replace(coverage, notes=(*coverage.notes, *table.notes))
    return Answer(name, _distinct(table.columns), table.rows, covered)


def _distinct(columns: Iterable[str]) -> tuple[str, ...]:
    """Names of columns with a number behind those that came before, as a join of all columns has.

    >>> _distinct(["id", "name", "id"])
    ('id', 'name', 'id_2')
    """
    seen: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in seen:
            number += 1
            name = f"{column}_{number}"
        seen.append(name)
    return tuple(seen)


def _coverage(reader: Reader, generation: Generation | None) -> Coverage:
    from graphsvc.canonical.watermark import watermark

    if generation is None:
        return Coverage(is_current=False)
    return _coverage_of(generation, watermark(reader).digest)


def _coverage_of(generation: Generation, present: str) -> Coverage:
    """What answers of a generation rest on, in a store of this watermark."""
    return Coverage(
        generation=generation.number,
        root_digest=generation.root_digest,
        watermark=generation.watermark,
        is_current=present == generation.watermark,
        snapshots=generation.coverage["snapshots"],
        faults=generation.coverage["faults"],
        gaps=generation.coverage["gaps"],
        unresolved=generation.coverage.get("unresolved", {}),
        edits=generation.coverage.get("edits", {}),
    )
