"""The sample repository is the same anywhere, and its agent really wrote what its transcripts say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from examples.sample import build

ROOT = Path(__file__).parents[2]
MAIN = "bb73f7236894cef73963cd7532711783b8f6af0f"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sample") / "tally")


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.removesuffix("\n")


def test_object_ids_are_reproducible(repository: Path) -> None:
    assert git(repository, "rev-parse", "main") == MAIN
    assert git(repository, "status", "--porcelain") == ""


def test_every_commit_of_an_agent_names_a_checkpoint_of_the_orphan_branch(repository: Path) -> None:
    named = git(
        repository,
        "log",
        "--reverse",
        "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=)",
        "main",
    )
    stored = git(repository, "ls-tree", "-r", "--name-only", "entire/checkpoints/v1").splitlines()

    keys = [key for key in named.splitlines() if key]
    assert keys == ["a1b2c3d4e5f6", "b2c3d4e5f6a1", "c3d4e5f6a1b2"]
    assert {f"{key[:2]}/{key[2:]}/0/full.jsonl" for key in keys} <= set(stored)
    related = subprocess.run(
        ["git", "-C", str(repository), "merge-base", "main", "entire/checkpoints/v1"],
        capture_output=True,
        check=False,
    )
    assert related.returncode == 1


def test_the_transcripts_tool_calls_give_the_committed_files(repository: Path) -> None:
    """Replaying what the agent wrote on what people committed gives the last commit."""
    files: dict[str, str] = {}
    for oid in git(repository, "rev-list", "--reverse", "main").splitlines():
        changed = git(repository, "show", "--format=", "--name-only", oid).splitlines()
        key = git(
            repository, "log", "-1", "--format=%(trailers:key=Entire-Checkpoint,valueonly,separator=)", oid
        )
        if key:
            replay(files, git(repository, "show", f"entire/checkpoints/v1:{key[:2]}/{key[2:]}/0/full.jsonl"))
        for path in changed:
            committed = git(repository, "show", f"{oid}:{path}")
            if key:
                assert files[path].removesuffix("\n") == committed
            files[path] = committed + "\n"


def replay(files: dict[str, str], transcript: str) -> None:
    for line in transcript.splitlines():
        for block in json.loads(line)["message"]["content"]:
            if isinstance(block, dict) and block["type"] == "tool_use":
                given = block["input"]
                path = given.get("file_path", "").removeprefix("/home/ada/tally/")
                if block["name"] == "Write":
                    files[path] = given["content"]
                elif block["name"] == "Edit" and given["old_string"] in files[path]:
                    files[path] = files[path].replace(given["old_string"], given["new_string"])


def test_an_existing_folder_is_left_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.sample", str(tmp_path)]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "exists already" in done.stderr
    assert list(tmp_path.iterdir()) == []
