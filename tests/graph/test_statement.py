"""Only statements that do nothing but read reach the engine, each with exactly its parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphsvc.errors import Denied, InvalidInput
from graphsvc.graph.statement import check_parameters, check_reads_only

READING = [
    "MATCH (n) RETURN n",
    "  match (n) return n ; ",
    "// COPY x\nMATCH (n) RETURN n",
    "OPTIONAL MATCH (n) RETURN n",
    "UNWIND [1] AS load WITH load RETURN load",
    "RETURN 'LOAD FROM x; COPY y', \"CALL threads=1\", `INSTALL json`",
    "MATCH (n:`LOAD FROM`) RETURN n.load, n.call",
    "MATCH (n) WHERE n.call IN (['a']) RETURN n",
    "EXPLAIN MATCH (n) RETURN n",
    "EXPLAIN LOGICAL MATCH (n) RETURN n",
    "PROFILE MATCH (n) RETURN n",
    "CALL show_tables() RETURN *",
    "CALL /* of */ Table_Info('Symbol') RETURN name",
    "RETURN 'it\\'s; LOAD FROM x'",
]

REACHING = [
    "COPY (MATCH (n) RETURN n.id) TO 'out.csv'",
    "copy Symbol FROM 'in.parquet'",
    "EXPLAIN COPY (RETURN 1) TO 'out.csv'",
    "/* MATCH */ EXPORT DATABASE 'folder'",
    "IMPORT DATABASE 'folder'",
    "LOAD FROM 'in.csv' RETURN *",
    "LOAD json",
    "LOAD EXTENSION 'x.so'",
    "MATCH (n) LOAD FROM 'in.csv' RETURN *",
    "MATCH (n) LOAD /* x */ WITH HEADERS (a INT64) FROM 'in.csv' RETURN *",
    "// x\rLOAD FROM 'in.csv' RETURN *",
    "INSTALL httpfs",
    "UPDATE json",
    "UNINSTALL json",
    "ATTACH 'x.duckdb' AS x (dbtype duckdb)",
    "DETACH x",
    "USE x",
    "CALL threads = 8",
    "CALL project_graph('g', ['A'], ['R'])",
    "CALL `create_fts_index`('A', 'i', ['t'])",
    "MATCH (n) CALL file_info('secret') RETURN *",
    "BEGIN TRANSACTION",
    "COMMIT",
    "CHECKPOINT",
    "CREATE (n:A)",
    "MERGE (n:A {id: 'x'})",
    "DROP TABLE A",
    "ALTER TABLE A ADD x STRING",
    "COMMENT ON TABLE A IS 'x'",
    "(MATCH",
]


@pytest.mark.parametrize("cypher", READING)
def test_queries_pass(cypher: str) -> None:
    assert check_reads_only(cypher) is None


@pytest.mark.parametrize("cypher", REACHING)
def test_what_reaches_beyond_the_graph_is_denied(cypher: str) -> None:
    with pytest.raises(Denied, match=r"read the graph|another file"):
        check_reads_only(cypher)


@pytest.mark.parametrize("cypher", ["", " \n", ";", "// only a comment"])
def test_empty_statement_is_invalid(cypher: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        check_reads_only(cypher)


def test_second_statement_is_invalid() -> None:
    with pytest.raises(InvalidInput, match="more than one statement"):
        check_reads_only("RETURN 1; RETURN 2")


@given(st.text(), st.sampled_from(["'", '"', "`"]))
def test_what_is_quoted_never_counts(text: str, mark: str) -> None:
    quoted = text.replace("\\", "").replace(mark, "")

    check_reads_only(f"RETURN {mark}{quoted} LOAD FROM; $x{mark}")
    check_parameters(f"RETURN {mark}{quoted} LOAD FROM; $x{mark}", [])


@pytest.mark.parametrize("cypher", ["RETURN $a + $b, $a", "RETURN $a /* $c */ + $`b`", "RETURN '$c', $a, $b"])
def test_parameters_must_match(cypher: str) -> None:
    check_parameters(cypher, {"a": 1, "b": 2})
    with pytest.raises(InvalidInput, match=r"no value is given for \$b"):
        check_parameters(cypher, {"a": 1})
    with pytest.raises(InvalidInput, match="has no parameter d"):
        check_parameters(cypher, {"a": 1, "b": 2, "d": 3})
