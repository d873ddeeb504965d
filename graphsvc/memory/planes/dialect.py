"""The two dialects of planes, and the translation of the retired one into the present one.

Stores of metadata version 1 and 2 call two planes ``contract`` and ``working``; version 3 calls them
``strategy`` and ``tactics``. Everything but admission works on the present names.

>>> translate_root({"working": {"next": "see $cwd.contract.api, then test"}, "lazy": {"working": 1}})
{'tactics': {'next': 'see $cwd.strategy.api, then test'}, 'lazy': {'working': 1}}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from graphsvc.errors import Refused
from graphsvc.memory.planes.reasons import Reason
from graphsvc.memory.strict_json import JsonObject

__all__ = [
    "DIALECT_OF_VERSION",
    "LEGACY",
    "PATH",
    "RETIRED",
    "SCOPES",
    "TARGET",
    "Dialect",
    "PlaneScope",
    "path_tokens",
    "refuse_retired_roots",
    "select_planes",
    "translate_locator",
    "translate_root",
    "translate_text",
]

PlaneScope = Literal["global", "cwd", "session"]

SCOPES: tuple[PlaneScope, ...] = ("global", "cwd", "session")
"""Outermost first: the order in which the effective view lays them over each other."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Names of the planes, and of those whose content an intent of the same scope can own."""

    name: Literal["legacy", "target"]
    planes: tuple[str, ...]
    owned: frozenset[str]

    @property
    def authored(self) -> tuple[str, ...]:
        """The planes that a patch may write: all but the response."""
        return tuple(plane for plane in self.planes if plane != "response")


LEGACY = Dialect(
    "legacy",
    ("intents", "contract", "working", "artifacts", "response", "lazy"),
    frozenset({"working", "lazy"}),
)
TARGET = Dialect(
    "target",
    ("intents", "strategy", "tactics", "artifacts", "response", "lazy"),
    frozenset({"strategy", "tactics", "lazy"}),
)
DIALECT_OF_VERSION = {1: LEGACY, 2: LEGACY, 3: TARGET}
RETIRED = {"contract": "strategy", "working": "tactics"}

_N = "(?:0|[1-9][0-9]{0,15})"
_KEY = r"[A-Za-z_$][A-Za-z0-9_$-]*"
PATH = (
    rf"(?:(?P<root>effective|global|cwd|session)(?:\[(?P<offset>{_N})\])?(?:\.(?P<plane>{_KEY}))?|(?P<bare>{_KEY}))"
    rf"(?P<steps>(?:\.{_KEY}|\[{_N}(?:(?::|\.\.){_N})?\])*)"
)
"""A read path: a root with an offset and a plane, both optional, or a plane alone; then steps below it."""

_WHOLE_PATH = re.compile(PATH)
_TOKEN = re.compile(rf"(?<![\w$./\\-])\$(?>{PATH})(?![\w$.:\[/\\-])")
"""A path in running text. What could continue it on either side, even a full stop, makes it plain text."""

_CARD_TEXTS = ("description", "compilation")
"""Members of an artifact card that are text for people; the others are evidence and stay as they are."""


def translate_locator(locator: str) -> str:
    """A structured reference with the plane's present name; anything but a whole read path stays as it is.

    >>> translate_locator("session[3].contract.x[0:2]"), translate_locator("cwd.working..a")
    ('session[3].strategy.x[0:2]', 'cwd.working..a')
    """
    match = _WHOLE_PATH.fullmatch(locator)
    return locator if match is None else _rename_plane(match)


def translate_text(text: str) -> str:
    """Text with every ``$path`` token that names a retired plane renamed."""
    return _TOKEN.sub(_rename_plane, text)


def path_tokens(text: str) -> list[str]:
    """The paths that running text names.

    >>> path_tokens("see $cwd.tactics.a, then $working")
    ['cwd.tactics.a', 'working']
    """
    return [match[0][1:] for match in _TOKEN.finditer(text)]


def _rename_plane(match: re.Match[str]) -> str:
    group = "plane" if match["bare"] is None else "bare"
    name = RETIRED.get(match[group] or "")
    if name is None:
        return match[0]
    start, end = (position - match.start() for position in match.span(group))
    return match[0][:start] + name + match[0][end:]


def translate_root(root: JsonObject) -> JsonObject:
    """The planes of one scope, or one record of them, in the present dialect.

    Deletion markers move with their plane; roots that are no plane stay as they are.

    Raises:
        Refused: A present name stands in data that is declared to be of the retired dialect. Which of two
            spellings counts is not for a reader to decide.
    """
    for name in RETIRED.values():
        if name in root:
            raise Refused(
                f"the plane {name!r} cannot stand in a store of metadata version 1 or 2",
                reason=Reason.ROOT_COLLISION,
                hint="reconcile the two spellings in the store by hand",
            )
    return {RETIRED.get(name, name): _translate_plane(name, value) for name, value in root.items()}


def _translate_plane(name: str, value: Any) -> Any:
    if name not in LEGACY.planes:
        return value
    if name == "artifacts" and isinstance(value, dict):
        return {path: _translate_card(card) for path, card in value.items()}
    return _translate_value(value)


def _translate_card(card: Any) -> Any:
    if not isinstance(card, dict):
        return card
    return {key: _translate_value(value) if key in _CARD_TEXTS else value for key, value in card.items()}


def _translate_value(value: Any) -> Any:
    if isinstance(value, str):
        return translate_text(value)
    if isinstance(value, list):
        return [_translate_value(item) for item in value]
    if isinstance(value, dict):
        return {key: _translate_member(key, member) for key, member in value.items()}
    return value


def _translate_member(key: str, member: Any) -> Any:
    if key == "$ref" and isinstance(member, str):
        return translate_locator(member)
    return _translate_value(member)


def refuse_retired_roots(root: JsonObject) -> None:
    """Refuse a retired plane, even its deletion, in data of the present dialect."""
    for name, present in RETIRED.items():
        if name in root:
            raise Refused(f"the plane {name!r} is now called {present!r}", reason=Reason.RETIRED_ROOT)


def select_planes(root: JsonObject) -> JsonObject:
    """The planes alone, without roots that other software keeps beside them."""
    return {name: value for name, value in root.items() if name in TARGET.planes}
