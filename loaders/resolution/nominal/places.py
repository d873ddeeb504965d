"""Where a language keeps its names: the qualified name of each symbol, and what a file can see.

A qualified name is a tuple of names from the outermost package, namespace or module to the symbol itself.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from loaders.extraction import Extraction, Import

__all__ = ["RULES", "Path", "Place", "names_in"]

Path = tuple[str, ...]

_SEGMENT = re.compile(r"(`(?:[^`]|``)*`|[\w$+-]+)(\(\)\.|[#./!])")


def names_in(descriptor: str) -> Path:
    """The names of a descriptor chain.

    >>> names_in("shop/Cart#total()."), names_in("`A.B`/Cart#")
    (('shop', 'Cart', 'total'), ('A', 'B', 'Cart'))
    """
    names: list[str] = []
    for name, suffix in _SEGMENT.findall(descriptor):
        plain = name[1:-1].replace("``", "`") if name.startswith("`") else name
        names += re.split(r"\.|::", plain) if suffix == "/" else [plain]
    return tuple(names)


class Place:
    """The rules of one language about its names.

    Args:
        files: The files of the language.
    """

    implicit = True
    """Whether a bare name may mean a member of the enclosing class."""

    outward = True
    """Whether a name of an enclosing package or module is seen without an import."""

    def __init__(self, files: Mapping[str, Extraction]) -> None:
        self.files = files

    def home(self, path: str) -> Path:
        """Package or module that the top level of a file belongs to."""
        return ()

    def imported(self, path: str, binding: Import) -> tuple[Path, Path]:
        """What an import binds: the qualified module, and the name in it or nothing."""
        module = tuple(part for part in re.split(r"::|\.", binding.module) if part)
        return module, (binding.name,) if binding.name else ()

    def reach(self, path: str) -> frozenset[str] | None:
        """Files whose names a file may use; None for all."""
        return None

    def callable(self, path: str) -> frozenset[str] | None:
        """Files whose functions outside of types a file may call by name; None for all."""
        return self.reach(path)

    def included(self, path: str, binding: Import) -> str | None:
        """File that an import leads to by its path."""
        return None


class Java(Place):
    """Packages; the top level of a file is in the package that it states."""

    def home(self, path: str) -> Path:
        stated = next((fact[1] for fact in self.files[path].facts if fact[0] == "package"), "")
        return tuple(stated.split(".")) if stated else ()


class CSharp(Place):
    """Namespaces, which are symbols."""


class Ruby(Place):
    """Constants, which all files share once they are loaded."""

    def callable(self, path: str) -> frozenset[str]:
        required = (self.included(path, binding) for binding in self.files[path].imports)
        return frozenset({path, *(found for found in required if found)})

    def included(self, path: str, binding: Import) -> str | None:
        if binding.level:
            return self._at(posixpath.join(posixpath.dirname(path), binding.module))
        return self._at(binding.module) or self._at(posixpath.join("lib", binding.module))

    def _at(self, stem: str) -> str | None:
        stem = posixpath.normpath(stem)
        return next((found for found in (stem, stem + ".rb") if found in self.files), None)


class Rust(Place):
    """Crates and modules, which follow the folders below ``src``."""

    implicit = False
    outward = False

    def __init__(self, files: Mapping[str, Extraction]) -> None:
        super().__init__(files)
        self._homes: dict[str, Path] = {path: self._module(path) for path in files}

    def home(self, path: str) -> Path:
        return self._homes[path]

    def _module(self, path: str) -> Path:
        before, source, rest = f"/{path}".rpartition("/src/")
        crate = posixpath.basename(before) if source else posixpath.dirname(path)
        parts = posixpath.splitext(rest if source else posixpath.basename(path))[0].split("/")
        if parts[-1] in ("lib", "main", "mod"):
            parts.pop()
        return (crate.replace("-", "_") or "crate", *parts)

    def imported(self, path: str, binding: Import) -> tuple[Path, Path]:
        module, name = super().imported(path, binding)
        return self.absolute(path, module), name

    def absolute(self, path: str, module: Path) -> Path:
        """A path with ``crate``, ``self`` and ``super`` replaced."""
        home = self.home(path)
        if module[:1] == ("crate",):
            return home[:1] + module[1:]
        if module[:1] in (("self",), ("super",)):
            while module[:1] in (("self",), ("super",)):
                home = home[:-1] if module[0] == "super" else home
                module = module[1:]
            return home + module
        return module


class C(Place):
    """Files that include others: what they declare is seen, and linking finds what defines it."""

    def __init__(self, files: Mapping[str, Extraction]) -> None:
        super().__init__(files)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(files):
            self._by_name[posixpath.basename(path)].append(path)
        self._reach: dict[str, frozenset[str]] = {}

    def included(self, path: str, binding: Import) -> str | None:
        name = posixpath.normpath(binding.module.strip("<>"))
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        if beside in self.files:
            return beside
        tail = name.lstrip("./")
        found = [one for one in self._by_name[posixpath.basename(name)] if f"/{one}".endswith(f"/{tail}")]
        return found[0] if len(found) == 1 else None

    def reach(self, path: str) -> frozenset[str] | None:
        if path not in self._reach:
            seen = {path}
            pending = [path]
            while pending:
                for other in self._includes(pending.pop()):
                    if other not in seen:
                        seen.add(other)
                        pending.append(other)
            self._reach[path] = frozenset(seen)
        return self._reach[path]

    def _includes(self, path: str) -> Iterator[str]:
        for binding in self.files[path].imports:
            found = self.included(path, binding) if binding.star else None
            if found is not None:
                yield found


RULES: Mapping[str, type[Place]] = {
    "java": Java,
    "csharp": CSharp,
    "ruby": Ruby,
    "rust": Rust,
    "c": C,
    "cpp": C,
}
"""The rules of each language; C and C++ share their files, because headers do not tell which they are."""
