"""Facts out of other tools' memory files, each anchored to its bytes.

============  ==================================================================================================
format        one fact is
============  ==================================================================================================
``facts``     a line of this project's own export: a fact, link or tombstone
``markdown``  a list item or paragraph of a CLAUDE.md or AGENTS.md; the headings above it stand in ``source``
``mem0``      a line with ``memory`` (or ``text``), ``created_at``, ``user_id``, ``agent_id``, ``metadata.kind``
``graphiti``  a line with ``fact``, ``name``, ``created_at``, ``valid_at``, ``invalid_at``, ``expired_at``
============  ==================================================================================================

A fact that states no id gets one from its words, its place and its scope, and one that states no time gets that of
the import; so a file that is imported again adds what is new in it and nothing else. Where a file says something else
of an id than it did before, a fact with the new words supersedes the one with the old words.

>>> found = read_markdown(b"# Build\\n\\n- use make\\n- never push\\n", Target("CLAUDE.md", now=5))
>>> [item.fact.content for item in found]
['use make', 'never push']
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from graphsvc.errors import Conflict, InvalidInput, NotFound, Refused
from graphsvc.ids import derive
from graphsvc.memory.fact_lines import decode_line
from graphsvc.memory.facts import Anchor, Fact, FactHistory, Link, Record, admit
from graphsvc.memory.strict_json import JsonObject, decode
from graphsvc.scopes import GLOBAL, Scope, check_instance

__all__ = [
    "FORMATS",
    "Imported",
    "Outcome",
    "Target",
    "read_facts",
    "read_graphiti",
    "read_markdown",
    "read_mem0",
    "settle",
    "sniff",
]

_HEADING = re.compile(rb"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM = re.compile(rb"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_MARK = codecs.BOM_UTF8
_FENCE = re.compile(rb"\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Target:
    """What an import gives facts that their source does not say.

    Attributes:
        name: Name of the file.
        now: Time of the import in microseconds since 1970.
        scope: Where the facts hold.
        instance: Instance that facts of other stores are brought into; empty for leaving them where they are.
    """

    name: str
    now: int
    scope: Scope = GLOBAL
    instance: str = ""


class Imported(NamedTuple):
    """A record and where it stands in the file, in bytes; the reason instead of the record where it is refused."""

    start: int
    end: int
    record: Record | Refused

    @property
    def fact(self) -> Fact:
        """The record, which the caller knows to be a fact."""
        assert isinstance(self.record, Fact)
        return self.record


def sniff(name: str, data: bytes) -> str:
    """Format of a file, by its name and its first line; one of `FORMATS`.

    Raises:
        InvalidInput: It is of none.

    >>> sniff("AGENTS.md", b"# Rules"), sniff("x.jsonl", b'{"memory": "likes tea"}')
    ('markdown', 'mem0')
    """
    if name.lower().endswith((".md", ".markdown")):
        return "markdown"
    line = next((line for line in data.split(b"\n") if line.strip()), b"")
    try:
        first = decode(line, name)
    except Refused:
        first = None
    if isinstance(first, dict):
        for key, format_ in (("record", "facts"), ("fact", "graphiti"), ("memory", "mem0"), ("text", "mem0")):
            if key in first:
                return format_
    raise InvalidInput(
        f"{name} is of no known format of facts", hint=f"name it with --from: {', '.join(FORMATS)}"
    )


def read_facts(data: bytes, target: Target) -> Iterator[Imported]:
    """Records as `graphsvc.memory.fact_lines` writes them; times and scopes are their own, but for the instance."""
    for start, end, line in _lines(data):

        def record(line: bytes = line) -> Record:
            found = decode_line(line, target.name)
            if not isinstance(found, Fact) or found.scope == GLOBAL or not target.instance:
                return found
            check_instance(found.scope, target.instance)
            return replace(found, scope=replace(found.scope, instance=target.instance))

        yield Imported(start, end, _outcome(record))


def read_mem0(data: bytes, target: Target) -> Iterator[Imported]:
    """Memories as mem0 gives them, one JSON object a line."""
    yield from _objects(data, target, _mem0)


def read_graphiti(data: bytes, target: Target) -> Iterator[Imported]:
    """Edges as Graphiti gives them, one JSON object a line."""
    yield from _objects(data, target, _graphiti)


def read_markdown(data: bytes, target: Target) -> Iterator[Imported]:
    """List items and paragraphs; text inside a fence belongs to none."""
    seen: Counter[tuple[str, str]] = Counter()
    for headings, start, end in _blocks(data):
        text = _ITEM.sub(b"", data[start:end], count=1) if _ITEM.match(data[start:end]) else data[start:end]
        source = " > ".join((target.name, *headings))

        def fact(text: bytes = text, source: str = source, start: int = start, end: int = end) -> Fact:
            content = " ".join(_decoded(text, target.name).split())
            ordinal = seen[content, source]
            seen[content, source] += 1
            key = (target.scope.key, content, source, str(ordinal))
            anchor = _anchor(data, start, end)
            return Fact(
                derive("fact", "markdown", *key),
                "fact",
                content,
                target.now,
                target.scope,
                source,
                (anchor,),
            )

        yield Imported(start, end, _outcome(fact))


FORMATS: Mapping[str, Callable[[bytes, Target], Iterator[Imported]]] = {
    "facts": read_facts,
    "markdown": read_markdown,
    "mem0": read_mem0,
    "graphiti": read_graphiti,
}


class Outcome(NamedTuple):
    """What became of a record.

    Attributes:
        item: The record; the fact that it is now, where it was ``changed``.
        state: ``added``, ``known``, ``changed`` (other words of a known id, which supersede the earlier ones),
            ``forgotten`` (a known id that stays forgotten), or the reason why it is refused.
        detail: What is wrong, where it is refused.
        records: What is to be written.
    """

    item: Imported
    state: str
    detail: str = ""
    records: tuple[Record, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether nothing of it is kept but its bytes."""
        return self.state not in ("added", "known", "changed", "forgotten")


def settle(
    found: Iterable[Imported], known: Mapping[str, FactHistory], *, is_told_by_id: bool, now: int
) -> Iterator[Outcome]:
    """Decide on records one after the other, each by what is known and those before it; a bad one harms no other.

    Args:
        found: What was read.
        known: Histories of the facts that it names and of those that supersede them, as far as the store has them.
        is_told_by_id: Whether the id of a fact is all that tells it from others, so that other words make it a
            later version of itself and no conflict.
        now: Time of the import, which a later version is recorded at.
    """
    histories = dict(known)
    told: dict[str, Fact] = {}
    for item in found:
        record = item.record
        if isinstance(record, Refused):
            yield Outcome(item, record.reason, record.message)
        elif not is_told_by_id or not isinstance(record, Fact):
            yield _admitted(item, "added", (record,), histories)
        elif _statement(told.setdefault(record.id, record)) != _statement(record):
            yield Outcome(item, "other_fact", "the file says something else of that id further up")
        elif record.id in histories:
            yield _told_again(item, record, histories, now)
        else:
            yield _admitted(item, "added", (record,), histories)


def _told_again(item: Imported, fact: Fact, histories: dict[str, FactHistory], now: int) -> Outcome:
    latest = _latest(histories[fact.id], histories)
    if latest.is_forgotten:
        return Outcome(item, "forgotten")
    if _statement(fact) == _statement(latest.fact):
        return Outcome(item, "known")
    version = replace(fact, id=_version_id(latest.fact, fact), recorded_at=now)
    link = Link("supersedes", version.id, latest.fact.id, now, effective_at=version.valid_from)
    return _admitted(item._replace(record=version), "changed", (version, link), histories)


def _latest(history: FactHistory, histories: Mapping[str, FactHistory]) -> FactHistory:
    """The last version of an imported fact; a fact of other origin that supersedes it is none."""
    while (later := _later_version(history, histories)) is not None:
        history = later
    return history


def _later_version(history: FactHistory, histories: Mapping[str, FactHistory]) -> FactHistory | None:
    links = (record for record in history.records if isinstance(record, Link))
    known = (histories[link.fact_id] for link in links if link.fact_id in histories)
    return next((each for each in known if each.fact.id == _version_id(history.fact, each.fact)), None)


def _version_id(earlier: Fact, fact: Fact) -> str:
    return derive("fact", "version", earlier.id, *map(str, _statement(fact)))


def _statement(fact: Fact) -> tuple[object, ...]:
    """What a source says of a fact, apart from when and where it says so."""
    return (fact.kind, fact.content, fact.source, fact.valid_from, fact.valid_until, fact.expires_at)


def _admitted(
    item: Imported, state: str, records: tuple[Record, ...], histories: dict[str, FactHistory]
) -> Outcome:
    try:
        admission = admit(records, histories)
    except Conflict as error:
        return Outcome(item, "other_fact", error.message)
    except NotFound as error:
        return Outcome(item, "unknown_fact", error.message)
    except InvalidInput as error:
        return Outcome(item, "superseded_fact", error.message)
    histories.update(admission.histories)
    return Outcome(item, state if admission.records else "known", records=admission.records)


def _blocks(data: bytes) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Headings above, start and end of every list item and paragraph."""
    headings: dict[int, str] = {}
    open_at: int | None = None
    close_at = offset = len(_MARK) * data.startswith(_MARK)
    in_fence = False
    for line in data[offset:].split(b"\n"):
        stripped = line.rstrip()
        is_fence = bool(_FENCE.match(line))
        heading = None if in_fence else _HEADING.match(stripped)
        ends = not stripped or is_fence or in_fence or heading is not None or bool(_ITEM.match(line))
        if ends and open_at is not None:
            yield tuple(headings[level] for level in sorted(headings)), open_at, close_at
            open_at = None
        if heading is not None:
            level = len(heading[1])
            headings = {above: text for above, text in headings.items() if above < level}
            headings[level] = heading[2].decode(errors="replace")
        elif stripped and not is_fence and not in_fence:
            open_at = offset if open_at is None else open_at
            close_at = offset + len(stripped)
        in_fence ^= is_fence
        offset += len(line) + 1
    if open_at is not None:
        yield tuple(headings[level] for level in sorted(headings)), open_at, close_at


def _lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    start = 0
    for line in data.split(b"\n"):
        text = line.strip(b" \t\r")
        if text:
            first = start + line.index(text)
            yield first, first + len(text), text
        start += len(line) + 1


def _objects(data: bytes, target: Target, read: Callable[[JsonObject, Target], Fact]) -> Iterator[Imported]:
    for start, end, line in _lines(data):

        def fact(line: bytes = line, start: int = start, end: int = end) -> Fact:
            value = decode(line, target.name)
            if not isinstance(value, dict):
                raise Refused("it is no object", reason="not_a_record", where=target.name)
            return replace(read(value, target), anchors=(_anchor(data, start, end),))

        yield Imported(start, end, _outcome(fact))


def _outcome(read: Callable[[], Record]) -> Record | Refused:
    try:
        return read()
    except Refused as error:
        return error
    except InvalidInput as error:
        return Refused(error.message, reason="not_a_record", hint=error.hint)


def _anchor(data: bytes, start: int, end: int) -> Anchor:
    segment = hashlib.sha256(data).hexdigest()
    return Anchor("span", f"{segment}:{start}:{end}", hashlib.sha256(data[start:end]).hexdigest())


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise Refused("it is not UTF-8", reason="not_utf8", where=name) from error


def _mem0(value: JsonObject, target: Target) -> Fact:
    content = _text(value, "memory", "text")
    metadata = value.get("metadata")
    kind = _name(metadata, "kind") if isinstance(metadata, dict) else ""
    owners = filter(None, (_name(value, key) for key in ("user_id", "agent_id", "run_id")))
    return _stated(
        "mem0", _name(value, "id"), kind or "fact", content, value, target, ":".join(["mem0", *owners])
    )


def _graphiti(value: JsonObject, target: Target) -> Fact:
    content = _text(value, "fact")
    names = filter(None, (_name(value, key) for key in ("group_id", "name")))
    fact = _stated(
        "graphiti", _name(value, "uuid"), "fact", content, value, target, ":".join(["graphiti", *names])
    )
    return replace(
        fact,
        valid_from=_time(value, "valid_at"),
        valid_until=_time(value, "invalid_at"),
        expires_at=_time(value, "expired_at"),
    )


def _stated(
    tool: str, stated_id: str, kind: str, content: str, value: JsonObject, target: Target, source: str
) -> Fact:
    recorded_at = _time(value, "created_at")
    key = (stated_id,) if stated_id else (content, source, str(recorded_at))
    identity = derive("fact", tool, target.scope.key, *key)
    return Fact(
        identity, kind, content, target.now if recorded_at is None else recorded_at, target.scope, source
    )


def _text(value: JsonObject, *keys: str) -> str:
    for key in keys:
        if isinstance(value.get(key), str) and value[key].strip():
            return str(value[key])
    raise Refused(f"it has no {keys[0]}", reason="not_a_record")


def _name(value: JsonObject, key: str) -> str:
    """A text or number that names something; empty where there is none."""
    stated = value.get(key)
    if stated is None or isinstance(stated, str):
        return stated or ""
    if isinstance(stated, int) and not isinstance(stated, bool):
        return str(stated)
    raise Refused(f"{key} is neither a text nor a whole number: {stated!r:.40}", reason="not_a_record")


def _time(value: JsonObject, key: str) -> int | None:
    """An ISO 8601 time in microseconds since 1970; without a zone it is UTC."""
    stated = value.get(key)
    if stated is None:
        return None
    try:
        time = datetime.fromisoformat(stated)
    except (TypeError, ValueError) as error:
        raise Refused(f"{key} is no ISO 8601 time: {stated!r:.40}", reason="not_a_record") from error
    since = (time if time.tzinfo else time.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
