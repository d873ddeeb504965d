"""The session bank: what a refresh costs in work and memory, whether tokens count once, whether its answers are true.

``python -m benchmarks.sessions [--json] [--megabytes N] [--repo PATH [--store DIR]]`` makes invented sessions in a
folder that it deletes again, and fails where a claim does not hold: an unchanged source costs nothing, one session more
costs that session alone, a file that grew costs what is new, four times the file takes hardly more memory, and messages
that files repeat count once. The baseline is reading all files anew and adding up what each line says. With a
repository that has checkpoints, each filter and count of the bank is compared with what a naive reader of the branch
says.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.naive_checkpoints import Session, read
from benchmarks.stores import store_of
from graphsvc.canonical.store import CanonicalStore
from graphsvc.knowledge import KnowledgeBase
from loaders.base import SourceReport
from loaders.sessions.claude_code import refresh
from queries.sessions import find_session, session_keys
from queries.trajectories import session_tokens

_SESSIONS = 500
_LARGE = 200
_VALUES = 40
_HELD = 48 << 20
"""Most bytes that what is held between two batches may grow by from a quarter of the large file to all of it."""
_PEAK = 96 << 20
"""The same of the process's peak, which has the engine's cache in it."""


def _lines(session: str, count: int, first: int = 0) -> Iterator[bytes]:
    """Records of a session: prompts, and messages in two blocks with the same id and counts."""
    for number in range(first, first + count):
        is_prompt = number % 3 == 0
        message: dict[str, Any] = {"role": "user", "content": f"prompt {number} " + "x" * 900}
        if not is_prompt:
            usage = {"input_tokens": 3, "output_tokens": 7, "cache_read_input_tokens": 11}
            content = [{"type": "text", "text": f"answer {number} " + "y" * 700}]
            key = f"msg_{session}_{(number - 1) // 3}"
            message = {"role": "assistant", "id": key, "model": "m", "content": content, "usage": usage}
        record = {
            "type": message["role"],
            "uuid": f"{session}-{number}",
            "parentUuid": f"{session}-{number - 1}" if number else None,
            "sessionId": session,
            "timestamp": f"2026-01-{1 + number % 28:02d}T00:00:00.000Z",
            "message": message,
        }
        yield json.dumps(record).encode() + b"\n"


def _write(root: Path, session: str, count: int, first: int = 0) -> Path:
    path = root / f"{session}.jsonl"
    with path.open("ab") as file:
        file.writelines(_lines(session, count, first))
    return path


def _naive(root: Path) -> tuple[int, int]:
    """Lines of all files, and the output tokens of each message once."""
    lines, used = 0, {}
    for path in root.glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            lines += 1
            message = json.loads(line)["message"]
            if "usage" in message:
                used[message["id"]] = message["usage"]["output_tokens"]
    return lines, sum(used.values())


class Claims:
    """Figures, and the claims about them that do not hold."""

    def __init__(self) -> None:
        self.figures: dict[str, Any] = {}
        self.failed: list[str] = []

    def claim(self, name: str, found: Any, expected: Any) -> None:
        """A figure that has to be that one."""
        self.figures[name] = found
        if found != expected:
            self.failed.append(f"{name}: {found} instead of {expected}")

    def same(self, name: str, found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
        """Many values by key, of which only the first few that differ are told."""
        keys = [key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)]
        if keys:
            told = [(key, found.get(key), expected.get(key)) for key in sorted(keys)[:5]]
            self.failed.append(f"{name}: {len(keys)} differ, as {told}")
        self.figures[f"{name} compared"] = len(expected)


class _Bench(Claims):
    """A store with one source, and the claims about it."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.root = folder / "projects"
        self.root.mkdir()
        self.kb = KnowledgeBase.init(folder / "store")
        [self.source] = self.kb.add_sessions("claude-code", self.root)

    def refresh(self) -> tuple[SourceReport, float]:
        begun = time.perf_counter()
        report = refresh(self.source, self.kb.store)
        return report, round(time.perf_counter() - begun, 3)


def _many(bench: _Bench) -> None:
    for number in range(_SESSIONS):
        _write(bench.root, f"s{number:04d}", 6)
    report, seconds = bench.refresh()
    bench.claim("lines of all sessions", report.read["lines_parsed"], 6 * _SESSIONS)
    bench.figures["seconds for all sessions"] = seconds
    report, seconds = bench.refresh()
    bench.claim("work on an unchanged source", sum(report.read.values()), 0)
    bench.figures["seconds for an unchanged source"] = seconds
    _write(bench.root, "one-more", 6)
    report, seconds = bench.refresh()
    bench.claim("lines of one session more", report.read["lines_parsed"], 6)
    bench.figures["seconds for one session more"] = seconds
    _write(bench.root, "one-more", 3, 6)
    report, seconds = bench.refresh()
    bench.claim("lines of a session that grew", report.read["lines_parsed"], 3)
    bench.figures["seconds for a session that grew"] = seconds
    begun = time.perf_counter()
    lines, tokens = _naive(bench.root)
    bench.figures["baseline: seconds to read all files anew"] = round(time.perf_counter() - begun, 3)
    bench.claim("lines", bench.kb.sql("SELECT count(*) FROM entry").rows[0][0], lines)
    counted = bench.kb.sql("SELECT sum(output_tokens)::BIGINT FROM session_tokens").rows[0][0]
    bench.claim("output tokens, each message once", counted, tokens)


def _large(bench: _Bench, megabytes: int) -> None:
    """Memory of a process that reads a file, and of one that reads a quarter of it.

    Between two batches the database is closed, so what is held then is Python's alone. The peak is within a batch: the
    engine looks up which of its events are new, and caches what it reads for that.
    """
    small, large = (
        _apart(bench, name, size << 20)
        for name, size in (("small file", megabytes // 4), ("large file", megabytes))
    )
    for measure, limit in (("held", _HELD), ("peak", _PEAK)):
        grown = large[measure] - small[measure]
        bench.figures[f"further bytes of memory for the large file, {measure}"] = grown
        if grown > limit:
            bench.failed.append(f"the memory that is {measure} grows by {grown} bytes, more than {limit}")


def _write_large(root: Path, size: int) -> int:
    """A session of about so many bytes, most of them in answers of tools, none like another."""
    path, number = root / "large.jsonl", 0
    with path.open("wb") as file:
        while file.tell() < size:
            file.writelines(_lines("large", 3, number))
            number += 3
            answer = "".join(hashlib.sha256(b"%d %d" % (number, part)).hexdigest() for part in range(150))
            block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": answer}
            record = {"type": "user", "uuid": f"r{number}", "message": {"role": "user", "content": [block]}}
            file.write(json.dumps(record).encode() + b"\n")
    return path.stat().st_size


def _apart(bench: _Bench, name: str, size: int) -> dict[str, Any]:
    """Read a folder with one file in a process of its own, and say what that took."""
    root = bench.root.parent / name.replace(" ", "-")
    root.mkdir()
    written = _write_large(root, size)
    done = subprocess.run(
        [sys.executable, "-c", _READ_APART, str(root)], capture_output=True, check=True, text=True
    )
    figures: dict[str, Any] = {"bytes": written, **json.loads(done.stdout)}
    bench.figures[name] = figures
    return figures


_READ_APART = """
import ctypes, gc, json, sys, time
from pathlib import Path
from graphsvc.canonical.store import CanonicalStore
from graphsvc.knowledge import KnowledgeBase
from loaders.measure import peak_memory
from loaders.sessions.claude_code import refresh

held = []

class Watched(CanonicalStore):
    def admit(self, batch):
        receipt = super().admit(batch)
        gc.collect()
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        held.append(pages * 4096)
        return receipt

root = Path(sys.argv[1])
kb = KnowledgeBase.init(root.with_name(root.name + "-store"))
[source] = kb.add_sessions("claude-code", root)
begun = time.perf_counter()
report = refresh(source, Watched(kb.store.folder))
print(json.dumps({
    "lines": report.read["lines_parsed"],
    "batches": len(held),
    "held": max(held),
    "peak": peak_memory(),
    "seconds": round(time.perf_counter() - begun, 1),
}))
"""
"""Reads the sessions of a folder; the process is as large as Linux says once what is free is given back."""


# The bank against a naive reader


def compare(claims: Claims, repository: Path, store: CanonicalStore) -> None:
    """Compare the bank's counts and filters with what the naive reader says of a repository's checkpoints.

    Args:
        claims: Where the result goes.
        repository: The repository.
        store: A store that was made from it.
    """
    begun = time.perf_counter()
    naive = read(repository)
    claims.figures["baseline: seconds of the naive reader"] = round(time.perf_counter() - begun, 1)
    rows = {row["session"]: row for row in KnowledgeBase(store).sessions(limit=100_000).to_dicts()}
    claims.claim("sessions", len(rows), len(naive))
    for column, count in _COUNTS.items():
        found = {key: row[column] for key, row in rows.items()}
        claims.same(f"{column} of sessions", found, {key: count(session) for key, session in naive.items()})
    with store.read() as reader:
        for name, cases in _cases(naive).items():
            fitting = {str(value): set(session_keys(reader, **{name: value})) for value in cases}
            claims.same(f"sessions by {name}", fitting, {str(value): cases[value] for value in cases})
        raw = {each: key for key, session in naive.items() for each in session.raw_ids}
        claims.same("sessions by id as recorded", {each: find_session(reader, each) for each in raw}, raw)
        tokens = sum(each.output_tokens or 0 for each in session_tokens(reader, naive).values())
    used: dict[str, int] = {}
    for session in naive.values():
        used |= session.output_tokens
    claims.claim("output tokens of all messages, each once", tokens, sum(used.values()))


_COUNTS: Mapping[str, Callable[[Session], int]] = {
    "turns": lambda session: len(session.prompts),
    "tool_calls": lambda session: len(session.calls),
    "checkpoints": lambda session: len(session.checkpoints),
    "commits": lambda session: len(session.commits),
}


def _cases(naive: Mapping[str, Session]) -> dict[str, dict[Any, set[str]]]:
    """For each filter the values that are tried, and the sessions that fit."""
    return {
        "branch": _by(naive, lambda session: session.branches),
        "strategy": _by(naive, lambda session: session.strategies),
        "tool": _by(naive, lambda session: session.tools),
        "checkpoint": _by(naive, lambda session: session.checkpoints),
        "commit": _by(naive, lambda session: session.commits),
        "model": {
            model: {key for key, each in naive.items() if any(name.startswith(model) for name in each.models)}
            for model in _by(naive, lambda session: session.models)
        },
        "has_summary": {
            flag: {key for key, session in naive.items() if session.has_summary is flag}
            for flag in (True, False)
        },
        "text": {
            word: {key for key, each in naive.items() if any(word in text.lower() for text in each.words)}
            for word in _words(naive)
        },
    }


def _by(naive: Mapping[str, Session], values: Callable[[Session], Iterable[str]]) -> dict[str, set[str]]:
    """Sessions by value; of many values an evenly chosen few."""
    found: dict[str, set[str]] = {}
    for key, session in naive.items():
        for value in values(session):
            found.setdefault(value, set()).add(key)
    step = max(1, len(found) // _VALUES)
    return {value: found[value] for value in sorted(found)[::step]}


def _words(naive: Mapping[str, Session]) -> list[str]:
    """Words of prompts, some frequent and some rare."""
    said = sorted(
        {word for each in naive.values() for text in each.prompts.values() for word in text.lower().split()}
    )
    plain = [word for word in said if word.isalpha() and len(word) > 5]
    return plain[:: max(1, len(plain) // _VALUES)]


def main() -> int:
    """Run the benchmark; 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--megabytes", type=int, default=_LARGE, help="size of the large file")
    parser.add_argument(
        "--repo", type=Path, help="a repository with checkpoints, for comparing with a naive reader"
    )
    parser.add_argument("--store", type=Path, help="a store made from that repository; a new one by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(Path(folder))
        _many(bench)
        _large(bench, options.megabytes)
        if options.repo is not None:
            compare(bench, options.repo, store_of(options.repo, options.store, Path(folder, "bank")))
    if options.json:
        print(json.dumps({"figures": bench.figures, "failed": bench.failed}, indent=2))
    else:
        for name, figure in bench.figures.items():
            print(f"{name}: {figure}")
        for failure in bench.failed:
            print(f"FAILED {failure}", file=sys.stderr)
    return 1 if bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
