"""What the module specifiers of TypeScript and JavaScript lead to: files, index files, path mappings, workspaces.

Of several answers the first in this order counts: relative paths, of a folder with a ``package.json`` what that names;
the ``paths`` and ``baseUrl`` of the nearest ``tsconfig.json`` or ``jsconfig.json``; and packages of the same repository
by the name in their ``package.json``.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

__all__ = ["LANGUAGES", "Layout"]

LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.mts", ".d.cts")
_WRITTEN = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json")
_NO_JSON = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


class _Mapping(NamedTuple):
    prefix: str
    suffix: str
    targets: tuple[str, ...]


class Layout:
    """The modules of a snapshot.

    Args:
        paths: Paths of the files of these languages.
        manifests: Path of each ``tsconfig.json``, ``jsconfig.json`` and ``package.json`` to its bytes.

    >>> layout = Layout(["src/a.ts", "src/b/index.ts"], {"tsconfig.json": b'{"compilerOptions": {"baseUrl": "src"}}'})
    >>> layout.find("src/a.ts", "./b"), layout.find("src/b/index.ts", "../a.js"), layout.find("src/a.ts", "b")
    ('src/b/index.ts', 'src/a.ts', 'src/b/index.ts')
    """

    def __init__(self, paths: Collection[str], manifests: Mapping[str, bytes]) -> None:
        self._paths = frozenset(paths)
        self._mappings = {
            posixpath.dirname(path): list(_mappings(path, data))
            for path, data in sorted(manifests.items(), reverse=True)
            if posixpath.basename(path) in _CONFIGURATIONS
        }
        self._packages: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._described: dict[str, Mapping[str, Any]] = {}
        for path, data in sorted(manifests.items()):
            package = _read(data) if posixpath.basename(path) == "package.json" else {}
            if isinstance(package.get("name"), str):
                self._packages.setdefault(package["name"], (posixpath.dirname(path), package))
            if package:
                self._described[posixpath.dirname(path)] = package
        self._known: dict[tuple[str, str], str | None] = {}

    def find(self, importer: str, specifier: str) -> str | None:
        """File that a specifier in a file leads to; None outside the snapshot."""
        key = (posixpath.dirname(importer), specifier)
        if key not in self._known:
            candidates = self._candidates(*key)
            self._known[key] = next((found for one in candidates if (found := self._at(one))), None)
        return self._known[key]

    def _candidates(self, folder: str, specifier: str) -> Iterator[str]:
        if specifier.startswith("."):
            place = posixpath.normpath(posixpath.join(folder, specifier))
            described = "" if place == "." else place
            if described in self._described:
                yield from _entries(described, self._described[described], "")
            yield place
            return
        for mapping in self._nearest(folder):
            if specifier.startswith(mapping.prefix) and specifier.endswith(mapping.suffix):
                star = specifier[len(mapping.prefix) : len(specifier) - len(mapping.suffix)]
                for target in mapping.targets:
                    yield target.replace("*", star)
        scoped = 2 if specifier.startswith("@") else 1
        name = "/".join(specifier.split("/")[:scoped])
        if name in self._packages:
            yield from _entries(*self._packages[name], specifier[len(name) + 1 :])

    def _nearest(self, folder: str) -> list[_Mapping]:
        while folder and folder not in self._mappings:
            folder = posixpath.dirname(folder)
        return self._mappings.get(folder, [])

    def _at(self, stem: str) -> str | None:
        stem = posixpath.normpath(stem)
        base, extension = posixpath.splitext(stem)
        for written in _WRITTEN.get(extension, ()):  # a program imports what the compiler will have written
            if base + written in self._paths:
                return base + written
        if stem in self._paths:
            return stem
        stem = "" if stem == "." else stem
        for ending in _ENDINGS:
            if stem and stem + ending in self._paths:
                return stem + ending
        for ending in _ENDINGS:
            index = posixpath.join(stem, "index" + ending)
            if index in self._paths:
                return index
        return None


def _entries(folder: str, package: Mapping[str, Any], rest: str) -> Iterator[str]:
    """Where the code of a package of the repository may be."""
    if rest:
        yield posixpath.join(folder, rest)
        yield posixpath.join(folder, "src", rest)
        return
    for key in ("source", "module", "main", "types"):
        if isinstance(package.get(key), str):
            yield posixpath.join(folder, package[key])
    yield posixpath.join(folder, "src")
    yield folder or "."


def _mappings(path: str, data: bytes) -> Iterator[_Mapping]:
    options = _read(data).get("compilerOptions")
    if not isinstance(options, dict):
        return
    base = options.get("baseUrl")
    folder = posixpath.join(posixpath.dirname(path), base if isinstance(base, str) else ".")
    paths = options.get("paths")
    for pattern, targets in paths.items() if isinstance(paths, dict) else ():
        prefix, star, suffix = pattern.partition("*")
        if isinstance(targets, list) and (star or not suffix):
            found = tuple(posixpath.join(folder, target) for target in targets if isinstance(target, str))
            yield _Mapping(prefix, suffix, found)
    if isinstance(base, str):
        yield _Mapping("", "", (posixpath.join(folder, "*"),))


def _read(data: bytes) -> dict[str, Any]:
    """A configuration as people write it: JSON with comments and commas at the end of a list."""
    try:
        found = json.loads(_NO_JSON.sub(lambda match: match[1] or "", data.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
