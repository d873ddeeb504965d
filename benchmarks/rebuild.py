"""What a cold rebuild costs, against reading the same bytes without storing anything.

``python -m benchmarks.rebuild --repo PATH [--json]``

The baseline reads every blob of the checkpoint branch through one ``git cat-file --batch`` and decodes each line of
each transcript with orjson, in the same run. Measured are the ratio of wall times (at most 6), the peak memory of
the rebuild and its children (at most 2 GiB), the store's size against the transcripts' (at most a third), and a
rebuild with nothing new (no blob read, no line parsed, at most 2 s). Exits with 1 where one of these falls short.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import orjson

__all__ = ["main"]

_BRANCH = "entire/checkpoints/v1"
_REBUILD = """
import json, sys, time
from pathlib import Path
from graphsvc.knowledge import KnowledgeBase
folder, repository = map(Path, sys.argv[1:])
begun = time.perf_counter()
kb = KnowledgeBase.open(folder) if folder.exists() else KnowledgeBase.init(folder)
if not kb.store.sources():
    kb.add_repository(repository)
report = kb.rebuild().to_dict()
print(json.dumps({"seconds": time.perf_counter() - begun, "report": report}))
"""


def baseline(repository: Path) -> dict[str, Any]:
    """Read and decode all of the checkpoint branch; seconds, bytes and lines."""
    git = ["git", "-C", str(repository)]
    listed = subprocess.run([*git, "ls-tree", "-r", "-z", _BRANCH], check=True, capture_output=True).stdout
    entries = [line.split(b"\t") for line in listed.split(b"\0") if line]
    wanted = [(head.split()[2], path) for head, path in entries]
    begun, read, transcripts, lines = time.perf_counter(), 0, 0, 0
    environment = {"GIT_NO_LAZY_FETCH": "1", "PATH": "/usr/bin:/bin:/usr/local/bin"}
    process = subprocess.Popen(
        [*git, "cat-file", "--batch", "--buffer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    request = b"".join(oid + b"\n" for oid, _ in wanted)
    sender = threading.Thread(target=lambda pipe: (pipe.write(request), pipe.close()), args=[process.stdin])
    sender.start()
    for _, path in wanted:
        head = process.stdout.readline().split()
        if head[1] == b"missing":
            continue
        data = process.stdout.read(int(head[2]))
        process.stdout.read(1)
        read += len(data)
        if path.endswith(b"full.jsonl"):
            transcripts += len(data)
            for line in data.split(b"\n"):
                lines += 1
                try:
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue
    sender.join()
    process.wait()
    return {
        "seconds": time.perf_counter() - begun,
        "bytes": read,
        "transcript_bytes": transcripts,
        "lines": lines,
    }


def rebuilt(folder: Path, repository: Path) -> dict[str, Any]:
    """Seconds and report of a rebuild in a process of its own."""
    command = [sys.executable, "-c", _REBUILD, str(folder), str(repository)]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))


def measure(repository: Path) -> dict[str, Any]:
    """All figures of one run."""
    with tempfile.TemporaryDirectory(prefix="rebuild-") as name:
        store = Path(name) / "store"
        baseline(repository)
        before = baseline(repository)
        cold = rebuilt(store, repository)
        after = baseline(repository)
        idle = rebuilt(store, repository)
        size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    base = (before["seconds"] + after["seconds"]) / 2
    stages = cold["report"]["stages"]
    return {
        "baseline_seconds": round(base, 2),
        "cold_seconds": round(cold["seconds"], 2),
        "cold_ratio": round(cold["seconds"] / base, 2),
        "peak_memory_mib": max(stage["peak_memory"] or 0 for stage in stages) >> 20,
        "store_mib": size >> 20,
        "transcript_mib": before["transcript_bytes"] >> 20,
        "store_ratio": round(size / before["transcript_bytes"], 3),
        "idle_seconds": round(idle["seconds"], 2),
        "idle_work": sum(sum(source["read"].values()) for source in idle["report"]["sources"]),
        "stages": {stage["name"]: stage["seconds"] for stage in stages},
    }


LIMITS = {
    "cold_ratio": 6.0,
    "peak_memory_mib": 2048,
    "store_ratio": 0.333,
    "idle_seconds": 2.0,
    "idle_work": 0,
}
"""Most that each figure may be."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = measure(arguments.repo.resolve())
    if arguments.json:
        print(json.dumps(figures, indent=2))
    else:
        for name, value in figures.items():
            limit = f"   at most {LIMITS[name]:g}" if name in LIMITS else ""
            print(f"{name:20} {value}{limit}")
    return 0 if all(figures[name] <= limit for name, limit in LIMITS.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
