"""The bases of the classes of modules, as Python knows them once it has imported these.

``python inheritance_imports.py LIBRARY < MODULES`` prints one JSON array: [file, qualified name, base], where base is
[file, qualified name] or null for a class all of whose bases are defined in C.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import sys
import warnings
from functools import cache
from typing import Any


def place(class_: type[Any], library: str) -> tuple[str, str] | None:
    """File below the library and qualified name of a class that a source defines.

    A class may say that it is of another module than the one that defines it: its functions know better.
    """
    module = sys.modules.get(class_.__module__)
    files = [
        member.__code__.co_filename
        for member in vars(class_).values()
        if inspect.isfunction(member) and member.__qualname__.startswith(f"{class_.__qualname__}.")
    ]
    for file in (*files, getattr(module, "__file__", None) or ""):
        if (
            file.endswith(".py")
            and file.startswith(library + os.sep)
            and class_.__qualname__ in defined(file)
        ):
            return os.path.relpath(file, library).replace(os.sep, "/"), class_.__qualname__
    return None


@cache
def defined(file: str) -> frozenset[str]:
    """Qualified names of the classes that a source defines, but for those inside of functions."""
    names = set()
    with open(file, "rb") as source:
        pending: list[tuple[str, Any]] = [("", ast.parse(source.read()))]
    while pending:
        prefix, node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                names.add(prefix + child.name)
                pending.append((f"{prefix}{child.name}.", child))
            elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                pending.append((prefix, child))
    return frozenset(names)


def main(library: str, modules: list[str]) -> list[list[Any]]:
    """Import the modules and look at all classes that there are then."""
    warnings.simplefilter("ignore")
    for name in modules:
        try:
            importlib.import_module(name)
        except BaseException:
            continue
    rows: list[list[Any]] = []
    pending: list[type[Any]] = [object]
    seen: set[type[Any]] = set()
    while pending:
        class_ = pending.pop()
        for child in type.__subclasses__(class_):
            if child not in seen:
                seen.add(child)
                pending.append(child)
    for class_ in seen:
        own = place(class_, library)
        if own is None or "<locals>" in own[1]:
            continue
        bases = [found for base in class_.__bases__ if (found := place(base, library)) and found != own]
        rows += [[*own, base] for base in bases] or [[*own, None]]
    return rows


if __name__ == "__main__":
    found = main(os.path.realpath(sys.argv[1]), sys.stdin.read().split())
    print()
    print(json.dumps(found))
