"""The commands about memory, on a store of their own."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import pytest

import graphsvc
from graphsvc.canonical.fact_store import DuckDbFactStore
from graphsvc.errors import Conflict, GraphsvcError, InvalidInput
from graphsvc.ids import project_id
from graphsvc.memory.fact_lines import encode
from graphsvc.memory.facts import Fact, remember
from graphsvc.scopes import ALL, Scope, ScopeFilter, at
from tests.cli.conftest import Run, Sample, environment
from tests.memory.pi_host import FIRST, write_hostile, write_planes, write_reads


@pytest.fixture
def place(sample: Sample, tmp_path: Path) -> Sample:
    """A copy of the sample that a test may change."""
    return copy_of(sample, tmp_path)


def copy_of(sample: Sample, folder: Path) -> Sample:
    repository, store = folder / "tally", folder / "store"
    shutil.copytree(sample.repository, repository, symlinks=True)
    shutil.copytree(sample.store, store)
    graphsvc.open(store).add_repository(repository)
    return replace(sample, repository=repository, store=store)


def scope_of(place: Sample) -> Scope:
    kb = graphsvc.open(place.store)
    return kb.memory.scope(place.repository)


def git(repository: Path, *arguments: str) -> str:
    names = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
    names |= {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
    done = subprocess.run(
        ["git", *arguments], cwd=repository, env=environment(**names), check=True, capture_output=True
    )
    return done.stdout.decode().strip()


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


def test_anchors_are_found_and_joined_through_the_graph(run: Run, place: Sample) -> None:
    kb = graphsvc.open(place.store)
    scope = scope_of(place)
    anchors = ("file:tally/money.py", "symbol:parse_amount")
    about = kb.memory.remember("rounds half to even", scope=scope, anchors=anchors).to_dicts()[0]
    file_only = kb.memory.remember("money is kept in cents", scope=scope, anchors=anchors[:1]).to_dicts()[0]
    other = kb.memory.remember("be kind", scope=scope).to_dicts()[0]

    asked = kb.memory.about("symbol:parse_amount", scope=scope).to_dicts()

    assert [(row["about"], row["fact"]) for row in asked] == [
        ("symbol", about["fact"]),
        ("file", file_only["fact"]),
        ("project", other["fact"]),
    ]
    narrowed = run(
        "recall", "EVEN", "--about", "symbol:parse_amount", store=place.store, cwd=place.repository
    )
    assert [row["fact"] for row in narrowed.document["rows"]] == [about["fact"]]
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


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (("--from", "2026-02-01", "--until", "2026-01-01"), "would never hold"),
        (("--expires", "7d"), "has expired already"),
        (("--from", "+8d", "--expires", "+7d"), "expires before it holds"),
    ],
)
def test_what_could_never_hold_is_not_remembered(
    run: Run, place: Sample, times: tuple[str, ...], said: str
) -> None:
    result = run("remember", "x", *times, store=place.store, cwd=place.repository)

    assert (result.status, result.stdout) == (2, b"")
    assert said in result.stderr


def test_a_recall_says_what_it_leaves_out_and_where_else_to_look(tmp_path: Path) -> None:
    memory = graphsvc.init(tmp_path / "store").memory
    inner = Scope(graphsvc.open(tmp_path / "store").store.marker.store_id, "p", "w")
    for number in range(3):
        memory.remember(f"rule {number}", scope=inner, expires_at=datetime(2099, 1, 1))

    def notes(text: str = "", limit: int = 0, scopes: ScopeFilter = ALL) -> tuple[str, ...]:
        answer = memory.recall(text, scopes=scopes, limit=limit)
        assert len(answer) <= (limit or 3)
        return answer.coverage.notes

    elsewhere = "but in other scopes: read them with"
    outer = at(inner.level("project"))
    assert notes(limit=2) == ("the first 2 facts are shown: raise --limit for more",)
    assert notes(limit=3) == notes(limit=10**30) == notes() == ()
    assert notes(scopes=outer) == (
        f"nothing in the scope project, {elsewhere} --with-ancestors or --scope all",
    )
    assert notes(scopes=outer.with_ancestors()) == (
        f"nothing in the scope project, instance, global, {elsewhere} --scope all",
    )
    assert notes("none", scopes=outer) == notes("none") == ("no fact of any scope matches",)


def test_values_of_other_types_are_refused_and_not_taken_apart(tmp_path: Path) -> None:
    memory = graphsvc.init(tmp_path / "store").memory
    [fact] = memory.remember("ship").to_dicts()
    attempts: list[Callable[[], object]] = [
        lambda: memory.recall(kinds="fact"),
        lambda: memory.recall(anchors="file:a"),
        lambda: memory.recall(since="2026-01-01"),  # type: ignore[arg-type]
        lambda: memory.remember("x", anchors="file:a"),
        lambda: memory.remember("x", supersedes=fact["fact"]),
        lambda: memory.remember("x", contradicts=fact["fact"]),
        lambda: memory.remember("x", expires_at="2099-01-01"),  # type: ignore[arg-type]
        lambda: memory.forget(" "),
    ]

    for attempt in attempts:
        with pytest.raises(InvalidInput):
            attempt()
    assert len(memory.facts()) == 1


@dataclass(frozen=True)
class Lived:
    """A store that has memory of every kind in its graph, and what was put in."""

    place: Sample
    facts: dict[str, str]
    hostile: dict[str, str]


@pytest.fixture(scope="module")
def lived(sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """A copy of the sample with facts of all sorts, planes, hostile planes and a session of pi, rebuilt once."""
    folder = tmp_path_factory.mktemp("lived")
    place = copy_of(sample, folder)
    kb, scope = graphsvc.open(place.store), scope_of(place)
    head = git(place.repository, "rev-parse", "HEAD")
    anchors = ("file:tally/money.py", "symbol:parse_amount", f"turn:{_turn(kb)}", f"commit:{head}")
    facts = {
        "all": str(kb.memory.remember("half to even", scope=scope, anchors=anchors).to_dicts()[0]["fact"])
    }
    facts["new"] = str(
        kb.memory.remember("new", scope=scope, supersedes=[facts["all"]]).to_dicts()[0]["fact"]
    )
    facts["gone"] = str(
        kb.memory.remember("old words", scope=scope, anchors=["file:README.md"]).to_dicts()[0]["fact"]
    )
    facts["no"] = str(kb.memory.remember("no", contradicts=[facts["new"]]).to_dicts()[0]["fact"])
    money = place.repository / "tally" / "money.py"
    read = [{"path": "/x/tally/money.py", "served_hash": hashlib.sha256(money.read_bytes()).hexdigest()}]
    money.write_text("# moved\n" + money.read_text())
    git(place.repository, "rm", "-q", "README.md")
    git(place.repository, "commit", "-qam", "Add a comment")
    write_planes(folder / "planes", FIRST, "s1")
    (folder / "pi").mkdir()
    write_reads(folder / "pi" / "s1.jsonl", *read)
    kb.add_planes(folder / "planes")
    hostile = write_hostile(folder / "hostile")
    kb.add_planes(folder / "hostile")
    kb.add_sessions("pi", folder / "pi")
    kb.rebuild()
    return Lived(place, facts, hostile)


def test_every_kind_of_memory_is_in_the_graph(lived: Lived) -> None:
    kb = graphsvc.open(lived.place.store)
    counts = {
        "(:Fact)-[:IN_SCOPE]->(:Scope)": 4,
        "(:Scope)-[:ENCLOSED_BY]->(:Scope)": 2,
        "(:Fact)-[:SUPPORTED_BY]->(:File)": 2,
        "(:Fact)-[:SUPPORTED_BY]->(:Symbol)": 1,
        "(:Fact)-[:SUPPORTED_BY]->(:Turn)": 1,
        "(:Fact)-[:SUPPORTED_BY]->(:Commit)": 1,
        "(:Fact)-[:SUPERSEDES]->(:Fact)": 1,
        "(:Fact)-[:CONTRADICTS]->(:Fact)": 1,
        "(:Intent)-[:OWNS]->(:PlaneItem)": 1,
        "(:Boundary)-[:PARENT]->(:Boundary {boundary: 'T2'})": 1,
        "(:Boundary)-[:CHANGED_SCOPE]->(:Scope {cwd: '/w/shop'})": 2,
        "(:ReadScope {session: 's1'})-[:OF]->(:File {path: 'tally/money.py'})": 1,
    }
    found = {
        pattern: kb.cypher(f"MATCH {pattern} RETURN count(*) AS n").to_dicts()[0]["n"] for pattern in counts
    }

    assert found == counts
    [stale] = kb.query("stale_reads").to_dicts()
    assert (stale["session"], stale["path"]) == ("s1", "tally/money.py")
    [trusted] = kb.trust("s", path="money.py").to_dicts()
    assert trusted["is_changed"] is True


def test_anchors_are_checked_against_todays_evidence(lived: Lived) -> None:
    head = git(lived.place.repository, "rev-parse", "HEAD~1")
    states = {
        (row["fact"], row["anchor_kind"]): (row["state"], row["name"])
        for row in graphsvc.open(lived.place.store).memory.verify_facts()
    }

    assert states == {
        (lived.facts["all"], "file"): ("drifted", "tally/money.py"),
        (lived.facts["all"], "symbol"): ("current", "tally.money parse_amount()."),
        (lived.facts["all"], "turn"): ("current", None),
        (lived.facts["all"], "commit"): ("current", head),
        (lived.facts["gone"], "file"): ("deleted", "README.md"),
    }


def test_what_rests_on_something_that_is_gone_is_recalled_by_its_path_or_id(run: Run, lived: Lived) -> None:
    def found(*arguments: str) -> list[str]:
        result = run("recall", *arguments, store=lived.place.store, cwd=lived.place.repository)
        assert result.status == 0, result.stderr
        return [row["fact"] for row in result.document["rows"] if row.get("about") != "project"]

    [row] = graphsvc.open(lived.place.store).memory.recall("old words").to_dicts()

    assert found("--anchor", "file:README.md") == [lived.facts["gone"]]
    assert found("--anchor", row["anchors"][0]) == [lived.facts["gone"]]
    assert found("--about", "file:README.md") == [lived.facts["gone"]]
    missing = run("recall", "--anchor", "file:none.md", store=lived.place.store, cwd=lived.place.repository)
    assert missing.status == 14


def test_hostile_planes_are_listed_with_their_reasons(run: Run, lived: Lived) -> None:
    rows = run("planes", "check", "--source", "hostile", store=lived.place.store).document["rows"]

    refused = {
        "/".join(part for part in row["location"].split("/") if ".json" not in part): row["state"]
        for row in rows
        if row["state"] != "admitted"
    }
    assert refused == lived.hostile
    assert all(row["detail"] for row in rows if row["state"] != "admitted")


def test_the_planes_of_a_host_are_read_by_the_beginning_of_a_session(run: Run, lived: Lived) -> None:
    where = ("--source", "planes", "--cwd", "/w/shop", "--session", "s")

    def ask(*arguments: str) -> object:
        return json.loads(run("planes", *arguments, *where, store=lived.place.store).stdout)

    assert ask("show", "effective.intents.now") == "write it"
    assert ask("show", "session.intents", "--projection", "keys")["keys"] == ["now"]  # type: ignore[index]
    assert [row["boundary"] for row in ask("history")["rows"]] == ["T3", "T2", "T1", "T0"]  # type: ignore[index]
    assert ask("at", "2")["effective"] == {"intents": {"tidy": "small functions"}}  # type: ignore[index]


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
    notes = tmp_path / "\udcff.md"
    notes.write_text("# Build\n\n- use make\n- never push\n")

    def outcomes(path: Path, store: Path = place.store) -> list[str]:
        result = run("facts", "import", str(path), store=store, cwd=place.repository)
        assert result.status == 0, result.stderr
        return [row["outcome"] for row in result.document["rows"]]

    assert outcomes(notes) == ["added", "added"]
    assert outcomes(notes) == ["known", "known"]
    [row] = run("recall", "make", store=place.store, cwd=place.repository).document["rows"]
    [anchor] = row["anchors"]
    assert run("evidence", anchor.removeprefix("span:"), store=place.store).text == "- use make"
    again = run("recall", "--anchor", anchor, store=place.store, cwd=place.repository).document["rows"]
    assert [item["fact"] for item in again] == [row["fact"]]

    exported = tmp_path / "facts.jsonl"
    exported.write_bytes(run("facts", "export", store=place.store).stdout + b'{"record":"fact"}\n')
    graphsvc.init(tmp_path / "other")
    assert outcomes(exported, tmp_path / "other") == ["added", "added", "not_a_record"]
    faults = run("query", "faults", store=tmp_path / "other").document["rows"]
    assert [(row["kind"], row["place"], row["lines"]) for row in faults] == [
        ("not_a_record", "facts.jsonl", [3])
    ]
    [mine, its] = [graphsvc.open(store).store.marker.store_id for store in (place.store, tmp_path / "other")]
    there = run("facts", "export", store=tmp_path / "other").stdout
    assert there == run("facts", "export", store=place.store).stdout.replace(mine.encode(), its.encode())
    assert outcomes(exported) == ["known", "known", "not_a_record"]
    found = run("recall", "make", store=tmp_path / "other", cwd=place.repository).document["rows"]
    assert [item["fact"] for item in found] == [row["fact"]]


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


def test_planes_are_patched_and_read_here(run: Run, place: Sample, tmp_path: Path) -> None:
    patch = tmp_path / "patch.json"
    patch.write_text(
        json.dumps({"cwd": {"intents": {"ship": {"$ref": "cwd.tactics.next"}}, "tactics": {"next": "test"}}})
    )

    def ask(*arguments: str) -> object:
        result = run("planes", *arguments, store=place.store, cwd=place.repository / "tally")
        assert result.status == 0, result.stderr
        return json.loads(result.stdout)

    assert ask("patch", str(patch))["head"] == "T1"  # type: ignore[index]
    assert ask("show", "tactics.next") == ask("show", "tactics.next", "--cwd", ".") == "test"
    patch.write_text('{"cwd": {"intents": {"ship": null}}}')
    assert ask("patch", str(patch), "--expected-head", "T1")["cleared"] == ["cwd.tactics.next"]  # type: ignore[index]
    assert ask("at", "1")["cwd"]["tactics"] == {"next": "test"}  # type: ignore[index]
    for bad in ("[1]", '"x"', "null", '{"cwd": {"tactics": {"a": NaN}}}', '{"cwd": {"working": {}}}'):
        patch.write_text(bad)
        refused = run("planes", "patch", str(patch), store=place.store, cwd=place.repository)
        assert (refused.status, refused.stdout) == (2, b"")
        assert "Error" not in refused.stderr
    patch.write_text('{"cwd": {"intents": {"ship": null}}}')
    odd = run("planes", "patch", str(patch), "--session", "\udcff", store=place.store, cwd=place.repository)
    assert odd.status == 2
    late = run(
        "planes", "patch", str(patch), "--expected-head", "T1", store=place.store, cwd=place.repository
    )
    assert late.status == 17
    assert "'T1'" in late.stderr
    assert "'T2'" in late.stderr
