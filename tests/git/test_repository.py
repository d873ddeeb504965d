"""Opening repositories of every shape, and reading references, commits, trees and objects."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path

import pytest

from graphsvc.errors import InvalidInput, NotFound, SourceUnavailable
from graphsvc.git import Repository, decode, hash_object
from tests.repositories import RepositoryBuilder, executable, submodule, symlink

ABSENT = "1234567890" * 4


@pytest.fixture
def made(tmp_path: Path) -> RepositoryBuilder:
    """A repository with two commits on main."""
    made = RepositoryBuilder(tmp_path / "made")
    made.commit({"a.txt": "one\n"}, "Add a")
    made.commit({"b/c.txt": "two\n"}, "Add c")
    made.checkout()
    return made


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("bare", [True, False])
def test_open_work_trees_and_bare_repositories(tmp_path: Path, object_format: str, bare: bool) -> None:
    made = RepositoryBuilder(tmp_path / "r", bare=bare, object_format=object_format)
    tip = made.commit({"a": "x"}, "Add a")

    with Repository.open(made.path) as repository:
        assert repository.object_format == object_format
        assert (repository.is_shallow, repository.is_partial) == (False, False)
        assert list(repository.commits([tip])) == [tip]
        assert repository.common_dir == (made.path if bare else made.path / ".git")


def test_open_the_git_folder_itself(made: RepositoryBuilder) -> None:
    with Repository.open(made.path / ".git") as repository:
        assert [reference.name for reference in repository.references()] == ["HEAD", "refs/heads/main"]


def test_linked_worktrees_share_references_and_have_their_own_head(made: RepositoryBuilder) -> None:
    made.git("worktree", "add", "-q", "-b", "side", "../side")
    side = made.commit({"s": "s"}, "Side", branch="side")

    with Repository.open(made.path.parent / "side") as repository:
        head, *others = repository.references()
        assert (head.target_oid, head.symbolic_target) == (side, "refs/heads/side")
        assert [reference.name for reference in others] == ["refs/heads/main", "refs/heads/side"]
        assert repository.common_dir == made.path / ".git"


def test_submodules_open_by_their_work_tree(made: RepositoryBuilder, tmp_path: Path) -> None:
    outer = RepositoryBuilder(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(made.path), "inner")

    with Repository.open(outer.path / "inner") as repository:
        assert repository.common_dir == outer.path / ".git" / "modules" / "inner"


@pytest.mark.parametrize("as_link", [True, False])
def test_a_git_file_cannot_redirect_to_a_stranger(
    made: RepositoryBuilder, tmp_path: Path, as_link: bool
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    if as_link:
        (trap / ".git").symlink_to(made.path / ".git")
    else:
        (trap / ".git").write_text(f"gitdir: {made.path / '.git'}\n")

    with pytest.raises(InvalidInput, match="does not name"):
        Repository.open(trap)


def test_a_git_folder_cannot_claim_another_common_folder(made: RepositoryBuilder, tmp_path: Path) -> None:
    trap = RepositoryBuilder(tmp_path / "trap")
    (trap.path / ".git" / "commondir").write_text(f"{made.path / '.git'}\n")

    with pytest.raises(InvalidInput, match="no such worktree"):
        Repository.open(trap.path)


@pytest.mark.parametrize(
    "content", [b"", b"gitdir: .git\n", b"gitdir: a\0b\n", b"\0" * 100, b"gitdir: " + b"x" * 9000]
)
def test_a_git_file_of_any_content_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)

    with pytest.raises((InvalidInput, NotFound, SourceUnavailable)):
        Repository.open(tmp_path)


def test_a_git_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".git").symlink_to(".git")

    with pytest.raises((InvalidInput, NotFound, SourceUnavailable)):
        Repository.open(tmp_path)


@pytest.mark.parametrize("name", ["HEAD", "shallow", "config", "packed-refs"])
def test_a_folder_in_the_place_of_a_file_makes_no_other_error(made: RepositoryBuilder, name: str) -> None:
    file = made.path / ".git" / name
    with Repository.open(made.path) as repository:
        file.unlink(missing_ok=True)
        file.mkdir()
        with suppress(SourceUnavailable):
            repository.references()
            assert repository.shallow_commits() == frozenset()


def test_a_bare_repository_inside_a_work_tree_does_not_hide_it(made: RepositoryBuilder) -> None:
    for name in ("objects", "refs"):
        (made.path / name).mkdir()
    (made.path / "HEAD").write_text("ref: refs/heads/trap\n")

    with Repository.open(made.path) as repository:
        assert repository.git_dir == made.path / ".git"


def test_nothing_above_or_below_the_path_is_searched(made: RepositoryBuilder) -> None:
    for path in (made.path / "b", made.path.parent, made.path / "absent"):
        with pytest.raises(NotFound, match="is not a git repository"):
            Repository.open(path)


def test_the_view_is_removed(made: RepositoryBuilder) -> None:
    with Repository.open(made.path) as repository:
        view = repository._view
        assert view.is_dir()
    assert not view.exists()
    assert (made.path / ".git" / "objects").is_dir()


def test_references_of_every_kind(made: RepositoryBuilder) -> None:
    tip = made.git("rev-parse", "main")
    inner = made.tag("inner", "main")
    outer = made.tag("outer", inner)
    tree = made.git("rev-parse", "main^{tree}")
    made.reference("refs/tags/tree", tree)
    made.git("pack-refs", "--all")
    made.reference("refs/remotes/origin/main", tip)
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")

    with Repository.open(made.path) as repository:
        found = {reference.name: reference for reference in repository.references()}
        peeled = repository.peel(reference.target_oid for reference in found.values() if reference.target_oid)

    assert list(found) == [
        "HEAD",
        "refs/heads/main",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/main",
        "refs/tags/inner",
        "refs/tags/outer",
        "refs/tags/tree",
    ]
    assert found["HEAD"].raw == f"{tip}\tHEAD\trefs/heads/main".encode()
    assert found["refs/remotes/origin/HEAD"].symbolic_target == "refs/remotes/origin/main"
    assert peeled == {tip: ("commit", tip), inner: ("tag", tip), outer: ("tag", tip), tree: ("tree", None)}


def test_broken_references_are_listed_without_a_target(made: RepositoryBuilder) -> None:
    (made.path / ".git/refs/heads/broken").write_text("junk\n")
    (made.path / ".git/refs/heads/gone").write_text(f"{ABSENT}\n")
    made.git("symbolic-ref", "refs/heads/dangling", "refs/heads/never")

    with Repository.open(made.path) as repository:
        found = {reference.name: reference.target_oid for reference in repository.references()}
        assert found["refs/heads/broken"] is None
        assert found["refs/heads/gone"] == ABSENT
        assert "refs/heads/dangling" not in found
        assert repository.peel([ABSENT]) == {ABSENT: (None, None)}


def test_head_detached_and_unborn(made: RepositoryBuilder, tmp_path: Path) -> None:
    tip = made.git("rev-parse", "main")
    with Repository.open(made.path) as repository:
        made.git("checkout", "-q", "--detach")
        head = repository.references()[0]
        assert (head.target_oid, head.symbolic_target) == (tip, None)

    with Repository.open(RepositoryBuilder(tmp_path / "empty").path) as empty:
        assert empty.references() == []


def test_a_tag_that_names_nothing_ends_there(made: RepositoryBuilder) -> None:
    odd = made.object("tag", b"no object at all\n")
    gone = made.object("tag", f"object {ABSENT}\ntype commit\ntag x\n".encode())

    with Repository.open(made.path) as repository:
        assert repository.peel([odd, gone]) == {odd: (None, None), gone: ("tag", None)}


def test_replacements_and_grafts_do_not_change_history(made: RepositoryBuilder) -> None:
    tip = made.git("rev-parse", "main")
    root = made.git("rev-parse", "main~1")
    other = made.commit({"z": "z"}, "Other", branch="other", parents=[])
    made.git("replace", tip, other)
    (made.path / ".git/info/grafts").write_text(f"{tip} {other}\n")

    with Repository.open(made.path) as repository, repository.batch() as batch:
        assert list(repository.commits([tip])) == [tip, root]
        [found] = batch.read([tip])
        assert found is not None
        assert hash_object(found.data, "commit") == tip


def test_a_forged_commit_graph_is_not_believed(made: RepositoryBuilder) -> None:
    tip = made.git("rev-parse", "main")
    root = made.git("rev-parse", "main~1")
    made.git("commit-graph", "write", "--reachable")
    graph = made.path / ".git/objects/info/commit-graph"
    graph.chmod(0o644)
    graph.write_bytes(graph.read_bytes()[:40] + b"\xff" * 200)

    with Repository.open(made.path) as repository:
        assert list(repository.commits([tip])) == [tip, root]


def test_commits_can_leave_out_what_is_known(made: RepositoryBuilder) -> None:
    tip = made.git("rev-parse", "main")
    root = made.git("rev-parse", "main~1")

    with Repository.open(made.path) as repository:
        assert list(repository.commits([tip], [root])) == [tip]
        assert list(repository.commits([tip], [tip])) == []
        assert list(repository.commits([])) == []
        assert repository.first_parent_root(tip) == root
        assert repository.roots([tip]) == [root]
        with pytest.raises(NotFound, match=ABSENT):
            list(repository.commits([ABSENT]))


@pytest.mark.parametrize("oid", ["--all", "HEAD", "main", f"{ABSENT}\n{ABSENT}", ""])
def test_only_whole_object_ids_reach_git(made: RepositoryBuilder, oid: str) -> None:
    with Repository.open(made.path) as repository, repository.batch() as batch:
        for call in (
            lambda: list(repository.commits([oid])),
            lambda: list(repository.object_info([oid])),
            lambda: list(repository.tree(oid)),
            lambda: list(repository.changes([oid])),
            lambda: repository.blame(oid, "a.txt", 1, 1),
            lambda: list(batch.read([oid])),
        ):
            with pytest.raises(InvalidInput, match="not an object id"):
                call()


def test_tree_has_every_kind_of_entry_and_raw_paths(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    tip = made.commit(
        {
            "dir/plain": "x",
            "run": executable("#!/bin/sh\n"),
            "link": symlink("dir/plain"),
            "sub": submodule(ABSENT),
            b"caf\xe9\n": "latin",
        },
        "Everything",
    )

    with Repository.open(made.path) as repository:
        entries = list(repository.tree(tip))
        with pytest.raises(NotFound):
            list(repository.tree(ABSENT))

    assert [(entry.mode, entry.type, entry.path) for entry in entries] == [
        ("100644", "blob", b"caf\xe9\n"),
        ("100644", "blob", b"dir/plain"),
        ("120000", "blob", b"link"),
        ("100755", "blob", b"run"),
        ("160000", "commit", b"sub"),
    ]
    assert entries[1].raw == f"100644 blob {hash_object(b'x')}\tdir/plain".encode()
    assert decode(entries[0].path) == "caf\\xe9\n"


def test_batch_reads_many_objects_without_a_deadlock(made: RepositoryBuilder) -> None:
    contents = [b"%d\n" % number * 3000 for number in range(300)]
    oids = [made.object("blob", content) for content in contents[:20]] * 15
    wanted = [oid for pair in itertools.zip_longest(oids, [ABSENT] * len(oids)) for oid in pair]

    with Repository.open(made.path) as repository, repository.batch() as batch:
        found = list(batch.read(wanted))
        infos = list(repository.object_info(wanted))

    assert found[1::2] == [None] * 300 == infos[1::2]
    assert [item.data for item in found[::2] if item] == contents[:20] * 15
    assert [item.size for item in infos[::2] if item] == [len(content) for content in contents[:20]] * 15


def test_batch_survives_a_reader_that_stops_early(made: RepositoryBuilder) -> None:
    oid = made.object("blob", b"x" * 100_000)

    with Repository.open(made.path) as repository, repository.batch() as batch:
        first = next(stream := batch.read([oid] * 100))
        with pytest.raises(InvalidInput, match="in use"):
            next(batch.read([oid]))
        stream.close()
        assert list(batch.read([oid])) == [first]


def test_batch_goes_on_after_a_damaged_object(made: RepositoryBuilder) -> None:
    good = made.object("blob", b"good")
    bad = made.object("blob", bytes(number * 37 % 251 for number in range(100_000)))
    path = made.object_path(bad)
    path.chmod(0o644)
    data = bytearray(path.read_bytes())
    data[400:420] = b"\0" * 20
    path.write_bytes(data)

    with Repository.open(made.path) as repository, repository.batch() as batch:
        found = list(batch.read([good, bad, good, bad, good]))
        assert [item and item.data for item in found] == [b"good", None, b"good", None, b"good"]
        assert list(batch.damaged) == [bad]
        assert bad in batch.damaged[bad]


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("type_", ["blob", "commit"])
def test_hash_object_agrees_with_git(tmp_path: Path, object_format: str, type_: str) -> None:
    made = RepositoryBuilder(tmp_path / "r", object_format=object_format)

    assert hash_object(b"some\n\0bytes", type_, object_format) == made.object(type_, b"some\n\0bytes")


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"\xe4", "latin-1", "ä"),
        (b"\xe4", None, "\\xe4"),
        (b"\xe4", "utf-8", "\\xe4"),
        (b"\xe4", "zip", "\\xe4"),
        (b"xn--4ca", "idna", "xn--4ca"),
        (b"+2AA-", "utf-7", "+2AA-"),
        (b"a", "\0", "a"),
        (b"\x83\x65", "shift_jis", "テ"),
    ],
)
def test_decode_never_fails(data: bytes, encoding: str | None, text: str) -> None:
    assert decode(data, encoding) == text
