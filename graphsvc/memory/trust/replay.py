"""Replay: the trust that the reads of one branch leave behind.

The window of a replay begins behind the branch's last compaction, which took what was read before it out of
the agent's context. Within it, a result that shows content is an anchor and makes trust; one that refers to
content can only move trust that is there and has the hash that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from graphsvc.memory.trust.blocks import Invalidation, Mode, ReadBlock, parse_block, parse_invalidation
from graphsvc.memory.trust.entries import Entry, EntryTree
from graphsvc.memory.trust.lines import Lines, covers, intersect, subtract, unite

__all__ = [
    "ScopeTrust",
    "Step",
    "TrustSnapshot",
    "Window",
    "edited_entries",
    "snapshot",
    "snapshots",
    "window_of",
]


class ScopeTrust(NamedTuple):
    """Trust in a file or a range of its lines: the file's SHA-256 and when, in reads of the window."""

    hash: str
    seq: int


@dataclass(frozen=True, slots=True)
class Window:
    """The end of a branch that counts.

    Attributes:
        start: Number of entries of the branch before it.
        boundary: ``root``, or ``compaction:`` and the id of the entry that it begins behind.
        entries: In order.
    """

    start: int
    boundary: str
    entries: tuple[Entry, ...]


def window_of(branch: tuple[Entry, ...]) -> Window:
    """What lies behind the last compaction of a branch, or all of it."""
    for index in range(len(branch) - 1, -1, -1):
        if branch[index].type == "compaction":
            return Window(index + 1, f"compaction:{branch[index].id}", branch[index + 1 :])
    return Window(0, "root", branch)


@dataclass(frozen=True, slots=True)
class Step:
    """What one entry did.

    Attributes:
        entry_id: The entry.
        action: The mode of a read, or ``invalidate``.
        path_key: Path that it is about.
        scope_key: Scope that it is about.
        seq: Its number among the reads of the window; None for an invalidation, which has none.
        applied: Whether it changed the trust; a read that refers to what is not trusted does not.
    """

    entry_id: str
    action: Mode | Literal["invalidate"]
    path_key: str
    scope_key: str
    seq: int | None
    applied: bool


@dataclass
class TrustSnapshot:
    """The trust at one leaf of a session.

    Attributes:
        session: The host's id of the session.
        leaf: Id of the leaf; None for a session without entries.
        window: What was replayed.
        cut: See :class:`~graphsvc.memory.trust.entries.Branch`.
        trust: By path, then by scope.
        blocked: By path, ranges for which trust in the whole file does not stand in.
        seen: Lines that were really shown, by path and hash of the file.
        steps: What every read and invalidation of the window did.
        saved_bytes: Estimate of the bytes that the agent was spared.
    """

    session: str
    leaf: str | None
    window: Window
    cut: Literal["missing_parent", "cycle"] | None = None
    trust: dict[str, dict[str, ScopeTrust]] = field(default_factory=dict)
    blocked: dict[str, set[str]] = field(default_factory=dict)
    seen: dict[tuple[str, str], Lines] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    saved_bytes: int = 0
    _total_lines: dict[tuple[str, str], int] = field(default_factory=dict)

    @property
    def reads(self) -> int:
        """Number of valid read results in the window."""
        return sum(step.seq is not None for step in self.steps)

    @property
    def saved_tokens(self) -> int:
        """Estimate of the tokens that the agent was spared, at four bytes a token."""
        return -(-self.saved_bytes // 4)

    def base(self, path_key: str, scope_key: str) -> ScopeTrust | None:
        """What a later read of this scope may be based on.

        A range may be based on the same range or on the whole file, whichever was trusted last.
        """
        trust = self.trust.get(path_key, {})
        full = trust.get("full")
        if scope_key == "full":
            return full
        if scope_key in self.blocked.get(path_key, ()):
            return None
        candidates = [item for item in (trust.get(scope_key), full) if item is not None]
        return max(candidates, key=lambda item: item.seq, default=None)

    def has_seen(self, path_key: str, scope_key: str) -> bool:
        """Whether every line of what a read may be based on was really shown.

        Trust alone does not say so: the host shows the beginning of a long file and trusts all of it.
        """
        base = self.base(path_key, scope_key)
        if base is None:
            return False
        key = (path_key, base.hash)
        first, last = _range(scope_key) or (1, self._total_lines.get(key, 0))
        return covers(self.seen.get(key, ()), first, last)

    def _apply_read(self, block: ReadBlock, seq: int) -> bool:
        if not self._is_grounded(block):
            return False
        self.trust.setdefault(block.path_key, {})[block.scope_key] = ScopeTrust(block.served_hash, seq)
        if block.is_anchor:
            self.blocked.get(block.path_key, set()).discard(block.scope_key)
        self._see(block)
        return True

    def _is_grounded(self, block: ReadBlock) -> bool:
        """Whether a result shows content, or refers to content that is trusted as it says."""
        trust = self.trust.get(block.path_key, {})
        full_matches = "full" in trust and trust["full"].hash == block.base_hash
        own_matches = block.scope_key in trust and trust[block.scope_key].hash == block.base_hash
        is_full = block.scope_key == "full"
        match block.mode:
            case "full" | "baseline_fallback":
                return True
            case "unchanged":
                return is_full and full_matches and block.served_hash == block.base_hash
            case "diff":
                return is_full and full_matches
            case "unchanged_range":
                return not is_full and (own_matches or full_matches)

    def _see(self, block: ReadBlock) -> None:
        key = (block.path_key, block.served_hash)
        self._total_lines[key] = block.total_lines
        shown: Lines = ((block.first_line, block.shown_last),)
        if block.mode == "unchanged_range" and block.base_hash is not None:
            before = self.seen.get((block.path_key, block.base_hash), ())
            shown = intersect(before, block.first_line, block.last_line)
        if block.mode == "diff" and self._saw_all(block.path_key, block.base_hash):
            shown = ((1, block.total_lines),)
        self.seen[key] = unite(self.seen.get(key, ()), shown)

    def _saw_all(self, path_key: str, hash_: str | None) -> bool:
        key = (path_key, hash_ or "")
        return key in self._total_lines and covers(self.seen.get(key, ()), 1, self._total_lines[key])

    def _apply_invalidation(self, invalidation: Invalidation) -> bool:
        path, scope = invalidation.path_key, invalidation.scope_key
        lines = _range(scope)
        for key in [key for key in self.seen if key[0] == path]:
            self.seen[key] = () if lines is None else subtract(self.seen[key], *lines)
        if lines is None:
            self.blocked.pop(path, None)
            return self.trust.pop(path, None) is not None
        self.blocked.setdefault(path, set()).add(scope)
        scopes = self.trust.get(path, {})
        had_trust = scopes.pop(scope, None) is not None
        if not scopes:
            self.trust.pop(path, None)
        return had_trust


def _range(scope_key: str) -> tuple[int, int] | None:
    """First and last line of a range; None for a whole file. A number beyond any file counts as the end."""
    if scope_key == "full":
        return None
    first, last = (int(digits) if len(digits) < 19 else 10**18 for digits in scope_key[2:].split(":"))
    return first, last


def edited_entries(branch: Iterable[Entry]) -> frozenset[str]:
    """Entries whose content a later context edit has replaced or left out.

    A replay takes them for what they are; one that is given this set as ``without`` takes no trust from them.
    """
    edits = (entry.body.get("targetId") for entry in branch if entry.type == "context_edit")
    return frozenset(target for target in edits if isinstance(target, str))


def snapshot(
    tree: EntryTree,
    leaf: str | None,
    *,
    without: frozenset[str] = frozenset(),
    aliases: Mapping[str, Mode] | None = None,
) -> TrustSnapshot:
    """Replay the branch that ends at a leaf.

    Args:
        tree: The session.
        leaf: Id of the entry that the branch ends at.
        without: Entries to take no trust from, for example :func:`edited_entries` of the branch.
        aliases: See :func:`~graphsvc.memory.trust.blocks.parse_block`.
    """
    branch = tree.branch(leaf)
    result = TrustSnapshot(tree.session, leaf, window_of(branch.entries), branch.cut)
    seq = 0
    for entry in result.window.entries:
        if (block := parse_block(entry, aliases)) is not None:
            seq += 1
            applied = entry.id not in without and result._apply_read(block, seq)
            result.saved_bytes += block.saved_bytes
            result.steps.append(Step(entry.id, block.mode, block.path_key, block.scope_key, seq, applied))
        elif (item := parse_invalidation(entry)) is not None:
            applied = result._apply_invalidation(item)
            result.steps.append(Step(entry.id, "invalidate", item.path_key, item.scope_key, None, applied))
    result.blocked = {path: scopes for path, scopes in result.blocked.items() if scopes}
    return result


def snapshots(tree: EntryTree) -> tuple[TrustSnapshot, ...]:
    """The trust at every leaf of a session, in file order; the host goes on from ``tree.current``."""
    return tuple(snapshot(tree, leaf) for leaf in tree.leaves)
