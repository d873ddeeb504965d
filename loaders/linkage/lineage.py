"""Files through their renames: every path that a file ever had leads to one name."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["lineages"]


def lineages(paths: Iterable[str], renames: Iterable[tuple[str, str]]) -> dict[str, str]:
    """For each path, the least of all paths that renames connect it with.

    Args:
        paths: All paths of a repository.
        renames: Pairs of an old path and the new one.

    >>> lineages(["a", "b", "c", "d"], [("b", "c"), ("c", "d")])
    {'a': 'a', 'b': 'b', 'c': 'b', 'd': 'b'}
    """
    leads_to = {path: path for path in paths}

    def end(path: str) -> str:
        while leads_to.setdefault(path, path) != path:
            leads_to[path] = leads_to[leads_to[path]]
            path = leads_to[path]
        return path

    for old, new in renames:
        first, second = sorted((end(old), end(new)))
        leads_to[second] = first
    return {path: end(path) for path in leads_to}
