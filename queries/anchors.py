"""What facts rest on: from what people write to anchors, and from anchors to today's evidence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from graphsvc.canonical import sql
from graphsvc.canonical.batch import Span
from graphsvc.canonical.reader import Reader
from graphsvc.errors import Ambiguous, InvalidInput, NotFound
from graphsvc.graph.reader import GraphReader
from graphsvc.ids import SegmentId
from graphsvc.memory.facts import Anchor
from graphsvc.memory.text import check_text
from queries.code import last_name, of_name
from queries.evidence import evidence
from queries.graph import table

__all__ = ["KINDS", "AnchorFinder", "span_text"]

KINDS = ("commit", "file", "symbol", "turn", "span")
"""Kinds of anchors that can be made and checked."""

_SPAN_ID = re.compile("([0-9a-f]{64}):([0-9]{1,18}):([0-9]{1,18})")
_SPAN = re.compile("([0-9a-f]{6,64}):([0-9]{1,18})-([0-9]{1,18})")
_SEGMENT = "SELECT segment FROM segment WHERE starts_with(segment, $prefix) LIMIT 1"


class AnchorFinder:
    """Finds what anchors name.

    Args:
        reader: Reader of the canonical store.
        graph: Gives the published graph, which only symbols and turns need.
        repository_id: Repository that paths are of; None for every one.
    """

    def __init__(
        self, reader: Reader, graph: Callable[[], GraphReader], repository_id: str | None = None
    ) -> None:
        self._reader = reader
        self._graph = graph
        self._repository_id = repository_id
        self._segments: dict[str, bytes | None] = {}

    def anchor(self, text: str) -> Anchor:
        """The anchor that a text names.

        Args:
            text: ``commit:OID``, ``file:PATH`` (from the root), ``symbol:NAME``, ``turn:ID``, or
                ``span:SEGMENT:START-END``; the beginning of an id is enough where only one begins so.

        Raises:
            InvalidInput: It is of none of these forms.
            NotFound: Nothing has that name today.
            Ambiguous: Several things have.
        """
        check_text("an anchor", text)
        kind, _, name = text.partition(":")
        if kind not in KINDS or not name:
            raise InvalidInput(
                f"{text!r} names nothing to rest on",
                hint="write commit:OID, file:PATH, symbol:NAME, turn:ID or span:SEGMENT:START-END",
            )
        found: Anchor = getattr(self, f"_{kind}")(name)
        return found

    def recorded(self, text: str) -> Anchor:
        """The anchor that a text names, today or as facts on record have it.

        Args:
            text: As for `anchor`; also the path of a file that is gone, and the id of anything that a fact rests on.

        Raises:
            InvalidInput: It is of none of these forms.
            NotFound: Nothing has that name today, and no fact rests on it.
            Ambiguous: Several things have.
        """
        try:
            return self.anchor(text)
        except NotFound:
            kind, _, name = text.partition(":")
            asked = {
                "kind": kind,
                "name": name.replace("-", ":") if kind == "span" else name,
                "repository": self._repository_id,
            }
            rows = self._reader.rows(sql.load("queries", "sql/anchor_recorded.sql"), asked)
            if not rows:
                raise
            return Anchor(kind, _one(kind, name, [(row[0], row[0]) for row in rows]))

    def names(self, anchors: Iterable[Anchor]) -> dict[str, str]:
        """What people call files, commits, symbols and spans, by id, as far as the store can tell."""
        import polars as pl

        ids = {kind: [item.id for item in anchors if item.kind == kind] for kind in KINDS}
        wanted = pl.DataFrame({"id": [*ids["file"], *ids["commit"]]}, schema={"id": pl.String})
        names = dict(self._reader.rows(sql.load("queries", "sql/anchor_names.sql"), wanted=wanted))
        if ids["symbol"]:
            statement = sql.load("queries", "cypher/anchor_symbol_names.cypher")
            rows = self._graph().rows(statement, {"ids": sorted(set(ids["symbol"]))})
            names |= {str(row["id"]): str(row["name"]) for row in rows}
        return names | {identity: span_text(identity) for identity in ids["span"]}

    def digests(self, anchor: Anchor) -> list[str] | None:
        """Digests of all that an anchor leads to today; None for a kind that cannot be checked."""
        match anchor.kind:
            case "commit":
                return [""] if self._is_present(anchor.id) else []
            case "file":
                return self._blobs.get(anchor.id, [])
            case "symbol":
                return self.definitions(anchor.id)
            case "turn":
                rows = self._turns(anchor.id)
                return [self._digest(row) for row in rows if row["id"] == anchor.id]
            case "span":
                return self._span_digests(anchor.id)
        return None

    def files_of_symbol(self, symbol_id: str) -> list[str]:
        """Ids of the files that define a symbol."""
        return sorted({str(row["file"]) for row in self._definition_rows(symbol_id)})

    def definitions(self, symbol_id: str) -> list[str]:
        """Digests of the definitions of a symbol, each once."""
        return sorted({self._digest(row) for row in self._definition_rows(symbol_id)})

    def _commit(self, name: str) -> Anchor:
        rows = self._reader.rows(sql.load("queries", "sql/anchor_commits.sql"), {"oid": name.lower()})
        return Anchor("commit", _one("commit", name, [(row[0], row[1]) for row in rows]))

    def _file(self, name: str) -> Anchor:
        rows = self._files(name)
        identity = _one("file", name, [(row[0], f"{row[1]} {row[2]}") for row in rows])
        oids = rows[0][3]
        return Anchor("file", identity, oids[0] if len(oids) == 1 else "")

    def _symbol(self, name: str) -> Anchor:
        statement = sql.load("queries", "cypher/symbols.cypher")
        columns, every, _ = table(self._graph(), statement, {"name": last_name(name)})
        found = of_name(columns, every, name)
        if not found:
            raise NotFound(f"no indexed symbol is called {name!r}")
        rows = [dict(zip(columns, row, strict=True)) for row in found]
        identity = _one(
            "symbol", name, [(row["id"], f"{row['qualified_name']} {row['path']}") for row in rows]
        )
        digests = self.definitions(identity)
        return Anchor("symbol", identity, digests[0] if len(digests) == 1 else "")

    def _turn(self, name: str) -> Anchor:
        rows = self._turns(name)
        identity = _one("turn", name, [(row["id"], row["id"]) for row in rows])
        return Anchor("turn", identity, self._digest(rows[0]))

    def _span(self, name: str) -> Anchor:
        data = evidence(self._reader, name)
        form = _SPAN.fullmatch(name)
        if form is None:
            raise InvalidInput(f"{name!r} is no evidence span", hint="write SEGMENT:START-END")
        [(segment,)] = self._reader.rows(_SEGMENT, {"prefix": form[1]})
        digest = hashlib.sha256(data).hexdigest()
        return Anchor("span", f"{segment}:{form[2]}:{form[3]}", digest)

    def _files(self, path: str | None) -> list[tuple[Any, ...]]:
        parameters = {"path": path, "repository": None if path is None else self._repository_id}
        return self._reader.rows(sql.load("queries", "sql/anchor_files.sql"), parameters)

    @cached_property
    def _blobs(self) -> dict[str, list[str]]:
        """Blobs of every indexed file, by its id."""
        return {identity: oids for identity, _, _, oids in self._files(None)}

    def _turns(self, prefix: str) -> Sequence[dict[str, Any]]:
        return self._graph().rows(sql.load("queries", "cypher/anchor_turn.cypher"), {"id": prefix})

    def _definition_rows(self, symbol_id: str) -> Sequence[dict[str, Any]]:
        return self._graph().rows(sql.load("queries", "cypher/anchor_symbol.cypher"), {"id": symbol_id})

    def _digest(self, row: dict[str, Any]) -> str:
        span = Span(SegmentId(row["segment"]), row["start_byte"], row["end_byte"])
        return hashlib.sha256(self._reader.spans([span])[0]).hexdigest()

    def _is_present(self, identity: str) -> bool:
        import polars as pl

        wanted = pl.DataFrame({"id": [identity]})
        return bool(self._reader.rows(sql.load("queries", "sql/anchor_present.sql"), wanted=wanted))

    def _span_digests(self, identity: str) -> list[str]:
        form = _SPAN_ID.fullmatch(identity)
        data = None if form is None else self._segment(form[1])
        if form is None or data is None:
            return []
        start, end = int(form[2]), int(form[3])
        return [hashlib.sha256(data[start:end]).hexdigest()] if start <= end <= len(data) else []

    def _segment(self, identity: str) -> bytes | None:
        """The bytes of a segment; None where the store has none. Facts of one file share one."""
        if identity not in self._segments:
            is_present = self._is_present(identity)
            self._segments[identity] = self._reader.segments([identity])[identity] if is_present else None
        return self._segments[identity]


def span_text(identity: str) -> str:
    """The id of a span as commands take it.

    >>> span_text("ab:0:9")
    'ab:0-9'
    """
    segment, _, end = identity.rpartition(":")
    return f"{segment}-{end}"


def _one(kind: str, name: str, found: Iterable[tuple[str, str]]) -> str:
    """The id of the only thing that was found; ``found`` has the id and a name for people."""
    names = dict(found)
    if not names:
        raise NotFound(f"nothing indexed is the {kind} {name!r}", hint="run `graphsvc rebuild`, or check it")
    if len(names) > 1:
        raise Ambiguous(f"{len(names)} things are the {kind} {name!r}", candidates=list(names.values()))
    return next(iter(names))
