"""The table of shell scripts."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """#!/bin/bash
source ./lib.sh

# Says it.
say() { echo "$1"; }
function twice { say; local x=1; }
export NAME=1
readonly LIMIT=2
PLAIN=3
"""


def test_shell() -> None:
    assert symbols("bash", SHOP) == [
        "function say().",
        "function twice().",
        "variable NAME.",
        "constant LIMIT.",
    ]
    assert references("bash", SHOP) == ["call echo < say().", "call say < twice()."]
    assert imports("bash", SHOP) == [("./lib.sh", "", "", 1, True)]
    doc = read("bash", SHOP).symbols[0].doc
    assert doc is not None
    assert SHOP.encode()[slice(*doc)] == b"# Says it."
