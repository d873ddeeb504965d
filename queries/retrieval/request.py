"""What is asked: a frozen request, whose digest a continuation is bound to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast, get_args

import orjson

from graphsvc.errors import InvalidInput
from graphsvc.text_index.index import Filters

__all__ = ["GRAINS", "MODES", "SURFACES", "TEMPORAL", "Budget", "Request", "request"]

Mode = Literal["ranked", "exact", "regex", "identifier"]
Grain = Literal["occurrence", "turn", "session", "symbol", "file"]
Temporal = Literal["current", "as_of", "evolution", "forensic"]

MODES, GRAINS, TEMPORAL = get_args(Mode), get_args(Grain), get_args(Temporal)

_SPOKEN = ("prompt", "answer", "thinking", "summary", "note", "recorded", "session_summary")
SURFACES = {
    "sessions": (*_SPOKEN, "tool_call", "tool_result"),
    "code": ("symbol", "file"),
    "commits": ("commit",),
    "memory": ("fact", "plane_item", "session_summary", "summary"),
}
"""Kinds of passage that each value of ``--in`` means."""

_OF_GRAIN = {
    "symbol": ("symbol",),
    "file": SURFACES["code"],
    "turn": SURFACES["sessions"],
    "session": SURFACES["sessions"],
}
_BUDGET = re.compile(r"(\d{1,9})\s*(tokens?|b|bytes?|kb|mb)", re.IGNORECASE)
_UNITS = {"b": 1, "byte": 1, "kb": 1 << 10, "mb": 1 << 20, "token": 4}
"""Bytes of each unit; a token is counted as four bytes, whatever model reads it."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Most bytes of text that a page gives, and how the limit was written."""

    byte_count: int
    written: str

    @classmethod
    def read(cls, text: str) -> Budget:
        """Read a budget.

        Raises:
            InvalidInput: It is not of the form ``4000tokens`` or ``64KB``.

        >>> Budget.read("4000tokens").byte_count, Budget.read("64KB").byte_count
        (16000, 65536)
        """
        form = _BUDGET.fullmatch(text.strip())
        if form is None:
            raise InvalidInput(f"{text!r} is no budget", hint="write 4000tokens, 64KB or 2000bytes")
        return cls(int(form[1]) * _UNITS[form[2].lower().rstrip("s")], text)


@dataclass(frozen=True, slots=True)
class Request:
    """A search.

    Attributes:
        text: What is looked for.
        mode: ``ranked`` for a question; ``exact`` for every place where the text stands as it is; ``regex`` for every
            match of a pattern; ``identifier`` for what is known by that name.
        surfaces: Names of `SURFACES`; none for all.
        grain: What a row is.
        temporal: ``current`` for what sources state now; ``as_of`` for what was there before ``before``;
            ``evolution`` for all versions, the oldest first; ``forensic`` also for what sources no longer state.
        since: Not before, microseconds since 1970.
        before: Earlier than that.
        agent: Agent, as recorded.
        tool: Tool, as recorded.
        path: A path, or the last names of one.
        repositories: Identities of the repositories in scope; none for all.
        withheld: Identities of repositories that must not be read.
        only_failed: What tools say of failures alone.

    >>> Request("x") == Request("x"), Request("x").digest == Request("y").digest
    (True, False)
    """

    text: str
    mode: Mode = "ranked"
    surfaces: tuple[str, ...] = ()
    grain: Grain = "occurrence"
    temporal: Temporal = "current"
    since: int | None = None
    before: int | None = None
    agent: str | None = None
    tool: str | None = None
    path: str | None = None
    repositories: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    only_failed: bool = False

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InvalidInput("there is nothing to search for", hint="give a text that is not blank")
        unknown = set(self.surfaces) - SURFACES.keys()
        if unknown:
            raise InvalidInput(f"{min(unknown)!r} cannot be searched", hint=f"one of {', '.join(SURFACES)}")
        if self.temporal == "as_of" and self.before is None:
            raise InvalidInput("a search as of a time needs that time", hint="give --before TIME")

    @property
    def is_narrowed(self) -> bool:
        """Whether only some evidence of a session counts."""
        return any(value is not None for value in (self.tool, self.path, self.since, self.before))

    @property
    def digest(self) -> str:
        """Digest of the text and how it is looked for."""
        return _digest([self.text, self.mode, self.grain, self.temporal])

    @property
    def filter_digest(self) -> str:
        """Digest of the filters."""
        named = ("surfaces", "since", "before", "agent", "tool", "path", "only_failed")
        return _digest([getattr(self, name) for name in named])

    @property
    def scope_digest(self) -> str:
        """Digest of the access scope."""
        return _digest([sorted(self.repositories), sorted(self.withheld)])

    @property
    def filters(self) -> Filters:
        """Which pieces of evidence count."""
        kinds = [kind for surface in self.surfaces for kind in SURFACES[surface]]
        allowed = _OF_GRAIN.get(self.grain)
        if allowed is not None:
            kinds = [kind for kind in allowed if not kinds or kind in kinds]
            if not kinds:
                raise InvalidInput(
                    f"{' and '.join(self.surfaces)} have no grain {self.grain}",
                    hint="leave out --in or --grain",
                )
        return Filters(
            grain="occurrence",
            kinds=tuple(dict.fromkeys(kinds)),
            since=self.since,
            before=self.before,
            agent=self.agent,
            tool=self.tool,
            path=self.path,
            repositories=self.repositories,
            withheld=self.withheld,
            only_present=self.temporal == "current",
            only_failed=self.only_failed,
            holding_at=self.before if self.temporal == "as_of" else None,
        )


def request(
    text: str,
    *,
    mode: str = "ranked",
    surfaces: Sequence[str] = (),
    grain: str = "occurrence",
    temporal: str = "current",
    since: datetime | None = None,
    before: datetime | None = None,
    **fields: Any,
) -> Request:
    """A request from what people give: names that are checked, and times in UTC.

    Raises:
        InvalidInput: There is nothing to search for, or a name is none of those known.
    """
    for name, value, known in (
        ("mode", mode, MODES),
        ("grain", grain, GRAINS),
        ("temporal", temporal, TEMPORAL),
    ):
        if value not in known:
            raise InvalidInput(f"{value!r} is no {name}", hint=f"one of {', '.join(known)}")
    return Request(
        text=text,
        mode=cast(Mode, mode),
        surfaces=tuple(sorted(set(surfaces))),
        grain=cast(Grain, grain),
        temporal=cast(Temporal, temporal),
        since=_microseconds(since),
        before=_microseconds(before),
        **fields,
    )


def _microseconds(time: datetime | None) -> int | None:
    """Microseconds since 1970 of a time in UTC, with or without its zone."""
    if time is None:
        return None
    return (time.replace(tzinfo=time.tzinfo or UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(
        microseconds=1
    )


def _digest(value: object) -> str:
    return hashlib.sha256(orjson.dumps(value)).hexdigest()
