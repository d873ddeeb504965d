"""The table of Rust."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
use std::{fmt, io::{self, Read as R, *}};
pub use self::model::Price;
use ::money as _;
extern crate serde as sd;

/// A cart
/// of goods.
#[derive(Debug, Clone)]
#[repr(C)]
pub struct Cart<T: Item> { pub items: Vec<T>, count: u32, }
struct Pair(pub i32, Price);
pub enum Kind { Empty, One(i32), Many { size: u8 }, }
union Bits { raw: u8 }

pub trait Buyer: Named + fmt::Display {
    const LIMIT: u32;
    type Receipt;
    fn buy(&self) -> Self::Receipt;
    fn nothing() {}
}

impl<T> Buyer for Cart<T> {
    const LIMIT: u32 = 3;
    type Receipt = model::Paper;
    fn buy(&self) -> Self::Receipt { let sum = |a| self.add::<u8>(a); sum(1) }
}
impl shop::Cart<'_> { pub(crate) async fn clear() { Vec::<i32>::new(); } }

mod model { pub static RATE: f64 = 1.0; static mut COUNT: i32 = 0; pub type Id = u32; }
mod other;
#[macro_export]
macro_rules! square { ($x:expr) => { fn hidden() {} } }
extern "C" { fn external(code: i32); }
const _: () = ();

fn outer() {
    fn nested() {}
    nested();
    model::deep::run(Cart { items: vec![] });
    println!("{}", cart.total(make(1)));
}
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("rust", SHOP) == [
        "struct Cart#",
        "field Cart#items.",
        "field Cart#count.",
        "struct Pair#",
        "enum Kind#",
        "enum_member Kind#Empty.",
        "enum_member Kind#One.",
        "enum_member Kind#Many.",
        "field Kind#Many.size.",
        "union Bits#",
        "field Bits#raw.",
        "trait Buyer#",
        "constant Buyer#LIMIT.",
        "type_alias Buyer#Receipt#",
        "method Buyer#buy().",
        "method Buyer#nothing().",
        "constant Cart#LIMIT.",
        "type_alias Cart#Receipt#",
        "method Cart#buy().",
        "lambda Cart#buy().`<lambda>`().",
        "method Cart#clear().",
        "module model/",
        "constant model/RATE.",
        "variable model/COUNT.",
        "type_alias model/Id#",
        "module other/",
        "macro square!",
        "function external().",
        "function outer().",
        "function outer().nested().",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("rust", SHOP) == [
        "type Item < Cart#",
        "type Vec < Cart#",
        "type T < Cart#",
        "type Price < Pair#",
        "inherit Named < Buyer#",
        "inherit fmt.Display < Buyer#",
        "type Self.Receipt < Buyer#buy().",
        "inherit Buyer < Cart#",
        "type Cart",
        "type T",
        "type model.Paper",
        "type Self.Receipt < Cart#buy().",
        "call self.add < Cart#buy().`<lambda>`().",
        "call sum < Cart#buy().",
        "type shop.Cart",
        "call Vec::<i32>.new < Cart#clear().",
        "type Vec < Cart#clear().",
        "call nested < outer().",
        "call model::deep.run < outer().",
        "type Cart < outer().",
        "call vec < outer().",
        "call println < outer().",
        "call cart.total < outer().",
        "call make < outer().",
    ]


def test_use_trees_bind_each_leaf() -> None:
    assert imports("rust", SHOP) == [
        ("std", "fmt", "fmt", 0, False),
        ("std::io", "", "io", 0, False),
        ("std::io", "Read", "R", 0, False),
        ("std::io", "", "", 0, True),
        ("self::model", "Price", "Price", 0, False),
        ("::money", "", "", 0, False),
        ("serde", "", "sd", 0, False),
        ("self::other", "", "other", 0, False),
    ]


def test_attributes_stand_between_the_doc_and_the_item() -> None:
    cart = next(s for s in read("rust", SHOP).symbols if s.name == "Cart")
    assert cart.doc is not None
    assert SHOP.encode()[slice(*cart.doc)] == b"/// A cart\n/// of goods.\n"
    assert cart.decorators == ("derive(Debug, Clone)", "repr(C)")


def test_visibility() -> None:
    hidden = {s.name for s in read("rust", SHOP).symbols if not s.exported and s.kind != "lambda"}
    assert hidden == {
        "count", "Pair", "Bits", "raw", "model", "other", "COUNT", "external", "outer", "nested",
    }  # fmt: skip


def test_a_comment_behind_code_is_no_doc() -> None:
    found = read("rust", "enum E {\n    A, // about A\n    B,\n    // about C\n    C,\n}\n")
    assert [s.name for s in found.symbols if s.doc] == ["C"]
