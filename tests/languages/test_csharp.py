"""The table of C#."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
using System;
using static System.Math;
using Rows = System.Collections.Generic.List;
namespace Org.Shop;

/// <summary>A cart.</summary>
[Serializable, Obsolete("x")]
public partial class Cart<T> : Base<T>, IBuyer, ns.INamed where T : Item {
    private const int Limit = 3;
    internal int a, b = 2;
    public event EventHandler Changed;
    public int Size { get; private set; }
    public T this[int i] { get { return items[i]; } }
    public Cart(int a) : base(a) { Run(a); this.x.Map<Row>(1); new Foo.Bar<T>(2); a?.Close(); }
    ~Cart() { }
    public static bool operator ==(Cart<T> x, Cart<T> y) => true;
    public static implicit operator int(Cart<T> c) => 1;
    void IBuyer.Buy<U>(U item) { int Local(int q) { return q; } Func<int, int> f = x => x; }
    class Nested { }
}
interface IBuyer : INamed { void Buy(); int Price { get; } }
enum Color : byte { Red, [Tag] Green = 2 }
record Person(string Name) : Being(Name);
delegate int Change(int x);
"""


def test_each_definition_is_a_symbol() -> None:
    assert [line.replace("`Org.Shop`/", "") for line in symbols("csharp", SHOP)] == [
        "namespace ",
        "class Cart#",
        "constant Cart#Limit.",
        "field Cart#a.",
        "field Cart#b.",
        "field Cart#Changed.",
        "property Cart#Size.",
        "property Cart#this.",
        "constructor Cart#Cart().",
        "method Cart#Cart().1",
        "method Cart#`==`().",
        "method Cart#operator().",
        "method Cart#Buy().",
        "function Cart#Buy().Local().",
        "lambda Cart#Buy().`<lambda>`().",
        "class Cart#Nested#",
        "interface IBuyer#",
        "method IBuyer#Buy().",
        "property IBuyer#Price.",
        "enum Color#",
        "enum_member Color#Red.",
        "enum_member Color#Green.",
        "class Person#",
        "property Person#Name.",
        "type Change#",
    ]


def test_calls_and_bases_know_what_encloses_them() -> None:
    found = [line.replace("`Org.Shop`/", "") for line in references("csharp", SHOP)]
    assert [line for line in found if not line.startswith("type")] == [
        "inherit Base < Cart#",
        "inherit IBuyer < Cart#",
        "inherit ns.INamed < Cart#",
        "call base < Cart#Cart().",
        "call Run < Cart#Cart().",
        "call this.x.Map < Cart#Cart().",
        "call Foo.Bar < Cart#Cart().",
        "call a.Close < Cart#Cart().",
        "inherit INamed < IBuyer#",
        "inherit Being < Person#",
    ]
    assert "type EventHandler < Cart#" in found
    assert "type Row < Cart#Cart()." in found


def test_using_binds_names() -> None:
    assert imports("csharp", SHOP) == [
        ("System", "", "", 0, True),
        ("System.Math", "", "", 0, True),
        ("System.Collections.Generic.List", "", "Rows", 0, False),
    ]


def test_attributes_doc_and_access() -> None:
    found = read("csharp", SHOP).symbols
    cart = found[1]
    assert cart.decorators == ("Serializable", 'Obsolete("x")')
    assert cart.doc is not None
    assert b"<summary>A cart." in SHOP.encode()[slice(*cart.doc)]
    hidden = {s.name for s in found if not s.exported and s.kind not in ("lambda", "function")}
    assert hidden == {"Limit", "Cart", "Buy", "Nested"}
