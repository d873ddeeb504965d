"""Finding a function by what its documentation says, when the documentation is not in the index.

``python -m benchmarks.retrieval_code [--repo PATH ...] [--functions N] [--json]``

Each question is the first sentence of a function's own documentation; all documentation is masked out of the index
first. The baseline is plain BM25 over the same masked definitions. Without ``--repo``, the packages of this
repository are searched.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from benchmarks.bm25 import Bm25
from benchmarks.ranks import Figure, Ranks, report
from graphsvc.canonical.batch import Span
from graphsvc.ids import SegmentId
from graphsvc.knowledge import KnowledgeBase
from graphsvc.text_index.engine import ShardWriter
from graphsvc.text_index.passage import Passage, Words
from graphsvc.text_index.words import split_names

__all__ = ["main"]

_DOCUMENTED = """
SELECT event_id, name, segment, doc_start, doc_end FROM symbol
WHERE symbol_kind IN ('function', 'method') AND doc_end - doc_start >= 40 AND name <> ''
ORDER BY sha256(event_id)
"""
_MARKS = re.compile(r"^[\s/*#\"'r]+|[\s*/\"']+$", re.MULTILINE)


def _documentation(kb: KnowledgeBase) -> dict[str, str]:
    """Documentation of functions and methods by their symbol event, without comment marks."""
    with kb.store.read() as reader:
        rows = reader.rows(_DOCUMENTED)
        said = reader.spans(Span(SegmentId(segment), start, end) for _, _, segment, start, end in rows)
    return {
        str(row[0]): " ".join(_MARKS.sub("", data.decode("utf-8", "replace")).split())
        for row, data in zip(rows, said, strict=True)
    }


def _question(documentation: str) -> str:
    """The first sentence."""
    return re.split(r"(?<=[.!?:])\s", documentation, maxsplit=1)[0]


def _masked(documentation: dict[str, str], seen: dict[str, str]) -> Callable[..., None]:
    """a shard writer's ``add`` that leaves out documentation, and keeps the definitions that it indexed."""
    add = ShardWriter.add
    sentences = sorted(documentation.values(), key=len, reverse=True)

    def without(text: str) -> str:
        plain = " ".join(_MARKS.sub(" ", text).split())
        for sentence in sentences:
            for form in (sentence, split_names(sentence)):
                plain = plain.replace(form, " ") if form[:30] in plain else plain
        return plain

    def masked(writer: ShardWriter, passage: Passage, words: Words) -> None:
        if passage.kind == "symbol":
            words = words._replace(text=without(words.text), ranked=without(words.ranked))
            seen[passage.subject] = words.ranked
        elif passage.kind == "file":
            words = words._replace(text="", ranked="")
        add(writer, passage, words)

    return masked


def _measure(repository: Path, limit: int, ours: Ranks, theirs: Ranks) -> None:
    """Ask for the functions of a repository."""
    with tempfile.TemporaryDirectory() as folder:
        kb = KnowledgeBase.init(Path(folder) / "store")
        kb.add_repository(repository, name="repository")
        kb.rebuild()
        kb.index()
        documentation = _documentation(kb)
        kb.reload()
        shutil.rmtree(kb.store.folder)
        kb = KnowledgeBase.init(Path(folder) / "store")
        kb.add_repository(repository, name="repository")
        definitions: dict[str, str] = {}
        with patch.object(ShardWriter, "add", _masked(documentation, definitions)):
            kb.rebuild()
            kb.index()
        plain = Bm25(definitions)
        subjects = _subjects(kb, documentation)
        for event, subject in list(subjects.items())[:limit]:
            question = _question(documentation[event])
            found = [str(row["id"]) for row in kb.search(question, grain="symbol", limit=10)]
            ours.add(found, {subject})
            theirs.add(plain.ranked(question)[:10], {subject})
        kb.reload()


def _subjects(kb: KnowledgeBase, documentation: dict[str, str]) -> dict[str, str]:
    """Id of the symbol that each documented event is shown by, where it is shown."""
    from graphsvc.published import PublishedText

    published = PublishedText.open(kb.store)
    found = {one.key: one.subject for one in published.index.passages() if one.kind == "symbol"}
    published.close()
    return {event: found[event] for event in documentation if event in found}


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", type=Path, action="append")
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    top = subprocess.run(["git", "rev-parse", "--show-toplevel"], check=True, capture_output=True, text=True)
    ours, theirs = Ranks(), Ranks()
    for repository in options.repo or [Path(top.stdout.strip())]:
        _measure(repository, options.functions, ours, theirs)
    figures = [
        Figure(f"functions: {name}", ours.mean(name), theirs.mean(name), at_least=least)
        for name, least in (("hit@1", None), ("hit@5", None), ("hit@10", 0.9), ("MRR", None))
    ]
    return report(figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
