"""Extraction in worker processes that can be killed.

A parser is native code that reads hostile input: it may hang or end its process. So files are extracted in
child processes, each with one file at a time and a deadline. A file that overruns it, or takes its process
along, becomes a :class:`Failure`; a new process goes on with the next file.

The children are started as plain programs, so this works from any thread, notebook or standard input, and
they import nothing but the extractor.

>>> list(extract_all([Job("blob_1", "python", b"def f(): pass")], processes=1))[0][1].symbols[0].descriptor
'f().'
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import pickle
import selectors
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from types import TracebackType
from typing import IO, Any, NamedTuple

from graphsvc.errors import BudgetExhausted, SourceUnavailable
from loaders.extraction import PARSE_SECONDS, Extraction

__all__ = ["FAILURES", "FILE_SECONDS", "Failure", "Job", "Pool", "extract_all"]

FILE_SECONDS = 10.0
"""Wall time for one file of a store: short enough for a hang, long enough that a busy machine changes no store."""

FAILURES = {
    "parse_timeout": "it was not extracted within its time",
    "parser_crash": "it ended the process of the parser",
    "extractor_error": "the table of its language raised an error",
}
"""Each reason for which an extraction fails, and what it means."""

_GRACE_SECONDS = 0.5  # the parser gives up by itself at the limit; killing a process is for what does not
_START_SECONDS = 60.0
_WORTH_A_PROCESS = 200_000  # bytes that take one process as long as another takes to start
_BOOT = """import json, sys
sys.path[:] = json.loads(sys.argv[1])
from loaders.workers import serve
serve(sys.argv[2])"""
_READY = "ready"
_HEADER = struct.Struct("<Q")


class Job(NamedTuple):
    """A file to extract: a key that comes back with the result, its language and its bytes, and which part of them."""

    key: str
    language: str
    data: bytes
    around: Sequence[tuple[int, int]] | None = None


class Failure(NamedTuple):
    """A file that could not be extracted: the reason, one of :data:`FAILURES`, and what is known about it."""

    reason: str
    detail: str


class Pool:
    """Worker processes that run a function over files; in a ``with`` block, whose end stops them.

    Args:
        extractor: Function ``(data, language, *, seconds)`` that the workers call, as ``module:name``.
        processes: Most worker processes; one does where there is little to do.
        seconds: Wall time for one file.
    """

    def __init__(
        self,
        extractor: str = "loaders.parsing:extract",
        *,
        processes: int = 2,
        seconds: float = PARSE_SECONDS,
    ) -> None:
        self._workers = [_Worker(extractor, seconds) for _ in range(processes)]

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.stop()

    def start(self) -> None:
        """Start a process, so that it is ready when there is a file."""
        self._workers[0].start()

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[str, Any]]:
        """Each key with its result or a `Failure`, in the order of the jobs, which are taken as processes become free.

        Raises:
            SourceUnavailable: A worker process cannot be started.
        """
        jobs = iter(jobs)
        few, is_much = _up_to(jobs, _WORTH_A_PROCESS)
        pending = enumerate(chain(few, jobs))
        finished: dict[int, tuple[str, Any]] = {}
        upcoming = 0
        busy = {worker for worker in self._workers[: None if is_much else 1] if worker.take(pending)}
        while busy:
            for worker in _ready(busy):
                collected = worker.collect()
                if collected is None:
                    continue
                index, key, result = collected
                finished[index] = (key, result)
                if not worker.take(pending):
                    busy.discard(worker)
            while upcoming in finished:
                yield finished.pop(upcoming)
                upcoming += 1


def extract_all(
    jobs: Iterable[Job], *, processes: int = 2, seconds: float = PARSE_SECONDS
) -> Iterator[tuple[str, Extraction | Failure]]:
    """Extract many files; each key with its result, in the order of the jobs; arguments and errors as for `Pool`."""
    with Pool(processes=processes, seconds=seconds) as pool:
        yield from pool.run(jobs)


def _up_to(jobs: Iterator[Job], size: int) -> tuple[list[Job], bool]:
    """Jobs until they hold more than ``size`` bytes, and whether they do."""
    taken: list[Job] = []
    for job in jobs:
        taken.append(job)
        size -= len(job.data)
        if size < 0:
            return taken, True
    return taken, False


def _ready(busy: set[_Worker]) -> list[_Worker]:
    """Workers that have answered, ended or overrun their deadline; waits until there is one."""
    with selectors.DefaultSelector() as selector:
        for worker in busy:
            selector.register(worker.answers, selectors.EVENT_READ, worker)
        patience = min(worker.deadline for worker in busy) - time.monotonic()
        answered = {key.data for key, _ in selector.select(max(0.0, patience))}
    now = time.monotonic()
    return [worker for worker in busy if worker in answered or worker.deadline <= now]


class _Worker:
    """A child process, started when it is first needed, and the file that it has in hand."""

    def __init__(self, extractor: str, seconds: float) -> None:
        self._command = [sys.executable, "-c", _BOOT, json.dumps(sys.path), extractor]
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._job: tuple[int, Job] | None = None
        self._has_stalled = False
        self.deadline = 0.0

    def start(self) -> None:
        """Start the process, unless there is one."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._ready = False

    def take(self, pending: Iterator[tuple[int, Job]]) -> bool:
        """Start on the next job; False where there is none."""
        self._job, self._has_stalled = next(pending, None), False
        if self._job is not None:
            self._send()
        return self._job is not None

    def _send(self) -> None:
        assert self._job is not None
        _, job = self._job
        self.start()
        self._set_deadline()
        with contextlib.suppress(BrokenPipeError):  # it has ended: collecting its answer finds that out
            _send(self._input, (job.data, job.language, self._seconds, job.around))

    def _set_deadline(self) -> None:
        """Starting takes a while on a loaded machine; it must not count against the first file."""
        limit = self._seconds + _GRACE_SECONDS if self._ready else _START_SECONDS
        self.deadline = time.monotonic() + limit

    def collect(self) -> tuple[int, str, Any] | None:
        """Position and key of the job in hand and its result; None where there is none yet."""
        assert self._job is not None
        index, (key, *_) = self._job
        if self.deadline <= time.monotonic() and not _readable(self.answers.fileno()):
            if not self._ready:
                raise SourceUnavailable("a worker process for parsing did not start")
            return index, key, self._give_up()
        try:
            answer = _receive(self.answers, patience=self._seconds)
        except TimeoutError:
            failure = self._give_up()
            if self._has_stalled:
                return index, key, failure
            # Whoever answers has parsed the file: a stop inside the answer is the file's fault if it comes twice.
            self._has_stalled = True
            self._send()
            return None
        if answer == _READY:
            self._ready = True
            self._set_deadline()
            return None
        if answer is None:
            if not self._ready:
                raise SourceUnavailable("a worker process for parsing ended as it started")
            return index, key, Failure("parser_crash", f"the process ended with status {self.stop()}")
        return index, key, answer

    def _give_up(self) -> Failure:
        self.stop()
        return Failure("parse_timeout", f"stopped after {self._seconds} s")

    @property
    def answers(self) -> IO[bytes]:
        """Where the process answers."""
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def _input(self) -> IO[bytes]:
        assert self._process is not None
        assert self._process.stdin is not None
        return self._process.stdin

    def stop(self) -> int:
        """End the process, where there is one, and return its status; the next job starts another."""
        if self._process is None:
            return 0
        self._process.kill()
        status = self._process.wait()
        self.answers.close()
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        self._process = None
        return status


def _readable(descriptor: int, seconds: float = 0.0) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        return bool(selector.select(seconds))


def _send(stream: IO[bytes], message: object) -> None:
    payload = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_HEADER.pack(len(payload)) + payload)
    stream.flush()


def _receive(stream: IO[bytes], patience: float | None = None) -> object:
    """The next message; None at the end of the stream.

    Reads the descriptor itself: a buffer might take in the start of the message after, which a selector
    would then never report.

    Raises:
        TimeoutError: The stream stopped inside the message for longer than ``patience`` seconds.
    """
    header = _read(stream.fileno(), _HEADER.size, patience)
    if len(header) < _HEADER.size:
        return None
    (size,) = _HEADER.unpack(header)
    payload = _read(stream.fileno(), size, patience)
    return pickle.loads(payload) if len(payload) == size else None


def _read(descriptor: int, size: int, patience: float | None) -> bytes:
    """So many bytes, or fewer where the stream ends."""
    pieces = []
    while size:
        if patience is not None and not _readable(descriptor, patience):
            raise TimeoutError
        piece = os.read(descriptor, size)
        if not piece:
            break
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def serve(extractor: str) -> None:
    """The main loop of a worker process: extract what comes in on standard input until it ends."""
    module, _, name = extractor.partition(":")
    function = getattr(importlib.import_module(module), name)
    gc.disable()  # extraction makes no cycles, and looking for them takes a tenth of its time
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but answers may reach the pipe
    _send(sink, _READY)
    while isinstance(message := _receive(source), tuple):
        _send(sink, _answer(function, *message))


def _answer(
    function: Callable[..., Any],
    data: bytes,
    language: str,
    seconds: float,
    around: Sequence[tuple[int, int]] | None,
) -> Any:
    try:
        return function(data, language, seconds=seconds, **({} if around is None else {"around": around}))
    except BudgetExhausted as error:
        return Failure("parse_timeout", error.message)
    except Exception as error:
        return Failure("extractor_error", f"{type(error).__name__}: {error}")
