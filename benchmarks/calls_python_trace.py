"""Truth about Python calls: run test modules and print which function each line really called.

``python -m benchmarks.calls_python_trace LIBRARY TEST...`` prints a JSON array of
``[caller file, caller line, caller's first line, callee file, callee's first line]``, files relative to LIBRARY.
Only calls that a call instruction makes directly count: neither what an operator, attribute, loop or ``with``
calls, nor what a built-in function calls back. What is called outside LIBRARY has an empty file and line 0.
A comprehension, which some versions of the interpreter run as a function of its own, is part of the function that it
stands in.
"""

from __future__ import annotations

import contextlib
import dis
import io
import json
import sys
import threading
import unittest
import warnings
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_CALLS = frozenset(dis.opmap[name] for name in ("CALL", "CALL_FUNCTION_EX", "PRECALL") if name in dis.opmap)
_CACHE = dis.opmap.get("CACHE", 0)
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


class _Recorder:
    def __init__(self, library: Path) -> None:
        self.calls: set[tuple[str, int, int, str, int]] = set()
        self._library = str(library) + "/"
        self._in_builtin: set[FrameType] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            caller = frame.f_back
            if caller is not None and caller not in self._in_builtin:
                self._record(caller, frame.f_code)
        elif event == "c_call":
            self._in_builtin.add(frame)
        else:
            self._in_builtin.discard(frame)

    def _record(self, caller: FrameType, callee: CodeType) -> None:
        source = self._inside(caller.f_code.co_filename)
        if callee.co_name in _COMPREHENSIONS:
            return
        if source and _instruction(caller.f_code, caller.f_lasti) in _CALLS:
            target = self._inside(callee.co_filename)
            line = callee.co_firstlineno if target else 0
            self.calls.add((source, caller.f_lineno, _first_line(caller.f_code), target, line))

    def _inside(self, filename: str) -> str:
        relative = filename.removeprefix(self._library)
        return "" if relative == filename or relative.startswith(("test/", "site-packages/")) else relative


def _first_line(code: CodeType) -> int:
    """First line of a function, or of the one that a comprehension stands in."""
    if code.co_name not in _COMPREHENSIONS:
        return code.co_firstlineno
    return _holders(code.co_filename)[code.co_qualname, code.co_firstlineno]


@cache
def _holders(filename: str) -> dict[tuple[str, int], int]:
    """First line of the function around each comprehension of a file, by its qualified name and first line."""
    found: dict[tuple[str, int], int] = {}

    def walk(code: CodeType, holder: int) -> None:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                if constant.co_name in _COMPREHENSIONS:
                    found[constant.co_qualname, constant.co_firstlineno] = holder
                    walk(constant, holder)
                else:
                    walk(constant, constant.co_firstlineno)

    module = compile(Path(filename).read_bytes(), filename, "exec")
    walk(module, module.co_firstlineno)
    return found


@cache
def _instruction(code: CodeType, position: int) -> int:
    """Operation at a position; a specialised call stands at the last of the cache entries that follow it."""
    operations = code.co_code
    while position > 0 and operations[position] == _CACHE:
        position -= 2
    return operations[position]


def main() -> None:
    """Run the tests named on the command line under the recorder."""
    library, *names = sys.argv[1:]
    recorder = _Recorder(Path(library))
    warnings.simplefilter("ignore")
    out = sys.stdout
    threading.setprofile(recorder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for name in names:
            sys.setprofile(recorder)
            suite = unittest.defaultTestLoader.loadTestsFromName(f"test.{name}")
            unittest.TextTestRunner(stream=io.StringIO()).run(suite)
            sys.setprofile(None)
    json.dump(sorted(recorder.calls), out)


if __name__ == "__main__":
    main()
