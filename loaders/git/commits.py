"""Commit objects as git stores them, and the trailers in their messages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from graphsvc.git import decode

__all__ = ["Commit", "Person", "Trailer", "find_trailers", "parse_commit"]

_SECOND = 1_000_000
_EARLIEST, _LATEST = -62_135_596_800, 253_402_300_799
"""Seconds of the years 1 to 9999, the only ones that dates of the store's readers reach."""

_PERSON = re.compile(rb"\s*(.*?)\s*<(.*?)>", re.DOTALL)
_TIME = re.compile(rb">\s*(-?\d+)(?:\s+([+-])(\d+))?\s*\Z")

_TRAILER = re.compile(rb"([A-Za-z0-9-]+)[ \t]*:[ \t]*(.*?)[ \t\r]*\Z", re.DOTALL)
_MADE_BY_GIT = (b"Signed-off-by: ", b"(cherry picked from commit ")

# A line in the middle of a message is a trailer if its key has the form that trailers have, as in "Co-authored-by"
# but not as in "ABC-12", the name of an issue; or if it is one of the plain words that are used as keys.
_HYPHENATED = re.compile(rb"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*-[A-Za-z][A-Za-z0-9]*\Z")
_PLAIN_KEYS = {b"bug", b"cc", b"closes", b"fixes", b"link", b"refs", b"resolves"}


class Person(NamedTuple):
    """Who and when: ``at`` in UTC microseconds since 1970, ``offset`` from UTC in minutes; None where unsaid."""

    name: str | None
    email: str | None
    at: int | None
    offset: int | None


_NOBODY = Person(None, None, None, None)


class Trailer(NamedTuple):
    """A trailer; ``start`` and ``end`` are its bytes in the message."""

    key: str
    value: bytes
    start: int
    end: int
    in_final_block: bool


@dataclass
class Commit:
    """A commit object.

    Attributes:
        tree_oid: Root tree; None where the object names none.
        parents: Each parent with the start and end of its line in the object.
        author: Author.
        committer: Committer.
        encoding: Encoding that the commit declares, None for UTF-8.
        is_signed: It carries a signature.
        message_start: First byte of the message in the object.
        message: Bytes of the message.
        problems: What the object lacks or has in a form that cannot be kept.
    """

    tree_oid: str | None = None
    parents: list[tuple[str, int, int]] = field(default_factory=list)
    author: Person = _NOBODY
    committer: Person = _NOBODY
    encoding: str | None = None
    is_signed: bool = False
    message_start: int = 0
    message: bytes = b""
    problems: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole message."""
        return decode(self.message, self.encoding)

    @property
    def title(self) -> str:
        """First paragraph of the message on one line."""
        paragraph = re.split(r"\n[ \t\r]*\n", self.text.lstrip(), maxsplit=1)[0]
        return " ".join(line.strip() for line in paragraph.splitlines()).strip()


def parse_commit(data: bytes) -> Commit:
    r"""Read a commit object; whatever is odd in it becomes a problem, never an error.

    >>> commit = parse_commit(b"tree 12ab\nauthor Ada <ada@example.org> 60 +0130\n\nTitle\n")
    >>> commit.tree_oid, commit.author, commit.title
    ('12ab', Person(name='Ada', email='ada@example.org', at=60000000, offset=90), 'Title')
    >>> commit.problems
    ['it has no committer']
    """
    head, found, _ = data.partition(b"\n\n")
    commit = Commit(message_start=len(head) + 2 if found else len(data))
    commit.message = data[commit.message_start :]
    people: dict[bytes, bytes] = {}
    position = 0
    for line in head.split(b"\n"):
        key, _, value = line.partition(b" ")
        if key == b"tree":
            commit.tree_oid = decode(value)
        elif key == b"parent":
            commit.parents.append((decode(value), position, position + len(line)))
        elif key in (b"author", b"committer"):
            people.setdefault(key, value)
        elif key == b"encoding":
            commit.encoding = decode(value)
        elif key in (b"gpgsig", b"gpgsig-sha256"):
            commit.is_signed = True
        position += len(line) + 1
    commit.author = _person("author", people.get(b"author"), commit)
    commit.committer = _person("committer", people.get(b"committer"), commit)
    if commit.tree_oid is None:
        commit.problems.append("it has no tree")
    return commit


def _person(role: str, line: bytes | None, commit: Commit) -> Person:
    if line is None:
        commit.problems.append(f"it has no {role}")
        return _NOBODY
    who = _PERSON.match(line)
    name, email = (decode(part, commit.encoding) for part in who.groups()) if who else (None, None)
    when = _TIME.search(line)
    if when is None:
        commit.problems.append(f"its {role} has no time")
        return Person(name, email, None, None)
    seconds = int(when[1])
    if not _EARLIEST <= seconds <= _LATEST:
        commit.problems.append(f"the time of its {role} is not in the years 1 to 9999")
        return Person(name, email, None, None)
    return Person(name, email, seconds * _SECOND, _offset(when[2], when[3]))


def _offset(sign: bytes | None, digits: bytes | None) -> int | None:
    """Minutes of a zone such as +0530; as git does, all but the last two digits are hours."""
    if sign is None or digits is None or len(digits) > 6:
        return None
    hours, minutes = divmod(int(digits), 100)
    return (60 * hours + minutes) * (-1 if sign == b"-" else 1)


def find_trailers(message: bytes) -> list[Trailer]:
    r"""All trailers of a message, in order: those of its last paragraph, by git's own rule, and those that a
    squash left in the middle.

    >>> body = b"Title (#7)\n\n* One\n\nEntire-Checkpoint: a1\n\n* Two\n\nKey: b\nSigned-off-by: Ada\n  Example\n"
    >>> [(t.key, t.value, t.in_final_block) for t in find_trailers(body)]
    [('Entire-Checkpoint', b'a1', False), ('Key', b'b', True), ('Signed-off-by', b'Ada Example', True)]
    """
    lead = len(message) - len(message.lstrip())
    lines = message[lead:].split(b"\n")
    final = _final_block(lines)
    trailers: list[Trailer] = []
    position = lead + len(lines[0]) + 1
    for number, line in enumerate(lines[1:], 1):
        end = position + len(line.rstrip())
        found = _TRAILER.match(line)
        in_final = number >= final
        if found and (in_final or _stands_alone(found)):
            trailers.append(Trailer(found[1].decode(), found[2], position, end, in_final))
        elif (
            in_final
            and trailers
            and trailers[-1].in_final_block
            and line[:1] in (b" ", b"\t")
            and line.strip()
        ):
            last = trailers[-1]
            trailers[-1] = last._replace(value=b"%s %s" % (last.value, line.strip()), end=end)
        position += len(line) + 1
    return trailers


def _stands_alone(trailer: re.Match[bytes]) -> bool:
    """Whether a line outside the last paragraph is a trailer and not prose."""
    key = trailer[1]
    return bool(trailer[2]) and (key.lower() in _PLAIN_KEYS or _HYPHENATED.match(key) is not None)


def _final_block(lines: list[bytes]) -> int:
    """Number of the first line of the trailer block, as git's find_trailer_block_start finds it.

    It is the last paragraph, and not the first, if all of its lines are trailers, or if one of them was made by
    git and at least a quarter are.
    """
    title_end = next(
        (n for n, line in enumerate(lines) if not line.startswith(b"#") and not line.strip()), None
    )
    if title_end is None:
        return len(lines)
    trailers = others = continued = 0
    made_by_git = False
    for number in range(len(lines) - 1, title_end - 1, -1):
        line = lines[number]
        if line.startswith(b"#"):
            others += continued
            continued = 0
        elif not line.strip():
            if not trailers and not others and not continued:
                continue
            others += continued
            is_block = trailers * 3 >= others if made_by_git else bool(trailers) and not others
            return number + 1 if is_block else len(lines)
        elif line.startswith(_MADE_BY_GIT) or _TRAILER.match(line):
            trailers += 1
            continued = 0
            made_by_git |= line.startswith(_MADE_BY_GIT)
        elif line[:1].isspace():
            continued += 1
        else:
            others += 1 + continued
            continued = 0
    return len(lines)
