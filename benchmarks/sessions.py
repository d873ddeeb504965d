"""Reading sessions of hosts: what a refresh costs, in work and memory, and whether tokens count once.

``python -m benchmarks.sessions [--json] [--lines N]`` makes invented sessions in a folder that it deletes again, and
fails where a claim does not hold: an unchanged source costs nothing, one session more costs that session alone, a file
that grew costs what is new, memory does not grow with a file, and messages that files repeat count once. The baseline
is reading all files anew and adding up what each line says.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphsvc.knowledge import KnowledgeBase
from loaders.base import SourceReport
from loaders.sessions.claude_code import refresh

_SESSIONS = 500
_LARGE = 40_000
_GROWTH = 0.4
"""Most bytes that the peak of memory may grow by for each further byte of a file."""


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


class _Bench:
    """A store with one source, and the checks that were made."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "projects"
        self.root.mkdir()
        self.kb = KnowledgeBase.init(folder / "store")
        [self.source] = self.kb.add_sessions("claude-code", self.root)
        self.figures: dict[str, Any] = {}
        self.failed: list[str] = []

    def refresh(self) -> tuple[SourceReport, float]:
        begun = time.perf_counter()
        report = refresh(self.source, self.kb.store)
        return report, round(time.perf_counter() - begun, 3)

    def claim(self, name: str, found: Any, expected: Any) -> None:
        self.figures[name] = found
        if found != expected:
            self.failed.append(f"{name}: {found} instead of {expected}")


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


def _large(bench: _Bench, lines: int) -> None:
    """Peak of Python's memory for a file, and for one twice its size."""
    peaks, sizes = [], []
    for name, count in (("half", lines // 2), ("whole", lines)):
        sizes.append(_write(bench.root, name, count).stat().st_size)
        tracemalloc.start()
        _, seconds = bench.refresh()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        bench.figures[f"{name} file: bytes, peak of memory, seconds (traced)"] = [
            sizes[-1],
            peaks[-1],
            seconds,
        ]
    growth = (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])
    bench.figures["further memory for each further byte"] = round(growth, 3)
    if growth > _GROWTH:
        bench.failed.append(f"memory grows by {growth:.2f} bytes for each byte of a file")


def main() -> int:
    """Run the benchmark; 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--lines", type=int, default=_LARGE, help="lines of the large file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = _Bench(Path(folder))
        _many(bench)
        _large(bench, options.lines)
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
