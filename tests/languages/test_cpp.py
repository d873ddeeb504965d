"""The table of C++."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
#include <vector>
using namespace std;
using money::Price;
namespace fs = std::filesystem;

namespace shop::core {
inline namespace v1 { int version; }
namespace { int hidden; void helper(); }

/// A cart.
template <typename T, int N = 3>
class Cart final : public Base<T>, private ns::Other {
    int secret;
public:
    Cart() : size(1) {}
    explicit Cart(int size);
    virtual ~Cart();
    Cart(const Cart&) = delete;
    bool operator==(const Cart& other) const { return true; }
    operator bool() const { return size; }
    static constexpr int Limit = 3;
    int size = 1, *cells;
    template <class U> U get(U key) const;
    virtual void clear() = 0;
    friend class Friend;
    friend void inspect(Cart&);
    using Item = T;
    enum class Kind : int { Small, Large = 2 };
    struct Row { int z; };
    int (*callback)(int);
};

template <typename T, int N>
Cart<T, N>::Cart(int size) { this->get<int>(size); ns::run(1); new Row(2); auto f = [](int a) { return a; }; }
template <typename T, int N>
Cart<T, N>::~Cart() {}
int Cart<int>::counter = 3;
template <> struct Cart<int> { int special; };
template <class T> using Rows = std::vector<T>;
template <class T> constexpr bool is_cart = true;
template <typename T> concept Sized = requires(T t) { t.size(); };
union Bits { int raw; };
extern "C" { void plain(void); }
[[nodiscard]] auto total() -> std::vector<int>;
}
std::ostream& operator<<(std::ostream& out, const Bits& bits);
"""


def test_each_definition_is_a_symbol() -> None:
    core = "`shop::core`/"
    assert symbols("cpp", SHOP) == [
        f"namespace {core}",
        f"namespace {core}v1/",
        f"variable {core}v1/version.",
        f"namespace {core}`<namespace>`/",
        f"variable {core}`<namespace>`/hidden.",
        f"function {core}`<namespace>`/helper().",
        f"class {core}Cart#",
        f"field {core}Cart#secret.",
        f"constructor {core}Cart#Cart().",
        f"constructor {core}Cart#Cart().1",
        f"method {core}Cart#`~Cart`().",
        f"constructor {core}Cart#Cart().2",
        f"method {core}Cart#`operator==`().",
        f"method {core}Cart#`operator bool() const`().",
        f"constant {core}Cart#Limit.",
        f"field {core}Cart#size.",
        f"field {core}Cart#cells.",
        f"method {core}Cart#get().",
        f"method {core}Cart#clear().",
        f"type_alias {core}Cart#Item#",
        f"enum {core}Cart#Kind#",
        f"enum_member {core}Cart#Kind#Small.",
        f"enum_member {core}Cart#Kind#Large.",
        f"struct {core}Cart#Row#",
        f"field {core}Cart#Row#z.",
        f"field {core}Cart#callback.",
        f"constructor {core}Cart#Cart().3",
        f"lambda {core}Cart#Cart().`<lambda>`().",
        f"method {core}Cart#`~Cart`().1",
        f"variable {core}Cart#counter.",
        f"struct {core}Cart#1",
        f"field {core}Cart#special.",
        f"type_alias {core}Rows#",
        f"constant {core}is_cart.",
        f"trait {core}Sized#",
        f"union {core}Bits#",
        f"field {core}Bits#raw.",
        f"function {core}plain().",
        f"function {core}total().",
        "function `operator<<`().",
    ]


def test_references_know_what_encloses_them() -> None:
    found = references("cpp", SHOP)
    cart = "`shop::core`/Cart#"
    assert [line for line in found if not line.startswith("type")] == [
        f"inherit Base < {cart}",
        f"inherit ns.Other < {cart}",
        f"call this.get < {cart}Cart().",
        f"call ns.run < {cart}Cart().",
        f"call Row < {cart}Cart().",
        "call t.size < `shop::core`/",
    ]
    assert "type std.ostream < `operator<<`()." in found


def test_includes_and_using_bind_names() -> None:
    assert imports("cpp", SHOP) == [
        ("<vector>", "", "", 0, True),
        ("std", "", "", 0, True),
        ("money", "Price", "Price", 0, False),
        ("std::filesystem", "", "fs", 0, False),
    ]


def test_a_template_is_part_of_what_it_stands_before() -> None:
    cart = next(s for s in read("cpp", SHOP).symbols if s.name == "Cart")
    assert cart.doc is not None
    assert SHOP.encode()[slice(*cart.doc)] == b"/// A cart."
    assert cart.signature.startswith("template <typename T, int N = 3> class Cart final : public Base<T>")


def test_access_and_linkage() -> None:
    hidden = {s.name for s in read("cpp", SHOP).symbols if not s.exported and s.kind != "lambda"}
    assert hidden == {"", "hidden", "helper", "secret"}


def test_attributes() -> None:
    assert next(s for s in read("cpp", SHOP).symbols if s.name == "total").decorators == ("nodiscard",)


def test_uses_of_macros_are_no_definitions() -> None:
    source = """
class LOCKABLE Mutex {
  public:
    OLD operator bool() const;
    NO_UNIQUE_ADDRESS Allocator alloc_;
    void Lock() EXCLUSIVE_LOCK_FUNCTION();
    ~Mutex();
    NO_COPY(Mutex);
  private:
    State state_ GUARDED_BY(this);
};
TEST(suite, name) {
    CATCH(...) { stop(); }
}
enum : long { FIRST };
template <class T> using either = typename ::std::conditional<T>::type;
"""
    assert symbols("cpp", source) == [
        "class Mutex#",
        "method Mutex#`operator bool() const`().",
        "field Mutex#alloc_.",
        "method Mutex#Lock().",
        "method Mutex#`~Mutex`().",
        "field Mutex#state_.",
        "function TEST().",
        "enum_member FIRST.",
        "type_alias either#",
    ]
    assert "call stop < TEST()." in references("cpp", source)
