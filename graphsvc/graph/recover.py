"""Reads a whole database file back, in a process of its own, and prints what it holds.

A damaged file can crash the engine or keep it busy for ever, so :mod:`graphsvc.graph.verify` runs this module
in a child process and stops it in time. The job comes as one JSON document on standard input; the answers go
to standard output, one JSON document a line, so that those before a crash are known:

- ``{"step": "..."}``: what is tried next.
- ``{"scan": [table, direction, rows, digest]}``: the content of a table, read in one direction.
- ``{"keys": [table, rows, found]}``: how many rows the primary-key index leads to.
- ``{"error": "..."}``: the engine refused the step; nothing follows.
- ``{"done": true}``: everything was read.

Two processes share the work, since what reading costs most is held up by the interpreter's lock: one reads `FORWARDS`,
nodes and edges from their sources, the other `BACKWARDS`, edges from their targets and the key index.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphsvc.errors import Corrupt, GraphsvcError
from graphsvc.graph.digest import label_digest
from graphsvc.graph.engine import MIN_POOL_BYTES, Connection, Database
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable, Table, quote

__all__ = ["BACKWARDS", "FORWARDS", "main", "recover"]

FORWARDS = "forwards"
BACKWARDS = "backwards"

_ALIASES = {FORWARDS: ("a", "b"), BACKWARDS: ("b", "a")}
_PLANS = {FORWARDS: "(a)-[r]->(b)", BACKWARDS: "(b)<-[r]-(a)"}

_KEY_CHECK = "graphsvc_key_check"


def recover(
    path: Path, scratch: Path, schema: GraphSchema, engine: str, direction: str
) -> Iterator[dict[str, Any]]:
    """What the database file holds, as the answers described above.

    Args:
        path: The closed database file.
        scratch: Where a throwaway copy of it may be made; on one file system the copy is cheap.
        schema: The tables that it should have.
        engine: Name of the engine.
        direction: `FORWARDS` or `BACKWARDS`.
    """
    try:
        yield {"step": "open"}
        with (
            Database(path, read_only=True, pool_bytes=MIN_POOL_BYTES, engine=engine) as database,
            database.connect(threads=1) as connection,
        ):
            if direction == FORWARDS:
                _check_tables(connection, schema)
            for table in schema.tables if direction == FORWARDS else schema.edges:
                yield from _scan(connection, table, direction)
        if direction == BACKWARDS:
            yield {"step": "copy"}
            shutil.copyfile(path, scratch)
            with (
                Database(scratch, read_only=False, pool_bytes=MIN_POOL_BYTES, engine=engine) as database,
                database.connect(threads=1) as connection,
            ):
                yield from _key_checks(connection, schema)
        yield {"done": True}
    except GraphsvcError as error:
        yield {"error": error.message}


def main(engine: str) -> None:
    """Does the job that standard input describes, once it is there; what it will take is imported meanwhile."""
    for module in (engine, "pyarrow.compute"):
        importlib.import_module(module)
    job = json.load(sys.stdin)
    schema = GraphSchema.from_dict(job["schema"])
    # What the engine itself may print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for answer in recover(Path(job["path"]), Path(job["scratch"]), schema, engine, job["direction"]):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(
        0
    )  # all is said and closed, and taking an interpreter with these modules apart takes as long as a scan


def _check_tables(connection: Connection, schema: GraphSchema) -> None:
    """Compares names, so that nothing in the file stays unread."""
    with connection.run("CALL show_tables() RETURN name, type") as result:
        labels = result.rows()
    found = set()
    for label, kind in labels:
        if kind == "NODE":
            found.add(label)
            continue
        with connection.run(f"CALL show_connection('{label}') RETURN *") as result:
            found.update(f"{pair[0]}-{label}->{pair[1]}" for pair in result.rows())
    unmatched = found ^ {table.name for table in schema.tables}
    if unmatched:
        raise Corrupt(f"the file has other tables than it should: {', '.join(sorted(unmatched))}")


def _scan(connection: Connection, table: Table, direction: str) -> Iterator[dict[str, Any]]:
    yield {"step": f"read {table.name} {direction}"}
    cypher = _edge_scan(table, direction) if isinstance(table, EdgeTable) else _node_scan(table)
    with connection.run(cypher) as result:
        digest = label_digest(table, result.arrow())
    if digest.rows and isinstance(table, EdgeTable):
        _check_direction(connection, cypher, table, direction)
    yield {"scan": [digest.label, direction, digest.rows, digest.digest]}


def _node_scan(table: NodeTable) -> str:
    columns = ", ".join(f"n.{quote(c.name)} AS {quote(c.name)}" for c in table.columns)
    return f"MATCH (n:{quote(table.label)}) RETURN {columns}"


def _edge_scan(table: EdgeTable, direction: str) -> str:
    """Reads the edges from the lists of one end; the join hint keeps the planner from choosing the end."""
    first, second = _ALIASES[direction]
    properties = "".join(f", r.{quote(c.name)} AS {quote(c.name)}" for c in table.properties)
    return (
        f"MATCH (a:{quote(table.from_label)})-[r:{quote(table.label)}]->(b:{quote(table.to_label)}) "
        f"HINT ({first} JOIN r) JOIN {second} "
        f"RETURN a.id AS source, b.id AS target{properties}"
    )


def _check_direction(connection: Connection, cypher: str, table: EdgeTable, direction: str) -> None:
    with connection.run(f"EXPLAIN {cypher}") as result:
        plan = str(result.rows()[0][0])
    if _PLANS[direction] not in plan:
        raise Corrupt(f"the engine does not read {table.name} {direction} when asked to")


def _key_checks(connection: Connection, schema: GraphSchema) -> Iterator[dict[str, Any]]:
    """Asks the key index for every key by loading edges from each node to itself.

    A bulk load looks keys up in the index, 20 times faster than queries do (1 s against 25 s for 60,000
    keys), and nothing that a scan reads shows that the index has lost one.
    """
    with connection.run("MATCH (n) RETURN label(n), count(*)") as result:
        rows = dict(map(tuple, result.rows()))
    filled = [node for node in schema.nodes if rows.get(node.label)]
    if filled:
        pairs = ", ".join(f"FROM {quote(node.label)} TO {quote(node.label)}" for node in filled)
        connection.run(f"CREATE REL TABLE {_KEY_CHECK}({pairs}, position INT64)").close()
    for node in schema.nodes:
        yield {"step": f"look up the keys of {node.name}"}
        found = _keys_found(connection, node) if node in filled else 0
        yield {"keys": [node.name, rows.get(node.label, 0), found]}


def _keys_found(connection: Connection, node: NodeTable) -> int:
    label = quote(node.label)
    connection.run(
        f"COPY {_KEY_CHECK} "
        f"FROM (MATCH (n:{label}) RETURN n.id AS a, n.id AS b, offset(id(n)) AS position) "
        f"(from='{node.label}', to='{node.label}')"
    ).close()
    with connection.run(
        f"MATCH (a:{label})-[r:{_KEY_CHECK}]->(b:{label}) "
        "WHERE offset(id(a)) = r.position AND offset(id(b)) = r.position RETURN count(*)"
    ) as result:
        return int(result.rows()[0][0])
