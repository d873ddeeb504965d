"""Text as every store compares it."""

from __future__ import annotations

from collections.abc import Iterable

from graphsvc.errors import InvalidInput

__all__ = ["WHITE_SPACE", "check_text", "fold_case", "texts"]

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Unicode's White_Space property. ``str.strip()`` would also take U+001C to U+001F."""


def check_text(name: str, value: object, *, blank: bool = True) -> None:
    """Refuse what is no text, has no UTF-8 form, or is blank where that is not allowed."""
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is a text, not {type(value).__name__}")
    if not blank and not value.strip(WHITE_SPACE):
        raise InvalidInput(f"{name} must not be blank")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{name} contains half of a surrogate pair at character {error.start}") from None


def texts(name: str, values: Iterable[str]) -> tuple[str, ...]:
    """The values of a list of texts; one text alone is refused, since it would count as a list of its characters.

    >>> texts("kinds", ["fact"])
    ('fact',)
    """
    if isinstance(values, str):
        raise InvalidInput(f"{name} is a list of texts, not one text", hint=f"give [{values!r:.40}]")
    return tuple(values)


def fold_case(text: str) -> str:
    """Lower case, one character for one, whatever stands around it.

    ``str.lower`` alone makes two characters of a dotted capital I and looks at the neighbours of a capital
    sigma, which no database does. A store keeps the folded content beside the content.

    >>> fold_case("İΑΣ")
    'iασ'
    """
    return text.replace("İ", "i").replace("Σ", "σ").lower()
