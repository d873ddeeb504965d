"""The statements behind the comparison with true numbers, on the invented project of the named queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import evidence, truth
from benchmarks.truth import compare, statements
from graphsvc.knowledge import KnowledgeBase
from tests.queries import world
from tests.queries.world import DANGLING, KNOWN, ORPHAN

NUMBERS: dict[str, Any] = {
    "tree_blobs": 6,
    "missing_by_file": {},
    "files": {"metadata.json": 2, "N/metadata.json": 2, "N/full.jsonl": 2},
    "checkpoints_with_n_session_dirs": {"1": 2},
    "session_agent": {"Claude Code": 2},
    "session_model": {"None": 2},
    "top_files_touched_by_checkpoints": [["a.py", 2]],
    "format_by_agent_label": {"Claude Code -> claude": 2},
    "malformed": [{"path": "cc/cccccccccc/0/full.jsonl", "line": 10, "bytes": 36, "recovered_objects": 2}],
    "tool_use_raw": 8,
    "nested_subagent_tool_use_distinct": 1,
    "tool_use_without_result": 1,
    "user_prompts_typed_raw": 3,
    "claude_usage_distinct_message_id": {
        "messages": 2,
        "input_tokens": 17,
        "cache_creation_input_tokens": None,
        "cache_read_input_tokens": 100,
        "output_tokens": 8,
    },
    "commits": {
        "HEAD": {
            "commits": 4,
            "with_trailer_regex": 2,
            "with_trailer_git_parser": 2,
            "with_more_than_one_id": 0,
            "links": 2,
            "links_resolved": 1,
            "commits_resolved": 1,
            "commits_all_ids_unresolved": 1,
            "distinct_ids": 2,
            "distinct_ids_resolved": 1,
            "distinct_ids_unresolved": 1,
            "ids_on_more_than_one_commit": 0,
            "max_commits_for_one_id": 1,
            "checkpoints_without_commit": 1,
            "unresolved_ids": [DANGLING],
            "unlinked_checkpoints": [ORPHAN],
        }
    },
    "sample_links": {KNOWN: ["9cc5f75e08cbbcde4d59ca9977a2128ab332ca27"]},
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return world.make(tmp_path_factory.mktemp("world"))


def test_numbers_of_a_small_project(kb: KnowledgeBase) -> None:
    with kb.store.read() as reader:
        compared, left_out = compare(reader, NUMBERS)

    assert [(c.name, c.truth, c.found) for c in compared if not c.is_same] == []
    assert left_out == {}
    assert len(compared) == 36


def test_every_statement_runs(kb: KnowledgeBase) -> None:
    with kb.store.read() as reader:
        reader.run((Path(truth.__file__).parent / "sql" / "truth_views.sql").read_text())
        columns = {name: reader.table(statement)[0] for name, statement in statements().items()}

    assert len(columns) == 75
    assert all(columns.values())


def test_differences_are_found(kb: KnowledgeBase) -> None:
    with kb.store.read() as reader:
        compared, left_out = compare(reader, {"checkpoints": 3, "session_agent": {"Codex": 2}, "moons": 1})

    assert [(c.name, c.truth, c.found, c.is_same) for c in compared] == [
        ("checkpoints", 3, 2, False),
        ("session_agent.Codex", 2, None, False),
        ("session_agent.Claude Code", None, 2, False),
    ]
    assert left_out == {"moons": "no statement computes it"}


@pytest.mark.parametrize(("checkpoints", "code"), [(2, 0), (3, 1)])
def test_exit_code(
    kb: KnowledgeBase,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    checkpoints: int,
    code: int,
) -> None:
    file = tmp_path / "truth.json"
    file.write_text(json.dumps({"numbers": {"checkpoints": checkpoints}}))
    arguments = [
        "truth",
        "--repo",
        str(tmp_path),
        "--truth",
        str(file),
        "--store",
        str(kb.store.folder),
        "--json",
    ]
    monkeypatch.setattr("sys.argv", arguments)

    assert truth.main() == code
    [row] = json.loads(capsys.readouterr().out)["compared"]
    assert row == {"name": "checkpoints", "truth": checkpoints, "found": 2, "same": code == 0}


def test_evidence_of_a_small_project(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [source, *_] = kb.store.sources()
    arguments = ["evidence", "--repo", source.locator, "--store", str(kb.store.folder), "--json"]
    monkeypatch.setattr("sys.argv", arguments)

    assert evidence.main() == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["transcripts"], figures["transcripts_wrong"], figures["events_wrong"]) == (2, [], [])
    assert {"entry", "tool_call", "symbol", "commit"} <= figures["events"].keys()
