"""The table of Ruby."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
require 'json'
require_relative '../lib/money'

# A shop.
module Shop
  LIMIT = 3
  class Cart < Base::Store
    include Comparable
    extend Support::Concern
    attr_accessor :items, "count"
    @@total = 0
    Row = Struct.new(:a) do
      def wide; end
    end
    def initialize(items)
      @items = items
      @items = []
      super
    end
    def total = @items.sum { |item| item.price }
    def self.build(*args) new(*args) end
    class << self
      def meta; end
    end
    alias_method :size, :total
    alias length total
    def ==(other); end
    define_method(:empty?) { |x| x }
    private
    def secret; helper(1); Money::Bank.call; end
    public
    def open; end
    private def inline; end
    f = ->(x) { x }
    g = lambda { |y| y }
  end
end
def top; end
class Shop::Other; end
Made = Class.new(Base) { def zed; end }
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("ruby", SHOP) == [
        "module Shop/",
        "constant Shop/LIMIT.",
        "class Shop/Cart#",
        "property Shop/Cart#items.",
        "property Shop/Cart#count.",
        "field Shop/Cart#`@@total`.",
        "class Shop/Cart#Row#",
        "method Shop/Cart#Row#wide().",
        "constructor Shop/Cart#initialize().",
        "field Shop/Cart#`@items`.",
        "method Shop/Cart#total().",
        "method Shop/Cart#build().",
        "method Shop/Cart#meta().",
        "method Shop/Cart#size().",
        "method Shop/Cart#length().",
        "method Shop/Cart#`==`().",
        "method Shop/Cart#`empty?`().",
        "method Shop/Cart#secret().",
        "method Shop/Cart#open().",
        "method Shop/Cart#inline().",
        "lambda Shop/Cart#`<lambda>`().",
        "lambda Shop/Cart#`<lambda>`().1",
        "function top().",
        "class Shop/Other#",
        "class Made#",
        "method Made#zed().",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("ruby", SHOP) == [
        "inherit Base.Store < Shop/Cart#",
        "inherit Comparable < Shop/Cart#",
        "inherit Support.Concern < Shop/Cart#",
        "call Struct.new < Shop/Cart#",
        "call super < Shop/Cart#initialize().",
        "call @items.sum < Shop/Cart#total().",
        "call item.price < Shop/Cart#total().",
        "call new < Shop/Cart#build().",
        "call helper < Shop/Cart#secret().",
        "call Money::Bank.call < Shop/Cart#secret().",
        "call Class.new",
    ]


def test_requires_bind_all_names() -> None:
    assert imports("ruby", SHOP) == [("json", "", "", 0, True), ("../lib/money", "", "", 1, True)]


def test_visibility_and_doc() -> None:
    found = read("ruby", SHOP).symbols
    assert {s.name for s in found if not s.exported and s.name[:1] not in "@"} == {"secret", "inline"}
    assert found[0].doc is not None
    assert SHOP.encode()[slice(*found[0].doc)] == b"# A shop."
    items = next(s for s in found if s.name == "items")
    assert SHOP.encode()[slice(*items.name_span)] == b"items"
