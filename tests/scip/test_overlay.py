"""How what an index says joins with resolution."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from loaders.resolution import resolve
from loaders.resolution.model import OUTCOMES, IndexDocument, Occurrence, Resolution, Snapshot
from tests.resolution.snapshots import snapshot

SOURCE = """
class Cart { total() { return 1; } }
function run(cart: any) { cart.total(); }
function other() { return run; }
const held = other;
held();
"""


def occurrence(
    text: str, nth: int, symbol: str, *, is_definition: bool = False, source: str = SOURCE
) -> Occurrence:
    """The nth place of a name in the source, with what the index calls it."""
    at = -1
    for _ in range(nth):
        at = source.index(text, at + 1)
    line = source.count("\n", 0, at) + 1
    return Occurrence(at, at + len(text), line, symbol, is_definition)


def overlaid(
    *occurrences: Occurrence, implementations: tuple[tuple[str, str], ...] = ()
) -> tuple[Snapshot, Resolution]:
    plain = snapshot({"a.ts": SOURCE[1:]})
    moved = [one._replace(start=one.start - 1, end=one.end - 1, line=one.line - 1) for one in occurrences]
    tree = replace(plain, indexes=(IndexDocument("a.ts", tuple(moved), implementations),))
    return tree, resolve(tree)


def described(tree: Snapshot, found: Resolution) -> list[str]:
    """Edges and links that rest on the index, as ``KIND source -> target``."""

    def name(ordinal: int) -> str:
        return tree.files["a.ts"].symbols[ordinal].descriptor if ordinal >= 0 else "-"

    references = tree.files["a.ts"].references
    edges = [(e.kind, references[e.reference].enclosing, e.target) for e in found.edges if e.origin == "scip"]
    links = [(link.kind, link.source, link.target) for link in found.links if link.origin == "scip"]
    return [f"{kind} {name(source)} -> {name(target)}" for kind, source, target in edges + links]


def test_an_index_adds_what_resolution_could_not_know() -> None:
    tree, found = overlaid(
        occurrence("total", 1, "x Cart#total().", is_definition=True),
        occurrence("total", 2, "x Cart#total()."),
    )
    assert described(tree, found) == ["CALLS run(). -> Cart#total()."]
    assert found.agreement["a.ts", "adds"] == 1
    assert not any(gap for gap in found.gaps if tree.files["a.ts"].references[gap.reference].name == "total")


def test_uses_that_are_no_calls_become_references() -> None:
    tree, found = overlaid(
        occurrence("run", 1, "x run().", is_definition=True), occurrence("run", 2, "x run().")
    )
    assert described(tree, found) == ["REFERENCES other(). -> run()."]
    assert found.agreement["a.ts", "reads"] == 1


def test_a_variable_and_the_function_that_it_holds_are_both_kept() -> None:
    tree, found = overlaid(
        occurrence("held", 1, "x held.", is_definition=True), occurrence("held", 2, "x held.")
    )
    assert described(tree, found) == ["CALLS - -> held."]
    held = [e for e in found.edges if tree.files["a.ts"].references[e.reference].name == "held"]
    assert [(edge.origin, edge.rank) for edge in sorted(held, key=lambda e: e.rank)] == [
        ("scip", 0),
        ("assigned_value", 1),
    ]
    assert found.agreement["a.ts", "holder"] == 1


def test_another_target_replaces_the_one_that_was_found() -> None:
    tree, found = overlaid(
        occurrence("run", 1, "x run().", is_definition=True), occurrence("held", 2, "x run().")
    )
    [edge] = [e for e in found.edges if tree.files["a.ts"].references[e.reference].name == "held"]
    assert (edge.origin, tree.files["a.ts"].symbols[edge.target].name) == ("scip", "run")
    assert found.agreement["a.ts", "other_symbol"] == 1


def test_what_the_index_does_not_know_is_kept() -> None:
    _, found = overlaid(occurrence("held", 2, "npm react 1 `index.d.ts`/useState()."))
    assert [edge.origin for edge in found.edges] == ["assigned_value"]
    assert found.agreement["a.ts", "outside"] == 1
    _, silent = overlaid(occurrence("run", 1, "x run().", is_definition=True))
    assert silent.agreement["a.ts", "silent"] == 1
    assert Counter(outcome for _, outcome in found.agreement).keys() <= OUTCOMES.keys()


def test_relations_of_types_are_inherited_and_those_of_methods_are_not() -> None:
    tree, found = overlaid(
        occurrence("Cart", 1, "x Cart#", is_definition=True),
        occurrence("total", 1, "x Cart#total().", is_definition=True),
        occurrence("run", 1, "x run().", is_definition=True),
        implementations=(("x Cart#", "x run()."), ("x Cart#total().", "x run()."), ("x Cart#", "y gone#")),
    )
    assert described(tree, found) == ["INHERITS Cart# -> run()."]


def test_an_index_of_a_file_that_is_not_there_says_nothing() -> None:
    plain = snapshot({"a.ts": SOURCE})
    other = replace(plain, indexes=(IndexDocument("gone.ts", (occurrence("run", 1, "x run()."),), ()),))
    assert resolve(other) == resolve(plain)


def test_of_several_things_said_of_one_place_those_count_that_resolution_found() -> None:
    tree, found = overlaid(
        occurrence("run", 1, "x run().", is_definition=True),
        occurrence("held", 1, "x held.", is_definition=True),
        occurrence("other", 1, "x other().", is_definition=True),
        occurrence("held", 2, "x other()."),
        occurrence("held", 2, "x run()."),
    )
    [edge] = [e for e in found.edges if tree.files["a.ts"].references[e.reference].name == "held"]
    assert (edge.origin, tree.files["a.ts"].symbols[edge.target].name) == ("scip", "other")
    assert found.agreement == {("a.ts", "agrees"): 1, ("a.ts", "silent"): 0}
