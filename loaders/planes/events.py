"""From the files of a scope of planes to events."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphsvc.canonical.batch import Batch, Span
from graphsvc.errors import Refused
from graphsvc.ids import EventId, document_id
from graphsvc.memory.planes.admission import Cohort
from graphsvc.memory.planes.history import Boundary
from graphsvc.memory.planes.metadata import Runtime
from graphsvc.memory.planes.ownership import owned_path, references
from graphsvc.memory.strict_json import JsonObject, canonical

__all__ = ["ScopeEvents", "add_change_of_presence"]


@dataclass
class ScopeEvents:
    """Adds what the files of one scope state to a batch.

    Attributes:
        batch: Where the events go.
        location: Folder of the scope in its store.
        files: Bytes of its files, by name.
        stated: Events whose presence depends on these very files, with their kinds.
    """

    batch: Batch
    location: str
    files: Mapping[str, bytes]
    stated: dict[EventId, str] = field(default_factory=dict)

    def add_documents(self) -> None:
        """Keep every file, whatever it holds, so that it can be rebuilt byte for byte."""
        for name, data in self.files.items():
            path = self._path(name)
            content = hashlib.sha256(data).hexdigest()
            identity = document_id(self.batch.source_id, path, content)
            whole = self._whole(name)
            if data:
                self.batch.part(identity, 0, whole)
            event = self.batch.event(
                "document",
                (identity,),
                whole,
                subject=identity,
                document_id=identity,
                path=path,
                content_id=content,
                role="plane_file",
                chunk=0,
                byte_count=len(data),
                line_count=data.count(b"\n") + bool(data and not data.endswith(b"\n")),
                ends_with_newline=data.endswith(b"\n"),
                is_missing=False,
            )
            self.stated[event] = "document"

    def add_refusal(self, error: Refused) -> None:
        """Add the fault of a rule that was broken: its reason, and the bytes of the file where there are any."""
        name = error.where.split(" ")[0]
        if name not in self.files:
            name = next(iter(self.files), "")
        span = self._whole(name) if name else None
        place = self._path(error.where) if error.where else self.location
        content = span.segment if span else ""
        event = self.batch.event(
            "fault",
            (self.batch.source_id, error.reason, place, content),
            span,
            subject=place,
            fault_kind=str(error.reason),
            location=place,
            detail=error.message,
            is_recovered=False,
        )
        self.stated[event] = "fault"

    def add_cohort(
        self, cohort: Cohort, runtime: Runtime | None, mode: str | None, occurred_at: int | None = None
    ) -> None:
        """Add an admitted scope.

        Args:
            cohort: The scope.
            runtime: Lineage that its files state, for a session.
            mode: Mode of the session.
            occurred_at: When its newest change was accepted, where that is known.
        """
        stream = cohort.stream
        names = ("checkpoint.json", "patches.jsonl", "meta.json")
        segments = [self._whole(name).segment for name in names]
        runtime_segment = self._whole("runtime.json").segment if runtime is not None else None
        shared: dict[str, Any] = {"subject": self._path(""), "occurred_at": occurred_at}
        cohort_id = self.batch.event(
            "plane_cohort",
            (self.batch.source_id, self.location, *segments, runtime_segment or ""),
            self._whole("meta.json"),
            **shared,
            location=self.location,
            scope=cohort.scope,
            cwd=runtime.cwd if runtime and cohort.scope == "session" else cohort.owner_cwd,
            session_key=runtime.session if runtime and cohort.scope == "session" else None,
            version=cohort.version,
            dialect=cohort.source.name,
            revision=stream.revision,
            checkpoint_boundary=stream.checkpoint.id,
            head_boundary=stream.boundaries[-1].id,
            head_position=stream.boundaries[-1].position,
            mode=mode,
            checkpoint_segment=segments[0],
            patches_segment=segments[1],
            meta_segment=segments[2],
            runtime_segment=runtime_segment,
        )
        self.stated[cohort_id] = "plane_cohort"
        lines = list(self._patch_lines())
        self._add_boundaries(cohort_id, cohort, runtime)
        for ordinal, ((boundary, record), span) in enumerate(zip(stream.tail, lines, strict=True)):
            self.batch.event(
                "plane_patch",
                (cohort_id, str(ordinal)),
                span,
                **shared,
                cohort_id=cohort_id,
                ordinal=ordinal,
                boundary_id=boundary.id,
                record=canonical(record),
            )
        self._add_items(cohort_id, cohort, lines)

    def _add_boundaries(self, cohort_id: str, cohort: Cohort, runtime: Runtime | None) -> None:
        stream = cohort.stream
        meta = self._whole("meta.json")
        self._add_boundary(cohort_id, "checkpoint", 0, stream.checkpoint, meta)
        for ordinal, (boundary, _) in enumerate(stream.tail):
            self._add_boundary(cohort_id, "patch", ordinal, boundary, meta)
        for ordinal, boundary in enumerate(runtime.lineage if runtime else ()):
            self._add_boundary(cohort_id, "lineage", ordinal, boundary, self._whole("runtime.json"))

    def _add_boundary(self, cohort_id: str, role: str, ordinal: int, boundary: Boundary, span: Span) -> None:
        self.batch.event(
            "plane_boundary",
            (cohort_id, role, str(ordinal)),
            span,
            subject=boundary.id,
            cohort_id=cohort_id,
            role=role,
            ordinal=ordinal,
            boundary_id=boundary.id,
            position=boundary.position,
            parent_id=boundary.parent,
        )

    def _add_items(self, cohort_id: str, cohort: Cohort, lines: list[Span]) -> None:
        """Add every member of every plane as it is at the head of the scope."""
        stream = cohort.stream
        for plane, content in stream.state(stream.boundaries[-1].position).items():
            members: JsonObject = content if isinstance(content, dict) else {"": content}
            for name, value in members.items():
                newest = self._newest(cohort, plane, name)
                boundary, span = (
                    (stream.checkpoint, self._whole("checkpoint.json"))
                    if newest is None
                    else (stream.tail[newest][0], lines[newest])
                )
                paths = (owned_path(cohort.scope, reference) for reference in references(value))
                owned = {f"{path.plane}.{'.'.join(path.keys)}" for path in paths if path is not None}
                self.batch.event(
                    "plane_item",
                    (cohort_id, plane, name),
                    span,
                    subject=self._path(""),
                    cohort_id=cohort_id,
                    plane=plane,
                    name=name,
                    value=canonical(value),
                    boundary_id=boundary.id,
                    owns=sorted(owned) if plane == "intents" else [],
                )

    @staticmethod
    def _newest(cohort: Cohort, plane: str, name: str) -> int | None:
        """Number of the newest change that names a member of a plane, None where the checkpoint has it."""
        tail = cohort.stream.tail
        for number in range(len(tail) - 1, -1, -1):
            changed = tail[number][1].get(plane)
            if name in changed if isinstance(changed, dict) else changed is not None:
                return number
        return None

    def _patch_lines(self) -> Iterator[Span]:
        data, start = self.files["patches.jsonl"], 0
        segment = self._whole("patches.jsonl").segment
        for line in data.split(b"\n"):
            if line.strip(b" \t\r"):
                yield Span(segment, start, start + len(line))
            start += len(line) + 1

    def _whole(self, name: str) -> Span:
        data = self.files[name]
        return Span(self.batch.segment(data), 0, len(data))

    def _path(self, name: str) -> str:
        return "/".join(filter(None, (self.location, name)))


def add_change_of_presence(batch: Batch, event_id: str, kind: str, state: str, span: Span) -> None:
    """Say that the source no longer states an event (``withdrawn``), or states it again (``restored``)."""
    batch.event(
        "tombstone",
        (event_id, state, str(batch.generation)),
        span,
        subject=event_id,
        target_event_id=event_id,
        target_kind=kind,
        state=state,
        generation=batch.generation,
        reason="its files are other ones now" if state == "withdrawn" else "its files are as they were",
    )
