"""Finding a function by what its documentation says, when that is not in the index, and the files of a commit by its
subject.

``python -m benchmarks.retrieval_code [--package NAME ...] [--functions N] [--repo PATH] [--commits N] [--every N]
[--json]``

Questions of the first kind are a function's docstring, whole and by its first sentence alone; the bytes of all
docstrings of functions are cut out of the index first, and places where a question stands as it is do not count, since
the evidence has them still. Of functions whose documentation says the same, as those of a class and of its asynchronous
twin, each is right. The baseline is plain BM25 over the same masked definitions. Questions of the second kind
are subjects of commits of one parent, the newest of a repository; the answer should be the files that the commit
touched, found in the tree of its parent, with nothing in the store but that tree and the history before it. The
baseline is plain BM25 over the paths and texts of the same files. ``--every`` takes the tree anew only every so many
commits.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.bm25 import Bm25
from benchmarks.masked import without_literals
from benchmarks.ranks import Figure, Ranks, report
from graphsvc.canonical.batch import Span
from graphsvc.ids import SegmentId
from graphsvc.knowledge import KnowledgeBase
from graphsvc.published import PublishedText
from graphsvc.text_index.engine import ShardWriter
from graphsvc.text_index.passage import Passage, Words
from graphsvc.text_index.words import split_names

__all__ = ["main"]

_DOCUMENTED = """
SELECT event_id, name, segment, doc_start, doc_end FROM symbol
WHERE symbol_kind IN ('function', 'method') AND doc_start >= start_byte AND doc_end - doc_start >= 40 AND name <> ''
ORDER BY sha256(event_id)
"""
_MARKS = re.compile(r"^[\s/*#]*(?:[rRuU]?[\"']+)?|[\s*/\"']+$", re.MULTILINE)
_SENTENCE = 3
_HEAD = "refs/heads/measured"


class _Documentation(NamedTuple):
    """A function's documentation: where it stands, and what it says without comment marks."""

    span: Span
    text: str


class _Compared(NamedTuple):
    """Our ranks, and those of the baseline."""

    ours: Ranks
    theirs: Ranks


class _Commit(NamedTuple):
    """A commit of one parent: the subject of its message, and the paths that it touched in the parent's tree."""

    parent: str
    subject: str
    paths: frozenset[str]


def _documentation(kb: KnowledgeBase) -> dict[str, _Documentation]:
    """Documentation of functions and methods by their symbol event."""
    with kb.store.read() as reader:
        rows = reader.rows(_DOCUMENTED)
        spans = [Span(SegmentId(segment), start, end) for _, _, segment, start, end in rows]
        said = reader.spans(spans)
    return {
        str(row[0]): _Documentation(span, " ".join(_MARKS.sub(" ", data.decode("utf-8", "replace")).split()))
        for row, span, data in zip(rows, spans, said, strict=True)
    }


def _question(documentation: str) -> str:
    """The first sentence of three words or more, else all of it.

    >>> _question(".. versionadded:: 8.0 The name of the file. And more.")
    '.. versionadded:: 8.0 The name of the file.'
    >>> _question("Gives a name. And more."), _question("Name of it:")
    ('Gives a name.', 'Name of it:')
    """
    sentences = re.split(r"(?<=[\w)\"'`][.!?:])\s", documentation)
    return next((one for one in sentences if len(one.split()) >= _SENTENCE), documentation)


_FORMS: dict[str, Callable[[str], str]] = {"docstring": str, "first sentence": _question}
"""Forms of a question: what is asked of a documentation."""


def _masked(documentation: Iterable[_Documentation], seen: dict[str, str]) -> Callable[..., None]:
    """A shard writer's ``add`` that leaves out documentation, and keeps the definitions that it indexed."""
    add = ShardWriter.add
    spans: dict[str, list[Span]] = {}
    for one in documentation:
        spans.setdefault(one.span.segment, []).append(one.span)

    def without(passage: Passage, text: str) -> str:
        data = text.encode()
        for span in sorted(spans.get(passage.segment, ()), reverse=True):
            if passage.start <= span.start and span.end <= passage.end:
                data = data[: span.start - passage.start] + data[span.end - passage.start :]
        return data.decode()

    def masked(writer: ShardWriter, passage: Passage, words: Words) -> None:
        if passage.kind in ("symbol", "file"):
            text = without(passage, words.text)
            words = words._replace(text=text, ranked=split_names(text))
        if passage.kind == "symbol":
            seen[passage.subject] = words.ranked
        add(writer, passage, words)

    return masked


def _functions(package: str, limit: int) -> dict[str, _Compared]:
    """Ask for the functions of an installed package, in each form; our ranks and those of plain BM25."""
    compared = {form: _Compared(Ranks(), Ranks()) for form in _FORMS}
    with tempfile.TemporaryDirectory() as folder:
        kb = KnowledgeBase.init(Path(folder) / "store")
        kb.add_repository(_repository_of(package, Path(folder) / package))
        kb.rebuild()
        documentation = _documentation(kb)
        definitions: dict[str, str] = {}
        with patch.object(ShardWriter, "add", _masked(documentation.values(), definitions)):
            kb.index()
        plain = Bm25(definitions)
        subjects = _subjects(kb, documentation)
        for form, question_of in _FORMS.items():
            right: dict[str, set[str]] = {}
            for event, subject in subjects.items():
                right.setdefault(question_of(documentation[event].text), set()).add(subject)
            for event in list(subjects)[:limit]:
                question = question_of(documentation[event].text)
                with without_literals():
                    found = [str(row["id"]) for row in kb.search(question, grain="symbol", limit=10)]
                compared[form].ours.add(found, right[question])
                compared[form].theirs.add(plain.ranked(question)[:10], right[question])
        kb.reload()
    return compared


def _repository_of(package: str, folder: Path) -> Path:
    """A repository with the source of an installed package as its one commit."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    as_somebody = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*as_somebody, "commit", "-q", "-m", "Begin")):
        _git(folder, *arguments)
    return folder


def _subjects(kb: KnowledgeBase, documentation: Iterable[str]) -> dict[str, str]:
    """Id of the symbol that each documented event is shown by, where it is shown."""
    published = PublishedText.open(kb.store)
    found = {one.key: one.subject for one in published.index.passages() if one.kind == "symbol"}
    published.close()
    return {event: found[event] for event in documentation if event in found}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    ).stdout


def _commits(repository: Path, limit: int) -> list[_Commit]:
    """The newest commits of one parent that touched files of its tree, oldest first."""
    form = ("log", "--no-merges", "--no-renames", "--name-status", "-z", "--format=%x01%P%x02%s%x02", "HEAD")
    commits: list[_Commit] = []
    for entry in _git(repository, *form).split("\x01")[1:]:
        parents, subject, changes = entry.split("\x02", 2)
        fields = [field.strip("\n") for field in changes.split("\0") if field.strip("\n")]
        touched = {path for status, path in zip(fields[::2], fields[1::2], strict=True) if status != "A"}
        if parents and touched and len(commits) < limit:
            commits.append(_Commit(parents.split()[0], subject, frozenset(touched)))
    return commits[::-1]


def _files(repository: Path, limit: int, every: int, ours: Ranks, theirs: Ranks) -> None:
    """Ask for the files of commits."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "repository.git"
        _git(Path(folder), "clone", "-q", "--bare", "--single-branch", str(repository), str(bare))
        _git(bare, "symbolic-ref", "HEAD", _HEAD)
        commits = _commits(repository, limit)
        kb = KnowledgeBase.init(Path(folder) / "store")
        for first in range(0, len(commits), every):
            for name in _git(bare, "for-each-ref", "--format=%(refname)").split():
                _git(bare, "update-ref", "-d", name)
            _git(bare, "update-ref", _HEAD, commits[first].parent)
            kb.add_repository(bare, name="repository")
            kb.rebuild()
            kb.index()
            _ask_for_files(kb, commits[first : first + every], ours, theirs)
        kb.reload()


def _ask_for_files(kb: KnowledgeBase, commits: list[_Commit], ours: Ranks, theirs: Ranks) -> None:
    """Ask for the files that commits touched, of those that the index has."""
    texts = dict(_texts(kb))
    plain = Bm25(texts)
    for commit in commits:
        if gold := commit.paths & texts.keys():
            answer = kb.search(commit.subject, within=("code",), grain="file", limit=10)
            ours.add([str(row["path"]) for row in answer], gold)
            theirs.add(plain.ranked(commit.subject)[:10], gold)


def _texts(kb: KnowledgeBase) -> Iterator[tuple[str, str]]:
    """Paths of the files that the index has, with path and text."""
    published = PublishedText.open(kb.store)
    for one in published.index.passages():
        if one.kind == "file" and one.path:
            yield one.path, f"{one.path}\n{published.read(one).decode('utf-8', 'replace')}"
    published.close()


def _function_figures(packages: Mapping[str, Mapping[str, _Compared]], form: str) -> Iterator[Figure]:
    """Figures of questions of a form, over all packages and of each."""
    ours, theirs = map(Ranks.of_all, zip(*(forms[form] for forms in packages.values()), strict=True))
    for name, least in (("hit@1", None), ("hit@5", None), ("hit@10", 0.9), ("MRR", None)):
        yield Figure(f"functions by {form}: {name}", ours.mean(name), theirs.mean(name), at_least=least)
    for package, forms in packages.items():
        compared = (ranks.mean("hit@10") for ranks in forms[form])
        yield Figure(f"functions of {package} by {form}: hit@10", *compared)


def main() -> int:
    """Measure, print, and give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", action="append", help="installed packages [graphsvc, click]")
    parser.add_argument("--functions", type=int, default=300, help="most functions of each package")
    parser.add_argument("--repo", type=Path, help="repository of the commits [the one around]")
    parser.add_argument("--commits", type=int, default=300)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    packages = {
        name: _functions(name, options.functions) for name in options.package or ("graphsvc", "click")
    }
    repository = options.repo or Path(_git(Path.cwd(), "rev-parse", "--show-toplevel").strip())
    touched, plain = Ranks(), Ranks()
    _files(repository, options.commits, options.every, touched, plain)
    recall = [ranks.mean("recall@10") for ranks in (touched, plain)]
    figures = [
        *(figure for form in _FORMS for figure in _function_figures(packages, form)),
        Figure("files of commits: recall@10", *recall),
        Figure("files of commits: recall@10 by baseline", recall[0] / (recall[1] or 1.0), at_least=1.3),
    ]
    return report(figures, as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
