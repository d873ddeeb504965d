"""Finding the session that produced a commit, by the commit's subject.

``python -m benchmarks.retrieval_sessions --repo PATH [--commits N] [--json]``

Every occurrence of each subject, and of its checkpoint's id, is masked out of the index before the question is asked:
of messages, tool calls and their results. The baseline is plain BM25 over the same masked text of sessions.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from benchmarks.bm25 import Bm25
from benchmarks.ranks import Figure, Ranks, report
from graphsvc.knowledge import KnowledgeBase
from graphsvc.text_index.engine import ShardWriter
from graphsvc.text_index.passage import Passage, Words
from graphsvc.text_index.words import split_names

__all__ = ["main"]

_COMMITS = """
SELECT c.title, list(DISTINCT s.session_key), list(DISTINCT t.value)
FROM present_commit AS c
JOIN checkpoint_trailer AS t ON t.repository_id = c.repository_id AND t.commit_oid = c.oid
JOIN present_checkpoint_session AS s ON s.repository_id = t.repository_id AND s.checkpoint_key = t.value
SEMI JOIN entry AS e ON e.session_key = s.session_key
GROUP BY c.oid, c.title ORDER BY c.oid LIMIT $limit
"""


def _masked(secrets: list[str], session_texts: dict[str, list[str]]) -> Callable[..., None]:
    """a shard writer's ``add`` that leaves out the secrets, and keeps what the baseline reads."""
    forms = {form for secret in secrets for form in (secret, split_names(secret))}
    pattern = re.compile("|".join(map(re.escape, sorted(forms, key=lambda form: (-len(form), form)))))
    add = ShardWriter.add

    def masked(writer: ShardWriter, passage: Passage, words: Words) -> None:
        text, ranked = pattern.sub(" ", words.text), pattern.sub(" ", words.ranked)
        if passage.grain == "session" and passage.session:
            session_texts.setdefault(passage.session, []).append(ranked)
        add(writer, replace(passage, title=""), words._replace(text=text, ranked=ranked))

    return masked


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    texts: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        kb = KnowledgeBase.init(Path(folder) / "store")
        kb.add_repository(options.repo, name="repository")
        _load(kb)
        with kb.store.read() as reader:
            commits = reader.rows(_COMMITS, {"limit": options.commits})
        secrets = [one for title, _, keys in commits for one in (title, *keys)]
        with patch.object(ShardWriter, "add", _masked(secrets, texts)):
            kb.rebuild()
            kb.index()
        plain = Bm25({session: "\n".join(said) for session, said in texts.items()})
        ours, theirs = Ranks(), Ranks()
        for title, sessions, _ in commits:
            answer = kb.search(title, within=("sessions",), grain="session", limit=50)
            ours.add([str(row["session"]) for row in answer], sessions)
            theirs.add(plain.ranked(title), sessions)
        kb.reload()
    figures = [
        Figure(f"sessions: {name}", ours.mean(name), theirs.mean(name), at_least=least)
        for name, least in (("hit@1", None), ("hit@5", 0.8), ("hit@10", None), ("MRR", None))
    ]
    return report(figures, as_json=options.json)


def _load(kb: KnowledgeBase) -> None:
    """Read the sources alone: the index is made once, of what is masked by then."""
    from loaders.base import silent
    from loaders.rebuild import loader_of

    for source in kb.store.sources():
        loader_of(source).refresh(source, kb.store, silent)


if __name__ == "__main__":
    sys.exit(main())
