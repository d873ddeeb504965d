"""Verification names what differs, and no file can hang or crash whoever asks for it."""

from __future__ import annotations

import random
import shutil
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graphsvc.errors import Corrupt, InvalidInput, NotFound
from graphsvc.graph import verify as verifying
from graphsvc.graph.digest import label_digest
from graphsvc.graph.engine import MIN_POOL_BYTES, Database
from graphsvc.graph.reader import GraphReader
from graphsvc.graph.schema import EdgeTable, GraphSchema, NodeTable, creation
from graphsvc.graph.verify import Failure, LostKeys, Mismatch, VerifyReport, time_limit, verify

from .samples import Sample, sample_of


def test_sound_file_has_no_findings(built: Path, sample: Sample, engine: str) -> None:
    before = built.read_bytes(), sorted(built.parent.iterdir())

    report = verify(built, sample.schema, sample.digests, engine=engine)

    assert report == VerifyReport(built, 7, ())
    report.require_ok()
    assert (built.read_bytes(), sorted(built.parent.iterdir())) == before


def test_mismatch_names_table_direction_counts_and_digests(built: Path, sample: Sample, engine: str) -> None:
    digests = {digest.label: digest for digest in sample.digests}
    wrong = {
        "File": replace(digests["File"], rows=3),
        "File-DEFINES->Symbol": replace(digests["File-DEFINES->Symbol"], digest="00"),
    }

    report = verify(built, sample.schema, {**digests, **wrong}.values(), engine=engine)

    assert report.findings == (
        Mismatch("File", "forwards", wrong["File"], digests["File"]),
        *(
            Mismatch(
                "File-DEFINES->Symbol", way, wrong["File-DEFINES->Symbol"], digests["File-DEFINES->Symbol"]
            )
            for way in ("forwards", "backwards")
        ),
    )
    with pytest.raises(
        Corrupt, match=r"File read forwards: expected 3 rows with digest .*, found 2 with"
    ) as error:
        report.require_ok()
    assert digests["File-DEFINES->Symbol"].digest in error.value.message


def test_lost_or_changed_rows_are_found(sample: Sample, tmp_path: Path, engine: str) -> None:
    calls = sample.tables["Symbol-CALLS->Symbol"]
    pq.write_table(calls.slice(1), sample.files["Symbol-CALLS->Symbol"])
    pq.write_table(
        pa.table({"source": ["s1"], "target": ["s3"], "as": ["z"]}), sample.files["Symbol-MENTIONS->Symbol"]
    )
    path = sample.build(tmp_path / "graph.kuzu", engine)

    report = verify(path, sample.schema, sample.digests, engine=engine)

    found = [(f.table, f.expected.rows, f.recovered.rows) for f in report.findings if isinstance(f, Mismatch)]
    assert len(found) == len(report.findings)
    assert sorted(found) == [("Symbol-CALLS->Symbol", 5, 4)] * 2 + [("Symbol-MENTIONS->Symbol", 1, 1)] * 2


def is_found(path: Path, key: str, engine: str) -> bool:
    """Whether the index leads to a key; Kuzu says nothing where it does not, its fork may raise."""
    with GraphReader.open(path, engine=engine) as reader:
        try:
            return bool(reader.rows("MATCH (a:A) WHERE a.id = $id RETURN a.id", {"id": key}))
        except Corrupt:
            return False


def test_keys_that_the_index_lost_are_found(tmp_path: Path, engine: str) -> None:
    """In Kuzu a load that fails makes the next one lose keys, and no scan shows it."""
    keys = pa.array([f"key{number:06d}" for number in range(201_000)])
    first, second, third = keys.slice(0, 100_000), keys.slice(100_000, 100_000), keys.slice(200_000)
    table = NodeTable.from_arrow("A", pa.schema({"id": pa.string()}))
    with (
        Database(tmp_path / "g", read_only=False, pool_bytes=MIN_POOL_BYTES, engine=engine) as database,
        database.connect(threads=1) as connection,
    ):
        connection.run(creation([table])).close()
        for load in (first, pa.concat_arrays([second, first.slice(0, 1)]), third):
            pq.write_table(pa.table({"id": load}), tmp_path / "keys.parquet")
            with suppress(InvalidInput):
                connection.run(f"COPY A FROM '{tmp_path}/keys.parquet'").close()
    lost = [key for key in third[::10].to_pylist() if not is_found(tmp_path / "g", key, engine)]
    expected = label_digest(table, pa.table({"id": pa.concat_arrays([first, third])}))

    report = verify(tmp_path / "g", GraphSchema((table,), ()), [expected], engine=engine)

    assert lost or engine != "kuzu"
    assert report.ok is (not lost)
    for finding in report.findings:
        assert isinstance(finding, LostKeys | Failure)
        assert "A" in str(finding)
        assert "key" in str(finding)


def test_other_tables_than_expected_are_found(built: Path, sample: Sample, engine: str) -> None:
    fewer = GraphSchema(sample.schema.nodes, sample.schema.edges[:-1])
    without_calls = GraphSchema(
        sample.schema.nodes, tuple(edge for edge in sample.schema.edges if edge.label != "CALLS")
    )
    digests = {digest.label: digest for digest in sample.digests}

    report = verify(built, without_calls, [digests[t.name] for t in without_calls.tables], engine=engine)

    assert report.findings == (
        Failure("open", "error: the file has other tables than it should: Symbol-CALLS->Symbol"),
    )
    assert verify(built, fewer, [digests[t.name] for t in fewer.tables], engine=engine).findings == (
        Failure("open", "error: the file has other tables than it should: Symbol-MENTIONS->Symbol"),
    )


def test_time_limit_ends_the_verification(built: Path, sample: Sample, engine: str) -> None:
    report = verify(built, sample.schema, sample.digests, timeout_seconds=0.01, engine=engine)

    assert report.findings == (Failure("start", "timed out after 0.01 s"),)


@pytest.mark.parametrize(
    ("child", "reason"),
    [
        ("import os; os.kill(os.getpid(), 11)", "crashed: SIGSEGV"),
        ("import os; os.kill(os.getpid(), 9)", "crashed: SIGKILL"),
        ("raise SystemExit('out of luck')", "exit status 1: out of luck"),
        ("import os; os._exit(3)", "exit status 3: "),
        ("print('{not an answer}')", "unreadable answer: {not an answer}"),
        ("import time; time.sleep(60)", "timed out after 1 s"),
    ],
)
def test_whatever_becomes_of_the_child_is_a_finding(
    built: Path, sample: Sample, engine: str, monkeypatch: pytest.MonkeyPatch, child: str, reason: str
) -> None:
    monkeypatch.setattr(verifying, "_CHILD", child)

    report = verify(built, sample.schema, sample.digests, timeout_seconds=1, engine=engine)

    assert report.findings == (Failure("start", reason),)


def test_silence_is_no_verdict(
    built: Path, sample: Sample, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "_CHILD", "pass")

    report = verify(built, sample.schema, sample.digests, engine=engine)

    assert [finding.reason for finding in report.findings if isinstance(finding, Failure)] == [
        "no answer"
    ] * 14
    assert {finding.step for finding in report.findings if isinstance(finding, Failure)} >= {
        "read Order forwards",
        "read Symbol-MENTIONS->File backwards",
        "look up the keys of Order",
    }


def damage(data: bytearray, kind: str, rng: random.Random) -> bytearray:
    page = 4096
    at = rng.randrange(1, len(data) // page) * page
    if kind == "zeroed":
        data[at : at + page] = bytes(page)
    elif kind == "noise":
        data[at : at + page] = rng.randbytes(page)
    elif kind == "swapped":
        other = rng.randrange(1, len(data) // page) * page
        data[at : at + page], data[other : other + page] = data[other : other + page], data[at : at + page]
    elif kind == "truncated":
        del data[at:]
    else:
        for position in rng.sample(range(len(data)), 2000):
            data[position] ^= 1 << rng.randrange(8)
    return data


@pytest.mark.parametrize("kind", ["zeroed", "noise", "swapped", "truncated", "flipped"])
def test_damaged_file_ends_in_a_report(tmp_path: Path, engine: str, kind: str) -> None:
    keys = [f"key{number:04d}" for number in range(300)]
    nodes = pa.table({"id": keys, "text": [key * 9 for key in keys], "n": list(range(300))})
    edges = pa.table({"source": keys, "target": keys[::-1]})
    sample = sample_of(tmp_path, {"A": nodes}, {("R", "A", "A"): edges})
    sound = sample.build(tmp_path / "graph.kuzu", engine)
    damaged = tmp_path / "damaged.kuzu"
    damaged.write_bytes(damage(bytearray(sound.read_bytes()), kind, random.Random(kind)))
    begin = time.monotonic()

    report = verify(damaged, sample.schema, sample.digests, timeout_seconds=3, engine=engine)

    assert all(isinstance(finding, Mismatch | LostKeys | Failure) for finding in report.findings)
    assert kind != "truncated" or not report.ok
    assert time.monotonic() - begin < 20


def test_verification_needs_a_file_and_its_digests(built: Path, sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist"):
        verify(tmp_path / "none", sample.schema, sample.digests)
    with pytest.raises(InvalidInput, match="not those of the schema"):
        verify(built, sample.schema, sample.digests[1:])


def test_time_limit_grows_with_the_file() -> None:
    assert time_limit(0) < time_limit(1 << 30) < 600


def test_edge_tables_are_read_from_both_ends(built: Path, sample: Sample, engine: str) -> None:
    """The plan itself must say so: the planner is free to choose an end unless it is told."""
    from graphsvc.graph.recover import _edge_scan

    (calls,) = (t for t in sample.schema.edges if t.label == "CALLS")
    assert isinstance(calls, EdgeTable)
    copy = shutil.copy(built, built.with_name("plans.kuzu"))
    plans = {}
    with (
        Database(Path(copy), read_only=True, pool_bytes=MIN_POOL_BYTES, engine=engine) as database,
        database.connect(threads=1) as connection,
    ):
        for direction in ("forwards", "backwards"):
            with connection.run("EXPLAIN " + _edge_scan(calls, direction)) as result:
                plans[direction] = str(result.rows()[0][0])

    assert "(a)-[r]->(b)" in plans["forwards"]
    assert "(b)<-[r]-(a)" in plans["backwards"]
    Path(copy).unlink()
