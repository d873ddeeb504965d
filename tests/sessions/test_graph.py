"""What sessions have to do with code: the files and symbols that they name, touch and edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.canonical.batch import Span
from graphsvc.knowledge import KnowledgeBase
from loaders.edits.texts import edits_of, ranges
from loaders.rebuild import loader_of
from tests.repositories import RepositoryBuilder
from tests.sessions.hosts import FIRST, Machine, claude

BEFORE = """import os


class Cart:
    def total(self):
        return 1

    def empty(self):
        return []


def gone():
    pass


def run():
    return Cart().total()
"""
AFTER = BEFORE.replace("return 1", "return 2").replace("def gone():\n    pass\n\n\n", "")
TAX = """def rate_of(country):
    return 1


def run():
    return rate_of("x")
"""


class Desk(Machine):
    """A machine with a repository in whose work tree a session edits files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "claude-code")
        self.repository = RepositoryBuilder(folder / "shop")
        self.repository.git("config", "core.bare", "false")
        self.repository.commit({"cart.py": AFTER, "lib/tax.py": TAX, "docs/tax.md": "# Tax\n"}, "Begin")
        self.repository.git("checkout", "-f")
        self.kb.add_repository(self.repository.path)
        self.records: list[dict[str, Any]] = []
        self.before: tuple[list[tuple[Any, ...]], dict[str, int]] = ([], {})

    def edit(self, number: int, result: dict[str, Any] | None, *, failed: bool = False, **given: Any) -> None:
        """A call that edits ``cart.py``, and its answer."""
        cwd = str(self.repository.path)
        path = f"{cwd}/cart.py"
        call = {"type": "tool_use", "id": f"c{number}", "name": "Edit", "input": {"file_path": path, **given}}
        asked = claude(2 * number, "assistant", cwd=cwd)
        asked["message"] |= {"content": [call]}
        answer = {"type": "tool_result", "tool_use_id": f"c{number}", "content": "ok", "is_error": failed}
        answered = claude(2 * number + 1, message={"role": "user", "content": [answer]}, cwd=cwd)
        said = {} if result is None else {"toolUseResult": {"filePath": path, **result}}
        self.records += [asked, {**answered, **said}]

    def say(self, number: int, prompt: str, answer: str) -> None:
        """A prompt, and the model's text."""
        asked = claude(number, message={"role": "user", "content": prompt})
        answered = claude(number + 1, "assistant")
        answered["message"]["content"] = [{"type": "text", "text": answer}]
        self.records += [asked, answered]

    def run(self, number: int, command: str) -> None:
        """A shell command in the work tree."""
        call = {"type": "tool_use", "id": f"s{number}", "name": "Bash", "input": {"command": command}}
        asked = claude(number, "assistant", cwd=str(self.repository.path))
        asked["message"] |= {"content": [call]}
        self.records.append(asked)

    def rebuild(self) -> None:
        self.write(f"w/{FIRST}.jsonl", claude(1, cwd=str(self.repository.path)), *self.records)
        self.kb.add_sessions("claude-code", self.root, name="host")
        self.kb.rebuild()

    def edited(self) -> list[tuple[Any, ...]]:
        return list(
            self.kb.cypher(
                "MATCH (c:ToolCall)-[e:EDITED]->(s:Symbol) RETURN c.call_key, s.name, e.is_innermost, e.origin "
                "ORDER BY c.call_key, s.name"
            ).rows
        )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    made = Desk(tmp_path_factory.mktemp("desk"))
    made.edit(
        1, {"originalFile": BEFORE, "oldString": "return 1", "newString": "return 2", "replaceAll": False}
    )
    made.edit(2, {"originalFile": BEFORE, "content": AFTER})
    made.edit(3, {"originalFile": None, "content": AFTER})
    made.edit(4, {"originalFile": BEFORE, "oldString": "not there", "newString": "x"})
    made.edit(5, None)
    made.edit(6, {"originalFile": BEFORE, "oldString": "return 1", "newString": "return 3"}, failed=True)
    made.edit(
        7,
        {
            "originalFile": BEFORE,
            "edits": [
                {"old_string": "import os", "new_string": "import sys"},
                {"old_string": "Cart().total()", "new_string": "0", "replace_all": True},
            ],
        },
    )
    made.say(
        40,
        "Does `total` in cart.py, or Cart.empty, call rate_of()? Not os.path.total. See tax.md.",
        "Look at `Cart` and lib/tax.py and `run`, all of it in /elsewhere/lib/tax.py:3. Total: nothing.",
    )
    made.run(42, "sed -i s/1/2/ cart.py && cat lib/tax.py > /dev/null")
    made.rebuild()
    made.before = made.edited(), dict(made.kb.coverage().edits)
    made.kb.add_edits()
    made.rebuild()
    return made


def test_turns_name_files(desk: Desk) -> None:
    found = desk.kb.cypher(
        "MATCH (t:Turn)-[m:MENTIONS]->(f:File) RETURN t.ordinal, f.path, m.origin, m.confidence, m.is_typed "
        "ORDER BY f.path"
    ).rows

    assert list(found) == [
        (2, "cart.py", "path", 1.0, True),
        (2, "docs/tax.md", "file_name", 0.7, True),
        (2, "lib/tax.py", "path", 1.0, False),
    ]


def test_turns_name_symbols(desk: Desk) -> None:
    found = desk.kb.cypher(
        "MATCH (t:Turn)-[m:MENTIONS]->(s:Symbol) RETURN s.name, s.path, m.origin, m.confidence, m.is_typed "
        "ORDER BY s.name, s.path"
    ).rows

    assert list(found) == [
        ("Cart", "cart.py", "name", 0.9, False),
        ("empty", "cart.py", "qualified_name", 0.95, True),
        ("rate_of", "lib/tax.py", "name", 0.9, True),
        ("run", "cart.py", "name", 0.45, False),
        ("run", "lib/tax.py", "name", 0.45, False),
        ("total", "cart.py", "name", 0.9, True),
    ]


def test_a_mention_rests_on_the_record_that_has_it(desk: Desk) -> None:
    [row] = desk.kb.cypher(
        "MATCH (:Turn)-[m:MENTIONS]->(:Symbol {name: 'rate_of'}) RETURN m.segment, m.start_byte, m.end_byte"
    ).rows

    with desk.kb.store.read() as reader:
        [data] = reader.spans([Span(*row)])
    assert b"call rate_of()?" in data


def test_files_of_commands_are_less_sure(desk: Desk) -> None:
    found = {}
    for label in ("READ", "WROTE"):
        pattern = f"(:ToolCall {{call_key: 's42'}})-[e:{label}]->(f:File)"
        found[label] = list(desk.kb.cypher(f"MATCH {pattern} RETURN f.path, e.origin, e.confidence").rows)

    assert found == {"READ": [("lib/tax.py", "command", 0.6)], "WROTE": [("cart.py", "command", 0.6)]}


def test_edits_lead_to_the_symbols_that_they_fell_in(desk: Desk) -> None:
    found = desk.edited()

    assert [row for row in found if row[0] == "c1"] == [
        ("c1", "Cart", False, "path"),
        ("c1", "total", True, "path"),
    ]
    assert [row[1] for row in found if row[0] == "c2"] == ["Cart", "total"]
    assert [row[1] for row in found if row[0] == "c3"] == ["Cart", "empty", "run", "total"]
    assert [row[1] for row in found if row[0] == "c7"] == ["run"]
    assert {row[0] for row in found} == {"c1", "c2", "c3", "c7"}


def test_a_symbol_that_an_edit_removed_is_a_gap(desk: Desk) -> None:
    assert desk.rows("SELECT call_key FROM edited_symbol WHERE name = 'gone'") == ["c2"]
    assert desk.kb.coverage().gaps == {"ToolCall-EDITED->Symbol": 1}


def test_what_is_not_traced_is_counted(desk: Desk) -> None:
    assert desk.kb.coverage().edits == {"traced": 4, "snapshot_unknown": 2}


def test_evidence_is_the_record_with_the_answer(desk: Desk) -> None:
    [(segment, start, end)] = desk.kb.cypher(
        "MATCH (:ToolCall {call_key: 'c1'})-[e:EDITED]->(:Symbol {name: 'total'}) "
        "RETURN e.segment, e.start_byte, e.end_byte"
    ).rows

    with desk.kb.store.read() as reader:
        [data] = reader.spans([Span(segment, start, end)])
    assert b'"originalFile"' in data


def test_many_edits_are_traced_in_batches(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loaders.edits.loader._AT_ONCE", 2)
    other = Machine(desk.root.parent / "other", "claude-code")
    other.write(f"w/{FIRST}.jsonl", (desk.root / f"w/{FIRST}.jsonl").read_bytes())
    other.refresh()
    source = other.kb.add_edits()

    report = loader_of(source).refresh(source, other.kb.store, lambda *_: None)

    assert report.read["answers"] == 6
    assert other.rows("SELECT count(*) FROM edit_trace") == [6]
    assert other.rows(f"SELECT count(*) FROM receipt WHERE source_id = '{source.source_id}'") == [3]


def test_an_edit_is_traced_once(desk: Desk) -> None:
    [source] = [source for source in desk.kb.store.sources() if source.loader == "edits"]

    report = loader_of(source).refresh(source, desk.kb.store, lambda *_: None)

    assert dict(report.read) == {}
    assert dict(report.admitted) == {}


def test_without_the_source_nothing_is_parsed_and_the_calls_are_counted(desk: Desk) -> None:
    assert desk.before == ([], {"untraced": 6})


@pytest.mark.parametrize(
    ("format_name", "record"),
    [
        (
            "gemini",
            {
                "toolCalls": [
                    {"id": "c", "resultDisplay": {"originalContent": "a", "newContent": "b"}},
                    {"id": "d"},
                ]
            },
        ),
        (
            "opencode",
            {"parts": [{"callID": "c", "state": {"metadata": {"filediff": {"before": "a", "after": "b"}}}}]},
        ),
    ],
)
def test_hosts_that_keep_both_texts(format_name: str, record: dict[str, Any]) -> None:
    assert list(edits_of(format_name, record, "c")) == [(None, "a", "b")]


@pytest.mark.parametrize(
    "result", [5, None, [], {"filePath": 1}, {"filePath": "a"}, {"filePath": "a", "edits": [1]}]
)
def test_answers_of_another_form_have_no_edit(result: object) -> None:
    assert list(edits_of("claude", {"toolUseResult": result}, "c")) == []


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=12).map(b"".join)


@given(LINES, LINES)
def test_ranges_hold_all_that_differs(before: bytes, after: bytes) -> None:
    removed, added = ranges(before, after)

    kept = after
    for start, end in reversed(added):
        kept = kept[:start] + kept[end:]
    lines = iter(before.splitlines())
    assert all(line in lines for line in kept.splitlines())
    assert all(0 <= start < end <= len(before) for start, end in removed)
    assert (before == after) == (not removed and not added)


def test_two_large_texts_are_not_compared_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loaders.edits.texts._MAX_COMPARED", 3)

    assert ranges(b"x\na\nb\ny\n", b"x\nb\na\ny\n") == ([], [(2, 6)])


def test_a_store_has_the_source_once(tmp_path: Path) -> None:
    kb = KnowledgeBase.init(tmp_path / "store")

    assert kb.add_edits() == kb.add_edits()
    assert len(kb.store.sources()) == 1
