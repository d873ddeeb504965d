"""The table of Go."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
package shop

import (
	"context"
	j "encoding/json"
	. "fmt"
	_ "embed"
	"example.org/money/v2"
)

const Limit, other = 3, 4

var ErrEmpty = errors.New("empty")

type ID = string

// Cart holds things
// to buy.
type Cart[T any] struct {
	sync.Mutex
	*Base
	Items []T
	a, b  int
}

type Buyer interface {
	Named
	Buy(ctx context.Context) error
}

type Rate float64

func (c *Cart[T]) Total() Rate {
	local := func() { c.add(Rate(1)) }
	local()
	return money.Round[T](c.Items)
}

func init() {}
func init() {}
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("go", SHOP) == [
        "constant Limit.",
        "constant other.",
        "variable ErrEmpty.",
        "type_alias ID#",
        "struct Cart#",
        "field Cart#Mutex.",
        "field Cart#Base.",
        "field Cart#Items.",
        "field Cart#a.",
        "field Cart#b.",
        "interface Buyer#",
        "method Buyer#Buy().",
        "type Rate#",
        "method Cart#Total().",
        "lambda Cart#Total().`<lambda>`().",
        "function init().",
        "function init().1",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("go", SHOP) == [
        "call errors.New",
        "inherit sync.Mutex < Cart#",
        "inherit Base < Cart#",
        "type T < Cart#",
        "inherit Named < Buyer#",
        "type context.Context < Buyer#",
        "type Cart < Cart#Total().",
        "type T < Cart#Total().",
        "type Rate < Cart#Total().",
        "call c.add < Cart#Total().`<lambda>`().",
        "call Rate < Cart#Total().`<lambda>`().",
        "call local < Cart#Total().",
        "call money.Round < Cart#Total().",
        "type T < Cart#Total().",
    ]


def test_imports_bind_local_names() -> None:
    assert imports("go", SHOP) == [
        ("context", "", "context", 0, False),
        ("encoding/json", "", "j", 0, False),
        ("fmt", "", "", 0, True),
        ("embed", "", "", 0, False),
        ("example.org/money/v2", "", "money", 0, False),
    ]


def test_comments_above_are_the_doc() -> None:
    cart = next(s for s in read("go", SHOP).symbols if s.name == "Cart")
    assert cart.doc is not None
    assert SHOP.encode()[slice(*cart.doc)] == b"// Cart holds things\n// to buy."
    assert cart.exported


def test_equal_functions_are_told_apart() -> None:
    first, second = (s for s in read("go", SHOP).symbols if s.name == "init")
    assert first.descriptor == second.descriptor
    assert first.disambiguator != second.disambiguator


def test_a_call_of_an_instance_ends_with_the_name_of_the_function() -> None:
    # With one argument it looks like a conversion, with two it does not.
    source = "package shop\n\nvar a, b = Sum[int](x), money.Sum[int](x)\nvar c = Sum[int](x, y)\n"
    calls = [one for one in read("go", source).references if one.kind == "call"]

    said = [source[one.span.start : one.span.end] for one in sorted(calls, key=lambda one: one.span)]
    assert said == ["Sum", "money.Sum", "Sum"]
