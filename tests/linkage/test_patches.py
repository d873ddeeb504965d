"""Changed lines as git tells them: applied to the lines before, they give the lines after."""

from __future__ import annotations

import random
from pathlib import Path

from graphsvc.git import Patch, Repository, hash_object
from graphsvc.patches import FilePatch
from tests.repositories import RepositoryBuilder, submodule


def patches(made: RepositoryBuilder, *pairs: tuple[str, str | None]) -> list[Patch]:
    with Repository.open(made.path) as repository:
        return list(repository.patches(pairs))


def applied(before: list[bytes], file: FilePatch) -> list[bytes]:
    after, at = [], 0
    for hunk in file.hunks:
        until = hunk.old_start - 1 if hunk.removed else hunk.old_start
        after += before[at:until]
        assert list(hunk.removed) == before[until : until + len(hunk.removed)]
        assert not hunk.added or hunk.new_start == len(after) + 1
        after += hunk.added
        at = until + len(hunk.removed)
    return after + before[at:]


def test_patches_lead_from_each_version_to_the_next(tmp_path: Path) -> None:
    made, chance = RepositoryBuilder(tmp_path / "r"), random.Random(1)
    texts = [
        "\n".join(chance.choices("abcdef", k=chance.randrange(1, 12))) + chance.choice(["", "\n"])
        for _ in range(12)
    ]
    commits = [made.commit({"a.txt": text}, f"{number}") for number, text in enumerate(texts)]

    found = patches(made, *zip(commits, [None, *commits[:-1]], strict=True))

    lines: list[bytes] = []
    for text, patch in zip(texts, found, strict=True):
        for file in patch.files:
            lines = applied(lines, file)
        assert lines == [line.encode() for line in text.removesuffix("\n").split("\n")]


def test_files_that_come_go_move_and_are_no_text(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    body = "".join(f"line {number}\n" for number in range(9))
    odd = 'odd "name"\twith a tab.txt'
    first = made.commit({"old.txt": body, "gone.txt": "x\n", "a.bin": b"\0\1", "160000": "x\n"}, "First")
    second = made.commit(
        {
            "old.txt": None,
            "new 160000": body + "more\n",
            "gone.txt": None,
            "a.bin": b"\0\2",
            odd: "+++ y\n",
            "sub": submodule(first),
            "empty": "",
        },
        "Second",
    )

    [patch] = patches(made, (second, first))

    files = {(file.old_path, file.path): file for file in patch.files}
    assert [hunk.added for hunk in files[b"old.txt", b"new 160000"].hunks] == [(b"more",)]
    assert [hunk.removed for hunk in files[b"gone.txt", None].hunks] == [(b"x",)]
    assert [hunk.added for hunk in files[None, odd.encode()].hunks] == [(b"+++ y",)]
    assert files[None, b"empty"].hunks == []
    assert [file.path for file in patch.files if not file.is_text] == [b"a.bin", b"sub"]


def test_a_missing_object_costs_one_commit(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    first = made.commit({"a.txt": "one\n"}, "First")
    second = made.commit({"a.txt": "two\n"}, "Second")
    third = made.commit({"b.txt": "three\n"}, "Third")
    made.remove_object(hash_object(b"one\n"))

    found = patches(made, (third, second), (second, first), (first, None), (third, second))

    assert [patch.problem is None for patch in found] == [True, False, False, True]
    assert "changed lines are unknown" in (found[1].problem or "")
    assert [len(patch.files) for patch in found] == [1, 0, 0, 1]


def test_an_empty_commit_has_an_empty_patch(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    first = made.commit({"a.txt": "one\n"}, "First")
    second = made.commit({}, "Nothing")

    assert [(p.commit_oid, p.files) for p in patches(made, (second, first), (second, first))] == [
        (second, ()),
        (second, ()),
    ]
