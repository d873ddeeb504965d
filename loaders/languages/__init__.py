"""The languages that code can be read in: one module each, found by being here.

A module declares ``TABLES``: one :class:`loaders.extraction.Language` for each grammar that it covers. See
``docs/languages.md`` for how to add one.
"""

from __future__ import annotations

import importlib
import pkgutil

from loaders.extraction import Language

__all__ = ["LANGUAGES"]


def _discover() -> dict[str, Language]:
    modules = (
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    )
    return {language.name: language for module in modules for language in module.TABLES}


LANGUAGES = _discover()
"""Every language by its name."""
