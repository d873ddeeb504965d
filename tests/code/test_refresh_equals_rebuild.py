"""Whatever a repository went through, a store that followed it step by step has the graph of one made afterwards.

Repositories are real ones: files are edited, renamed and deleted, commits reverted, branches made, switched and
merged. The store is refreshed after some of the steps; the digest of its graph must be that of a store that reads the
repository for the first time once all has happened, but for what the first has of states that are gone.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphsvc.knowledge import KnowledgeBase
from loaders.base import silent
from loaders.snapshots import FOLDER, IndexedCode
from tests.code.sources import refresh
from tests.repositories import RepositoryBuilder

NAMES = ("a", "b", "c")
PATHS = ("one.py", "two.py", "pack/__init__.py", "pack/three.py", "go.mod", "main.go", "lib/lib.go")

_bodies = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
_calls = st.sampled_from(NAMES)
_modules = st.sampled_from(("one", "two", "pack", "pack.three"))


def _python(names: list[str], call: str, module: str) -> str:
    functions = "".join(f"def {name}():\n    return {call}()\n\n\n" for name in names)
    return f"from {module} import {call}\n\n\n{functions}{call}()\n"


def _go(names: list[str], call: str, module: str) -> str:
    package = "lib" if module.startswith("pack") else "main"
    functions = "".join(f"func {name.upper()}() int {{ return {call.upper()}() }}\n" for name in names)
    return f'package {package}\n\nimport "example.org/shop/lib"\n\n{functions}\nvar X = lib.{call.upper()}\n'


def _text(path: str, names: list[str], call: str, module: str) -> str:
    if path == "go.mod":
        return f"module example.org/{'shop' if call == 'a' else 'store'}\n"
    return (_go if path.endswith(".go") else _python)(names, call, module)


_edit = st.tuples(st.just("edit"), st.sampled_from(PATHS), _bodies, _calls, _modules)
_rename = st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS))
_delete = st.tuples(st.just("delete"), st.sampled_from(PATHS))
_other = st.sampled_from([("revert",), ("branch",), ("switch",), ("merge",), ("amend",)])
_step = st.tuples(st.one_of(_edit, _edit, _rename, _delete, _other), st.booleans())


class World:
    """A repository that steps are taken in, and which of its two branches HEAD is on."""

    def __init__(self, folder: Path) -> None:
        self.builder = RepositoryBuilder(folder / "repository")
        self.branch = "main"
        self.files: dict[str, dict[str, str]] = {"main": {}}
        self._commit({path: _text(path, ["a", "b"], "a", "one") for path in PATHS}, "Begin")

    def take(self, step: tuple[Any, ...]) -> None:
        """Take a step; one that makes no sense here changes nothing."""
        getattr(self, f"_{step[0]}")(*step[1:])

    def _commit(self, files: dict[str, str | None], message: str, **options: Any) -> None:
        self.builder.commit(files, message, branch=self.branch, **options)
        now = {**self.files[self.branch], **files}
        self.files[self.branch] = {path: text for path, text in now.items() if text is not None}

    def _edit(self, path: str, names: list[str], call: str, module: str) -> None:
        self._commit({path: _text(path, names, call, module)}, f"Edit {path}")

    def _rename(self, path: str, to: str) -> None:
        files = self.files[self.branch]
        if path in files and path != to:
            self._commit({path: None, to: files[path]}, f"Rename {path}")

    def _delete(self, path: str) -> None:
        if path in self.files[self.branch]:
            self._commit({path: None}, f"Delete {path}")

    def _revert(self) -> None:
        """Bring the files back to what they were before the last commit."""
        parents = self.builder.git("rev-list", "--parents", "-1", self.branch).split()[1:]
        if parents:
            before = self._files_of(parents[0])
            gone = dict.fromkeys(self.files[self.branch].keys() - before.keys())
            self._commit({**before, **gone}, "Revert")

    def _amend(self) -> None:
        """Replace the last commit by another one of the same files."""
        parents = self.builder.git("rev-list", "--parents", "-1", self.branch).split()[1:]
        if parents:
            self.builder.commit(
                {**self._files_of(parents[0]), **self.files[self.branch]},
                "Amend",
                branch=self.branch,
                parents=parents,
            )
            self.files[self.branch] = self._files_of(self.branch)

    def _files_of(self, commit: str) -> dict[str, str]:
        names = self.builder.git("ls-tree", "-r", "--name-only", commit).split()
        return {name: self.builder.git("show", f"{commit}:{name}") + "\n" for name in names}

    def _branch(self) -> None:
        if "side" not in self.files:
            self.builder.reference("refs/heads/side", self.builder.git("rev-parse", "main"))
            self.files["side"] = dict(self.files["main"])

    def _switch(self) -> None:
        if "side" in self.files:
            self.branch = "side" if self.branch == "main" else "main"
            self.builder.git("symbolic-ref", "HEAD", f"refs/heads/{self.branch}")

    def _merge(self) -> None:
        """Merge the other branch, taking its side where both have a file."""
        if "side" in self.files:
            other = "side" if self.branch == "main" else "main"
            parents = [self.builder.git("rev-parse", name) for name in (self.branch, other)]
            self._commit(dict(self.files[other]), "Merge", parents=parents)


def _store(folder: Path, builder: RepositoryBuilder) -> KnowledgeBase:
    kb = KnowledgeBase.init(folder)
    kb.add_repository(builder.path, name="r")
    return kb


def _tables(kb: KnowledgeBase) -> dict[str, list[tuple[Any, ...]]]:
    """All that resolution gives, as the graph is made of it."""
    with kb.store.read() as reader:
        tables = IndexedCode(kb.store, reader, silent).tables
    return {name: sorted(frame.rows(), key=repr) for name, frame in tables.items()}


@settings(max_examples=2)
@given(st.lists(_step, min_size=2, max_size=4))
def test_following_a_repository_gives_what_reading_it_afterwards_gives(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[tuple[Any, ...], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("world")
    world = World(folder)
    followed = _store(folder / "followed", world.builder)
    for step, is_refreshed in steps:
        world.take(step)
        if is_refreshed:
            refresh(followed)
            _tables(followed)
    refresh(followed)
    afterwards = _store(folder / "afterwards", world.builder)
    refresh(afterwards)

    assert _tables(followed) == _tables(afterwards)
    shutil.rmtree(folder)


def _digests(kb: KnowledgeBase) -> tuple[str, dict[str, str]]:
    report = kb.rebuild()
    published = report.generation.generation
    return published.root_digest, {name: label["digest"] for name, label in published.labels.items()}


def _clean(kb: KnowledgeBase) -> None:
    """Forget the graphs and all that is derived, so that the next rebuild makes everything of the evidence alone."""
    shutil.rmtree(kb.store.folder / FOLDER)
    for folder in (kb.store.folder / "generations").iterdir():
        shutil.rmtree(folder)


@settings(max_examples=1)
@given(st.lists(_step, min_size=3, max_size=5))
def test_a_refresh_has_the_digest_of_a_clean_rebuild(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[tuple[Any, ...], bool]]
) -> None:
    folder = tmp_path_factory.mktemp("digests")
    world = World(folder)
    kb = _store(folder / "store", world.builder)
    for step, _ in steps:
        world.take(step)
        refresh(kb)
    kb.rebuild()
    kb.track_symbols()
    refreshed = _digests(kb)
    _clean(kb)

    assert _digests(kb) == refreshed
    shutil.rmtree(folder)


CALLEE = "def target():\n    return 1\n"
CALLER = "from lib import target\n\n\ndef use():\n    return target()\n"


@pytest.mark.parametrize(
    ("files", "callers"),
    [
        ({"lib.py": "# moved down\n\n\n" + CALLEE}, {("use", "user.py", 5)}),
        ({"lib.py": None, "lib/__init__.py": CALLEE}, {("use", "user.py", 5)}),
        ({"lib.py": "from core import target\n", "core.py": CALLEE}, {("use", "user.py", 5)}),
        ({"user.py": None, "deep/user.py": CALLER}, {("use", "deep/user.py", 5)}),
        ({"user.py": "\n\n" + CALLER}, {("use", "user.py", 7)}),
        ({"lib.py": "def other(): pass\n"}, None),
    ],
    ids=[
        "callee down",
        "callee to a package",
        "callee re-exported",
        "importer away",
        "importer down",
        "callee gone",
    ],
)
def test_only_one_end_of_a_call_moves(
    tmp_path: Path, files: dict[str | bytes, str | None], callers: set[tuple[str, str, int]] | None
) -> None:
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.commit({"lib.py": CALLEE, "user.py": CALLER}, "Add both")
    kb = _store(tmp_path / "store", builder)
    refresh(kb)
    _tables(kb)
    builder.commit(files, "Move one")
    refresh(kb)
    other = _store(tmp_path / "other", builder)
    refresh(other)

    assert _tables(kb) == _tables(other)
    if callers is not None:
        found = {(row["name"], row["path"], int(row["lines"])) for row in kb.callers("target")}
        assert found == callers
