"""What commits changed, and who wrote which line."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphsvc.errors import InvalidInput, NotFound
from graphsvc.git import CommitChanges, Repository, hash_object
from tests.repositories import ADA, BEN, FIRST_COMMIT, RepositoryBuilder, executable, symlink

LINES = "".join(f"line {number}\n" for number in range(20))


@pytest.fixture
def made(tmp_path: Path) -> RepositoryBuilder:
    """An empty repository."""
    return RepositoryBuilder(tmp_path / "r", bare=True)


def changes_of(made: RepositoryBuilder, *commits: str) -> list[CommitChanges]:
    """Changes of commits, each record's span checked against the raw bytes."""
    with Repository.open(made.path) as repository:
        found = list(repository.changes(commits))
    assert [changes.commit_oid for changes in found] == list(commits)
    for changes in found:
        for change in changes.changes:
            record = changes.raw[change.start : change.end].split(b"\0")
            assert record[0].startswith(b":")
            assert record[-1] == change.path
    return found


def brief(changes: CommitChanges) -> list[tuple[str, bytes, bytes | None]]:
    """Status, path and old path of each record."""
    return [(change.status, change.path, change.old_path) for change in changes.changes]


def test_every_status(made: RepositoryBuilder) -> None:
    first = made.commit({"a": LINES, "b": "b", "c": "c", "d": "d"}, "Add")
    second = made.commit(
        {"a": None, "moved": LINES + "more\n", "b": "bb", "c": None, "d": symlink("b"), "e": executable("e")},
        "Change",
    )

    root, later = changes_of(made, first, second)

    assert brief(root) == [("A", name, None) for name in (b"a", b"b", b"c", b"d")]
    assert sorted(brief(later)) == [
        ("A", b"e", None),
        ("D", b"c", None),
        ("M", b"b", None),
        ("R", b"moved", b"a"),
        ("T", b"d", None),
    ]
    by_path = {change.path: change for change in later.changes}
    assert by_path[b"c"][3:7] == (None, "100644", None, hash_object(b"c"))
    assert by_path[b"e"][3:7] == ("100755", None, hash_object(b"e"), None)
    assert by_path[b"moved"].similarity is not None
    assert 90 <= by_path[b"moved"].similarity < 100
    assert by_path[b"d"][3:5] == ("120000", "100644")


def test_a_merge_counts_only_where_it_differs_from_all_parents(made: RepositoryBuilder) -> None:
    base = made.commit({"a": LINES, "old": LINES * 2}, "Base")
    left = made.commit({"l": "l"}, "Left")
    right = made.commit({"r": "r", "a": LINES + "r\n"}, "Right", branch="right", parents=[base])
    third = made.commit({"t": "t"}, "Third", branch="third", parents=[base])
    clean = made.commit({"r": "r", "a": LINES + "r\n"}, "Clean", parents=[left, right])
    octopus = made.commit(
        {"t": "t", "a": "own\n", "new": "n", "old": None, "name": LINES * 2 + "own\n"},
        "Octopus",
        parents=[clean, left, third],
    )

    first, second = changes_of(made, clean, octopus)

    assert first.changes == ()
    assert sorted(brief(second)) == [("A", b"new", None), ("M", b"a", None), ("R", b"name", b"old")]
    assert {change.similarity for change in second.changes} == {None}
    by_path = {change.path: change for change in second.changes}
    assert by_path[b"a"].old_oid == hash_object((LINES + "r\n").encode())


def test_paths_keep_their_bytes(made: RepositoryBuilder) -> None:
    names = [b"\xff\xfe", b'q"uote', b"new\nline", b"tab\t", b":colon", "snö".encode()]
    tip = made.commit(dict.fromkeys(names, b"x"), "Odd names")

    [changes] = changes_of(made, tip)

    assert {change.path for change in changes.changes} == set(names)


def test_empty_commits_have_no_changes(made: RepositoryBuilder) -> None:
    commits = [made.commit({"a": "a"}, "One"), made.commit({}, "Two"), made.commit({}, "Three")]

    assert [len(changes.changes) for changes in changes_of(made, *commits)] == [1, 0, 0]
    assert changes_of(made) == []


def test_missing_objects_are_said_and_stop_nothing(made: RepositoryBuilder) -> None:
    commits = [
        made.commit({"a": LINES}, "Add"),
        made.commit({"a": None, "b": LINES + "more\n"}, "Move"),
        made.commit({}, "Nothing"),
        made.commit({"d/c": "c"}, "Add c"),
        made.commit({"e": "e"}, "Add e"),
    ]
    made.remove_object(hash_object((LINES + "more\n").encode()))
    made.remove_object(made.git("rev-parse", f"{commits[3]}^{{tree}}"))

    found = changes_of(made, *commits)

    assert [len(changes.changes) for changes in found] == [1, 2, 0, 0, 0]
    assert [changes.problem and changes.problem.split(":")[0] for changes in found] == [
        None,
        "renames of edited files are unknown",
        None,
        "changes are unknown",
        "changes are unknown",
    ]


def test_blame_follows_lines_to_their_commits(made: RepositoryBuilder) -> None:
    first = made.commit({b"o\xffld": LINES}, "Add", author=BEN)
    second = made.commit({b"o\xffld": None, 'new"\n': LINES.replace("line 3\n", "own\n")}, "Move", author=ADA)

    with Repository.open(made.path) as repository:
        before, own, after = repository.blame(second, 'new"\n', 3, 5)

        assert (before.line, before.commit_oid, before.original_path) == (3, first, b"o\xffld")
        assert (before.original_line, before.author_name) == (3, b"Ben Example")
        assert (own.line, own.commit_oid, own.original_path) == (4, second, b'new"\n')
        assert (own.author_email, own.authored_at) == (b"ada@example.org", FIRST_COMMIT + 60)
        assert (own.content, after.content) == (b"own", b"line 4")
        assert not own.is_boundary
        assert not before.is_boundary


def test_blame_in_a_shallow_clone_marks_its_boundary(made: RepositoryBuilder) -> None:
    made.commit({"a": "one\n"}, "One")
    second = made.commit({"a": "one\ntwo\n"}, "Two")
    clone = made.path.parent / "clone"
    made.git("clone", "-q", "--bare", "--depth=1", f"file://{made.path}", str(clone))

    with Repository.open(clone) as repository:
        assert repository.is_shallow
        assert repository.shallow_commits() == {second}
        assert [line.is_boundary for line in repository.blame(second, "a", 1, 2)] == [True, True]


def test_blame_says_what_is_not_there(made: RepositoryBuilder) -> None:
    tip = made.commit({"a": "one\n"}, "One")

    with Repository.open(made.path) as repository:
        with pytest.raises(NotFound, match="no such path"):
            repository.blame(tip, "b", 1, 1)
        with pytest.raises(NotFound, match="no such path"):
            repository.blame(tip, ":(glob)*", 1, 1)
        with pytest.raises(InvalidInput, match="has only 1 line"):
            repository.blame(tip, "a", 2, 3)
