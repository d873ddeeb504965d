"""Scopes: chains, depth and the requests that can be made of them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import InvalidInput
from graphsvc.scopes import ALL, GLOBAL, GLOBAL_ONLY, Scope, at, check_instance, scope_filter

levels = st.sampled_from(["", "a", "A", " ", "a/b", '"'])
scopes = st.builds(Scope, levels, levels, levels)


@given(scopes)
def test_a_chain_leads_from_the_scope_to_global_and_falls_strictly_in_depth(scope):
    chain = scope.ancestors()

    depths = [item.depth for item in chain]
    assert chain[0] == scope
    assert chain[-1] == GLOBAL
    assert len(set(chain)) == len(chain) <= 4
    assert all(inner > outer for inner, outer in itertools.pairwise(depths))


@given(scopes)
def test_the_set_levels_of_an_ancestor_are_those_of_the_scope(scope):
    for ancestor in scope.ancestors():
        assert all(theirs in ("", own) for theirs, own in zip(ancestor.levels, scope.levels, strict=True))


@given(scopes, scopes)
def test_no_two_scopes_share_a_key(one, other):
    assert (one.key == other.key) == (one == other)


@given(scopes)
def test_widening_everything_or_global_changes_nothing(scope):
    assert ALL.with_ancestors() == ALL
    assert GLOBAL_ONLY.with_ancestors() == GLOBAL_ONLY
    assert not ALL.ranks_by_scope
    assert at(scope).with_ancestors().ranks_by_scope == (scope != GLOBAL)


@pytest.mark.parametrize(
    ("request_", "reads_global", "reads_place"),
    [(ALL, True, True), (GLOBAL_ONLY, True, False), (at(Scope("i", "p", "w")), False, True)],
)
def test_everything_global_only_and_one_scope_are_three_requests(request_, reads_global, reads_place):
    assert request_.admits(GLOBAL) is reads_global
    assert request_.admits(Scope("i", "p", "w")) is reads_place


def test_an_empty_scope_from_an_older_caller_reads_everything():
    assert scope_filter(GLOBAL, include_ancestors=False) == ALL
    assert scope_filter(Scope("i"), include_ancestors=True) == at(Scope("i")).with_ancestors()


def test_levels_of_a_place():
    place = Scope("i", "p", "w")

    assert [place.level(name) for name in ("workspace", "project", "instance", "global")] == list(
        place.ancestors()
    )


@pytest.mark.parametrize(
    ("scope", "instance"), [(Scope("", "p"), "i"), (Scope("i", "p"), ""), (Scope("", "", "w"), "i")]
)
def test_a_store_refuses_to_mix_scopes_with_and_without_an_instance(scope, instance):
    with pytest.raises(InvalidInput):
        check_instance(scope, instance)


def test_global_and_foreign_instances_fit_every_store_that_fills_the_instance():
    for scope in (GLOBAL, Scope("i", "p"), Scope("another", "p")):
        check_instance(scope, "i")


def test_a_level_that_is_no_text_is_refused():
    with pytest.raises(InvalidInput):
        Scope(None)


def test_chain_vectors(chain_case):
    scope = Scope(*chain_case["scope"])

    assert scope.depth == chain_case["depth"]
    assert [list(item.levels) for item in scope.ancestors()] == chain_case["ancestors"]
