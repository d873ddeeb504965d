"""Refreshing a repository that moved: what left, what came back, and that the way there does not matter."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from graphsvc.canonical.admission import Receipt
from graphsvc.canonical.batch import Batch
from graphsvc.errors import Cancelled
from graphsvc.git import hash_object
from loaders.git import loading
from tests.git.conftest import Loaded
from tests.repositories import RepositoryBuilder

STATES = "SELECT target_kind, state, generation FROM tombstone ORDER BY seq"


def test_a_moved_reference_is_stated_anew(made: RepositoryBuilder, loaded: Loaded) -> None:
    first = made.commit({"a": "a"}, "One")
    loaded.refresh(made)
    second = made.commit({"a": "b"}, "Two")
    loaded.refresh(made)

    assert loaded.rows("SELECT name, commit_oid FROM present_reference ORDER BY name") == [
        ("HEAD", second),
        ("refs/heads/main", second),
    ]
    assert loaded.column(
        "SELECT DISTINCT commit_oid FROM reference WHERE commit_oid <> $oid", oid=second
    ) == [first]
    assert loaded.column("SELECT commit_oid FROM present_snapshot") == [second]
    assert loaded.evidence("tombstone", "seq")[0].startswith(f"{second}\tHEAD\t".encode())


def test_commits_that_leave_are_withdrawn_and_may_come_back(made: RepositoryBuilder, loaded: Loaded) -> None:
    first = made.commit({"a": "a"}, "One")
    second = made.commit({"a": "b"}, "Two")
    loaded.refresh(made)
    for expected in ([], ["Two"], [], ["Two"]):
        made.reference("refs/heads/main", first if expected else second)
        report = loaded.refresh(made)

        assert loaded.column("SELECT title FROM commit SEMI JOIN withdrawn USING (event_id)") == expected
        assert report.read["commits"] == 0

    commits = [row[1:] for row in loaded.rows(STATES) if row[0] == "commit"]
    assert commits == [("withdrawn", 2), ("restored", 2), ("withdrawn", 3)]
    assert loaded.store.cursor("source_git").generation == 3  # type: ignore[union-attr]


def test_a_force_push_withdraws_what_was_replaced(made: RepositoryBuilder, loaded: Loaded) -> None:
    base = made.commit({"a": "a"}, "Base")
    old = made.commit({"b": "b"}, "Old")
    loaded.refresh(made)
    made.commit({"b": "c"}, "New", parents=[base])
    for oid in (old, made.git("rev-parse", f"{old}^{{tree}}")):
        made.remove_object(oid)

    report = loaded.refresh(made)

    assert report.read["commits"] == 1
    assert loaded.column("SELECT title FROM commit SEMI JOIN withdrawn USING (event_id)") == ["Old"]
    assert hash_object(loaded.evidence("commit", "occurred_at")[1], "commit") == old


def test_a_deleted_branch_takes_only_its_own_commits_along(made: RepositoryBuilder, loaded: Loaded) -> None:
    base = made.commit({"a": "a"}, "Base")
    made.commit({"s": "s"}, "Side", branch="side", parents=[base])
    loaded.refresh(made)
    made.reference("refs/heads/side", None)
    loaded.refresh(made)

    assert loaded.column("SELECT title FROM commit SEMI JOIN withdrawn USING (event_id)") == ["Side"]
    assert loaded.column("SELECT name FROM present_reference WHERE name = 'refs/heads/side'") == []


def test_a_shallow_clone_states_its_end_until_it_is_deepened(
    made: RepositoryBuilder, new_store: Callable[[], Loaded], tmp_path: Path
) -> None:
    for number in range(4):
        made.commit({"a": str(number)}, f"Commit {number}")
    root = made.git("rev-list", "--max-parents=0", "main")
    clone = RepositoryBuilder(tmp_path / "clone")
    subprocess.run(
        ["git", "clone", "-q", "--depth=2", f"file://{made.path}", str(tmp_path / "shallow")], check=True
    )
    clone.path = tmp_path / "shallow"
    loaded = new_store()

    report = loaded.refresh(clone)

    assert (report.read["commits"], report.read["changes"]) == (2, 1)
    assert report.faults == {"shallow_boundary": 1}
    assert loaded.column("SELECT count(*) FROM commit_parent") == [2]

    clone.git("fetch", "-q", "--unshallow")
    report = loaded.refresh(clone)

    assert report.read["commits"] == 3
    assert not loaded.rows("SELECT * FROM fault ANTI JOIN withdrawn USING (event_id)")
    fresh = new_store()
    fresh.refresh(clone, root_oid=loaded.column("SELECT root_oid FROM repository")[0])
    assert loaded.present() == fresh.present()
    assert root in loaded.column("SELECT oid FROM commit")


def test_a_shallow_clone_withdraws_nothing_that_it_cannot_see(
    made: RepositoryBuilder, loaded: Loaded, tmp_path: Path
) -> None:
    for number in range(4):
        made.commit({"a": str(number)}, f"Commit {number}")
    made.commit({"s": "s"}, "Side", branch="side", parents=[])
    loaded.refresh(made)
    origin = made.path
    made.reference("refs/heads/side", None)
    made.path = tmp_path
    made.git("clone", "-q", "--depth=1", f"file://{origin}", "shallow")
    made.path = tmp_path / "shallow"

    loaded.refresh(made)

    assert loaded.column("SELECT title FROM commit SEMI JOIN withdrawn USING (event_id)") == ["Side"]


def test_a_missing_commit_is_a_fault_until_it_is_back(
    made: RepositoryBuilder, new_store: Callable[[], Loaded]
) -> None:
    oids = []
    for number in range(4):
        tree = made.object("tree", b"")
        parents = "".join(f"parent {oid}\n" for oid in oids[-1:])
        person = f"Ada Example <ada@example.org> {number} +0000"
        text = f"tree {tree}\n{parents}author {person}\ncommitter {person}\n\nCommit {number}\n"
        oids.append(made.object("commit", text.encode()))
    made.reference("refs/heads/main", oids[-1])
    lost = made.object_path(oids[1])
    data = lost.read_bytes()
    lost.unlink()
    loaded = new_store()

    report = loaded.refresh(made, root_oid=oids[2])

    assert report.read["commits"] == 2
    assert report.faults == {"missing_commit": 1, "incomplete_changes": 1}

    lost.write_bytes(data)
    made.reference("refs/heads/other", oids[2])
    report = loaded.refresh(made, root_oid=oids[2])

    assert report.read["commits"] == 2
    assert loaded.column("SELECT fault_kind FROM fault ANTI JOIN withdrawn USING (event_id)") == [
        "incomplete_changes"
    ]


def test_broken_references_are_faults_until_they_are_mended(made: RepositoryBuilder, loaded: Loaded) -> None:
    tip = made.commit({"a": "a"}, "Add a")
    (made.path / ".git/refs/heads/broken").write_text("junk\n")
    (made.path / ".git/refs/heads/gone").write_text("1234567890" * 4 + "\n")

    assert loaded.refresh(made).faults == {"broken_reference": 1, "missing_object": 1}

    for name in ("broken", "gone"):
        (made.path / f".git/refs/heads/{name}").write_text(f"{tip}\n")
    assert not loaded.refresh(made).faults
    assert not loaded.rows("SELECT * FROM fault ANTI JOIN withdrawn USING (event_id)")
    assert loaded.column("SELECT count(*) FROM present_reference WHERE commit_oid = $tip", tip=tip) == [4]


def test_missing_objects_of_a_partial_clone_are_faults(
    made: RepositoryBuilder, loaded: Loaded, tmp_path: Path
) -> None:
    made.commit({"a": "a\n" * 20}, "Add")
    made.commit({"a": None, "b": "a\n" * 20 + "b\n"}, "Move")
    made.git("config", "uploadpack.allowFilter", "true")
    origin = made.path
    made.path = tmp_path
    made.git("clone", "-q", "--bare", "--filter=blob:none", f"file://{origin}", "partial")
    made.path = tmp_path / "partial"

    report = loaded.refresh(made)

    assert report.faults == {"incomplete_changes": 1}
    assert (report.read["changes"], report.read["tree_entries"]) == (3, 1)
    assert "renames of edited files are unknown" in loaded.column("SELECT detail FROM fault")[0]


def test_many_commits_go_in_several_batches_and_survive_an_interruption(
    made: RepositoryBuilder, new_store: Callable[[], Loaded], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        made.commit({"a": str(number)}, f"Commit {number}")
    whole = new_store()
    whole.refresh(made)
    monkeypatch.setattr(loading, "_COMMITS_A_BATCH", 2)
    parts = new_store()
    admit = parts.store.admit
    admitted = []

    def admit_twice(batch: Batch) -> Receipt:
        if len(admitted) == 2:
            raise Cancelled("stopped")
        admitted.append(batch.event_count)
        return admit(batch)

    monkeypatch.setattr(parts.store, "admit", admit_twice)
    with pytest.raises(Cancelled):
        parts.refresh(made)
    assert parts.column("SELECT count(*) FROM commit") == [4]
    monkeypatch.setattr(parts.store, "admit", admit)

    report = parts.refresh(made)

    assert report.read["commits"] == 3
    assert parts.events() == whole.events()
    assert not parts.refresh(made).read


@pytest.mark.parametrize("seed", range(3))
def test_what_is_present_does_not_depend_on_the_states_seen_before(
    made: RepositoryBuilder, new_store: Callable[[], Loaded], seed: int
) -> None:
    choose = random.Random(seed)
    root = made.commit({"a": "0"}, "Root")
    commits = [root]
    watched = new_store()
    for step in range(7):
        branch = choose.choice(["main", "main", "side", "entire/x"])
        parents = choose.sample(commits, min(len(commits), choose.choice([1, 1, 1, 2, 3])))
        files = {choose.choice("abc"): f"{step}\n" * 5}
        commits.append(
            made.commit(
                files, f"Step {step}\n\nEntire-Checkpoint: {step:012x}", branch=branch, parents=parents
            )
        )
        if choose.random() < 0.3:
            made.reference("refs/heads/side", choose.choice([None, *commits]))
        if choose.random() < 0.3:
            made.tag("v1", choose.choice(commits))
        if choose.random() < 0.6:
            watched.refresh(made, root_oid=root)
    watched.refresh(made, root_oid=root)
    fresh = new_store()
    fresh.refresh(made, root_oid=root)

    now = fresh.events()
    seen = watched.events()
    assert watched.present() == fresh.present() == now
    assert now.items() <= seen.items()
    gone = {seen[event][0] for event in seen.keys() - now.keys()}
    assert gone <= {
        "reference",
        "snapshot",
        "commit",
        "commit_parent",
        "commit_trailer",
        "file_change",
        "tree_entry",
    }
