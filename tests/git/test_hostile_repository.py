"""A repository is data: nothing that it brings along runs, and nothing in it is written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from graphsvc.git import Repository
from tests.repositories import RepositoryBuilder, executable

_CONFIGURATION = """
[core]
	fsmonitor = {run}
	hooksPath = {hooks}
	sshCommand = {run}
	gitProxy = {run}
	pager = {run}
	editor = {run}
	askPass = {run}
	alternateRefsCommand = {run}
	attributesFile = {attributes}
[diff]
	external = {run}
	renames = false
	noprefix = true
[diff "evil"]
	command = {run}
	textconv = {run}
[merge "evil"]
	driver = {run}
[filter "evil"]
	clean = {run}
	smudge = {run}
	process = {run}
	required = true
[gpg]
	program = {run}
[log]
	showSignature = true
	follow = true
[pager]
	blame = {run}
	diff-tree = {run}
	for-each-ref = {run}
[alias]
	blame = !{run}
	cat-file = !{run}
[blame]
	ignoreRevsFile = {attributes}
[credential]
	helper = !{run}
[remote "origin"]
	url = ext::{run}
	promisor = true
	partialCloneFilter = blob:none
	uploadpack = {run}
[extensions]
	partialClone = origin
[include]
	path = {included}
"""


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that exists once anything of the repository has run."""
    return tmp_path / "it-ran"


@pytest.fixture
def hostile(tmp_path: Path, marker: Path) -> RepositoryBuilder:
    """A repository whose every setting runs a program that makes the marker."""
    made = RepositoryBuilder(tmp_path / "hostile")
    program = f"#!/bin/sh\ntouch '{marker}'\ncat\n"
    attributes = "* filter=evil diff=evil merge=evil\n"
    made.commit({".gitattributes": attributes, "a.txt": "1\n2\n3\n", "evil.sh": executable(program)}, "Add a")
    made.commit({"b.txt": "1\n2\n3\n4\n", "a.txt": None}, "Move a")
    made.commit({".mailmap": "Eve <eve@example.org> <ada@example.org>\n"}, "Rename Ada")
    made.checkout()
    (made.path / "b.txt").write_text("changed\n")
    run = made.path / "evil.sh"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).write_text(program)
        (hooks / name).chmod(0o755)
    included = tmp_path / "included"
    included.write_text(f'[diff "other"]\n\tcommand = {run}\n[core]\n\tfsmonitor = {run}\n')
    (made.path / ".git/attributes").write_text(attributes)
    (made.path / ".git/info/attributes").write_text(attributes)
    settings = _CONFIGURATION.format(
        run=run, hooks=hooks, attributes=made.path / ".git/attributes", included=included
    )
    with (made.path / ".git/config").open("a") as config:
        config.write(settings)
    return made


def test_the_fixture_bites(hostile: RepositoryBuilder, marker: Path) -> None:
    subprocess.run(["git", "diff"], cwd=hostile.path, capture_output=True, check=False)

    assert marker.exists()


def test_nothing_runs_while_everything_is_read(hostile: RepositoryBuilder, marker: Path) -> None:
    before = _files(hostile.path)

    with Repository.open(hostile.path) as repository, repository.batch() as batch:
        assert repository.is_partial
        tip = repository.references()[0].target_oid
        assert tip is not None
        commits = list(repository.commits([tip]))
        repository.peel(commits)
        changes = list(repository.changes(commits))
        entries = list(repository.tree(tip))
        lines = repository.blame(tip, "b.txt", 1, 4)
        assert all(batch.read([entry.oid for entry in entries]))
        assert list(batch.read(["12" * 20])) == [None]

    assert not marker.exists()
    assert _files(hostile.path) == before
    assert [change.status for change in changes[1].changes] == ["R"]
    assert [line.author_email for line in lines] == [b"ada@example.org"] * 4


def test_a_missing_promised_object_is_not_fetched(hostile: RepositoryBuilder, marker: Path) -> None:
    moved = hostile.git("-c", "core.fsmonitor=false", "rev-parse", "main~1")
    hostile.remove_object(hostile.git("-c", "core.fsmonitor=false", "rev-parse", "main~1:b.txt"))

    with Repository.open(hostile.path) as repository:
        [changes] = repository.changes([moved])
        assert [change.status for change in changes.changes] == ["D", "A"]
        assert changes.problem is not None
        assert changes.problem.startswith("renames of edited files are unknown: git: fatal: unable to read")
    assert not marker.exists()


def test_a_setting_cannot_write_into_the_view(tmp_path: Path) -> None:
    made = RepositoryBuilder(tmp_path / "r")
    with (made.path / ".git/config").open("a") as config:
        config.write('[extensions]\n\tobjectFormat = "sha1\\n[alias]\\n\\tblame = !id"\n')

    with pytest.raises(Exception, match="unknown objectformat"):
        Repository.open(made.path)


def _files(folder: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of every file."""
    files = ((path, path.lstat()) for path in folder.rglob("*"))
    return {path: (status.st_size, status.st_mtime_ns) for path, status in files}
