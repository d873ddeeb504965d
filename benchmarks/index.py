"""What it costs to index a repository's code from nothing to a published graph, and after a change.

``python -m benchmarks.index --repo PATH [--json]``

A fresh repository gets the files of the newest commit of PATH (or of a plain folder) as its one commit, and a store
is made of it, in a process of its own, whose modules are compiled, as those of an installed package are. Then nothing
is new, then one file gets a comment, then a function with a call, after which its language is resolved again. Beside
it, in the same run and so under the same load, ctags makes a tag file of the same files: the times are judged as ratios
to its time as well, since a busy machine slows both. Exits with 1 where a limit is missed in seconds and as a ratio, or
the peak memory is 1 GiB or more.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import graphsvc
import loaders

__all__ = ["Figures", "main", "measure"]

_REBUILD = """
import json, resource, sys, time
from pathlib import Path
begun = time.perf_counter()
from graphsvc.knowledge import KnowledgeBase
folder, repository = map(Path, sys.argv[1:])
kb = KnowledgeBase.open(folder) if folder.exists() else KnowledgeBase.init(folder)
if not kb.store.sources():
    kb.add_repository(repository)
report = kb.rebuild().to_dict()
own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps({
    "seconds": time.perf_counter() - begun,
    "cpu": sum((own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime)),
    "peak": max(own.ru_maxrss, children.ru_maxrss) * 1024,
    "parsed": sum(source["read"].get("files_parsed", 0) for source in report["sources"]),
    "rows": sum(label["rows"] for label in report["generation"]["labels"].values()),
    "stages": report["stages"],
}))
"""
_RUNS = 3
_PEAK = 1 << 30
_NOTHING_NEW, _COMMIT = 1.0, 2.0
_ADDED = {
    ".py": (b"# added\n", b"\n\ndef added():\n    return len(str(1))\n"),
    ".go": (b"// added\n", b'\nfunc addedHere() int { return len("added") }\n'),
}
"""A comment and a function, by the ending of the file that gets them."""

# What ctags takes for these trees where the limits in seconds were set: its time scales them to this machine.
_LIMITS = ((6.0, 0.13), (15.0, 0.53))


class Figures(NamedTuple):
    """What was measured: from nothing, with nothing new, with a comment and with a function added; ctags; the size."""

    files: int
    megabytes: float
    cold: dict[str, Any]
    nothing_new: dict[str, Any]
    comment: dict[str, Any]
    function: dict[str, Any]
    ctags: float | None

    @property
    def limit(self) -> tuple[float, float]:
        """Most seconds from nothing, and most times that of ctags; the larger ones above 5 MB."""
        seconds, reference = _LIMITS[self.megabytes > 5]
        return seconds, seconds / reference

    def misses(self) -> list[str]:
        """Sentences on what falls short."""
        seconds, ratio = self.limit
        slowdown = max(1.0, self.ctags / _LIMITS[self.megabytes > 5][1]) if self.ctags else 1.0
        found = []
        if self.cold["seconds"] > seconds * slowdown:
            found.append(
                f"from nothing: {self.cold['seconds']:.1f} s, limit {seconds} s or {ratio:.0f} times ctags"
            )
        for name, run, limit in (
            ("nothing new", self.nothing_new, _NOTHING_NEW),
            ("a comment added", self.comment, _COMMIT),
            ("a function added", self.function, _COMMIT),
        ):
            if run["seconds"] > limit * slowdown:
                found.append(f"{name}: {run['seconds']:.2f} s, limit {limit} s on an idle machine")
        if self.cold["peak"] >= _PEAK:
            found.append(f"peak memory: {self.cold['peak'] / 1e6:.0f} MB, limit 1 GiB")
        return found


def measure(repository: Path, folder: Path) -> Figures:
    """Index the files of a repository's newest commit, or of a folder.

    Args:
        repository: A repository, bare or not, or a folder of files.
        folder: An empty folder for the copy and the store.
    """
    copy, store = folder / "copy", folder / "store"
    copy.mkdir()
    _compile_modules()
    _export(repository, copy)
    _git(copy, "init", "-q", ".")
    files = _commit(copy)
    ctags = _ctags(copy, folder / "tags")
    cold = _rebuild(store, copy)
    nothing_new = _rebuild(store, copy)
    changed = max(
        (path for path in copy.rglob("*") if path.suffix in _ADDED),
        key=lambda path: path.stat().st_size,
        default=None,
    )
    if changed is None:
        raise SystemExit(f"{repository} has no file that ends in {', '.join(_ADDED)}")
    after = []
    for addition in _ADDED[changed.suffix]:
        changed.write_bytes(changed.read_bytes() + addition)
        _commit(copy)
        after.append(_rebuild(store, copy))
    return Figures(
        files=len(files),
        megabytes=sum(path.stat().st_size for path in files) / 1e6,
        cold=cold,
        nothing_new=nothing_new,
        comment=after[0],
        function=after[1],
        ctags=ctags,
    )


def _compile_modules() -> None:
    packages = [folder for package in (graphsvc, loaders) for folder in package.__path__]
    subprocess.run([sys.executable, "-m", "compileall", "-q", *packages], check=True)


def _export(repository: Path, copy: Path) -> None:
    inside = subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, check=False)
    if inside.returncode:
        shutil.copytree(repository, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        return
    archive = subprocess.run(["git", "-C", repository, "archive", "HEAD"], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", copy], input=archive.stdout, check=True)


def _git(folder: Path, *arguments: str) -> None:
    person = ["-c", "user.name=Ada Example", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", folder, *person, *arguments], check=True, capture_output=True)


def _commit(folder: Path) -> list[Path]:
    """Commit all files, and give those that are tracked."""
    _git(folder, "add", "-A", "-f")
    _git(folder, "commit", "-q", "-m", "Index this")
    listed = subprocess.run(["git", "-C", folder, "ls-files", "-z"], capture_output=True, check=True).stdout
    return [folder / os.fsdecode(path) for path in listed.split(b"\0")[:-1]]


def _ctags(folder: Path, tags: Path) -> float | None:
    """Seconds that ctags takes, the best of some runs; None where it is not installed."""
    program = shutil.which("ctags")
    if program is None:
        return None
    best = float("inf")
    for _ in range(_RUNS):
        begun = time.perf_counter()
        subprocess.run([program, "-R", "-f", tags, folder], check=True, capture_output=True)
        best = min(best, time.perf_counter() - begun)
    return best


def _rebuild(store: Path, repository: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", _REBUILD, str(store), str(repository)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _print_table(figures: Figures) -> None:
    ctags = "not installed" if figures.ctags is None else f"{figures.ctags:.2f} s"
    print(f"{figures.files} files, {figures.megabytes:.1f} MB; ctags: {ctags}")
    print(f"{'':18}{'seconds':>9}{'ratio':>8}{'cpu s':>8}{'peak MB':>9}{'parsed':>8}{'rows':>9}")
    for name in ("cold", "nothing_new", "comment", "function"):
        run = getattr(figures, name)
        ratio = "" if not figures.ctags else f"{run['seconds'] / figures.ctags:.1f}"
        print(
            f"{name.replace('_', ' '):18}{run['seconds']:9.2f}{ratio:>8}{run['cpu']:8.2f}{run['peak'] / 1e6:9.0f}"
            f"{run['parsed']:8}{run['rows']:9}"
        )
    for stage in figures.cold["stages"]:
        print(f"  {stage['name']:24}{stage['seconds']:7.2f} s")


def main() -> int:
    """Run from the command line; the exit code is 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repo", type=Path, required=True, help="a repository, or a folder of files")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure(options.repo.resolve(), Path(scratch))
    misses = figures.misses()
    if options.json:
        print(json.dumps(figures._asdict() | {"misses": misses}, indent=1))
    else:
        _print_table(figures)
        print("\n".join(misses) or "all limits are kept")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
