"""Verification of the canonical store: that the ledger is whole, and that the bytes are those that it names.

Each check counts what it looked at and lists what is wrong. The checks rest on the digests that admission wrote:
the receipts form a chain, each receipt has a digest over what its batch brought, and a segment's name is the
SHA-256 of its bytes.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from graphsvc.canonical import sql
from graphsvc.canonical.admission import GENESIS, batch_digest, receipt_digest
from graphsvc.canonical.packs import decompress
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.sql import statement
from graphsvc.errors import Corrupt

__all__ = ["Check", "checked", "verify_ledger", "verify_segments"]

_MOST_FINDINGS = 20
_PACKS = "SELECT pack, byte_count FROM pack ORDER BY pack"
_PACK = "SELECT data FROM pack WHERE pack = $pack"
_MEMBERS = "SELECT segment, pack_start, byte_count FROM segment WHERE pack = $pack ORDER BY pack_start"


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: What was checked.
        checked: How many things were looked at.
        findings: What is wrong, in sentences, at most twenty; empty where all is well.
    """

    name: str
    checked: int
    findings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


def checked(name: str, results: Iterable[str | None]) -> Check:
    """A check out of one result for each thing looked at: None, or what is wrong with it.

    Damage that stops the check from going on is a finding of it.

    >>> checked("spans", [None, "span 2 lies outside its segment"])
    Check(name='spans', checked=2, findings=('span 2 lies outside its segment',))
    """
    count = 0
    findings: list[str] = []
    try:
        for count, result in enumerate(results, 1):  # noqa: B007
            if result is not None and len(findings) < _MOST_FINDINGS:
                findings.append(result)
    except Corrupt as error:
        findings.append(error.message)
    return Check(name, count, tuple(findings))


def verify_ledger(reader: Reader) -> list[Check]:
    """Check what needs no payload: the chain of receipts, what each of them brought, and where evidence lies."""
    return [
        checked("receipts", _receipts(reader)),
        checked("batches", _batches(reader)),
        checked("sequence", _sequence(reader)),
        checked("evidence", _outside(reader, "verify_evidence.sql")),
        checked("parts", _outside(reader, "verify_parts.sql")),
    ]


def verify_segments(reader: Reader, progress: Callable[[str, int, int | None], None]) -> Check:
    """Hash the bytes of every segment and compare with its name.

    Args:
        reader: Reader of the store.
        progress: Called with packs read and packs in all.
    """
    return checked("segments", _segments(reader, progress))


def _receipts(reader: Reader) -> Iterator[str | None]:
    """Each receipt: its number, where its events begin, the receipt before it, and its digest."""
    expected, previous, next_seq = 1, GENESIS, 1
    for number, *rest in reader.rows(sql.load("graphsvc.canonical", "verify_receipts.sql")):
        *fields, digest = rest
        seq_lo, seq_hi, previous_digest = fields[4], fields[5], fields[8]
        if number != expected:
            yield f"receipt {expected} is missing"
        elif previous_digest != previous:
            yield f"receipt {number} follows another receipt than the one before it"
        elif receipt_digest((number, *fields)) != digest:
            yield f"receipt {number} has another digest than its fields"
        elif seq_lo != next_seq or seq_hi < seq_lo - 1:
            yield f"receipt {number} begins at seq {seq_lo}, not {next_seq}"
        else:
            yield None
        expected, previous, next_seq = number + 1, digest, seq_hi + 1


def _batches(reader: Reader) -> Iterator[str | None]:
    """Each receipt's digest over the events, segments and documents that its batch brought."""
    events = iter(reader.rows("SELECT event_id FROM event ORDER BY seq"))
    segments = _by_receipt(reader, "verify_batch_segments.sql")
    documents = _by_receipt(reader, "verify_batch_documents.sql")
    for number, count, digest in reader.rows(
        "SELECT number, seq_hi - seq_lo + 1, batch_digest FROM receipt ORDER BY number"
    ):
        brought = [row[0] for row in islice(events, max(count, 0))]
        found = batch_digest(brought, segments[number], documents[number])
        yield None if found == digest else f"the batch of receipt {number} is not what was admitted"
    if rest := sum(1 for _ in events):
        yield f"{rest} events belong to no receipt"


def _by_receipt(reader: Reader, file: str) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for receipt, identity in reader.rows(sql.load("graphsvc.canonical", file)):
        found[receipt].append(identity)
    return found


def _sequence(reader: Reader) -> Iterator[str | None]:
    """Each event's seq: the numbers from 1 on, each once."""
    [(count, distinct, highest)] = reader.rows(statement("sequence"))
    whole = count == distinct == highest
    yield from [None] * count
    if not whole:
        yield f"{count} events have {distinct} distinct numbers up to {highest}"


def _outside(reader: Reader, file: str) -> Iterator[str | None]:
    rows: list[tuple[Any, ...]] = reader.rows(sql.load("graphsvc.canonical", file))
    for count, finding in rows:
        yield from [None] * count if finding is None else [finding]


def _segments(reader: Reader, progress: Callable[[str, int, int | None], None]) -> Iterator[str | None]:
    packs = reader.rows(_PACKS)
    for done, (pack, byte_count) in enumerate(packs):
        progress("segments", done, len(packs))
        members = reader.rows(_MEMBERS, {"pack": pack})
        try:
            [(data,)] = reader.rows(_PACK, {"pack": pack})
            unpacked = decompress(data, byte_count)
        except Corrupt as error:
            yield f"pack {pack} with {len(members)} segments: {error.message}"
            continue
        for segment, start, size in members:
            found = hashlib.sha256(unpacked[start : start + size]).hexdigest()
            yield None if found == segment else f"segment {segment} has the digest {found}"
