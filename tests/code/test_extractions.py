"""An extraction comes back from the store as it was, so resolution never needs the blob again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from graphsvc.knowledge import KnowledgeBase
from loaders.extractions import read_extractions
from loaders.parsing import extract
from tests.repositories import RepositoryBuilder

PYTHON = b'''"""Shop."""
from decimal import Decimal as D
import json as js


class Cart:
    """A cart."""

    @property
    def total(self) -> D:
        return sum(map(lambda item: item.price, self.items))
'''
GO = b"""package shop

import "fmt"

type Cart struct{ items []int }

func (c *Cart) Show() { fmt.Println(c.items) }
"""


def _nested(facts: Any) -> Any:
    """Facts as they were before they went through JSON."""
    return tuple(map(_nested, facts)) if isinstance(facts, list) else facts


def test_stored_extractions_equal_fresh_ones(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "repository")
    builder.commit({"shop.py": PYTHON, "shop.go": GO}, "Add a shop\n")
    kb = KnowledgeBase.init(tmp_path / "store")
    [source, *_] = kb.add_repository(builder.path)
    kb.rebuild()

    blobs = [builder.git("rev-parse", f"main:{path}") for path in ("shop.py", "shop.go")]
    with kb.store.read() as reader:
        stored = read_extractions(reader, source.options["repository_id"], blobs)
    assert {
        language: replace(found, facts=_nested(found.facts)) for (_, language), found in stored.items()
    } == {
        "python": extract(PYTHON, "python"),
        "go": extract(GO, "go"),
    }
