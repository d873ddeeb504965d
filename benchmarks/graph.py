"""Measures what a graph costs: building, verifying, sealing, opening and asking it, and peak memory.

    python -m benchmarks.graph [--nodes 60000] [--edges 300000] [--engine kuzu] [--json]

The graph is invented: 7 node tables and 13 edge tables whose sizes fall off as 1/n, with texts, numbers,
times and lists; a third of the edges of each table lead to one hub. Each step runs in a process of its own,
so that its peak memory is its own, and the baseline of the same run is the time that digesting the same rows
takes without an engine. Processor seconds of the whole process are given too, because other work on the
machine slows only the clock's. The program exits with 1 where building and verifying take more than 5 s of
the clock for each 360,000 rows, or more than 700 MB for up to that many.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from graphsvc.graph.build import build
from graphsvc.graph.digest import LabelDigest, label_digest
from graphsvc.graph.engine import DEFAULT, ENGINES
from graphsvc.graph.reader import GraphReader
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable, Table
from graphsvc.graph.seal import check, seal
from graphsvc.graph.verify import verify

NODE_TABLES = 7
EDGE_TABLES = 13
SECONDS_LIMIT = 5.0
ROWS_OF_LIMIT = 360_000
MEMORY_LIMIT_MB = 700
LOOKUPS = 200


def shares(total: int, parts: int) -> list[int]:
    """A total split into parts whose sizes fall off as 1/n."""
    weights = [1 / (part + 1) for part in range(parts)]
    return [max(1, round(total * weight / sum(weights))) for weight in weights]


def node_rows(label: str, count: int) -> pa.Table:
    """Nodes in key order, with as many columns as a symbol or a session has."""
    keys = sorted(f"{label.lower()}_{hashlib.md5(f'{label}{n}'.encode()).hexdigest()}" for n in range(count))
    return pa.table(
        {
            "id": keys,
            "name": [f"name_{n % 5000}" for n in range(count)],
            "kind": [("function", "class", "method")[n % 3] for n in range(count)],
            "path": [f"src/package{n % 100}/module{n % 1000}.py" for n in range(count)],
            "line": pa.array(range(count), pa.int64()),
            "at": pa.array(range(count), pa.timestamp("us")),
            "tags": [[f"tag{n % 7}", "x"] if n % 3 else None for n in range(count)],
        }
    )


def edge_rows(sources: list[str], targets: list[str], count: int, rng: random.Random) -> pa.Table:
    """Edges in key order, each with its origin, confidence and evidence span."""
    ends = sorted(
        (rng.choice(sources), targets[0] if rng.random() < 1 / 3 else rng.choice(targets))
        for _ in range(count)
    )
    return pa.table(
        {
            "source": [source for source, _ in ends],
            "target": [target for _, target in ends],
            "origin": [("import", "local")[n % 2] for n in range(count)],
            "confidence": [n % 100 / 100 for n in range(count)],
            "segment": [f"seg_{n % 1000:032x}" for n in range(count)],
            "start": pa.array(range(count), pa.int64()),
            "end": pa.array(range(1, count + 1), pa.int64()),
        }
    )


def make_graph(folder: Path, nodes: int, edges: int) -> tuple[GraphSchema, dict[str, pa.Table]]:
    """Invents the graph and writes its Parquet files, named after their tables."""
    rng = random.Random(1)
    rows: dict[str, pa.Table] = {}
    node_tables, edge_tables = [], []
    for number, count in enumerate(shares(nodes, NODE_TABLES)):
        found = node_rows(f"N{number}", count)
        node_tables.append(NodeTable.from_arrow(f"N{number}", found.schema))
        rows[f"N{number}"] = found
    for number, count in enumerate(shares(edges, EDGE_TABLES)):
        source, target = f"N{rng.randrange(3)}", f"N{rng.randrange(NODE_TABLES)}"
        found = edge_rows(rows[source]["id"].to_pylist(), rows[target]["id"].to_pylist(), count, rng)
        edge_tables.append(EdgeTable.from_arrow(f"E{number}", source, target, found.schema))
        rows[edge_tables[-1].name] = found
    schema = GraphSchema(tuple(node_tables), tuple(edge_tables))
    for table in schema.tables:
        pq.write_table(rows[table.name], file_of(folder, table))
    return schema, rows


def file_of(folder: Path, table: Table) -> Path:
    """The Parquet file of a table."""
    return folder / f"{table.label}.parquet"


def load_graph(folder: Path) -> tuple[GraphSchema, list[LabelDigest]]:
    """Schema and digests that the first process left."""
    left = json.loads((folder / "graph.json").read_text())
    return GraphSchema.from_dict(left["schema"]), [LabelDigest(*digest) for digest in left["digests"]]


def step_baseline(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    schema, rows = make_graph(folder, options.nodes, options.edges)
    begin = time.perf_counter()
    digests = [label_digest(table, rows[table.name]) for table in schema.tables]
    seconds = time.perf_counter() - begin
    plain = [[digest.label, digest.rows, digest.digest] for digest in digests]
    (folder / "graph.json").write_text(json.dumps({"schema": schema.to_dict(), "digests": plain}))
    return {"seconds": seconds}


def step_build(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    schema, _ = load_graph(folder)
    files = {table.name: file_of(folder, table) for table in schema.tables}
    begin = time.perf_counter()
    report = build(folder / "graph", schema, files, engine=options.engine)
    seconds = time.perf_counter() - begin
    return {
        "seconds": seconds,
        "rows": sum(report.rows.values()),
        "file_mb": report.path.stat().st_size / 1e6,
    }


def step_verify(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    schema, digests = load_graph(folder)
    begin = time.perf_counter()
    verify(folder / "graph", schema, digests, engine=options.engine).require_ok()
    return {"seconds": time.perf_counter() - begin}


def step_seal(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    begin = time.perf_counter()
    check(folder / "graph", seal(folder / "graph"), deep=True)
    return {"seconds": (time.perf_counter() - begin) / 2}


def step_open(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    begin = time.perf_counter()
    with GraphReader.open(folder / "graph", engine=options.engine) as reader:
        keys = [row["id"] for row in reader.rows("MATCH (n:N0) RETURN n.id AS id", max_rows=LOOKUPS)]
        opened = time.perf_counter()
        for key in keys:
            reader.rows("MATCH (n:N0)-->(m) WHERE n.id = $id RETURN m.id LIMIT 20", {"id": key})
        return {"seconds": opened - begin, "hop_ms": (time.perf_counter() - opened) / len(keys) * 1000}


STEPS = {
    "baseline": step_baseline,
    "build": step_build,
    "verify": step_verify,
    "seal": step_seal,
    "open": step_open,
}


def run_step(step: str, folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """A step in a process of its own, with its peak memory, children included."""
    command = [sys.executable, "-m", "benchmarks.graph", "--step", step, "--folder", str(folder)]
    command += ["--nodes", str(options.nodes), "--edges", str(options.edges), "--engine", options.engine]
    figures: dict[str, float] = json.loads(subprocess.check_output(command))
    return figures


def used() -> dict[str, float]:
    """Processor seconds and peak memory of this process and the child that it waits for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return {
        "process_cpu": sum(usage.ru_utime + usage.ru_stime for usage in usages),
        "peak_mb": sum(usage.ru_maxrss for usage in usages) / unit,
    }


def judge(figures: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The figures of building and verifying together, and whether they keep the limits."""
    rows = figures["build"]["rows"]
    seconds = figures["build"]["seconds"] + figures["verify"]["seconds"]
    memory = max(figures["build"]["peak_mb"], figures["verify"]["peak_mb"])
    scale = max(1.0, rows / ROWS_OF_LIMIT)
    ok = seconds <= SECONDS_LIMIT * scale and (memory <= MEMORY_LIMIT_MB or scale > 1)
    return {"seconds": seconds, "limit_seconds": SECONDS_LIMIT * scale, "peak_mb": memory, "ok": ok}


def main() -> int:
    """Measures, prints, and says by its status whether the limits were kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=60_000)
    parser.add_argument("--edges", type=int, default=300_000)
    parser.add_argument("--engine", choices=ENGINES, default=DEFAULT)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        print(json.dumps({**STEPS[options.step](options.folder, options), **used()}))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = {step: run_step(step, Path(folder), options) for step in STEPS}
    verdict = judge(figures)
    if options.json:
        print(json.dumps({**figures, "total": verdict}))
    else:
        for step, values in figures.items():
            print(f"{step:10}" + "  ".join(f"{name} {value:,.3f}" for name, value in values.items()))
        print("total     " + "  ".join(f"{name} {value}" for name, value in verdict.items()))
    return 0 if verdict["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
