"""Facts out of other tools' files: which there are, where they stand, and what is refused."""

from dataclasses import replace

import pytest

from graphsvc.errors import InvalidInput, Refused
from graphsvc.memory.fact_lines import encode
from graphsvc.memory.facts import Fact, Forget, Link, admit, remember
from graphsvc.memory.imports import Target, read_facts, read_graphiti, read_markdown, read_mem0, settle, sniff
from graphsvc.memory.recall import RecallQuery, select
from graphsvc.scopes import Scope

TARGET = Target("notes", now=5, scope=Scope("m", "p"))


def bytes_of(data, items):
    return [data[item.start : item.end] for item in items]


def test_markdown_items_and_paragraphs_with_their_headings():
    data = b"intro\n\n# A\n* one\n  goes on\n1. two\n## B\n- [x] three\n```\n- no\n```\n# C\nlast"

    found = list(read_markdown(data, TARGET))

    assert [(item.fact.content, item.fact.source) for item in found] == [
        ("intro", "notes"),
        ("one goes on", "notes > A"),
        ("two", "notes > A"),
        ("three", "notes > A > B"),
        ("last", "notes > C"),
    ]
    assert bytes_of(data, found)[1] == b"* one\n  goes on"


def test_markdown_facts_rest_on_their_bytes_and_keep_their_ids_when_the_file_grows():
    before = list(read_markdown(b"- one\n- one\n", TARGET))
    after = list(read_markdown(b"- zero\n- one\n- one\n", TARGET))

    assert before[0].fact.id != before[1].fact.id
    assert [item.fact.id for item in after][1:] == [item.fact.id for item in before]
    [anchor] = before[0].fact.anchors
    assert (anchor.kind, anchor.id.split(":")[1:]) == ("span", ["0", "5"])


def test_mem0_lines():
    data = (
        b'{"id":"1","memory":"likes tea","user_id":"u","created_at":"1970-01-01T00:00:01+00:00",'
        b'"metadata":{"kind":"preference"}}\n\n{"text":"no time"}\n{"id":"3"}\n[1]\nnot json\n'
    )

    likes, no_time, *refused = read_mem0(data, TARGET)

    fact = likes.fact
    assert (fact.content, fact.kind, fact.recorded_at, fact.source) == (
        "likes tea",
        "preference",
        1_000_000,
        "mem0:u",
    )
    assert (no_time.fact.recorded_at, no_time.fact.scope) == (5, TARGET.scope)
    assert [item.record.reason for item in refused] == ["not_a_record", "not_a_record", "malformed_json"]
    assert bytes_of(data, [no_time]) == [b'{"text":"no time"}']


def test_graphiti_lines_keep_both_times():
    data = (
        b'{"uuid":"e","name":"WORKS_AT","fact":"Ada works at X","group_id":"g","created_at":"1970-01-01T00:00:02",'
        b'"valid_at":"1970-01-01T00:00:00Z","invalid_at":"1970-01-01T00:00:01Z","expired_at":null}\n'
        b'{"fact":"bad","created_at":"yesterday"}'
    )

    edge, bad = read_graphiti(data, TARGET)

    fact = edge.fact
    assert (fact.recorded_at, fact.valid_from, fact.valid_until, fact.expires_at) == (
        2_000_000,
        0,
        1_000_000,
        None,
    )
    assert fact.source == "graphiti:g:WORKS_AT"
    assert isinstance(bad.record, Refused)


def test_own_lines_are_taken_as_they_are():
    data = b'{"record":"fact","id":"a","kind":"fact","content":"x","recorded_at":1}\n{"record":"forget"}\n'

    fact, bad = read_facts(data, TARGET)

    assert fact.record == Fact("a", "fact", "x", 1)
    assert not isinstance(bad.record, Fact | Forget)


@pytest.mark.parametrize(
    "line", [b"\xff", b'{"memory":"\\ud800"}', b'{"memory":"a","memory":"b"}', b'{"memory":NaN}']
)
def test_hostile_lines_are_refused_one_by_one(line):
    bad, good = read_mem0(line + b'\n{"memory":"ok"}', TARGET)

    assert isinstance(bad.record, Refused)
    assert good.fact.content == "ok"


def test_markdown_that_is_not_utf8_is_refused_where_it_stands():
    bad, good = read_markdown(b"- \xff\n- ok\n", TARGET)

    assert isinstance(bad.record, Refused)
    assert good.fact.content == "ok"


@pytest.mark.parametrize(
    ("name", "data", "form"),
    [
        ("CLAUDE.md", b"", "markdown"),
        ("a.jsonl", b'\n{"record":"fact"}', "facts"),
        ("a.jsonl", b'{"fact":"x"}', "graphiti"),
    ],
)
def test_formats_are_told_by_name_and_first_line(name, data, form):
    assert sniff(name, data) == form


@pytest.mark.parametrize("data", [b"", b"[1]", b"\xff", b'{"other":1}'])
def test_what_is_of_no_format_is_refused(data):
    with pytest.raises(InvalidInput):
        sniff("a.jsonl", data)


def test_a_bad_record_harms_no_other_and_a_known_one_is_told():
    lines = [
        encode(fact := remember("ship", recorded_at=1)),
        encode(Forget(fact.id, 3)),
        encode(Link("supersedes", "gone", fact.id, 3)),
        encode(replace(fact, content="sink")),
        b'{"record":"mood"}',
    ]
    found = list(read_facts(b"\n".join(lines), TARGET))

    first = list(settle(found, {}, is_told_by_id=False, now=9))
    assert [each.state for each in first] == ["added", "added", "unknown_fact", "other_fact", "not_a_record"]
    assert [each.is_refused for each in first] == [False, False, True, True, True]

    known = admit([fact, Forget(fact.id, 3)], {}).histories
    again = list(settle(found[:2], known, is_told_by_id=False, now=9))
    assert [each.state for each in again] == ["known", "known"]


def test_a_byte_order_mark_is_no_part_of_the_first_heading():
    [item] = read_markdown(b"\xef\xbb\xbf# A\n- one\n", TARGET)

    assert (item.fact.source, item.start, item.end) == ("notes > A", 7, 12)


def test_facts_of_another_store_are_brought_into_this_one():
    facts = [remember("x", recorded_at=1, scope=Scope(*levels)) for levels in (("a", "p", "w"), ("", "", ""))]

    found = read_facts(b"\n".join(map(encode, facts)), replace(TARGET, instance="b"))

    assert [item.fact.scope.levels for item in found] == [("b", "p", "w"), ("", "", "")]


@pytest.mark.parametrize("levels", [("", "p", ""), ("", "", "w"), ("", "p", "w")])
def test_a_fact_that_no_chain_of_this_store_reads_is_refused(levels):
    line = encode(remember("x", recorded_at=1, scope=Scope(*levels)))

    [found] = read_facts(line, replace(TARGET, instance="b"))

    assert isinstance(found.record, Refused)
    assert "leaves out the instance" in found.record.message


class Shelf:
    """What a store has after one import after the other of lines of mem0 or Graphiti."""

    def __init__(self, read):
        self.read, self.histories, self.now = read, {}, 10

    def take(self, *lines):
        self.now += 10
        found = self.read(b"\n".join(lines), replace(TARGET, now=self.now))
        outcomes = list(settle(found, self.histories, is_told_by_id=True, now=self.now))
        records = [record for each in outcomes for record in each.records]
        self.histories.update(admit(records, self.histories).histories)
        return [each.state for each in outcomes]

    def standing(self, instant=None):
        query = RecallQuery().bind(self.now if instant is None else instant)
        return sorted(item.fact.content for item in select(self.histories.values(), query))


def memory(text):
    return b'{"id":"m","memory":"%s","created_at":"1970-01-01T00:00:00Z"}' % text


def test_a_memory_that_its_source_has_changed_supersedes_the_earlier_one():
    shelf = Shelf(read_mem0)

    states = [shelf.take(memory(text)) for text in (b"tea", b"tea", b"coffee", b"coffee", b"tea", b"tea")]

    assert states == [["added"], ["known"], ["changed"], ["known"], ["changed"], ["known"]]
    assert shelf.standing() == ["tea"]
    assert len(shelf.histories) == 3
    known_then = RecallQuery(known_at=45, valid_at=45).bind(shelf.now)
    assert [item.fact.content for item in select(shelf.histories.values(), known_then)] == ["coffee"]


def test_an_edge_that_was_invalidated_since_no_longer_holds():
    edge = b'{"uuid":"e","fact":"lives in Bern","valid_at":"1970-01-01T00:00:00","invalid_at":%s}'
    shelf = Shelf(read_graphiti)

    states = [shelf.take(edge % b"null"), shelf.take(edge % b'"1970-01-01T00:00:00.000030"')]

    assert states == [["added"], ["changed"]]
    assert (shelf.standing(29), shelf.standing(30)) == (["lives in Bern"], [])


def test_of_two_facts_of_one_id_in_a_file_the_first_counts_however_often_it_is_read():
    shelf = Shelf(read_mem0)

    states = [shelf.take(memory(b"tea"), memory(b"coffee"), memory(b"tea")) for _ in range(2)]

    assert states == [["added", "other_fact", "known"], ["known", "other_fact", "known"]]
    assert shelf.standing() == ["tea"]


def test_what_was_forgotten_stays_so_whatever_its_source_says_later():
    shelf = Shelf(read_mem0)
    shelf.take(memory(b"tea"))
    [fact_id] = shelf.histories
    shelf.histories.update(admit([Forget(fact_id, 25)], shelf.histories).histories)

    assert (shelf.take(memory(b"tea")), shelf.take(memory(b"coffee"))) == (["forgotten"], ["forgotten"])
    assert shelf.standing() == []


def test_a_fact_of_other_origin_that_supersedes_an_imported_one_is_no_version_of_it():
    shelf = Shelf(read_mem0)
    shelf.take(memory(b"tea"))
    [fact_id] = shelf.histories
    mine = remember("water", recorded_at=25)
    shelf.histories.update(admit([mine, Link("supersedes", mine.id, fact_id, 25)], shelf.histories).histories)

    assert shelf.take(memory(b"tea")) == ["known"]
    assert shelf.standing() == ["water"]


@pytest.mark.parametrize(
    "member", ['"id":{"a":1}', '"user_id":["u"]', '"run_id":true', '"agent_id":1.5', '"metadata":{"kind":{}}']
)
def test_a_name_that_is_no_text_is_refused_and_not_made_into_one(member):
    [found] = read_mem0(b'{"memory":"x",%s}' % member.encode(), TARGET)

    assert (found.record.reason, "neither a text nor a whole number" in found.record.message) == (
        "not_a_record",
        True,
    )
