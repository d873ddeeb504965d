"""Strict reading, canonical writing and comparing of JSON."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import Refused
from graphsvc.memory.strict_json import (
    MAX_DEPTH,
    MAX_DOCUMENT,
    JsonReason,
    canonical,
    decode,
    detached,
    is_same,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"a":1,"b":{"c":1,"c":1}}', JsonReason.DUPLICATE_KEY),
        (b'{"a":1,"\\u0061":2}', JsonReason.DUPLICATE_KEY),
        (b"[NaN]", JsonReason.NUMBER_NOT_FINITE),
        (b"-Infinity", JsonReason.NUMBER_NOT_FINITE),
        (b"1e999", JsonReason.NUMBER_NOT_FINITE),
        (b"9" * 400, JsonReason.NUMBER_NOT_FINITE),
        (b"9" * 100_000, JsonReason.NUMBER_NOT_FINITE),
        (b"0." + b"1" * 100_000, JsonReason.NUMBER_NOT_FINITE),
        (b'["\\ud800"]', JsonReason.LONE_SURROGATE),
        (b'{"\\udc00x":1}', JsonReason.LONE_SURROGATE),
        (b'"\xed\xa0\x80"', JsonReason.NOT_UTF8),
        (b'"\xff"', JsonReason.NOT_UTF8),
        (b"\xef\xbb\xbf{}", JsonReason.BYTE_ORDER_MARK),
        (b"\xff\xfe{\x00}\x00", JsonReason.NOT_UTF8),
        (b"[" * 100_000, JsonReason.TOO_DEEP),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), JsonReason.TOO_DEEP),
        (b'"' + b"x" * MAX_DOCUMENT + b'"', JsonReason.TOO_LONG),
        (b"", JsonReason.MALFORMED_JSON),
        (b"{}{}", JsonReason.MALFORMED_JSON),
        (b"{'a':1}", JsonReason.MALFORMED_JSON),
        (b'"\t"', JsonReason.MALFORMED_JSON),
        (b"[1,]", JsonReason.MALFORMED_JSON),
        (b"\x00", JsonReason.MALFORMED_JSON),
    ],
)
def test_hostile_bytes_are_refused_with_the_reason(data, reason):
    with pytest.raises(Refused) as caught:
        decode(data, "here")

    assert caught.value.reason == reason
    assert caught.value.where == "here"
    assert str(caught.value).startswith("here: ")


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        (b'"\\ud83d\\ude00"', "😀"),
        (b'{"__proto__":{"a":1}}', {"__proto__": {"a": 1}}),
        (b" [1700000000000000001] ", [1_700_000_000_000_000_001]),
        ('"\u2028"'.encode(), "\u2028"),
    ],
)
def test_what_is_odd_but_clear_is_read(data, value):
    decoded = decode(data, "here")

    assert value is None or decoded == value


@given(values)
def test_what_is_written_in_canonical_form_reads_back_the_same(value):
    safe = json.loads(json.dumps(value), parse_int=float)

    assert is_same(decode(canonical(safe).encode(), "here"), safe)


@given(values, values)
def test_equal_values_have_one_canonical_form(one, other):
    one, other = (json.loads(json.dumps(value), parse_int=float) for value in (one, other))

    assert is_same(one, other) == (canonical(one) == canonical(other))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_canonical_numbers_are_exact_and_short(number):
    text = canonical(number)

    assert float(text) == number
    assert len(text) <= 25


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (123456789012345680000, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (5e-324, "5e-324"),
        (1e-6, "0.000001"),
        (1.25e-7, "1.25e-7"),
        (-0.0, "0"),
        (100, "100"),
    ],
)
def test_canonical_numbers_are_written_as_ecmascript_does(number, text):
    assert canonical(number) == text


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ([], {}, False),
        ("1", 1, False),
        ([True], [1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ],
)
def test_same_meaning(one, other, same):
    assert is_same(one, other) is same


def test_a_detached_value_shares_nothing_with_its_origin():
    origin = {"a": [1]}

    copy = detached(origin, "here")
    origin["a"].append(2)

    assert copy == {"a": [1]}


def cyclic():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, JsonReason.NUMBER_NOT_FINITE),
        ({"a": math.inf}, JsonReason.NUMBER_NOT_FINITE),
        (cyclic(), JsonReason.MALFORMED_JSON),
        ({1, 2}, JsonReason.MALFORMED_JSON),
        ("\ud800", JsonReason.LONE_SURROGATE),
        ({1: "a", "1": "b"}, JsonReason.DUPLICATE_KEY),
    ],
)
def test_what_a_caller_made_up_is_refused_as_if_it_had_been_read(value, reason):
    with pytest.raises(Refused) as caught:
        detached(value, "here")

    assert caught.value.reason == reason
