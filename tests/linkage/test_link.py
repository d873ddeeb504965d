"""Which sessions commits come from, and which calls their lines, without a word of the commits' messages."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from graphsvc.canonical.derived import LINKED
from graphsvc.errors import InvalidInput, NotFound
from graphsvc.kinds import DERIVED
from graphsvc.knowledge import KnowledgeBase
from loaders.base import silent
from loaders.linkage import link
from loaders.rebuild import loader_of
from queries.linked import linking_notes
from tests.linkage.world import at_commit, body, keep
from tests.queries.conftest import Trails, session_of
from tests.queries.talks import START, Talk
from tests.repositories import RepositoryBuilder


def links(trails: Trails, title: str) -> dict[str, str]:
    """Sessions that a commit is linked to, with the strongest evidence."""
    with trails.store.read() as reader:
        rows = reader.rows(
            "SELECT s.session_key, s.origin FROM commit_session AS s JOIN present_commit AS c ON c.oid = s.commit_oid"
            " WHERE c.title = $title AND s.confidence >= $least",
            {"title": title, "least": LINKED},
        )
    return dict(rows)


def writers(trails: Trails, path: str) -> dict[int, tuple[str, str]]:
    """Call and origin of each line of a file as it is at the end."""
    with trails.store.read() as reader:
        rows = reader.rows(
            "SELECT o.first_line + i, w.call_key, w.origin FROM line_origin AS o,"
            " LATERAL (SELECT unnest(range(o.line_count)) AS i)"
            " JOIN line_writer AS w ON w.commit_oid = o.origin_oid AND w.path = o.origin_path"
            " AND w.line = o.origin_line + i WHERE o.path = $path ORDER BY 1",
            {"path": path},
        )
    return {line: (call, origin) for line, call, origin in rows}


def test_what_a_session_wrote_is_linked_to_it(world: Trails) -> None:
    assert links(world, "alpha") == {session_of("session 1"): "written_text"}
    assert links(world, "shell") == {session_of("session 8"): "written_text"}


def test_a_squash_of_two_sessions_is_linked_to_both(world: Trails) -> None:
    assert links(world, "squash") == {
        session_of("session 7"): "written_text",
        session_of("right"): "written_text",
    }


@pytest.mark.parametrize("title", ["human", "bot", "touch"])
def test_commits_of_people_and_bots_stay_unlinked(world: Trails, title: str) -> None:
    assert links(world, title) == {}


def test_a_call_that_failed_wrote_nothing(world: Trails) -> None:
    assert writers(world, "src/failed.py") == {}


def test_lines_lead_to_their_call_through_renames_edits_and_formatting(world: Trails) -> None:
    alpha, right = writers(world, "lib/alpha.py"), writers(world, "src/right.py")

    assert alpha == {line: ("again" if line == 3 else "alpha", "written_text") for line in range(1, 7)}
    assert right == {line: ("right", "altered_text" if line == 4 else "written_text") for line in range(1, 7)}


def test_every_link_has_bytes_that_support_it(world: Trails) -> None:
    with world.store.read() as reader:
        rows = reader.rows(
            "SELECT segment, start_byte, end_byte FROM commit_session WHERE confidence >= $least",
            {"least": LINKED},
        )
        assert rows
        assert all(start < end for _, start, end in rows)
        reader.segments(row[0] for row in rows)


def test_nothing_new_is_no_work(world: Trails, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("loaders.linkage.linking._matched")

    report = link(world.store)

    assert (report.calls, report.commits) == (0, 0)
    assert report.links > 0


def tables(trails: Trails) -> dict[str, list[tuple[object, ...]]]:
    with trails.store.read() as reader:
        return {
            name: reader.rows(f'SELECT * FROM "{name}" ORDER BY ALL') for name in DERIVED if name != "linkage"
        }


def small(folder: Path) -> Trails:
    made = Trails(folder)
    made.commit({"begin.txt": "begin\n"})
    keep(made, "one", at_commit(made).write("one", "/p/one.py", body("one")))
    made.commit({"one.py": body("one")}, message="one")
    return made


def grow(made: Trails) -> None:
    keep(
        made,
        "two",
        at_commit(made).edit("two", "/p/one.py", "one_1", "two_1").write("new", "/p/two.py", body("two")),
    )
    made.commit({"one.py": body("one").replace("one_1", "two_1"), "two.py": body("two")}, message="two")


def test_growing_gives_the_tables_of_a_clean_start(tmp_path: Path) -> None:
    grown, clean = small(tmp_path / "grown"), small(tmp_path / "clean")
    for made in (grown, clean):
        made.load()
        if made is grown:
            link(made.store)
        grow(made)
        made.load()

    with grown.store.read() as reader:
        assert linking_notes(reader) == ("newer evidence is not linked yet: run `graphsvc link`",)
    more, all_ = link(grown.store), link(clean.store)
    with grown.store.read() as reader:
        assert linking_notes(reader) == ()

    assert (more.calls, more.commits) == (2, 1)
    assert (all_.calls, all_.commits) == (3, 3)
    assert tables(grown) == tables(clean)


def test_a_linking_that_was_cut_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, cut = small(tmp_path / "whole"), small(tmp_path / "cut")
    for made in (whole, cut):
        made.load()
    link(whole.store)
    with monkeypatch.context() as patched:
        patched.setattr("loaders.linkage.linking.commit_tables", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            link(cut.store)

    report = link(cut.store)

    assert (report.calls, report.commits) == (0, 2)
    assert tables(cut) == tables(whole)


def test_other_rules_make_all_of_it_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = small(tmp_path)
    made.load()
    link(made.store)
    monkeypatch.setattr("loaders.linkage.linking.RULES", "other")

    assert link(made.store).calls == 1


def test_a_repository_that_is_away_is_named_and_looked_for_again(tmp_path: Path) -> None:
    made = small(tmp_path)
    made.load()
    made.repository.path.rename(tmp_path / "away")

    report = link(made.store)
    (tmp_path / "away").rename(made.repository.path)

    assert list(report.unavailable) == ["repository"]
    assert link(made.store).commits == 2


def test_a_store_without_anything_can_be_linked(tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")

    with pytest.raises(NotFound, match="not known yet"):
        kb.attribution()
    with pytest.raises(InvalidInput, match="cannot be counted by"):
        kb.attribution(by="colour")

    assert kb.link().to_dict() == {
        "calls": 0,
        "commits": 0,
        "unknown": 0,
        "links": 0,
        "lines": 0,
        "unavailable": {},
    }
    assert kb.attribution().rows == []


def test_sessions_of_a_host_need_no_checkpoints(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "project")
    repository.commit({"begin.txt": "begin\n"}, "Begin")
    talk = Talk(session_of("host"), start=START + timedelta(seconds=30), cwd=str(repository.path))
    talk.prompt("Please write it").write("call", f"{repository.path}/app.py", body("app", 12))
    repository.commit({"app.py": body("app", 12)}, "By an agent")
    folder = tmp_path / "host" / "project"
    folder.mkdir(parents=True)
    (folder / f"{talk.session}.jsonl").write_bytes(talk.bytes())
    kb = KnowledgeBase.init(tmp_path / "store")
    kb.add_repository(repository.path)
    kb.add_sessions("claude-code", tmp_path / "host")
    for source in sorted(kb.store.sources(), key=lambda source: source.loader != "git"):
        if source.loader != "code":
            loader_of(source).refresh(source, kb.store, silent)

    kb.link()
    answer = kb.why("app.py", 3)

    assert [row["step"] for row in answer] == ["line", "commit", "session", "tool_call", "prompt"]
    assert [row["origin"] for row in answer][2:4] == ["written_text", "written_text"]
    assert answer.to_dicts()[-1]["text"] == "Please write it"
