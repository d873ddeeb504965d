"""Files are extracted in processes that can be lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from loaders.extraction import Extraction
from loaders.parsing import extract
from loaders.workers import Failure, Job, Pool, extract_all

HOSTILE = "tests.languages.hostile:misbehave"


def outcome(result: Extraction | Failure) -> str:
    return result.reason if isinstance(result, Failure) else result.symbols[0].name


def test_results_come_in_the_order_of_the_jobs_and_equal_those_in_process() -> None:
    sources = [f"def f{n}():\n    return {n}\n".encode() * (1 + n % 7) for n in range(40)]
    jobs = [Job(f"blob_{n}", "python", data) for n, data in enumerate(sources)]
    assert list(extract_all(jobs)) == [(job.key, extract(job.data, "python")) for job in jobs]


def test_a_file_that_hangs_crashes_or_raises_is_isolated() -> None:
    contents = [b"def a(): 1", b"hang", b"stall", b"def b(): 1", b"crash", b"raise", b"def c(): 1", b"crash"]
    jobs = [Job(str(n), "python", data) for n, data in enumerate(contents)]
    with Pool(HOSTILE, seconds=1.0) as pool:
        results = [outcome(result) for _, result in pool.run(jobs)]
    late = "parse_timeout"
    assert results == ["a", late, late, "b", "parser_crash", "extractor_error", "c", "parser_crash"]


def test_an_answer_that_stops_is_asked_for_once_more(tmp_path: Path) -> None:
    jobs = [Job("1", "python", f"once {tmp_path / 'mark'}".encode()), Job("2", "python", b"def b(): 1")]
    with Pool(HOSTILE, seconds=1.0) as pool:
        assert [outcome(result) for _, result in pool.run(jobs)] == ["once", "b"]


def test_a_parser_that_is_too_slow_gives_up_by_itself() -> None:
    slow = b"x = " + b"(" * 200_000
    results = list(extract_all([Job("slow", "python", slow)], seconds=0.001))
    assert [outcome(result) for _, result in results] == ["parse_timeout"]


def test_any_thread_may_extract() -> None:
    names: list[str] = []

    def run() -> None:
        names.extend(outcome(result) for _, result in extract_all([Job("a", "python", b"def a(): 1")]))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names == ["a", "a"]


def test_a_process_that_was_started_early_goes_on_from_one_run_to_the_next() -> None:
    with Pool("tests.languages.hostile:process", processes=1) as pool:
        pool.start()
        first, second = (list(pool.run([Job("a", "python", b"")])) for _ in range(2))
    assert first == second != [("a", os.getpid())]


def test_stopping_early_leaves_no_process_behind() -> None:
    results = extract_all((Job(str(n), "python", b"def a(): 1") for n in range(100)), processes=1)
    assert outcome(next(results)[1]) == "a"
    results.close()
    assert list(results) == []


def test_no_jobs_no_results() -> None:
    assert list(extract_all([])) == []
