"""Does the graph depend on the evidence alone? Four stores of one repository, built in different ways.

``python -m benchmarks.convergence --repo PATH [--commits-back N] [--json]``

- two stores built from scratch must have the same root digest;
- a graph built anew from a store's own canonical data must have the digest that it had;
- a store that saw an older state of all references first, and then the newest, must have, table by table, exactly
  the rows of one that saw only the newest, and besides them only rows marked withdrawn.

Exits with 1 where one of these does not hold.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from graphsvc.knowledge import KnowledgeBase

__all__ = ["main"]


def _git(repository: Path, *arguments: str) -> str:
    ran = subprocess.run(
        ["git", "-C", str(repository), *arguments], check=True, capture_output=True, text=True
    )
    return ran.stdout


def _older(repository: Path, target: Path, back: int) -> dict[str, str]:
    """Make a bare clone whose branches are ``back`` commits behind; their newest tips by name."""
    _git(repository, "clone", "--quiet", "--mirror", "--local", str(repository), str(target))
    newest = dict(
        line.split(" ")
        for line in _git(target, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    )
    for name, oid in newest.items():
        line = _git(target, "rev-list", "--first-parent", f"--max-count={back + 1}", oid).split()
        if len(line) > back:
            _git(target, "update-ref", name, line[-1])
        else:
            _git(target, "update-ref", "-d", name)
    return newest


def _build(repository: Path, folder: Path) -> KnowledgeBase:
    kb = KnowledgeBase.init(folder)
    kb.add_repository(repository, name="repository")
    kb.rebuild()
    return kb


def _tables(kb: KnowledgeBase) -> dict[str, pl.DataFrame]:
    """All tables of the published graph by the names that the ledger gives them."""
    labels: dict[str, Any] = dict(kb.store.generations()[0].labels)
    tables = {}
    for name in labels:
        if "->" in name:
            source, label, target = name.replace("->", "-").split("-")
            statement = f"MATCH (a:{source})-[r:{label}]->(b:{target}) RETURN a.id AS source, b.id AS target, r AS row"
        else:
            statement = f"MATCH (n:{name}) RETURN n AS row"
        tables[name] = _flat(kb.cypher(statement).to_dicts())
    return tables


def _flat(rows: list[dict[str, Any]]) -> pl.DataFrame:
    """Rows with the properties of their node or edge as columns, without the engine's own ids."""
    flat = [
        {
            **{k: v for k, v in row.items() if k != "row"},
            **{k: v for k, v in row["row"].items() if k[0] != "_"},
        }
        for row in rows
    ]
    return pl.DataFrame(flat, infer_schema_length=None)


def _differences(newest: KnowledgeBase, both: KnowledgeBase) -> list[dict[str, Any]]:
    """Table by table: rows, rows that are missing or extra without being marked, and rows marked withdrawn."""
    one, other = _tables(newest), _tables(both)
    found = []
    for name in sorted(one.keys() | other.keys()):
        ours, theirs = (
            {tuple(row.items()) for row in tables.get(name, pl.DataFrame()).to_dicts()}
            for tables in (one, other)
        )
        extra = theirs - ours
        marked = {row for row in extra if dict(row).get("withdrawn")}
        found.append(
            {
                "table": name,
                "rows": len(ours),
                "missing": len(ours - theirs),
                "unmarked": len(extra - marked),
                "withdrawn": len(marked),
            }
        )
    return found


def main() -> int:
    """Run the comparison and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commits-back", type=int, default=150)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="convergence-") as name:
        scratch = Path(name)
        clone = scratch / "clone.git"
        newest = _older(arguments.repo.resolve(), clone, arguments.commits_back)
        both = _build(clone, scratch / "both")
        for reference, oid in newest.items():
            _git(clone, "update-ref", reference, oid)
        both.rebuild()
        first, second = (_build(clone, scratch / label) for label in ("first", "second"))
        digests = [kb.store.generations()[0].root_digest for kb in (first, second)]
        tables = _differences(first, both)
        again = shutil.copytree(first.store.folder, scratch / "again")
        shutil.rmtree(again / "generations")
        rebuilt = KnowledgeBase.open(again).rebuild().generation.generation.root_digest
    figures = {
        "two_builds_agree": digests[0] == digests[1],
        "rebuilt_from_canonical_agrees": rebuilt == digests[0],
        "tables": tables,
    }
    holds = (
        digests[0] == digests[1]
        and rebuilt == digests[0]
        and not any(table["missing"] or table["unmarked"] for table in tables)
    )
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        print(f"two builds from scratch agree:      {figures['two_builds_agree']}")
        print(f"rebuilt from canonical data agrees: {figures['rebuilt_from_canonical_agrees']}")
        print(f"{'table':38} {'rows':>8} {'missing':>8} {'unmarked':>9} {'withdrawn':>10}")
        for table in tables:
            print("{table:38} {rows:8} {missing:8} {unmarked:9} {withdrawn:10}".format(**table))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
