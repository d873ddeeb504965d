"""The commands about memory, on a store of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

import graphsvc
from graphsvc.canonical.fact_store import DuckDbFactStore
from graphsvc.errors import Conflict, GraphsvcError
from graphsvc.ids import project_id
from graphsvc.memory.fact_lines import encode
from graphsvc.memory.facts import Fact, remember
from graphsvc.scopes import Scope
from tests.cli.conftest import Run, Sample, environment


@pytest.fixture
def place(sample: Sample, tmp_path: Path) -> Sample:
    """A copy of the sample that a test may change."""
    repository, store = tmp_path / "tally", tmp_path / "store"
    shutil.copytree(sample.repository, repository, symlinks=True)
    shutil.copytree(sample.store, store)
    graphsvc.open(store).add_repository(repository)
    return replace(sample, repository=repository, store=store)


def scope_of(place: Sample) -> Scope:
    kb = graphsvc.open(place.store)
    return kb.memory.scope(place.repository)


def git(repository: Path, *arguments: str) -> None:
    names = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
    names |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
    subprocess.run(
        ["git", *arguments], cwd=repository, env=environment(**names), check=True, capture_output=True
    )


def test_remember_recall_supersede_and_forget(run: Run, place: Sample) -> None:
    def rows(*arguments: str, cwd: Path = place.repository) -> list[dict]:
        result = run(*arguments, "--format", "json", store=place.store, cwd=cwd)
        assert result.status == 0, result.stderr
        return result.document.get("rows", [])

    [old] = rows("remember", "deploys go out on Fridays", "--kind", "observation")
    [note] = rows("remember", "this clone is scratch", "--scope", "workspace")
    [new] = rows("remember", "deploys go out daily", "--supersedes", old["fact"][:20])
    outside = place.repository.parent

    assert [row["fact"] for row in rows("recall", "DEPLOYS")] == [new["fact"]]
    assert [row["fact"] for row in rows("recall", "deploys", "--with-superseded")] == [
        new["fact"],
        old["fact"],
    ]
    assert rows("recall", "deploys", "--kind", "preference") == []
    assert [row["fact"] for row in rows("recall", "--scope", "workspace", "--with-ancestors")] == [
        note["fact"],
        new["fact"],
    ]
    assert rows("recall", cwd=outside) == []
    assert len(rows("recall", "--scope", "all", cwd=outside)) == 2
    assert [row["fact"] for row in rows("recall", "--project", "tally", cwd=outside)] == [new["fact"]]

    assert run("forget", new["fact"], store=place.store).status == 0
    assert run("forget", new["fact"], store=place.store).status == 14
    assert rows("recall", "deploys") == []
    assert [row["state"] for row in rows("facts", "list")] == ["superseded", "standing", "forgotten"]
    assert [row["record"] for row in rows("facts", "history", new["fact"])] == [
        "fact",
        "supersedes",
        "forget",
    ]


def test_a_linked_worktree_shares_the_project_and_has_its_own_workspace(
    place: Sample, tmp_path: Path
) -> None:
    git(place.repository, "worktree", "add", "-q", str(tmp_path / "linked"))
    memory = graphsvc.open(place.store).memory

    here, there = memory.place(place.repository / "tally").scope, memory.place(tmp_path / "linked").scope

    assert here.project == there.project == project_id(memory.place(place.repository).repository_id)
    assert here.workspace != there.workspace
    assert memory.place(tmp_path).scope == Scope(here.instance, "", str(tmp_path))


def test_anchors_are_found_joined_through_the_graph_and_checked(place: Sample) -> None:
    kb = graphsvc.open(place.store)
    scope = scope_of(place)
    anchors = ("file:tally/money.py", "symbol:parse_amount", f"turn:{_turn(kb)}")
    about = kb.memory.remember("rounds half to even", scope=scope, anchors=anchors).to_dicts()[0]
    file_only = kb.memory.remember("money is kept in cents", scope=scope, anchors=anchors[:1]).to_dicts()[0]
    other = kb.memory.remember("be kind", scope=scope).to_dicts()[0]

    asked = kb.memory.about("symbol:parse_amount", scope=scope).to_dicts()
    assert [(row["about"], row["fact"]) for row in asked] == [
        ("symbol", about["fact"]),
        ("file", file_only["fact"]),
        ("project", other["fact"]),
    ]
    assert {row["state"] for row in kb.memory.verify_facts()} == {"current"}
    for missing in (
        "file:none.py",
        "symbol:none",
        "turn:turn_none",
        "commit:abc",
        "span:abcdef:0-1",
        "mood:good",
    ):
        with pytest.raises(GraphsvcError):
            kb.memory.remember("x", anchors=[missing])

    source = place.repository / "tally" / "money.py"
    source.write_text("# moved\n" + source.read_text())
    git(place.repository, "commit", "-qam", "Add a comment")
    kb.rebuild()

    states = {(row["fact"], row["anchor_kind"]): row["state"] for row in kb.memory.verify_facts()}
    assert states == {
        (about["fact"], "file"): "drifted",
        (about["fact"], "symbol"): "current",
        (about["fact"], "turn"): "current",
        (file_only["fact"], "file"): "drifted",
    }
    supported = kb.cypher("MATCH (f:Fact)-[:SUPPORTED_BY]->(x) RETURN f.id AS fact").to_dicts()
    assert sorted(row["fact"] for row in supported) == sorted([about["fact"]] * 3 + [file_only["fact"]])


def _turn(kb: graphsvc.KnowledgeBase) -> str:
    return str(next(iter(kb.cypher("MATCH (t:Turn) RETURN t.id AS id ORDER BY id LIMIT 1")))["id"])


def test_why_shows_what_was_in_force_when_the_line_was_written(run: Run, place: Sample) -> None:
    second = 1_000_000
    new_year = 1_767_225_600 * second
    scope = scope_of(place)
    facts = [
        Fact("before", "fact", "thousands separators matter", new_year, scope),
        Fact("later", "fact", "too late", new_year + 86_400 * second, scope),
        Fact("elsewhere", "fact", "another project", new_year, Scope(scope.instance, "project_x")),
    ]
    DuckDbFactStore(graphsvc.open(place.store).store).append(facts)

    rows = run("why", "tally/money.py:6", store=place.store, cwd=place.repository).document["rows"]

    assert [row["subject"] for row in rows if row["step"] == "fact"] == ["before"]
    assert rows[-1]["origin"] == "in_force"


def test_files_of_facts_come_in_once_and_go_out_again(run: Run, place: Sample, tmp_path: Path) -> None:
    notes = tmp_path / "CLAUDE.md"
    notes.write_text("# Build\n\n- use make\n- never push\n")

    def outcomes(path: Path, store: Path = place.store) -> list[str]:
        result = run("facts", "import", str(path), store=store, cwd=place.repository)
        assert result.status == 0, result.stderr
        return [row["outcome"] for row in result.document["rows"]]

    assert outcomes(notes) == ["added", "added"]
    assert outcomes(notes) == ["known", "known"]
    [row] = run("recall", "make", store=place.store, cwd=place.repository).document["rows"]
    segment, start, end = row["anchors"][0].removeprefix("span:").split(":")
    assert run("evidence", f"{segment}:{start}-{end}", store=place.store).text == "- use make"

    exported = tmp_path / "facts.jsonl"
    exported.write_bytes(run("facts", "export", store=place.store).stdout + b'{"record":"fact"}\n')
    graphsvc.init(tmp_path / "other")
    assert outcomes(exported, tmp_path / "other") == ["added", "added", "not_a_record"]
    assert (
        run("facts", "export", store=tmp_path / "other").stdout
        == exported.read_bytes()[: -len(b'{"record":"fact"}\n')]
    )


def test_of_two_writers_at_once_one_wins_and_the_other_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = graphsvc.init(tmp_path / "store").store
    both_have_read = threading.Barrier(2)
    admit = store.admit

    def admit_together(batch):  # type: ignore[no-untyped-def]
        both_have_read.wait(timeout=60)
        return admit(batch)

    monkeypatch.setattr(store, "admit", admit_together)
    outcomes: list[Conflict | None] = []

    def write(content: str) -> None:
        try:
            DuckDbFactStore(store).append([remember(content, recorded_at=1)])
        except Conflict as error:
            outcomes.append(error)
        else:
            outcomes.append(None)

    threads = [threading.Thread(target=write, args=(content,)) for content in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [lost] = [outcome for outcome in outcomes if outcome is not None]
    assert lost.expected is None
    assert lost.actual is not None
    assert len(DuckDbFactStore(store).histories()) == 1


def test_every_record_rests_on_its_own_line(tmp_path: Path) -> None:
    store = graphsvc.init(tmp_path / "store").store
    fact = remember("ship", recorded_at=1)
    DuckDbFactStore(store).append([fact])

    with store.read() as reader:
        [(segment, start, end)] = reader.rows("SELECT segment, start_byte, end_byte FROM fact")
        assert reader.segments([segment])[segment][start:end] == encode(fact)


def test_planes_are_patched_and_read_here(launch: Run, place: Sample, tmp_path: Path) -> None:
    patch = tmp_path / "patch.json"
    patch.write_text(
        json.dumps({"cwd": {"intents": {"ship": {"$ref": "cwd.tactics.next"}}, "tactics": {"next": "test"}}})
    )

    def ask(*arguments: str) -> object:
        result = launch("planes", *arguments, store=place.store, cwd=place.repository / "tally")
        assert result.status == 0, result.stderr
        return json.loads(result.stdout)

    assert ask("patch", str(patch))["head"] == "T1"  # type: ignore[index]
    assert ask("show", "tactics.next") == "test"
    patch.write_text('{"cwd": {"intents": {"ship": null}}}')
    assert ask("patch", str(patch), "--expected-head", "T1")["cleared"] == ["cwd.tactics.next"]  # type: ignore[index]
    assert ask("at", "1")["cwd"]["tactics"] == {"next": "test"}  # type: ignore[index]
    late = launch(
        "planes", "patch", str(patch), "--expected-head", "T1", store=place.store, cwd=place.repository
    )
    assert late.status == 17
    assert "'T1'" in late.stderr
    assert "'T2'" in late.stderr


def test_planes_and_trust_of_a_host_reach_the_graph(place: Sample, tmp_path: Path) -> None:
    planes, sessions = tmp_path / "planes", tmp_path / "sessions"
    planes.mkdir()
    sessions.mkdir()
    origin = {"id": "T0", "position": 0, "parent": None}
    first = {"id": "T1", "position": 1, "parent": "T0"}
    (planes / "checkpoint.json").write_text("{}")
    intents = {"intents": {"i": {"$ref": "global.lazy.plan"}}, "lazy": {"plan": 1}}
    (planes / "patches.jsonl").write_text(json.dumps(intents) + "\n")
    temporal = {"checkpoint": origin, "patches": [first], "revision": 1}
    (planes / "meta.json").write_text(json.dumps({"version": 3, "temporal": temporal}))
    block = {
        "v": 1,
        "pathKey": "/x/tally/money.py",
        "scopeKey": "full",
        "servedHash": "0" * 64,
        "mode": "full",
    }
    block |= {"totalLines": 1, "rangeStart": 1, "rangeEnd": 1, "bytes": 1}
    message = {"role": "toolResult", "toolName": "read", "content": [], "details": {"readcache": block}}
    entries = [
        {"type": "session", "version": 3, "id": "s1"},
        {"type": "message", "id": "a", "parentId": None, "message": message},
    ]
    (sessions / "s1.jsonl").write_text("".join(json.dumps(entry) + os.linesep for entry in entries))
    kb = graphsvc.open(place.store)
    kb.add_planes(planes)
    kb.add_sessions("pi", sessions)
    kb.rebuild()

    [owned] = kb.cypher("MATCH (i:Intent)-[:OWNS]->(p:PlaneItem) RETURN i.name AS intent, p.value AS value")
    [changed] = kb.cypher(
        "MATCH (b:Boundary)-[:CHANGED_SCOPE]->(s:Scope) RETURN b.boundary AS at, s.level AS scope"
    )
    [stale] = kb.query("stale_reads").to_dicts()
    assert owned == {"intent": "i", "value": "1"}
    assert changed == {"at": "T1", "scope": "global"}
    assert (stale["session"], stale["path"]) == ("s1", "tally/money.py")
    assert [row["state"] for row in kb.planes.check()] == ["admitted"]
    assert kb.verify().ok
