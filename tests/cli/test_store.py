"""From an empty folder to a verified graph, and back."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Sample


def test_init_makes_a_store_that_commands_find_from_below(run: Run, tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)

    made = run("init", store=None, cwd=tmp_path).document
    again = run("init", store=None, cwd=tmp_path)
    status = run("status", store=None, cwd=below).document

    assert made["store"] == status["store"] == str(tmp_path.resolve() / ".graphsvc")
    assert status["sources"] == []
    assert (status["coverage"]["generation"], status["coverage"]["is_current"]) == (None, False)
    assert again.status == 2
    assert "is not empty" in again.stderr


def test_the_environment_names_the_store_and_the_option_wins(
    run: Run, sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHSVC_STORE", str(sample.store))

    named = run("status", store=None, cwd=tmp_path).document
    other = run("status", store=tmp_path, cwd=tmp_path)

    assert named["store"] == str(sample.store)
    assert other.status == 10


def test_status_says_what_each_source_has(run: Run, sample: Sample) -> None:
    document = run("status").document

    sources = {source["loader"]: source for source in document["sources"]}
    assert {loader: sum(source["events"].values()) > 0 for loader, source in sources.items()} == {
        "git": True,
        "code": True,
        "entire": True,
    }
    assert sources["git"]["events"]["commit"] == 5
    assert sources["entire"]["events"]["checkpoint"] == 3
    assert sources["git"]["locator"] == str(sample.repository)
    assert document["coverage"]["is_current"] is True
    assert document["labels"]["Session"] == 2
    assert document["bytes_on_disk"]["canonical"] == (sample.store / "canonical.duckdb").stat().st_size


def test_a_rebuild_with_nothing_new_reads_nothing(run: Run, sample: Sample) -> None:
    result = run("rebuild")

    document = result.document
    assert result.stderr == ""
    assert document["generation"]["is_new"] is False
    assert {source["loader"]: sum(source["admitted"].values()) for source in document["sources"]} == {
        "git": 0,
        "code": 0,
        "entire": 0,
    }
    assert [source["read"].get("blobs", 0) for source in document["sources"]] == [0, 0, 0]


def test_a_report_for_people_says_first_that_nothing_is_new(run: Run) -> None:
    lines = run("rebuild", "--format", "table").text.splitlines()

    assert lines[0] == "graph"
    assert "unchanged: nothing new" in lines[3]
    assert "tables of the graph" not in lines


def test_a_source_that_is_gone_is_named_and_its_evidence_stays(
    run: Run, sample: Sample, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(sample.store, store)
    moved = tmp_path / "tally"
    shutil.copytree(sample.repository, moved)
    run("add", "repo", str(moved), store=store)
    shutil.rmtree(moved)

    result = run("rebuild", store=store)

    assert result.status == 20
    assert {"tally: git", "tally: entire"} <= set(result.document["unavailable"])
    assert "not all sources could be read" in result.stderr
    assert len(run("sessions", store=store).document["rows"]) == 2


def test_a_clone_that_replaces_another_is_told(run: Run, sample: Sample, tmp_path: Path) -> None:
    store, other = tmp_path / "store", tmp_path / "tally"
    shutil.copytree(sample.store, store)
    shutil.copytree(sample.repository, other)

    assert run("add", "repo", str(sample.repository), store=store).stderr == ""
    assert f"it replaces {sample.repository}" in run("add", "repo", str(other), store=store).stderr


def test_a_removed_source_is_read_no_more_and_its_evidence_stays(
    run: Run, sample: Sample, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(sample.store, store)
    before = run("status", store=store).document

    removed = run("remove", before["sources"][0]["name"], store=store).document
    again = run("remove", before["sources"][0]["name"], store=store)

    assert [source["loader"] for source in removed["sources"]] == ["code", "entire", "git"]
    assert (again.status, "the sources are: none" in again.stderr) == (14, True)
    assert run("rebuild", store=store).document["sources"] == []
    assert run("status", store=store).document["labels"] == before["labels"]
    assert len(run("sessions", store=store).document["rows"]) == 2
    assert run("why", "README.md:1", store=store).status == 14


def test_verify_finds_a_sound_store_sound(run: Run) -> None:
    result = run("verify")

    document = result.document
    assert [check["findings"] for check in document["checks"] if check["findings"]] == []
    assert (result.status, document["ok"], document["deep"]) == (0, True, True)
    names = [check["name"] for check in document["checks"]]
    assert [name for name in names if not name.startswith("text index")] == [
        "receipts",
        "batches",
        "sequence",
        "evidence",
        "parts",
        "segments",
        "generations",
        "root digest",
        "projection 1",
        "generation 1",
    ]
    assert all(check["checked"] for check in document["checks"])


def test_reset_recreates_the_store_and_keeps_the_old_bytes(run: Run, tmp_path: Path) -> None:
    run("init", store=None, cwd=tmp_path)
    store = tmp_path.resolve() / ".graphsvc"
    (store / "store.json").write_text("{")

    document = run("reset", store=None, cwd=tmp_path).document

    assert (document["store"], document["kept"]) == (str(store), f"{store}.reset-1")
    assert (tmp_path / ".graphsvc.reset-1" / "store.json").read_text() == "{"
    assert run("status", store=store).document["sources"] == []


def test_reset_asks_before_it_deletes(run: Run, launch: Run, tmp_path: Path) -> None:
    run("init", store=None, cwd=tmp_path)

    refused = launch("reset", "--discard", store=None, cwd=tmp_path)
    kept = run("status", store=None, cwd=tmp_path)
    done = run("reset", "--discard", "--yes", store=None, cwd=tmp_path)

    assert refused.status == 130
    assert "nothing was deleted; answer y, or give --yes" in refused.stderr
    assert kept.status == 0
    assert done.document["kept"] is None
    assert [path.name for path in tmp_path.iterdir()] == [".graphsvc"]


def test_git_ignores_a_store_and_what_a_reset_keeps(run: Run, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    run("init", store=None, cwd=tmp_path)
    (tmp_path / ".graphsvc" / ".gitignore").unlink()  # as a store has it that an earlier version made
    run("reset", store=None, cwd=tmp_path)

    status = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=tmp_path, capture_output=True, check=True
    )

    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", ".graphsvc", ".graphsvc.reset-1"]
    assert status.stdout == b""
