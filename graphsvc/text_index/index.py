"""A finished text index, for reading.

The engine finds candidates and says how well the words of a query match each. Its scores are floats; they leave
this module as integers, in 1/1024, so that sums and orders made of them are exact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphsvc.errors import Corrupt
from graphsvc.text_index.engine import GRAINS, NAME, PHRASE, STEM, WORD, Analysis, open_index, schema
from graphsvc.text_index.passage import Passage, decode
from graphsvc.text_index.words import asked_words, content_words, first_sentence, question_words, split_names

if TYPE_CHECKING:
    import tantivy

__all__ = ["SCORE_UNIT", "Filters", "Found", "Hit", "TextIndex"]

SCORE_UNIT = 1024
"""Scores are integers in 1/1024."""

_NAME_WEIGHT, _WORD_WEIGHT, _PHRASE_WEIGHT = 1.0, 0.5, 1.0
_PATH_WEIGHT = 2.0
"""Weight of names where files are asked for: a definition's text has its name in it, a file's seldom its path."""

_LATER_SENTENCES = 0.5
"""Weight of what a question says after its first sentence, which says most of what it is about."""

_COMPOUNDED = 20
"""Most words of a question of which two may be run together in a name."""

_PHRASE_GAP = 1
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
        grain: occurrence, window or session.
        kinds: Kinds of passage.
        since: Not before, microseconds since 1970.
        before: Earlier than that.
        agent: Agent, in whatever case.
        tool: Tool, in whatever case.
        path: A path, or the last names of one.
        repositories: Identities of repositories, of which a passage must belong to one.
        withheld: Identities of repositories, of which a passage must belong to none.
        sessions: Keys of sessions.
        subjects: What passages are about.
        turn: Id of a turn.
        only_present: Without what its source no longer states.
        only_failed: What tools say of failures alone.
        only_callable: Functions and methods alone.
        holding_at: Without what had ended before then, microseconds since 1970.
    """

    grain: str = "occurrence"
    kinds: tuple[str, ...] = ()
    since: int | None = None
    before: int | None = None
    agent: str | None = None
    tool: str | None = None
    path: str | None = None
    repositories: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    turn: str | None = None
    only_present: bool = True
    only_failed: bool = False
    only_callable: bool = False
    holding_at: int | None = None


class TextIndex:
    """A finished index.

    Args:
        folder: Its folder.

    Raises:
        Corrupt: The folder holds no index that can be read.
    """

    def __init__(self, folder: Path) -> None:
        self._analysis = Analysis()
        try:
            self._searchers = {
                grain: open_index(folder / grain, self._analysis).searcher() for grain in GRAINS
            }
        except (ValueError, OSError) as error:
            raise Corrupt(f"{folder} cannot be read: {error}", hint="run `graphsvc index`") from error
        self._schema = schema()

    def stored(self) -> Iterator[bytes]:
        """All passages of all grains as `graphsvc.text_index.passage.encode` made them, in no particular order."""
        import tantivy

        for searcher in self._searchers.values():
            for _, address in searcher.search(tantivy.Query.all_query(), max(1, searcher.num_docs)).hits:
                yield searcher.doc(address)["passage"][0]

    def passages(self) -> Iterator[Passage]:
        """All passages of all grains, in no particular order."""
        return map(decode, self.stored())

    def ranked(self, question: str, filters: Filters, limit: int) -> Found:
        """Passages that have words of the question, names split and endings cut, by BM25 over several fields.

        What the question says twice counts half as much again, and twice as much what it says four times. Names are
        also found in which two of its words are run together, as ``striptags``.
        """
        import tantivy

        name_weight = _PATH_WEIGHT if "file" in filters.kinds else _NAME_WEIGHT
        first = first_sentence(question)
        stems, first_stems = (Counter(self._stems(text)) for text in (question, first))
        clauses: list[tantivy.Query] = []
        for stem, count in stems.items():
            weight = (1 + count.bit_length()) / 2 * (1 if stem in first_stems else _LATER_SENTENCES)
            clauses += [self._term(NAME, stem, name_weight * weight), self._term(STEM, stem, weight)]
        if filters.grain == "session":
            clauses += self._phrases(question)
        if filters.grain == "occurrence":
            words, first_words = question_words(question), frozenset(question_words(first))
            for word in words:
                weight = _WORD_WEIGHT * (1 if word in first_words else _LATER_SENTENCES)
                clauses.append(self._term(WORD, word, weight))
            compounds = self._compounds(words) if "symbol" in filters.kinds else []
            for stem in compounds:
                clauses += [self._term(NAME, stem, name_weight), self._term(STEM, stem)]
        return self._run(self._filtered(tantivy.Query.boolean_query(_any(clauses)), filters), filters, limit)

    def _stems(self, question: str) -> list[str]:
        return self._analysis.stems(" ".join(asked_words(question)))

    def _compounds(self, words: list[str]) -> list[str]:
        """Stems of the names that have two of the words run together."""
        pairs = permutations(words[:_COMPOUNDED], 2)
        stems = self._analysis.stems(" ".join(first + second for first, second in pairs))
        names = self._searchers["occurrence"]
        return [stem for stem in dict.fromkeys(stems) if names.doc_freq(NAME, stem)]

    def _phrases(self, question: str) -> Iterator[tantivy.Query]:
        """Words that follow each other in the question, at most one other word apart."""
        import tantivy

        stems = self._analysis.stems(" ".join(content_words(split_names(question))))
        for pair in dict.fromkeys(pairwise(stems)):
            phrase = tantivy.Query.phrase_query(self._schema, PHRASE, list(pair), _PHRASE_GAP)
            yield tantivy.Query.boost_query(phrase, _PHRASE_WEIGHT)

    def named(self, names: Sequence[str], filters: Filters, limit: int) -> Found:
        """Passages that are known by one of the names, whole, in whatever case."""
        import tantivy

        clauses = [
            tantivy.Query.const_score_query(self._term("identifier", name.lower().removesuffix("()")), 1.0)
            for name in names
        ]
        return self._run(self._filtered(tantivy.Query.boolean_query(_any(clauses)), filters), filters, limit)

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
        return self._run(self._filtered(query or tantivy.Query.all_query(), filters), filters, limit)

    def matching(self, filters: Filters, limit: int | None = None) -> Found:
        """Passages that pass the filters."""
        import tantivy

        return self._run(self._filtered(tantivy.Query.all_query(), filters), filters, limit)

    def _literal(self, literal: str) -> tantivy.Query | None:
        """What a passage must have to contain the literal; None where its words say nothing.

        A word at an edge of the literal may go on beyond it. Such a word is looked for in the whole vocabulary,
        which is dear, only where nothing else narrows the search; of two such words the longer one says more.
        """
        import tantivy

        words = self._analysis.words(literal)
        if not words:
            return None
        lowered = "".join(character.lower() for character in literal)
        goes_on_left, goes_on_right = lowered.startswith(words[0]), lowered.endswith(words[-1])
        is_left_longer = goes_on_left and len(words[0]) > len(words[-1])
        whole = words[int(goes_on_left) : len(words) - int(goes_on_right)]
        clauses = [self._term(WORD, word) for word in dict.fromkeys(whole)]
        if len(words) == 1 and goes_on_left and goes_on_right:
            clauses = [self._pattern(f".*{words[0][:_PATTERN]}.*")]
        elif goes_on_right and (len(words[-1]) >= _SELECTIVE or not (clauses or is_left_longer)):
            clauses.append(self._pattern(f"{words[-1][:_PATTERN]}.*"))
        if not clauses:
            clauses.append(self._pattern(f".*{words[0][-_PATTERN:]}"))
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, clause) for clause in clauses])

    def _pattern(self, pattern: str) -> tantivy.Query:
        import tantivy

        return tantivy.Query.regex_query(self._schema, WORD, pattern)

    def _term(self, field: str, value: str, weight: float = 1.0) -> tantivy.Query:
        import tantivy

        query = tantivy.Query.term_query(self._schema, field, value, "freq")
        return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)

    def _filtered(self, query: tantivy.Query, filters: Filters) -> tantivy.Query:
        """The query, over passages that pass the filters, with the same scores."""
        import tantivy

        must, must_not = tantivy.Occur.Must, tantivy.Occur.MustNot
        required = [tantivy.Query.const_score_query(one, 0.0) for one in self._requirements(filters)]
        clauses = [(must, one) for one in (query, *required)]
        if filters.withheld:
            withheld = tantivy.Query.term_set_query(self._schema, "repository", list(filters.withheld))
            clauses.append((must_not, withheld))
        if filters.holding_at is not None:
            clauses.append((must_not, self._between("ended", None, filters.holding_at)))
        return tantivy.Query.boolean_query(clauses)

    def _requirements(self, filters: Filters) -> Iterator[tantivy.Query]:
        import tantivy

        if filters.only_present:
            yield self._term("state", "present")
        if filters.only_failed:
            yield self._term("state", "failed")
        if filters.only_callable:
            yield self._term("state", "callable")
        for field in ("agent", "tool", "turn"):
            if (value := getattr(filters, field)) is not None:
                yield self._term(field, value.lower())
        for field, values in (
            ("kind", filters.kinds),
            ("session", filters.sessions),
            ("subject", filters.subjects),
            ("repository", filters.repositories),
        ):
            if values:
                yield tantivy.Query.term_set_query(self._schema, field, list(values))
        if filters.path is not None:
            pattern = f"(.*/)?{_escape(filters.path.lower())}"
            yield tantivy.Query.regex_query(self._schema, "path", pattern)
        if filters.since is not None or filters.before is not None:
            yield self._between("time", filters.since, filters.before)

    def _between(self, field: str, since: int | None, before: int | None) -> tantivy.Query:
        import tantivy

        kind = tantivy.FieldType.Integer
        return tantivy.Query.range_query(
            self._schema, field, kind, since, before, include_upper=before is None
        )

    def _run(self, query: tantivy.Query, filters: Filters, limit: int | None) -> Found:
        searcher = self._searchers[filters.grain]
        most = max(1, searcher.num_docs)
        result = searcher.search(query, min(limit or most, most), count=True)
        hits = [
            Hit(int(score * SCORE_UNIT + 0.5), decode(searcher.doc(address)["passage"][0]))
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
