"""The packages that belong together: graphsvc, loaders and queries lie side by side, wherever they are installed.

``loaders`` and ``queries`` are names that a folder of notebooks may well have a module of its own for, which
Python would find first.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

__all__ = ["refuse_foreign"]

_HOME = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def refuse_foreign(*names: str) -> None:
    """Does nothing where each of these packages is the one beside graphsvc.

    Raises:
        ImportError: Another module has taken the name of one of them; the message names its file.

    >>> refuse_foreign("loaders", "queries")
    >>> refuse_foreign("json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ImportError: .../json/__init__.py takes the place of graphsvc's own package 'json': ...
    """
    for name in names:
        found = _file(name)
        if found is None:
            raise ImportError(f"graphsvc's own package {name!r} is missing: reinstall graphsvc")
        if os.path.dirname(os.path.realpath(found)) != os.path.join(_HOME, name):
            raise ImportError(
                f"{found} takes the place of graphsvc's own package {name!r}: rename it, or start Python in another"
                " folder"
            )


def _file(name: str) -> str | None:
    """File of the module that ``import name`` gives; for a folder without one, the path of such a file in it."""
    spec = find_spec(name)
    if spec is None:
        return None
    if spec.origin is not None:
        return spec.origin
    folders = list(spec.submodule_search_locations or ())
    return os.path.join(folders[0], "__init__.py") if folders else None
