"""Small snapshots for the tests of resolution."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import orjson

from loaders.detection import language_of
from loaders.parsing import extract
from loaders.resolution import MANIFESTS, resolve
from loaders.resolution.model import Resolution, Snapshot


def snapshot(files: dict[str, str]) -> Snapshot:
    """A snapshot of these files, as the store has them; manifests by their names."""
    sources = {path: dedent(text).lstrip("\n").encode() for path, text in files.items()}
    manifests = {path: data for path, data in sources.items() if path.rsplit("/", 1)[-1] in MANIFESTS}
    extractions = {}
    for path, data in sources.items():
        language = language_of(path, data)
        if language is not None:
            found = extract(data, language)
            assert found.errors == 0, path
            extractions[path] = replace(found, facts=orjson.loads(orjson.dumps(found.facts)))
    return Snapshot("repository", extractions, manifests)


def edges(files: dict[str, str], kind: str = "CALLS") -> list[str]:
    """Each edge as ``path caller -> path callee origin``, the module's top level being ``-``."""
    tree = snapshot(files)
    found = []
    for edge in resolve(tree).edges:
        if edge.kind == kind:
            source = tree.files[edge.path]
            enclosing = source.references[edge.reference].enclosing
            caller = source.symbols[enclosing].descriptor if enclosing >= 0 else "-"
            callee = tree.files[edge.target_path].symbols[edge.target].descriptor
            found.append(f"{edge.path} {caller} -> {edge.target_path} {callee} {edge.origin}")
    return found


def gaps(files: dict[str, str]) -> dict[str, str]:
    """Name of each reference that leads nowhere, with the reason."""
    tree = snapshot(files)
    return {tree.files[g.path].references[g.reference].name: g.reason for g in resolve(tree).gaps}


def resolution(files: dict[str, str]) -> Resolution:
    """The resolution of these files."""
    return resolve(snapshot(files))
