"""The text engine's boundary: the only module that imports it.

The engine finds candidates and says how well the words of a query match each. Its scores are floats; they leave
this module as integers, in 1/1024, so that sums and orders made of them are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphsvc.errors import Corrupt
from graphsvc.text_index.passage import Passage, Words, decode, encode
from graphsvc.text_index.words import FUNCTION_WORDS, question_words, split_names

if TYPE_CHECKING:
    import tantivy

__all__ = ["SCORE_UNIT", "Filters", "Found", "Hit", "IndexWriter", "TextIndex", "version"]

SCORE_UNIT = 1024
"""Scores are integers in 1/1024."""

_MEMORY = 64 << 20
_WORD, _STEM, _PAIR = "word", "stem", "pair"
_NAME_WEIGHT, _WORD_WEIGHT, _PAIR_WEIGHT = 2.0, 0.5, 0.9
_PATTERN = 40
_SELECTIVE = 3


class Hit(NamedTuple):
    """A passage and how well it matches."""

    score: int
    passage: Passage


class Found(NamedTuple):
    """The best hits, best first, and how many passages match in all."""

    hits: list[Hit]
    total: int


@dataclass(frozen=True, slots=True)
class Filters:
    """Which passages count; None and empty mean all.

    Attributes:
        grain: occurrence, turn or session.
        kinds: Kinds of passage.
        since: Not before, microseconds since 1970.
        before: Earlier than that.
        agent: Agent, in whatever case.
        tool: Tool, in whatever case.
        path: A path, or the last names of one.
        repositories: Identities of repositories; passages that belong to none count too.
        sessions: Keys of sessions.
        turn: Id of a turn.
        only_present: Without what its source no longer states.
    """

    grain: str | None = None
    kinds: tuple[str, ...] = ()
    since: int | None = None
    before: int | None = None
    agent: str | None = None
    tool: str | None = None
    path: str | None = None
    repositories: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    turn: str | None = None
    only_present: bool = True


def version() -> str:
    """Name and version of the engine."""
    from importlib.metadata import version as installed

    return f"tantivy {installed('tantivy')}"


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field(_WORD, tokenizer_name=_WORD, index_option="freq")
    builder.add_text_field(_STEM, tokenizer_name=_STEM, index_option="freq")
    builder.add_text_field(_PAIR, tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("name", tokenizer_name=_STEM, index_option="freq")
    builder.add_text_field("day", tokenizer_name="whitespace", index_option="basic")
    for field in (
        "identifier",
        "grain",
        "kind",
        "session",
        "turn",
        "agent",
        "tool",
        "path",
        "repository",
        "state",
    ):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("time", indexed=True, fast=True)
    builder.add_bytes_field("passage", stored=True)
    return builder.build()


def _analyzers() -> Mapping[str, tantivy.TextAnalyzer]:
    import tantivy

    def analyzer(tokenizer: tantivy.Tokenizer, *filters: tantivy.Filter) -> tantivy.TextAnalyzer:
        builder = tantivy.TextAnalyzerBuilder(tokenizer)
        for one in filters:
            builder = builder.filter(one)
        return builder.build()

    lowercase = tantivy.Filter.lowercase()
    return {
        _WORD: analyzer(tantivy.Tokenizer.simple(), lowercase),
        _STEM: analyzer(
            tantivy.Tokenizer.simple(),
            tantivy.Filter.remove_long(40),
            lowercase,
            tantivy.Filter.stemmer("english"),
        ),
        "whitespace": analyzer(tantivy.Tokenizer.whitespace()),
    }


class _Analysis:
    """How a text becomes words, for passages and questions alike."""

    def __init__(self) -> None:
        self.analyzers = _analyzers()
        self._skipped = frozenset(self.stems(" ".join(sorted(FUNCTION_WORDS))))

    def words(self, text: str) -> list[str]:
        """Whole words, in lower case."""
        return self.analyzers[_WORD].analyze(text)

    def stems(self, text: str) -> list[str]:
        """Stems of words."""
        return self.analyzers[_STEM].analyze(text)

    def pairs(self, text: str, *, reach: int) -> list[str]:
        """Pairs of stems at most ``reach`` apart, function words not counted: how ranking sees phrases."""
        words = [word for word in self.stems(text) if word not in self._skipped]
        return [
            f"{word}_{other}"
            for step in range(1, reach + 1)
            for word, other in zip(words, words[step:], strict=False)
        ]


def _index(folder: Path, analysis: _Analysis) -> tantivy.Index:
    import tantivy

    index = tantivy.Index(_schema(), path=str(folder))
    for name, analyzer in analysis.analyzers.items():
        index.register_tokenizer(name, analyzer)
    return index


class IndexWriter:
    """Writes an index: one thread and one segment, so that equal passages in equal order give equal answers.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._analysis = _Analysis()
        self._writer = _index(folder, self._analysis).writer(_MEMORY, 1)

    def add(self, passage: Passage, words: Words) -> None:
        """Add a passage."""
        import tantivy

        document = tantivy.Document()
        document.add_bytes("passage", encode(passage))
        document.add_text(_WORD, words.text)
        document.add_text(_STEM, words.ranked)
        document.add_text("day", words.dates)
        for name in words.names:
            document.add_text("identifier", name.lower())
            document.add_text("name", split_names(name))
        if passage.grain == "session":
            document.add_text(_PAIR, " ".join(self._analysis.pairs(words.ranked, reach=2)))
        for field in ("grain", "kind", "session", "turn", "repository"):
            document.add_text(field, getattr(passage, field) or "")
        for field in ("agent", "tool", "path"):
            document.add_text(field, (getattr(passage, field) or "").lower())
        document.add_text("state", "present" if passage.is_present else "withdrawn")
        if words.has_long_word:
            document.add_text("state", "long")
        if passage.occurred_at is not None:
            document.add_integer("time", passage.occurred_at)
        self._writer.add_document(document)

    def finish(self) -> None:
        """Put everything on disk."""
        self._writer.commit()
        self._writer.wait_merging_threads()


class TextIndex:
    """A finished index.

    Args:
        folder: Its folder.

    Raises:
        Corrupt: The folder holds no index that can be read.
    """

    def __init__(self, folder: Path) -> None:
        self._analysis = _Analysis()
        try:
            self._searcher = _index(folder, self._analysis).searcher()
        except ValueError as error:
            raise Corrupt(f"{folder} cannot be read: {error}", hint="run `graphsvc rebuild`") from error
        self._schema = _schema()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def passages(self) -> Iterator[Passage]:
        """All passages, in no particular order."""
        import tantivy

        for hit in self._run(tantivy.Query.all_query(), max(1, len(self))).hits:
            yield hit.passage

    def ranked(self, question: str, filters: Filters, limit: int) -> Found:
        """Passages that have words of the question, names split and endings cut, by BM25 over several fields."""
        import tantivy

        words = question_words(question)
        stems = list(dict.fromkeys(self._analysis.stems(" ".join(words))))
        clauses = [self._term(_STEM, stem, 1.0) for stem in stems]
        clauses += [self._term("name", stem, _NAME_WEIGHT) for stem in stems]
        clauses += [self._term("day", word, 1.0) for word in words]
        clauses += [self._term(_WORD, word, _WORD_WEIGHT) for word in words]
        pairs = dict.fromkeys(self._analysis.pairs(split_names(question), reach=1))
        clauses += [self._term(_PAIR, pair, _PAIR_WEIGHT) for pair in pairs]
        return self._run(self._filtered(tantivy.Query.boolean_query(_any(clauses)), filters), limit)

    def named(self, names: Sequence[str], filters: Filters, limit: int) -> Found:
        """Passages that are known by one of the names, whole, in whatever case."""
        import tantivy

        clauses = [
            tantivy.Query.const_score_query(self._term("identifier", name.lower().removesuffix("()")), 1.0)
            for name in names
        ]
        return self._run(self._filtered(tantivy.Query.boolean_query(_any(clauses)), filters), limit)

    def containing(self, literal: str, filters: Filters, limit: int | None = None) -> Found:
        """Passages whose words allow that they contain the literal: none that does is missing.

        Args:
            literal: The literal.
            filters: Which passages count.
            limit: Most passages to give, the likeliest; None for all.
        """
        import tantivy

        query = self._literal(literal)
        if query is not None:
            query = tantivy.Query.boolean_query(_any([query, self._term("state", "long", 0.0)]))
        return self._run(
            self._filtered(query or tantivy.Query.all_query(), filters), limit or max(1, len(self))
        )

    def matching(self, filters: Filters, limit: int | None = None) -> Found:
        """Passages that pass the filters."""
        import tantivy

        return self._run(self._filtered(tantivy.Query.all_query(), filters), limit or max(1, len(self)))

    def _literal(self, literal: str) -> tantivy.Query | None:
        """What a passage must have to contain the literal; None where its words say nothing.

        A word at an edge of the literal may go on beyond it. Such a word is looked for in the whole vocabulary,
        which is dear, only where nothing else narrows the search.
        """
        import tantivy

        words = self._analysis.words(literal)
        if not words:
            return None
        lowered = "".join(character.lower() for character in literal)
        goes_on_left, goes_on_right = lowered.startswith(words[0]), lowered.endswith(words[-1])
        whole = words[int(goes_on_left) : len(words) - int(goes_on_right)]
        clauses = [self._term(_WORD, word) for word in dict.fromkeys(whole)]
        if len(words) == 1 and goes_on_left and goes_on_right:
            clauses = [self._pattern(f".*{words[0][:_PATTERN]}.*")]
        elif goes_on_right and (len(words[-1]) >= _SELECTIVE or not clauses):
            clauses.append(self._pattern(f"{words[-1][:_PATTERN]}.*"))
        if not clauses:
            clauses.append(self._pattern(f".*{words[0][-_PATTERN:]}"))
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, clause) for clause in clauses])

    def _pattern(self, pattern: str) -> tantivy.Query:
        import tantivy

        return tantivy.Query.regex_query(self._schema, _WORD, pattern)

    def _term(self, field: str, value: str, weight: float = 1.0) -> tantivy.Query:
        import tantivy

        query = tantivy.Query.term_query(self._schema, field, value, "freq")
        return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)

    def _filtered(self, query: tantivy.Query, filters: Filters) -> tantivy.Query:
        """The query, over passages that pass the filters, with the same scores."""
        import tantivy

        required = [
            tantivy.Query.const_score_query(clause, 0.0)  #
            for clause in self._requirements(filters)
        ]
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, clause) for clause in (query, *required)])

    def _requirements(self, filters: Filters) -> Iterator[tantivy.Query]:
        import tantivy

        if filters.only_present:
            yield self._term("state", "present")
        for field in ("grain", "agent", "tool", "turn"):
            if (value := getattr(filters, field)) is not None:
                yield self._term(field, value.lower())
        for field, values in (
            ("kind", filters.kinds),
            ("session", filters.sessions),
            ("repository", (*filters.repositories, "") if filters.repositories else ()),
        ):
            if values:
                yield tantivy.Query.term_set_query(self._schema, field, list(values))
        if filters.path is not None:
            pattern = f"(.*/)?{_escape(filters.path.lower())}"
            yield tantivy.Query.regex_query(self._schema, "path", pattern)
        if filters.since is not None or filters.before is not None:
            kind = tantivy.FieldType.Integer
            yield tantivy.Query.range_query(
                self._schema, "time", kind, filters.since, filters.before, include_upper=False
            )

    def _run(self, query: tantivy.Query, limit: int) -> Found:
        result = self._searcher.search(query, min(limit, max(1, len(self))), count=True)
        hits = [
            Hit(int(score * SCORE_UNIT + 0.5), decode(self._searcher.doc(address)["passage"][0]))
            for score, address in result.hits
        ]
        count: int = result.count  # type: ignore[attr-defined]  # left out of the engine's stubs
        return Found(hits, count)


def _any(clauses: Iterable[tantivy.Query]) -> list[tuple[tantivy.Occur, tantivy.Query]]:
    import tantivy

    return [(tantivy.Occur.Should, clause) for clause in clauses]


def _escape(text: str) -> str:
    """The text as a pattern of the engine's that matches it alone."""
    return re.sub(r"([^\w/ -])", r"\\\1", text)
