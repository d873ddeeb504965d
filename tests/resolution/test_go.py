"""Where the references of Go code lead."""

from __future__ import annotations

from loaders.resolution import go
from tests.resolution.snapshots import edges, gaps, resolution, snapshot

MODULE = {"go.mod": "module example.org/shop\n\ngo 1.24\n"}


def calls(source: str, **others: str) -> list[str]:
    """Callees of the calls in ``a.go`` of package shop, without the path of that file."""
    files = {**MODULE, "a.go": "package shop\n" + source, **{f"{k}.go": v for k, v in others.items()}}
    return [edge.split(" -> ")[1].removeprefix("a.go ") for edge in edges(files) if edge.startswith("a.go")]


def test_a_package_is_a_folder_below_its_module() -> None:
    tree = snapshot(
        {
            **MODULE,
            "shop.go": "package shop",
            "shop_test.go": "package shop_test",
            "tool.go": "package main",
            "money/money.go": "package money",
            "vendored/go.mod": 'module "example.com/other"',
            "vendored/x/x.go": "package x",
        }
    )
    assert go.packages(tree) == {
        "shop.go": "example.org/shop",
        "shop_test.go": "example.org/shop shop_test",
        "tool.go": "example.org/shop main",
        "money/money.go": "example.org/shop/money",
        "vendored/x/x.go": "example.com/other/x",
    }


def test_functions_are_found_in_the_file_the_package_and_imports() -> None:
    source = """
import (
	"example.org/shop/money"
	alias "example.org/shop/tax"
	"fmt"
)
func here() {}
func run() { here(); there(); money.Round(); alias.Add(); fmt.Println(); len("") }
"""
    files = {
        **MODULE,
        "a.go": "package shop\n" + source,
        "b.go": "package shop\nfunc there() {}",
        "money/m.go": "package money\nfunc Round() {}",
        "tax/t.go": "package tax\nfunc Add() {}",
    }
    assert edges(files) == [
        "a.go run(). -> a.go here(). lexical_scope",
        "a.go run(). -> b.go there(). package_scope",
        "a.go run(). -> money/m.go Round(). import",
        "a.go run(). -> tax/t.go Add(). import",
    ]
    assert gaps(files) == {"Println": "external", "len": "builtin"}
    assert [(i.path, i.target_path) for i in resolution(files).imports] == [
        ("a.go", "money/m.go"),
        ("a.go", "tax/t.go"),
    ]


def test_methods_follow_the_type_of_the_receiver() -> None:
    source = """
type Cart struct { items []Item; byName map[string]*Item; owner func() Owner }
type Item struct{}
type Owner struct{}
func (c *Cart) Len() int { return 0 }
func (i Item) Price() int { return 0 }
func (o Owner) Pay() {}
func load() (*Cart, error) { return nil, nil }
func run(given *Cart) {
	given.Len()
	made := &Cart{}
	made.Len()
	loaded, err := load()
	loaded.Len()
	err.Error()
	for _, item := range loaded.items { item.Price() }
	loaded.byName["a"].Price()
	if item, ok := loaded.byName["a"]; ok { item.Price() }
	loaded.owner().Pay()
	var any interface{} = made
	any.(*Cart).Len()
	switch v := any.(type) {
	case *Cart: v.Len()
	case Item: v.Price()
	}
	new(Cart).Len()
	unknown.Len()
}
"""
    assert calls(source) == [
        "Cart#Len(). receiver_type",
        "Cart#Len(). receiver_type",
        "load(). lexical_scope",
        "Cart#Len(). receiver_type",
        "Item#Price(). receiver_type",
        "Item#Price(). receiver_type",
        "Item#Price(). receiver_type",
        "Owner#Pay(). receiver_type",
        "Cart#Len(). receiver_type",
        "Cart#Len(). receiver_type",
        "Item#Price(). receiver_type",
        "Cart#Len(). receiver_type",
    ]


def test_a_shadowing_declaration_hides_the_outer_variable() -> None:
    source = """
type A struct{}
type B struct{}
func (A) F() {}
func (B) F() {}
func run() {
	v := A{}
	if v := (B{}); true { v.F() }
	v.F()
}
"""
    assert calls(source) == ["B#F(). receiver_type", "A#F(). receiver_type"]


def test_embedded_members_are_promoted_nearest_first() -> None:
    source = """
type Base struct{}
func (b *Base) Save() {}
func (b *Base) Name() {}
type Middle struct { *Base }
func (m Middle) Name() {}
type Top struct { Middle }
func run(t Top) { t.Save(); t.Name(); t.Base.Name() }
"""
    assert calls(source) == [
        "Base#Save(). inherited_member",
        "Middle#Name(). inherited_member",
        "Base#Name(). receiver_type",
    ]
    files = {**MODULE, "a.go": "package shop\n" + source}
    assert edges(files, "INHERITS") == [
        "a.go Middle# -> a.go Base# lexical_scope",
        "a.go Top# -> a.go Middle# lexical_scope",
    ]


def test_an_interface_call_leads_to_the_interface_and_its_implementations() -> None:
    source = """
type Saver interface { Save(); Closer }
type Closer interface { Close() }
type File struct{}
func (f *File) Save() {}
func (f *File) Close() {}
type Half struct{}
func (h Half) Save() {}
func run(s Saver) { s.Save(); s.Close() }
"""
    assert calls(source) == [
        "Saver#Save(). receiver_type",
        "File#Save(). interface_dispatch",
        "Closer#Close(). inherited_member",
        "File#Close(). interface_dispatch",
    ]


def test_aliases_and_generic_types_are_seen_through() -> None:
    source = """
import "example.org/shop/money"
type Price = money.Amount
type Named[T interface{ Name() string }] struct { item T }
func (n *Named[T]) Show() {}
func Of[T any](item T) *Named[Item] { return nil }
type Item struct{}
func (Item) Name() string { return "" }
func run(p Price, n *Named[Item]) { p.Round(); n.Show(); Of[Item](Item{}).Show() }
"""
    amount = "package money\ntype Amount int\nfunc (a Amount) Round() {}"
    files = {**MODULE, "a.go": "package shop\n" + source, "money/m.go": amount}
    assert edges(files) == [
        "a.go run(). -> money/m.go Amount#Round(). receiver_type",
        "a.go run(). -> a.go Named#Show(). receiver_type",
        "a.go run(). -> a.go Of(). lexical_scope",
        "a.go run(). -> a.go Named#Show(). receiver_type",
    ]


def test_variants_for_several_systems_are_one_symbol() -> None:
    files = {
        **MODULE,
        "a.go": "package shop\nfunc run() { spawn() }",
        "b_linux.go": "package shop\nfunc spawn() {}\nfunc init() {}",
        "b_windows.go": "package shop\nfunc spawn() {}\nfunc init() {}",
    }
    assert [edge.split(" -> ")[1] for edge in edges(files)] == [
        "b_linux.go spawn(). package_scope",
        "b_windows.go spawn(). package_scope",
    ]
    ids = {(row.path, row.ordinal): row.symbol_id for row in resolution(files).symbols}
    assert ids["b_linux.go", 0] == ids["b_windows.go", 0]
    assert ids["b_linux.go", 1] != ids["b_windows.go", 1]


def test_a_type_implements_the_interfaces_whose_methods_it_has() -> None:
    source = """
type Store interface { Get(key string) Item; Base }
type Base interface { Close() error }
type Item struct{}
type Disk struct{ closer }
type closer struct{}
func (closer) Close() error { return nil }
func (d *Disk) Get(key string) Item { return Item{} }
type Other struct{ closer }
func (o Other) Get(key int, more bool) Item { return Item{} }
type Anything interface{}
"""
    found = resolution({**MODULE, "a.go": "package shop\n" + source})
    symbols = snapshot({"a.go": "package shop\n" + source}).files["a.go"].symbols
    named = [(symbols[link.source].name, symbols[link.target].name, link.origin) for link in found.links]
    assert sorted(named) == [
        ("Disk", "Base", "method_set"),
        ("Disk", "Store", "method_set"),
        ("Other", "Base", "method_set"),
        ("closer", "Base", "method_set"),
    ]


def test_an_interface_of_a_function_has_its_implementers_too() -> None:
    source = """
type Disk struct{}
func (Disk) Close() {}
func run(d any) {
	type closer interface{ Close() }
	d.(closer).Close()
}
"""
    assert calls(source) == [
        "Disk#Close(). interface_dispatch",
        "run().closer#Close(). receiver_type",
    ]
