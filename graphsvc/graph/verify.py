"""Verification: what a closed database file really holds, against what it should hold.

The file is opened read-only in two other processes and read whole, every edge from its source by the one and from
its target by the other; what comes out is digested and compared, and the primary-key index is asked for every key.
The processes have a time limit, and whatever becomes of them, crash and hang included, is a finding.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from graphsvc.errors import Corrupt, InvalidInput, NotFound
from graphsvc.graph.digest import LabelDigest
from graphsvc.graph.engine import DEFAULT
from graphsvc.graph.recover import BACKWARDS, FORWARDS
from graphsvc.graph.schema import EdgeTable, GraphSchema

__all__ = ["Failure", "Finding", "LostKeys", "Mismatch", "Verifier", "VerifyReport", "time_limit", "verify"]

# The child gets the module path of this process, and nothing else from its environment. It is too short-lived for the
# collector of cycles, which takes a tenth of the time that its imports take.
_CHILD = (
    "import gc, json, sys; gc.disable(); sys.path[:] = json.loads(sys.argv[1]);"
    " from graphsvc.graph.recover import main; main(sys.argv[2])"
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A table whose content, read in one direction, is not what it should be; or was not read at all.

    Args:
        table: Name of the table.
        direction: ``forwards`` or ``backwards``.
        expected: What the table should hold.
        recovered: What it does hold.
    """

    table: str
    direction: str
    expected: LabelDigest
    recovered: LabelDigest

    def __str__(self) -> str:
        return (
            f"{self.table} read {self.direction}: expected {self.expected.rows} rows with digest "
            f"{self.expected.digest}, found {self.recovered.rows} with {self.recovered.digest}"
        )


@dataclass(frozen=True, slots=True)
class LostKeys:
    """A node table whose primary-key index does not lead to all of its rows.

    Args:
        table: Name of the table.
        rows: Rows of the table.
        found: Rows that the index leads to.
    """

    table: str
    rows: int
    found: int

    def __str__(self) -> str:
        return f"{self.table}: the key index leads to {self.found} of {self.rows} rows"


@dataclass(frozen=True, slots=True)
class Failure:
    """The file could not be read to its end.

    Args:
        step: What was being done.
        reason: ``error: ...`` as the engine told it, ``crashed: SIGSEGV``, ``exit status 1: ...`` or
            ``timed out after 30 s``.
    """

    step: str
    reason: str

    def __str__(self) -> str:
        return f"{self.step}: {self.reason}"


Finding = Mismatch | LostKeys | Failure


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The outcome of a verification.

    Args:
        path: The database file.
        tables: Number of tables that it should have.
        findings: What is wrong; empty for a sound file.
    """

    path: Path
    tables: int
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether the file holds exactly what it should."""
        return not self.findings

    def require_ok(self) -> None:
        """Does nothing for a sound file.

        Raises:
            Corrupt: The file is not sound; the message names every finding.
        """
        if self.findings:
            raise Corrupt(f"{self.path.name} is damaged: " + "; ".join(map(str, self.findings)))


class Verifier:
    """Reads database files back, each in processes of its own; use it in a ``with`` block.

    Starting them takes as long as reading a small file, so whoever is about to build one calls `start` before.

    Args:
        engine: Name of the engine.
    """

    def __init__(self, engine: str = DEFAULT) -> None:
        self._engine = engine
        self._waiting: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Verifier:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self._waiting.values():
            child.kill()
            with child:  # closes the pipes and waits
                pass

    def start(self) -> None:
        """Start the processes of the next verification, unless they wait already."""
        for direction in (FORWARDS, BACKWARDS):
            if direction not in self._waiting:
                self._waiting[direction] = subprocess.Popen(
                    [sys.executable, "-I", "-c", _CHILD, json.dumps(sys.path), self._engine],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )

    def verify(
        self,
        path: Path,
        schema: GraphSchema,
        expected: Iterable[LabelDigest],
        *,
        timeout_seconds: float | None = None,
    ) -> VerifyReport:
        """Compare a closed database file with the digests that it should have.

        Args:
            path: The file; it must not be open for writing.
            schema: Its tables.
            expected: The digest of each table of the schema.
            timeout_seconds: When to give up; by the size of the file where none is given (:func:`time_limit`).

        Raises:
            NotFound: There is no such file.
            InvalidInput: ``expected`` does not name exactly the tables of the schema.
        """
        if not path.is_file():
            raise NotFound(f"{path} does not exist", hint="run `graphsvc rebuild`")
        digests = {digest.label: digest for digest in expected}
        if digests.keys() != {table.name for table in schema.tables}:
            raise InvalidInput(
                "the expected digests are not those of the schema", hint="give one for each table"
            )
        limit = time_limit(path.stat().st_size) if timeout_seconds is None else timeout_seconds
        with tempfile.TemporaryDirectory(prefix=".verify-", dir=path.parent) as scratch:
            job = {
                "path": str(path.resolve()),
                "scratch": str(Path(scratch).resolve() / path.name),
                "schema": schema.to_dict(),
            }
            self.start()
            with ThreadPoolExecutor(len(self._waiting)) as threads:
                under_way = [
                    threads.submit(_run, child, {**job, "direction": direction}, limit)
                    for direction, child in self._waiting.items()
                ]
            told = [one.result() for one in under_way]
            self._waiting = {}
        answers = [answer for answered, _ in told for answer in answered]
        failures = [failure for _, failure in told if failure]
        findings = [*_findings(answers, digests), *(failures or _unread(answers, schema))]
        return VerifyReport(path, len(digests), tuple(dict.fromkeys(findings)))


def verify(
    path: Path,
    schema: GraphSchema,
    expected: Iterable[LabelDigest],
    *,
    timeout_seconds: float | None = None,
    engine: str = DEFAULT,
) -> VerifyReport:
    """Reads a closed database file back and compares it with the digests that it should have.

    Args and errors are those of `Verifier` and `Verifier.verify`.
    """
    with Verifier(engine) as verifier:
        return verifier.verify(path, schema, expected, timeout_seconds=timeout_seconds)


def time_limit(size: int) -> float:
    """Seconds after which a verification is given up: ten times what a sound file of ``size`` bytes takes.

    The two minutes on top are for a machine that is busy with other things: giving up there takes a sound file for
    a damaged one.

    >>> time_limit(100 << 20)
    145.0
    """
    return 120.0 + size / (4 << 20)


def _run(
    child: subprocess.Popen[bytes], job: dict[str, Any], limit: float
) -> tuple[list[dict[str, Any]], Failure | None]:
    """What a child process answered, and how it failed if it did."""
    late = False
    with child:
        try:
            output, errors = child.communicate(json.dumps(job).encode(), timeout=limit)
        except subprocess.TimeoutExpired:
            late = True
            child.kill()
            output, errors = child.communicate()
    answers, unreadable = _parse(output)
    step = next((answer["step"] for answer in reversed(answers) if "step" in answer), "start")
    if late:
        return answers, Failure(step, f"timed out after {limit:g} s")
    if child.returncode:
        return answers, Failure(step, _ending(child.returncode, errors))
    if unreadable:
        return answers, Failure(step, f"unreadable answer: {unreadable}")
    if answers and "error" in answers[-1]:
        return answers, Failure(step, f"error: {answers[-1]['error']}")
    return answers, None


def _parse(output: bytes) -> tuple[list[dict[str, Any]], str]:
    """The answers, and the first line that is none: a child that is stopped may leave half a line."""
    answers = []
    for line in output.decode(errors="replace").splitlines():
        try:
            answers.append(json.loads(line))
        except ValueError:
            return answers, line
    return answers, ""


def _ending(status: int, errors: bytes) -> str:
    if status < 0:
        return f"crashed: {signal.Signals(-status).name}"
    last = errors.decode(errors="replace").strip().rpartition("\n")[2]
    return f"exit status {status}: {last}"


def _findings(answers: list[dict[str, Any]], expected: dict[str, LabelDigest]) -> Iterator[Finding]:
    for answer in answers:
        if "scan" in answer:
            table, direction, rows, digest = answer["scan"]
            recovered = LabelDigest(table, rows, digest)
            if recovered != expected[table]:
                yield Mismatch(table, direction, expected[table], recovered)
        elif "keys" in answer:
            table, rows, found = answer["keys"]
            if found != rows:
                yield LostKeys(table, rows, found)


def _unread(answers: list[dict[str, Any]], schema: GraphSchema) -> Iterator[Failure]:
    """What a child that ended well did not answer: the verdict never rests on the absence of answers."""
    scanned = {tuple(answer["scan"][:2]) for answer in answers if "scan" in answer}
    looked_up = {answer["keys"][0] for answer in answers if "keys" in answer}
    for table in schema.tables:
        directions = (FORWARDS, BACKWARDS) if isinstance(table, EdgeTable) else (FORWARDS,)
        for direction in directions:
            if (table.name, direction) not in scanned:
                yield Failure(f"read {table.name} {direction}", "no answer")
    for node in schema.nodes:
        if node.name not in looked_up:
            yield Failure(f"look up the keys of {node.name}", "no answer")
