"""Brings the derived tables of provenance up to date with the evidence."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeVar

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.derived import LINKED, derived_watermark, linkage
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import NotFound, SourceUnavailable
from graphsvc.git import Repository
from graphsvc.ids import SegmentId
from graphsvc.kinds import DERIVED
from loaders.base import Progress, silent
from loaders.linkage.lineage import lineages
from loaders.linkage.replay import Change, History, origins, removals, runs
from loaders.linkage.scoring import CALIBRATED, SIGNS, scored
from loaders.linkage.taking import Call, call_tables, commit_tables, derived_frames

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LinkReport", "link"]

RULES = "linkage-3"
"""Version of everything that decides what the derived tables hold but is not SQL."""

_PACKAGE = "loaders.linkage"
_CALLS, _COMMITS = 2000, 500
"""Tool calls and commits that are taken apart before the store is written again."""
_TABLE = re.compile(r"^CREATE TEMP TABLE ", re.MULTILINE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class LinkReport:
    """What linking did.

    Attributes:
        calls: Tool calls that were taken apart now.
        commits: Commits that were taken apart now.
        unknown: Commits whose changed lines are not known, because objects are missing.
        links: Pairs of a commit and a session that are linked by evidence.
        lines: Added lines whose writer is known.
        unavailable: For each repository that could not be read, by name, the sentence that says why.
    """

    calls: int
    commits: int
    unknown: int
    links: int
    lines: int
    unavailable: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return asdict(self)


def link(store: CanonicalStore, progress: Progress = silent) -> LinkReport:
    """Bring the derived tables up to date, unless they cover the evidence already.

    Commits and tool calls are taken apart once and kept; what was done before an interruption stays done.

    Args:
        store: The store.
        progress: Told of calls and commits that are taken apart, and of what follows.

    Raises:
        StoreBusy: A rebuild or another linking is under way.
    """
    with exclusive(store.folder, "rebuild", wait=store.wait):
        rules = _rules()
        store.prepare_derived(rules)
        with store.read() as reader:
            mark, known = derived_watermark(reader), linkage(reader)
        if known is not None and known.watermark == mark:
            return LinkReport(**{**known.counts, "calls": 0, "commits": 0, "unavailable": {}})
        calls = _take_calls(store, progress)
        commits, unavailable = _take_commits(store, progress)
        with store.read() as reader:
            progress("match lines", 0, None)
            tables = _matched(reader)
            progress("follow lines", 0, None)
            tables |= _followed(reader)
            [(unknown,)] = reader.rows(
                "SELECT count(DISTINCT commit_oid) FROM commit_patch WHERE problem IS NOT NULL"
            )
        links = tables["commit_session"].filter(tables["commit_session"]["confidence"] >= LINKED).height
        counts = {"unknown": unknown, "links": links, "lines": tables["line_writer"].height}
        # Where a repository could not be read the tables are behind, and say so.
        store.replace_derived(tables, watermark="" if unavailable else mark, counts=counts)
        return LinkReport(calls=calls, commits=commits, unavailable=unavailable, **counts)


def _rules() -> str:
    """Digest of all that decides what the derived tables hold."""
    digest = hashlib.sha256(RULES.encode())
    declared = [
        [kind.name, [[column.name, column.type] for column in kind.columns]] for kind in DERIVED.values()
    ]
    digest.update(json.dumps([declared, SIGNS, CALIBRATED]).encode())
    for path in sorted(files(_PACKAGE).joinpath("sql").iterdir(), key=lambda path: path.name):
        digest.update(f"\x1e{path.name}\x1f{path.read_text(encoding='utf-8')}".encode())
    return digest.hexdigest()


def _statement(name: str) -> str:
    return sql.load(_PACKAGE, f"sql/{name}.sql")


def _chunks(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _take_calls(store: CanonicalStore, progress: Progress) -> int:
    with store.read() as reader:
        rows = reader.rows(_statement("new_calls"))
    calls = [
        Call(event, session, key, at, Span(SegmentId(segment), start, end))
        for event, session, key, at, segment, start, end in rows
    ]
    done = 0
    for some in _chunks(calls, _CALLS):
        progress("take calls apart", done, len(calls))
        with store.read() as reader:
            data = reader.spans(call.evidence for call in some)
        store.add_derived(call_tables(some, data))
        done += len(some)
    return done


def _take_commits(store: CanonicalStore, progress: Progress) -> tuple[int, dict[str, str]]:
    """Take new commits of all repositories apart: how many, and which repositories could not be read."""
    unavailable: dict[str, str] = {}
    done = 0
    for source in store.sources():
        if source.loader != "git" or "repository_id" not in source.options:
            continue
        repository_id = str(source.options["repository_id"])
        with store.read() as reader:
            pairs = reader.rows(_statement("new_commits"), {"repository": repository_id})
        if not pairs:
            continue
        try:
            done += _take_history(store, repository_id, source.locator, _whole_commits(pairs), progress)
        except (NotFound, SourceUnavailable) as error:
            unavailable[source.name] = error.message
    return done, unavailable


def _whole_commits(pairs: Iterable[tuple[str, str | None]]) -> list[list[tuple[str, str | None]]]:
    commits: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    for commit, parent in pairs:
        commits[commit].append((commit, parent))
    return list(commits.values())


def _take_history(
    store: CanonicalStore,
    repository_id: str,
    locator: str,
    commits: Sequence[list[tuple[str, str | None]]],
    progress: Progress,
) -> int:
    with Repository.open(locator) as repository:
        for number, some in enumerate(_chunks(commits, _COMMITS)):
            progress("take commits apart", number * _COMMITS, len(commits))
            pairs = [pair for commit in some for pair in commit]
            store.add_derived(commit_tables(repository_id, repository.patches(pairs)))
    return len(commits)


def _matched(reader: Reader) -> dict[str, pl.DataFrame]:
    """Rows of ``commit_session``, ``line_writer`` and ``call_turn``."""
    reader.run("CREATE TEMP TABLE lineage AS SELECT * FROM lineage_rows", lineage_rows=_lineages(reader))
    for name in ("matching", "evidence"):
        _, *tables = _TABLE.split(_statement(name))
        for table in tables:
            reader.run(f"CREATE TEMP TABLE {table}")
    sessions = scored(reader.frame("SELECT * FROM link_evidence"))
    links = sessions.select("repository_id", "commit_oid", "session_key", "confidence")
    reader.run("CREATE TEMP TABLE inferred_link AS SELECT * FROM link_rows", link_rows=links)
    reader.run(f"CREATE TEMP TABLE commit_link AS {_statement('links')}")
    writers = reader.frame(_statement("writers"), {"linked": LINKED})
    order = ["repository_id", "commit_oid", "session_key"]
    return {
        "commit_session": sessions.select(DERIVED["commit_session"].names).sort(order),
        "line_writer": writers.sort("repository_id", "commit_oid", "path", "line"),
        "call_turn": reader.frame(_statement("call_turns")),
    }


def _lineages(reader: Reader) -> pl.DataFrame:
    """Rows of ``lineage``: every path of every repository, and the least path that renames connect it with."""
    import polars as pl

    paths, renames = defaultdict(list), defaultdict(list)
    for repository, path, old_path in reader.rows(_statement("paths")):
        paths[repository].append(path)
        if old_path is not None:
            renames[repository].append((old_path, path))
    rows = [
        (repository, *pair)
        for repository in paths
        for pair in lineages(paths[repository], renames[repository]).items()
    ]
    schema = {"repository_id": pl.String, "path": pl.String, "lineage": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _followed(reader: Reader) -> dict[str, pl.DataFrame]:
    """Rows of ``line_origin`` and ``line_removal``, for all indexed snapshots."""
    rows: dict[str, list[tuple[Any, ...]]] = {"line_origin": [], "line_removal": []}
    heads = defaultdict(list)
    for repository, commit in reader.rows(_statement("snapshots")):
        heads[repository].append(commit)
    for repository, commits in heads.items():
        replayed = origins(_history(reader, repository), commits)
        for commit, found in replayed.files.items():
            for path, lines in found.items():
                head = (repository, commit, path)
                rows["line_origin"] += [
                    (*head, run.first_line, run.length, *run.last, *run.origin) for run in runs(lines)
                ]
        rows["line_removal"] += [
            (repository, *gone.first, gone.length, gone.removed_by) for gone in removals(replayed.removed)
        ]
    return derived_frames(rows)


def _history(reader: Reader, repository: str) -> History:
    parents: dict[str, list[str]] = defaultdict(list)
    for identity, commit, parent in reader.rows(_statement("parents")):
        if identity == repository:
            parents[commit].append(parent)
    changes: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for commit, parent, path, old_path, is_text, *numbers, is_reflow in reader.rows(
        _statement("changes"), {"repository": repository}
    ):
        there = changes[commit, parent]
        if is_text is not None:
            given = None if numbers[0] is None else (numbers[0], numbers[1], numbers[2], numbers[3])
            there.append(Change(path, old_path, is_text, given, bool(is_reflow)))
    keys: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for commit, path, line, key in reader.rows(_statement("telling_lines"), {"repository": repository}):
        keys[commit, path][line] = key
    return History(parents, changes, keys)
