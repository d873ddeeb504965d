"""Where the references of Python code lead."""

from __future__ import annotations

import pytest

from loaders.resolution import python, resolve
from loaders.resolution.flow import Flow
from tests.resolution.snapshots import edges, gaps, resolution, snapshot


def calls(source: str) -> list[str]:
    """Each call in ``a.py`` as ``caller -> callee origin``."""
    return [edge.replace("a.py ", "") for edge in edges({"a.py": source})]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            """
            def f(): pass
            g = f
            def run():
                g()
            """,
            ["run(). -> f(). lexical_scope"],
            id="a name that is assigned once is static",
        ),
        pytest.param(
            """
            def f(): pass
            def run(action):
                action()
            run(f)
            run(action=lambda: 1)
            """,
            [
                "run(). -> f(). alternative",
                "run(). -> `<lambda>`(). alternative",
                "- -> run(). lexical_scope",
                "- -> run(). lexical_scope",
            ],
            id="arguments reach parameters",
        ),
        pytest.param(
            """
            def f(): pass
            def make():
                return f
            make()()
            """,
            ["- -> make(). lexical_scope", "- -> f(). assigned_value"],
            id="results of calls",
        ),
        pytest.param(
            """
            def f(): pass
            def g(): pass
            def h(): pass
            first, *others, last = f, g, g, h
            first()
            others[0]()
            last()
            some = [f, g, h][1:3]
            some[0]()
            [f, *[g]][1]()
            [h for _ in range(3)][2]()
            """,
            [
                "- -> f(). assigned_value",
                "- -> g(). assigned_value",
                "- -> h(). assigned_value",
                "- -> g(). assigned_value",
                "- -> g(). assigned_value",
                "- -> h(). assigned_value",
            ],
            id="parts of lists",
        ),
        pytest.param(
            """
            def f(): pass
            def g(): pass
            table = {"a": f, "b": [g, f]}
            table["a"]()
            table["b"][0]()
            """,
            ["- -> f(). assigned_value", "- -> g(). assigned_value"],
            id="elements by key",
        ),
        pytest.param(
            """
            def f(): pass
            actions = []
            actions.append(f)
            for action in actions:
                action()
            """,
            ["- -> f(). assigned_value"],
            id="elements of lists",
        ),
        pytest.param(
            """
            def f(): pass
            def each():
                yield f
            for action in each():
                action()
            """,
            ["- -> each(). lexical_scope", "- -> f(). assigned_value"],
            id="generators",
        ),
        pytest.param(
            """
            def f(): pass
            def g(): pass
            def run(*actions, **named):
                actions[1]()
                named["h"]()
            run(1, f, h=g)
            run(*[1, f], **{"h": g})
            """,
            [
                "run(). -> f(). assigned_value",
                "run(). -> g(). assigned_value",
                "- -> run(). lexical_scope",
                "- -> run(). lexical_scope",
            ],
            id="spreads",
        ),
        pytest.param(
            """
            def outer():
                def f(): pass
                def inner():
                    nonlocal f
                    f()
                return inner
            outer()()
            """,
            [
                "outer().inner(). -> outer().f(). lexical_scope",
                "- -> outer(). lexical_scope",
                "- -> outer().inner(). assigned_value",
            ],
            id="closures",
        ),
        pytest.param(
            """
            def same(f):
                return f
            def wrap(f):
                def inner():
                    f()
                return inner
            def other(f):
                def instead(): pass
                return instead
            @same
            def a(): pass
            @wrap
            def b(): pass
            @other
            def c(): pass
            a()
            b()
            c()
            """,
            [
                "wrap().inner(). -> b(). assigned_value",
                "- -> same(). lexical_scope",
                "- -> wrap(). lexical_scope",
                "- -> other(). lexical_scope",
                "- -> a(). lexical_scope",
                "- -> wrap().inner(). assigned_value",
                "- -> b(). decorated",
                "- -> other().instead(). assigned_value",
            ],
            id="decorators",
        ),
        pytest.param(
            """
            def f(): pass
            class A: pass
            setattr(A, "go", f)
            getattr(A, "go")()
            sorted([f])[0]()
            """,
            ["- -> f(). assigned_value", "- -> f(). assigned_value"],
            id="built-in functions",
        ),
    ],
)
def test_values_flow(source: str, expected: list[str]) -> None:
    assert calls(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            """
            class A:
                def __init__(self, other=None):
                    self.other = other
                def go(self):
                    self.go()
            A().go()
            """,
            [
                "A#go(). -> A#go(). receiver_type",
                "- -> A# lexical_scope",
                "- -> A#__init__(). lexical_scope",
                "- -> A#go(). receiver_type",
            ],
            id="constructors and self",
        ),
        pytest.param(
            """
            class A:
                def go(self): pass
            class B(A): pass
            class C(A):
                def go(self):
                    super().go()
            class D(B, C): pass
            D().go()
            """,
            ["C#go(). -> A#go(). inherited_member", "- -> D# lexical_scope", "- -> C#go(). inherited_member"],
            id="order of inheritance",
        ),
        pytest.param(
            """
            class A:
                def go(self): pass
            class Box:
                def __init__(self, item: "A | None", more: list[A]):
                    self.item = item
                    self.more = more
                def run(self):
                    self.item.go()
                    for one in self.more:
                        one.go()
            """,
            ["Box#run(). -> A#go(). receiver_type", "Box#run(). -> A#go(). receiver_type"],
            id="annotated parameters kept in attributes",
        ),
        pytest.param(
            """
            class A:
                @staticmethod
                def plain(x): pass
                @classmethod
                def make(cls):
                    return cls()
                @property
                def twin(self) -> "A": ...
                def go(self): pass
            A.plain(1)
            A.make().go()
            A().twin.go()
            """,
            [
                "A#make(). -> A# assigned_value",
                "- -> A#plain(). lexical_scope",
                "- -> A#make(). lexical_scope",
                "- -> A#go(). receiver_type",
                "- -> A# lexical_scope",
                "- -> A#go(). receiver_type",
                "- -> A#twin(). receiver_type",
            ],
            id="static methods, class methods and properties",
        ),
        pytest.param(
            """
            class A:
                def __enter__(self): return B()
            class B:
                def __call__(self): pass
            with A() as b:
                b()
            """,
            [
                "A#__enter__(). -> B# lexical_scope",
                "- -> A# lexical_scope",
                "- -> A#__enter__(). receiver_type",
                "- -> B#__call__(). receiver_type",
            ],
            id="special methods",
        ),
        pytest.param(
            """
            class A:
                def __enter__(self): return self
                @property
                def same(self): return self
                def go(self): pass
            with A() as a:
                a.go()
                a.same.go()
            """,
            [
                "- -> A# lexical_scope",
                "- -> A#__enter__(). receiver_type",
                "- -> A#go(). receiver_type",
                "- -> A#go(). receiver_type",
                "- -> A#same(). receiver_type",
            ],
            id="special methods that give their owner",
        ),
        pytest.param(
            """
            class Lines:
                def __iter__(self): return Cursor()
                def __contains__(self, line): pass
                def __len__(self): pass
                def __reversed__(self): pass
            class Cursor:
                def __next__(self): return Line()
            class Line:
                def show(self): pass
            def run(lines: Lines):
                for line in lines:
                    line.show()
                [line for line in lines]
                list(lines)
                next(iter(lines)).show()
                "a" in lines, len(lines), reversed(lines)
            """,
            [
                "Lines#__iter__(). -> Cursor# lexical_scope",
                "Cursor#__next__(). -> Line# lexical_scope",
                "run(). -> Line#show(). receiver_type",
                "run(). -> Lines#__iter__(). receiver_type",
                "run(). -> Cursor#__next__(). receiver_type",
                "run(). -> Lines#__iter__(). receiver_type",
                "run(). -> Cursor#__next__(). receiver_type",
                "run(). -> Lines#__iter__(). receiver_type",
                "run(). -> Cursor#__next__(). receiver_type",
                "run(). -> Lines#__iter__(). receiver_type",
                "run(). -> Cursor#__next__(). receiver_type",
                "run(). -> Line#show(). receiver_type",
                "run(). -> Lines#__contains__(). receiver_type",
                "run(). -> Lines#__len__(). receiver_type",
                "run(). -> Lines#__reversed__(). receiver_type",
            ],
            id="iteration",
        ),
        pytest.param(
            """
            class Table:
                def __getitem__(self, key): return Row()
                def __setitem__(self, key, row): row.go()
                def __delitem__(self, key): pass
            class Row:
                def go(self): pass
            def run(table: Table):
                table["a"].go()
                table["b"] = Row()
                table["c"] += 1
                del table["d"]
            """,
            [
                "Table#__getitem__(). -> Row# lexical_scope",
                "Table#__setitem__(). -> Row#go(). receiver_type",
                "run(). -> Table#__getitem__(). receiver_type",
                "run(). -> Row#go(). receiver_type",
                "run(). -> Table#__setitem__(). receiver_type",
                "run(). -> Row# lexical_scope",
                "run(). -> Table#__getitem__(). receiver_type",
                "run(). -> Table#__setitem__(). receiver_type",
                "run(). -> Table#__delitem__(). receiver_type",
            ],
            id="elements of an object",
        ),
        pytest.param(
            """
            class Money:
                def __add__(self, other): return Sum()
                def __neg__(self): pass
                def __eq__(self, other): pass
                def __lt__(self, other): pass
                def __str__(self): pass
                def __repr__(self): pass
            class Sum:
                def show(self): pass
            def run(a: Money, b: Money, c: int):
                (a + b).show()
                a += b
                -a
                a != b
                a < c
                a == 3
                f"{a} {b!r} {c}"
                str(a)
            """,
            [
                "Money#__add__(). -> Sum# lexical_scope",
                "run(). -> Money#__add__(). receiver_type",
                "run(). -> Sum#show(). receiver_type",
                "run(). -> Money#__add__(). receiver_type",
                "run(). -> Money#__neg__(). receiver_type",
                "run(). -> Money#__eq__(). receiver_type",
                "run(). -> Money#__lt__(). receiver_type",
                "run(). -> Money#__str__(). receiver_type",
                "run(). -> Money#__repr__(). receiver_type",
                "run(). -> Money#__str__(). receiver_type",
            ],
            id="operators, and what stands in for a method that is missing",
        ),
        pytest.param(
            """
            class Lock:
                async def __aenter__(self): pass
                async def __aexit__(self, *failure): pass
            class Feed:
                def __aiter__(self): return self
                async def __anext__(self): return Lock()
            async def run(lock: Lock):
                async with lock:
                    pass
                async for one in Feed():
                    async with one as held:
                        pass
            """,
            [
                "Feed#__anext__(). -> Lock# lexical_scope",
                "run(). -> Lock#__aenter__(). receiver_type",
                "run(). -> Lock#__aexit__(). receiver_type",
                "run(). -> Feed# lexical_scope",
                "run(). -> Lock#__aenter__(). receiver_type",
                "run(). -> Lock#__aexit__(). receiver_type",
                "run(). -> Feed#__aiter__(). receiver_type",
                "run(). -> Feed#__anext__(). receiver_type",
            ],
            id="asynchronous special methods",
        ),
        pytest.param(
            """
            class Cart:
                @property
                def total(self): pass
                @total.setter
                def total(self, value): pass
                @property
                def owner(self): return Owner()
            class Owner:
                @property
                def name(self): pass
            def run(cart: Cart, other):
                cart.total
                cart.total = 3
                cart.total += 1
                cart.owner.name
                other.total
                del cart.total
            """,
            [
                "Cart#owner(). -> Owner# lexical_scope",
                "run(). -> Cart#total(). receiver_type",
                "run(). -> Cart#total(). receiver_type",
                "run(). -> Cart#owner(). receiver_type",
                "run(). -> Owner#name(). receiver_type",
            ],
            id="properties, which are read and not what is set",
        ),
        pytest.param(
            """
            class Plain:
                def __init__(self): pass
                def twin(self):
                    return self.__class__()
            class Base:
                def run(self):
                    self.step()
                    self.other()
                    self.lost()
            class One(Base):
                def step(self): pass
                def other(self): pass
            class Two(Base):
                def other(self): pass
            """,
            [
                "Plain#twin(). -> Plain# assigned_value",
                "Plain#twin(). -> Plain#__init__(). receiver_type",
                "Base#run(). -> One#step(). interface_dispatch",
                "Base#run(). -> One#other(). alternative",
                "Base#run(). -> Two#other(). alternative",
            ],
            id="the class of self, and members that it leaves to its heirs",
        ),
        pytest.param(
            """
            class Gone(Exception):
                def __init__(self): pass
            def run(error):
                try:
                    raise Gone from None
                except Gone as gone:
                    raise gone
                raise error
            """,
            ["run(). -> Gone# lexical_scope", "run(). -> Gone#__init__(). lexical_scope"],
            id="a class that is raised",
        ),
        pytest.param(
            """
            class A:
                def go(self): pass
            def run(x):
                if isinstance(x, A):
                    x.go()
            """,
            ["run(). -> A#go(). receiver_type"],
            id="isinstance",
        ),
        pytest.param(
            """
            def public(held):
                if isinstance(held, type):
                    pass
                return held
            @public
            def f(): pass
            @public
            def g(): pass
            def run():
                g()
            """,
            [
                "- -> public(). lexical_scope",
                "- -> public(). lexical_scope",
                "run(). -> g(). lexical_scope",
            ],
            id="a parameter that is looked at and returned as it came",
        ),
    ],
)
def test_methods_follow_the_class_of_the_receiver(source: str, expected: list[str]) -> None:
    assert calls(source) == expected


def test_imports_are_followed_through_packages_aliases_and_stars() -> None:
    files = {
        "src/shop/__init__.py": "from .cart import Cart as Basket, total\nfrom .tax import *\n",
        "src/shop/cart.py": "from . import tax\nclass Cart: pass\ndef total():\n    tax.add()\n",
        "src/shop/tax.py": "__all__ = ['add']\ndef add(): pass\ndef hidden(): pass\n",
        "src/run.py": """
            import shop.tax
            import shop.cart as c
            from shop import Basket, add, total
            from shop import hidden
            Basket()
            add()
            total()
            shop.tax.hidden()
            c.total()
            hidden()
            """,
    }
    assert edges(files) == [
        "src/run.py - -> src/shop/cart.py Cart# import",
        "src/run.py - -> src/shop/tax.py add(). import",
        "src/run.py - -> src/shop/cart.py total(). import",
        "src/run.py - -> src/shop/tax.py hidden(). import",
        "src/run.py - -> src/shop/cart.py total(). import",
        "src/shop/cart.py total(). -> src/shop/tax.py add(). import",
    ]
    assert gaps(files) == {"hidden": "external"}
    assert {(i.path, i.target_path) for i in resolution(files).imports} >= {
        ("src/run.py", "src/shop/tax.py"),
        ("src/shop/cart.py", "src/shop/tax.py"),
        ("src/shop/__init__.py", "src/shop/cart.py"),
    }


def test_modules_are_named_from_their_source_roots() -> None:
    tree = snapshot(
        {
            "pyproject.toml": "",
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "",
            "tests/test_cart.py": "",
            "other/setup.py": "",
            "other/tests/test_cart.py": "",
            "other/shop/__init__.py": "",
        }
    )
    assert python.packages(tree) == {
        "src/shop/__init__.py": "shop",
        "src/shop/cart.py": "shop.cart",
        "tests/test_cart.py": "tests.test_cart",
        "other/setup.py": "setup",
        "other/tests/test_cart.py": "other/tests/test_cart.py",
        "other/shop/__init__.py": "other/shop/__init__.py",
    }


def test_what_leads_nowhere_says_why() -> None:
    source = """
        import os
        from shop import missing
        def run(x, y):
            os.getcwd()
            missing()
            print(1)
            x.go()
            y()
            nowhere.fly()
            " ".join([])
        """
    assert gaps({"a.py": source}) == {
        "getcwd": "external",
        "missing": "external",
        "print": "builtin",
        "go": "unknown_receiver",
        "y": "dynamic",
        "fly": "unknown_receiver",
        "join": "builtin",
    }


def test_classes_that_inherit_from_themselves_or_each_other_end() -> None:
    source = "class A(B):\n    pass\nclass B(A):\n    def go(self): pass\nclass C(C):\n    pass\nA().go()\nC().go()\n"
    assert calls(source)[:1] == ["- -> A# lexical_scope"]


def test_a_container_that_holds_itself_ends() -> None:
    source = "def f(): pass\na = [f]\na.append(a)\na[0][1][0]()\nx = isinstance(a, a)\n"
    assert "- -> f(). assigned_value" in calls(source)


def test_types_and_bases_lead_to_their_classes() -> None:
    files = {
        "m.py": "class Base: pass\n",
        "a.py": """
            import m
            from m import Base
            class A(m.Base): pass
            class B(A, Base): pass
            def f(x: A) -> m.Base: pass
            """,
    }
    assert edges(files, "INHERITS") == [
        "a.py A# -> m.py Base# import",
        "a.py B# -> a.py A# lexical_scope",
        "a.py B# -> m.py Base# import",
    ]
    assert edges(files, "REFERENCES") == [
        "a.py f(). -> a.py A# lexical_scope",
        "a.py f(). -> m.py Base# import",
    ]


def test_resolution_does_not_depend_on_the_order_of_the_files() -> None:
    files = {
        f"m{n}.py": f"from m{(n + 1) % 5} import f as g\ndef f(x): return g(x)\nf(f)\n" for n in range(5)
    }
    assert resolution(files) == resolution(dict(reversed(files.items())))


def test_an_overload_is_called_by_its_implementation() -> None:
    source = """
from typing import overload
@overload
def f(a: int) -> int: ...
@overload
def f(a: str) -> str: ...
def f(a): return a
f(1)
"""
    tree = snapshot({"a.py": source})
    [target] = [edge.target for edge in resolve(tree).edges if edge.kind == "CALLS"]
    assert tree.files["a.py"].symbols[target].line == 6


def test_the_method_that_a_call_names_goes_before_those_that_override_it() -> None:
    source = """
class A:
    def run(self): self.step()
    def step(self): pass
class B(A):
    def step(self): pass
B().run()
A().run()
"""
    tree = snapshot({"a.py": source})
    steps = [
        (edge.rank, tree.files["a.py"].symbols[edge.target].descriptor)
        for edge in resolve(tree).edges
        if tree.files["a.py"].references[edge.reference].name == "step"
    ]
    assert sorted(steps) == [(0, "A#step()."), (1, "B#step().")]


VALUES = """
    import threading
    from enum import Enum
    from m import helper, Base
    class Color(Enum):
        RED = 1
    class Meta(type): pass
    def worker(q): pass
    def unlucky(): pass
    HANDLERS = {"a": worker, "b": helper}
    class A(Base, metaclass=Meta):
        factory = worker
        def run(self, callback=worker):
            threading.Thread(target=worker, args=(self._monitor,)).start()
            unlucky = self.count = len(self.size)
            return [Color.RED, unlucky, self.count, self.named, callback is Base]
        def _monitor(self): pass
        @property
        def size(self): pass
        on = _monitor
    def outer():
        def inner(): pass
        return lambda: inner
    """


def test_names_that_stand_for_values_are_references() -> None:
    files = {"a.py": VALUES, "m.py": "def helper(): pass\nclass Base:\n    def named(self): pass\n"}

    assert sorted(edges(files, "REFERENCES")) == [
        "a.py - -> a.py Meta# lexical_scope",
        "a.py - -> a.py worker(). lexical_scope",
        "a.py - -> m.py helper(). import",
        "a.py A# -> a.py A#_monitor(). lexical_scope",
        "a.py A# -> a.py worker(). lexical_scope",
        "a.py A# -> a.py worker(). lexical_scope",
        "a.py A#run(). -> a.py A#_monitor(). receiver_type",
        "a.py A#run(). -> a.py Color# lexical_scope",
        "a.py A#run(). -> a.py worker(). lexical_scope",
        "a.py A#run(). -> m.py Base# import",
        "a.py A#run(). -> m.py Base#named(). inherited_member",
        "a.py outer().`<lambda>`(). -> a.py outer().inner(). lexical_scope",
    ]


def test_a_property_is_called_by_who_takes_it() -> None:
    assert calls(VALUES) == ["A#run(). -> A#size(). receiver_type"]


def test_values_that_lead_nowhere_are_no_gaps() -> None:
    assert gaps({"a.py": "import os\ndef f(x):\n    f = x\n    print(f, os.sep)\n"}) == {"print": "builtin"}


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (True, ["a.py run(). -> b.py f(). import", "a.py run(). -> a.py f(). alternative"]),
        (False, ["a.py run(). -> a.py f(). lexical_scope"]),
    ],
    ids=["the import leads somewhere", "it leads outside"],
)
def test_what_is_defined_where_an_import_failed_stands_in_for_it(present: bool, expected: list[str]) -> None:
    source = """
    try:
        from b import f
    except ImportError:
        def f(): pass
    def run():
        f()
    """
    other = {"b.py": "def f(): pass"} if present else {}
    assert sorted(edges({"a.py": source, **other})) == sorted(expected)


def test_of_the_modules_for_several_systems_the_first_is_certain() -> None:
    source = """
    import sys
    if sys.platform == "win32":
        import win as path
    else:
        import unix as path
    path.join()
    """
    both = {"win.py": "def join(): pass", "unix.py": "def join(): pass"}
    assert sorted(edges({"a.py": source, **both})) == [
        "a.py - -> unix.py join(). alternative",
        "a.py - -> win.py join(). import",
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = [f, g]; x.reverse()", {"f", "g"}),
        ("x = list(reversed([f, g]))", {"f", "g"}),
        ("x = sorted([g, f])", {"f", "g"}),
        ("x = [f, g]; x.insert(0, h)", {"f", "g", "h"}),
        ("x = [f] + [g, h]", {"f", "g", "h"}),
        ("x = [h]; x += [g]", {"g", "h"}),
        ("x = [f] * 3", {"f"}),
    ],
)
def test_what_moves_elements_leaves_no_certain_position(source: str, expected: set[str]) -> None:
    head = "def f(): pass\ndef g(): pass\ndef h(): pass\n"
    for use in ("for k in x[1:]: k()", "*_, k = x; k()"):
        found = calls(head + source + "\n" + use)
        assert {edge.split(" -> ")[1].split("(")[0] for edge in found} >= expected, use


def test_an_attribute_that_is_assigned_is_not_left_to_heirs() -> None:
    source = """
    class A:
        def __init__(self, action): self.action = action
        def go(self):
            self.action()
            def inner(self): self.run()
        @staticmethod
        def plain(self): self.run()
    class B(A):
        def action(self): pass
        def run(self): pass
    """
    assert calls(source) == []


def test_the_right_operand_answers_where_the_left_one_is_unknown() -> None:
    source = """
    class Money:
        def __radd__(self, other): return Sum()
    class Sum:
        def show(self): pass
    def run(other):
        (other + Money()).show()
    """
    assert "run(). -> Sum#show(). receiver_type" in calls(source)


GENERATED = {
    "slices": "T = [" + "1," * 2000 + "]\n" + "".join(f"x{i} = T[1:]\n" for i in range(1000)),
    "starred targets": "T = [" + "1," * 2000 + "]\n" + "".join(f"a, *x{i} = T\n" for i in range(1000)),
    "heirs": "class A:\n def go(self):\n"
    + "".join(f"  self.m{i}()\n" for i in range(1000))
    + "".join(f"class B{i}(A): pass\n" for i in range(1000)),
    "decorated calls": "def wrap(f):\n def inner(): f()\n return inner\n@wrap\ndef k(): pass\n"
    + "k()\n" * 3000,
    "fallbacks": "".join(f"try: import a{i}\nexcept ImportError:\n def a{i}(): pass\n" for i in range(3000)),
}


@pytest.mark.parametrize("source", GENERATED.values(), ids=GENERATED.keys())
def test_what_a_generator_may_write_takes_nodes_by_its_length(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    original = Flow.nodes

    def nodes(flow: Flow, count: int) -> int:
        made.append(count)
        return original(flow, count)

    monkeypatch.setattr(Flow, "nodes", nodes)
    edges({"a.py": source})
    assert 0 < sum(made) < len(source)


def test_an_object_that_is_no_iterable_hides_no_other() -> None:
    source = """
    class Plain: pass
    class Lines:
        def __iter__(self): return Cursor()
    class Cursor:
        def __next__(self): return Line()
    class Line:
        def show(self): pass
    def run(lines: Plain | Lines):
        for line in lines:
            line.show()
    """
    assert "run(). -> Line#show(). receiver_type" in calls(source)
