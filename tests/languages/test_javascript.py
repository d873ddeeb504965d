"""The table of JavaScript and JSX."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
import def, { e as f } from 'm';
import * as ns from 'n';
import 'side-effect';
export { a as b, c } from './x';
export * as all from './y';
export * from './z';
const { one, two: deux } = require('r'), three = require('s').t;

/** A cart. */
@sealed
export class Cart extends base.Store {
  static limit = 3;
  #secret = 1;
  handler = (event) => this.add(event);
  constructor() { this.items = []; this.items = [1]; }
  get size() { return 1; }
  'quoted name'() {}
  static async *[Symbol.iterator]() {}
  render() { return <Row.Cell a={1}><div/><Icon>{new Price()}</Icon></Row.Cell>; }
}

export const add = (a, b) => a + b, RATE = 2;
let { x, y: [z], ...rest } = options, count;
function outer() {
  const local = 1;
  const nested = function () { return local; };
  nested();
  (() => {})();
}
const tools = { cut() {}, glue: () => 1, nested: { deep() {} } };
Cart.prototype.clear = function () {};
tools.late = function () {};
export default function () {}
export { outer as inner };
for (let i = 0; i < 3; i++) {}
import('lazy');
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("javascript", SHOP) == [
        "class Cart#",
        "field Cart#limit.",
        "field Cart#`#secret`.",
        "method Cart#handler().",
        "constructor Cart#constructor().",
        "field Cart#items.",
        "property Cart#size.",
        "method Cart#`quoted name`().",
        "method Cart#`[Symbol.iterator]`().",
        "method Cart#render().",
        "function add().",
        "constant RATE.",
        "variable x.",
        "variable z.",
        "variable rest.",
        "variable count.",
        "function outer().",
        "function outer().nested().",
        "lambda outer().`<lambda>`().",
        "constant tools.",
        "method tools.cut().",
        "method tools.glue().",
        "method tools.deep().",
        "method Cart#clear().",
        "function tools.late().",
        "function default().",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("javascript", SHOP) == [
        "call sealed",
        "inherit base.Store < Cart#",
        "call this.add < Cart#handler().",
        "call Row.Cell < Cart#render().",
        "call Icon < Cart#render().",
        "call Price < Cart#render().",
        "call nested < outer().",
    ]


def test_imports_and_re_exports_bind_names() -> None:
    assert imports("javascript", SHOP) == [
        ("m", "default", "def", 0, False),
        ("m", "e", "f", 0, False),
        ("n", "", "ns", 0, False),
        ("side-effect", "", "", 0, False),
        ("./x", "a", "b", 0, False),
        ("./x", "c", "c", 0, False),
        ("./y", "", "all", 0, False),
        ("./z", "", "", 0, True),
        ("r", "one", "one", 0, False),
        ("r", "two", "deux", 0, False),
        ("s", "t", "three", 0, False),
        ("", "outer", "inner", 0, False),
        ("lazy", "", "", 0, False),
    ]


def test_spans_take_in_the_export_and_the_doc() -> None:
    source = SHOP.encode()
    cart = next(s for s in read("javascript", SHOP).symbols if s.name == "Cart")
    assert cart.doc is not None
    assert cart.body is not None
    assert source[slice(*cart.doc)] == b"/** A cart. */"
    assert source[slice(*cart.span)].startswith(b"@sealed\nexport class")
    assert source[slice(*cart.name_span)] == b"Cart"
    assert source[slice(*cart.body)].startswith(b"{\n  static limit")
    assert cart.signature == "@sealed export class Cart extends base.Store"
    assert cart.decorators == ("sealed",)


def test_exported_names_are_known_before_their_definition() -> None:
    exported = {s.name for s in read("javascript", SHOP).symbols if s.exported and s.parent == -1}
    assert exported == {"Cart", "add", "RATE", "outer", "clear", "late", "default"}


def test_commonjs_exports() -> None:
    source = """
    exports.run = function () {};
    exports.name = 'x';
    exports.early = void 0;
    exports.other = require('./other');
    function inner() {}
    function hidden() {}
    exports.inner = inner;
    module.exports = class Engine {};
    """
    found = [
        f"{s.kind} {s.descriptor}{'' if s.exported else ' private'}"
        for s in read("javascript", source).symbols
    ]
    assert found == [
        "function run().",
        "variable name.",
        "function inner().",
        "function hidden(). private",
        "class Engine#",
    ]
    assert imports("javascript", source) == [
        ("./other", "", "other", 0, False),
        ("", "inner", "inner", 0, False),
        ("", "Engine", "export=", 0, False),
    ]


def test_a_script_shares_its_top_level_names() -> None:
    names = [
        (s.name, s.exported)
        for s in read("javascript", "var a = 1; function f() { function g() {} }").symbols
    ]
    assert names == [("a", True), ("f", True), ("g", False)]
