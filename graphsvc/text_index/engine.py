"""The text engine's boundary, for writing: with `graphsvc.text_index.index`, the only modules that import the engine.

An index consists of shards. A shard is written once, by one thread and into one segment of the engine a grain, and
never changes; an index is made of shards by listing their segments, so what is the same in two generations is the same
files. No document is ever deleted: so the engine's statistics, and with them its scores, depend on what the index
holds and not on how it came about.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphsvc.text_index.passage import Passage, Words, encode
from graphsvc.text_index.words import content_words, split_names

if TYPE_CHECKING:
    import tantivy

__all__ = [
    "GRAINS", "NAME", "PHRASE", "STEM", "WORD", "Analysis", "ShardWriter", "assemble", "open_index", "schema",
    "version",
]  # fmt: skip

GRAINS = ("occurrence", "window", "session")
"""Grains of passages. Each has an index of its own, because rarity and length mean something else in each."""

WORD, STEM, PHRASE, NAME = "word", "stem", "phrase", "name"
"""Fields: whole words; stems; stems of what was said in a session, with their positions; parts of names."""

_MEMORY = 128 << 20
_MANIFEST = "meta.json"
_RAW = ("identifier", "subject", "kind", "session", "turn", "agent", "tool", "path", "repository", "state")


def version() -> str:
    """Name and version of the engine."""
    from importlib.metadata import version as installed

    return f"tantivy {installed('tantivy')}"


def schema() -> tantivy.Schema:
    """The fields, the same for each grain."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field(WORD, tokenizer_name=WORD, index_option="basic")
    builder.add_text_field(STEM, tokenizer_name=STEM, index_option="freq")
    builder.add_text_field(PHRASE, tokenizer_name=STEM, index_option="position")
    builder.add_text_field(NAME, tokenizer_name=STEM, index_option="freq")
    for field in _RAW:
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("time", fast=True)
    builder.add_integer_field("ended", fast=True)
    builder.add_bytes_field("passage", stored=True)
    return builder.build()


class Analysis:
    """How a text becomes words, for passages and questions alike."""

    def __init__(self) -> None:
        import tantivy

        lowercase = tantivy.Filter.lowercase()
        self.analyzers = {
            WORD: tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(lowercase).build(),
            STEM: tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(tantivy.Filter.remove_long(40))
            .filter(lowercase)
            .filter(tantivy.Filter.stemmer("english"))
            .build(),
        }

    def words(self, text: str) -> list[str]:
        """Whole words, in lower case."""
        return self.analyzers[WORD].analyze(text)

    def stems(self, text: str) -> list[str]:
        """Stems of words."""
        return self.analyzers[STEM].analyze(text)


def open_index(folder: Path, analysis: Analysis) -> tantivy.Index:
    """The index in a folder, made where there is none.

    Raises:
        ValueError: The folder holds an index that cannot be read, or of other fields.
    """
    import tantivy

    index = tantivy.Index(schema(), path=str(folder))
    for name, analyzer in analysis.analyzers.items():
        index.register_tokenizer(name, analyzer)
    return index


class ShardWriter:
    """Writes the segments of a shard: equal passages in equal order give equal answers.

    Args:
        folder: An empty folder; each grain gets a folder in it.

    Attributes:
        stored: What the index keeps of each passage.
    """

    def __init__(self, folder: Path) -> None:
        self.stored: list[bytes] = []
        self._folder = folder
        self._writers = {}
        for grain in GRAINS:
            (folder / grain).mkdir()
            self._writers[grain] = open_index(folder / grain, Analysis()).writer(_MEMORY, 1)

    def add(self, passage: Passage, words: Words) -> None:
        """Add a passage."""
        import tantivy

        self.stored.append(encode(passage))
        document = tantivy.Document()
        document.add_bytes("passage", self.stored[-1])
        document.add_text(WORD, words.text)
        if passage.grain == "session":
            said = " ".join(content_words(words.ranked))
            document.add_text(PHRASE, said)
            document.add_text(STEM, f"{said} {' '.join(content_words(words.done))}")
        else:
            document.add_text(STEM, words.ranked)
        for name in words.names:
            document.add_text("identifier", name.lower())
            document.add_text(NAME, split_names(name))
        if passage.subject != passage.key:
            document.add_text("subject", passage.subject)
        for field in ("kind", "session", "turn"):
            document.add_text(field, getattr(passage, field) or "")
        for field in ("agent", "tool", "path"):
            document.add_text(field, (getattr(passage, field) or "").lower())
        for repository in words.repositories:
            document.add_text("repository", repository)
        document.add_text("state", "present" if passage.is_present else "withdrawn")
        states = {"long": words.has_long_word, "failed": words.is_failed, "callable": words.is_callable}
        for state, holds in states.items():
            if holds:
                document.add_text("state", state)
        if words.ended_at is not None:
            document.add_integer("ended", words.ended_at)
        if passage.occurred_at is not None:
            document.add_integer("time", passage.occurred_at)
        self._writers[passage.grain].add_document(document)

    def finish(self) -> dict[str, list[dict[str, Any]]]:
        """Put everything on disk; the engine's entries of the segments, a grain each."""
        segments = {}
        for grain, writer in self._writers.items():
            writer.commit()
            writer.wait_merging_threads()
            segments[grain] = json.loads((self._folder / grain / _MANIFEST).read_bytes())["segments"]
        return segments


def assemble(folder: Path, shards: Iterable[Mapping[str, Sequence[Mapping[str, Any]]]]) -> None:
    """Make an index of shards, whose files lie in the folder of each grain.

    Args:
        folder: The index's folder.
        shards: The engine's entries of each shard's segments, as `ShardWriter.finish` gave them, in order.
    """
    shards = list(shards)
    for grain in GRAINS:
        (folder / grain).mkdir(exist_ok=True)
        manifest = folder / grain / _MANIFEST
        open_index(folder / grain, Analysis())
        said = json.loads(manifest.read_bytes())
        said["segments"] = [segment for shard in shards for segment in shard[grain]]
        manifest.write_text(json.dumps(said))
