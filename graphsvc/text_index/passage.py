"""Passages: the things that a search can find, as the index keeps them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from itertools import accumulate
from typing import Any, NamedTuple

import orjson

__all__ = [
    "Passage", "Place", "Words", "decode", "encode", "in_order_of_place", "runs", "spans", "text_digest",
]  # fmt: skip


class Place(NamedTuple):
    """Where a passage's text lies: a shard's evidence file, a frame of it, and a run of what that unpacks to."""

    shard: str
    frame_start: int
    frame_size: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """One thing that can be found.

    Attributes:
        grain: ``occurrence`` for a piece of evidence; ``window`` for a message with those beside it, known by the
            message in its middle; ``session`` for all that was said in one.
        kind: prompt, answer, thinking, summary, note, tool_call, tool_result, commit, symbol, file, fact,
            plane_item, window, session.
        key: Identity: the event's id, or the session's key.
        subject: What it is about where it is rolled up: the symbol's id, the commit's object id, else the key.
        session: Key of the session that it belongs to.
        turn: Id of the turn that it belongs to.
        repository: Identity of the repository that it is a part of; None for what was said.
        path: Path of the file, as recorded for a tool call.
        title: One line for people; empty where the passage's text says it.
        agent: Agent as recorded.
        tool: Tool as recorded.
        occurred_at: Microseconds since 1970, None where the source states no time.
        is_present: Its source still states it.
        segment: Segment of the evidence.
        start: First byte of the evidence in the segment.
        end: End of the evidence in the segment, exclusive.
        texts: Runs of the evidence that are text, as flat pairs of offsets from ``start``.
        is_json: The text stands in JSON strings, with their escapes.
        digest: First 16 digits of a digest of the text: equal for proven copies.
        place: Where a copy of the text lies for fast reading, as it is written in the evidence; None for a passage
            without text of its own.
    """

    grain: str
    kind: str
    key: str
    subject: str
    session: str | None
    turn: str | None
    repository: str | None
    path: str | None
    title: str
    agent: str | None
    tool: str | None
    occurred_at: int | None
    is_present: bool
    segment: str
    start: int
    end: int
    texts: tuple[int, ...]
    is_json: bool
    digest: str
    place: Place | None


class Words(NamedTuple):
    """What a passage is found by.

    Attributes:
        text: Its text, for exact words; empty for a passage that repeats the text of others.
        ranked: The text that ranking reads, names split into words, with words for its day.
        names: Names and paths that it is known by, whole.
        done: What tools were asked to do in a session, names split into words.
        repositories: Identities of the repositories that it belongs to.
        has_long_word: A word of the text is too long for the index: whoever looks for a literal must read it.
        ended_at: Since when it no longer holds, microseconds since 1970; None for never.
        is_failed: A tool says in it that it failed.
        is_callable: It is a function or method.
    """

    text: str
    ranked: str
    names: tuple[str, ...] = ()
    done: str = ""
    repositories: tuple[str, ...] = ()
    has_long_word: bool = False
    ended_at: int | None = None
    is_failed: bool = False
    is_callable: bool = False


_HEAD = 32 + 8
_ID_BYTES = 16
_ID = re.compile(r"([a-z]+_)([0-9a-f]{32})")
_IDS = ("key", "subject", "turn")
_NAMES = (*_IDS, *(field.name for field in fields(Passage) if field.name not in ("segment", "digest", *_IDS)))


def runs(passage: Passage) -> list[tuple[int, int]]:
    """The runs of text in what `Place` leads to: those of the evidence, one after another."""
    lengths = (end - start for start, end in spans(passage))
    ends = list(accumulate(lengths))
    return list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []


def spans(passage: Passage) -> list[tuple[int, int]]:
    """The runs of text as offsets from the start of the evidence."""
    return list(zip(passage.texts[::2], passage.texts[1::2], strict=True))


def in_order_of_place(passages: Iterable[Passage]) -> list[Passage]:
    """Passages in the order in which their texts lie on disk, so that reading them unpacks each frame once."""
    return sorted(passages, key=lambda one: (one.place is not None, one.place or ()))


def text_digest(text: str) -> str:
    """What `Passage.digest` is of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def encode(passage: Passage) -> bytes:
    """A passage as the index stores it: digests and the digits of identities as bytes, the rest as JSON.

    The engine packs repetition but not hexadecimal digits, and those are most of a passage.
    """
    digits: list[str] = []
    values: list[Any] = []
    for name in _IDS:
        value = getattr(passage, name)
        if name == "subject" and value == passage.key:
            values.append(True)
        elif value is not None and (form := _ID.fullmatch(value)):
            digits.append(form[2])
            values.append(form[1])
        else:
            values.append(value and [value])
    values += (getattr(passage, name) for name in _NAMES[len(_IDS) : -1])
    values.append(passage.place and [*passage.place])
    head = f"{passage.segment}{passage.digest}{len(digits):02x}{''.join(digits)}"
    return bytes.fromhex(head) + orjson.dumps(values)


def decode(data: bytes) -> Passage:
    """A passage as it was before `encode`."""
    at = _HEAD + 1
    row = dict(zip(_NAMES, orjson.loads(data[at + _ID_BYTES * data[_HEAD] :]), strict=True))
    for name in _IDS:
        value = row[name]
        if value is True:
            row[name] = row["key"]
        elif isinstance(value, str):
            row[name] = value + data[at : at + _ID_BYTES].hex()
            at += _ID_BYTES
        else:
            row[name] = value and value[0]
    row["texts"] = tuple(row["texts"])
    row["place"] = row["place"] and Place(*row["place"])
    return Passage(**row, segment=data[:32].hex(), digest=data[32:_HEAD].hex())
