"""The table of Java."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
package org.shop;

import java.util.List;
import java.util.function.*;
import static org.money.Rates.convert;

/**
 * A cart.
 */
@Entity(name = "cart")
@Deprecated
public abstract class Cart<T extends Item> extends base.Store<T> implements Buyer, Comparable<Cart<T>> {
    private static final int LIMIT = 3, OTHER[] = {1};
    protected List<? extends T> items = new java.util.ArrayList<>();
    int count, size;

    public Cart(int size) { this(size, 0); }
    Cart(int size, int count) { super(); convert(size); }

    <R> R total(Function<T, R> by) throws IOException {
        int local = 1;
        Runnable later = () -> by.apply(items);
        items.forEach(this::add);
        return new Visitor<R>(local) {
            int seen;
            void visit() { super.visit(); }
        }.result(Cart::new);
    }

    private static class Row { }
    interface Named extends HasId, HasName { int MAX = 2; String name(); default void rename() {} }
    enum Color implements Named { RED, GREEN(2) { void shade() {} }; final int code; Color(int... code) {} }
    record Point(int x, Long... ys) implements Named { Point { } }
    @interface Tag { String value() default "x"; }
}
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("java", SHOP) == [
        "class Cart#",
        "constant Cart#LIMIT.",
        "constant Cart#OTHER.",
        "field Cart#items.",
        "field Cart#count.",
        "field Cart#size.",
        "constructor Cart#Cart().",
        "constructor Cart#Cart().1",
        "method Cart#total().",
        "lambda Cart#total().`<lambda>`().",
        "class Cart#total().`<class>`#",
        "field Cart#total().`<class>`#seen.",
        "method Cart#total().`<class>`#visit().",
        "class Cart#Row#",
        "interface Cart#Named#",
        "constant Cart#Named#MAX.",
        "method Cart#Named#name().",
        "method Cart#Named#rename().",
        "enum Cart#Color#",
        "enum_member Cart#Color#RED.",
        "enum_member Cart#Color#GREEN.",
        "method Cart#Color#GREEN.shade().",
        "field Cart#Color#code.",
        "constructor Cart#Color#Color().",
        "class Cart#Point#",
        "field Cart#Point#x.",
        "field Cart#Point#ys.",
        "constructor Cart#Point#Point().",
        "annotation Cart#Tag#",
        "method Cart#Tag#value().",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("java", SHOP) == [
        "type Entity < Cart#",
        "type Deprecated < Cart#",
        "type Item < Cart#",
        "inherit base.Store < Cart#",
        "type T < Cart#",
        "inherit Buyer < Cart#",
        "inherit Comparable < Cart#",
        "type Cart < Cart#",
        "type T < Cart#",
        "type List < Cart#",
        "type T < Cart#",
        "call java.util.ArrayList < Cart#",
        "call this < Cart#Cart().",
        "call super < Cart#Cart().",
        "call convert < Cart#Cart().",
        "type R < Cart#total().",
        "type Function < Cart#total().",
        "type T < Cart#total().",
        "type R < Cart#total().",
        "type IOException < Cart#total().",
        "type Runnable < Cart#total().",
        "call by.apply < Cart#total().`<lambda>`().",
        "call items.forEach < Cart#total().",
        "call this.add < Cart#total().",
        "call Visitor < Cart#total().",
        "inherit Visitor < Cart#total().`<class>`#",
        "type R < Cart#total().`<class>`#",
        "call super.visit < Cart#total().`<class>`#visit().",
        "call new Visitor<R>(local) { int seen; void visit() { super.visit(); } }.result < Cart#total().",
        "call Cart < Cart#total().",
        "inherit HasId < Cart#Named#",
        "inherit HasName < Cart#Named#",
        "type String < Cart#Named#name().",
        "inherit Named < Cart#Color#",
        "type Long < Cart#Point#",
        "inherit Named < Cart#Point#",
        "type String < Cart#Tag#value().",
    ]


def test_imports_bind_simple_names() -> None:
    assert imports("java", SHOP) == [
        ("java.util", "List", "List", 0, False),
        ("java.util.function", "", "", 0, True),
        ("org.money.Rates", "convert", "convert", 0, False),
    ]


def test_the_package_is_a_fact() -> None:
    assert read("java", SHOP).facts[0] == ("package", "org.shop")


def test_spans_and_annotations() -> None:
    source = SHOP.encode()
    cart, *others = read("java", SHOP).symbols
    assert cart.doc is not None
    assert cart.body is not None
    assert source[slice(*cart.doc)] == b"/**\n * A cart.\n */"
    assert source[slice(*cart.body)].startswith(b"{\n    private static")
    assert cart.decorators == ('Entity(name = "cart")', "Deprecated")
    assert {s.name for s in others if not s.exported and s.name} == {"LIMIT", "OTHER", "Row"}


def test_overloads_are_told_apart_by_their_signatures() -> None:
    overloads = [s for s in read("java", SHOP).symbols if s.descriptor == "Cart#Cart()."]
    assert [s.signature for s in overloads] == ["public Cart(int size)", "Cart(int size, int count)"]
    assert len({s.disambiguator for s in overloads}) == 2
