"""Commit objects of every odd form, and trailers wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loaders.git.commits import Person, find_trailers, parse_commit
from tests.repositories import RepositoryBuilder

TREE = "ab" * 20
ADA = b"Ada <ada@example.org>"


def made(*headers: bytes, message: bytes = b"Title\n") -> bytes:
    return b"\n".join((b"tree " + TREE.encode(), *headers)) + b"\n\n" + message


def test_headers_with_continuation_lines_are_not_the_message() -> None:
    data = made(
        b"parent " + b"1" * 40,
        b"parent " + b"2" * 40,
        b"author " + ADA + b" 1767225600 -0330",
        b"committer " + ADA + b" 1767225601 +0000",
        b"gpgsig -----BEGIN PGP SIGNATURE-----",
        b" ",
        b" parent 3333",
        b"mergetag object 4444",
        b" tagger " + ADA + b" 1 +0000",
        message=b"Title\nwrapped\n\nBody\n",
    )

    commit = parse_commit(data)

    assert (commit.tree_oid, commit.is_signed, commit.problems) == (TREE, True, [])
    assert [oid for oid, _, _ in commit.parents] == ["1" * 40, "2" * 40]
    assert all(data[start:end] == b"parent " + oid.encode() for oid, start, end in commit.parents)
    assert commit.author == Person("Ada", "ada@example.org", 1767225600_000000, -210)
    assert data[commit.message_start :] == commit.message == b"Title\nwrapped\n\nBody\n"
    assert commit.title == "Title wrapped"


@pytest.mark.parametrize(
    ("line", "person"),
    [
        (ADA + b" -2208988800 +0000", Person("Ada", "ada@example.org", -2208988800_000000, 0)),
        (ADA + b" 4102444800 +1400", Person("Ada", "ada@example.org", 4102444800_000000, 840)),
        (ADA + b" 60 -0001", Person("Ada", "ada@example.org", 60_000000, -1)),
        (ADA + b" 60", Person("Ada", "ada@example.org", 60_000000, None)),
        (b"<> 60 +0000", Person("", "", 60_000000, 0)),
        (b"A <b> C <d@e> 60 +0000", Person("A", "b", 60_000000, 0)),
        (b"\xc4da <ada@example.org> 60 +0000", Person("\\xc4da", "ada@example.org", 60_000000, 0)),
    ],
)
def test_people_and_times(line: bytes, person: Person) -> None:
    commit = parse_commit(made(b"author " + line, b"committer " + line))

    assert commit.author == commit.committer == person
    assert commit.problems == []


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ([b"committer " + ADA + b" 1 +0000"], "it has no author"),
        ([b"author Ada", b"committer " + ADA + b" 1 +0000"], "its author has no time"),
        (
            [b"author " + ADA + b" 99999999999999 +0000", b"committer " + ADA + b" 1 +0000"],
            "the time of its author is not in the years 1 to 9999",
        ),
    ],
)
def test_what_is_missing_is_said(headers: list[bytes], problem: str) -> None:
    commit = parse_commit(made(*headers))

    assert commit.problems == [problem]
    assert commit.author.at is None
    assert commit.committer.at == 1_000000


def test_declared_encodings_apply_to_people_and_message() -> None:
    header = b"author \xc4da <ada@example.org> 1 +0000", b"committer x <x> 1 +0000", b"encoding ISO-8859-1"

    commit = parse_commit(made(*header, message=b"Caf\xe9\n"))

    assert (commit.author.name, commit.title, commit.encoding) == ("Äda", "Café", "ISO-8859-1")


@given(st.binary())
def test_any_bytes_are_a_commit_of_some_sort(data: bytes) -> None:
    commit = parse_commit(data)

    assert data[commit.message_start :] == commit.message
    assert isinstance(commit.text, str)
    for trailer in find_trailers(data):
        assert data[trailer.start : trailer.end].startswith(trailer.key.encode())


MESSAGES = [
    b"Title\n",
    b"Title\nKey: value\n",
    b"Title\n\nKey: value",
    b"Title\n\nBody\n\nKey: value\nOther-key: more\n\n\n",
    b"Title\n\nBody: not a trailer because\nof this line\n",
    b"Title\n\nSigned-off-by: Ada\nprose\nmore prose\nstill prose\n",
    b"Title\n\nSigned-off-by: Ada\n1\n2\n3\n4\n5\n",
    b"Title\n\n(cherry picked from commit abc)\nprose\nKey: value\n",
    b"Title\n\nKey: value\n  continued\n\tagain\nOther : x\n",
    b"Title\n\nKey:\n",
    b"Title\n\nKey: a\n\nKey: b\n",
    b"Title\n\n  indented\nKey: b\n",
    b"Title\n\nKey: a\n# comment\nKey: b\n",
    b"\n\nKey: a\n",
    b"Title\n \nKey: a\n",
    b"Title\n\nhttp://example.org\n",
    b"Title\n\nKey: value\r\nKey: b\r\n",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_the_final_block_is_the_one_that_git_sees(tmp_path: Path, message: bytes) -> None:
    repository = RepositoryBuilder(tmp_path / "r", bare=True)
    tip = repository.object("commit", made(b"author x <x> 1 +0", b"committer x <x> 1 +0", message=message))
    wanted = "--format=%(trailers:only,unfold,key_value_separator=%x01)"
    seen = repository.git("log", "-1", "--no-walk", wanted, tip)

    found = [trailer for trailer in find_trailers(message) if trailer.in_final_block]

    lines = [f"{trailer.key}\x01{trailer.value.decode()}" for trailer in found]
    assert lines == [line.strip() for line in seen.splitlines() if line.strip()]


def test_trailers_in_the_middle_of_a_squash_body() -> None:
    message = (
        b"Squash (#12)\n\n* First\n\nCo-authored-by: Ben <ben@example.org>\nEntire-Checkpoint: 0123456789ab\n\n"
        b"* Second\n\nSee the Entire-Checkpoint: it is the\nNote: prose with a colon\nABC-12: name of an issue\n"
        b"Fixes: #7\n    Indented-code: x\n- List-item: y\nEntire-Checkpoint: 0123456789ab\n\nThe end.\n"
    )

    found = find_trailers(message)

    assert [(trailer.key, trailer.value) for trailer in found] == [
        ("Co-authored-by", b"Ben <ben@example.org>"),
        ("Entire-Checkpoint", b"0123456789ab"),
        ("Fixes", b"#7"),
        ("Entire-Checkpoint", b"0123456789ab"),
    ]
    assert not any(trailer.in_final_block for trailer in found)
    assert message[found[1].start : found[1].end] == b"Entire-Checkpoint: 0123456789ab"


def test_a_trailer_right_below_the_title_counts() -> None:
    assert [trailer.key for trailer in find_trailers(b"Co-authored-by: no\nEntire-Checkpoint: 1\n")] == [
        "Entire-Checkpoint"
    ]
