"""The languages that code can be read in: one module each, found by being here.

A module declares ``TABLES``: one :class:`loaders.extraction.Language` for each grammar that it covers. A name
that starts with an underscore is a part of another module. See ``docs/languages.md`` for how to add one.
"""

from __future__ import annotations

import importlib
import pkgutil

from loaders.extraction import Language

__all__ = ["LANGUAGES"]


def _discover() -> dict[str, Language]:
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {language.name: language for module in modules for language in module.TABLES}


LANGUAGES = _discover()
"""Every language by its name."""
