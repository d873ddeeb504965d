"""Graph generations: projected at a watermark, built, read back, and only then published.

The steps are those of docs/design.md. Until `CanonicalStore.publish` has committed, readers get the generation
before; a folder without a row in the ledger is debris of a rebuild that was cut off, and the next one removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphsvc.canonical.reader import Reader
from graphsvc.canonical.registry import Generation, generations
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.watermark import Watermark, watermark
from graphsvc.durability import sync
from graphsvc.errors import Corrupt, InvalidInput
from graphsvc.graph import engine
from graphsvc.graph.digest import LabelDigest, root_digest
from graphsvc.graph.generation import Generation as Graph
from graphsvc.graph.generation import Load, create
from graphsvc.graph.leases import is_held
from graphsvc.graph.seal import Seal, check
from graphsvc.graph.verify import Verifier
from graphsvc.published import GRAPH_FILE
from loaders import coverage
from loaders.base import Progress
from loaders.code_rules import CODE_RULES
from loaders.measure import Stages
from loaders.projection.inputs import Inputs
from loaders.projection.kept import FOLDER, forget, read_before
from loaders.projection.project import Projection, project, projection_version

__all__ = ["GenerationReport", "projected_anew", "refresh_generation"]

_KEPT = 2
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True, slots=True)
class GenerationReport:
    """What became of the graph.

    Attributes:
        generation: The generation that readers get now.
        is_new: It was built by this rebuild; otherwise the one before covers the same evidence.
        tables_made: Tables that were projected; the others were taken over from the generation before.
        retired: Folders of older generations that were removed.
        quarantined: Folders of builds that did not read back as what was projected.
    """

    generation: Generation
    is_new: bool
    tables_made: int = 0
    retired: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()


class _Built(NamedTuple):
    """A verified graph that nobody sees yet: what it holds, its file, what it covers, and the snapshots of its code."""

    projection: Projection
    graph: Graph
    root: str
    coverage: Mapping[str, Any]
    code: tuple[str, ...]


def refresh_generation(
    store: CanonicalStore, verifier: Verifier, stages: Stages, progress: Progress
) -> GenerationReport:
    """Publish a generation of the evidence that the store holds now, unless the newest one is of it already.

    Args:
        store: The store.
        verifier: Reads the graph back.
        stages: Told of what is done.
        progress: Told how far it is.

    Raises:
        Corrupt: Two builds in a row did not read back as what was projected.
        Conflict: Another rebuild published meanwhile.
    """
    try:
        return _refresh(store, verifier, stages, progress)
    except (Corrupt, InvalidInput):
        # What the generation before has left may fit its seals and still be wrong: without it, all is made anew.
        head = next(iter(store.generations()), None)
        left = store.folder / "generations" / head.folder if head else None
        if left is None or not (left / FOLDER).exists():
            raise
        forget(left)
        return _refresh(store, verifier, stages, progress)


def _refresh(
    store: CanonicalStore, verifier: Verifier, stages: Stages, progress: Progress
) -> GenerationReport:
    folder = store.folder / "generations"
    folder.mkdir(exist_ok=True)
    version = projection_version(CODE_RULES)
    unfinished = folder / f"{_UNFINISHED}{os.getpid()}"
    with store.read() as reader:
        published, mark = generations(reader), watermark(reader)
        if published and _covers(published[0], mark, version, folder):
            return GenerationReport(published[0], is_new=False)
        # Only now: what makes the tables takes longer to import than finding that there is nothing new.
        from loaders.snapshots import prune

        _remove_debris(folder, published)
        unfinished.mkdir()
        head = published[0] if published else None
        built = _build(store, reader, head, unfinished, verifier, stages, progress)
    number = published[0].number + 1 if published else 1
    final = folder / f"{number}-{built.root[:12]}"
    with stages.stage("publish"):
        progress("publish", 0, None)
        unfinished.rename(final)
        sync(folder)
        generation = Generation(
            number=number,
            root_digest=built.root,
            watermark=mark.digest,
            receipt=mark.receipt,
            projection_version=projection_version(CODE_RULES),
            schema_fingerprint=store.marker.schema_fingerprint,
            engine=engine.version(),
            folder=final.name,
            seal=built.graph.seal.blake3,
            file_size=built.graph.seal.size,
            file_mtime=built.graph.seal.mtime_ns,
            labels=_labels(built.projection),
            coverage=built.coverage,
            text_index={},
            published_at=datetime.now(UTC),
        )
        store.publish(generation, expected_head=published[0].number if published else None)
        retired = _retire(folder, [generation, *published])
        prune(store, built.code)
    quarantined = tuple(path.name for path in built.graph.quarantined)
    return GenerationReport(generation, True, built.projection.made, retired, quarantined)


def _build(
    store: CanonicalStore,
    reader: Reader,
    head: Generation | None,
    folder: Path,
    verifier: Verifier,
    stages: Stages,
    progress: Progress,
) -> _Built:
    """Project the evidence that ``reader`` sees into a graph in ``folder``, which is loaded meanwhile."""
    from loaders.snapshots import IndexedCode

    code = IndexedCode(store, reader, progress)
    inputs = Inputs(reader, lambda: code.tables)
    left = folder.with_name(head.folder) if head else folder
    before = read_before(reader, left, head.receipt if head else 0, code.names)

    def write(load: Load) -> Projection:
        with stages.stage("project"):
            progress("project", 0, None)
            projection = project(inputs, before, folder, load)
        progress("build and verify", 0, None)
        return projection

    with stages.stage("build and verify"):
        projection, graph = create(folder / GRAPH_FILE, write, verifier)
    root = root_digest(
        projection.digests,
        schema_fingerprint=store.marker.schema_fingerprint,
        projection_version=projection_version(CODE_RULES),
        evidence_digest=projection.evidence,
    )
    return _Built(projection, graph, root, coverage.of(inputs, projection.gaps), code.names)


def projected_anew(store: CanonicalStore, reader: Reader, progress: Progress) -> Mapping[str, LabelDigest]:
    """The digest of each table, projected from the evidence with nothing of earlier work taken over.

    Args:
        store: The store.
        reader: Reader of it.
        progress: Told how far it is.
    """
    from loaders.snapshots import IndexedCode

    code = IndexedCode(store, reader, progress)
    with tempfile.TemporaryDirectory(prefix="graphsvc-projection-") as folder:
        nothing = read_before(reader, Path(folder, "none"), 0, code.names)
        made = project(Inputs(reader, code.resolved_anew), nothing, Path(folder), lambda tables: None)
    return {digest.label: digest for digest in made.digests}


def _covers(head: Generation, mark: Watermark, version: str, folder: Path) -> bool:
    """Whether a published generation is of this evidence, by these rules and this engine, and still whole."""
    return (
        head.watermark == mark.digest
        and head.projection_version == version
        and head.engine == engine.version()
        and _is_whole(folder / head.folder / GRAPH_FILE, head)
    )


def _is_whole(path: Path, generation: Generation) -> bool:
    try:
        check(path, Seal(generation.file_size, generation.file_mtime, generation.seal), deep=True)
    except Corrupt:
        return False
    return True


def _labels(projection: Projection) -> Mapping[str, Any]:
    """What the ledger has of each table: enough to read the file back and compare, whatever the rules are then."""
    columns = {
        table.name: [(column.name, column.type.value) for column in table.columns]
        for table in projection.schema.tables
    }
    return {
        label.label: {"rows": label.rows, "digest": label.digest, "columns": columns[label.label]}
        for label in projection.digests
    }


def _remove_debris(folder: Path, published: list[Generation]) -> None:
    """Remove what an interrupted rebuild left, and damaged graphs, which can be made again.

    The caller holds the rebuild lock, so nobody else is at work.
    """
    whole = {
        generation.folder
        for generation in published
        if (folder / generation.folder).is_dir()
        and _is_whole(folder / generation.folder / GRAPH_FILE, generation)
    }
    for path in folder.iterdir():
        if path.is_symlink():
            path.unlink()
        elif path.is_dir() and path.name not in whole:
            shutil.rmtree(path)


def _retire(folder: Path, newest_first: list[Generation]) -> tuple[str, ...]:
    """Remove the files of generations that are neither among the newest nor held by a reader; the newest that has a
    text index stays, because searches use it and the next index is made from it."""
    retired = []
    searched = next((one.number for one in newest_first if one.text_index), None)
    for generation in newest_first[_KEPT:]:
        path = folder / generation.folder
        if path.is_dir() and generation.number != searched and not is_held(path):
            shutil.rmtree(path)
            retired.append(generation.folder)
    return tuple(retired)
