"""Sessions of each host: which file is whose, what belongs together, and where they worked."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import orjson
import pytest

from graphsvc.errors import Conflict, InvalidInput, NotFound, SourceUnavailable
from graphsvc.knowledge import KnowledgeBase
from loaders.sessions.identity import identify
from loaders.sessions.registration import discover
from tests.repositories import RepositoryBuilder
from tests.sessions.hosts import FIRST, SECOND, Machine, claude
from tests.transcripts.ingestion import jsonl


@pytest.mark.parametrize(
    ("format_name", "path", "record", "expected"),
    [
        ("claude", f"-w/{FIRST}.jsonl", {"sessionId": SECOND}, (FIRST, None, None)),
        ("claude", "-w/copy.jsonl", {"sessionId": SECOND}, (SECOND, None, None)),
        ("claude", f"-w/{FIRST}/subagents/agent-a1.jsonl", {}, (f"agent-a1@{FIRST}", FIRST, "subagent")),
        ("claude", "-w/agent-a1.jsonl", {"sessionId": FIRST}, (f"agent-a1@{FIRST}", FIRST, "subagent")),
        ("codex", f"rollout-2026-{FIRST}.jsonl", {}, (FIRST, None, None)),
        ("codex", "r.jsonl", {"payload": {"id": SECOND, "forked_from_id": FIRST}}, (SECOND, FIRST, "fork")),
        (
            "codex",
            "r.jsonl",
            {
                "payload": {
                    "id": SECOND,
                    "source": {"subagent": {"thread_spawn": {"parent_thread_id": FIRST}}},
                }
            },
            (SECOND, FIRST, "subagent"),
        ),
        ("pi", "s.jsonl", {"id": SECOND, "parentSession": f"/w/2026_{FIRST}.jsonl"}, (SECOND, FIRST, "fork")),
        (
            "gemini_lines",
            f"p/chats/{FIRST}/c.jsonl",
            {"sessionId": SECOND, "kind": "subagent"},
            (SECOND, FIRST, "subagent"),
        ),
        ("copilot", f"{FIRST}/events.jsonl", {"data": {}}, (FIRST, None, None)),
        ("cursor", f"p/{FIRST}/subagents/{SECOND}.jsonl", {}, (SECOND, FIRST, "subagent")),
        ("cline", "tasks/1767225600000/api_conversation_history.json", {}, ("1767225600000", None, None)),
        ("generic", "a.jsonl", {"session_id": "s1"}, ("s1", None, None)),
        (None, "a.txt", {}, ("a", None, None)),
    ],
)
def test_identity(
    format_name: str | None, path: str, record: dict[str, object], expected: tuple[str, ...]
) -> None:
    found = identify(format_name, path, [record])

    assert (found.session_key, found.parent_key, found.relation) == expected


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A session with two subagents, one of them of a deleted session, and a resume that copied its history."""
    machine = Machine(tmp_path_factory.mktemp("family"), "claude-code")
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Task", "input": {"prompt": "Look"}}
    asked = claude(2, "assistant")
    asked["message"] |= {"content": [call]}
    blocks = [asked, {**asked, "uuid": "u2b"}]
    answered = claude(3, message={"role": "user", "content": [result]}, toolUseResult={"agentId": "a1"})
    machine.write(f"w/{FIRST}.jsonl", claude(1), *blocks, answered)
    nested = {"isSidechain": True, "agentId": "a1", "parentUuid": None}
    machine.write(
        f"w/{FIRST}/subagents/agent-a1.jsonl",
        claude(50, uuid="n1", **nested),
        claude(51, "assistant", uuid="n2", **nested),
    )
    orphan = nested | {"agentId": "a9"}
    machine.write(
        "w/agent-a9.jsonl", claude(60, session="33333333-3333-4333-8333-333333333333", uuid="o1", **orphan)
    )
    copied = [{**record, "sessionId": SECOND} for record in (claude(1), *blocks, answered)]
    machine.write(f"w/{SECOND}.jsonl", *copied, claude(4), claude(5, "assistant"))
    machine.refresh()
    return machine


def test_subagents_are_linked_even_without_their_parent(family: Machine) -> None:
    assert family.rows(
        "SELECT session_key, parent_key, call_key FROM session_spawn ORDER BY session_key"
    ) == [
        (f"agent-a1@{FIRST}", FIRST, "toolu_1"),
        ("agent-a9@33333333-3333-4333-8333-333333333333", "33333333-3333-4333-8333-333333333333", None),
    ]


def test_a_resume_that_copied_its_history_goes_on_from_the_session(family: Machine) -> None:
    found = family.rows("SELECT session_key, earlier_key, relation, origin FROM session_continuation")

    assert found == [(SECOND, FIRST, "continues", "copied_records")]


def test_tokens_of_blocks_and_copies_count_once(family: Machine) -> None:
    [total] = family.rows("SELECT sum(output_tokens) FROM session_tokens")

    # Messages 2 (in two blocks, and copied), 5 and 51 of a subagent.
    assert total == 2 + 5 + 51


def test_a_subagent_begins_no_turn(family: Machine) -> None:
    assert family.rows(f"SELECT prompt FROM turn WHERE session_key = 'agent-a1@{FIRST}'") == []
    assert family.rows(f"SELECT prompt FROM turn WHERE session_key = '{FIRST}'") == ["prompt 1"]


def test_codex_running_totals_of_a_fork_count_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "codex")

    def used(total: int) -> dict[str, object]:
        counts = {"input_tokens": total, "output_tokens": total // 10, "cached_input_tokens": 0}
        payload = {"type": "token_count", "info": {"total_token_usage": counts}}
        return {
            "timestamp": f"2026-01-01T00:00:{total // 100:02d}.000Z",
            "type": "event_msg",
            "payload": payload,
        }

    def meta(session: str, **more: str) -> dict[str, object]:
        return {
            "timestamp": "2026-01-01T00:00:00.000Z",
            "type": "session_meta",
            "payload": {"id": session, **more},
        }

    machine.write(f"a-{FIRST}.jsonl", meta(FIRST), used(100), used(300), used(300))
    machine.write(
        f"b-{SECOND}.jsonl", meta(SECOND, forked_from_id=FIRST), used(100), used(300), used(700), used(50)
    )
    machine.refresh()

    found = machine.rows("SELECT session_key, input_tokens, output_tokens FROM session_tokens ORDER BY ALL")

    assert found == [(FIRST, 300, 30), (SECOND, 400 + 50, 40 + 5)]


def _newer_opencode(machine: Machine, *, has_older: bool) -> None:
    """A database as the host writes it from version 2 on; it may still have the tables of version 1."""
    with sqlite3.connect(machine.root / "opencode.db") as database:
        database.execute(
            "CREATE TABLE session (id, parent_id, fork_session_id, directory, title, time_created, time_updated)"
        )
        database.execute(
            "CREATE TABLE session_message (id, session_id, type, seq, time_created, time_updated, data)"
        )
        database.execute(
            "INSERT INTO session VALUES ('ses_1', NULL, 'ses_0', '/w', 'Look', 1767225600000, 1767225602000)"
        )
        answer = {
            "model": {"id": "model-1", "providerID": "p"},
            "content": [{"type": "text", "id": "t", "text": "Gone."}],
            "tokens": {"input": 1, "output": 2, "reasoning": 0, "cache": {"read": 4, "write": 5}},
        }
        messages = [("assistant", answer), ("user", {"text": "Go."})]
        for second, (type_, data) in enumerate(reversed(messages)):
            created = 1767225600000 + 1000 * second
            said = orjson.dumps(data | {"time": {"created": created}}).decode()
            database.execute(
                "INSERT INTO session_message VALUES (?, 'ses_1', ?, ?, ?, ?, ?)",
                [f"evt_{9 - second}", type_, second, created, created, said],
            )
        if has_older:
            database.execute("CREATE TABLE message (id, session_id, time_created, data)")
            database.execute("CREATE TABLE part (id, message_id, session_id, data)")
            database.execute(
                "INSERT INTO message VALUES ('msg_1', 'ses_1', 1767225600000, '{\"role\":\"user\"}')"
            )
            database.execute(
                """INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Go."}')"""
            )
    database.close()


@pytest.mark.parametrize("has_older", [False, True])
def test_opencode_from_version_2_on_has_its_messages_in_one_table(tmp_path: Path, has_older: bool) -> None:
    machine = Machine(tmp_path, "opencode")
    _newer_opencode(machine, has_older=has_older)

    machine.refresh()

    assert machine.rows("SELECT session_key, prompt FROM turn") == [("ses_1", "Go.")]
    assert machine.rows("SELECT relation, parent_key FROM session_link") == [("fork", "ses_0")]
    assert machine.rows("SELECT input_tokens, output_tokens FROM session_tokens") == [(1, 2)]
    assert machine.rows("SELECT model FROM entry WHERE role = 'assistant'") == ["model-1"]
    assert dict(machine.refresh().read) == {}


def test_opencode_without_a_table_of_messages_is_unavailable(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "opencode")
    with sqlite3.connect(machine.root / "opencode.db") as database:
        database.execute("CREATE TABLE session (id, directory, time_created, time_updated)")
    database.close()

    with pytest.raises(SourceUnavailable, match="no table of messages"):
        machine.refresh()


def test_opencode_files_and_database_give_the_same_session(tmp_path: Path) -> None:
    session = {"id": "ses_1", "directory": "/w", "title": "Look", "parentID": "ses_0"}
    user = {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1_767_225_600_000}}
    part = {"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "text", "text": "Go."}
    files = Machine(tmp_path / "files", "opencode")
    for path, value in (
        ("storage/session/p/ses_1.json", session),
        ("storage/message/ses_1/msg_1.json", user),
        ("storage/part/msg_1/prt_1.json", part),
        ("storage/part/msg_1/prt_2.json", None),
    ):
        files.write(path, json.dumps(value, indent=2).encode() if value else b'{"cut": ')
    rows = Machine(tmp_path / "rows", "opencode")
    with sqlite3.connect(rows.root / "opencode.db") as database:
        database.execute("CREATE TABLE session (id, parent_id, directory, title, time_created, time_updated)")
        database.execute("CREATE TABLE message (id, session_id, time_created, data)")
        database.execute("CREATE TABLE part (id, message_id, session_id, data)")
        database.execute(
            "INSERT INTO session VALUES ('ses_1', 'ses_0', '/w', 'Look', 1767225600000, 1767225600001)"
        )
        said = {key: value for key, value in user.items() if key not in ("id", "sessionID")}
        database.execute(
            "INSERT INTO message VALUES ('msg_1', 'ses_1', 1767225600000, ?)", [json.dumps(said)]
        )
        database.execute(
            "INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', ?)", ['{"type":"text","text":"Go."}']
        )
    database.close()

    for machine in (files, rows):
        machine.refresh()
        assert machine.rows("SELECT session_key, prompt, started_at FROM turn")[0][:2] == ("ses_1", "Go.")
        assert machine.rows("SELECT session_key, parent_key FROM session_spawn") == [("ses_1", "ses_0")]
        assert dict(machine.refresh().read) == {}
    assert b'{\\"cut\\": ' in next(iter(files.rebuilt().values()))
    assert [path.name for path in rows.root.iterdir()] == ["opencode.db"]


def test_cursor_composers_of_the_database(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "cursor")
    composer = {"composerId": "c1", "createdAt": 1_767_225_600_000, "name": "Repair"}
    composer["fullConversationHeadersOnly"] = [{"bubbleId": "b2"}, {"bubbleId": "b1"}]
    with sqlite3.connect(machine.root / "state.vscdb") as database:
        database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
        database.executemany(
            "INSERT INTO cursorDiskKV VALUES (?, ?)",
            [
                ("composerData:c1", json.dumps(composer)),
                ("composerData:c2", None),
                ("bubbleId:c1:b1", json.dumps({"type": 2, "bubbleId": "b1", "text": "Mended."})),
                ("bubbleId:c1:b2", json.dumps({"type": 1, "bubbleId": "b2", "text": "Mend it."})),
            ],
        )
    database.close()
    machine.refresh()

    assert machine.rows("SELECT entry_type FROM timeline ORDER BY position") == [
        "composer",
        "bubble/user",
        "bubble/assistant",
    ]
    assert machine.rows("SELECT prompt FROM turn") == ["Mend it."]


def test_lines_of_a_host_of_ones_own_by_a_mapping(tmp_path: Path) -> None:
    machine = Machine(tmp_path, "jsonl")
    machine.write(
        "talk.jsonl",
        {"run": "r1", "speaker": "user", "body": {"text": "Hello"}, "at": 1_767_225_600},
        {"run": "r1", "speaker": "assistant", "body": {"text": "Hi"}, "at": 1_767_225_601},
    )

    machine.refresh({"session": ["run"], "role": ["speaker"], "text": ["body.text"], "timestamp": ["at"]})

    assert machine.rows("SELECT session_key, role, text FROM message ORDER BY ALL") == [
        ("r1", "assistant", "Hi"),
        ("r1", "user", "Hello"),
    ]
    with pytest.raises(InvalidInput, match="no column"):
        machine.refresh({"colour": ["x"]})


def test_a_session_is_placed_in_the_repository_of_its_working_directory(tmp_path: Path) -> None:
    repository = RepositoryBuilder(tmp_path / "tally")
    repository.commit({"src/a.py": "x = 1\n"}, "Begin")
    machine = Machine(tmp_path, "claude-code")
    machine.kb.add_repository(tmp_path / "tally")
    here, gone = str(tmp_path / "tally" / ".git" / ".."), str(tmp_path / "tally" / "gone")
    machine.write(f"{FIRST}.jsonl", claude(1, cwd=here), claude(2, cwd=gone), claude(3, cwd="/nowhere"))

    report = machine.refresh()

    assert machine.rows("SELECT cwd, origin, confidence FROM session_workplace ORDER BY confidence DESC") == [
        (here, "work_tree", 1.0),
        (gone, "source_folder", 0.9),
    ]
    assert machine.rows("SELECT session_key FROM session_repository") == [FIRST]
    assert report.skipped["working directory in no repository"] == 1


def test_discovery_lists_and_adds_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    place = home / ".claude/projects/-w"
    place.mkdir(parents=True)
    (place / f"{FIRST}.jsonl").write_bytes(jsonl(claude(1)))
    (place / "notes.txt").write_bytes(b"no session")

    found = list(discover(home))

    assert [(each.host, each.path, each.transcripts) for each in found] == [
        ("claude-code", str(home / ".claude/projects"), 1)
    ]


def test_a_second_place_needs_a_name_of_its_own(tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    kb.add_sessions("codex", tmp_path / "one")

    with pytest.raises(Conflict):
        kb.add_sessions("codex", tmp_path / "two")
    with pytest.raises(NotFound):
        kb.add_sessions("abacus", tmp_path / "two")
    kb.add_sessions("codex", tmp_path / "two", name="other")

    assert [source.name for source in kb.store.sources()] == ["codex", "other"]
