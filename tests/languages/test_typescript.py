"""The tables of TypeScript, without and with JSX."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
import type { Money } from './money';
import legacy = require('legacy');
import Price = ns.Price;

@Component({ name: 'cart' })
export abstract class Cart<T extends Item> extends Base<T> implements Buyer, ns.Named {
  @input private readonly total?: number = 1;
  static rate: Map<string, Money>;
  constructor(private store: Store, plain: string, readonly id = 1) { super(store); }
  add(item: T): void;
  @log
  @memo()
  add(item: any) { new ns.Row<T>(item); }
  abstract clear(): void;
  private get hidden(): boolean { return true; }
}

export interface Buyer extends Named, Comparable<Buyer> {
  address: { street: string };
  buy(options: { force: boolean }): ns.Receipt;
  (): void;
}

type Shape = { kind: 'a'; area(): number } | string;
enum Color { Red, Green = 2, 'Dark blue' = 3 }
declare const VERSION: string;
declare module 'plugin' { export function load(path: string): void; }
namespace Outer.Inner { export const depth = 1; let hidden: Shape; }
declare global { interface Window { shop: Cart<any>; } }
function isCart(x: unknown): x is Cart<any> { const local: { a: number } = x; return f!(local) as boolean; }
export default Cart;
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("typescript", SHOP) == [
        "class Cart#",
        "field Cart#total.",
        "field Cart#rate.",
        "constructor Cart#constructor().",
        "field Cart#store.",
        "field Cart#id.",
        "method Cart#add().",
        "method Cart#add().1",
        "method Cart#clear().",
        "property Cart#hidden.",
        "interface Buyer#",
        "field Buyer#address.",
        "field Buyer#address.street.",
        "method Buyer#buy().",
        "type_alias Shape#",
        "field Shape#kind.",
        "method Shape#area().",
        "enum Color#",
        "enum_member Color#Red.",
        "enum_member Color#Green.",
        "enum_member Color#`Dark blue`.",
        "constant VERSION.",
        "module plugin/",
        "function plugin/load().",
        "namespace `Outer.Inner`/",
        "constant `Outer.Inner`/depth.",
        "variable `Outer.Inner`/hidden.",
        "interface Window#",
        "field Window#shop.",
        "function isCart().",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("typescript", SHOP) == [
        "call Component",
        "type Item < Cart#",
        "inherit Base < Cart#",
        "type T < Cart#",
        "inherit Buyer < Cart#",
        "inherit ns.Named < Cart#",
        "call input < Cart#",
        "type Map < Cart#",
        "type Money < Cart#",
        "type Store < Cart#constructor().",
        "call super < Cart#constructor().",
        "type T < Cart#add().",
        "call log < Cart#",
        "call memo < Cart#",
        "call ns.Row < Cart#add().",
        "type T < Cart#add().",
        "inherit Named < Buyer#",
        "inherit Comparable < Buyer#",
        "type Buyer < Buyer#",
        "type ns.Receipt < Buyer#buy().",
        "type Shape < `Outer.Inner`/",
        "type Cart < Window#shop.",
        "type Cart < isCart().",
        "call f < isCart().",
    ]


def test_imports_bind_names() -> None:
    assert imports("typescript", SHOP) == [
        ("./money", "Money", "Money", 0, False),
        ("legacy", "", "legacy", 0, False),
        ("", "ns.Price", "Price", 0, False),
        ("", "Cart", "default", 0, False),
    ]


def test_overloads_are_told_apart_by_their_signatures() -> None:
    overloads = [s for s in read("typescript", SHOP).symbols if s.name == "add"]
    assert [s.signature for s in overloads] == ["add(item: T): void", "add(item: any)"]
    assert len({s.disambiguator for s in overloads}) == 2
    assert [s.decorators for s in overloads] == [(), ("log", "memo()")]
    assert [s.body is None for s in overloads] == [True, False]


def test_private_members_are_not_exported() -> None:
    hidden = [s.descriptor for s in read("typescript", SHOP).symbols if not s.exported]
    assert [d for d in hidden if d.startswith("Cart#")] == ["Cart#total.", "Cart#store.", "Cart#hidden."]


def test_tsx_reads_elements() -> None:
    source = "export const App = <T,>(props: T) => <Page title={props}><p/></Page>;"
    assert symbols("tsx", source) == ["function App()."]
    assert references("tsx", source) == ["type T < App().", "call Page < App()."]
