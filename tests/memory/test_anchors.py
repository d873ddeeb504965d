"""Anchors checked again against today's evidence."""

import pytest

from graphsvc.memory.facts import Anchor, anchor_state


@pytest.mark.parametrize(
    ("digest", "found", "state"),
    [
        ("aa", ["aa"], "current"),
        ("aa", ["bb"], "drifted"),
        ("", ["bb"], "current"),
        ("aa", [], "deleted"),
        ("aa", ["aa", "bb"], "ambiguous"),
    ],
)
def test_state_of_an_anchor(digest, found, state):
    assert anchor_state(Anchor("file", "f", digest), found) == state
