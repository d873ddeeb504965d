"""The table of Python."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = '''
"""A shop."""
import enum

LIMIT = 3
rate: float = 0.2


class Colour(enum.Enum):
    RED = 1


class Cart(Base, metaclass=Meta):
    """Things to buy."""

    size: int

    def __init__(self):
        self.items = []
        self.items = None

    @property
    def total(self):
        return sum(map(lambda item: item.price, self.items))


async def buy(cart: "Cart", *, when: dates.Date | None = None) -> list[Receipt]:
    def retry():
        return buy(cart)

    return await retry()


type Pair = tuple[int, int]
'''


def test_each_definition_is_a_symbol() -> None:
    assert symbols("python", SHOP) == [
        "constant LIMIT.",
        "variable rate.",
        "class Colour#",
        "enum_member Colour#RED.",
        "class Cart#",
        "field Cart#size.",
        "method Cart#__init__().",
        "field Cart#items.",
        "method Cart#total().",
        "lambda Cart#total().`<lambda>`().",
        "function buy().",
        "function buy().retry().",
        "type_alias Pair#",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("python", SHOP) == [
        "type float",
        "inherit enum.Enum < Colour#",
        "inherit Base < Cart#",
        "type int < Cart#",
        "call property < Cart#",
        "call sum < Cart#total().",
        "call map < Cart#total().",
        "read item.price < Cart#total().`<lambda>`().",
        "type dates.Date < buy().",
        "type list < buy().",
        "type Receipt < buy().",
        "call buy < buy().retry().",
        "call retry < buy().",
        "type tuple",
        "type int",
        "type int",
    ]


def test_imports_bind_local_names() -> None:
    source = """
import os.path, json as j
from . import sibling
from ..pkg.mod import a as b, c
from typing import *
from __future__ import annotations
"""
    assert imports("python", source) == [
        ("os.path", "", "os", 0, False),
        ("json", "", "j", 0, False),
        ("", "sibling", "sibling", 1, False),
        ("pkg.mod", "a", "b", 2, False),
        ("pkg.mod", "c", "c", 2, False),
        ("typing", "", "", 0, True),
        ("__future__", "annotations", "annotations", 0, False),
    ]


def test_spans_cover_decorators_name_body_and_docstring() -> None:
    source = "import a\n\n@a.b(1)\ndef go(x):\n    'Doc.'\n    return x\n"
    data = source.encode()
    go = read("python", source).symbols[0]
    assert data[slice(*go.span)].startswith(b"@a.b(1)\ndef go")
    assert data[slice(*go.name_span)] == b"go"
    assert go.body is not None
    assert data[slice(*go.body)] == b"'Doc.'\n    return x"
    assert go.doc is not None
    assert data[slice(*go.doc)] == b"'Doc.'"
    assert (go.start_line, go.line, go.end_line) == (3, 4, 6)
    assert go.decorators == ("a.b(1)",)
    assert go.signature == "@a.b(1) def go(x):"


def test_an_assignment_to_an_attribute_of_a_type_is_no_alias() -> None:
    assert symbols("python", "type(a).b = 1\n") == []
