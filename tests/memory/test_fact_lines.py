"""Facts as JSON lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.fact_lines import decode_line, encode
from graphsvc.memory.facts import Anchor, Fact, Forget, Link
from graphsvc.scopes import Scope

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
names = texts.filter(lambda text: text.strip())
times = st.integers(-(2**63) + 1, 2**63 - 1)
facts = st.builds(
    Fact,
    id=st.just("f1"),
    kind=texts,
    content=texts,
    recorded_at=times,
    scope=st.builds(Scope, texts, texts, texts),
    source=texts,
    anchors=st.lists(st.builds(Anchor, names, names, texts), max_size=2).map(tuple),
    valid_from=st.none() | times,
    valid_until=st.none() | times,
    expires_at=st.none() | times,
)
links = st.builds(
    Link, st.sampled_from(["supersedes", "contradicts"]), st.just("a"), st.just("b"), times, st.none() | times
)
records = facts | links | st.builds(Forget, names, times, texts)


@given(records)
def test_a_record_survives_its_line(record):
    assert decode_line(encode(record), "line 1") == record


def test_a_line_says_only_what_is_not_the_default():
    fact = Fact("f1", "fact", "ship", 5, Scope("i"), anchors=(Anchor("file", "x"),))

    assert encode(fact) == (
        b'{"anchors":[{"id":"x","kind":"file"}],"content":"ship","id":"f1","kind":"fact",'
        b'"record":"fact","recorded_at":5,"scope":{"instance":"i"}}'
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"record":"fact","id":"f"}', "not_a_record"),
        (b'{"record":"fact","id":"f","kind":"","content":"","recorded_at":1,"other":1}', "not_a_record"),
        (b'{"record":"fact","id":"f","kind":"","content":"","recorded_at":1.5}', "not_a_record"),
        (b'{"record":"forget","fact_id":"f","recorded_at":null}', "not_a_record"),
        (b'{"record":"fact","id":"f","kind":"","content":"","recorded_at":1,"scope":["i"]}', "not_a_record"),
        (b'{"record":"fact","id":"f","kind":"","content":"","recorded_at":1,"anchors":[{}]}', "not_a_record"),
        (b'{"record":"unknown"}', "not_a_record"),
        (b'{"record":["fact"]}', "not_a_record"),
        (b"[]", "not_a_record"),
        (b"{}", "not_a_record"),
        (b"{", "malformed_json"),
        (b'{"record":"forget","record":"fact"}', "duplicate_key"),
    ],
)
def test_what_is_no_record_is_refused(line, reason):
    with pytest.raises(Refused) as caught:
        decode_line(line, "line 3")

    assert (caught.value.reason, caught.value.where) == (reason, "line 3")


@pytest.mark.parametrize(
    ("members", "wrong"),
    [
        ('"record":"mood"', "its record is none of fact, link, forget"),
        ('"record":{}', "its record is none of fact, link, forget"),
        ('"record":"forget"', "it has no fact_id, recorded_at"),
        (
            '"record":"forget","fact_id":"f","recorded_at":1,"mood":1',
            "it has mood, which no record has there",
        ),
        ('"record":"fact","scope":["i"]', "its scope is no object"),
        ('"record":"fact","scope":{"level":"i"}', "its scope has level, which no record has there"),
        ('"record":"fact","anchors":{"kind":"x"}', "its anchors are no list"),
        ('"record":"fact","anchors":["x"]', "one of its anchors is no object"),
    ],
)
def test_a_refusal_says_what_is_wrong_in_words_of_the_format(members, wrong):
    with pytest.raises(Refused) as caught:
        decode_line(f"{{{members}}}".encode(), "line 3")

    assert caught.value.message == f"line 3: it is no record: {wrong}"
