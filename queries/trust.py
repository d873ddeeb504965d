"""Which reads of a session can still be trusted, replayed from the transcript that the store keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphsvc.answers import Table
from graphsvc.canonical import sql
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, NotFound
from graphsvc.memory.text import check_text
from graphsvc.memory.trust.blocks import lexical_path
from graphsvc.memory.trust.entries import EntryTree, parse_session
from graphsvc.memory.trust.lines import Lines
from graphsvc.memory.trust.replay import TrustSnapshot, edited_entries, snapshot

__all__ = ["trust"]

_COLUMNS = (
    "path",
    "lines",
    "served_hash",
    "base_hash",
    "is_seen",
    "seen_lines",
    "is_blocked",
    "is_changed",
    "read",
)
_LEAVES = 5


def trust(
    reader: Reader, session: str, *, path: str | None = None, leaf: str | None = None, is_strict: bool = False
) -> tuple[str, Table]:
    """What a session trusts at one of its leaves.

    Args:
        reader: Reader of the canonical store.
        session: The host's id of the session, or a unique beginning of it.
        path: Only files whose path is this one or ends with it; None for all.
        leaf: Id of the entry to look from; None for the one that the host goes on from.
        is_strict: Take no trust from entries that a later edit of the context has replaced.

    Returns:
        The session's id, and path, lines (full or r:FIRST:LAST), served_hash (null for lines in which trust is
        withdrawn), base_hash (what a later read of these lines is compared with: the newer of theirs and of the
        whole file; null where they are blocked), is_seen (every line of that was really shown), seen_lines (of what
        was served), is_blocked (trust in the whole file does not stand in), is_changed (an indexed file with the end
        of that path has other content than was served; null where the store has none), read (number of the read).
        The notes tell of reads, invalidations, savings and other leaves.

    Raises:
        NotFound: No session has that id, or no entry that of the leaf.
        Ambiguous: Several sessions' ids begin so.
    """
    key, tree = _tree(reader, session)
    if leaf is not None and leaf not in tree.by_id:
        raise NotFound(
            f"the session has no entry {leaf!r}", hint=f"its leaves are {', '.join(tree.leaves[:9])}"
        )
    at = tree.current if leaf is None else leaf
    without = edited_entries(tree.branch(at).entries) if is_strict else frozenset()
    found = snapshot(tree, at, without=without)
    contents: dict[str, list[str]] = dict(reader.rows(sql.load("queries", "sql/trust_files.sql")))
    every = _rows(found, contents)
    rows = [row for row in every if path is None or _ends_with(row[0], path)]
    notes = _notes(tree, found)
    if every and not rows:
        notes += (f"it trusts no read of {path}, but {len({row[0] for row in every})} other files",)
    return key, Table(_COLUMNS, rows, notes)


def _tree(reader: Reader, session: str) -> tuple[str, EntryTree]:
    check_text("the id of a session", session)
    rows = reader.rows(sql.load("queries", "sql/trust_documents.sql"), {"session": session})
    documents: dict[str, list[str]] = dict(rows)
    if not documents:
        raise NotFound(
            f"no session of the pi host has the id {session!r}",
            hint="add its folder with `graphsvc add sessions pi PATH`, then run `graphsvc rebuild`",
        )
    if len(documents) > 1 and session not in documents:
        raise Ambiguous(
            f"{len(documents)} sessions have ids that begin with {session!r}", candidates=list(documents)
        )
    key = session if session in documents else next(iter(documents))
    return key, parse_session(b"".join(map(reader.document, documents[key])))


def _rows(found: TrustSnapshot, contents: Mapping[str, list[str]]) -> list[tuple[Any, ...]]:
    trusted = {(path, lines): item for path, scopes in found.trust.items() for lines, item in scopes.items()}
    blocked = {(path, lines) for path, scopes in found.blocked.items() for lines in scopes}
    rows: list[tuple[Any, ...]] = []
    for path, lines in sorted(trusted.keys() | blocked):
        item, base = trusted.get((path, lines)), found.base(path, lines)
        rows.append(
            (
                path,
                lines,
                item and item.hash,
                base and base.hash,
                found.has_seen(path, lines),
                _text(found.seen.get((path, item.hash), ())) if item else "",
                (path, lines) in blocked,
                _is_changed(path, item.hash, contents) if item else None,
                item and item.seq,
            )
        )
    return rows


def _is_changed(path: str, served_hash: str, contents: Mapping[str, list[str]]) -> bool | None:
    """Whether the indexed file with the longest common end of path is another one now."""
    names = lexical_path(path).split("/")
    for first in range(len(names)):
        known = contents.get("/".join(names[first:]))
        if known is not None:
            return served_hash not in known
    return None


def _ends_with(path: str, end: str) -> bool:
    return path == end or lexical_path(path).endswith("/" + end.lstrip("/"))


def _text(lines: Lines) -> str:
    return ",".join(f"{first}-{last}" for first, last in lines)


def _notes(tree: EntryTree, found: TrustSnapshot) -> tuple[str, ...]:
    invalidations = len(found.steps) - found.reads
    idle = sum(step.seq is not None and not step.applied for step in found.steps)
    notes = [
        f"at entry {found.leaf}, from {found.window.boundary} on: {found.reads} reads, {idle} of them without"
        f" effect, {invalidations} invalidations, about {found.saved_tokens} tokens saved"
    ]
    if others := [leaf for leaf in tree.leaves if leaf != found.leaf]:
        more = f" and {len(others) - _LEAVES} more" if len(others) > _LEAVES else ""
        notes.append(f"other leaves: {', '.join(others[-_LEAVES:])}{more}")
    if found.cut:
        notes.append(f"the branch does not begin at a root: {found.cut.replace('_', ' ')}")
    if tree.faults:
        notes.append(f"{len(tree.faults)} lines of the session are no entry")
    return tuple(notes)
