"""Precision and recall of Rust definitions against the parser of the crate syn.

``python -m benchmarks.definitions_rust --root PATH [--vendor FOLDER]``; needs cargo and the crates syn 1 and
proc-macro2, from FOLDER where it is given (librust-syn-dev of Debian fills /usr/share/cargo/registry).
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.definition_counts import Definition, Figure, Truth, compare, main, run_truth

_MANIFEST = """
[package]
name = "definitions_rust"
version = "0.0.0"
edition = "2021"

[dependencies]
syn = { version = "1", features = ["full", "visit"] }
proc-macro2 = { version = "1", features = ["span-locations"] }
"""
_HINT = "Install cargo, and librust-syn-dev with --vendor /usr/share/cargo/registry unless crates can be had."


def truth(root: Path, vendor: Path | None) -> Truth:
    """What syn says about the files below a folder that it can parse."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "Cargo.toml").write_text(_MANIFEST)
        (project / "src").mkdir()
        shutil.copy(Path(__file__).with_suffix(".rs"), project / "src" / "main.rs")
        command = ["cargo", "run", "--quiet", "--release", "--manifest-path", str(project / "Cargo.toml")]
        if vendor is not None:
            command += ["--offline", "--config", "source.crates-io.replace-with='vendored'"]
            command += ["--config", f"source.vendored.directory='{vendor}'"]
        rows: Any = run_truth([*command, "--", str(root)], _HINT)
    unseen: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        if row[0] == "unseen":
            unseen.setdefault(row[1], []).append((row[2], row[3]))
    return Truth(
        frozenset(row[1] for row in rows if row[0] == "file"),
        tuple(Definition(*row[1:]) for row in rows if row[0] == "definition"),
        unseen,
    )


def figures(root: Path, vendor: Path | None) -> tuple[list[Figure], list[str]]:
    """Figures by group, and a line for each disagreement."""
    return compare(root, truth(root, vendor), lambda path: "rust")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--vendor", type=Path, help="folder that holds the crates' sources")


if __name__ == "__main__":
    raise SystemExit(main(__doc__, lambda o: figures(o.root.resolve(), o.vendor), _arguments))
