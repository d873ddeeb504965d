"""The Python modules of a snapshot: their names, and what an import statement leads to.

A module is named from its source root: the parent of the outermost package that holds it, else the nearest
folder above it that is known as a root. Roots are the folders that outermost packages lie in, those with a
``pyproject.toml``, ``setup.py`` or ``setup.cfg``, their ``src``, and the root of the repository.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Iterable

__all__ = ["Layout"]

_PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
_INIT = "__init__.py"


class Layout:
    """Modules by path and by name.

    A module is denoted by the path of its file; a folder without ``__init__.py`` that holds modules, by its
    path with a final ``/``.

    Args:
        paths: Paths of the Python files of the snapshot.
        manifests: Paths of the files that say how code is packaged.

    >>> layout = Layout(["src/shop/__init__.py", "src/shop/cart.py", "tools/run.py"])
    >>> [layout.names[path] for path in sorted(layout.names)]
    ['shop', 'shop.cart', 'tools.run']
    >>> layout.find("shop.cart", "tools/run.py"), layout.relative("src/shop/cart.py", 1, "cart")
    ('src/shop/cart.py', 'src/shop/cart.py')
    """

    def __init__(self, paths: Iterable[str], manifests: Collection[str] = ()) -> None:
        self._paths = frozenset(paths)
        self._folders = _folders(self._paths)
        self._roots = self._find_roots(manifests)
        self._root_of = {path: self._root(path) for path in self._paths}
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        self.names: dict[str, str] = {}
        taken: set[str] = set()
        for path in sorted(self._paths, key=self._precedence):
            name = _dotted(path, self._root_of[path])
            self._by_name[name].append(path)
            # Two modules of one name (two projects in one repository) must not share their symbols.
            self.names[path] = path if name in taken else name
            taken.add(name)

    def _precedence(self, path: str) -> tuple[bool, bool, int, str]:
        """Of two modules with one name, the one in the main project goes first, and code before its stubs."""
        root = self._root_of[path]
        return path.endswith(".pyi"), root not in ("", "src"), root.count("/"), path

    def _find_roots(self, manifests: Collection[str]) -> frozenset[str]:
        projects = {posixpath.dirname(m) for m in manifests if posixpath.basename(m) in _PROJECT_FILES}
        packages = {posixpath.dirname(path) for path in self._paths if posixpath.basename(path) == _INIT}
        outermost = {package for package in packages if posixpath.dirname(package) not in packages}
        roots = {"", "src"} | projects | {posixpath.join(project, "src") for project in projects}
        return frozenset(roots | {posixpath.dirname(package) for package in outermost if package})

    def _root(self, path: str) -> str:
        folder = posixpath.dirname(path)
        while folder and posixpath.join(folder, _INIT) in self._paths:
            folder = posixpath.dirname(folder)
        while folder not in self._roots:
            folder = posixpath.dirname(folder)
        return folder

    def find(self, name: str, importer: str) -> str | None:
        """Module that an absolute import of a dotted name in a file leads to; None outside the snapshot."""
        root = self._root_of[importer]
        candidates = self._by_name.get(name, ())
        near = [path for path in candidates if self._root_of[path] == root]
        if near or candidates:
            return (near or list(candidates))[0]
        relative = name.replace(".", "/")
        beside = posixpath.dirname(importer)
        if posixpath.join(beside, _INIT) not in self._paths:  # a program finds what lies beside it
            found = self._at(posixpath.join(beside, relative))
            if found is not None:
                return found
        folder = posixpath.join(root, relative)
        return folder + "/" if folder in self._folders else None

    def relative(self, importer: str, level: int, name: str) -> str | None:
        """Module that a relative import with so many dots leads to."""
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            if not folder:
                return None
            folder = posixpath.dirname(folder)
        if not name:
            return self._at(folder) if folder else None
        return self._at(posixpath.join(folder, name.replace(".", "/")))

    def child(self, module: str, name: str) -> str | None:
        """Submodule of a package; None where the module is no package or has none of that name."""
        if module.endswith("/"):
            return self._at(module + name)
        if posixpath.basename(module) == _INIT:
            return self._at(posixpath.join(posixpath.dirname(module), name))
        return None

    def _at(self, stem: str) -> str | None:
        for path in (posixpath.join(stem, _INIT), stem + ".py", stem + ".pyi"):
            if path in self._paths:
                return path
        return stem + "/" if stem in self._folders else None


def _folders(paths: Iterable[str]) -> frozenset[str]:
    folders: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in folders:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    return frozenset(folders)


def _dotted(path: str, root: str) -> str:
    stem = posixpath.splitext(path[len(root) + 1 if root else 0 :])[0]
    return stem.removesuffix("/__init__").replace("/", ".")
