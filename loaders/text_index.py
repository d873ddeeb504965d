"""Makes the text index of a generation from canonical evidence, and reads it back before searches may use it.

It costs more than the graph does, and not everyone searches: so it is a step of its own after a rebuild. The index
consists of shards that are known by what they hold; only those are written that no generation has yet.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.canonical import sql
from graphsvc.canonical.derived import LINKED, derived_watermark, linkage
from graphsvc.canonical.lock import exclusive
from graphsvc.canonical.reader import Reader
from graphsvc.canonical.registry import Generation
from graphsvc.canonical.store import CanonicalStore
from graphsvc.canonical.watermark import watermark
from graphsvc.durability import sync
from graphsvc.errors import Corrupt, NotFound, Stale
from graphsvc.published import PublishedGraph
from graphsvc.text_index.engine import assemble, version
from graphsvc.text_index.files import (
    FORMAT,
    INDEX_FOLDER,
    add_digests,
    check_shard,
    link_files,
    read_shards,
    write_shards,
)
from loaders.base import Progress, silent
from loaders.shards import RULES, Shard, made

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SHARD_BYTES", "index"]

SHARD_BYTES = 8 << 20
"""Bytes of evidence in a shard on average: what one new session costs at most, more or less."""

_ALL = 1 << 40
_PACKAGE = "loaders.passages"
_SHARED_VIEWS = ("captured", "record_place", "turn_start", "timeline", "turn", "session_tool_call")
_SYMBOLS = """
MATCH (s:Symbol)
RETURN s.id AS symbol_id, s.repository AS repository_id, s.path AS path, s.name AS name, s.kind AS kind,
    s.descriptor AS descriptor, s.signature AS signature, s.segment AS segment, s.start_byte AS start_byte,
    s.end_byte AS end_byte
"""


def index(store: CanonicalStore, progress: Progress = silent) -> Mapping[str, Any]:
    """Make the text index of the newest generation, unless it has one by these rules that is still whole.

    Args:
        store: The store.
        progress: Told of shards.

    Returns:
        What the ledger keeps of it: format, engine, rules, linked (the evidence up to which commits are linked
        to sessions, null where they are not), is_linked_behind (there was newer evidence), passages, digest of
        these, evidence (pieces of it), text_bytes of their text, index_bytes on disk, and the seal of the list
        of shards; and written, how many shards are new.

    Raises:
        NotFound: No generation has been published.
        Stale: The store holds newer evidence than the generation.
        StoreBusy: A rebuild is under way.
        Corrupt: A shard does not hold what was written.
    """
    with exclusive(store.folder, "rebuild", wait=store.wait):
        published = store.generations()
        if not published:
            raise NotFound("no graph has been published yet", hint="run `graphsvc rebuild`")
        head, rules = published[0], _passage_rules()
        generations = store.folder / "generations"
        with store.read() as reader:
            linked = _linked(reader)
            is_linked_behind = linked is not None and linked != derived_watermark(reader)
        if _is_whole(generations, head, rules, linked):
            return {**head.text_index, "written": 0}
        folder = generations / head.folder
        unfinished = folder / f"{INDEX_FOLDER}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        with store.read() as reader:
            if watermark(reader).digest != head.watermark:
                raise Stale("the store holds newer evidence than its graph")
            _prepare(reader, _symbols(store), is_linked=linked is not None)
            shards = _shards(reader, rules)
            known = _known(generations, published, {shard.name for shard in shards}, unfinished)
            said = _write(reader, unfinished, shards, known, progress)
        said |= {"format": FORMAT, "engine": version(), "rules": rules}
        said |= {"linked": linked, "is_linked_behind": is_linked_behind}
        shutil.rmtree(folder / INDEX_FOLDER, ignore_errors=True)
        unfinished.rename(folder / INDEX_FOLDER)
        sync(folder)
        store.add_text_index(head.number, said)
        return {**said, "written": len(shards) - len(known)}


def _linked(reader: Reader) -> str | None:
    """The evidence up to which commits are linked to sessions; None where they are not, or by an older version."""
    made = linkage(reader)
    return made.watermark if made and reader.has_table("commit_prose") else None


def _is_whole(generations: Path, generation: Generation, rules: str, linked: str | None) -> bool:
    """Whether a generation has an index by these rules and links, and every byte of it."""
    said = generation.text_index
    expected = {"format": FORMAT, "engine": version(), "rules": rules, "linked": linked}
    if any(said.get(name) != value for name, value in expected.items()):
        return False
    folder = generations / generation.folder / INDEX_FOLDER
    try:
        for shard in read_shards(folder, said).values():
            check_shard(folder, shard)
    except Corrupt:
        return False
    return True


def _passage_rules() -> str:
    """Digest of all that decides what the index holds."""
    digest = hashlib.sha256(f"{RULES}\x1f{SHARD_BYTES}".encode())
    for name, text in _statements():
        digest.update(f"\x1e{name}\x1f{text}".encode())
    return digest.hexdigest()


def _statements() -> Iterator[tuple[str, str]]:
    """Name and text of each SQL file of passages, by name."""
    for path in sorted(files(_PACKAGE).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".sql"):
            yield path.name, path.read_text(encoding="utf-8")


def _prepare(reader: Reader, symbols: pl.DataFrame, *, is_linked: bool) -> None:
    """Make the table ``passage``, of symbols as the generation's graph has them."""
    links = " UNION ".join(_links(is_linked=is_linked))
    reader.materialise("linked_commit", links, {"linked": LINKED} if is_linked else None)
    prose = (
        "FROM commit_prose"
        if is_linked
        else "SELECT '' AS repository_id, '' AS commit_oid, '' AS text LIMIT 0"
    )
    reader.materialise("added_prose", prose)
    reader.materialise("code_symbol", "FROM _symbols", _symbols=symbols)
    for view in _SHARED_VIEWS:
        reader.materialise(view, f"FROM {view}")
    union = " UNION ALL ".join(f"({text})" for _, text in _statements())
    reader.run(f"CREATE TEMP TABLE stated AS {union}")
    reader.run(f"CREATE TEMP TABLE passage AS {sql.load('loaders', 'sql/passages.sql')}")


def _links(*, is_linked: bool) -> Iterator[str]:
    """Statements that give the sessions that commits come from."""
    yield sql.load("loaders", "sql/links_stated.sql")
    if is_linked:
        yield sql.load("loaders", "sql/links_found.sql")


def _symbols(store: CanonicalStore) -> pl.DataFrame:
    import polars as pl

    graph = PublishedGraph.open(store)
    try:
        return pl.DataFrame(graph.reader.arrow(_SYMBOLS, max_rows=_ALL).table)
    finally:
        graph.close()


def _shards(reader: Reader, rules: str) -> list[Shard]:
    """All shards, in order."""
    rows = reader.rows(sql.load("loaders", "sql/passage_shards.sql"), {"size": SHARD_BYTES})
    shards = []
    for _, group in groupby(rows, key=lambda row: row[1]):
        units = list(group)
        contents = "\n".join((version(), rules, *(f"{unit}\x1f{digest}" for unit, _, digest, _ in units)))
        name = hashlib.sha256(contents.encode()).hexdigest()[:12]
        shards.append(Shard(name, [unit for unit, *_ in units]))
    return shards


def _known(
    generations: Path, published: list[Generation], wanted: set[str], target: Path
) -> dict[str, Mapping[str, Any]]:
    """Shards that a generation has already, whole; their files are linked into ``target``."""
    known: dict[str, Mapping[str, Any]] = {}
    for generation in published:
        if generation.text_index.get("format") != FORMAT:
            continue
        source = generations / generation.folder / INDEX_FOLDER
        with suppress(Corrupt):  # of a generation that is retired or damaged what is whole counts
            for name, shard in read_shards(source, generation.text_index).items():
                if name in wanted - known.keys() and _is_sound(source, shard):
                    link_files(source, target, shard["files"])
                    known[name] = shard
    return known


def _is_sound(folder: Path, shard: Mapping[str, Any]) -> bool:
    try:
        check_shard(folder, shard)
    except Corrupt:
        return False
    return True


def _write(
    reader: Reader,
    folder: Path,
    shards: list[Shard],
    known: Mapping[str, Mapping[str, Any]],
    progress: Progress,
) -> dict[str, Any]:
    """Write the shards that are not known, and the index of all."""
    new = [shard for shard in shards if shard.name not in known]
    written = dict(made(reader, folder, new, progress))
    all_ = {shard.name: known.get(shard.name) or written[shard.name] for shard in shards}
    assemble(folder, (shard["segments"] for shard in all_.values()))
    return {
        "passages": sum(shard["passages"] for shard in all_.values()),
        "digest": add_digests(shard["digest"] for shard in all_.values()),
        "evidence": sum(shard["evidence"] for shard in all_.values()),
        "text_bytes": sum(shard["text_bytes"] for shard in all_.values()),
        "index_bytes": sum(file["size"] for shard in all_.values() for file in shard["files"].values()),
        "shards": write_shards(folder, all_),
    }
