"""What the git loader states about a repository, with its evidence."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from graphsvc.errors import NotFound
from graphsvc.git import Repository, hash_object
from graphsvc.ids import repository_id
from loaders.git import identify
from tests.git.conftest import Loaded
from tests.repositories import BEN, RepositoryBuilder, executable, submodule, symlink

ABSENT = "1234567890" * 4


def test_history_with_its_evidence(made: RepositoryBuilder, loaded: Loaded) -> None:
    first = made.commit({"a": "a\n" * 20}, "Add a")
    second = made.commit(
        {"a": None, "b": "a\n" * 20 + "b\n"},
        "Move\nit\n\nEntire-Checkpoint: 0123456789ab\n\nSigned-off-by: Ada\n",
        author=BEN,
    )

    report = loaded.refresh(made)

    assert report.read == {
        "commits": 2, "bytes": report.read["bytes"], "changes": 2, "references": 2, "tree_entries": 1
    }  # fmt: skip
    assert report.admitted.total() == 12
    assert not report.faults
    [repository] = loaded.rows("SELECT repository_id, root_oid, object_format FROM repository")
    assert repository == (repository_id(first), first, "sha1")
    assert loaded.rows(
        "SELECT oid, author_name, authored_at, committer_offset, title, parent_count FROM commit ORDER BY authored_at"
    ) == [
        (first, "Ada Example", datetime(2026, 1, 1), 0, "Add a", 0),
        (second, "Ben Example", datetime(2026, 1, 1, 0, 1), 0, "Move it", 1),
    ]
    assert loaded.rows("SELECT commit_oid, parent_oid, position FROM commit_parent") == [(second, first, 0)]
    assert loaded.rows("SELECT key, value, in_final_block FROM commit_trailer ORDER BY position") == [
        ("Entire-Checkpoint", "0123456789ab", False),
        ("Signed-off-by", "Ada", True),
    ]
    assert loaded.rows("SELECT status, path, old_path, is_merge FROM file_change ORDER BY occurred_at") == [
        ("A", "a", None, False),
        ("R", "b", "a", False),
    ]
    commits = loaded.evidence("commit", "occurred_at")
    assert [hash_object(data, "commit") for data in commits] == [first, second]
    assert loaded.evidence("commit_parent", "position") == [f"parent {first}".encode()]
    assert loaded.evidence("commit_trailer", "position") == [
        b"Entire-Checkpoint: 0123456789ab",
        b"Signed-off-by: Ada",
    ]
    assert loaded.evidence("file_change", "occurred_at")[0].endswith(b" A\0a")
    assert loaded.evidence("repository", "seq") == commits[:1]


def test_a_refresh_without_news_reads_and_writes_nothing(made: RepositoryBuilder, loaded: Loaded) -> None:
    made.commit({"a": "a"}, "Add a")
    loaded.refresh(made)
    receipts = loaded.rows("SELECT * FROM receipt")

    report = loaded.refresh(made)

    assert not report.read
    assert not report.admitted
    assert loaded.rows("SELECT * FROM receipt") == receipts


def test_only_new_commits_are_read(made: RepositoryBuilder, loaded: Loaded) -> None:
    for number in range(5):
        made.commit({"a": str(number)}, f"Commit {number}")
    loaded.refresh(made)
    made.commit({"b": "b"}, "New")
    made.commit({"c": "c"}, "Newer", branch="side")

    report = loaded.refresh(made)

    assert report.read["commits"] == 2
    assert (report.admitted["commit"], report.admitted["file_change"]) == (2, 2)


def test_references_of_every_kind(made: RepositoryBuilder, loaded: Loaded) -> None:
    tip = made.commit({"a": "a"}, "Add a")
    inner = made.tag("inner", "main")
    outer = made.tag("outer", inner)
    tree, blob = made.git("rev-parse", "main^{tree}"), made.git("rev-parse", "main:a")
    for name, oid in (("refs/tags/tree", tree), ("refs/tags/blob", blob), ("refs/remotes/o/main", tip)):
        made.reference(name, oid)
    made.git("pack-refs", "--all")
    made.reference("refs/notes/x", tip)
    made.git("symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/main")

    loaded.refresh(made)

    columns = "name, reference_kind, target_type, target_oid, commit_oid, symbolic_target"
    assert loaded.rows(f"SELECT {columns} FROM reference ORDER BY name") == [
        ("HEAD", "head", "commit", tip, tip, "refs/heads/main"),
        ("refs/heads/main", "branch", "commit", tip, tip, None),
        ("refs/notes/x", "other", "commit", tip, tip, None),
        ("refs/remotes/o/HEAD", "remote", "commit", tip, tip, "refs/remotes/o/main"),
        ("refs/remotes/o/main", "remote", "commit", tip, tip, None),
        ("refs/tags/blob", "tag", "blob", blob, None, None),
        ("refs/tags/inner", "tag", "tag", inner, tip, None),
        ("refs/tags/outer", "tag", "tag", outer, tip, None),
        ("refs/tags/tree", "tag", "tree", tree, None, None),
    ]
    assert loaded.evidence("reference", "name")[1] == f"{tip}\trefs/heads/main\t".encode()


def test_checkpoint_branches_are_recorded_but_not_walked(made: RepositoryBuilder, loaded: Loaded) -> None:
    made.commit({"a": "a"}, "Add a")
    checkpoint = made.orphan_branch("entire/checkpoints/v1", {"0/metadata.json": b"{}"}, "Checkpoint")
    for name in ("refs/remotes/origin/entire/x", "refs/entire/0123456789ab"):
        made.reference(name, checkpoint)
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/entire/x")

    report = loaded.refresh(made)

    assert report.skipped["references without history"] == 4
    assert loaded.column("SELECT title FROM commit") == ["Add a"]
    assert loaded.column("SELECT count(*) FROM reference WHERE commit_oid = $oid", oid=checkpoint) == [4]

    report = loaded.refresh(made, excluded=["refs/*/origin/"])

    assert report.read["commits"] == 1
    assert sorted(loaded.column("SELECT title FROM commit")) == ["Add a", "Checkpoint"]


def test_a_checkpoint_branch_of_another_name_is_not_walked(made: RepositoryBuilder, loaded: Loaded) -> None:
    made.commit({"a": "a"}, "Add a")
    made.orphan_branch("notes", {"0/metadata.json": b"{}"}, "Checkpoint")
    made.commit({"b": "b"}, "Only similar", branch="notes2", parents=[])

    loaded.refresh(made, branch="notes")

    assert sorted(loaded.column("SELECT title FROM commit")) == ["Add a", "Only similar"]


def test_files_of_indexed_references(made: RepositoryBuilder, loaded: Loaded) -> None:
    files = {
        "dir/plain": "x",
        "run": executable("#!/bin/sh\n"),
        "link": symlink("dir/plain"),
        "sub": submodule(ABSENT),
        b"caf\xe9": "latin",
    }
    tip = made.commit(files, "Everything")
    side = made.commit({"side": "s"}, "Side", branch="side", parents=[tip])
    made.tag("v1", side)

    report = loaded.refresh(made, references=["HEAD", "side", "v1", tip, "nowhere", ABSENT])

    assert loaded.rows("SELECT reference, commit_oid FROM snapshot ORDER BY reference") == sorted(
        [("HEAD", tip), ("refs/heads/side", side), ("refs/tags/v1", side), (tip, tip)]
    )
    assert loaded.rows("SELECT path, mode, entry_type FROM tree_entry JOIN snapshot USING (tree_oid)"
                       " WHERE reference = 'HEAD' ORDER BY path") == [
        ("caf\\xe9", "100644", "file"),
        ("dir/plain", "100644", "file"),
        ("link", "120000", "symlink"),
        ("run", "100755", "executable"),
        ("sub", "160000", "submodule"),
    ]  # fmt: skip
    assert report.faults == {"missing_reference": 2}
    [(entries, segments)] = loaded.rows("SELECT count(*), count(DISTINCT segment) FROM tree_entry")
    assert (entries, segments) == (11, 6)
    assert f"100644 blob {hash_object(b'latin')}\tcaf".encode() + b"\xe9" in loaded.evidence(
        "tree_entry", "seq"
    )


def test_an_indexed_tree_is_not_read_twice(made: RepositoryBuilder, loaded: Loaded) -> None:
    made.commit({"a": "a"}, "Add a")
    loaded.refresh(made)
    made.commit({}, "Same files")

    report = loaded.refresh(made)

    assert report.read["tree_entries"] == 0
    assert report.admitted["snapshot"] == 1
    assert loaded.rows("SELECT count(*) FROM present_snapshot JOIN tree_entry USING (tree_oid)") == [(1,)]


def test_odd_commits_are_kept_and_their_faults_counted(made: RepositoryBuilder, loaded: Loaded) -> None:
    root = made.commit({b"\xff": "x"}, b"Caf\xe9\n")
    tree = made.git("rev-parse", "main^{tree}").encode()
    person = b"\xc4da <ada@example.org>"
    head = b"tree %s\nparent %s\n" % (tree, root.encode())
    odd = [
        head
        + b"author %s 1 +0000\ncommitter %s 1 +0000\nencoding ISO-8859-1\n\nCaf\xe9\n" % (person, person),
        head + b"author %s -2208988800 -0330\ncommitter %s 4102444800 +1400\n\nTimes" % (person, person),
        head + b"author Ada\ncommitter %s 99999999999999 +0000\n\nNo time" % person,
        head + b"committer %s 1 +0000\ngpgsig -----BEGIN\n \n -----END\n\nNo author" % person,
        head + b"author %s 1 +0000\ncommitter %s 1 +0000\n\n" % (person, person),
    ]
    for number, data in enumerate(odd):
        made.reference(f"refs/heads/odd{number}", made.object("commit", data))

    report = loaded.refresh(made)

    assert report.read["commits"] == 6
    assert report.faults == {"malformed_commit": 2}
    rows = {row[0]: row[1:] for row in loaded.rows(
        "SELECT title, author_name, encoding, year(authored_at), author_offset, is_signed FROM commit"
    )}  # fmt: skip
    assert rows["Café"] == ("Äda", "ISO-8859-1", 1970, 0, False)
    assert rows["Caf\\xe9"] == ("Ada Example", None, 2026, 0, False)
    assert rows["Times"] == ("\\xc4da", None, 1900, -210, False)
    assert rows["No time"] == (None, None, None, None, False)
    assert rows["No author"] == (None, None, None, None, True)
    assert rows[""] == ("\\xc4da", None, 1970, 0, False)


def test_octopus_merges(made: RepositoryBuilder, loaded: Loaded) -> None:
    base = made.commit({"a": "a\n"}, "Base")
    sides = [made.commit({f"s{n}": "s"}, f"Side {n}", branch=f"s{n}", parents=[base]) for n in range(3)]
    octopus = made.commit({"s1": "s", "s2": "s", "a": "own\n"}, "Octopus", parents=sides)

    loaded.refresh(made)

    assert (
        loaded.column(
            "SELECT parent_oid FROM commit_parent WHERE commit_oid = $oid ORDER BY position", oid=octopus
        )
        == sides
    )
    assert loaded.rows("SELECT path, status, is_merge FROM file_change WHERE commit_oid = $oid", oid=octopus) == [
        ("a", "M", True)
    ]  # fmt: skip


def test_sha256_repositories(tmp_path: Path, loaded: Loaded) -> None:
    made = RepositoryBuilder(tmp_path / "made", object_format="sha256")
    tip = made.commit({"a": "a"}, "Add a")

    loaded.refresh(made)

    assert loaded.rows("SELECT object_format, root_oid FROM repository") == [("sha256", tip)]
    assert loaded.column("SELECT oid FROM tree_entry") == [hash_object(b"a", object_format="sha256")]


def test_linked_worktrees_are_the_same_repository(made: RepositoryBuilder, loaded: Loaded) -> None:
    root = made.commit({"a": "a"}, "Add a")
    made.git("worktree", "add", "-q", "--detach", "../side", root)

    with Repository.open(made.path) as main, Repository.open(made.path.parent / "side") as side:
        assert identify(main) == identify(side) == (repository_id(root), root, True)
    made.path = made.path.parent / "side"
    loaded.refresh(made)
    assert loaded.rows("SELECT symbolic_target FROM reference WHERE name = 'HEAD'") == [(None,)]


def test_identity_is_the_root_of_the_main_line(made: RepositoryBuilder) -> None:
    root = made.commit({"a": "a"}, "Root")
    other = made.commit({"o": "o"}, "Other root", branch="other", parents=[])
    made.commit({"o": "o"}, "Join", parents=[root, other])
    with Repository.open(made.path) as repository:
        assert identify(repository) == (repository_id(root), root, True)
        made.git("symbolic-ref", "HEAD", "refs/heads/other")
        assert identify(repository) == (repository_id(other), other, True)
        made.git("symbolic-ref", "HEAD", "refs/heads/unborn")
        assert identify(repository) == (repository_id(root), root, True)


def test_a_repository_of_checkpoints_alone_has_an_identity(made: RepositoryBuilder, loaded: Loaded) -> None:
    root = made.orphan_branch("entire/checkpoints/v1", {"a": b"a"}, "Checkpoint")

    report = loaded.refresh(made)

    assert report.read["commits"] == 0
    assert report.faults == {"missing_reference": 1}
    assert loaded.rows("SELECT root_oid FROM repository") == [(root,)]


def test_an_empty_repository_says_so(made: RepositoryBuilder, loaded: Loaded) -> None:
    with Repository.open(made.path) as repository:
        assert identify(repository) is None

    report = loaded.refresh(made)
    assert report.skipped == {"empty repository": 1}
    assert not report.admitted

    made.commit({"a": "a"}, "Add a")
    assert loaded.refresh(made).admitted["commit"] == 1


def test_a_repository_that_is_gone(made: RepositoryBuilder, loaded: Loaded) -> None:
    made.path = made.path / "elsewhere"

    with pytest.raises(NotFound, match="is not a git repository"):
        loaded.refresh(made)
