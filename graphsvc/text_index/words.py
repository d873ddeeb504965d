"""Words of a text: names split into their parts, and the days that a text or a question names."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

__all__ = [
    "FUNCTION_WORDS", "asked_words", "asks_for_action", "consists_of_names", "content_words", "day_words",
    "first_sentence", "has_long_word", "identifiers", "question_words", "split_names",
]  # fmt: skip

LONGEST_WORD = 10_000
"""Longest word, in characters, that the index keeps for literals."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONG = re.compile(rf"\w{{{LONGEST_WORD}}}")
_WORD = re.compile(r"[^\W_]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$~./-][\w$./:~#-]*[\w)]")
_RECENT = re.compile(r"\b(latest|newest|most recent(ly)?|last time)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[\w)\"'`*][.!?])\s+")
_SENTENCE_WORDS = 3
_ISO_DAY = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FUNCTION_WORDS = """
a about am an and any are as at be been being but by can could d did do does doing for from had has have he her him his
how i if in into is it its ll m may me might my no not of on or our re s she should so t than that the their them then
there these they this those to us ve was we were what when where which who whom whose why will with would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Words that say nothing of what a question is about."""

_ACTION_WORDS = """
accept acquire activate add adjust advance allocate allow append apply archive arrange ask assemble assert assign
attach await bind bring broadcast build calculate call cancel capture check choose clean clear clone close collect
combine compare compile complete compose compress compute configure confirm connect consume convert copy count create
deactivate decide decode decompress decorate decrement decrypt define delete deliver deny detach detect determine
disable discard disconnect dispatch divide do download emit empty enable encode encrypt ensure enter enumerate erase
escape estimate evaluate examine exclude execute exit expand explain export expose extend extract fail fetch fill find
finish flatten flush fold follow forget forward free gather generate get give go hide ignore include indent infer
initialize insert inspect install instantiate invoke iterate join keep kill launch leave let listen load locate make
merge migrate modify move multiply negotiate normalize notify obtain open override parse perform pop populate prepare
prepend prevent print produce propagate publish pull push put raise read rebuild receive recognize recover redirect
reduce refresh register reject reload remember remove rename render reopen reorder replace reply require rerun reset
resize resolve restart restore resume retrieve retry return revert rewind rewrite run save say select send serialize
serve set show shrink shutdown skip start stop strip submit subtract suspend swap synchronize take tear tell terminate
transform translate traverse truncate try unbind unescape uninstall unload unlock unpack unregister unwrap unzip
update upload use validate verify wait walk warn whether wrap write yield
"""
_ACTIONS = frozenset(_ACTION_WORDS.split())
"""Verbs that documentation of functions begins with."""

_WORDS_OF_BOTH = """
access block break change cut display draw drop dump end filter fit fix force fork format group guess handle hash hold
import increment index issue limit link list lock log look lower map mark match measure monitor mount name offer order
pack pad pass patch pick place point poll post prefix present process prompt query quote record release repeat report
request reverse rotate round route scale scan schedule search setup shift shut sleep sort spawn split state store sum
switch sync test toggle trace track transfer trigger trim tune turn upgrade visit wake zip
"""
_ACTIONS_AND_THINGS = frozenset(_WORDS_OF_BOTH.split())
"""Such verbs that are as often the name of a thing."""

_DETERMINERS = frozenset(
    ("a", "all", "an", "any", "each", "every", "if", "its", "one", "that", "the", "this", "whether")
)


def split_names(text: str) -> str:
    """The text with a space at each hump of a name, so that the parts are words of their own.

    >>> split_names("parseHTTPHeader of store_path")
    'parse HTTP Header of store_path'
    """
    return _HUMP.sub(" ", text)


def has_long_word(text: str) -> bool:
    """Whether a word is too long for the index."""
    return len(text) >= LONGEST_WORD and _LONG.search(text) is not None


def day_words(microseconds: int | None) -> str:
    """Words for the day of a time: the day, month, year and weekday; empty without a time.

    >>> day_words(1_700_000_000_000_000)
    '14 november 2023 tuesday'
    """
    if microseconds is None:
        return ""
    time = _EPOCH + timedelta(microseconds=microseconds)
    return f"{time.day} {time:%B %Y %A}".lower()


def question_words(question: str) -> list[str]:
    """The words of a question that say what it is about, each once, in order, names split.

    Function words are left out, unless there are no others. A day written in digits is also asked for in words.

    >>> question_words("When did the parser lose its readTimeout?")
    ['parser', 'lose', 'read', 'timeout']
    >>> question_words("to be or not to be")
    ['to', 'be', 'or', 'not']
    >>> question_words("the crash of 2023-11-04")
    ['crash', '2023', '11', '04', '4', 'november']
    """
    return list(dict.fromkeys(asked_words(question)))


def asked_words(question: str) -> list[str]:
    """The words as `question_words` has them, as often as the question says them.

    >>> asked_words("the lock of a lock file")
    ['lock', 'lock', 'file']
    """
    words = _WORD.findall(split_names(_ISO_DAY.sub(_spelt, question)).lower())
    return [word for word in words if word not in FUNCTION_WORDS] or words


def first_sentence(question: str) -> str:
    """The first sentence of three words or more, else the whole question.

    >>> first_sentence("e.g. this. It drops the oldest entries. What is pinned stays.")
    'It drops the oldest entries.'
    >>> first_sentence("why is it slow")
    'why is it slow'
    """
    sentences = _SENTENCE_END.split(question)
    return next((one for one in sentences if len(one.split()) >= _SENTENCE_WORDS), question)


def asks_for_action(question: str) -> bool:
    """Whether a question begins with what something does, as the documentation of functions does.

    >>> [asks_for_action(one) for one in ("Parses dates", "Recursively copy a tree", "Filter the rows")]
    [True, True, True]
    >>> [asks_for_action(one) for one in ("The parser of dates", "filter of rows", "")]
    [False, False, False]
    """
    first, second, third = (*_WORD.findall(question.lower())[:3], "", "", "")[:3]
    if first.endswith("ly"):
        first, second = second, third
    forms = {first, first.removesuffix("s"), first.removesuffix("es")}
    return bool(forms & _ACTIONS or (forms & _ACTIONS_AND_THINGS and second in _DETERMINERS))


def asks_for_recent(question: str) -> bool:
    """Whether a question asks for what is recent.

    >>> asks_for_recent("What was the latest change to the cache?"), asks_for_recent("the cache")
    (True, False)
    """
    return _RECENT.search(question) is not None


def identifiers(question: str) -> list[str]:
    """Names and paths in a question: words that have the form of one, and each single word of a short question.

    >>> identifiers("why does loadConfig() read cmd/config.go")
    ['loadConfig', 'cmd/config.go']
    >>> identifiers("parser")
    ['parser']
    """
    found = [name.rstrip(".:-") for name in _IDENTIFIER.findall(question)]
    formed = [name for name in found if re.search(r"[_./:()]|[a-z0-9][A-Z]", name)]
    if not formed and len(question.split()) <= 2:
        formed = question.split()
    return list(dict.fromkeys(formed))


def consists_of_names(question: str) -> bool:
    """Whether a question says nothing but names: so it asks for what bears them, and not for what it describes.

    >>> consists_of_names("where is loadConfig()?"), consists_of_names("parse_amount"), consists_of_names("amount")
    (True, True, True)
    >>> consists_of_names("Gives what loadConfig() has read, as a table")
    False
    """
    names = {name.lower() for name in identifiers(question)}
    said = {word.strip(".,:;!?\"'`()").lower() for word in question.split()}
    return bool(names) and said <= names | FUNCTION_WORDS


def _spelt(day: re.Match[str]) -> str:
    """A day or month as it is written, and its words as `day_words` has them."""
    try:
        time = datetime(int(day[1]), int(day[2]), int(day[3] or 1), tzinfo=UTC)
    except ValueError:
        return day[0]
    return f"{day[0]} {time.day if day[3] else ''} {time:%B}"


def content_words(text: str) -> list[str]:
    """The words of a text in lower case and in order, without function words.

    >>> content_words("The race is in the cache_lock")
    ['race', 'cache', 'lock']
    """
    return [word for word in _WORD.findall(text.lower()) if word not in FUNCTION_WORDS]
