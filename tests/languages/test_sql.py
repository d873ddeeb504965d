"""The table of SQL."""

from __future__ import annotations

from tests.languages.table import symbols

SHOP = """
-- All carts.
CREATE TABLE shop.cart (id INT PRIMARY KEY, name TEXT NOT NULL);
CREATE VIEW names AS SELECT name FROM cart;
CREATE FUNCTION total(a INT) RETURNS INT AS $$ SELECT 1 $$ LANGUAGE sql;
CREATE TYPE mood AS ENUM ('a', 'b');
"""


def test_sql() -> None:
    assert symbols("sql", SHOP) == [
        "struct cart#",
        "field cart#id.",
        "field cart#name.",
        "struct names#",
        "function total().",
        "type mood#",
    ]
