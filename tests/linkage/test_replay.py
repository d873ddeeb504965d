"""Lines that are followed through the history end where git's blame ends, and go further through moves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphsvc.git import Repository
from loaders.linkage.replay import Change, History, Mark, Removal, origins, removals, runs
from loaders.linkage.taking import commit_tables
from tests.repositories import RepositoryBuilder


def history(made: RepositoryBuilder, commits: Mapping[str, Sequence[str]]) -> History:
    """What a replay needs to know of commits, given with their parents."""
    pairs = [(commit, parent) for commit, parents in commits.items() for parent in parents or [None]]
    with Repository.open(made.path) as repository:
        tables = commit_tables("r", repository.patches(pairs))
    changes: dict[tuple[str, str], list[Change]] = {(commit, parent or ""): [] for commit, parent in pairs}
    for row in tables["changed_lines"].iter_rows():
        _, commit, parent, path, old, is_text, *numbers, is_reflow = row
        given = None if numbers[0] is None else tuple(numbers)
        changes[commit, parent].append(Change(path, old, is_text, given, bool(is_reflow)))
    keys: dict[tuple[str, str], dict[int, int]] = {}
    for _, commit, path, line, key, is_telling in tables["added_line"].iter_rows():
        if is_telling:
            keys.setdefault((commit, path), {})[line] = key
    return History(commits, changes, keys)


def test_a_replay_ends_where_blame_does(tmp_path: Path) -> None:
    """Two branches that edit different halves of a file, are merged again and again, and rename it once."""
    made, chance = RepositoryBuilder(tmp_path / "r"), random.Random(4)
    top, bottom = [f"top {n} begins" for n in range(8)], [f"bottom {n} begins" for n in range(8)]
    parents: dict[str, list[str]] = {}
    name = "a.txt"

    def commit(branch: str, *given: str, old: str | None = None) -> str:
        files: dict[str | bytes, str | None] = {name: "\n".join([*top, *bottom]) + "\n"}
        if old is not None:
            files[old] = None
        made_commit = made.commit(files, f"{len(parents)}", branch=branch, parents=given)
        parents[made_commit] = list(given)
        return made_commit

    def edit(lines: list[str]) -> None:
        place = chance.randrange(len(lines))
        lines[place : place + chance.randrange(2)] = [f"line {len(parents)} of {chance.random()}"]

    main = commit("main")
    for step in range(6):
        saved = list(bottom)
        edit(top)
        left = commit("main", main)
        kept, top = top, [*top]
        edit(bottom)
        changed, bottom = bottom, saved
        top_before = list(top)
        bottom = changed
        top = made.git("show", f"{main}:{name}").split("\n")[: -len(saved)]
        right = commit("side", main)
        top, bottom = kept, changed
        assert top == top_before
        main = commit("main", left, right)
        if step == 3:
            name = "b.txt"
            main = commit("main", main, old="a.txt")

    found = origins(history(made, parents), [main])

    with Repository.open(made.path) as repository:
        blamed = repository.blame(main, name, 1, None)
    assert [line.last.commit for line in found.files[main][name]] == [line.commit_oid for line in blamed]
    assert sum(run.length for run in runs(found.files[main][name])) == len(blamed)


BLOCK = "def first():\n    one = load(1)\n    two = load(2)\n    return one + two\n"
OTHER = "def second():\n    return True\n"


def linear(made: RepositoryBuilder, *commits: str) -> Mapping[str, Sequence[str]]:
    return {
        commit: [before] if before else [] for commit, before in zip(commits, ["", *commits], strict=False)
    }


def test_moved_and_indented_lines_keep_their_origin(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    one = made.commit({"a.py": BLOCK + OTHER}, "Write")
    two = made.commit({"a.py": OTHER, "b.py": "import a\n\n" + BLOCK}, "Move")
    indented = "".join(f"    {line}" for line in BLOCK.splitlines(keepends=True))
    three = made.commit({"b.py": "import a\n\nclass C:\n" + indented}, "Indent")

    found = origins(history(made, linear(made, one, two, three)), [three]).files[three]["b.py"]

    assert [line.first.commit for line in found] == [two, two, three, one, one, one, one]
    assert [line.last.commit for line in found] == [two, two, *[three] * 5]
    assert found[3].first == Mark(one, "a.py", 1)


def test_a_statement_that_was_broken_in_lines_keeps_its_origin(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    one = made.commit({"a.py": "x = 1\nresult = compute(alpha, beta, gamma)\n"}, "Write")
    two = made.commit({"a.py": "x = 1\nresult = compute(\n    alpha,\n    beta, gamma)\n"}, "Break")

    found = origins(history(made, linear(made, one, two)), [two]).files[two]["a.py"]

    assert {line.first for line in found[1:]} == {Mark(one, "a.py", 2)}
    assert {line.last.commit for line in found[1:]} == {two}


def test_a_single_common_line_is_not_taken_for_moved(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    one = made.commit({"a.py": "return nothing\n", "b.py": "begin here\n"}, "Write")
    two = made.commit({"a.py": None, "b.py": "begin here\nreturn nothing\n"}, "Change")

    found = origins(history(made, linear(made, one, two)), [two])

    assert [line.first.commit for line in found.files[two]["b.py"]] == [one, two]
    assert list(removals(found.removed)) == [Removal(Mark(one, "a.py", 1), 1, two)]


def test_a_file_of_unknown_history_is_left_out(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    one = made.commit({"a.py": "one\n", "b.py": "one\n"}, "Write")
    two = made.commit({"a.py": "two\n"}, "Change")
    three = made.commit({"a.py": "two\nthree\n", "c.py": "new\n"}, "Change")
    known = history(made, linear(made, one, two, three))
    known = History(
        known.parents, {pair: known.changes[pair] for pair in known.changes if pair[0] != two}, known.keys
    )

    found = origins(known, [three]).files[three]

    assert list(found) == ["c.py"]
