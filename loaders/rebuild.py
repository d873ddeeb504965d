"""The batch rebuild: every source from its cursor on, then a verified generation of the graph."""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from graphsvc.canonical.connection import keeping_instances
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.registry import Source
from graphsvc.canonical.store import CanonicalStore
from graphsvc.errors import InvalidInput, NotFound, SourceUnavailable
from graphsvc.graph.verify import Verifier
from loaders import readtrust
from loaders.base import Loader, Progress, SourceReport, silent
from loaders.generation import GenerationReport, refresh_generation
from loaders.measure import Stage, Stages
from loaders.repositories import check_identity, settle

__all__ = ["RebuildReport", "loader_of", "rebuild"]

_ORDER = ("git", "code", "scip", "symbol_history", "entire", "planes")


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """What a rebuild did.

    Attributes:
        sources: One report a source that could be read.
        unavailable: For each source that could not be read, by name, the sentence that says why.
        generation: What became of the graph.
        stages: Seconds and peak memory of each stage.
    """

    sources: Sequence[SourceReport]
    unavailable: dict[str, str]
    generation: GenerationReport
    stages: Sequence[Stage]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        published = self.generation.generation
        return {
            "sources": [report.to_dict() for report in self.sources],
            "unavailable": self.unavailable,
            "generation": {
                "number": published.number,
                "is_new": self.generation.is_new,
                "tables_made": self.generation.tables_made,
                "root_digest": published.root_digest,
                "watermark": published.watermark,
                "labels": {
                    name: {"rows": label["rows"], "digest": label["digest"]}
                    for name, label in published.labels.items()
                },
                "coverage": dict(published.coverage),
                "retired": list(self.generation.retired),
                "quarantined": list(self.generation.quarantined),
            },
            "stages": [
                {"name": stage.name, "seconds": round(stage.seconds, 3), "peak_memory": stage.peak_memory}
                for stage in self.stages
            ],
        }


def _turn(source: Source) -> int:
    """Place of a source's loader in the order; sessions of hosts come late, since repositories place them, and after
    them what is read out of sessions."""
    if source.loader == "edits":
        return len(_ORDER) + 1
    return _ORDER.index(source.loader) if source.loader in _ORDER else len(_ORDER)


def loader_of(source: Source) -> Loader:
    """The module that reads a source."""
    return cast(Loader, importlib.import_module(f"loaders.{source.loader}"))


@contextmanager
def _no_cycle_collection() -> Iterator[None]:
    """Let the cyclic garbage collector rest: loading makes millions of tuples and no cycles, and looking through
    them again and again costs a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def rebuild(store: CanonicalStore, progress: Progress = silent) -> RebuildReport:
    """Bring the store up to date with its sources and publish a generation of it.

    A source that cannot be read now does not stop the others; what the store has of it stays in the graph.

    Raises:
        StoreBusy: Another rebuild is under way.
        Corrupt: The graph did not read back as what was projected.
    """
    stages, reports, unavailable = Stages(), [], {}
    with (
        exclusive(store.folder, "rebuild", wait=store.wait),
        keeping_instances(),
        Verifier() as verifier,
        _no_cycle_collection(),
    ):
        for source in sorted(settle(store), key=_turn):
            with stages.stage(f"{source.name}: {source.loader}"):
                try:
                    check_identity(source)
                    reports.append(loader_of(source).refresh(source, store, progress))
                except (InvalidInput, NotFound, SourceUnavailable) as error:
                    unavailable[f"{source.name}: {source.loader}"] = error.message
            if any(report.admitted for report in reports):  # there will be another graph
                verifier.start()
        with stages.stage("read trust"):
            derived = readtrust.refresh(store, progress)
        reports += [derived] if derived.read else []
        generation = refresh_generation(store, verifier, stages, progress)
    return RebuildReport(reports, unavailable, generation, stages.finished)
