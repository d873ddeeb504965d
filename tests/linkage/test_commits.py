"""What people are told of commits that no session wrote, and of the prompts behind those that one did."""

from __future__ import annotations

import pytest

from graphsvc.answers import Answer
from graphsvc.knowledge import KnowledgeBase
from loaders.linkage import link
from tests.linkage.world import BOT, at_commit, body, keep
from tests.queries.conftest import Trails, key
from tests.queries.test_why import slash

WISH = "Write what computes all of the brief numbers"


@pytest.fixture(scope="module")
def trails(tmp_path_factory: pytest.TempPathFactory) -> Trails:
    made = Trails(tmp_path_factory.mktemp("commits"))
    repository = made.repository
    begin = made.commit({"begin.txt": "begin\n"}, message="begin")

    one = repository.commit({"one.py": body("one")}, "one", branch="topic", parents=[begin])
    repository.commit({"two.py": body("two")}, "two", branch="topic", parents=[one])
    topic = repository.git("rev-parse", "topic")
    repository.commit({"begin.txt": "begun\n"}, "aside")
    main = repository.git("rev-parse", "main")
    repository.commit({"one.py": body("one"), "two.py": body("two")}, "merge topic", parents=[main, topic])
    repository.commit({"bot.py": body("bot")}, "bumped", author=BOT)
    made.commit({"lost.txt": "lost\n"}, "lost", message="lost")

    told = at_commit(made).prompt(WISH).say("Shall I?").prompt("yes").prompt(slash("tidy", "twice"))
    keep(made, "brief", told.write("brief", "/p/brief.py", body("brief")))
    made.commit({"brief.py": body("brief")}, "brief", message="brief")

    wide, rare = body("wide", 30), "rarely_used = compute_rarely(1)\n"
    told = at_commit(made).write("wide", "/p/wide.py", wide).prompt("And one line that is rare")
    keep(made, "wide", told.write("rare", "/p/rare.py", rare))
    made.commit({"wide.py": wide, "rare.py": rare}, "wide", message="wide")
    made.load()
    link(made.store)
    return made


def why(trails: Trails, message: str) -> Answer:
    commit = trails.repository.git("log", "--format=%H", f"--grep=^{message}", "main")
    return KnowledgeBase(trails.store).why(commit)


def test_a_merge_tells_which_commits_it_brought_in(trails: Trails) -> None:
    answer = why(trails, "merge topic")

    rows = answer.to_dicts()
    assert [(row["step"], row["text"].split(" (")[0], row["origin"]) for row in rows] == [
        ("commit", "merge topic", "asked"),
        ("commit", "two", "merged"),
        ("commit", "one", "merged"),
    ]
    assert "the trail ends: it is a merge of 2 commits: ask for one of them" in answer.coverage.notes


def test_a_commit_of_a_bot_is_said_to_be_one(trails: Trails) -> None:
    commit = "its author is a bot, whose commits are never linked to sessions"

    assert f"the trail ends: {commit}" in why(trails, "bumped").coverage.notes
    [note, *_] = KnowledgeBase(trails.store).why("bot.py", 1).coverage.notes
    assert note == f"the trail ends: the commit's message names no checkpoint, and {commit}"


def test_a_checkpoint_that_only_a_commit_knows_leads_to_that(trails: Trails) -> None:
    answer = KnowledgeBase(trails.store).why(key("lost"))

    assert [row["text"].split(" (")[0] for row in answer] == ["lost"]
    assert (
        "the trail ends: the store has no such checkpoint, only the commits that name it"
        in answer.coverage.notes
    )


def test_a_commit_tells_what_prompts_of_few_words_are_about_and_slash_commands(trails: Trails) -> None:
    rows = [(row["step"], row["text"]) for row in why(trails, "brief")]

    assert rows[-3:] == [
        ("prompt", "[6 lines] yes"),
        ("earlier_prompt", WISH),
        ("slash_command", "/tidy twice"),
    ]


def test_prompts_of_few_of_a_commits_lines_are_counted_only(trails: Trails) -> None:
    answer = why(trails, "wide")

    [prompt] = [row["text"] for row in answer if row["step"] == "prompt"]
    assert prompt.startswith("[30 lines] Please write it")
    assert "prompts that led to 1 line are not told" in answer.coverage.notes
