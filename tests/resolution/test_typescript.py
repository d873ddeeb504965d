"""Where the references of TypeScript and JavaScript lead."""

from __future__ import annotations

from loaders.resolution import resolve
from loaders.resolution.model import GAPS
from tests.resolution.snapshots import edges, gaps, resolution, snapshot


def calls(source: str, path: str = "a.ts", **others: str) -> list[str]:
    """Callees of the calls in one file, without the path of that file; ``b_ts`` names the file ``b.ts``."""
    files = {path: source, **{name.replace("_", "."): text for name, text in others.items()}}
    found = [edge.split(" -> ")[1] for edge in edges(files) if edge.startswith(path)]
    return [edge.removeprefix(f"{path} ") for edge in found]


def test_names_are_found_in_the_blocks_around_them() -> None:
    source = """
    function outer() {
      inner();
      function inner() {}
      { const inner = () => 1; inner(); }
      later();
    }
    const later = () => {};
    function shadowed(later: any) { later(); }
    """
    assert calls(source) == [
        "outer().inner(). lexical_scope",
        "outer().inner(). lexical_scope",
        "later(). lexical_scope",
    ]


def test_imports_lead_to_what_modules_export() -> None:
    source = """
    import main, { add as plus, sub, again } from './math';
    import * as math from './math';
    main(); plus(); sub(); again(); math.add(); math.deep.down();
    """
    math = """
    export function add() {}
    function minus() {}
    export { minus as sub };
    export default function () {}
    export * from './more';
    export * as deep from './deep';
    """
    found = calls(
        source, math_ts=math, more_ts="export const again = () => 1;", deep_ts="export function down() {}"
    )
    assert found == [
        "math.ts default(). import",
        "math.ts add(). import",
        "math.ts minus(). import",
        "more.ts again(). import",
        "math.ts add(). import",
        "deep.ts down(). import",
    ]


def test_required_modules_export_objects_functions_and_properties() -> None:
    source = """
    const { add, sub } = require('./math');
    const math = require('./math');
    const Cart = require('./cart');
    const late = require('./late');
    add(); sub(); math.add(); new Cart().total(); late.run();
    """
    found = calls(
        source,
        "a.js",
        math_js="function add() {}\nmodule.exports = { add, sub: function () {} };",
        cart_js="module.exports = class Cart { total() {} };",
        late_js="exports.run = function run() {};",
    )
    assert found == [
        "math.js add(). import",
        "math.js sub(). import",
        "math.js add(). receiver_type",
        "cart.js Cart#total(). receiver_type",
        "cart.js Cart# import",
        "late.js run(). import",
    ]


def test_modules_are_found_by_index_paths_packages_and_written_extensions() -> None:
    files = {
        "tsconfig.json": """{
          // where people write what JSON has no words for
          "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["lib/*"], }, },
        }""",
        "packages/money/package.json": '{"name": "@shop/money", "main": "dist/index.js"}',
        "packages/money/src/index.ts": "export function round() {}",
        "lib/tools/index.tsx": "export function tool() {}",
        "src/near.ts": "export function near() {}",
        "src/a.ts": """
        import { near } from './near.js';
        import { tool } from '@lib/tools';
        import { near as same } from 'src/near';
        import { round } from '@shop/money';
        import { read } from 'node:fs';
        near(); tool(); same(); round(); read();
        """,
    }
    assert [edge.split(" -> ")[1] for edge in edges(files)] == [
        "src/near.ts near(). import",
        "lib/tools/index.tsx tool(). import",
        "src/near.ts near(). import",
        "packages/money/src/index.ts round(). import",
    ]
    assert gaps(files)["read"] == "external"
    assert len(resolution(files).imports) == 4


def test_a_folder_is_what_its_package_names() -> None:
    files = {
        "package.json": '{"name": "shop", "main": "shop.js"}',
        "shop.js": "module.exports = function shop() {}",
        "lib/package.json": '{"main": "./tool"}',
        "lib/tool.js": "exports.tool = function tool() {}",
        "lib/index.js": "exports.tool = function other() {}",
        "test/a.js": "const shop = require('..');\nconst { tool } = require('../lib');\nshop(); tool();",
        "test/b.js": "const { tool } = require('../lib/index');\nconst shop = require('../');\ntool(); shop();",
    }
    assert [edge.split(" -> ")[1].split(" ")[:2] for edge in edges(files)] == [
        ["shop.js", "shop()."],
        ["lib/tool.js", "tool()."],
        ["lib/index.js", "tool()."],
        ["shop.js", "shop()."],
    ]


def test_a_namespace_adds_to_the_function_or_class_of_its_name() -> None:
    files = {
        "shop.d.ts": """
        declare namespace shop { function open(): void; interface Options { done(): void } }
        declare function shop(options: shop.Options): Shop;
        declare class Shop { sell(): void }
        export = shop;
        """,
        "own.ts": """
        export namespace Till { export function count() {} }
        export class Till { ring() {} }
        new Till().ring(); Till.count();
        """,
        "a.ts": """
        import shop = require('./shop');
        import { open } from './shop';
        shop({ done() {} }).sell(); shop.open(); open();
        """,
    }
    found = [edge.split(" -> ")[1].split(" ")[:2] for edge in edges(files)]
    assert sorted(map(tuple, found)) == [
        ("own.ts", "Till#"),
        ("own.ts", "Till#ring()."),
        ("own.ts", "Till/count()."),
        ("shop.d.ts", "Shop#sell()."),
        ("shop.d.ts", "shop()."),
        ("shop.d.ts", "shop/open()."),
        ("shop.d.ts", "shop/open()."),
    ]


def test_members_are_found_by_the_type_of_the_receiver() -> None:
    source = """
    class Store { save() { this.check(); } private check() {} static open() { return new Store(); } }
    class Shop extends Store {
      store: Store = new Store();
      constructor(private other: Store) { super(); this.other.save(); }
      run() { this.save(); super.save(); this.store.save(); Shop.open().save(); }
    }
    function use(a: Store, b = new Shop(a), { c }: { c: Store }) { a.save(); b.run(); c.save(); }
    """
    assert calls(source) == [
        "Store#check(). receiver_type",
        "Store# lexical_scope",
        "Store# lexical_scope",
        "Store# receiver_type",
        "Store#save(). receiver_type",
        "Store#save(). inherited_member",
        "Store#save(). receiver_type",
        "Store#save(). receiver_type",
        "Store#save(). receiver_type",
        "Store#open(). inherited_member",
        "Shop# lexical_scope",
        "Store#save(). receiver_type",
        "Shop#run(). receiver_type",
        "Store#save(). receiver_type",
    ]


def test_returned_awaited_and_contained_values_keep_their_type() -> None:
    source = """
    class Item { price() {} }
    async function load(): Promise<Item[]> { return []; }
    async function first() { const [one] = await load(); return one; }
    async function run(map: Map<string, Item>) {
      const items = await load();
      items[0].price();
      for (const item of items) item.price();
      items.filter(x => x).map(item => item.price());
      map.get('a')!.price();
      (await first()).price();
      load().then(found => found[0].price());
    }
    """
    assert calls(source).count("Item#price(). receiver_type") == 6


def test_callbacks_get_the_types_of_what_they_are_passed_to() -> None:
    source = """
    class Row { cell() {} }
    interface Visitor { visit(row: Row): void }
    function each(callback: (row: Row) => void) {}
    function walk(visitor: Visitor) {}
    each(row => row.cell());
    each(function (row) { row.cell(); });
    walk({ visit(row) { row.cell(); } });
    const handler: Visitor = { visit: row => row.cell() };
    """
    assert calls(source).count("Row#cell(). receiver_type") == 4


def test_type_parameters_stand_for_what_a_call_says() -> None:
    source = """
    class A { a() {} }
    class Box<T> { constructor(public value: T) {} get(): T { return this.value; } }
    class Boxes<T extends A> extends Box<T> { run() { this.get().a(); } }
    function same<T>(value: T): T { return value; }
    function make<T>(maker: () => T): T { return maker(); }
    same(new A()).a();
    make(() => new A()).a();
    new Box(new A()).get().a();
    const box: Box<A> = null!;
    box.value.a();
    same<A>(null!).a();
    """
    assert calls(source).count("A#a(). receiver_type") == 6


def test_old_classes_and_objects_have_the_members_that_are_assigned() -> None:
    source = """
    function Cart() { this.items = new List(); }
    Cart.prototype.add = function (item) { this.items.push(item); this.total(); };
    Cart.prototype.total = function () {};
    class List { push() {} }
    const app = {};
    app.start = function () { this.stop(); };
    app.stop = function () {};
    app.start();
    new Cart().add();
    """
    assert calls(source, "a.js") == [
        "List# lexical_scope",
        "List#push(). receiver_type",
        "Cart#total(). receiver_type",
        "app.stop(). receiver_type",
        "app.start(). receiver_type",
        "Cart#add(). receiver_type",
        "Cart(). lexical_scope",
    ]


def test_comments_state_the_types_of_javascript() -> None:
    source = """
    class Cart { total() {} }
    /**
     * @param {Cart} cart - what is paid
     * @returns {Cart[]}
     */
    function pay(cart) { cart.total(); }
    pay()[0].total();
    """
    assert calls(source, "a.js").count("Cart#total(). receiver_type") == 2


def test_comments_state_the_types_of_fields_and_variables() -> None:
    source = """
    class Cart { total() {} }
    class Shop {
      /** @type {Cart | undefined} */
      open;
      constructor() {
        /** @type {Cart[]} */
        this.carts = [];
        /** @type {(Cart | null)} */

        this.last = null;
        /** @type {Cart} */ this.beside = make(); this.other = make();
      }
      pay() {
        this.carts[0].total(); this.last.total(); this.open.total();
        this.other.total();
        /** @type {Cart} */
        const cart = make(), second = make();
        cart.total();
        second.total();
      }
    }
    """
    assert calls(source, "a.js").count("Cart#total(). receiver_type") == 4


def test_comments_import_the_types_of_javascript() -> None:
    source = """
    /**
     * @typedef { import("./cart.js").Cart } Cart
     * @typedef {import('./cart.js').Bag} Sack
     */

    /**
     * @param {Cart} cart
     * @param {Sack} sack
     */

    function pay(cart, sack) { cart.total(); sack.weigh(); }
    """
    cart = "export class Cart { total() {} }\nexport class Bag { weigh() {} }"
    found = calls(source, "a.js", cart_js=cart)
    assert found == ["cart.js Cart#total(). receiver_type", "cart.js Bag#weigh(). receiver_type"]


def test_a_comment_with_something_between_states_nothing() -> None:
    source = """
    class Cart { total() {} }
    /** @param {Cart} cart */
    let other;
    function pay(cart) { cart.total(); }
    /** @type {Cart} */
    pay();
    const cart = make();
    cart.total();
    """
    assert "Cart#total()" not in " ".join(calls(source, "a.js"))


def test_instanceof_and_casts_say_what_a_value_is() -> None:
    source = """
    class A { a() {} }
    function f(value: unknown) {
      if (value instanceof A) { value.a(); }
      value.a();
      (value as A).a();
      (<A>value).a();
    }
    """
    assert calls(source) == ["A#a(). receiver_type"] * 3


def test_components_and_decorators_are_called() -> None:
    source = """
    import { Button } from './button';
    function log(target: any) {}
    @log class Page { render() { return <div><Button.Small/><Button>x</Button></div>; } }
    """
    button = "export function Button() { return null; }\nButton.Small = function () { return null; };"
    found = calls(source, "a.tsx", button_tsx=button)
    assert sorted(found) == [
        "button.tsx Button(). import",
        "button.tsx Button.Small(). receiver_type",
        "log(). lexical_scope",
    ]


def test_all_members_of_a_union_are_alternatives() -> None:
    source = """
    class A { run() {} }
    class B { run() {} }
    declare const either: A | B;
    either.run();
    declare const maybe: A | undefined;
    maybe?.run();
    """
    assert calls(source) == ["A#run(). alternative", "B#run(). alternative", "A#run(). receiver_type"]


def test_types_and_bases_lead_to_their_declarations() -> None:
    files = {
        "a.ts": """
        import { Base, Shape as S } from './b';
        import type * as ns from './b';
        class C extends Base<S> implements ns.Shape { field: C; }
        interface I extends S, Local {}
        interface Local {}
        """,
        "b.ts": "export class Base<T> {}\nexport interface Shape {}",
    }
    assert edges(files, "INHERITS") == [
        "a.ts C# -> b.ts Base# import",
        "a.ts C# -> b.ts Shape# import",
        "a.ts I# -> b.ts Shape# import",
        "a.ts I# -> a.ts Local# lexical_scope",
    ]
    assert edges(files, "REFERENCES") == [
        "a.ts C# -> b.ts Shape# import",
        "a.ts C# -> a.ts C# lexical_scope",
    ]


def test_each_reference_that_leads_nowhere_has_a_reason() -> None:
    source = """
    import { gone } from './gone';
    import { lib } from 'lib';
    import { missing } from './b';
    class A {}
    function f(callback: any) { callback(); callback.member(); new A().absent(); }
    lib(); missing(); console.log(); 'text'.trim();
    """
    found = gaps({"a.ts": source, "b.ts": "export const other = 1;"})
    assert found == {
        "callback": "dynamic",
        "member": "unknown_receiver",
        "absent": "unknown_member",
        "lib": "external",
        "missing": "unknown_name",
        "log": "external",
        "trim": "builtin",
    }
    assert set(found.values()) <= GAPS.keys()


def test_modules_that_import_each_other_and_themselves_come_to_an_end() -> None:
    files = {
        "a.ts": "export * from './b'; export * from './a'; import { x } from './b'; x();",
        "b.ts": "export * from './a'; export { x } from './a'; import y from './b'; export default y; y();",
        **{f"c{n}.ts": f"export {{ z }} from './c{n + 1}';" for n in range(400)},
        "d.ts": "import { z } from './c0'; z();",
    }
    assert gaps(files) == {"x": "unknown_name", "y": "unknown_name", "z": "unknown_name"}


def test_deep_expressions_do_not_exhaust_the_stack() -> None:
    deep = 3000
    source = {
        "chain.js": "f()" + ".m()" * deep,
        "either.js": "const x = " + " || ".join(["a"] * deep) + "; x();",
        "nested.js": "f(" * 300 + "() => g()" + ")" * 300,
        "lists.ts": "const x: " + "Array<" * 300 + "A" + ">" * 300 + " = " + "[" * 300 + "]" * 300 + ";",
        "loop.ts": "class A extends A { m() { this.n(); } }\ntype T = T[]; let t: T; t[0].m();\nlet u = u.v(); u.w();",
    }
    tree = snapshot(source)
    found = resolve(tree)
    assert len(found.gaps) + len({(e.path, e.reference) for e in found.edges}) == sum(
        len(extraction.references) for extraction in tree.files.values()
    )


def test_a_parameter_that_is_a_tuple_takes_any_argument() -> None:
    source = """
    function first<T>(pair: [T, string], made: () => T): T { return pair[0]; }
    class Row { read() {} }
    first({ a: 1 } as any, () => new Row()).read();
    first({ a: 1 }, () => new Row()).read();
    """
    assert "Row#read(). receiver_type" in calls(source)
