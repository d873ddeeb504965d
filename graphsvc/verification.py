"""Verification of a whole store: the canonical ledger and its bytes, then every graph generation that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphsvc.canonical.registry import generations
from graphsvc.canonical.verification import Check, checked, verify_ledger, verify_segments
from graphsvc.canonical.watermark import watermark
from graphsvc.errors import Corrupt
from graphsvc.graph.digest import LabelDigest, root_digest
from graphsvc.graph.leases import lease
from graphsvc.graph.schema import Column, ColumnType, EdgeTable, GraphSchema, NodeTable
from graphsvc.graph.seal import Seal, check
from graphsvc.published import GRAPH_FILE
from graphsvc.text_index.files import FORMAT, INDEX_FOLDER, check_shard, passages_digest, read_shards

if TYPE_CHECKING:
    from graphsvc.canonical.reader import Reader
    from graphsvc.canonical.registry import Generation
    from graphsvc.canonical.store import CanonicalStore

__all__ = ["Rules", "Verification", "verify"]


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome.

    Attributes:
        store: Folder of the store.
        deep: The bytes of segments and the rows of graphs were read too.
        checks: What was checked, with what is wrong.
    """

    store: str
    deep: bool
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return all(check.ok for check in self.checks)

    def require_ok(self) -> None:
        """Does nothing for a sound store.

        Raises:
            Corrupt: Something is wrong; the message names the checks that failed.
        """
        failed = [check.name for check in self.checks if not check.ok]
        if failed:
            raise Corrupt(f"{self.store} is damaged: {', '.join(failed)}", hint=_hint(failed))

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain data."""
        return asdict(self) | {"ok": self.ok}


class Rules(NamedTuple):
    """What makes tables of evidence.

    Attributes:
        version: Version of the rules.
        evidence_digest: Digest of the evidence as the projection computes it.
        projected: The digest of each table, projected with nothing of earlier work taken over.
    """

    version: str
    evidence_digest: Callable[[Reader], str]
    projected: Callable[[Reader], Mapping[str, LabelDigest]]


def _hint(failed: Iterable[str]) -> str:
    """How to mend what failed, beginning with what everything else is made from."""
    what = {name.rpartition(" ")[0] for name in failed}
    if what <= {"text index"}:
        return "run `graphsvc index`, which writes damaged parts again"
    if what <= {"generation", "text index"}:
        return "remove that generation's folder, then run `graphsvc rebuild`"
    if what <= {"projection", "generation", "text index"}:
        return "remove that generation's folder and the folder snapshots, then run `graphsvc rebuild`"
    return "restore the store from a copy, or run `graphsvc reset` and read the sources again"


def verify(
    store: CanonicalStore,
    *,
    deep: bool,
    rules: Rules,
    progress: Callable[[str, int, int | None], None],
) -> Verification:
    """Check that a store's bytes are what was written.

    Of the canonical store: the chain of receipts, what each batch brought, the gap-free order of events, that
    evidence and parts lie inside of segments; deep, that each segment's bytes have its name as their digest. Of
    each generation that is kept: its seal; deep, that its rows, read from both ends of every edge, have the
    digests of the ledger, and, where the newest one says that it is of the present evidence, that it is: its tables
    are projected once more with nothing of earlier work taken over.

    Args:
        store: The store.
        deep: Also read the bytes of segments and the rows of graphs.
        rules: What makes tables of evidence.
        progress: Called with the check, the units done and the units in all, where that is known.

    Raises:
        StoreBusy: A writer holds the store.
    """
    with store.read() as reader:
        checks = verify_ledger(reader)
        if deep:
            checks.append(verify_segments(reader, progress))
        published, found = _register(reader)
        checks.append(found)
        if deep and published:
            checks.append(checked("root digest", _root(reader, published[0], rules)))
            progress("projection", 0, None)
            checks.append(
                checked(f"projection {published[0].number}", _projection(reader, published[0], rules))
            )
    folder = store.folder / "generations"
    kept = [one for one in published if one is published[0] or (folder / one.folder).is_dir()]
    for one in kept:
        name = f"generation {one.number}"
        progress(name, 0, None)
        checks.append(checked(name, _generation(folder, one, deep)))
        if one.text_index.get("format") == FORMAT:
            checks.append(checked(f"text index {one.number}", _text_index(folder / one.folder, one, deep)))
    return Verification(str(store.folder), deep, tuple(checks))


def _register(reader: Reader) -> tuple[list[Generation], Check]:
    """The published generations, newest first; none where their register cannot be read."""
    published: list[Generation] = []

    def read() -> Iterator[str | None]:
        published.extend(generations(reader))
        yield from [None] * len(published[:1])
        for before, after in pairwise(published):
            follows = before.number == after.number + 1
            yield None if follows else f"generation {before.number} follows generation {after.number}"

    return published, checked("generations", read())


def _digests(labels: Mapping[str, Any]) -> list[LabelDigest]:
    return [LabelDigest(name, label["rows"], label["digest"]) for name, label in labels.items()]


def _root(reader: Reader, generation: Generation, rules: Rules) -> Iterator[str | None]:
    """Whether a generation that claims to be of the present evidence is; nothing to say of an older one."""
    if generation.watermark != watermark(reader).digest:
        return
    found = root_digest(
        _digests(generation.labels),
        schema_fingerprint=generation.schema_fingerprint,
        projection_version=generation.projection_version,
        evidence_digest=rules.evidence_digest(reader),
    )
    same = found == generation.root_digest
    yield None if same else f"the evidence gives root digest {found}, published was {generation.root_digest}"


def _projection(reader: Reader, generation: Generation, rules: Rules) -> Iterator[str | None]:
    """Whether the tables of a generation are those of the present evidence; nothing to say of an older one, or of one
    that other rules made."""
    if (generation.watermark, generation.projection_version) != (watermark(reader).digest, rules.version):
        return
    made = rules.projected(reader)
    for told in _digests(generation.labels):
        found = made.get(told.label, LabelDigest(told.label, 0, "of no table"))
        if found == told:
            yield None
        else:
            yield (
                f"{told.label} is not what the evidence gives: {found.rows} rows with digest {found.digest}, "
                f"published were {told.rows} with {told.digest}"
            )


def _generation(folder: Path, generation: Generation, deep: bool) -> Iterator[str | None]:
    """The seal; deep, each table."""
    path = folder / generation.folder / GRAPH_FILE
    if not path.is_file():
        yield f"{path} is missing"
        return
    with lease(path.parent):
        check(path, Seal(generation.file_size, generation.file_mtime, generation.seal), deep=deep)
        yield None
        if deep:
            yield from _read_back(path, generation)


def _text_index(folder: Path, generation: Generation, deep: bool) -> Iterator[str | None]:
    """The seals of its files; deep, what they hold."""
    text = folder / INDEX_FOLDER
    if not text.is_dir():
        yield f"{text} is missing"
        return
    with lease(folder):
        for shard in read_shards(text, generation.text_index).values():
            check_shard(text, shard, deep=deep)
            yield None
        if deep:
            yield _index_read_back(text, generation)


def _read_back(path: Path, generation: Generation) -> Iterator[str | None]:
    from graphsvc.graph.verify import verify as read_back

    report = read_back(path, _schema(generation.labels), _digests(generation.labels))
    yield from [None] * (report.tables - len(report.findings))
    yield from map(str, report.findings)


def _index_read_back(folder: Path, generation: Generation) -> str | None:
    from graphsvc.text_index.index import TextIndex

    count, digest = passages_digest(TextIndex(folder).stored())
    said = generation.text_index
    if (count, digest) == (said["passages"], said["digest"]):
        return None
    return f"the text index has {count} passages of digest {digest}, the ledger {said['passages']} of {said['digest']}"


def _schema(labels: Mapping[str, Any]) -> GraphSchema:
    """The tables as they were when the generation was built: edge tables are called ``From-LABEL->To``."""
    nodes, edges = [], []
    for name, label in labels.items():
        columns = tuple(Column(column, ColumnType(type_)) for column, type_ in label["columns"])
        from_label, is_edge, rest = name.partition("-")
        if is_edge:
            edge, _, to_label = rest.partition("->")
            edges.append(EdgeTable(edge, from_label, to_label, columns))
        else:
            nodes.append(NodeTable(name, columns))
    return GraphSchema(tuple(nodes), tuple(edges))
