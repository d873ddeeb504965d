"""Comparing the symbols of two states of files."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from graphsvc.symbol_changes import Change, Definition, compare
from loaders.parsing import extract
from loaders.symbol_history import _definitions


def definitions(files: dict[str, str]) -> list[Definition]:
    """Definitions of Python files."""
    return [
        found._replace(path=path, parent=found.parent and (path, *found.parent[1:]))
        for path, text in files.items()
        for found in _definitions(extract(text.encode(), "python").symbols)
    ]


def changes(old: dict[str, str], new: dict[str, str], **options: dict[str, str]) -> set[tuple[str, ...]]:
    return {told(change) for change in compare(definitions(old), definitions(new), **options)}


def told(change: Change) -> tuple[str, ...]:
    names = [f"{of.path}:{of.descriptor}" for of in (change.old, change.new) if of]
    return (change.change, *dict.fromkeys(names))


LOAD = "def load(path):\n    return open(path).read().strip()\n"
CART = "class Cart:\n    size = 1\n    def add(self, item):\n        self.items.append(item)\n        return item\n"


def test_an_edited_body_and_an_edited_signature() -> None:
    [body] = compare(definitions({"a.py": LOAD}), definitions({"a.py": LOAD.replace("strip", "rstrip")}))
    [head] = compare(
        definitions({"a.py": LOAD}), definitions({"a.py": LOAD.replace("(path):", "(path=''):")})
    )

    assert (body.change, body.is_signature_changed, body.is_text_changed) == ("changed", False, True)
    assert (head.change, head.is_signature_changed, head.is_text_changed) == ("changed", True, True)


def test_an_unchanged_text_under_another_name() -> None:
    [change] = compare(definitions({"a.py": LOAD}), definitions({"a.py": LOAD.replace("load", "read_all")}))

    assert told(change) == ("renamed", "a.py:load().", "a.py:read_all().")
    assert (change.origin, change.is_signature_changed, change.is_text_changed) == ("same_text", False, False)


def test_a_function_that_went_to_another_file() -> None:
    assert changes({"a.py": LOAD + CART}, {"a.py": CART, "b.py": LOAD}) == {
        ("moved", "a.py:load().", "b.py:load().")
    }


def test_a_function_that_went_and_was_edited() -> None:
    edited = LOAD.replace("strip", "rstrip")
    [change] = compare(definitions({"a.py": LOAD}), definitions({"b.py": edited}))

    assert (told(change), change.origin) == (("moved", "a.py:load().", "b.py:load()."), "same_signature")
    assert change.is_text_changed


def test_members_go_with_their_type() -> None:
    renamed = CART.replace("Cart", "Basket")

    assert changes({"a.py": CART}, {"a.py": renamed}) == {
        ("renamed", "a.py:Cart#", "a.py:Basket#"),
        ("moved", "a.py:Cart#size.", "a.py:Basket#size."),
        ("moved", "a.py:Cart#add().", "a.py:Basket#add()."),
    }


def test_a_type_is_not_listed_for_its_members() -> None:
    assert changes({"a.py": CART}, {"a.py": CART.replace("return item", "return self")}) == {
        ("changed", "a.py:Cart#add().")
    }
    assert changes({"a.py": CART}, {"a.py": CART.replace("class Cart:", "class Cart(Base):")}) == {
        ("changed", "a.py:Cart#")
    }


def test_a_renamed_file_takes_its_symbols_along() -> None:
    edited = CART.replace("return item", "return self")

    assert changes({"a.py": edited}, {"b.py": CART}, renamed={"a.py": "b.py"}) >= {
        ("moved", "a.py:Cart#add().", "b.py:Cart#add()."),
        ("moved", "a.py:Cart#", "b.py:Cart#"),
    }


def test_what_is_ambiguous_is_no_rename() -> None:
    """Two functions of one text are gone, and one is new: nobody can say which of them it was."""
    twins = LOAD.replace("load", "one") + LOAD.replace("load", "two")

    assert changes({"a.py": twins}, {"a.py": LOAD}) == {
        ("removed", "a.py:one()."),
        ("removed", "a.py:two()."),
        ("added", "a.py:load()."),
    }


def test_short_texts_tell_nothing() -> None:
    assert changes({"a.py": "A = 1\n"}, {"b.py": "B = 1\n"}) == {("removed", "a.py:A."), ("added", "b.py:B.")}


def test_an_overload_that_comes_does_not_change_the_one_that_was_there() -> None:
    other = "def load(path, mode):\n    return open(path, mode)\n"

    [change] = compare(definitions({"a.py": LOAD}), definitions({"a.py": LOAD + other}))
    assert (change.change, change.new and change.new.signature) == ("added", "def load(path, mode):")


FUNCTIONS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(0, 3)), unique_by=lambda pair: pair[0], max_size=6
)


def file_of(functions: list[tuple[str, int]]) -> str:
    return "".join(f"def {name}(x):\n    return x + x + x + x + x + {number}\n" for name, number in functions)


@given(FUNCTIONS, FUNCTIONS, FUNCTIONS, FUNCTIONS)
def test_every_definition_is_accounted_for_once(
    one: list[tuple[str, int]],
    two: list[tuple[str, int]],
    three: list[tuple[str, int]],
    four: list[tuple[str, int]],
) -> None:
    old = definitions({"a.py": file_of(one), "b.py": file_of(two)})
    new = definitions({"a.py": file_of(three), "b.py": file_of(four)})

    found = compare(old, new)
    befores = [change.old.key for change in found if change.old]
    afters = [change.new.key for change in found if change.new]
    assert len(befores) == len(set(befores))
    assert len(afters) == len(set(afters))
    same = {d.key for d in old if d.body_hash in {e.body_hash for e in new if e.key == d.key}}
    assert {d.key for d in old} == same | set(befores)
    assert {d.key for d in new} == same | set(afters)
    assert compare(old, old) == []
