"""The table of C."""

from __future__ import annotations

from tests.languages.table import imports, read, references, symbols

SHOP = """
#include <stdio.h>
#include "shop/cart.h"
#define LIMIT 3
#define SQUARE(x) ((x) * (x))

/* A node. */
typedef struct node {
    int value, *cells[3];
    struct node *next;
    union { int whole; float part; };
    struct { int x; } at;
    unsigned flag : 1;
    int (*compare)(int a);
} Node, *NodeRef;
typedef struct { int count; } Cart;
typedef int (*Callback)(int, char);
enum color { RED, GREEN = 2 };
typedef enum { SMALL, LARGE } Size;
struct later;
struct later *make(void);
static const int rate = 3;
extern int shared;
static const char *const label = "x", *changing;
int first, *second, third[3] = {1}, (*fourth)(int);
LIB_FUNC(int) exported(Cart *cart);

static inline Node **build(int size) {
    int local;
    struct inner { int z; } s;
    static const struct { int from, to; } spans[] = {{1, 2}};
    compare(size);
    cart->compare(1);
    (*fp)(2);
    return (Node **) malloc(1);
}

void (*signal(int sig, void (*handler)(int)))(int) { return 0; }
#ifdef WIDE
int width(void) { return 2; }
#else
int width(void) { return 1; }
#endif
"""


def test_each_definition_is_a_symbol() -> None:
    assert symbols("c", SHOP) == [
        "macro LIMIT!",
        "macro SQUARE!",
        "type_alias Node#",
        "type_alias NodeRef#",
        "struct node#",
        "field node#value.",
        "field node#cells.",
        "field node#next.",
        "field node#whole.",
        "field node#part.",
        "field node#at.",
        "field node#at.x.",
        "field node#flag.",
        "field node#compare.",
        "struct Cart#",
        "field Cart#count.",
        "type_alias Callback#",
        "enum color#",
        "enum_member color#RED.",
        "enum_member color#GREEN.",
        "enum Size#",
        "enum_member Size#SMALL.",
        "enum_member Size#LARGE.",
        "function make().",
        "constant rate.",
        "variable shared.",
        "constant label.",
        "variable changing.",
        "variable first.",
        "variable second.",
        "variable third.",
        "variable fourth.",
        "function exported().",
        "function build().",
        "struct build().inner#",
        "field build().inner#z.",
        "field build().from.",
        "field build().to.",
        "function signal().",
        "function width().",
        "function width().1",
    ]


def test_references_know_what_encloses_them() -> None:
    assert references("c", SHOP) == [
        "type node < node#",
        "type later",
        "type later < make().",
        "type Cart < exported().",
        "type Node < build().",
        "call compare < build().",
        "call cart.compare < build().",
        "call fp < build().",
        "type Node < build().",
        "call malloc < build().",
    ]


def test_includes_bind_all_names() -> None:
    assert imports("c", SHOP) == [("<stdio.h>", "", "", 0, True), ("shop/cart.h", "", "", 1, True)]


def test_spans_and_linkage() -> None:
    source = SHOP.encode()
    found = {s.name: s for s in read("c", SHOP).symbols if s.kind != "type_alias"}
    node, build, exported = found["node"], found["build"], found["exported"]
    assert node.body is not None
    assert source[slice(*node.body)].startswith(b"{\n    int value")
    assert build.signature == "static inline Node **build(int size)"
    assert [build.exported, exported.exported, found["rate"].exported] == [False, True, False]
    assert [build.body is None, exported.body is None] == [False, True]


def test_macros_that_hide_declarations_are_read_over() -> None:
    source = "BEGIN_DECLS\nint first;\nLIB_API void run(void);\nEND_DECLS\nenum { A,\nLAST\n};\nint last;\n"
    assert symbols("c", source) == [
        "variable first.",
        "function run().",
        "enum_member A.",
        "enum_member LAST.",
        "variable last.",
    ]


def test_macros_that_stand_by_a_declaration_are_read_over() -> None:
    source = """
struct PACKED_ATTR(4) row { int size GUARDED_BY(mutex); int *next COLD; };
static CONST int rate = 3;
int log_it(const char *text, ...) PRINTF_LIKE(1, 2);
typedef UNQUALIFIED(int) plain;
struct NAME named;
typedef union BITS BITS;
unsigned int LIMIT_WORD;
Cart *FIND_CART(int key);
int USE_ALL() CHECKED;
struct handle {
    HANDLE_FIELDS
    OTHER_FIELDS
};
enum level {
    LOWEST
};
MAIN_HEAD
{
    int local;
}
"""
    assert symbols("c", source) == [
        "struct row#",
        "field row#size.",
        "field row#next.",
        "variable rate.",
        "function log_it().",
        "type_alias plain#",
        "variable named.",
        "type_alias BITS#",
        "variable LIMIT_WORD.",
        "function FIND_CART().",
        "function USE_ALL().",
        "struct handle#",
        "enum level#",
        "enum_member level#LOWEST.",
    ]


def test_conditionals_in_the_middle_of_what_they_are_about_are_read_over() -> None:
    source = """
#if ! defined lint || HAS_IT (<a.h>)
#define FAIL(x) do { /* nothing */ (x); } while (0)
#endif
int parse(int a)
{
#ifdef DEBUG
    if (a > 1) {
#else
    if (a > 2) {
#endif
        a = 1
#ifdef WIDE
            + wide(a)
#endif
            ;
    }
    return a;
}
enum color { RED,
#ifdef ALL
    GREEN,
#else
    BLUE,
#endif
};
#ifdef __cplusplus
static int input(void)
#else
static int output(void)
#endif
{ return 1; }
int last;
"""
    assert symbols("c", source) == [
        "macro FAIL!",
        "function parse().",
        "enum color#",
        "enum_member color#RED.",
        "enum_member color#GREEN.",
        "enum_member color#BLUE.",
        "function input().",
        "variable last.",
    ]
    assert "call wide < parse()." in references("c", source)
