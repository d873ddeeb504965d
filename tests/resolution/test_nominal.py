"""Where the references of Java, C#, C, C++, Rust and Ruby lead."""

from __future__ import annotations

import pytest

from loaders.resolution import resolve
from loaders.resolution.model import GAPS
from tests.resolution.snapshots import edges, gaps, resolution, snapshot


def calls(files: dict[str, str], path: str) -> list[str]:
    """Callees of the calls in one file, in source order."""
    return [edge.split(" -> ")[1] for edge in edges(files) if edge.startswith(path + " ")]


def test_java_packages_imports_members_and_overloads() -> None:
    files = {
        "shop/Cart.java": """
        package shop;
        import shop.money.Price;
        import static shop.money.Rates.convert;
        public class Cart extends Base implements Priced {
          private Price price;
          private final Item first = new Item();
          void add(int n) {}
          void add(int n, Item item) {}
          Price total() {
            add(1); this.add(1, first); helper(); convert(); super.helper();
            price.round(); first.name().trim(); new Item().name();
            var made = new Item(); made.name();
            for (Item item : items) { item.name(); }
            Outside.call(); unknown.call();
            return price;
          }
          class Inner { void run() { total().round(); } }
        }
        """,
        "shop/Item.java": "package shop; class Item { String name() { return null; } }",
        "shop/Base.java": "package shop; abstract class Base { protected void helper() {} }",
        "shop/Priced.java": "package shop; interface Priced {}",
        "shop/money/Price.java": "package shop.money; public class Price { public Price round() { return this; } }",
        "shop/money/Rates.java": "package shop.money; public class Rates { public static void convert() {} }",
        "other/Item.java": "package other; class Item { void name() {} }",
    }
    assert calls(files, "shop/Cart.java") == [
        "shop/Item.java Item# package_scope",
        "shop/Cart.java Cart#add(). receiver_type",
        "shop/Cart.java Cart#add(). receiver_type",
        "shop/Base.java Base#helper(). inherited_member",
        "shop/money/Rates.java Rates#convert(). import",
        "shop/Base.java Base#helper(). receiver_type",
        "shop/money/Price.java Price#round(). receiver_type",
        "shop/Item.java Item#name(). receiver_type",
        "shop/Item.java Item#name(). receiver_type",
        "shop/Item.java Item# package_scope",
        "shop/Item.java Item# package_scope",
        "shop/Item.java Item#name(). receiver_type",
        "shop/Item.java Item#name(). receiver_type",
        "shop/money/Price.java Price#round(). receiver_type",
        "shop/Cart.java Cart#total(). receiver_type",
    ]
    added = [e.target for e in resolution(files).edges if e.path == "shop/Cart.java" and e.kind == "CALLS"][
        1:3
    ]
    assert len(set(added)) == 2
    assert edges(files, "INHERITS") == [
        "shop/Cart.java Cart# -> shop/Base.java Base# package_scope",
        "shop/Cart.java Cart# -> shop/Priced.java Priced# package_scope",
    ]
    assert len(resolution(files).imports) == 2


def test_csharp_namespaces_and_members() -> None:
    files = {
        "Cart.cs": """
        using Shop.Money;
        namespace Shop.Carts;
        class Cart : Base, IPriced {
          private readonly Price _price = new Price(1);
          public Item First { get; set; }
          void Add(Item item, ref int n) {
            Help(); this.Add(item, ref n); base.Help(); item.Name(); _price.Round(); First.Name();
            var made = new Item(); made.Name();
            foreach (Item one in all) { one.Name(); }
            if (thing is Item found) { found.Name(); }
            Price.Zero(); Console.WriteLine();
          }
        }
        """,
        "Item.cs": "namespace Shop.Carts { class Item { public void Name() {} } interface IPriced {} }",
        "Base.cs": "namespace Shop { class Base { protected void Help() {} } }",
        "Price.cs": """
        namespace Shop.Money { class Price { public Price(int n) {} void Round() {} static void Zero() {} } }
        """,
    }
    found = calls(files, "Cart.cs")
    assert found.count("Item.cs `Shop.Carts`/Item#Name(). receiver_type") == 5
    assert "Base.cs Shop/Base#Help(). inherited_member" in found
    assert "Base.cs Shop/Base#Help(). receiver_type" in found
    assert "Price.cs `Shop.Money`/Price# import" in found
    assert "Price.cs `Shop.Money`/Price#Round(). receiver_type" in found
    assert "Price.cs `Shop.Money`/Price#Zero(). receiver_type" in found
    assert gaps(files)["WriteLine"] == "unknown_receiver"
    assert [edge.split(" -> ")[1] for edge in edges(files, "INHERITS")] == [
        "Base.cs Shop/Base# package_scope",
        "Item.cs `Shop.Carts`/IPriced# package_scope",
    ]


def test_c_calls_what_is_included_and_linked() -> None:
    files = {
        "src/main.c": """
        #include "cart.h"
        #include <stdio.h>
        static int helper(int n) { return n; }
        int main(void) { helper(1); cart_add(2); hidden(); printf("x"); MAX(1, 2); return 0; }
        """,
        "src/cart.c": '#include "cart.h"\nint cart_add(int n) { return n; }\nstatic int helper(int n) { return n; }\n',
        "include/cart.h": "#define MAX(a, b) (a)\nint cart_add(int n);\n",
        "src/other.c": "int hidden(void) { return 1; }\n",
    }
    assert calls(files, "src/main.c") == [
        "src/main.c helper(). lexical_scope",
        "src/cart.c cart_add(). package_scope",
        "include/cart.h MAX! package_scope",
    ]
    assert gaps(files)["hidden"] == "unknown_name"


def test_cpp_classes_namespaces_and_definitions_elsewhere() -> None:
    files = {
        "cart.h": """
        namespace shop {
        class Base { public: void help(); };
        class Item { public: int price() const; };
        class Cart : public Base {
         public:
          void add(const Item& item, int n = 1);
          Item* first();
         private:
          Item best_;
        };
        void free_function();
        }
        """,
        "cart.cc": """
        #include "cart.h"
        namespace shop {
        void Cart::add(const Item& item, int n) {
          help(); item.price(); this->first()->price(); best_.price(); free_function();
          Item local; local.price();
          auto made = new Item(); made->price();
          std::unique_ptr<Item> owned; owned->price();
          shop::free_function(); std::move(n);
        }
        Item* Cart::first() { return nullptr; }
        void free_function() {}
        }
        """,
    }
    found = calls(files, "cart.cc")
    assert found.count("cart.h shop/Item#price(). receiver_type") == 6
    assert "cart.h shop/Base#help(). inherited_member" in found
    assert "cart.cc shop/Cart#first(). receiver_type" in found
    assert found.count("cart.cc shop/free_function(). lexical_scope") == 2
    assert edges(files, "INHERITS") == ["cart.h shop/Cart# -> cart.h shop/Base# lexical_scope"]


def test_rust_modules_use_trees_and_impl_blocks() -> None:
    files = {
        "shop/src/lib.rs": """
        mod cart;
        use crate::cart::{Cart, helper as help};
        use std::fs::File;
        pub struct Shop { cart: Box<Cart>, }
        impl Shop {
          pub fn new(cart: &mut Cart) -> Self { cart.add(); Shop::empty() }
          fn empty() -> Shop { todo!() }
          fn run(&self) {
            self.cart.add(); help(); Self::empty(); let made = Cart::new(); made.add();
            cart::helper(); File::open("x"); outer();
            self.cart.first().price();
          }
        }
        fn outer() { fn inner() {} inner(); }
        """,
        "shop/src/cart.rs": """
        use super::Shop;
        pub struct Cart { items: Vec<Item> }
        pub struct Item;
        pub trait Priced { fn price(&self); }
        impl Priced for Item { fn price(&self) {} }
        impl Cart { pub fn new() -> Cart { Cart {} } pub fn add(&self) {} pub fn first(&self) -> &Item { todo!() } }
        pub fn helper() {}
        """,
    }
    found = calls(files, "shop/src/lib.rs")
    assert found.count("shop/src/cart.rs Cart#add(). receiver_type") == 3
    assert found.count("shop/src/lib.rs Shop#empty(). receiver_type") == 2
    assert found.count("shop/src/cart.rs helper(). import") == 2
    assert "shop/src/cart.rs Cart#new(). receiver_type" in found
    assert "shop/src/cart.rs Item#price(). receiver_type" in found
    assert "shop/src/lib.rs outer(). lexical_scope" in found
    assert "shop/src/lib.rs outer().inner(). lexical_scope" in found
    assert edges(files, "INHERITS") == ["shop/src/cart.rs Item# -> shop/src/cart.rs Priced# lexical_scope"]
    assert gaps(files)["open"] == "external"


def test_ruby_constants_methods_and_mixins() -> None:
    files = {
        "lib/shop/cart.rb": """
        require_relative "item"
        module Shop
          module Named
            def name; end
          end
          class Base
            def initialize; end
            def help; end
          end
          class Cart < Base
            include Named
            def initialize
              super
              @item = Item.new
            end
            def add
              help; name(); self.help; @item.price; local = Item.new(1); local.price; Shop::Item.build
              tool()
            end
          end
        end
        """,
        "lib/shop/item.rb": """
        def tool; end
        module Shop
          class Item
            def self.build; new; end
            def price; end
          end
        end
        """,
        "spec/tools.rb": "def tool; end\n",
    }
    found = calls(files, "lib/shop/cart.rb")
    assert found.count("lib/shop/item.rb Shop/Item#price(). receiver_type") == 2
    assert "lib/shop/cart.rb Shop/Base#initialize(). receiver_type" in found
    assert "lib/shop/cart.rb Shop/Named/name(). inherited_member" in found
    assert "lib/shop/cart.rb Shop/Base#help(). inherited_member" in found
    assert "lib/shop/item.rb Shop/Item#build(). receiver_type" in found
    assert "lib/shop/item.rb tool(). package_scope" in found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.java", "class A extends A { A a = a.b; void f() { var x = x.f(); x.g(); this.a.a.a.h(); } }"),
        ("a.cs", "class A : B { A f() { var x = x.f(); x.g(); return f().f().f(); } } class B : A { }"),
        ("a.rs", "struct A; impl A { fn f(&self) { let x = x(x); let y = z(); let z = y(); z.g(); } }"),
        ("a.rb", "class A < A\n  def f\n    x = x.f\n    x.g\n    super\n  end\nend\n"),
        (
            "a.cc",
            '#include "a.cc"\nstruct A : A { A* a; void f() { auto x = x->f(); x->g(); a->a->a->h(); } };',
        ),
        ("b.java", "class A { void f() { " + "a." * 2000 + "f(); " + "g(" * 500 + ")" * 500 + "; } }"),
        ("c.rs", "fn f() { " + "".join(f"let x{n} = x{n + 1}.f(); " for n in range(500)) + "x0.g(); }"),
    ],
)
def test_names_that_are_made_of_themselves_come_to_an_end(path: str, source: str) -> None:
    tree = snapshot({path: source})
    found = resolve(tree)
    resolved = {(edge.path, edge.reference) for edge in found.edges}
    assert len(resolved) + len(found.gaps) == len(tree.files[path].references)
    assert {gap.reason for gap in found.gaps} <= GAPS.keys()
