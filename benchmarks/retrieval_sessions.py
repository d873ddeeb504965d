"""Finding the session that produced a commit, by the commit's subject.

``python -m benchmarks.retrieval_sessions --repo PATH [--store PATH] [--commits N] [--json]``

Every occurrence of each subject, and of its checkpoint's id, is masked out of the index before the question is asked:
of messages, tool calls and their results, of the messages of all commits, and of the comments and documents that
commits added; and places where it stands as it is do not count, since the evidence has them still. Paths stay as
they are. Commits speak for the sessions that linking infers for them, from what both wrote, from times, and from when
checkpoints recorded a session, but from no message; what messages say of sessions is left out of the index. The
baseline is plain BM25 over the same masked text of sessions. With ``--store``, a copy of that store of the repository
is linked and indexed.

Linking weighs its signs as half of the commits of one repository taught it; hit@5 is told apart for commits of the
half that it learnt nothing from, as `benchmarks.why` divides them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from benchmarks.bm25 import Bm25
from benchmarks.masked import without_literals
from benchmarks.ranks import Figure, Ranks, report
from benchmarks.why import is_learnt_from
from graphsvc.canonical import sql
from graphsvc.knowledge import KnowledgeBase
from graphsvc.text_index.engine import ShardWriter
from graphsvc.text_index.passage import Passage, Words
from graphsvc.text_index.words import split_names
from loaders import text_index

__all__ = ["main"]

_WORD = re.compile(r"\w+")
_COMMITS = """
SELECT c.title, list(DISTINCT s.session_key), list(DISTINCT t.value), c.authored_at
FROM present_commit AS c
JOIN checkpoint_trailer AS t ON t.repository_id = c.repository_id AND t.commit_oid = c.oid
JOIN present_checkpoint_session AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
SEMI JOIN entry AS e ON e.session_key = s.session_key
GROUP BY c.oid, c.title, c.authored_at ORDER BY c.oid LIMIT $limit
"""


def _masked(secrets: list[str], session_texts: dict[str, list[str]]) -> Callable[..., None]:
    """A shard writer's ``add`` that leaves out the secrets, and keeps what the baseline reads."""
    by_word: dict[str, list[str]] = {}
    for form in sorted({form for secret in secrets for form in (secret, split_names(secret))}, key=len):
        by_word.setdefault(max(_WORD.findall(form), key=len, default=form), []).append(form)
    add = ShardWriter.add

    def without(text: str) -> str:
        for word in sorted(by_word.keys() & set(_WORD.findall(text))):
            for form in reversed(by_word[word]):
                text = text.replace(form, " ")
        return text

    def masked(writer: ShardWriter, passage: Passage, words: Words) -> None:
        text, ranked = without(words.text), without(words.ranked)
        if passage.grain == "session" and passage.session:
            session_texts.setdefault(passage.session, []).append(ranked)
        add(
            writer,
            replace(passage, title=""),
            words._replace(text=text, ranked=ranked, done=without(words.done)),
        )

    return masked


def _found_links(*, is_linked: bool) -> Iterator[str]:
    """Of the statements that tell which sessions commits come from, the one that does not look at messages."""
    if is_linked:
        yield sql.load("loaders", "sql/links_found.sql")


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="a store that was made of it, without an index")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    texts: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kb = _store(Path(folder) / "store", options.repo, options.store)
        with kb.store.read() as reader:
            commits = reader.rows(_COMMITS, {"limit": options.commits})
        secrets = [one for title, _, keys, _ in commits for one in (title, *keys)]
        kb.link()
        with (
            patch.object(ShardWriter, "add", _masked(secrets, texts)),
            patch.object(text_index, "_links", _found_links),
        ):
            kb.index()
        plain = Bm25({session: "\n".join(said) for session, said in texts.items()})
        ours, theirs = Ranks(), Ranks()
        ours_unlearnt, theirs_unlearnt = Ranks(), Ranks()
        for title, sessions, _, authored_at in commits:
            with without_literals():
                answer = kb.search(title, within=("sessions",), grain="session", limit=50)
            found = [str(row["session"]) for row in answer]
            expected = plain.ranked(title)
            ours.add(found, sessions)
            theirs.add(expected, sessions)
            if not is_learnt_from(authored_at):
                ours_unlearnt.add(found, sessions)
                theirs_unlearnt.add(expected, sessions)
        kb.reload()
    figures = [
        Figure(f"sessions: {name}", ours.mean(name), theirs.mean(name), at_least=least)
        for name, least in (("hit@1", None), ("hit@5", 0.8), ("hit@10", None), ("MRR", None))
    ]
    held = f"sessions of the {ours_unlearnt.questions} commits that linking learnt nothing from: hit@5"
    figures.append(Figure(held, ours_unlearnt.mean("hit@5"), theirs_unlearnt.mean("hit@5")))
    return report(figures, as_json=options.json)


def _store(folder: Path, repository: Path, given: Path | None) -> KnowledgeBase:
    """A store of the repository that has no text index yet."""
    if given is not None:
        shutil.copytree(given, folder)
        return KnowledgeBase.open(folder)
    kb = KnowledgeBase.init(folder)
    kb.add_repository(repository, name="repository")
    kb.rebuild()
    return kb


if __name__ == "__main__":
    sys.exit(main())
