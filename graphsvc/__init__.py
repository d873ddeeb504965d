"""graphsvc: a local knowledge service for people who build software with coding agents.

::

    import graphsvc

    kb = graphsvc.open()                 # the nearest store at or above the working directory
    kb.sessions(limit=5).frame           # a polars frame
    kb.why("src/parser.py", 42)          # steps from a line to the prompt that asked for it

Importing this is cheap: engines are loaded by the first question that needs them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphsvc._packages import refuse_foreign

if TYPE_CHECKING:
    import os

    from graphsvc.knowledge import KnowledgeBase

__all__ = ["init", "open"]

refuse_foreign("loaders", "queries")


def open(folder: str | os.PathLike[str] | None = None) -> KnowledgeBase:
    """Open a store.

    Args:
        folder: The store's folder, or the folder that its ``.graphsvc`` lies in; the nearest store at or above
            the working directory where none is given.

    Raises:
        NotFound: There is none.
        ResetRequired: It has another format than this version reads.
    """
    from pathlib import Path

    from graphsvc.knowledge import KnowledgeBase

    return KnowledgeBase.open(None if folder is None else Path(folder))


def init(folder: str | os.PathLike[str] | None = None) -> KnowledgeBase:
    """Make an empty store.

    Args:
        folder: The store's folder; ``.graphsvc`` in the working directory where none is given.

    Raises:
        InvalidInput: The folder holds something already.
    """
    from pathlib import Path

    from graphsvc.knowledge import KnowledgeBase

    return KnowledgeBase.init(None if folder is None else Path(folder))
