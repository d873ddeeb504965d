"""A reader answers, says when it cut an answer short, and turns every failure into a typed error."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from graphsvc.errors import BudgetExhausted, Corrupt, Denied, InvalidInput, NotFound
from graphsvc.graph.engine import version
from graphsvc.graph.reader import GraphReader, Rows, _Handle


@pytest.fixture
def reader(built: Path, engine: str) -> GraphReader:
    with GraphReader.open(built, engine=engine) as reader:
        yield reader


ALL_SYMBOLS = "MATCH (s:Symbol) RETURN s.id AS id ORDER BY id"


def test_rows_are_dictionaries(reader: GraphReader) -> None:
    answer = reader.rows(
        "MATCH (a:Symbol)-[c:CALLS]->(b:Symbol) WHERE a.id = $id "
        "RETURN b.id AS callee, c.`where` ORDER BY c.`where`",
        {"id": "s1"},
    )

    assert answer == Rows(
        ("callee", "c.where"),
        tuple({"callee": "s2", "c.where": where} for where in (3, 7, 7)),
        truncated=False,
    )
    assert (len(answer), answer[0], answer[1:], list(answer)[2]) == (
        3,
        answer.items[0],
        answer.items[1:],
        answer[2],
    )


def test_arrow_keeps_types(reader: GraphReader) -> None:
    answer = reader.arrow(
        "MATCH (s:Symbol) WHERE s.id = 's1' RETURN s.`order` AS o, s.at AS at, s.`group` AS g"
    )

    assert [str(field.type) for field in answer.table.schema][:2] == ["int64", "timestamp[us]"]
    assert answer.table.column("g").to_pylist() == [["x", None, ""]]
    assert answer.truncated is False


def test_empty_answer_keeps_its_columns(reader: GraphReader) -> None:
    cypher = "MATCH (o:`Order`) RETURN o.id AS id"

    assert reader.rows(cypher) == Rows(("id",), (), truncated=False)
    assert reader.arrow(cypher).table.schema.names == ["id"]


@pytest.mark.parametrize(("limit", "truncated"), [(0, True), (4, True), (5, False), (6, False)])
def test_cut_answer_says_so(reader: GraphReader, limit: int, truncated: bool) -> None:
    rows, arrow = reader.rows(ALL_SYMBOLS, max_rows=limit), reader.arrow(ALL_SYMBOLS, max_rows=limit)

    assert (len(rows), rows.truncated) == (min(limit, 5), truncated)
    assert (arrow.table.num_rows, arrow.truncated) == (min(limit, 5), truncated)


def test_limit_of_the_reader_is_the_default(built: Path, engine: str) -> None:
    with GraphReader.open(built, max_rows=2, engine=engine) as reader:
        assert [row["id"] for row in reader.rows(ALL_SYMBOLS)] == ["s1", "s2"]
        assert len(reader.rows(ALL_SYMBOLS, max_rows=3)) == 3


def test_prepared_statement_takes_values_of_other_types(reader: GraphReader) -> None:
    values = ["x", 5, None, 2**40, ["a", "b"], 1.5, True, ""]

    assert [reader.rows("RETURN $v AS v", {"v": value})[0]["v"] for value in values] == values


def test_more_statements_than_are_kept_prepared(reader: GraphReader) -> None:
    answers = [reader.rows(f"RETURN $v + {number} AS v", {"v": 1})[0]["v"] for number in [*range(200), 0]]

    assert answers == [1 + number for number in [*range(200), 0]]


@pytest.mark.parametrize(
    ("cypher", "message"),
    [
        ("MATCH (n RETURN n", r"line 1, column 10: Invalid input <MATCH \(n RETURN>"),
        ("MATCH (n)\nRETURN n FROM x", "line 2, column 10: "),
        ("MATCH (n:Nope) RETURN n", "Table Nope does not exist"),
        ("MATCH (n:Symbol) RETURN n.nope", "Cannot find property nope"),
        ("RETURN 1/0", "Divide by zero"),
        ("RETURN cast('x' AS INT64)", "Could not convert"),
        ("MATCH (n) WHERE n.id = $id RETURN n", r"no value is given for \$id"),
        ("RETURN 1; RETURN 2", "more than one statement"),
    ],
)
def test_wrong_statement_is_invalid_input(reader: GraphReader, cypher: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        reader.rows(cypher)


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (n:File {id: 'f9'})",
        "MATCH (n:File) SET n.path = 'x'",
        "MATCH (n:File) DETACH DELETE n",
        "MATCH (n:File) CREATE (m:File {id: 'f9'})",
        "UNWIND ['f9'] AS id MERGE (m:File {id: id})",
    ],
)
def test_writing_is_denied(reader: GraphReader, cypher: str) -> None:
    with pytest.raises(Denied):
        reader.rows(cypher)

    assert reader.rows("MATCH (n:File) RETURN count(*) AS n")[0] == {"n": 2}


def test_no_file_can_be_written_or_read(reader: GraphReader, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n")

    for cypher in (f"COPY (RETURN 1) TO '{tmp_path}/out.csv'", f"LOAD FROM '{secret}' RETURN *"):
        with pytest.raises(Denied):
            reader.arrow(cypher)

    assert list(tmp_path.iterdir()) == [secret]


def test_slow_statement_is_stopped_and_the_reader_lives_on(reader: GraphReader) -> None:
    slow = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(*)"

    with pytest.raises(BudgetExhausted) as caught:
        reader.rows(slow, timeout_seconds=0.05)

    assert caught.value.limit == "0.05 s"
    assert reader.rows("RETURN 1 AS one")[0] == {"one": 1}


def test_missing_file_is_not_found(tmp_path: Path, engine: str) -> None:
    with pytest.raises(NotFound, match="there is no graph"):
        GraphReader.open(tmp_path / "none", engine=engine)

    assert not list(tmp_path.iterdir())


def test_file_of_another_kind_is_corrupt(tmp_path: Path, engine: str) -> None:
    (tmp_path / "text").write_text("not a graph " * 1000)

    with pytest.raises(Corrupt):
        GraphReader.open(tmp_path / "text", engine=engine)


def test_closed_reader_is_invalid(built: Path, engine: str) -> None:
    reader = GraphReader.open(built, engine=engine)
    reader.close()
    reader.close()

    with pytest.raises(InvalidInput, match="closed"):
        reader.rows("RETURN 1")


def test_readers_of_one_file_share_one_handle(built: Path, tmp_path: Path, engine: str) -> None:
    link = tmp_path / "link.kuzu"
    link.symlink_to(built)
    first, second = GraphReader.open(built, engine=engine), GraphReader.open(link, engine=engine)

    assert first._handle is second._handle
    first.close()
    assert second.rows("RETURN 1 AS one")[0] == {"one": 1}
    second.close()
    assert first._handle not in _Handle._open.values()
    with GraphReader.open(built, engine=engine) as third:
        assert third._handle is not first._handle


def test_threads_share_a_reader(reader: GraphReader) -> None:
    def ask(number: int) -> tuple[int, list[str]]:
        value = reader.rows("RETURN $n AS n", {"n": number})[0]["n"]
        return value, [row["id"] for row in reader.rows(ALL_SYMBOLS)]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(100)))

    assert answers == [(number, ["s1", "s2", "s3", "s4", "s5"]) for number in range(100)]
    assert len(reader._handle._idle) <= 8


def test_statement_outlives_the_reader_that_is_closed(built: Path, engine: str) -> None:
    """Closing the file under a running statement would crash the process."""
    reader = GraphReader.open(built, engine=engine)
    handle = reader._handle
    with handle.connection() as connection:
        reader.close()
        with connection.run("MATCH (s:Symbol) RETURN count(*)") as result:
            assert result.rows() == [[5]]
        assert handle in _Handle._open.values()

    assert handle not in _Handle._open.values()


def test_reading_changes_nothing_on_disk(built: Path, tmp_path: Path, engine: str) -> None:
    path = Path(shutil.copy2(built, tmp_path / "graph.kuzu"))
    before = path.read_bytes(), path.stat().st_mtime_ns

    with GraphReader.open(path, engine=engine) as reader:
        reader.arrow(ALL_SYMBOLS)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [path]


def test_other_processes_can_read_the_same_file(reader: GraphReader, built: Path, engine: str) -> None:
    program = (
        "import sys; from pathlib import Path; from graphsvc.graph.reader import GraphReader\n"
        "with GraphReader.open(Path(sys.argv[1]), engine=sys.argv[2]) as reader:\n"
        "    print(reader.rows('MATCH (f:File) RETURN count(*) AS n')[0]['n'])\n"
    )

    output = subprocess.check_output([sys.executable, "-c", program, str(built), engine], text=True)

    assert output == "2\n"
    assert len(reader.rows(ALL_SYMBOLS)) == 5


def test_renamed_file_stays_readable(built: Path, tmp_path: Path, engine: str) -> None:
    path = Path(shutil.copy(built, tmp_path / "graph.kuzu"))
    with GraphReader.open(path, engine=engine) as reader:
        path.rename(tmp_path / "aside.kuzu")
        assert len(reader.rows(ALL_SYMBOLS)) == 5


def test_engine_is_named_and_alone(engine: str) -> None:
    other = "ladybug" if engine == "kuzu" else "kuzu"

    assert version(engine).count(".") == 2
    with pytest.raises(InvalidInput, match="no graph engine"):
        version("neo4j")
    with pytest.raises(InvalidInput, match=f"{other} cannot be loaded"):
        version(other)
